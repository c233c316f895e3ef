/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* host_drops: what this host dropped of the messages, by its kernel's reasons. */
#ifndef TTCP_SESSION_HOST_DROPS_H
#define TTCP_SESSION_HOST_DROPS_H

#include <netperf/drops.h>

/* Counts these packets, of DATA messages. Returns the number of the watch, or -errno. */
int host_drops_watch(struct np_drops *drops, struct np_drops_packets packets);

#endif
