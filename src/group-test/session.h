/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session: a whole run of the program, from the configuration to the exit status. */
#pragma once

#include "report/report.h"

/* What a session has opened, for the session itself, its loop and a mesh. */
struct session {
	struct np_run *run;
	const struct options *options;
	const struct np_log *log;
	struct settings settings;
	struct events events;
	struct mesh *mesh; /* NULL: not one of many ranks */
	struct transport *transport;
	struct member *member;
	unsigned interrupts;
	unsigned first_lane; /* the one that sends first in the next turn */
	bool wind_up;	     /* the member is to end its run, as after a first signal with --mesh */
	np_time leave;	     /* when it leaves, even if it waits for others; 0: it need not */
};

/* np_tool's open, work and close. */
int session_open(struct np_run *run);
int session_work(struct np_run *run);
int session_close(struct np_run *run, int status);

/* Prints a message, and returns the exit status 2. */
int session_refuse(const struct session *s, const struct np_fault *fault);

/* Opens the transport by the session's plan, and completes the plan. Returns 0 or 2. */
int session_open_transport(struct session *s);

/* Creates the member, once its plan is complete. Returns 0 or 2. */
int session_open_member(struct session *s);

/* mesh.c. The whole run as one of many ranks; privileges are dropped. Returns the exit status. */
int mesh_run(struct session *session);

/* Whether @who is a member, whom this rank has just @heard; 0: it has not. */
bool mesh_hears(struct mesh *mesh, const struct identity *who, np_time heard);

/* For member_port; @context is the mesh. */
void mesh_member_event(void *context, const struct member_event *event);

/*
 * The loop from joining to leaving: runs the transport, ticks the member, sends, and sleeps until
 * there is something to do, until the member has sent its last message and it has been transmitted.
 * Returns 0 or -errno of the transport.
 */
int run_until_finished(struct session *s);
