/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* end_handshake: tells the listeners of our kind the last number, until they say what arrived. */
#ifndef DATAGRAM_TEST_END_HANDSHAKE_H
#define DATAGRAM_TEST_END_HANDSHAKE_H

#include "shared.h"

#include <netperf/datagram.h>

/* Returns when all have answered, or after 2 s in which nothing moved there. Peers that never
 * confirm get half a second. */
void end_handshake(struct np_datagram *socket, struct shared *shared);

#endif
