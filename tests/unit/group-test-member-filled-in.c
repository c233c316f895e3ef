// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a member did not learn of a sender's end is filled in from what this one knows. */
#include "support/group_network.h"

#include <string.h>

/* By --duration nobody knows beforehand how many will be sent. */
static void who_did_not_hear_the_end_is_told_of_it(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.messages = 0;
	plan.duration = 4 * NP_SECOND;
	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_finish(n, 20 * NP_SECOND);
	network_status(n, 3, 0);
	for (unsigned s = 0; s < 2; s++) {
		const struct result_row *row = host_row(&n->host[0], 3, s);

		assert_int_equal(row->counts.sent, n->host[s].sent_messages);
		assert_int_equal(row->counts.sent, row->counts.received + row->counts.lost);
		assert_true(row->counts.lost > 100);
	}
	network_free(n);
}

/* Real results of 3 get to nobody. */
static bool lose_results_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_RESULTS && from == 3 &&
	       to != 3;
}

/* Host 3 is made to say that it does not know the end of host 0: what of that host 0 shows. */
static struct result_row shown_of(const struct np_flow_counts *counts)
{
	static struct message_results results;
	static uint8_t wire[MESSAGE_CONTROL_MAX];
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct message_head head;
	struct result_row row;

	n->drop = lose_results_of_3;
	network_run(n, 2 * NP_SECOND);
	assert_int_equal(message_head_decode(n->seen, MESSAGE_HEADER_BYTES, &head), MESSAGE_NATIVE);
	head.number = n->host[3].plan.instance;
	/* At first with a row too many, which is nothing, and leaves nothing. */
	results = (struct message_results){.count = 3};
	for (unsigned i = 0; i < 3; i++)
		results.row[i].sender = host_identity(i % 2);
	results.row[2].counts.received = 5;
	host_forge(&n->host[0], 3, wire, message_results_encode(wire, &head, &results));
	results.count = 2;
	results.row[0].counts = *counts;
	host_forge(&n->host[0], 3, wire, message_results_encode(wire, &head, &results));
	network_run(n, 2 * NP_SECOND + 3 * STEP);
	assert_true(host_member(&n->host[0], 3)->reported);
	row = *host_row(&n->host[0], 3, 0);
	network_free(n);
	return row;
}

/* The rest was lost; it is exact only if the member could tell the messages apart. */
static void what_was_sent_is_filled_in(void **state)
{
	struct result_row row;

	(void)state;
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 900});
	assert_int_equal(row.counts.sent, 1000);
	assert_int_equal(row.counts.lost, 100);
	assert_true(row.exact);
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 900, .late = 1});
	assert_int_equal(row.counts.lost, 100);
	assert_false(row.exact);
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 900, .stray = 1});
	assert_int_equal(row.counts.lost, 100);
	assert_false(row.exact);
}

/* All that was sent is no loss; more than that is not to be believed. */
static void what_cannot_be_is_not_filled_in(void **state)
{
	struct result_row row;

	(void)state;
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 1000});
	assert_int_equal(row.counts.sent, 1000);
	assert_int_equal(row.counts.lost, 0);
	assert_true(row.exact);
	row = shown_of(&(struct np_flow_counts){.flows = 1, .received = 1001});
	assert_int_equal(row.counts.sent, 0);
	assert_false(row.exact);
}

/* Of one that its user stopped, what it said itself is shown. */
static void what_one_that_quit_has_said_stands(void **state)
{
	const struct member_plan plan = group_plan_long();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	member_stop(n->host[3].member, n->now);
	network_finish(n, 20 * NP_SECOND);
	host_told(&n->host[0], "given-up 10.0.0.4:7800 0 interrupted by its user");
	assert_true(host_member(&n->host[0], 3)->reported);
	for (unsigned s = 0; s < 2; s++) {
		assert_false(host_row(&n->host[0], 3, s)->ended);
		assert_int_equal(host_row(&n->host[0], 3, s)->counts.sent,
				 host_row(&n->host[3], 3, s)->counts.sent);
		assert_int_equal(host_row(&n->host[0], 3, s)->counts.lost,
				 host_row(&n->host[3], 3, s)->counts.lost);
	}
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_did_not_hear_the_end_is_told_of_it),
		cmocka_unit_test(what_was_sent_is_filled_in),
		cmocka_unit_test(what_cannot_be_is_not_filled_in),
		cmocka_unit_test(what_one_that_quit_has_said_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
