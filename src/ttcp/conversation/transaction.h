/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transaction: --rr: on each connection of a run, at either end, a thread of its own sends a
 * request and waits for the response, or answers, with one call each. Such a connection is
 * ->taken: nobody else touches it. What is counted is passed on by the thread of the run.
 *
 * --crr: a sender's threads each make one connection after the other; a receiver answers and closes
 * them among its others, so that the port is soon free where it is needed: TIME_WAIT is there.
 */
#pragma once

#include "conversation.h"
#include "sender.h"

/* A sender's: between its START and its END. Returns 0 or -errno. */
int transactions_begin(struct sender *s);

/* Counts what was done so far. Returns whether it goes on; call it some fifty times a second. */
bool transactions_look(struct sender *s, np_time now);

/* Ends it, at once if it goes on. Returns 0 or -errno of the first connection that broke. */
int transactions_end(struct sender *s);

/* A receiver's: takes a TRANSACT. False: it is not for this connection. */
bool transactions_take(struct receiver *r, const struct receiver_source *source,
		       const struct message *m);

/* The request of a connection for one transaction has come: sends the response. */
void transactions_answer(struct receiver *r, struct channel *channel, np_time at);

/* Does what is due: begins, counts, gives back connections that have come to their END. */
void transactions_step(struct receiver *r);
