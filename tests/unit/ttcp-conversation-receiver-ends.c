// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * How a receiver's runs end, to the millisecond: how long it waits for what, what it reports then,
 * and who may come next.
 */
#include "support/ttcp_end.h"
#include "support/unit.h"

static void raw(struct end *d, uint64_t messages, uint64_t bytes)
{
	const struct source source = {.address = &d->one, .bytes = bytes};

	receiver_take_raw(d->receiver, &source, messages, bytes, d->now);
}

/*
 * 20 s, over whatever the messages come, since the last one of the run. A sender may ask for less
 * patience, but not for more than its rate explains.
 */
TEST(how_long_a_run_may_be_silent)
{
	static const struct {
		const char *name;
		bool datagrams, raw;
		np_time apart; /* its two messages */
		uint32_t told_ms;
		uint64_t rate_bits;
		np_time limit;
	} rows[] = {
		{"datagrams", true, false, 19000 * MS, MESSAGE_SILENCE_MS, 0, 20000 * MS},
		{"a stream", false, false, 19000 * MS, MESSAGE_SILENCE_MS, 0, 20000 * MS},
		{"classic datagrams", true, true, 15000 * MS, 0, 0, 20000 * MS},
		{"less patience", false, false, 0, 500, 0, 500 * MS},
		{"too much", false, false, 0, UINT32_MAX, 0, 20000 * MS},
		{"a rate", false, false, 0, UINT32_MAX, 1000, (20000 + 2 * 512) * MS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct end *d = RECEIVER(.datagrams = rows[i].datagrams);
		struct message m = start_of(d, 100);

		m.start.timeout_ms = rows[i].told_ms;
		m.start.rate_bits = rows[i].rate_bits;
		if (!rows[i].raw)
			prove(d, &m);
		for (unsigned k = 0; k < 2; k++) {
			pass(d, k * rows[i].apart);
			if (rows[i].raw)
				raw(d, 1, DATA_BYTES);
			else
				take_data(d, k);
		}
		pass(d, rows[i].limit - MS);
		assert_row(rows[i].name, FINISHED(d) == 0);
		pass(d, MS);
		assert_row(rows[i].name, FINISHED(d) == 1);
		assert_int_equal(d->run->result.report.status, MESSAGE_TIMED_OUT);
		assert_int_equal(figures_of(d).received, 2);
		/* Nobody understands an answer to bytes. */
		assert_row(rows[i].name, (d->sent[MESSAGE_REPORT] == 0) == rows[i].raw);
		assert_row(rows[i].name, rows[i].raw || d->last.report.drops.upmost == 3);
	}
}

/* Bytes of a connection have no time. */
TEST(raw_silence)
{
	struct end *d = RECEIVER(.datagrams = false);

	raw(d, 1, 1000);
	pass(d, 120 * NP_SECOND);
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
	raw(d, 2, 500);
	conversation_finish(d->receiver, MESSAGE_COMPLETE);
	assert_int_equal(FINISHED(d), 1);
	assert_int_equal(figures_of(d).received, 3);
	assert_int_equal(figures_of(d).bytes, 1500);
	assert_int_equal(d->answers, 0);
}

/*
 * An END of which nothing else came begins a run, all of it lost, only of a sender that is known,
 * or proves where it is.
 */
TEST(an_end_alone)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 10);
	uint32_t proof;

	take(d, &m);
	proof = d->last.start_ok.challenge;
	m = message_of(MESSAGE_END, 10);
	take(d, &m);
	assert_int_equal(BEGUN(d), 0);
	assert_int_equal(strays(d), 1);
	m.end.proof = proof;
	take(d, &m);
	assert_int_equal(BEGUN(d), 1);
	m.end.proof = 0;
	m.run = 2;
	take(d, &m);
	assert_int_equal(BEGUN(d), 2);
	assert_int_equal(said_after(d, 11 * NP_SECOND, FINISHED_TEXT), 2);
	assert_int_equal(figures_of(d).received, 0);
}

