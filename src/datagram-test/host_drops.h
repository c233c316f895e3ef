/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * host_drops: what this host dropped of the run's packets, by the kernel's reasons, for all threads
 * of the session.
 */
#ifndef DATAGRAM_TEST_HOST_DROPS_H
#define DATAGRAM_TEST_HOST_DROPS_H

#include <netperf/drops.h>

struct host_drops;

/*
 * Returns 0, or the exit status 2 after a message. The functions below accept NULL, which counts
 * nothing.
 */
int host_drops_open(struct host_drops **drops, unsigned mode, const struct np_log *log);

void host_drops_free(struct host_drops *drops);

/*
 * Counts the packets to @local that @socket receives, or those that leave from it. Returns the
 * number of the watch, or -1, which counts nothing: there are too many.
 */
int host_drops_watch(struct host_drops *drops, enum np_drops_direction direction,
		     const struct np_address *local, int socket);

/* Fetches the counts; @named: and looks up the names of places, which may take 60 ms. */
void host_drops_update(struct host_drops *drops, bool named);

/* What was dropped of this watch, from or to @peer (NULL: all), by the last update. */
void host_drops_count(struct host_drops *drops, int watch, const struct np_address *peer,
		      struct np_drops_counts *counts);

#endif
