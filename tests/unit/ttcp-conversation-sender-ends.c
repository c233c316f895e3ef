// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a sender's runs end, to the millisecond: what ENDs carry, how long it waits for what, and
 * what of a run stays for the next one.
 */
#include "support/ttcp_end.h"
#include "support/unit.h"

/* END five times each 10 ms, then each 50, until the report. */
TEST(ends)
{
	struct end *d = SENDER(.datagrams = true);

	contact(d);
	send_all(d);
	d->sender->lane[0].lost = 2;
	assert_int_equal(sender_messages(d->sender), 8);
	sender_end(d->sender, d->now);
	assert_int_equal(d->sent[MESSAGE_END], 1);
	assert_int_equal(d->last.number, 10);
	assert_int_equal(d->last.end.unsent, 2);
	assert_int_equal(d->last.end.proof, 4711);
	assert_true(d->last.end.clock.known);
	assert_true(d->last.end.clock.bound < 2 * MS);
	assert_false(d->last.end.last);
	assert_int_equal(d->last.flags & MESSAGE_AGAIN, 0);
	pass(d, 41 * MS);
	assert_int_equal(d->sent[MESSAGE_END], 5);
	assert_int_equal(d->last.flags & MESSAGE_AGAIN, MESSAGE_AGAIN);
	pass(d, 500 * MS);
	assert_in_range(d->sent[MESSAGE_END], 13, 15);
}

/* A receiver that reads version 2 gets it, the rate to the bit; an older one never does. */
TEST(versions)
{
	for (uint8_t reads = 0; reads <= 3; reads++) {
		struct end *d = SENDER(.datagrams = true);
		struct message m = answer_of(MESSAGE_START_OK);

		sender_begin(d->sender, 1, 12345.5);
		sender_contact(d->sender, d->now);
		assert_int_equal(d->last.version, 1);
		assert_int_equal(d->last.start.rate_bits, 13000);
		m.start_ok.reads = reads;
		m.time = d->last_at + 7 * NP_SECOND;
		take_from(d, &d->one, &m);
		pass(d, 110 * MS);
		assert_int_equal(d->last.version, reads < 2 ? 1 : 2);
		assert_int_equal(d->last.start.rate_bits, reads < 2 ? 13000 : 12346);
		pass(d, 3 * NP_SECOND);
		sender_start(d->sender, d->now);
		sender_end(d->sender, d->now);
		assert_int_equal(d->last.type, MESSAGE_END);
		assert_int_equal(d->last.version, reads < 2 ? 1 : 2);
	}
}

/* Transactions need a receiver that reads 3; an older one is told that nothing comes. */
TEST(older_than_transactions)
{
	for (uint8_t reads = 0; reads <= 3; reads++) {
		struct end *d = SENDER(.lanes = 1);
		struct message m = answer_of(MESSAGE_START_OK);

		d->options.load.transacts = true;
		sender_begin(d->sender, 1, 0);
		sender_contact(d->sender, d->now);
		m.start_ok.reads = reads;
		m.time = d->last_at + 7 * NP_SECOND;
		take_from(d, &d->one, &m);
		pass(d, 4 * NP_SECOND);
		assert_int_equal(d->sender->run.phase, reads < 3 ? SENDER_DONE : SENDER_SENDING);
		assert_int_equal(d->sent[MESSAGE_END], 0);
		sender_abandon(d->sender);
		assert_int_equal(d->sent[MESSAGE_END], 1);
	}
}

/*
 * What ends the waiting for a report: it, the end of all connections, or of any by an error, and
 * two seconds without a word over datagrams, 20 over streams, however long before its end the last
 * message went. Over streams END is told once, and the lanes are finished.
 */
