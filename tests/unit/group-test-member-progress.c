// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a member's result holds while a run goes on, and what of it stays for the next run. */
#include "support/group_network.h"

#include <string.h>

/* A group in its first of two runs, 4 s each, 2 s after it came together. */
static struct network *in_a_run(void)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	plan.runs = 2;
	n = network_of(&plan, false);
	/* To host 3 its own place is the last one. */
	n->host[3].deaf = true;
	network_run(n, NP_SECOND / 4);
	n->host[3].deaf = false;
	network_run(n, 2 * NP_SECOND);
	assert_int_equal(n->host[0].results, 0);
	assert_true(member_look(n->host[3].member)->member[3].myself);
	return n;
}

/* Goes on until the second run has begun. */
static void go_to_the_second_run(struct network *n)
{
	while (n->host[0].results == 0)
		network_run(n, n->now - EPOCH + 10 * NP_MILLISECOND);
	while (member_look(n->host[0].member)->run == 0)
		network_run(n, n->now - EPOCH + 10 * NP_MILLISECOND);
	network_run(n, n->now - EPOCH + NP_SECOND / 2);
}

/* The row of its own that host @number has at a look now. */
static struct result_row own_row(const struct network *n, unsigned number)
{
	const struct result *r = member_look(n->host[number].member);

	assert_false(r->complete);
	assert_true(r->ended_at == 0);
	return *host_row(&n->host[number], number, 0);
}

/* Each look counts anew, and what it shows of other members is what was told of them. */
static void looks(void **state)
{
	struct network *n = in_a_run();
	const struct result *r;
	uint64_t before;

	(void)state;
	before = own_row(n, 3).counts.received;
	assert_true(before > 0);
	network_run(n, 3 * NP_SECOND);
	assert_true(own_row(n, 3).counts.received > before);
	r = member_look(n->host[0].member);
	assert_true(r->sent > 0);
	assert_int_equal(r->sent, n->host[0].sent_messages);
	network_run(n, 3 * NP_SECOND + NP_SECOND / 10);
	assert_int_equal(member_look(n->host[0].member)->sent, n->host[0].sent_messages);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(host_member(&n->host[0], i)->sender, i < 2);
		assert_int_equal(host_member(&n->host[0], i)->rows, i ? 0 : 2);
	}
	network_free(n);
}

/* Nobody's figures of the first run are in the second one. */
static void the_next_run(void **state)
{
	struct network *n = in_a_run();
	const struct result *r;

	(void)state;
	go_to_the_second_run(n);
	for (unsigned i = 0; i < 4; i++) {
		r = member_look(n->host[i].member);
		assert_int_equal(r->run, 1);
		assert_false(r->complete || r->interrupted);
		assert_true(r->ended_at == 0);
		for (unsigned k = 0; k < 4; k++) {
			assert_int_equal(host_member(&n->host[i], k)->rows, k == i ? 2 : 0);
			if (k != i)
				assert_true(host_member(&n->host[i], k)->host.cpu_user == 0);
		}
	}
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 4, 0);
	assert_true(member_result(n->host[0].member)->complete);
	assert_true(member_result(n->host[0].member)->ended_at > 0);
	network_free(n);
}

/* What a host dropped, or could not read, before a run is not of the run. */
static void figures_of_the_host(void **state)
{
	static const uint8_t junk[MESSAGE_HEADER_BYTES] = "not a message";
	struct network *n = in_a_run();
	const struct result_host *host;

	(void)state;
	n->host[2].dropped = 30;
	n->host[2].torn = 3;
	host_forge(&n->host[2], 3, junk, sizeof(junk));
	(void)member_look(n->host[2].member);
	host = &host_member(&n->host[2], 2)->host;
	assert_int_equal(host->dropped, 30);
	assert_int_equal(host->malformed, 4);
	go_to_the_second_run(n);
	n->host[2].dropped += 12;
	n->host[2].torn += 5;
	for (unsigned i = 0; i < 2; i++)
		host_forge(&n->host[2], 3, junk, sizeof(junk));
	(void)member_look(n->host[2].member);
	host = &host_member(&n->host[2], 2)->host;
	assert_int_equal(host->dropped, 12);
	assert_int_equal(host->malformed, 5 + 2);
	network_free(n);
}

/* One that came too late in a run is named in the next one, too, and has no rows in either. */
static void the_run_after_one_too_many(void **state)
{
	struct network *n = in_a_run();
	struct member_plan plan = n->host[3].plan;

	(void)state;
	network_add(n, &plan, 2100 * NP_MILLISECOND);
	go_to_the_second_run(n);
	for (unsigned i = 0; i < 4; i++) {
		(void)member_look(n->host[i].member);
		assert_int_equal(host_member(&n->host[i], 4)->outcome, FATE_REFUSED);
		assert_int_equal(host_member(&n->host[i], 4)->rows, 0);
	}
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 4, 0);
	host_status(&n->host[4], 2);
	for (unsigned i = 0; i < 4; i++)
		host_row_complete(&n->host[i], i, 2000);
	network_free(n);
}

/* Each run is told of from its first message on. */
static void each_run_is_told_of(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	unsigned told = 0;

	(void)state;
	plan.runs = 3;
	plan.log_interval = 500;
	n = network_of(&plan, false);
	network_finish(n, 10 * NP_SECOND);
	network_counts(n, 1000);
	for (const char *at = n->host[3].log; (at = strstr(at, "received 10.0.0.1:7800 500 "));
	     at++)
		told++;
	assert_int_equal(told, 3);
	network_free(n);
}

static bool lose_states_of_0(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 0 && to != 0 && data[0] == MESSAGE_MAGIC &&
	       data[1] == 0x40 + MESSAGE_STATE && data[3] == 1 &&
	       data[MESSAGE_HEADER_BYTES] < PHASE_SENT;
}

/* A sender that sends is ready, in each run, though nothing else says so: the other one goes on. */
static void messages_tell_that_a_sender_is_ready(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.runs = 2;
	n = network_of(&plan, false);
	n->drop = lose_states_of_0;
	while (n->host[0].sent_messages < 3000 && n->now < EPOCH + 30 * NP_SECOND)
		network_step(n);
	assert_true(n->dropped > 0);
	assert_true(n->host[1].sent_messages > 2500);
	network_finish(n, 30 * NP_SECOND);
	network_counts(n, 2000);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(looks),
		cmocka_unit_test(the_next_run),
		cmocka_unit_test(figures_of_the_host),
		cmocka_unit_test(the_run_after_one_too_many),
		cmocka_unit_test(each_run_is_told_of),
		cmocka_unit_test(messages_tell_that_a_sender_is_ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
