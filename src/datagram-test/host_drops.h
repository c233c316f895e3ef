/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* host_drops: what this host dropped of the run's packets, by the kernel's reasons. */
#ifndef DATAGRAM_TEST_HOST_DROPS_H
#define DATAGRAM_TEST_HOST_DROPS_H

#include <netperf/drops.h>

/*
 * Counts the packets to @local that @socket receives, or those that leave from it. Returns the
 * number of the watch, or -errno, with which np_drops_count knows nothing.
 */
int host_drops_watch(struct np_drops *drops, enum np_drops_direction direction,
		     const struct np_address *local, int socket);

#endif