/* ENDs in the time of grace are answered now and then; behind it by the report again. */
TEST(grace)
{
	struct end *d = RECEIVER(.datagrams = true);
	unsigned before;

	start(d, 10);
	take_data(d, 0);
	pass(d, NP_SECOND);
	/* 1 s longer under way, by the stamps: so the others may need that, too. */
	take_data(d, 1);
	take_end(d, 10);
	before = d->answers;
	for (unsigned i = 0; i < 30; i++) {
		pass(d, 50 * MS);
		take_end(d, 10);
	}
	assert_int_equal(FINISHED(d), 0);
	assert_true(d->run->ended_at);
	assert_in_range(d->answers - before, 2, 4);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	take_data(d, 2);
	assert_int_equal(said_after(d, 8 * NP_SECOND, FINISHED_TEXT), 1);
	assert_in_range(d->run->result.grace, 1500 * MS, 10000 * MS);
	assert_int_equal(d->last.type, MESSAGE_REPORT);
	assert_int_equal(d->last.report.status, MESSAGE_SHORT);
	assert_int_equal(d->last.report.counts.received, 3);
	assert_int_equal(d->last.report.counts.lost, 7);
}

/* ENDs that were told before the first one heard: so many of the host's drops may be ENDs. */
TEST(missed_ends)
{
	static const struct {
		uint8_t start_flags, end_flags;
		np_time behind;
		uint64_t missed;
	} cases[] = {
		{0, 0, 100 * MS, 0},
		{0, MESSAGE_AGAIN, 100 * MS, 5 + 2 + 1},
		{MESSAGE_MULTICAST, MESSAGE_AGAIN, 100 * MS, 16},
		{0, MESSAGE_AGAIN, 0, 5 + 1},
		{0, MESSAGE_AGAIN, -MS, UINT32_MAX},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct end *d = RECEIVER(.datagrams = true);
		struct message m = start_of(d, 10);

		m.flags = cases[i].start_flags;
		prove(d, &m);
		m = message_of(MESSAGE_DATA, 0);
		m.time = EPOCH + 5 * NP_SECOND;
		take(d, &m);
		m = message_of(MESSAGE_END, 10);
		m.flags = cases[i].end_flags;
		m.time = EPOCH + 5 * NP_SECOND + cases[i].behind;
		take(d, &m);
		assert_true(d->run->ended_at && d->run->ended_at == d->run->first);
		assert_int_equal(d->run->ends_missed, cases[i].missed);
		m.flags = MESSAGE_AGAIN;
		take(d, &m);
		assert_int_equal(d->run->ends_missed, cases[i].missed);
	}
}

/* ENDs that may have come while the first one waited to be read. */
TEST(ends_behind)
{
	static const unsigned waited[] = {0, 4, 5, 149, 150}, behind[] = {0, 0, 6, 8, 9};

	for (unsigned i = 0; i < 2 * 5; i++) {
		struct end *d = RECEIVER(.datagrams = true);
		const struct source source = {.address = &d->one, .bytes = 200};
		struct message m = start_of(d, 1), end = message_of(MESSAGE_END, 1);

		m.flags = i % 2 ? MESSAGE_MULTICAST : 0;
		prove(d, &m);
		receiver_take(d->receiver, &source, &end, d->now - waited[i / 2] * MS);
		assert_int_equal(d->run->ends_behind, behind[i / 2] * (1 + i % 2));
	}
}

/* One stream that lacks messages is waited for, whatever the others have. */
TEST(grace_of_streams)
{
	for (unsigned lacks = 0; lacks < 3; lacks++) {
		struct end *d = RECEIVER(.datagrams = true);
		struct message m = start_of(d, 2);

		m.start.streams = 2;
		prove(d, &m);
		for (unsigned i = 0; i < 4; i++) {
			if (i / 2 == 0 || i % 2 != lacks)
				take_of_stream(d, MESSAGE_DATA, i % 2, i / 2);
			pass(d, NP_SECOND);
		}
		for (unsigned i = 0; i < 2; i++)
			take_of_stream(d, MESSAGE_END, i, 2);
		assert_int_equal(said_after(d, 300 * MS, FINISHED_TEXT), lacks == 2);
	}
}

