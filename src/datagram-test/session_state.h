/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session_state: a run, as its ordinary course (session.c) and that of a mesh (mesh.c) share it. */
#ifndef DATAGRAM_TEST_SESSION_STATE_H
#define DATAGRAM_TEST_SESSION_STATE_H

#include "addresses.h"
#include "endpoint.h"
#include "report.h"

#include <netperf/process.h>
#include <netperf/signals.h>

struct session {
	const struct options *options;
	const struct np_log *log;
	struct addresses addresses;
	struct reporter reporter;
	struct np_signals *signals;
	struct np_drops *drops;
	struct endpoint *endpoint;
	size_t endpoint_count;
	uint32_t *runs;
	int finished; /* eventfd: a thread has ended */
	unsigned interrupts;
	struct np_usage usage;
};

struct endpoint_plan session_plan(struct session *s);

/* As endpoint_tell, for all endpoints. */
void session_tell_all(struct session *s, enum shared_phase publishing, enum shared_phase listening);

/* Warn of what reduces the worth of the figures; return the exit status. */
int session_judge_listener(struct session *s, const struct listener_result *r);
int session_judge_publisher(struct session *s, const struct publisher_result *r);

#endif
