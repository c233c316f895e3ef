/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * backlog: DATA messages that have arrived and wait to be processed under processing_delay: one is
 * processed per delay, while control messages are answered at once. Pure.
 */
#ifndef GROUP_TEST_MEMBER_BACKLOG_H
#define GROUP_TEST_MEMBER_BACKLOG_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stdint.h>

/* The most that can wait. While it is full the transport is not read. */
#define BACKLOG_MESSAGES 65536

struct backlog_message {
	unsigned peer; /* index in the member's table */
	uint8_t type;  /* of the protocol */
	uint64_t number;
	uint64_t bytes; /* payload */
	np_time sent;	/* by the sender's clock */
};

struct backlog {
	struct backlog_message *message; /* a ring; NULL: there is no delay */
	unsigned first, count;
	np_time next; /* when the next one will be processed */
};

/* Makes room for BACKLOG_MESSAGES. Returns 0 or -ENOMEM. */
int backlog_open(struct backlog *backlog);
void backlog_close(struct backlog *backlog);

/* False when it is full: the message is not stored. */
bool backlog_put(struct backlog *backlog, const struct backlog_message *message);

/* Removes the oldest message; @backlog is not empty. */
struct backlog_message backlog_take(struct backlog *backlog);

#endif
