/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * side: a sender or a receiver in a thread of its own: an edge of a mesh, one of two directions, a
 * client of many, the round trips beside a load. One of two directions over an overlay shares the
 * other's node, and with it the thread.
 *
 * reverse: --reverse and --bidir, where the end that makes the connections receives by them. It
 * sends REVERSE on each, and then is an ordinary receiver; the other end, once it has them all,
 * makes them the lanes of an ordinary sender.
 */
#pragma once

#include "conversation.h"
#include "sender.h"

/* Does not move once it is open. Starts as zeros, but for what the owner sets first. */
struct side {
	struct options options; /* the owner sets these, */
	struct session session; /* and what these have of their own; signals only side_stop sends */
	struct sender *send;	/* by the task of the options; the other is NULL */
	struct receiver *receive;
	pthread_t thread;
	bool running;
	np_time begun;
	int status;		  /* when it is over, or did not begin: the exit status */
	char to[NP_ADDRESS_TEXT]; /* what the options name, if somebody has asked for data */
	char *text;		  /* what it had to print, of @bytes: session.of does */
	size_t bytes;
	unsigned stops; /* so far */
};

/*
 * Opens it, with what a part of the run of @of has of the whole, or (NULL) with what the owner has
 * set. What it has to print is kept until it is closed. Returns 0 or, after a message, the exit
 * status; call side_close in any case.
 */
int side_open(struct side *side, struct session *of);
void side_close(struct side *side);

/*
 * Starts the thread. Of what shares one, a sender runs here, and a receiver takes what arrives from
 * now on. Returns 0 or, after a message, 1.
 */
int side_start(struct side *side);

/* Joins the thread if it has ended. Returns whether it still runs. */
bool side_runs(struct side *side);

/* Asks it to end; the second time without a word to its partner. */
void side_stop(struct side *side);

/* Does so for each signal that asked @s to; or has it report an interval, as @s was asked to. */
void side_pass_signals(struct side *side, const struct session *s);

/*
 * Opens a sender, to @from, of what @request asks for, and of nothing of this program's own run.
 * Returns as side_open.
 */
int reverse_open(struct receiver *r, struct side *side, const struct np_address *from,
		 const struct message *request);

/*
 * --bidir: runs a sender, and a receiver beside it, by one session, whose summary has both. As
 * send_run.
 */
int reverse_send_both(struct sender *s);

/*
 * latency: --latency-under-load: measures round trips before the run, and beside it. As send_run.
 * The receiver must serve several at a time.
 */
int latency_send(struct sender *s);
