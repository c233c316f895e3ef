// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Who does not belong to a group that runs: a Java member that comes late, strangers that forge. */
#include "support/group_network.h"

static const uint8_t java_req[14] = {2, 1};

/* Those who run already do not mind. */
static void a_java_member_comes_late(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	for (unsigned i = 2; i < 5; i++) {
		network_run(n, i * NP_SECOND);
		for (unsigned h = 0; h < 4; h++)
			host_forge(&n->host[h], 30, java_req, sizeof(java_req));
	}
	network_finish(n, 7 * NP_SECOND);
	network_counts(n, 2000);
	network_free(n);
}

/* Junk, and sound messages at the wrong time, from everybody, all the time. */
static void forge_anything(struct network *n, struct host *h)
{
	uint8_t data[256];
	struct message_head head = {
		.type = (enum message_type)(1 + network_random(n) * 9),
		.run = network_random(n) < 0.9 ? 0 : 1,
		.number = (uint64_t)(network_random(n) * 4000),
		.tag = (uint32_t)(network_random(n) * 4e9),
	};
	const size_t bytes = (size_t)(network_random(n) * sizeof(data));

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(network_random(n) * 256);
	if (network_random(n) < 0.9)
		message_head_encode(data, &head);
	if (data[0] > 5)
		host_forge(h, (unsigned)(network_random(n) * 40), data, bytes);
}

static void ended_by(const struct network *n, np_time limit)
{
	for (unsigned i = 0; i < n->hosts; i++)
		host_must(&n->host[i], n->host[i].dead || n->host[i].ended <= limit, "ended late");
}

static void hostile_messages_cost_a_count(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	while (!network_ended(n) && n->now < EPOCH + 20 * NP_SECOND) {
		network_step(n);
		for (unsigned h = 0; h < 4; h++) {
			if (n->host[h].there && !n->host[h].ended)
				forge_anything(n, &n->host[h]);
		}
	}
	ended_by(n, 7 * NP_SECOND);
	network_counts(n, 2000);
	assert_true(member_malformed(n->host[0].member) > 1000);
	network_free(n);
}

/* By the group's tag, too: a number that nobody sent adds no loss. */
static void a_forged_number_is_stray(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);
	uint8_t data[48] = {0};
	struct message_head head;

	(void)state;
	network_run(n, 2 * NP_SECOND);
	message_head_decode(n->host[0].slots, 28, &head);
	assert_int_equal(head.type, MESSAGE_DATA);
	head.number = 1999;
	message_head_encode(data, &head);
	host_forge(&n->host[3], 0, data, sizeof(data));
	head.number = UINT64_MAX;
	message_head_encode(data, &head);
	host_forge(&n->host[3], 0, data, sizeof(data));
	network_finish(n, 7 * NP_SECOND);
	network_counts(n, 2000);
	assert_int_equal(host_row(&n->host[1], 3, 0)->counts.stray, 2);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_java_member_comes_late),
		cmocka_unit_test(hostile_messages_cost_a_count),
		cmocka_unit_test(a_forged_number_is_stray),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