/* A report that was lost is asked for by END, on stream 0; then the receiver is free. */
TEST(repeated_end)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 1);
	unsigned before;

	m.start.streams = 2;
	prove(d, &m);
	for (unsigned i = 0; i < 2; i++)
		take_of_stream(d, MESSAGE_DATA, i, 0);
	take_of_stream(d, MESSAGE_END, 1, 1);
	take_end(d, 1);
	assert_int_equal(said_after(d, 199 * MS, FINISHED_TEXT), 0);
	assert_int_equal(said_after(d, MS, FINISHED_TEXT), 1);
	assert_int_equal(d->run->result.grace, 200 * MS);
	before = d->sent[MESSAGE_REPORT];
	take_of_stream(d, MESSAGE_END, 1, 1);
	assert_int_equal(d->sent[MESSAGE_REPORT], before);
	take_end(d, 1);
	pass(d, 200 * MS);
	take_end(d, 1);
	assert_int_equal(d->sent[MESSAGE_REPORT], before + 2);
	/* Free 300 ms behind the last END. */
	assert_int_equal(said_after(d, 299 * MS, LISTENING_TEXT), 0);
	assert_int_equal(said_after(d, MS, LISTENING_TEXT), 1);
	assert_int_equal(d->receiver->served, 1);
}

/* A sender of so many runs, to 50 ms behind the report of the first, of one message. */
static void run(struct end *d, uint32_t runs)
{
	struct message m = start_of(d, 1);

	m.start.runs = runs;
	prove(d, &m);
	take_data(d, 0);
	take_end(d, 1);
	pass(d, 250 * MS);
	assert_int_equal(d->run->phase, RECEIVER_REPORTED);
}

/* Each END gets the same report, whatever was said or counted after the first one. */
TEST(repeated_report)
{
	struct end *d = RECEIVER(.datagrams = true);
	const struct message *last = &d->last;
	struct message_report first;
	struct message m;

	run(d, 1);
	first = last->report;
	m = start_of(d, 1);
	m.start.clock = (struct np_offset){.known = true, .offset = 5, .bound = 50};
	take(d, &m);
	assert_int_equal(d->run->result.report.clock.offset, 5);
	d->run->result.report.account.dropped = (struct np_drops_total){true, true, 9};
	take_end(d, 1);
	assert_int_equal(d->sent[MESSAGE_REPORT], 2);
	assert_int_equal(last->type, MESSAGE_REPORT);
	assert_memory_equal(&last->report, &first, sizeof(first));
}

/* Another sender need not wait for the last ENDs of a finished one, whose own START ends nothing.
 */
TEST(who_comes_behind_the_report)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m;

	run(d, 1);
	m = start_of(d, 1);
	take(d, &m);
	assert_int_equal(d->run->phase, RECEIVER_REPORTED);
	assert_int_equal(d->receiver->served, 0);
	m.session++;
	m.start.proof = 0;
	take_from(d, &d->two, &m);
	assert_int_equal(d->receiver->served, 1);
	assert_int_equal(LISTENING(d), 1);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.start.proof = d->last.start_ok.challenge;
	take_from(d, &d->two, &m);
	assert_int_equal(d->receiver->sender.id, ID + 1);
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
}

/* A sender with more runs is waited for, 30 s; one that says so will not come again. */
TEST(more_runs)
{
	for (unsigned bye = 0; bye < 2; bye++) {
		struct end *d = RECEIVER(.datagrams = true);
		struct message m = message_of(MESSAGE_END, 1);

		run(d, 0);
		m.end.last = bye;
		take(d, &m);
		assert_int_equal(said_after(d, 310 * MS, LISTENING_TEXT), bye);
		assert_int_equal(said_after(d, 29600 * MS, "did not return"), 0);
		assert_int_equal(said_after(d, 200 * MS, "did not return"), !bye);
		assert_int_equal(LISTENING(d), 1);
	}
}

/* The next run begins though the END of the one before was lost, which ends short. */
TEST(a_run_without_end)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m;

	start(d, 10);
	take_data(d, 0);
	/* It has proved where it is. */
	m = start_of(d, 10);
	m.run = 2;
	m.start.proof = 0;
	take(d, &m);
	assert_int_equal(FINISHED(d), 1);
	assert_int_equal(BEGUN(d), 2);
	assert_int_equal(d->run->number, 2);
	/* And no run begins twice, or backwards. */
	take(d, &m);
	m.run = 1;
	take(d, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_BUSY);
	assert_int_equal(BEGUN(d), 2);
}

