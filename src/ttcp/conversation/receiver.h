/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* receiver: takes the runs of one sender after the other and says what came. */
#ifndef TTCP_CONVERSATION_RECEIVER_H
#define TTCP_CONVERSATION_RECEIVER_H

#include "../session_state.h"

struct receiver;

/*
 * Opens sockets and files. Returns 0 or, after a message, the exit status; receiver_close in any
 * case.
 */
int receiver_open(struct receiver **receiver, struct session *session);

/* To the exit status. */
int receiver_run(struct receiver *receiver);

/* Returns @status, or 1 when a file could not be written. NULL is allowed. */
int receiver_close(struct receiver *receiver, int status);

#endif
