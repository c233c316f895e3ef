// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What hosts dropped: when they are asked for it, and what is told, and believed. */
#include "support/group_network.h"

#define LOOKS 20

static np_time looked[LOOKS]; /* when host 0 was asked for what it dropped */

/* What host 0 sent may be dropped for so many looks. */
static bool may_be_dropped(struct host *h, struct result_member *own)
{
	own->sent_drops.total = (struct np_drops_total){.known = true, .exact = true};
	if (h->number || h->looks > LOOKS)
		return false;
	looked[h->looks - 1] = h->network->now;
	return h->looks < LOOKS;
}

/* Host 2 keeps all waiting. */
static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_RESULTS && from == 2 &&
	       to != 2;
}

static void what_may_be_dropped_is_looked_at_every_50_ms(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drops = may_be_dropped;
	n->drop = lose_results_of_2;
	network_run(n, 5 * NP_SECOND);
	assert_int_equal(n->host[0].looks, LOOKS);
	for (unsigned i = 1; i < LOOKS; i++)
		assert_in_range(looked[i] - looked[i - 1], 50 * NP_MILLISECOND,
				70 * NP_MILLISECOND);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(member_malformed(n->host[i].member), 0);
	network_free(n);
}

/* DROPS of host 0 to host 1: before it has counted the second run, and after. */
static unsigned told[2];

static bool count_told(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	if (data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_DROPS && !from && to == 1)
		told[n->host[0].looks > 1]++;
	return false;
}

static bool known_once(struct host *h, struct result_member *own)
{
	own->sent_drops.total.known = h->looks == 1;
	return false;
}

/* Nothing is told of a run of which nothing is known, whatever was known of the one before. */
static void what_is_not_known_is_not_told(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.runs = 2;
	n = network_of(&plan, false);
	n->drops = known_once;
	n->drop = count_told;
	told[0] = told[1] = 0;
	network_finish(n, 5 * NP_SECOND);
	network_counts(n, 1000);
	assert_true(told[0] > 0);
	for (unsigned i = 0; i < 4; i++)
		assert_false(host_member(&n->host[i], 0)->sent_drops.total.known);
	assert_int_equal(told[1], 0);
	network_free(n);
}

/* Host 1 says at host 0 what it dropped of each sender's, and for one more row of host 0's. */
static void say_drops(struct network *n, unsigned rows, uint64_t packets)
{
	static struct message_drops drops;
	static uint8_t wire[MESSAGE_DROPS_MAX];
	struct message_head head;

	assert_int_equal(message_head_decode(n->seen, MESSAGE_HEADER_BYTES, &head), MESSAGE_NATIVE);
	head.number = n->host[1].plan.instance;
	drops = (struct message_drops){.sent = {.known = true, .packets = packets},
				       .count = (uint16_t)rows};
	for (unsigned i = 0; i < rows; i++)
		drops.row[i] = (struct message_drops_row){
			.sender = host_identity(i % 2),
			.received = {.known = true, .packets = packets + i},
		};
	host_forge(&n->host[0], 1, wire, message_drops_encode(wire, &head, &drops));
}

/* A table of other senders than the group's says nothing, neither then nor with a later one. */
static void a_table_of_another_size_is_ignored(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	say_drops(n, 3, 70);
	(void)member_look(n->host[0].member);
	assert_false(host_member(&n->host[0], 1)->sent_drops.total.known);
	say_drops(n, 2, 5);
	network_finish(n, 10 * NP_SECOND);
	assert_int_equal(host_member(&n->host[0], 1)->sent_drops.total.packets, 5);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(host_row(&n->host[0], 1, i)->drops.total.packets, 5 + i);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_may_be_dropped_is_looked_at_every_50_ms),
		cmocka_unit_test(what_is_not_known_is_not_told),
		cmocka_unit_test(a_table_of_another_size_is_ignored),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