TEST(how_long_a_report_is_waited_for)
{
	enum event { NOTHING, REFUSED, REPORT, CLOSED, ALL_CLOSED, BROKEN, BROKEN_BEHIND_IT };
	static const struct {
		const char *name;
		enum event event;
		bool datagrams;
		unsigned pause, at, still, within; /* ms; the event; and from it on */
		const char *said;
	} rows[] = {
		{"no word", NOTHING, true, 0, 9999, 0, 50, NO_REPORT},
		{"nobody there any more", REFUSED, true, 0, 1999, 0, 50, NO_REPORT},
		{"a report", REPORT, true, 0, 541, 0, 60, NULL},
		{"none over streams", NOTHING, false, 0, 19000, 0, 2000, NO_REPORT},
		{"a report over streams", REPORT, false, 0, 5000, 0, 300, NULL},
		{"after a pause", REPORT, false, 60000, 19000, 0, 300, NULL},
		{"one closed", CLOSED, false, 0, 5000, 300, 20000, NO_REPORT},
		{"both closed", ALL_CLOSED, false, 0, 5300, 0, 300, NO_REPORT},
		{"broken", BROKEN, false, 0, 0, 0, 0, LOST},
		{"broken behind a report", BROKEN_BEHIND_IT, false, 0, 0, 0, 0, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end *d = SENDER(.datagrams = rows[i].datagrams, .lanes = LANES);
		const enum event event = rows[i].event;

		contact(d);
		send_all(d);
		d->now += rows[i].pause * MS;
		sender_end(d->sender, d->now);
		assert_true(sender_deadline(d->sender) > d->now);
		d->refused = event == REFUSED ? -ECONNREFUSED : 0;
		pass(d, rows[i].at * MS);
		assert_row(rows[i].name, phase(d) == SENDER_ENDING);
		assert_row(rows[i].name, rows[i].datagrams || d->sent[MESSAGE_END] == LANES);
		assert_row(rows[i].name, d->finished == (rows[i].datagrams ? 0 : 1 + 2));
		if (event == REPORT || event == BROKEN_BEHIND_IT)
			take_report(d, &d->one);
		if (event >= BROKEN)
			sender_broke(d->sender, -ECONNRESET);
		d->channel[0].gone = event == CLOSED || event == ALL_CLOSED;
		d->channel[1].gone = event == ALL_CLOSED;
		pass(d, rows[i].still * MS);
		assert_row(rows[i].name, !rows[i].still || phase(d) == SENDER_ENDING);
		pass(d, rows[i].within * MS);
		assert_row(rows[i].name, phase(d) == SENDER_DONE);
		assert_row(rows[i].name,
			   end_said(d, NO_REPORT) + end_said(d, LOST) == (rows[i].said != NULL));
		assert_row(rows[i].name, !rows[i].said || end_said(d, rows[i].said));
		assert_row(rows[i].name, d->sender->run.failed == (rows[i].said != NULL));
	}
}

/* Signs of life put it off, three times as long as they are apart, and at least ten seconds. */
TEST(signs_of_life)
{
	static const struct {
		unsigned count;
		np_time apart, limit;
	} cases[] = {{4, 4000 * MS, 12000 * MS}, {90, 100 * MS, 10000 * MS}};

	for (unsigned i = 0; i < 2; i++) {
		struct end *d = SENDER(.datagrams = true);
		struct message m = answer_of(MESSAGE_START_OK);

		run_to_end(d);
		for (unsigned k = 0; k < cases[i].count; k++) {
			pass(d, cases[i].apart);
			m.time = d->last_at;
			take_from(d, &d->one, &m);
			/* Two of one moment are one. */
			take_from(d, &d->one, &m);
		}
		/* They acknowledge nothing. */
		assert_int_equal(d->sender->receivers.acks, 0);
		assert_int_equal(phase_after(d, cases[i].limit - 100 * MS), SENDER_ENDING);
		assert_int_equal(phase_after(d, 200 * MS), SENDER_DONE);
	}
}

/* A second stop of the user ends the waiting. */
TEST(stopped_ends)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct end *d = SENDER(.datagrams = datagrams);

		run_to_end(d);
		d->session.interrupts = 1;
		assert_int_equal(phase_after(d, NP_SECOND), SENDER_ENDING);
		/* Only over datagrams it is told again. */
		assert_int_equal(d->last.end.last, datagrams);
		d->session.interrupts = 2;
		assert_int_equal(phase_after(d, 300 * MS), SENDER_DONE);
	}
}

/* Members are told alone, of their own clocks; who reports is told no more. */
TEST(ends_of_a_group)
{
	for (unsigned lanes = 1; lanes <= LANES; lanes++) {
		struct end *d = SENDER(.datagrams = true, .group = true, .lanes = lanes);
		unsigned before;

		take_ok(d, &d->one, 0);
		take_ok(d, &d->two, 0);
		pass(d, 3010 * MS);
		sender_start(d->sender, d->now);
		send_all(d);
		before = d->alone;
		sender_end(d->sender, d->now);
		assert_int_equal(d->sent[MESSAGE_END], 3 * lanes);
		assert_int_equal(d->alone - before, 2 * lanes);
		assert_int_equal(d->last.flags & MESSAGE_AGAIN, MESSAGE_AGAIN);
		/* The last one was to all, and proves nothing to anybody. */
		assert_int_equal(d->last.end.proof, 0);
		take_report(d, &d->one);
		pass(d, 11 * MS);
		assert_int_equal(d->sent[MESSAGE_END], 5 * lanes);
		assert_int_equal(d->alone - before, 3 * lanes);
		assert_int_equal(said_after(d, 11 * NP_SECOND, NO_REPORT), 1);
	}
}

/*
 * A clock may have drifted by 100 ppm since it was compared, before the run and in it; or between
 * the first message and a late comparison.
 */
