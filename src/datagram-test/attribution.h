/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * attribution: what became of the packets of a flow, a listener or a peer, and where they were
 * lost: the one account that text and records give. Pure.
 */
#ifndef DATAGRAM_TEST_ATTRIBUTION_H
#define DATAGRAM_TEST_ATTRIBUTION_H

#include "listener.h"

#include <netperf/result.h>

/* One of the flows of @listener. */
void attribute_flow(struct np_result *to, const struct listener_result *listener,
		    const struct listener_flow *flow);

/* All flows of a listener. */
void attribute_listener(struct np_result *to, const struct listener_result *listener);

/* What was sent to a peer; the rest stays unknown unless its listener reported. */
void attribute_peer(struct np_result *to, const struct shared_peer *peer);

#endif
