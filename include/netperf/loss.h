/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * loss: where it was lost, on the way or in this host, as far as the kernel's counter of what it
 * dropped tells (np_datagram_stats.dropped and its unit). The way ends at this host's UDP or packet
 * layer: what its card, its backlog or its packet filter dropped was lost on the way. Pure.
 */
#ifndef NETPERF_LOSS_H
#define NETPERF_LOSS_H

#include <netperf/options.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/*
 * The row of --max-loss. @at: offset of the percentage, a double; @percent: its default, @when:
 * "more of the packets is lost", a literal.
 */
#define NP_LOSS_MAX(at, percent, when)                                                             \
	{                                                                                          \
		.name = "max-loss", .kind = NP_OPTION_NUMBER, .argument = "PERCENT",               \
		.initial = (percent), .max = 100, .offset = (at),                                  \
		.help = "exit status 1 when " when                                                 \
	}

/* Sum: all that is missing. When not exact, path and host are what it was at least. */
struct np_loss {
	uint64_t path;
	uint64_t host;
	uint64_t unattributed;
	bool exact;
};

/*
 * @missing packets, while the socket dropped @dropped times 1 to @most packets because its buffer
 * was full, or, @damaged times at most, because a checksum was wrong, which is the way's doing.
 * Packets that nobody misses may be among those dropped.
 */
struct np_loss np_loss_attribute(uint64_t missing, uint64_t dropped, uint64_t damaged,
				 uint64_t most);

#pragma GCC visibility pop
#endif
