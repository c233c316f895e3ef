/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * end_handshake: reports the last number to the listeners of this program until they have reported
 * what arrived.
 */
#ifndef DATAGRAM_TEST_END_HANDSHAKE_H
#define DATAGRAM_TEST_END_HANDSHAKE_H

#include "shared.h"

#include <netperf/datagram.h>

/*
 * Returns when all have answered, or 2 s after the last progress there. Peers that never confirmed
 * that they run this program get half a second.
 */
void end_handshake(struct np_datagram *socket, struct shared *shared,
		   void (*count_dropped)(void *publisher), void *publisher);

#endif
