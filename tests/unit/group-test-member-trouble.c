// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes wrong in a group, and that it ends in a report within a stated time which names who:
 * members that die, stop, come late or too many, networks that lose, double, disorder, cut and
 * heal, users that interrupt.
 */
#include "group_network.h"

/* A run that takes so long that much can happen in it. */
static struct member_plan long_plan(void)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	plan.pace.pause = 2 * NP_MILLISECOND;
	plan.messages = 2000;
	return plan;
}

static void ended_by(const struct network *n, np_time limit)
{
	for (unsigned i = 0; i < n->hosts; i++)
		host_must(&n->host[i], n->host[i].dead || n->host[i].ended <= limit, "ended late");
}

/* All rows that @from has are of all messages. */
static void complete_rows(const struct host *h, unsigned receiver, uint64_t messages)
{
	for (unsigned s = 0; s < h->plan.senders; s++) {
		host_must(h, host_row(h, receiver, s)->received == messages, "received");
		host_must(h, host_row(h, receiver, s)->exact, "exact");
	}
}

static void a_member_that_never_comes(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 3;
	network_finish(n, 61 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		assert_false(member_result(n->host[i].member)->formed);
	host_failed(&n->host[0], "group",
		    "3 of 4 members after 60 s, 1 missing; there: 10.0.0.1:7800, 10.0.0.2:7800, "
		    "10.0.0.3:7800");
	host_failed(&n->host[1], "group",
		    "there: 10.0.0.2:7800, 10.0.0.3:7800; left: 10.0.0.1:7800");
	assert_int_equal(n->host[0].sent_messages, 0);
	network_free(n);
}

static void nobody_at_all(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 1;
	n->cut[0][0] = true;
	network_finish(n, 61 * NP_SECOND);
	host_failed(&n->host[0], "group", "not even this member's own");
	network_free(n);
}

static void a_late_member_is_waited_for(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->host[2].starts += 50 * NP_SECOND;
	network_finish(n, 52 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], 0);
	network_free(n);
}

/* It died while the others waited, and was started anew. */
static void a_member_that_joins_twice(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[2];

	(void)state;
	n->host[3].starts += 4 * NP_SECOND;
	network_run(n, NP_SECOND);
	member_free(h->member);
	h->plan.instance++;
	h->there = false;
	h->starts = EPOCH + 2 * NP_SECOND;
	network_finish(n, 6 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 0);
		complete_rows(&n->host[i], 2, 1000);
	}
	network_free(n);
}

static void one_too_many(np_time starts, const char *fault, const char *why)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	network_add(n, &plan, starts);
	network_finish(n, 7 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 0);
		complete_rows(&n->host[i], 3, 2000);
		host_told(&n->host[i], "refused 10.0.0.5:7800");
		host_told(&n->host[i], why);
		assert_int_equal(host_member(&n->host[i], 4)->fate, FATE_REFUSED);
	}
	host_failed(&n->host[4], "", fault);
	network_free(n);
}

static void one_too_many_at_once(void **state)
{
	(void)state;
	one_too_many(40 * NP_MILLISECOND, "complete without this member", "one member too many");
}

static void one_too_many_in_the_run(void **state)
{
	(void)state;
	one_too_many(2 * NP_SECOND, "begun without this member", "too late");
}

/* Five at once, wherever one falls out: the four oldest run, on a network that loses much. */
static void five_for_four_with_loss(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct network *n = network_of(&plan, false);

		network_add(n, &plan, 45 * NP_MILLISECOND);
		n->random = seed;
		n->loss = 0.05;
		network_finish(n, 80 * NP_SECOND);
		for (unsigned i = 0; i < 4; i++)
			host_must(&n->host[i], member_result(n->host[i].member)->formed, "formed");
		host_status(&n->host[4], 2);
		network_free(n);
	}
}

static void a_killed_receiver(bool connected, np_time limit, const char *why)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, connected);

	network_run(n, 2 * NP_SECOND);
	network_kill(n, 3);
	network_finish(n, limit);
	for (unsigned i = 0; i < 3; i++) {
		host_status(&n->host[i], 1);
		host_told(&n->host[i], why);
		assert_false(host_member(&n->host[i], 3)->reported);
		for (unsigned r = 0; r < 3; r++)
			complete_rows(&n->host[i], r, 2000);
		assert_true(member_result(n->host[i].member)->complete);
	}
	network_free(n);
}

