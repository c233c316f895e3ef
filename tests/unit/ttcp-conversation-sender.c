// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a sender makes contact, to the millisecond: how often it asks, whom it believes, and what it
 * gives up when.
 */
#include "support/ttcp_end.h"
#include "support/unit.h"

/* Why there is no run, as the user is told; "": nobody knows. */
static void assert_why(const struct end *d, const char *start)
{
	const char *why = d->sender->run.why;

	assert_true(*start ? why && strstr(why, start) == why : !why);
}

static void take_verdict(struct end *d, enum message_verdict verdict)
{
	struct message m = answer_of(MESSAGE_START_OK);

	m.start_ok.verdict = (uint8_t)verdict;
	take_from(d, &d->one, &m);
}

TEST(unanswered)
{
	for (unsigned wait = 0; wait <= 10; wait += 5) {
		struct end *d =
			SENDER(.datagrams = true, .wait = wait * NP_SECOND, .no_wait = wait == 5);

		assert_int_equal(d->sent[MESSAGE_START], 1);
		pass(d, 95 * MS);
		assert_int_equal(d->sent[MESSAGE_START], 1);
		pass(d, 10 * MS);
		assert_int_equal(d->sent[MESSAGE_START], 2);
		assert_int_equal(phase_after(d, (wait > 3 ? wait : 3) * NP_SECOND - 106 * MS),
				 SENDER_CONTACT);
		assert_int_equal(phase_after(d, MS), SENDER_DONE);
		assert_true(d->sender->run.failed);
		assert_null(d->sender->run.why);
		assert_in_range(d->sent[MESSAGE_START], 28, wait > 3 ? wait * 10 + 1 : 31);
	}
}

/* Asked again and again, for the clocks' sake, for three seconds. */
TEST(answered)
{
	struct end *d = SENDER(.datagrams = true);

	assert_false(d->last.start.clock.known);
	assert_int_equal(d->last.start.proof, 0);
	assert_int_equal(d->last.start.messages, 10);
	assert_int_equal(d->last.start.message_bytes, DATA_BYTES);
	assert_int_equal(d->last.start.rate_bits, 8000 * DATA_BYTES);
	assert_int_equal(d->last.time, EPOCH + 7 * NP_SECOND);
	take_ok(d, &d->one, 0);
	pass(d, 105 * MS);
	assert_true(d->last.start.clock.known);
	assert_int_equal(d->last.start.clock.offset, 5 * NP_SECOND);
	assert_int_equal(d->last.start.proof, 4711);
	assert_int_equal(phase_after(d, 2890 * MS), SENDER_CONTACT);
	assert_in_range(d->sent[MESSAGE_START], 29, 31);
	assert_int_equal(phase_after(d, 10 * MS), SENDER_SENDING);
	assert_int_equal(d->sender->receivers.count, 1);
	assert_string_equal(d->sender->receivers.receiver[0].name, "somebody");
	assert_false(d->sender->receivers.receiver[0].joined_late);
	assert_true(d->sender->receivers.receiver[0].offset.known);
	assert_int_equal(d->sender->receivers.receiver[0].offset.offset, 5 * NP_SECOND);
}

/* Without the pause: a few quick exchanges, or half a second. */
TEST(quick)
{
	struct end *d = SENDER(.datagrams = true, .no_wait = true);

	for (unsigned i = 0; i < 9; i++) {
		assert_int_equal(phase_after(d, MS), SENDER_CONTACT);
		take_ok(d, &d->one, 0);
		assert_true(sender_deadline(d->sender) <= d->now);
	}
	assert_int_equal(phase_after(d, 2 * MS), SENDER_SENDING);
	assert_int_equal(d->alone, 0);

	d = SENDER(.datagrams = true, .no_wait = true);
	take_ok(d, &d->one, 0);
	pass(d, MS);
	take_ok(d, &d->one, 0);
	assert_int_equal(phase_after(d, 489 * MS), SENDER_CONTACT);
	assert_int_equal(phase_after(d, 110 * MS), SENDER_SENDING);
}

/* A group is asked at 0, 1 and 2 s; members that are known alone, each 100 ms. */
TEST(groups)
{
	struct end *d = SENDER(.datagrams = true, .group = true);
	unsigned before;

	pass(d, 2950 * MS);
	assert_in_range(d->sent[MESSAGE_START], 12, 15);
	assert_int_equal(d->alone, 0);
	assert_int_equal(said_after(d, 100 * MS, NOBODY), 1);
	assert_int_equal(phase(d), SENDER_SENDING);
	/* It is sent to all the same, and nobody is missed at the end. */
	finish(d);
	assert_int_equal(phase_after(d, 3 * NP_SECOND), SENDER_DONE);
	assert_int_equal(end_said(d, NO_REPORT), 0);
	assert_false(d->sender->run.failed);

	/* Also by a host that is a little late each time. */
	d = SENDER(.datagrams = true, .group = true);
	while (d->now < EPOCH + 1950 * MS) {
		d->now += 30 * MS;
		sender_tick(d->sender, d->now);
	}
	assert_in_range(d->sent[MESSAGE_START], 2, 4);

	d = SENDER(.datagrams = true, .group = true);
	pass(d, 50 * MS);
	take_ok(d, &d->one, 0);
	take_ok(d, &d->two, 0);
	assert_int_equal(phase_after(d, 2949 * MS), SENDER_CONTACT);
	before = d->sent[MESSAGE_START];
	assert_int_equal(phase_after(d, MS), SENDER_SENDING);
	assert_int_equal(d->sent[MESSAGE_START], before);
	assert_in_range(d->alone, 2 * 15, 2 * 30);
	assert_int_equal(receivers_ready(&d->sender->receivers), 2);

	d = SENDER(.datagrams = true, .group = true, .no_wait = true);
	take_ok(d, &d->one, 0);
	assert_int_equal(phase_after(d, 240 * MS), SENDER_CONTACT);
	assert_int_equal(phase_after(d, 900 * MS), SENDER_SENDING);
	/* So that it can prove where it is. */
	assert_true(d->alone >= 1);
}

