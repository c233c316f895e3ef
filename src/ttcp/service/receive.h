/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receive: runs ttcp -r and -monitor. */
#ifndef TTCP_SERVICE_RECEIVE_H
#define TTCP_SERVICE_RECEIVE_H

struct receive_session;
struct session;

/* Opens sockets and files; call receive_close in any case. Returns the exit status. */
int receive_open(struct receive_session **receive, struct session *session);

/* Serves senders until the last one, or until a stop. Returns the exit status. */
int receive_run(struct receive_session *receive);

/* Closes everything; NULL is allowed. Returns @status, or a worse one. */
int receive_close(struct receive_session *receive, int status);

#endif