static void a_receiver_is_killed(void **state)
{
	(void)state;
	a_killed_receiver(false, 12 * NP_SECOND, "given-up 10.0.0.4:7800 0 silent for 5 s");
	a_killed_receiver(true, 6 * NP_SECOND,
			  "given-up 10.0.0.4:7800 0 connection lost: it hung up");
}

static void a_killed_sender(bool connected, np_time limit)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, connected);
	uint64_t sent;

	network_run(n, 2 * NP_SECOND);
	sent = n->host[1].sent_messages;
	network_kill(n, 1);
	network_finish(n, limit);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 1)
			continue;
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "given-up 10.0.0.2:7800");
		assert_false(host_member(&n->host[i], 1)->reported);
		for (unsigned r = 0; r < 4; r += 2) {
			const struct result_row *row = host_row(&n->host[i], r, 1);

			assert_int_equal(host_row(&n->host[i], r, 0)->received, 2000);
			assert_int_equal(row->expected, 2000);
			assert_in_range(row->received, sent - 1, sent);
			assert_int_equal(row->lost, 0);
			assert_false(row->exact || row->ended);
		}
	}
	network_free(n);
}

static void a_sender_is_killed(void **state)
{
	(void)state;
	a_killed_sender(false, 10 * NP_SECOND);
	a_killed_sender(true, 6 * NP_SECOND);
}

/* The only sender dies: the rest still tells what it got. */
static void the_sole_sender_is_killed(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n;

	(void)state;
	plan.senders = 1;
	plan.runs = 3;
	n = network_of(&plan, false);
	network_run(n, 2 * NP_SECOND);
	network_kill(n, 0);
	network_finish(n, 10 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_in_range(host_row(&n->host[i], 3, 0)->received, 100, 2000);
		assert_int_equal(n->host[i].results, 1);
	}
	network_free(n);
}

/* Between two runs: the next one begins without it. */
static void killed_between_runs(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n;

	(void)state;
	plan.runs = 3;
	n = network_of(&plan, false);
	while (n->host[3].results < 1)
		network_step(n);
	network_kill(n, 3);
	network_finish(n, 30 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++) {
		host_status(&n->host[i], 1);
		assert_int_equal(n->host[i].results, 3);
		complete_rows(&n->host[i], 2, 2000);
	}
	network_free(n);
}

static bool is_state(const uint8_t *data)
{
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + MESSAGE_STATE;
}

/* The first words of readiness from host 0 are lost, for half of the others for long. */
static bool lose_start(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return is_state(data) && from == 0 && (to == 1 || to == 2) &&
	       n->dropped < (to == 1 ? 6 : 3);
}

static void lost_start(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_start;
	network_finish(n, 6 * NP_SECOND);
	assert_true(n->dropped >= 3);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 0);
		complete_rows(&n->host[i], i, 1000);
	}
	network_free(n);
}

/* Of host 3 nothing but its HELLO is ever heard: nobody starts. */
static bool lose_all_but_hello(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 3 && to != 3 && data[1] != 0x40 + MESSAGE_HELLO;
}

static void start_that_never_comes(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_all_but_hello;
	network_finish(n, 13 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(n->host[i].sent_messages, 0);
	for (unsigned i = 0; i < 3; i++)
		host_failed(&n->host[i], "group", "10.0.0.4:7800");
	host_status(&n->host[3], 1);
	network_free(n);
}

/* Of a sender's words none is heard, but what it sends says that it runs. */
static bool lose_states_of_0(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return from == 0 && to != 0 && is_state(data);
}

static void data_says_that_all_are_ready(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_states_of_0;
	network_finish(n, 25 * NP_SECOND);
	for (unsigned i = 1; i < 4; i++) {
		host_status(&n->host[i], 1);
		assert_int_equal(host_row(&n->host[i], 2, 0)->received, 1000);
	}
	network_free(n);
}

static bool lose_results(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return data[1] == 0x40 + MESSAGE_RESULTS && from != to && n->dropped < 20;
}

static void lost_results(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results;
	network_finish(n, 4 * NP_SECOND);
	assert_int_equal(n->dropped, 20);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 0);
		for (unsigned r = 0; r < 4; r++)
			complete_rows(&n->host[i], r, 1000);
	}
	network_free(n);
}

