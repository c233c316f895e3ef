/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * loss: where packets were lost, on the way or in this host, as far as the kernel's drop counter
 * shows (np_datagram_stats.dropped and its unit). The way ends at this host's UDP or packet layer:
 * what its card, its backlog or its packet filter dropped was lost on the way. Pure, but for
 * np_loss_exceeds.
 */
#ifndef NETPERF_LOSS_H
#define NETPERF_LOSS_H

#include <netperf/log.h>
#include <netperf/options.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/*
 * The row of --max-loss. @at: offset of the percentage, a double; @percent: its default; @when: a
 * literal such as "loss exceeds PERCENT".
 */
#define NP_LOSS_MAX(at, percent, when)                                                             \
	NP_OPTION_ROW(NP_GROUP_LIMITS, "max-loss", 0, NULL, NP_OPTION_NUMBER, "PERCENT", percent,  \
		      NULL, 0, 100, NULL, at, "exit with 1 if " when)

/*
 * Where the missing packets were lost; the three add up to all that is missing. When not exact,
 * path and host are lower bounds.
 */
struct np_loss {
	uint64_t path;
	uint64_t host;
	uint64_t unattributed;
	bool exact;
};

/*
 * What this host dropped because a buffer was full: @least to @upmost drops, of 1 to @most packets
 * each. At most @others of the dropped packets are not among the missing: duplicates of packets
 * that arrived, control datagrams, packets of other programs; NP_LOSS_UNKNOWN when they cannot be
 * counted.
 */
struct np_loss_drops {
	uint64_t least, upmost;
	uint64_t most;
	uint64_t others;
};
#define NP_LOSS_UNKNOWN UINT64_MAX

/*
 * How many of a socket's @dropped drops were due to a full buffer. Some may be due to wrong
 * checksums, which is the fault of the way, and the counters cover all sockets: @full
 * (RcvbufErrors) and @damaged (InCsumErrors) over the same time. Fills least and upmost.
 */
void np_loss_drops_full(struct np_loss_drops *drops, uint64_t dropped, uint64_t full,
			uint64_t damaged);

/*
 * The most packets that one drop can stand for: @unit as in np_datagram_info, @shortest the size in
 * bytes of the shortest packet in use.
 */
uint64_t np_loss_most(const char *unit, size_t shortest);

/* @lost in percent of @sent; 0 when nothing was sent. */
double np_loss_percent(uint64_t lost, uint64_t sent);

/*
 * Whether @percent is more than the @most of --max-loss, which is then logged as an error of
 * @object (may be NULL): exit status 1.
 */
bool np_loss_exceeds(double percent, double most, const char *object, const struct np_log *log);

/* Adds @more to @sum, which starts as {.exact = true}. */
void np_loss_add(struct np_loss *sum, const struct np_loss *more);

/* Where @missing packets were lost. */
struct np_loss np_loss_attribute(uint64_t missing, const struct np_loss_drops *drops);

#include <netperf/bits/end.h>
#endif
