/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* send: runs ttcp -t. */
#ifndef TTCP_SERVICE_SEND_H
#define TTCP_SERVICE_SEND_H

struct send_session;
struct session;

/*
 * Opens what needs a privilege, and creates the files of the first run. Returns 0 or, after a
 * message, the exit status; call send_close in any case.
 */
int send_open(struct send_session **send, struct session *session);

/* Runs all runs; returns the exit status. */
int send_run(struct send_session *send);

/* Returns @status, or 1 when a file could not be written. NULL is allowed. */
int send_close(struct send_session *send, int status);

#endif