/* Of one member they never come: the others say so, and end. */
static bool lose_results_of_2(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	(void)n;
	return data[1] == 0x40 + MESSAGE_RESULTS && from == 2 && to != 2;
}

static void results_that_never_come(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_results_of_2;
	network_finish(n, 14 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], i == 2 ? 0 : 1);
	host_told(&n->host[0], "given-up 10.0.0.3:7800");
	assert_false(host_member(&n->host[0], 2)->reported);
	network_free(n);
}

/* Right to the message, by the network's own books. */
static void counts_are_right(struct network *n, uint64_t messages)
{
	for (unsigned i = 0; i < n->hosts; i++) {
		const struct host *h = &n->host[i];

		host_status(h, 0);
		for (unsigned r = 0; r < n->hosts; r++) {
			for (unsigned s = 0; s < h->plan.senders; s++) {
				const struct result_row *row = host_row(h, r, s);

				host_must(h, row->exact, "exact");
				host_must(h, row->expected == messages, "expected");
				host_must(h, row->lost == n->lost[s][r], "lost");
				host_must(h, row->received + row->lost == messages, "sum");
			}
		}
	}
}

static void loss_doubling_and_disorder(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct network *n = network_of(&plan, false);

		n->random = seed;
		n->loss = 0.1;
		n->twice = 0.05;
		n->late = 0.2;
		network_finish(n, 15 * NP_SECOND);
		counts_are_right(n, 1000);
		assert_true(n->lost[0][3] > 10);
		assert_true(host_row(&n->host[1], 3, 0)->duplicates > 5);
		assert_true(host_row(&n->host[1], 3, 0)->reordered > 5);
		assert_int_equal(host_row(&n->host[1], 1, 1)->lost, 0);
		network_free(n);
	}
}

static void thirty_two_with_loss(void **state)
{
	struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n;

	(void)state;
	plan.members = 32;
	plan.senders = 4;
	plan.window_bytes *= 2;
	n = network_of(&plan, false);
	n->loss = 0.02;
	n->twice = 0.01;
	n->late = 0.1;
	network_finish(n, 20 * NP_SECOND);
	counts_are_right(n, 1000);
	network_free(n);
}

/* For less than the limit: what was under way is lost, nobody is. */
static void a_cut_that_heals(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, 5 * NP_SECOND);
	network_cut(n, 2, false);
	network_finish(n, 12 * NP_SECOND);
	counts_are_right(n, 2000);
	assert_true(n->lost[0][3] > 10);
	host_told(&n->host[0], "held-up");
	network_free(n);
}

static void a_cut(np_time heals, np_time limit)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	network_run(n, 2 * NP_SECOND);
	network_cut(n, 2, true);
	network_run(n, heals);
	network_cut(n, 2, false);
	network_finish(n, limit);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 1);
		for (unsigned j = 0; j < 4; j++) {
			bool here = i / 2 == j / 2;

			assert_int_equal(host_member(&n->host[i], j)->reported, here);
			assert_int_equal(host_member(&n->host[i], j)->fate == FATE_STAYED, here);
		}
	}
	complete_rows(&n->host[0], 1, 2000);
	assert_in_range(host_row(&n->host[3], 2, 1)->received, 100, 1999);
	network_free(n);
}

static void a_cut_for_good_and_one_healed_too_late(void **state)
{
	(void)state;
	a_cut(30 * NP_SECOND, 30 * NP_SECOND);
	a_cut(8 * NP_SECOND, 16 * NP_SECOND);
}

