// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a sender's DATA carry and when they go, to the millisecond: rate, duration, want of room,
 * acknowledgements.
 */
#include "support/ttcp_end.h"
#include "support/unit.h"

static void take_ack(struct end *d, uint64_t number, np_time sent)
{
	struct message m = answer_of(MESSAGE_ACK);

	m.number = number;
	m.time = sent + SENDER_AHEAD;
	m.ack.received = sent + RECEIVER_AHEAD;
	m.ack.data_size = DATA_BYTES;
	take_from(d, &d->one, &m);
}

/* Their numbers, their stamps, their rate, and how many. */
TEST(data)
{
	struct end *d = SENDER(.datagrams = true, .lanes = LANES, .batch = DATA_BATCH);

	contact(d);
	assert_int_equal(push_now(d), 1);
	assert_int_equal(d->pushed, 1);
	assert_int_equal(d->data.number, 0);
	assert_int_equal(d->data.stream, 0);
	assert_int_equal(d->data.session, ID);
	assert_int_equal(d->data.time, d->now + 7 * NP_SECOND);
	/* One a millisecond, of both lanes; those that are late come together. */
	d->now += 3 * MS;
	assert_int_equal(push_now(d), 1);
	assert_int_equal(sender_messages(d->sender), 4);
	assert_int_equal(d->sender->run.pacer.worst_behind, 2 * MS);
	assert_int_equal(sender_rest(d->sender, d->now, d->now + NP_SECOND), d->now + MS);
	assert_int_equal(push_now(d), 0);
	send_all(d);
	assert_int_equal(d->pushed, 20);
	assert_int_equal(sender_messages(d->sender), 20);
	assert_int_equal(d->sender->lane[0].number, 10);
	assert_int_equal(d->sender->lane[1].number, 10);
	assert_int_equal(d->sender->run.last, d->now);
}

/* A stream that takes nothing holds up no other. */
TEST(one_idle_stream)
{
	struct end *d = SENDER(.lanes = LANES);

	contact(d);
	d->idle = true;
	assert_int_equal(push_now(d), 0);
	assert_int_equal(sender_rest(d->sender, d->now, d->now + 20 * MS), d->now + MS);
	for (unsigned i = 0; i < 100; i++) {
		d->now += MS;
		assert_in_range(push_now(d), 0, 1);
	}
	assert_int_equal(d->pushed, 10);
	assert_int_equal(sender_messages(d->sender), 10);
	assert_false(sender_sent(d->sender, d->now));
	d->idle = false;
	send_all(d);
	assert_int_equal(sender_messages(d->sender), 20);
}

/* Nothing goes at or behind the end of the duration; how long a sender may sleep until then. */
TEST(durations)
{
	struct end *d;
	np_time begun;

	for (unsigned kbps = 0; kbps <= 4; kbps += 4) {
		d = SENDER(.datagrams = true, .duration = 256 * MS);
		sender_begin(d->sender, 1, 1000 * (double)kbps);
		sender_contact(d->sender, d->now);
		contact(d);
		begun = d->now;
		/* Greedy ones need not sleep at all; at 4 kbps 64 bytes take 128 ms. */
		assert_int_equal(sender_rest(d->sender, d->now, d->now + 20 * MS),
				 kbps ? d->now : d->now + 20 * MS);
		assert_int_equal(push_now(d), 1);
		d->now = begun + 250 * MS;
		assert_int_equal(push_now(d), 1);
		assert_int_equal(sender_rest(d->sender, d->now, d->now + 20 * MS),
				 begun + 256 * MS);
		d->now = begun + 256 * MS;
		assert_int_equal(push_now(d), 0);
		assert_true(sender_sent(d->sender, d->now));
		/* The next one was due with the end, and so not before it. */
		d->now = begun + 900 * MS;
		sender_end(d->sender, d->now);
		assert_int_equal(d->sender->run.pacer.worst_behind, kbps ? 122 * MS : 0);
	}
	/* All that were wanted went: the end of the duration means nothing. */
	d = SENDER(.datagrams = true, .duration = 256 * MS, .messages = 3);
	contact(d);
	send_all(d);
	assert_int_equal(d->pushed, 3);
	d->now += NP_SECOND;
	sender_end(d->sender, d->now);
	assert_true(d->sender->run.pacer.worst_behind <= MS);
}

