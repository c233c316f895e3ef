/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* farewell: tells the listeners of our kind the last number, until they say what arrived. */
#ifndef DATAGRAM_TEST_FAREWELL_H
#define DATAGRAM_TEST_FAREWELL_H

#include "partner.h"

#include <netperf/datagram.h>

/* Returns when all have answered, or after 2 s in which nothing moved there. Peers that never
 * confirm get half a second. */
void farewell(struct np_datagram *socket, struct partner *partner);

#endif