/* Host 3 hears nobody any more, but is heard. */
static void a_cut_in_one_direction(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++)
		n->cut[i][3] = true;
	network_finish(n, 20 * NP_SECOND);
	for (unsigned i = 0; i < 3; i++) {
		host_status(&n->host[i], 0);
		complete_rows(&n->host[i], 2, 2000);
		/* It had not heard how many, and yet it is known. */
		assert_false(host_row(&n->host[i], 3, 0)->ended);
		assert_int_equal(host_row(&n->host[i], 3, 0)->expected, 2000);
		assert_in_range(host_row(&n->host[i], 3, 0)->lost, 1000, 1900);
		assert_true(result_worst_loss(member_result(n->host[i].member)) > 50);
	}
	host_status(&n->host[3], 1);
	host_told(&n->host[3], "given-up 10.0.0.1:7800 0 silent for 5 s");
	network_free(n);
}

/* Stopped, and going on: for short it is waited for; for long it learns that it is out. */
static void a_stopped_member(np_time until, int status, np_time limit)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	network_run(n, 2 * NP_SECOND);
	n->host[3].stopped = true;
	network_run(n, until);
	n->host[3].stopped = false;
	network_finish(n, limit);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], status);
	for (unsigned i = 0; i < 3 && status; i++) {
		host_told(&n->host[i], "given-up 10.0.0.4:7800");
		assert_true(host_member(&n->host[i], 0)->fate == FATE_STAYED);
	}
	if (status)
		host_told(&n->host[3], "it has given this member up");
	else
		complete_rows(&n->host[0], 3, 2000);
	network_free(n);
}

static void stopped_for_short_and_for_long(void **state)
{
	(void)state;
	a_stopped_member(5 * NP_SECOND, 0, 12 * NP_SECOND);
	a_stopped_member(8 * NP_SECOND, 1, 16 * NP_SECOND);
}

static bool lose_grants_of_3(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	return data[1] == 0x40 + MESSAGE_GRANT && from == 3 && to != 3 &&
	       n->now > EPOCH + 2 * NP_SECOND;
}

static void a_member_that_grants_nothing(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	(void)state;
	n->drop = lose_grants_of_3;
	network_finish(n, 20 * NP_SECOND);
	for (unsigned i = 0; i < 2; i++) {
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "held-up 10.0.0.4:7800");
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it took nothing for 5 s");
		complete_rows(&n->host[i], 2, 2000);
	}
	network_free(n);
}

/* The younger goes and names what differs; the older ones name it and wait on. */
static void another_configuration(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *wrong = &n->host[3];

	(void)state;
	wrong->plan.payload = 21;
	network_run(n, 3 * NP_SECOND);
	assert_true(wrong->ended && wrong->ended < NP_SECOND);
	host_failed(wrong, "msg_size", "21 here, 20 at 10.0.0.1:7800");
	host_told(&n->host[0], "refused 10.0.0.4:7800 0 its msg_size is 21, ours is 20");
	/* Started anew with the right one it is let in. */
	member_free(wrong->member);
	wrong->member = NULL;
	wrong->plan.payload = 20;
	wrong->plan.instance++;
	wrong->there = false;
	wrong->ended = 0;
	network_finish(n, 6 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		host_status(&n->host[i], 0);
	network_free(n);
}

/* It hears what makes it go before it has said a word: the others still learn who it was. */
static void who_goes_at_once_says_who_it_was(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);
	struct host *wrong = &n->host[3];
	struct message_hello hello = {.begun = 1, .setting = {1000, 20, 4, 2, 0, 1, 0, 1}};
	struct message_head head = {.number = 1001};
	uint8_t wire[200];

	(void)state;
	wrong->starts += NP_SECOND;
	wrong->plan.payload = 21;
	network_run(n, NP_SECOND);
	n->now = wrong->starts;
	host_start(wrong);
	host_forge(wrong, 0, wire, message_hello_encode(wire, &head, &hello));
	network_run(n, 2 * NP_SECOND);
	host_failed(wrong, "msg_size", "21 here, 20 at 10.0.0.1:7800");
	host_told(&n->host[0], "refused 10.0.0.4:7800 0 its msg_size is 21, ours is 20");
	network_free(n);
}

