// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a member says of its phase, and that it goes on to the next one at once. */
#include "support/group_network.h"

#include <string.h>

/* The latest STATE of host 3 in each phase; and of those in the run, how often it moved less than
 * before. */
static struct message_state said[PHASE_LEAVING + 1];
static unsigned stood_still;

static unsigned silenced; /* the host whose RESULTS are lost */

static bool note_states_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	const size_t bytes = message_state_encode((uint8_t[100]){0}, &(struct message_head){0},
						  &(struct message_state){0});
	struct message_state state;

	(void)n;
	if (data[0] != MESSAGE_MAGIC || from == to)
		return false;
	if (from == silenced && data[1] == 0x40 + MESSAGE_RESULTS)
		return true;
	if (from != 3 || to != 0 || data[1] != 0x40 + MESSAGE_STATE)
		return false;
	assert_int_equal(message_state_decode(data, bytes, &state), 0);
	if (state.phase == PHASE_RUNNING && said[PHASE_RUNNING].moves)
		stood_still += state.moves <= said[PHASE_RUNNING].moves;
	said[state.phase] = state;
	return false;
}

/*
 * Host 3 hears all others before itself, in whatever order, and takes @delay for each message. What
 * it says is noted.
 */
static struct network *noted(const struct member_plan *plan, np_time delay)
{
	struct network *n = network_of(plan, false);

	n->host[3].plan.processing_delay = delay;
	memset(said, 0, sizeof(said));
	stood_still = 0;
	silenced = NETWORK_MAX;
	n->drop = note_states_of_3;
	n->host[3].deaf = true;
	network_run(n, NP_SECOND / 4);
	n->host[3].deaf = false;
	return n;
}

/* In the run for nobody; behind it, for the one whose results have not come. */
static void it_says_for_how_many_it_waits(void **state)
{
	const struct member_plan plan = group_plan_long();

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct network *n = noted(&plan, 0);

		silenced = i;
		network_run(n, 6 * NP_SECOND);
		assert_int_equal(said[PHASE_RUNNING].members, 4);
		assert_int_equal(said[PHASE_RUNNING].unready, 0);
		assert_int_equal(said[PHASE_COUNTED].unready, 1);
		network_free(n);
	}
}

/* One message in each half second, as often as it says so. */
static void who_processes_slowly_says_that_it_moves(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.messages = 20;
	n = noted(&plan, NP_SECOND / 2);
	network_run(n, 10 * NP_SECOND);
	assert_true(said[PHASE_RUNNING].moves > 10);
	assert_int_equal(stood_still, 0);
	network_free(n);
}

/* So does one that is told of nothing but parts of long messages. */
static void parts_of_long_messages_are_moves(void **state)
{
	struct member_plan plan = group_plan_long();
	const struct transport_event part = {TRANSPORT_MOVED, .peer = host_identity(0)};
	struct network *n;
	uint64_t before;

	(void)state;
	n = noted(&plan, 0);
	network_run(n, 2 * NP_SECOND);
	before = said[PHASE_RUNNING].moves;
	for (unsigned i = 0; i < 100000; i++)
		member_transport_event(n->host[3].member, &part, n->now);
	network_run(n, 3 * NP_SECOND);
	assert_in_range(said[PHASE_RUNNING].moves - before, 100000, 110000);
	network_free(n);
}

/* No phase of a run waits for a look that comes now and then: four phases, a step or two each. */
static void each_phase_follows_at_once(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;
	np_time formed;

	(void)state;
	plan.members = plan.senders = 1;
	plan.messages = 1;
	plan.runs = 50;
	n = network_of(&plan, false);
	while (!n->host[0].results && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	formed = n->now;
	while (n->host[0].results < 50 && n->now < formed + 5 * NP_SECOND)
		network_step(n);
	assert_in_range(n->now - formed, 0, 49 * 8 * STEP);
	network_free(n);
}

/* When host 0 sent its first DATA of the second run to host 1, and host 1 said that it runs. */
static np_time data_sent, runs_at;

static bool lose_states_of_0_note_times(struct network *n, unsigned from, unsigned to,
					const uint8_t *data)
{
	if (data[0] != MESSAGE_MAGIC || data[3] != 1)
		return false;
	if (from == 0 && to == 1 && data[1] == 0x40 + MESSAGE_DATA && !data_sent)
		data_sent = n->now;
	if (from == 1 && to == 0 && data[1] == 0x40 + MESSAGE_STATE && !runs_at &&
	    data[MESSAGE_HEADER_BYTES] == PHASE_RUNNING)
		runs_at = n->now;
	return from == 0 && to != 0 && data[1] == 0x40 + MESSAGE_STATE;
}

/* Nothing but DATA says that the sender is ready: the others run as soon as it comes. */
static void the_first_data_says_it_at_once(void **state)
{
	struct member_plan plan = group_plan_long();
	struct network *n;

	(void)state;
	plan.runs = 2;
	data_sent = runs_at = 0;
	n = network_of(&plan, false);
	n->drop = lose_states_of_0_note_times;
	while (!runs_at && n->now < EPOCH + 30 * NP_SECOND)
		network_step(n);
	assert_true(data_sent > 0);
	assert_int_equal(runs_at - data_sent, STEP);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_for_how_many_it_waits),
		cmocka_unit_test(who_processes_slowly_says_that_it_moves),
		cmocka_unit_test(parts_of_long_messages_are_moves),
		cmocka_unit_test(each_phase_follows_at_once),
		cmocka_unit_test(the_first_data_says_it_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