/* A lane without room keeps what it has; 20 s without any, 2 s once the user wants to stop. */
TEST(no_room)
{
	for (unsigned stops = 0; stops < 2; stops++) {
		struct end *d = SENDER(.datagrams = false);
		const np_time limit = stops ? 2 * NP_SECOND : 20 * NP_SECOND;

		contact(d);
		d->full = true;
		assert_int_equal(push_now(d), 0);
		assert_int_equal(sender_messages(d->sender), 0);
		d->session.interrupts = stops;
		assert_false(sender_sent(d->sender, d->now));
		assert_false(sender_stalled(d->sender, d->now + limit - MS));
		/* The other kernel takes what it has. */
		d->left = 1000;
		assert_true(sender_moves(d->sender, d->now + limit - MS, limit));
		d->left = 500;
		assert_false(sender_stalled(d->sender, d->now + limit + MS));
		assert_false(sender_stalled(d->sender, d->now + 2 * limit));
		assert_true(sender_stalled(d->sender, d->now + 2 * limit + 2 * MS));
		d->full = false;
		assert_int_equal(push_now(d), 1);
		assert_int_equal(sender_messages(d->sender), 1);
		assert_false(sender_stalled(d->sender, d->now + 2 * limit));
	}
}

/* One at a time; an ACK that does not come within a second holds datagrams up no longer. */
TEST(ping_pong)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct end *d = SENDER(.datagrams = datagrams, .ping_pong = true, .acks = true);
		np_time sent;

		contact(d);
		sent = d->now;
		assert_int_equal(push_now(d), 1);
		/* Meanwhile what is due next is no reason to wake up. */
		assert_int_equal(sender_rest(d->sender, sent, sent + 20 * MS), sent + 20 * MS);
		pass(d, 5 * MS);
		assert_int_equal(push_now(d), 0);
		take_ack(d, 0, sent);
		assert_int_equal(d->sender->receivers.acks, 1);
		assert_true(d->sender->receivers.rtt_sum == 5 * MS);
		assert_int_equal(sender_rest(d->sender, d->now, d->now + 20 * MS), sent + MS);
		/* Again, one that was never sent, and one of another stream: they do not count. */
		take_ack(d, 0, sent);
		take_ack(d, 1, sent);
		assert_int_equal(d->sender->receivers.acks, 1);
		sent = d->now;
		assert_int_equal(push_now(d), 1);
		(void)sender_rest(d->sender, sent + 999 * MS, NP_TIME_NEVER);
		assert_int_equal(push_at(d, sent + 999 * MS), 0);
		(void)sender_rest(d->sender, sent + 1000 * MS, NP_TIME_NEVER);
		assert_int_equal(push_at(d, sent + 1000 * MS), datagrams);
		assert_int_equal(sender_stalled(d->sender, sent + 20 * NP_SECOND), !datagrams);
	}
}

/*
 * Who asked for datagrams and falls silent is given up; but by the thread that hears him, not by
 * those that only push.
 */
TEST(silent_who_asked)
{
	struct end *d = SENDER(.datagrams = true, .duration = NP_SECOND);
	struct sender_part part = {.index = 1};
	np_time limit;

	contact(d);
	d->session.of = &d->session;
	limit = d->sender->progress.heard + d->sender->run.start.timeout_ms * MS;
	assert_false(sender_stalled(d->sender, limit - 1));
	assert_true(sender_stalled(d->sender, limit));
	d->sender->part = &part;
	assert_false(sender_stalled(d->sender, limit));
}

/* The last ACKs are waited for behind the report. */
TEST(last_acks)
{
	struct end *d = SENDER(.acks = true, .messages = 2);

	run_to_end(d);
	take_report(d, &d->one);
	take_ack(d, 0, d->now);
	assert_int_equal(phase_after(d, 250 * MS), SENDER_ENDING);
	take_ack(d, 1, d->now);
	assert_int_equal(phase_after(d, 250 * MS), SENDER_DONE);
}