static void every_setting_is_compared(void **state)
{
	static const char *const texts[] = {"num_msgs", "msg_size", "num_members",   "--duration",
					    "--repeat", "--warmup", "--flow-control"};
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);

	(void)state;
	for (unsigned i = 0; i < 7; i++) {
		struct network *n = network_of(&plan, false);
		struct member_plan *p = &n->host[3].plan;
		struct fault fault;

		p->messages += i == 0;
		p->payload += i == 1;
		p->members += i == 2;
		p->duration = i == 3 ? NP_SECOND : 0;
		p->runs += i == 4;
		p->warmup += i == 5;
		p->credit = i != 6;
		network_run(n, NP_SECOND);
		host_status(&n->host[3], 2);
		member_status(n->host[3].member, &fault);
		assert_string_equal(fault.object, texts[i]);
		network_free(n);
	}
}

static void another_number_of_senders(unsigned senders, const char *reason)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	for (unsigned i = 0; i < 4; i++)
		n->host[i].plan.sender = i < senders;
	network_finish(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		host_status(&n->host[i], 2);
		assert_int_equal(n->host[i].sent_messages, 0);
	}
	host_failed(&n->host[0], "num_senders", reason);
	network_free(n);
}

static void senders_other_than_num_senders(void **state)
{
	(void)state;
	another_number_of_senders(
		3, "2, but 3 of the 4 members send: 10.0.0.1:7800, 10.0.0.2:7800, 10.0.0.3:7800");
	another_number_of_senders(1, "2, but 1 of the 4 members send: 10.0.0.1:7800");
	another_number_of_senders(0, "2, but 0 of the 4 members send");
}

/* In the run: its old self is given up, its new one kept out. */
static void started_anew_in_the_run(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);
	struct host *h = &n->host[3];

	(void)state;
	network_run(n, 2 * NP_SECOND);
	member_free(h->member);
	h->plan.instance++;
	h->there = false;
	network_finish(n, 8 * NP_SECOND);
	host_failed(h, "", "begun without this member");
	for (unsigned i = 0; i < 3; i++) {
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "given-up 10.0.0.4:7800 0 it was started anew");
		complete_rows(&n->host[i], 2, 2000);
	}
	network_free(n);
}

static void an_interrupted_member(unsigned who, np_time limit)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);
	const struct host *h = &n->host[who];

	network_run(n, 2 * NP_SECOND);
	member_stop(h->member, n->now);
	network_finish(n, limit);
	assert_in_range(h->ended, 2 * NP_SECOND, 3 * NP_SECOND);
	host_status(h, 0);
	assert_int_equal(h->results, 1);
	assert_true(member_result(h->member)->interrupted);
	assert_in_range(host_row(h, who, 0)->received, 100, 1999);
	for (unsigned i = 0; i < 4; i++) {
		if (i == who)
			continue;
		host_status(&n->host[i], 1);
		host_told(&n->host[i], "interrupted by its user");
		assert_int_equal(host_member(&n->host[i], who)->fate, FATE_QUIT);
		assert_true(host_member(&n->host[i], who)->reported);
		assert_int_equal(host_row(&n->host[i], 3, 1)->received, 2000);
	}
	if (who == 0) {
		assert_true(host_row(&n->host[1], 2, 0)->exact);
		assert_int_equal(host_row(&n->host[1], 2, 0)->expected, h->sent_messages);
	}
	network_free(n);
}

static void users_interrupt(void **state)
{
	(void)state;
	an_interrupted_member(0, 7 * NP_SECOND);
	an_interrupted_member(2, 7 * NP_SECOND);
}

static void interrupted_while_joining(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 2;
	network_run(n, NP_SECOND);
	member_stop(n->host[0].member, n->now);
	network_run(n, 2 * NP_SECOND);
	host_failed(&n->host[0], "group", "interrupted with 2 of 4 members there");
	assert_true(n->host[0].ended && !n->host[1].ended);
	member_stop(n->host[1].member, n->now);
	member_stop(n->host[1].member, n->now);
	assert_true(member_finished(n->host[1].member));
	network_free(n);
}

/* All at once, as by Ctrl-C in a terminal. */
static void all_are_interrupted(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	(void)state;
	network_run(n, 2 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++)
		member_stop(n->host[i].member, n->now);
	network_finish(n, 3 * NP_SECOND);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(n->host[i].results, 1);
		assert_in_range(host_row(&n->host[i], i, 0)->received, 100, 1999);
	}
	network_free(n);
}