/* Each stream has its own end, and all their delays and losses are reported together. */
TEST(streams)
{
	struct end *d = RECEIVER(.datagrams = true);

	for (unsigned run = 1; run <= 2; run++) {
		struct message m = start_of(d, 4);

		m.run = run;
		m.start.streams = 3;
		m.start.runs = 2;
		prove(d, &m);
		for (unsigned i = 0; i < 6; i++) {
			assert_false(d->run->ended_at);
			m = i < 3 ? message_of(MESSAGE_DATA, 0) : message_of(MESSAGE_END, 4);
			m.run = run;
			m.stream = (uint16_t)(i % 3);
			if (i >= 3)
				m.end = (struct message_end){.unsent = i % 3, .proof = d->proof};
			take(d, &m);
		}
		assert_true(d->run->ended_at);
		/* Of each stream some are missing, though the first had come whole. */
		assert_int_equal(said_after(d, 11 * NP_SECOND, FINISHED_TEXT), run);
		assert_int_equal(d->last.report.counts.received, 3);
		assert_int_equal(d->last.report.counts.lost, 3 + 2 + 1);
		assert_int_equal(d->last.report.delays.count, 3);
	}
}

/* The first sender's time: told when it is over, and only if nobody came at all. */
TEST(waiting)
{
	const struct receiver_plan plan = {.datagrams = true, .senders = 2, .wait = NP_SECOND};
	struct end *d = desk_of_receiver(&plan);

	assert_int_equal(receiver_deadline(d->receiver), EPOCH + NP_SECOND);
	assert_int_equal(said_after(d, 999 * MS, "no sender came"), 0);
	assert_int_equal(said_after(d, MS, "no sender came"), 1);
	assert_true(d->receiver->over);

	d = desk_of_receiver(&plan);
	for (unsigned sender = 1; sender <= 2; sender++) {
		run(d, 1);
		pass(d, 2 * NP_SECOND);
		assert_int_equal(d->receiver->served, sender);
		assert_int_equal(d->receiver->over, sender == 2);
		assert_true(receiver_deadline(d->receiver) == NP_TIME_NEVER);
	}
	assert_int_equal(end_said(d, "no sender came"), 0);
}

/* --drops=off, or not permitted: what the sender's host says of its drops is no account, either. */
TEST(drops_that_are_not_watched)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = message_of(MESSAGE_END, 10);

	start(d, 10);
	m.end.proof = d->proof;
	m.end.account.dropped = (struct np_drops_total){.known = true, .exact = true, .packets = 7};
	m.version = MESSAGE_VERSION_LAST;
	m.end.account.reasons = (struct message_reasons){.others = 7};
	take(d, &m);
	assert_int_equal(said_after(d, 11 * NP_SECOND, FINISHED_TEXT), 1);
	assert_false(d->run->result.sender.dropped.known);
	assert_int_equal(record_attribute_receive(&d->run->result).lost_sender_host.known,
			 NP_UNKNOWN);
}

/* Whom the user ends serves nobody more; ttcp-conversation-ends has one in the middle of a run. */
TEST(stopped)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = message_of(MESSAGE_DATA, 0);

	receiver_stop(d->receiver);
	assert_true(d->receiver->over);
	take(d, &m);
	raw(d, 1, 100);
	assert_int_equal(BEGUN(d) + FINISHED(d), 0);

	/* A connection that breaks ends its run at once, and its sender does not come back. */
	d = RECEIVER(.datagrams = false);
	m = start_of(d, 10);
	m.start.runs = 0;
	take(d, &m);
	d->receiver->sender.bye = true;
	conversation_finish(d->receiver, MESSAGE_INTERRUPTED);
	assert_int_equal(d->run->result.report.status, MESSAGE_INTERRUPTED);
	assert_false(d->last.report.exact);
	assert_int_equal(said_after(d, 2 * MS, LISTENING_TEXT), 1);
}

/* Of a sender that is served nothing is kept: its next START has to prove where it is. */
TEST(a_proof_ends_with_its_sender)
{
	struct end *d = RECEIVER(.datagrams = true);

	run(d, 1);
	assert_int_equal(said_after(d, 350 * MS, LISTENING_TEXT), 1);
	assert_int_equal(d->receiver->sender.id, 0);
	for (unsigned proven = 0; proven < 2; proven++) {
		struct message m = start_of(d, 1);

		m.start.proof *= proven;
		take(d, &m);
		assert_int_equal(BEGUN(d), 1 + proven);
	}
}
