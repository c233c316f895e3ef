/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* result_block: the result block of a publisher and of a listener, at the end of the run. */
#ifndef DATAGRAM_TEST_RESULT_BLOCK_H
#define DATAGRAM_TEST_RESULT_BLOCK_H

#include "listener.h"
#include "publisher.h"

#include <stdio.h>

/* What a publisher's peers confirmed. @bytes: --unit=bytes. */
void result_block_publisher(FILE *out, const struct publisher_result *publisher,
			    const struct shared *shared, bool bytes);

/* What a listener received; nothing if nobody came. */
void result_block_listener(FILE *out, const struct listener_result *listener, bool bytes);

#endif
