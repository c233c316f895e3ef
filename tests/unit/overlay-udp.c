// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-udp: datagrams of a node: what waits when the kernel refuses them, in which order, until
 * when, and what is gathered for one call. */
#include "overlay_udp.h"

/* A full transmit queue is asked again after a while, not before. */
static void full_queue(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;
	np_time before, due;

	(void)state;
	open_end(&e);
	assert_true(s->face->deadline(s) == NP_TIME_NEVER);
	assert_true(s->face->room(s, &e.peer) && s->face->idle(s));
	refuse(ENOBUFS, 0);
	before = np_clock_now();
	assert_int_equal(say(&e, OVERLAY_OWN), 0);
	due = s->face->deadline(s);
	assert_in_range(due, before + RETRY, np_clock_now() + RETRY);
	assert_false(s->face->room(s, &e.peer) || s->face->idle(s));
	assert_false(overlay_substrate_poll(s).events & POLLOUT);
	calls = 0;
	assert_int_equal(say(&e, OVERLAY_PROTOCOL), 0); /* behind it */
	assert_int_equal(calls, 0);
	assert_int_equal(waiting(&e).own, 1);
	assert_int_equal(waiting(&e).protocol, 1);
	refuse(0, 0);
	s->face->turn(s, 64, due - 1);
	assert_int_equal(calls, 0);
	s->face->turn(s, 64, due);
	assert_int_equal(calls, 2);
	assert_true(s->face->deadline(s) == NP_TIME_NEVER);
	assert_true(s->face->room(s, &e.peer) && s->face->idle(s));
	assert_int_equal(waiting(&e).own + waiting(&e).protocol, 0);
	assert_int_equal(s->counts.sent.own, 1);
	assert_int_equal(s->counts.sent.protocol, 1);
	assert_int_equal(s->counts.sent_bytes, 2);
	assert_int_equal(s->counts.last_error, 0);
	all_arrive(&e);
	close_end(&e);
}

/* Of a full socket the kernel tells when it has room, by either descriptor. */
static void full_socket(void **state)
{
	(void)state;
	for (unsigned indirect = 0; indirect < 2; indirect++) {
		struct end e;
		struct overlay_substrate *s = &e.substrate;
		struct pollfd poll;

		open_end(&e);
		if (indirect)
			assert_true(overlay_substrate_fd(s) >= 0);
		poll = overlay_substrate_poll(s);
		assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
		refuse(EAGAIN, 0);
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
		assert_int_equal(say(&e, OVERLAY_FORWARDED), 0);
		assert_true(s->face->deadline(s) == NP_TIME_NEVER);
		poll = overlay_substrate_poll(s);
		assert_int_equal(np_wait_ready(&poll, 1, np_clock_now() + LIMIT), 1);
		s->face->turn(s, 64, np_clock_now());
		assert_int_equal(waiting(&e).own + waiting(&e).forwarded, 2);
		refuse(0, 0);
		s->face->turn(s, 64, np_clock_now());
		assert_true(s->face->idle(s));
		poll = overlay_substrate_poll(s);
		assert_int_equal(np_wait_ready(&poll, 1, 0), 0);
		all_arrive(&e);
		close_end(&e);
	}
}

/* The queue is bounded, but for own messages; one that is refused there lets the next one go. */
static void queue(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;

	(void)state;
	open_end(&e);
	refuse(EAGAIN, 0);
	for (unsigned i = 0; i < BATCH; i++)
		assert_int_equal(say(&e, OVERLAY_FORWARDED), 0);
	assert_int_equal(say(&e, OVERLAY_FORWARDED), -EAGAIN);
	assert_int_equal(s->counts.no_room.forwarded, 1);
	assert_int_equal(say(&e, OVERLAY_OWN), 0);
	refuse(ENETUNREACH, 0);
	s->face->turn(s, 64, np_clock_now());
	assert_int_equal(s->counts.refused.forwarded, BATCH);
	assert_int_equal(s->counts.refused.own, 1);
	assert_int_equal(s->counts.last_error, -ENETUNREACH);
	assert_true(s->face->idle(s));
	assert_int_equal(say(&e, OVERLAY_OWN), -ENETUNREACH);
	assert_int_equal(s->counts.refused.own, 2);
	assert_int_equal(s->counts.sent.own + s->counts.sent.forwarded, 0);
	close_end(&e);
}

/* Own messages of a gathering: the first by itself, the others at its end, by a few calls, in the
 * queue when the kernel takes none, and by one call each where they would not fit into that. */
static void gathering(void **state)
{
	struct overlay_substrate_plan plan = plan_of();
	struct end e;
	struct overlay_substrate *s = &e.substrate;

	(void)state;
	for (unsigned small = 0; small < 2; small++) {
		plan.message_buffer = BATCH - small;
		open_plan(&e, &plan);
		calls = 0;
		s->face->gather(s, true);
		for (unsigned i = 1; i <= 10; i++) {
			assert_int_equal(say(&e, OVERLAY_OWN), 0);
			assert_int_equal(calls, small ? i : 1);
		}
		s->face->gather(s, false);
		assert_in_range(calls, small ? 10 : 2, small ? 10 : 9);
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
		assert_int_equal(s->counts.sent.own, 11);
		all_arrive(&e);
		/* The kernel takes but the first. */
		refuse(EAGAIN, 1);
		s->face->gather(s, true);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(say(&e, OVERLAY_OWN), 0);
		s->face->gather(s, false);
		assert_int_equal(waiting(&e).own, 39);
		refuse(0, 0);
		s->face->turn(s, 64, np_clock_now());
		assert_int_equal(s->counts.sent.own, 51);
		assert_int_equal(s->counts.sent_bytes, 51);
		all_arrive(&e);
		close_end(&e);
	}
}

