/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* result_block: the result block of a publisher and of a listener, at the end of the run. */
#ifndef DATAGRAM_TEST_RESULT_BLOCK_H
#define DATAGRAM_TEST_RESULT_BLOCK_H

#include "listener.h"
#include "publisher.h"

#include <netperf/process.h>
#include <stdio.h>

/* What this process used; @shared: by both ends, or by several sockets. */
struct result_block_usage {
	struct np_usage usage;
	bool shared;
};

/* What a publisher's peers confirmed. */
void result_block_publisher(FILE *out, const struct publisher_result *publisher,
			    const struct shared *shared, const struct result_block_usage *used,
			    const struct options *options);

/* What a listener received; nothing if nobody came. */
void result_block_listener(FILE *out, const struct listener_result *listener,
			   const struct result_block_usage *used, const struct options *options);

#endif
