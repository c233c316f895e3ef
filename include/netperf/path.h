/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * path: frames that this host dropped before its UDP or packet layer, as far as it counts them.
 * They are bounds of what of the lost on the way was lost in here: whoever these frames were for is
 * not told, one of them can be in several counters, and hold many datagrams where GSO or GRO is on.
 * Thread-safe.
 */
#ifndef NETPERF_PATH_H
#define NETPERF_PATH_H

#include <netperf/address.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Frames; the counters begin anywhere and are of 32 bits: only what np_path_since makes counts. */
struct np_path_drops {
	uint64_t softnet_dropped; /* the backlog, of all interfaces and namespaces */
	uint64_t rx_dropped;	  /* the interface: no room, or nobody for this protocol */
	uint64_t rx_missed;	  /* the card had no buffer */
	uint64_t rx_fifo;	  /* the card's own queue ran over */
	unsigned interfaces;	  /* that these are the sum of */
	bool softnet_known, interfaces_known;
};

/*
 * Reads the counters as they are: of the interface @device, or when that is NULL of the one that
 * has the address @local, and the loopback interface, by which this host speaks to itself; of all
 * interfaces when @local is NULL, a wildcard or a group. What cannot be read is not known.
 */
void np_path_read(struct np_path_drops *drops, const char *device, const struct np_address *local);

/* Turns @drops, read later than @begin, into what was dropped since. */
void np_path_since(struct np_path_drops *drops, const struct np_path_drops *begin);

/* Adds @more, of another time: what one of them does not know the sum does not know. */
void np_path_add(struct np_path_drops *sum, const struct np_path_drops *more);

/* "backlog 3, interface 4, missed 0, fifo 0", "unknown" for what is not known. Returns @out. */
#define NP_PATH_TEXT 128
char *np_path_format(const struct np_path_drops *drops, char out[NP_PATH_TEXT]);

struct np_record;

/* Adds the object "path_bounds" {softnet_dropped, rx_dropped, rx_missed, rx_fifo}, in which what is
 * not known is absent. */
void np_record_path(struct np_record *record, const struct np_path_drops *drops);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