/* An error of the kernel ends none of those that are gathered unseen. */
static void gathered_and_refused(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;

	(void)state;
	open_end(&e);
	refuse(ENETUNREACH, 1);
	s->face->gather(s, true);
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
	s->face->gather(s, false);
	assert_int_equal(s->counts.sent.own, 1);
	assert_int_equal(s->counts.refused.own, 39);
	assert_int_equal(s->counts.last_error, -ENETUNREACH);
	e.sent = 1;
	all_arrive(&e);
	close_end(&e);
}

/* Once a message waits the others do, too, to whomever they go, without a call for each. */
static void gathered_behind(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;
	unsigned before;

	(void)state;
	open_end(&e);
	e.second = overlay_address_ipv4(0x7f000001, 9, REALM);
	e.forwards = 5;
	hear(&e, 5);
	refuse(EAGAIN, 0);
	before = calls;
	s->face->turn(s, 64, np_clock_now());
	assert_int_equal(calls, before + 2);
	assert_int_equal(waiting(&e).forwarded, 10);
	close_end(&e);
}

/* Whether a shaper splits buffers is asked for what is forwarded, once in a second. */
static void shapers(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;
	const np_time first = np_clock_now();
	const np_time times[] = {first, first + NP_SECOND - 1, first + NP_SECOND,
				 first + 2 * NP_SECOND - 1, first + 2 * NP_SECOND};

	(void)state;
	open_end(&e);
	e.forwards = 5;
	looks = 0;
	for (unsigned i = 0; i < 5; i++) {
		hear(&e, 5);
		s->face->turn(s, 64, times[i]);
		assert_int_equal(e.taken, i + 1);
		assert_int_equal(looks, 1 + i / 2);
	}
	close_end(&e);
}

/* A message that is not gathered does not overtake those that are. */
static void order(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;

	(void)state;
	open_end(&e);
	s->face->gather(s, true);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
	assert_int_equal(say(&e, OVERLAY_PROTOCOL), 0);
	assert_int_equal(s->counts.sent.own, 5);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(say(&e, OVERLAY_OWN), 0);
	s->face->gather(s, false);
	all_arrive(&e);
	/* Too long to be gathered, so that the kernel judges it. */
	s->face->gather(s, true);
	assert_int_equal(say(&e, OVERLAY_OWN), 0);
	{
		static const uint8_t data[70000];

		assert_int_equal(s->face->send(s, &e.peer, data, sizeof(data), OVERLAY_OWN),
				 -EMSGSIZE);
		assert_int_equal(s->face->send(s, NULL, data, 1, OVERLAY_OWN), -EDESTADDRREQ);
	}
	s->face->gather(s, false);
	assert_int_equal(s->counts.refused.own, 2);
	all_arrive(&e);
	close_end(&e);
}

/* What is forwarded goes by few calls, unless a queue was full less than a second ago. */
static void forwarding(void **state)
{
	struct end e;
	struct overlay_substrate *s = &e.substrate;
	uint8_t data[16];
	np_time crowded;

	(void)state;
	open_end(&e);
	e.forwards = 10;
	hear(&e, 5);
	calls = 0;
	s->face->turn(s, 64, np_clock_now());
	assert_int_equal(e.taken, 1);
	assert_in_range(calls, 1, 9); /* gathered */
	refuse(ENOBUFS, 0);
	assert_int_equal(s->face->send(s, &e.peer, "x", 1, OVERLAY_PROTOCOL), 0);
	refuse(0, 0);
	crowded = s->face->deadline(s) + NP_SECOND;
	s->face->turn(s, 64, s->face->deadline(s));
	for (unsigned i = 0; i < 2; i++) {
		hear(&e, 5);
		calls = 0;
		s->face->turn(s, 64, crowded - 1 + i);
		assert_int_equal(e.taken, 2 + i);
		assert_int_equal(calls == 10, !i);
	}
	assert_int_equal(s->counts.sent.forwarded, 30);
	assert_int_equal(s->counts.sent.protocol, 1);
	for (unsigned i = 0; i < 31; i++)
		assert_int_equal(recv(e.fd, data, sizeof(data), 0), i == 10 ? 1 : 5);
	close_end(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_queue),
		cmocka_unit_test(full_socket),
		cmocka_unit_test(queue),
		cmocka_unit_test(gathering),
		cmocka_unit_test(gathered_and_refused),
		cmocka_unit_test(gathered_behind),
		cmocka_unit_test(shapers),
		cmocka_unit_test(order),
		cmocka_unit_test(forwarding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