/*
 * Why there is no run, as soon as it is known: an answer's verdict, a lane that broke, a host that
 * says that nobody is there (with --wait somebody may come), what could not be sent, the user.
 */
TEST(faults)
{
	static const struct {
		bool datagrams, group, stopped;
		enum message_verdict verdict;
		int broken, refusal, refused;
		np_time wait;
		const char *why; /* NULL: it is asked further */
	} cases[] = {
		{.verdict = MESSAGE_BUSY, .why = "is busy"},
		{.datagrams = true, .verdict = MESSAGE_BUSY, .why = "is busy"},
		{.verdict = MESSAGE_UNWILLING, .why = "refuses"},
		{.datagrams = true, .verdict = MESSAGE_UNWILLING, .why = "refuses"},
		{.broken = -EPROTO, .why = "the program"},
		{.broken = -ENETUNREACH, .why = "Network is unreachable"},
		{.datagrams = true, .refused = -ECONNREFUSED, .why = ""},
		{.datagrams = true, .refused = -ECONNREFUSED, .wait = NP_SECOND},
		{.datagrams = true, .refused = -ECONNREFUSED, .group = true},
		{.datagrams = true, .broken = -ECONNREFUSED},
		{.datagrams = true, .refusal = -ECONNREFUSED},
		{.datagrams = true, .refusal = -ENETUNREACH, .why = "Network is unreachable"},
		{.datagrams = true, .stopped = true, .why = ""},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct end *d = SENDER(.datagrams = cases[i].datagrams, .group = cases[i].group,
				       .wait = cases[i].wait);

		d->refused = cases[i].refused;
		d->refusal = cases[i].refusal;
		d->session.interrupts = cases[i].stopped;
		if (cases[i].verdict)
			take_verdict(d, cases[i].verdict);
		if (cases[i].broken)
			sender_broke(d->sender, cases[i].broken);
		pass(d, 110 * MS);
		assert_int_equal(d->sender->run.failed, cases[i].why != NULL);
		assert_why(d, cases[i].why ? cases[i].why : "");
		assert_int_equal(phase(d), cases[i].why ? SENDER_DONE : SENDER_CONTACT);
		/* A host that refuses a datagram says nothing of the next. */
		d->refusal = 0;
		take_ok(d, &d->one, 0);
		assert_int_equal(phase_after(d, 3 * NP_SECOND),
				 cases[i].why ? SENDER_DONE : SENDER_SENDING);
	}
}

/* Another version: a stream's partner will not answer better, anybody's datagram is no answer. */
TEST(foreign)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct end *d = SENDER(.datagrams = datagrams);
		const struct message m = answer_of(MESSAGE_START_OK);
		uint8_t data[MESSAGE_CONTROL_MAX];
		const size_t bytes = message_encode(data, &m);

		data[3]++;
		assert_int_equal(sender_take(d->sender, data, bytes, &d->one, d->now),
				 -EPROTONOSUPPORT);
		sender_tick(d->sender, d->now);
		assert_int_equal(phase(d), datagrams ? SENDER_CONTACT : SENDER_DONE);
		pass(d, 3100 * MS);
		assert_why(d, "answers, but speaks");
	}
}

/* A stream's START is told once on each lane; who never answers is taken for a classic one. */
TEST(silent_streams)
{
	struct end *d = SENDER(.lanes = LANES);

	pass(d, 2990 * MS);
	assert_int_equal(d->sent_on[0], 1);
	assert_int_equal(d->sent_on[1], 1);
	assert_int_equal(phase(d), SENDER_CONTACT);
	assert_int_equal(phase_after(d, 20 * MS), SENDER_SENDING);
	assert_int_equal(end_said(d, SILENT), 1);
	assert_true(d->sender->run.silent);
	/* It was only late. */
	take_ok(d, &d->one, 0);
	assert_false(d->sender->run.silent);

	/* One that stays silent has ended when it closes its connections, and owes no report. */
	d = SENDER(.lanes = LANES);
	pass(d, 3010 * MS);
	finish(d);
	d->channel[0].gone = d->channel[1].gone = true;
	assert_int_equal(phase_after(d, 300 * MS), SENDER_DONE);
	assert_int_equal(end_said(d, NO_REPORT), 0);

	/* One lane answers, the other will, too, for 20 s. */
	d = SENDER(.lanes = LANES);
	take_ok(d, &d->one, 1);
	assert_int_equal(phase_after(d, 19900 * MS), SENDER_CONTACT);
	pass(d, 200 * MS);
	assert_why(d, "does not answer on all");
}