TEST(bounds_of_clocks)
{
	for (unsigned late = 0; late < 2; late++) {
		struct end *d = SENDER(.datagrams = true);

		take_ok(d, &d->one, 0);
		pass(d, 110 * MS);
		assert_int_equal(d->last.type, MESSAGE_START);
		assert_true(d->last.start.clock.known);
		assert_true(d->last.start.clock.bound < MS);
		assert_int_equal(phase_after(d, 3 * NP_SECOND), SENDER_SENDING);
		sender_start(d->sender, d->now);
		send_all(d);
		d->last_at = d->now += 100 * NP_SECOND;
		if (late)
			take_ok(d, &d->one, 0);
		sender_end(d->sender, d->now);
		assert_int_equal(d->last.type, MESSAGE_END);
		assert_in_range(d->last.end.clock.bound, 10 * MS, 11 * MS);
	}
}

/* Who answers only once DATA go has come late, as has one whose report is the first that is heard.
 */
TEST(late_receivers)
{
	const struct np_address three = address_of("10.0.0.3:5001"), *late[] = {NULL, &three};
	struct end *d = SENDER(.datagrams = true, .group = true);

	late[0] = &d->two;
	contact(d);
	take_ok(d, late[0], 0);
	finish(d);
	for (unsigned i = 0; i < 2; i++) {
		take_report(d, late[i]);
		assert_int_equal(d->sender->receivers.count, 2 + i);
		assert_true(d->sender->receivers.receiver[1 + i].joined_late);
	}
	assert_false(d->sender->receivers.receiver[0].joined_late);
	take_report(d, &d->one);
	assert_int_equal(phase_after(d, 300 * MS), SENDER_DONE);
	assert_int_equal(end_said(d, JOINED_LATE), 2);
	sender_free(NULL);
}

/* Receivers that wait for the next run are told that there is none: as often as they may miss it.
 */
TEST(byes)
{
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct end *d = SENDER(.datagrams = datagrams);

		contact(d);
		send_all(d);
		d->session.interrupts = 1;
		sender_bye(d->sender);
		assert_int_equal(d->sent[MESSAGE_END], datagrams ? 5 : 1);
		assert_true(d->last.end.last);

		/* Before DATA: only who is ready, and only when the user stopped it. */
		d = SENDER(.datagrams = datagrams);
		sender_abandon(d->sender);
		take_ok(d, &d->one, 0);
		sender_abandon(d->sender);
		assert_int_equal(d->sent[MESSAGE_END], 0);
		d->session.interrupts = 1;
		sender_abandon(d->sender);
		assert_int_equal(d->sent[MESSAGE_END], 1);
	}
}

/* A new run forgets what the last one sent and heard, but not who was there. */
TEST(next_run)
{
	struct end *d = SENDER(.datagrams = true);

	d->sender->transport.to = d->one;
	run_to_end(d);
	take_report(d, &d->one);
	assert_int_equal(phase_after(d, 60 * MS), SENDER_DONE);
	sender_begin(d->sender, 2, 0);
	assert_int_equal(phase(d), SENDER_CONTACT);
	assert_int_equal(sender_messages(d->sender), 0);
	assert_false(d->sender->lane[0].ready);
	assert_false(d->sender->run.sending);
	assert_int_equal(d->sender->receivers.count, 1);
	assert_false(d->sender->receivers.receiver[0].reported);
	sender_contact(d->sender, d->now);
	assert_int_equal(d->last.run, 2);
	assert_int_equal(d->last.start.rate_bits, 0);
	assert_true(d->last.start.clock.known);

	/* One that answered from another address than the one that messages go to may be another
	 * now. */
	d->sender->transport.to = d->two;
	sender_begin(d->sender, 3, 0);
	assert_int_equal(d->sender->receivers.count, 0);
}

/* As many as there may be: each has its own number, and all do the same. */
TEST(as_many_as_there_may_be)
{
	struct end *d = SENDER(.datagrams = true, .lanes = MESSAGE_STREAMS_MAX);

	d->sender->transport.to = d->one;
	assert_int_equal(d->last.flags, 0);
	contact(d);
	assert_int_equal(d->sender->receivers.count, 1);
	finish(d);
	assert_int_equal(d->pushed, 10 * MESSAGE_STREAMS_MAX);
	assert_int_equal(d->sent[MESSAGE_END], MESSAGE_STREAMS_MAX);
	assert_int_equal(d->last.flags, 0);
	assert_int_equal(d->last.stream, MESSAGE_STREAMS_MAX - 1);
	assert_int_equal(d->last.number, 10);
	take_report(d, &d->one);
	assert_int_equal(phase_after(d, NP_SECOND), SENDER_DONE);
}
