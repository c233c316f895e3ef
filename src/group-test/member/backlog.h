/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * backlog: DATA messages that have arrived and wait for their turn under processing_delay:
 * one is processed each delay, while control messages are answered at once. Pure.
 */
#ifndef GROUP_TEST_MEMBER_BACKLOG_H
#define GROUP_TEST_MEMBER_BACKLOG_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

/* Most that wait. The transport is read no further than that. */
#define BACKLOG_MESSAGES 65536

struct backlog_message {
	unsigned peer; /* index in the member's table */
	uint8_t type;  /* of the protocol */
	uint64_t number;
	uint64_t bytes; /* payload */
	np_time sent;	/* by the sender's clock */
};

struct backlog {
	struct backlog_message *message; /* a ring; NULL: nothing is delayed */
	unsigned first, count;
	np_time next; /* when the next one is processed */
};

/* Room for BACKLOG_MESSAGES. 0 or -ENOMEM. */
int backlog_open(struct backlog *backlog);
void backlog_close(struct backlog *backlog);

/* False when it is full: the message is not taken. */
bool backlog_put(struct backlog *backlog, const struct backlog_message *message);

/* The oldest message, which waits no more; @backlog is not empty. */
struct backlog_message backlog_take(struct backlog *backlog);

#endif
