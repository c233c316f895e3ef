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
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * The row of --max-loss. @at: offset of the percentage, a double; @percent: its default, @when:
 * "more of the packets is lost", a literal.
 */
#define NP_LOSS_MAX(at, percent, when)                                                             \
	NP_OPTION_ROW("max-loss", 0, NULL, NP_OPTION_NUMBER, "PERCENT", percent, NULL, 0, 100,     \
		      NULL, at, "exit status 1 when " when)

/* Sum: all that is missing. When not exact, path and host are what it was at least. */
struct np_loss {
	uint64_t path;
	uint64_t host;
	uint64_t unattributed;
	bool exact;
};

/*
 * What this host dropped because a buffer was full: @least to @upmost times, 1 to @most packets
 * each time. At most @others of these packets are missed by nobody: duplicates of packets that
 * came, control datagrams, strangers'; NP_LOSS_UNKNOWN when they cannot be counted.
 */
struct np_loss_drops {
	uint64_t least, upmost;
	uint64_t most;
	uint64_t others;
};
#define NP_LOSS_UNKNOWN UINT64_MAX

/*
 * How often a socket found its buffer full, of the @dropped times that it dropped: among them may
 * be some for a wrong checksum, which is the way's doing, and all sockets' are counted together:
 * @full (RcvbufErrors) and @damaged (InCsumErrors) over the same time. Fills least and upmost.
 */
void np_loss_drops_full(struct np_loss_drops *drops, uint64_t dropped, uint64_t full,
			uint64_t damaged);

/*
 * The most packets that one drop can have been: @unit as np_datagram_info has it, @shortest the
 * bytes of the shortest packet about.
 */
uint64_t np_loss_most(const char *unit, size_t shortest);

/* @lost of @sent in percent; 0 of none. */
double np_loss_percent(uint64_t lost, uint64_t sent);

/* Adds @more to @sum, which begins as {.exact = true}. */
void np_loss_add(struct np_loss *sum, const struct np_loss *more);

/* Where @missing packets were lost. */
struct np_loss np_loss_attribute(uint64_t missing, const struct np_loss_drops *drops);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
