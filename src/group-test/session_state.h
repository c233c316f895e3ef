/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session_state: what a session has opened, for the session itself and for a mesh. */
#ifndef GROUP_TEST_SESSION_STATE_H
#define GROUP_TEST_SESSION_STATE_H

#include "config/plan.h"
#include "run.h"

struct mesh;

struct session {
	const struct options *options;
	const struct np_log *log;
	struct configuration configuration;
	struct plan plan;
	struct np_drops *drops; /* NULL: not counted over this transport */
	struct events events;
	struct run run;
	struct np_usage usage;
	struct mesh *mesh; /* NULL: not one of many ranks */
};

/* Both print a message, and return the exit status 2. */
int session_refuse(const struct session *s, const struct np_fault *fault);
int session_refuse_errno(const struct session *s, const char *object, int error);

/* Opens the transport by the session's plan, and completes the plan. Returns 0 or 2. */
int session_open_transport(struct session *s);

#endif
