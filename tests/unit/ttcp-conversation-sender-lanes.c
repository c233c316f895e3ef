// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A sender of several streams: what one of them does or lacks is not taken for all. */
#include "support/ttcp_sender_desk.h"

#include <errno.h>

static void take_ack(struct desk *d, unsigned lane)
{
	struct message m = answer_of(MESSAGE_ACK);

	m.stream = (uint16_t)lane;
	m.time = d->now + 7 * NP_SECOND;
	m.ack.received = d->now + 12 * NP_SECOND;
	take_from(d, &d->one, &m);
}

/* Whichever stream it is that still waits for its acknowledgement, the sender may stall. */
static void any_stream_may_stall(void **state)
{
	struct sender_plan plan = plan_of(false);

	(void)state;
	plan.ping_pong = plan.acks = true;
	plan.lanes = LANES;
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct desk *d = desk_of(&plan);
		np_time now;

		sender_begin(d->sender, 1, 0);
		sender_contact(d->sender, d->now);
		contact(d);
		now = d->now;
		assert_int_equal(sender_push(d->sender, &now), 1);
		assert_int_equal(d->pushed, LANES);
		take_ack(d, lane);
		assert_true(sender_stalled(d->sender, d->now + 20 * NP_SECOND));
		take_ack(d, !lane);
		assert_false(sender_stalled(d->sender, d->now + 20 * NP_SECOND));
		desk_free(d);
	}
}

/* Whichever stream is not answered, the others do not answer for it. */
static void any_stream_may_be_unanswered(void **state)
{
	struct sender_plan plan = plan_of(false);

	(void)state;
	plan.lanes = LANES;
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct desk *d = desk_of(&plan);

		take_ok(d, &d->one, lane);
		pass(d, 4 * NP_SECOND);
		assert_int_equal(phase(d), SENDER_CONTACT);
		take_ok(d, &d->one, !lane);
		pass(d, 2 * MS);
		assert_int_equal(phase(d), SENDER_SENDING);
		desk_free(d);
	}
}

/* Whichever stream is closed before it is answered, it is connected again, and may be answered. */
static void any_stream_is_connected_again(void **state)
{
	struct sender_plan plan = plan_of(false);

	(void)state;
	plan.lanes = LANES;
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct desk *d = desk_of(&plan);

		d->sender->lane[lane].closed = true;
		sender_broke(d->sender, -ECONNRESET);
		sender_tick(d->sender, d->now);
		assert_int_equal(d->connects, 1);
		assert_false(d->sender->lane[lane].closed);
		contact(d);
		assert_int_equal(d->told[SENDER_FAILED], 0);
		desk_free(d);
	}
}

/* While messages move, the kernel is not asked what it still holds; later it is, each time. */
static void the_kernel_is_asked_late(void **state)
{
	struct desk *d = desk(false);
	unsigned before;
	np_time now;

	(void)state;
	contact(d);
	now = d->now;
	assert_int_equal(sender_push(d->sender, &now), 1);
	before = d->asked;
	assert_true(sender_moves(d->sender, d->now + 19 * MS, 2 * NP_SECOND));
	assert_int_equal(d->asked, before);
	assert_true(sender_moves(d->sender, d->now + NP_SECOND, 2 * NP_SECOND));
	assert_int_equal(d->asked, before + 1);
	desk_free(d);
}

/* A clock that was compared long after the first message is less certain at that one. */
static void bounds_of_a_late_comparison(void **state)
{
	struct desk *d = desk(true);

	(void)state;
	contact(d);
	send_all(d);
	d->last_at = d->now += 100 * NP_SECOND;
	take_ok(d, &d->one, 0);
	sender_end(d->sender, d->now);
	assert_int_equal(d->last.type, MESSAGE_END);
	assert_in_range(d->last.end.clock.bound, 10 * MS, 11 * MS);
	desk_free(d);
}

/* As many as there may be: each has its own number, and all do the same. */
static void as_many_as_there_may_be(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;

	(void)state;
	plan.lanes = MESSAGE_STREAMS_MAX;
	d = desk_of(&plan);
	assert_int_equal(d->last.flags, 0);
	contact(d);
	assert_int_equal(d->sender->receivers.count, 1);
	send_all(d);
	assert_int_equal(d->pushed, 10 * MESSAGE_STREAMS_MAX);
	sender_end(d->sender, d->now);
	assert_int_equal(d->said[MESSAGE_END], MESSAGE_STREAMS_MAX);
	assert_int_equal(d->last.flags, 0);
	assert_int_equal(d->last.stream, MESSAGE_STREAMS_MAX - 1);
	assert_int_equal(d->last.number, 10);
	take_report(d, &d->one);
	pass(d, NP_SECOND);
	assert_int_equal(phase(d), SENDER_DONE);
	sender_begin(d->sender, 2, 0);
	assert_int_equal(d->sender->receivers.count, 1);
	desk_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_stream_may_stall),
		cmocka_unit_test(any_stream_may_be_unanswered),
		cmocka_unit_test(any_stream_is_connected_again),
		cmocka_unit_test(the_kernel_is_asked_late),
		cmocka_unit_test(bounds_of_a_late_comparison),
		cmocka_unit_test(as_many_as_there_may_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