/* A slow way has its time: four times what the slowest ACK took. */
TEST(slow_ping_pong)
{
	struct end *d = SENDER(.datagrams = true, .ping_pong = true, .acks = true);
	np_time sent;

	contact(d);
	sent = d->now;
	assert_int_equal(push_now(d), 1);
	d->now += 900 * MS;
	take_ack(d, 0, sent);
	sent = d->now;
	assert_int_equal(push_now(d), 1);
	d->now = sent + 3500 * MS;
	(void)sender_rest(d->sender, d->now, NP_TIME_NEVER);
	assert_int_equal(push_now(d), 0);
	d->now = sent + 3700 * MS;
	(void)sender_rest(d->sender, d->now, NP_TIME_NEVER);
	assert_int_equal(push_now(d), 1);
}

/* Each lane has its own ACK to wait for, and to wait for no longer. */
TEST(ping_pong_on_lanes)
{
	struct end *d = SENDER(.datagrams = true, .ping_pong = true, .acks = true, .lanes = LANES);

	sender_begin(d->sender, 1, 0);
	sender_contact(d->sender, d->now);
	contact(d);
	assert_int_equal(push_now(d), 1);
	assert_int_equal(sender_messages(d->sender), LANES);
	assert_int_equal(push_now(d), 0);
	d->now += NP_SECOND;
	(void)sender_rest(d->sender, d->now, NP_TIME_NEVER);
	assert_int_equal(push_now(d), 1);
	assert_int_equal(sender_messages(d->sender), 2 * LANES);
}

/* Only where it is true: busy all the time, nothing else the limit, and messages that could be
 * larger. */
TEST(the_processor_is_the_limit)
{
	const struct np_usage busy = {.user = 100 * MS, .system = 850 * MS};
	const struct np_usage idle = {.user = 100 * MS, .system = 700 * MS};
	struct load_options load = {.message_bytes = 512};
	struct np_block_tcp tcp = {.known = true, .figures = {.parts = NP_STREAM_TCP_NEW}};

	assert_true(account_processor_limits(&load, &busy, NP_SECOND, &tcp));
	assert_false(account_processor_limits(&load, &idle, NP_SECOND, &tcp));
	assert_false(account_processor_limits(&load, &busy, 2 * NP_SECOND, &tcp));
	assert_false(account_processor_limits(&load, &busy, 50 * MS, &tcp));
	tcp.figures.receive_window_limited = 60 * MS;
	assert_true(account_processor_limits(&load, &busy, NP_SECOND, &tcp));
	tcp.figures.send_buffer_limited = 60 * MS;
	assert_false(account_processor_limits(&load, &busy, NP_SECOND, &tcp));
	tcp.figures.receive_window_limited = 0;
	tcp.known = false;
	assert_false(account_processor_limits(&load, &busy, NP_SECOND, &tcp));
	tcp.known = true;
	load.rate_bits = 1000;
	assert_false(account_processor_limits(&load, &busy, NP_SECOND, &tcp));
	load = (struct load_options){.message_bytes = 131072};
	assert_false(account_processor_limits(&load, &busy, NP_SECOND, &tcp));
}

/* After the warm-up only an answer to a later START counts, and the numbers begin again. */
TEST(warm_up)
{
	struct end *d = SENDER(.datagrams = true, .lanes = LANES, .batch = DATA_BATCH);
	struct sender *s = d->sender;

	contact(d);
	s->flags |= MESSAGE_WARM_UP;
	sender_start(s, d->now);
	s->run.deadline = d->now + 10 * MS;
	assert_int_equal(push_now(d), 1);
	assert_true(d->data.flags & MESSAGE_WARM_UP);
	send_all(d);
	assert_true(sender_messages(s) > 0);
	d->now += MS;
	d->last_at = d->now - MS;
	sender_warmed_up(s, d->now);
	d->last_at = d->now - MS;
	for (unsigned i = 0; i < LANES; i++)
		take_ok(d, &d->one, i);
	assert_int_equal(phase_after(d, NP_SECOND), SENDER_CONTACT);
	assert_true(d->last.type == MESSAGE_START && !(d->last.flags & MESSAGE_WARM_UP));
	for (unsigned i = 0; i < LANES; i++)
		take_ok(d, &d->one, i);
	/* Without the pause. */
	assert_int_equal(phase_after(d, 600 * MS), SENDER_SENDING);
	assert_int_equal(sender_messages(s), 0);
	sender_start(s, d->now);
	assert_int_equal(push_now(d), 1);
	assert_true(d->data.number == 0 && !d->data.flags);
}
