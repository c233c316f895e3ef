/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * host_drops: what this host dropped of the messages, by its kernel's reasons, for all threads of a
 * mesh.
 */
#ifndef TTCP_SESSION_HOST_DROPS_H
#define TTCP_SESSION_HOST_DROPS_H

#include <netperf/drops.h>

struct host_drops;

/* All watches together. */
#define HOST_DROPS_ALL (-1)

/* Returns 0, or the exit status 2 after a message. */
int host_drops_open(struct host_drops **drops, unsigned mode, const struct np_log *log);

void host_drops_free(struct host_drops *drops); /* NULL is allowed */

/* Why nothing is counted; "": it is. */
const char *host_drops_why(const struct host_drops *drops);

/* Counts these packets, of DATA messages. Returns the number of the watch, or -errno. */
int host_drops_watch(struct host_drops *drops, struct np_drops_packets packets);

/* Fetches the counts; @named: and looks up the names of places, which may take 60 ms. */
void host_drops_update(struct host_drops *drops, bool named);

/* What was dropped of @watch, from or to @peer (NULL: all), by the last update. */
void host_drops_count(struct host_drops *drops, int watch, const struct np_address *peer,
		      struct np_drops_counts *counts);

#endif
