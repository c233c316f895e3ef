// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Connections that end at the end of a run: who may go, and that nobody waits for who went. */
#include "support/group_network.h"

#include <string.h>

static bool in_its_end(const struct network *n, unsigned number)
{
	return strstr(n->host[number].log, "result - ") != NULL;
}

/* The results of host 2 do not get to hosts 0 and 1. */
static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_RESULTS && from == 2 && to < 2;
}

/* It has said that it leaves, and all of it is here, though the others still wait for one. */
static void who_left_may_hang_up_while_others_wait(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, true);

	(void)state;
	n->drop = lose_results_of_2;
	while (!in_its_end(n, 3) && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	network_run(n, n->now - EPOCH + 2 * STEP);
	assert_false(in_its_end(n, 0) || in_its_end(n, 1));
	network_kill(n, 3);
	n->drop = NULL;
	network_finish(n, 7 * NP_SECOND);
	network_status(n, 3, 0);
	for (unsigned i = 0; i < 2; i++) {
		host_row_complete(&n->host[i], 3, 1000);
		assert_int_equal(host_member(&n->host[i], 3)->outcome, FATE_STAYED);
	}
	network_free(n);
}

/* Host 3 does not say to host 0 that it leaves. */
static bool lose_the_leaving_of_3(struct network *n, unsigned from, unsigned to,
				  const uint8_t *data)
{
	(void)data;
	return from == 3 && to == 0 && in_its_end(n, 3);
}

/* One that leaves itself waits no longer for who hung up without a word. */
static void a_leaver_does_not_wait_for_who_hung_up(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, true);
	np_time killed;

	(void)state;
	n->drop = lose_the_leaving_of_3;
	while (!(in_its_end(n, 0) && in_its_end(n, 3)) && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	killed = n->now - EPOCH;
	network_kill(n, 3);
	network_finish(n, 7 * NP_SECOND);
	network_status(n, 3, 0);
	assert_int_equal(host_member(&n->host[0], 3)->outcome, FATE_STAYED);
	assert_in_range(n->host[0].ended, killed, killed + plan.limits.linger / 2);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_left_may_hang_up_while_others_wait),
		cmocka_unit_test(a_leaver_does_not_wait_for_who_hung_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