/* What is closed before it is answered is connected again, as long as the contact lasts. */
TEST(closed_streams)
{
	struct end *d = SENDER(.datagrams = false);

	d->channel[0].gone = true;
	sender_broke(d->sender, -ECONNRESET);
	sender_tick(d->sender, d->now);
	assert_int_equal(phase(d), SENDER_CONTACT);
	assert_int_equal(d->connects, 1);
	assert_int_equal(end_said(d, AGAIN), 1);
	assert_int_equal(d->sent[MESSAGE_START], 2);
	/* Not at once a second time. */
	d->channel[0].gone = true;
	sender_tick(d->sender, d->now);
	assert_int_equal(d->connects, 1);
	pass(d, 110 * MS);
	assert_int_equal(d->connects, 2);
	assert_int_equal(end_said(d, AGAIN), 1);
	/* And behind the limit no more. */
	while (phase(d) == SENDER_CONTACT && d->now < EPOCH + 10 * NP_SECOND) {
		d->channel[0].gone = true;
		pass(d, 50 * MS);
	}
	assert_in_range(d->now - EPOCH, 2900 * MS, 3200 * MS);
	assert_why(d, "Connection reset");

	/* One that was made again late has three seconds of its own to be answered in. */
	d = SENDER(.datagrams = false);
	pass(d, 2500 * MS);
	d->channel[0].gone = true;
	sender_tick(d->sender, d->now);
	assert_int_equal(d->connects, 1);
	assert_int_equal(phase_after(d, 2999 * MS), SENDER_CONTACT);
	assert_int_equal(phase_after(d, MS), SENDER_SENDING);
	assert_int_equal(end_said(d, SILENT), 1);

	/* Once it is answered a closed one ends the contact, and what is sent will fail. */
	d = SENDER(.datagrams = false);
	take_ok(d, &d->one, 0);
	d->channel[0].gone = true;
	assert_int_equal(phase_after(d, 110 * MS), SENDER_SENDING);
	assert_int_equal(d->connects, 0);
}

/* One of several that is closed, for no reason that is known, is what the user is told of. */
TEST(one_closed_stream)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct end *d = SENDER(.lanes = LANES);

		while (phase(d) == SENDER_CONTACT && d->now < EPOCH + 10 * NP_SECOND) {
			d->channel[lane].gone = true;
			pass(d, 50 * MS);
		}
		assert_int_equal(phase(d), SENDER_DONE);
		assert_why(d, "closed the connection");
	}
}

/* What is of another session or run, or no answer, is nothing. */
TEST(answers_of_others)
{
	const struct message other[] = {
		{.type = MESSAGE_START_OK, .session = ID + 1, .run = 1},
		{.type = MESSAGE_START_OK, .session = ID, .run = 2},
		{.type = MESSAGE_END, .session = ID, .run = 1},
	};
	struct end *d = SENDER(.datagrams = true);

	for (unsigned i = 0; i < 3; i++)
		take(d, &other[i]);
	assert_int_equal(d->sender->receivers.count, 0);
}

/* To one host: who answers from elsewhere is believed only as long as that host does not answer. */
TEST(answers_from_elsewhere)
{
	/* Without a target; the first to answer is another one; the first is the target. */
	for (unsigned i = 0; i < 3; i++) {
		const struct np_address target = address_of("10.0.0.2:5001");
		struct end *d = SENDER(.datagrams = true, .to = i ? &target : NULL);
		const struct receivers *all = &d->sender->receivers;
		const struct np_address *believed = i ? &d->two : &d->one;
		const struct np_address *other = i ? &d->one : &d->two;

		take_ok(d, i == 1 ? other : believed, 0);
		take_ok(d, i == 1 ? believed : other, 0);
		assert_int_equal(all->count, 1);
		assert_true(np_address_equal(&all->receiver[0].address, believed));
		assert_int_equal(d->sender->run.strays, 1);
		run_to_end(d);
		take_report(d, other);
		assert_int_equal(receivers_reported(all), 0);
		take_report(d, believed);
		assert_int_equal(phase_after(d, 10 * MS), SENDER_DONE);
		assert_false(d->sender->run.failed);
	}
}

/* More than there is room for: who is there stays, the others are ignored. */
TEST(too_many)
{
	struct end *d = SENDER(.datagrams = true, .group = true);

	for (unsigned i = 0; i <= RECEIVERS_MAX; i++) {
		struct np_address from = d->one;

		np_address_set_port(&from, (uint16_t)(1000 + i));
		take_ok(d, &from, 0);
	}
	assert_int_equal(d->sender->receivers.count, RECEIVERS_MAX);
}
