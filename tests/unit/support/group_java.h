/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * group_java: one member of the JGroups 3.0 protocol by itself, at a made-up clock. The test speaks
 * for all others, and sees what the member sends.
 */
#pragma once

#include "group_network.h"

#define JAVA 30 /* a host that is none of ours: the test speaks for it */

/*
 * What the member sent: the last message of each type and how many, how many DATA, and how many
 * peers it dropped.
 */
struct java_heard {
	unsigned count[JGROUPS_WARMUP + 1];
	unsigned data;
	unsigned dropped;
	struct jgroups_message last[JGROUPS_WARMUP + 1];
};

extern struct java_heard java_heard; /* since sole() */

struct java_options {
	bool connected; /* its transport is */
	uint64_t log_interval;
};

/*
 * One real member of a group of @members; all others are the test's. Begins at EPOCH. The one
 * before is freed.
 */
struct host *sole_with(bool sender, unsigned members, unsigned senders,
		       const struct java_options *options);
#define SOLE(sender, members, senders, ...)                                                        \
	sole_with(sender, members, senders, &(struct java_options){__VA_ARGS__})

void pass(struct host *h, np_time time);

/* Host @from says @type; @sender and a RESULTS of @received messages of 20 bytes where they fit. */
void says(struct host *h, unsigned from, enum jgroups_type type, bool sender, int64_t received);

/* Host @from says FINAL_RESULTS: a table with only the row of host @of, which received all. */
void says_table(struct host *h, unsigned from, unsigned of);

void sends(struct host *h, unsigned from, unsigned count, size_t length);

/* Everything up to the READY of a group of this member and a JAVA one. */
void form(struct host *h, bool java_sends);

/* A receiver that has formed a group with a JAVA sender and got @count of its 10 messages. */
struct host *receiver_with(unsigned count, const struct java_options *options);
#define RECEIVER(count, ...) receiver_with(count, &(struct java_options){__VA_ARGS__})

/* So much time, in which host @by answers each question. */
void pass_answered(struct host *h, unsigned by, np_time time);

/* Requires that it has given up nobody, and has not ended. */
void gives_nobody_up(const struct host *h);
