/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * path: frames that this host dropped before its UDP or packet layer, as far as it counts them.
 * These are upper bounds on the part of the loss on the way that happened in this host: the
 * counters do not show whose frames they were, several may count the same frame, and with GSO or
 * GRO a frame holds many datagrams.
 */
#pragma once

#include <netperf/address.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Counts of frames. The counters wrap at 32 bits and start at any value: only the results of
 * np_path_since are meaningful.
 */
struct np_path_drops {
	uint64_t softnet_dropped; /* the backlog, of all interfaces and namespaces */
	uint64_t rx_dropped;	  /* the interface: no room, or no receiver for this protocol */
	uint64_t rx_missed;	  /* the card had no buffer */
	uint64_t rx_fifo;	  /* the card's own queue overflowed */
	unsigned interfaces;	  /* how many interfaces are added up */
	bool softnet_known, interfaces_known;
};

/*
 * Reads the counters of the interface @device or, when that is NULL, of the interface that has the
 * address @local and of the loopback interface, by which this host reaches itself; of all
 * interfaces when @local is NULL, a wildcard or a group. Counters that cannot be read are marked
 * unknown.
 */
void np_path_read(struct np_path_drops *drops, const char *device, const struct np_address *local);

/* Subtracts @begin, an earlier reading, from @drops. */
void np_path_since(struct np_path_drops *drops, const struct np_path_drops *begin);

/* Adds @more, which covers another time: what is unknown in either is unknown in the sum. */
void np_path_add(struct np_path_drops *sum, const struct np_path_drops *more);

/*
 * Formats "backlog 3, interface 4, missed 0, fifo 0", with "unknown" for unknown counts. Returns
 * @out.
 */
#define NP_PATH_TEXT 128
char *np_path_format(const struct np_path_drops *drops, char out[NP_PATH_TEXT]);

struct np_record;

/*
 * Adds the object "path_bounds" {softnet_dropped, rx_dropped, rx_missed, rx_fifo}, without the
 * unknown counts.
 */
void np_record_path(struct np_record *record, const struct np_path_drops *drops);