static const uint8_t java_req[14] = {2, 1};

/* Once is an accident; a Java group goes on talking. */
static void met_a_java_group(void **state)
{
	const struct member_plan plan = group_plan(PROTOCOL_NATIVE);
	struct network *n = network_of(&plan, false);

	(void)state;
	n->hosts = 2;
	network_run(n, NP_SECOND);
	host_forge(&n->host[0], 30, java_req, sizeof(java_req));
	network_run(n, 2 * NP_SECOND);
	assert_false(n->host[0].ended);
	host_told(&n->host[0], "met 10.0.0.31:7800 0 the protocol of JGroups");
	host_forge(&n->host[0], 30, java_req, sizeof(java_req));
	network_run(n, 3 * NP_SECOND);
	host_failed(&n->host[0], "10.0.0.31:7800", "speaks the protocol of JGroups");
	assert_false(n->host[1].ended);
	assert_int_equal(member_hostile(n->host[0].member), 2);
	network_free(n);
}

/* Those who run already do not mind. */
static void a_java_member_comes_late(void **state)
{
	struct member_plan plan = long_plan();
	struct network *n = network_of(&plan, false);

	(void)state;
	for (unsigned i = 2; i < 5; i++) {
		network_run(n, i * NP_SECOND);
		for (unsigned h = 0; h < 4; h++)
			host_forge(&n->host[h], 30, java_req, sizeof(java_req));
	}
	network_finish(n, 7 * NP_SECOND);
	counts_are_right(n, 2000);
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

static void hostile_messages_cost_a_count(void **state)
{
	struct member_plan plan = long_plan();
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
	counts_are_right(n, 2000);
	assert_true(member_hostile(n->host[0].member) > 1000);
	network_free(n);
}

/* By the group's tag, too: a number that nobody sent adds no loss. */
static void a_forged_number_is_stray(void **state)
{
	struct member_plan plan = long_plan();
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
	counts_are_right(n, 2000);
	assert_int_equal(host_row(&n->host[1], 3, 0)->stray, 2);
	network_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_member_that_never_comes),
		cmocka_unit_test(nobody_at_all),
		cmocka_unit_test(a_late_member_is_waited_for),
		cmocka_unit_test(a_member_that_joins_twice),
		cmocka_unit_test(one_too_many_at_once),
		cmocka_unit_test(one_too_many_in_the_run),
		cmocka_unit_test(five_for_four_with_loss),
		cmocka_unit_test(a_receiver_is_killed),
		cmocka_unit_test(a_sender_is_killed),
		cmocka_unit_test(the_sole_sender_is_killed),
		cmocka_unit_test(killed_between_runs),
		cmocka_unit_test(lost_start),
		cmocka_unit_test(start_that_never_comes),
		cmocka_unit_test(data_says_that_all_are_ready),
		cmocka_unit_test(lost_results),
		cmocka_unit_test(results_that_never_come),
		cmocka_unit_test(loss_doubling_and_disorder),
		cmocka_unit_test(thirty_two_with_loss),
		cmocka_unit_test(a_cut_that_heals),
		cmocka_unit_test(a_cut_for_good_and_one_healed_too_late),
		cmocka_unit_test(a_cut_in_one_direction),
		cmocka_unit_test(stopped_for_short_and_for_long),
		cmocka_unit_test(a_member_that_grants_nothing),
		cmocka_unit_test(another_configuration),
		cmocka_unit_test(who_goes_at_once_says_who_it_was),
		cmocka_unit_test(every_setting_is_compared),
		cmocka_unit_test(senders_other_than_num_senders),
		cmocka_unit_test(started_anew_in_the_run),
		cmocka_unit_test(users_interrupt),
		cmocka_unit_test(interrupted_while_joining),
		cmocka_unit_test(all_are_interrupted),
		cmocka_unit_test(met_a_java_group),
		cmocka_unit_test(a_java_member_comes_late),
		cmocka_unit_test(hostile_messages_cost_a_count),
		cmocka_unit_test(a_forged_number_is_stray),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
