/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* sender: runs of messages to one receiver, or to a group of them. */
#ifndef TTCP_CONVERSATION_SENDER_H
#define TTCP_CONVERSATION_SENDER_H

#include "../session_state.h"

struct sender;

/*
 * Opens what needs a privilege or makes a file of the first run. Returns 0 or, after a message, the
 * exit status; sender_close in any case.
 */
int sender_open(struct sender **sender, struct session *session);

/* All runs, to the exit status. */
int sender_run(struct sender *sender);

/* Returns @status, or 1 when a file could not be written. NULL is allowed. */
int sender_close(struct sender *sender, int status);

#endif
