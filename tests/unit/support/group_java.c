// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group_java: the member, what it sends, and what the test says for the others. */
#include "group_java.h"

#include <stdlib.h>
#include <string.h>

struct java_heard java_heard;

static int hear(struct transport *transport, const struct identity *who, const void *message,
		size_t bytes)
{
	static struct jgroups_message m;

	(void)transport;
	(void)who;
	assert_int_equal(jgroups_decode(message, bytes, bytes, &m), 0);
	java_heard.count[m.type]++;
	java_heard.last[m.type] = m;
	return 0;
}

static unsigned give_room(struct transport *transport, unsigned wanted,
			  struct transport_slots *slots)
{
	static uint8_t data[BATCH * SLOT];

	(void)transport;
	*slots = (struct transport_slots){data, SLOT, wanted < BATCH ? wanted : BATCH};
	return slots->count;
}

static int take(struct transport *transport, unsigned count)
{
	(void)transport;
	java_heard.data += count;
	return (int)count;
}

static void note_drop(struct transport *transport, const struct identity *who)
{
	(void)transport;
	(void)who;
	java_heard.dropped++;
}

static const struct transport_variant heard = {
	.send = hear,
	.reserve = give_room,
	.commit = take,
	.drop = note_drop,
};

struct host *sole_with(bool sender, unsigned members, unsigned senders,
		       const struct java_options *options)
{
	static struct host *latest;
	struct network *n = calloc(1, sizeof(*n));
	struct member_plan plan = group_plan(PROTOCOL_JGROUPS3);
	struct member_port port = {.notify = host_tell};
	struct np_fault fault;
	struct host *h;

	assert_non_null(n);
	if (latest) {
		member_free(latest->member);
		free(latest->network);
	}
	memset(&java_heard, 0, sizeof(java_heard));
	n->now = EPOCH;
	plan.sender = sender;
	plan.members = members;
	plan.senders = senders;
	plan.messages = 10;
	plan.connected = options->connected;
	plan.log_interval = options->log_interval;
	h = network_add(n, &plan, 0);
	h->transport =
		(struct transport){.variant = &heard, .plan.control_bytes = SIZE_MAX, .state = h};
	port.transport = &h->transport;
	port.context = h;
	assert_int_equal(member_create(&h->member, &h->plan, &port, n->now, &fault), 0);
	h->there = true;
	latest = h;
	return h;
}

void pass(struct host *h, np_time time)
{
	const np_time until = h->network->now + time;

	for (; h->network->now < until; h->network->now += STEP) {
		member_tick(h->member, h->network->now);
		member_pump(h->member, 0, BATCH, h->network->now);
	}
}

void says(struct host *h, unsigned from, enum jgroups_type type, bool sender, int64_t received)
{
	static struct jgroups_message m;
	uint8_t wire[200];

	m = (struct jgroups_message){
		.type = type,
		.sender = sender,
		.num_msgs = sender ? 10 : 0,
		.has_result = type == JGROUPS_RESULTS,
		.result = {1700000000000, 1700000000100, 10, received, true, received * 20},
	};
	host_forge(h, from, wire, jgroups_encode(wire, &m));
}

void says_table(struct host *h, unsigned from, unsigned of)
{
	static struct jgroups_message m;
	uint8_t wire[200];

	m = (struct jgroups_message){.type = JGROUPS_FINAL_RESULTS, .count = 1};
	m.row[0] = (struct jgroups_row){host_identity(of), {1, 2, 10, 10, true, 200}};
	host_forge(h, from, wire, jgroups_encode(wire, &m));
}

void sends(struct host *h, unsigned from, unsigned count, size_t length)
{
	uint8_t data[SLOT] = {JGROUPS_DATA_LEAD};

	while (count--)
		host_forge(h, from, data, length);
}

void form(struct host *h, bool java_sends)
{
	pass(h, STEP);
	says(h, 0, JGROUPS_DISCOVERY_RSP, h->plan.sender, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, java_sends, 0);
	pass(h, STEP);
	says(h, 0, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	pass(h, STEP);
	host_told(h, "ready - 2");
}

struct host *receiver_with(unsigned count, const struct java_options *options)
{
	struct host *h = sole_with(false, 2, 1, options);

	form(h, true);
	sends(h, JAVA, count, 21);
	return h;
}

void gives_nobody_up(const struct host *h)
{
	assert_null(strstr(h->log, "given-up"));
	assert_false(member_outcome(h->member)->finished);
}

void pass_answered(struct host *h, unsigned by, np_time time)
{
	unsigned asked = java_heard.count[JGROUPS_DISCOVERY_REQ];

	for (np_time passed = 0; passed < time && !member_outcome(h->member)->finished;
	     passed += STEP) {
		pass(h, STEP);
		if (java_heard.count[JGROUPS_DISCOVERY_REQ] > asked)
			says(h, by, JGROUPS_DISCOVERY_RSP, true, 0);
		asked = java_heard.count[JGROUPS_DISCOVERY_REQ];
	}
}
