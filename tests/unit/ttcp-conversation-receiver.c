// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a receiver counts message by message, to the millisecond, what it reports of it, and what
 * stays of a run.
 */
#include "support/ttcp_end.h"
#include "support/unit.h"

/* A large message begins when its first bytes come. */
TEST(parts)
{
	const struct message first = message_of(MESSAGE_DATA, 0);
	struct message other = first;
	struct end *d = RECEIVER(.datagrams = false);
	struct receiver *with = d->receiver;
	np_time began;

	start(d, 2);
	pass(d, 100 * MS);
	other.session = ID + 1;
	conversation_take_part(with, &other, 10, d->now);
	other = first;
	other.stream = 1;
	conversation_take_part(with, &other, 10, d->now);
	assert_int_equal(figures_of(d).first, 0);
	pass(d, 100 * MS);
	began = d->now;
	conversation_take_part(with, &first, 10, d->now);
	pass(d, 50 * MS);
	take_data(d, 0);
	assert_int_equal(figures_of(d).first, began + RECEIVER_AHEAD);
	assert_int_equal(d->run->first, began);
}

TEST(strays_of_all_kinds)
{
	/* Of a stream that START did not announce, or of another session, or an answer. */
	const struct message other[] = {
		{.type = MESSAGE_DATA, .session = ID, .run = 1, .stream = 1, .number = 5},
		{.type = MESSAGE_END, .session = ID, .run = 1, .stream = 1, .number = 5},
		{.type = MESSAGE_DATA, .session = ID + 1, .run = 1, .number = 5},
		{.type = MESSAGE_START_OK, .session = ID, .run = 1},
	};
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = message_of(MESSAGE_DATA, 5);

	start(d, 10);
	assert_int_equal(strays_after(d, &m), 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(strays_after(d, &other[i]), 1);
	assert_int_equal(figures_of(d).received, 1);
	take_end(d, 10);
	assert_int_equal(said_after(d, 11 * NP_SECOND, FINISHED_TEXT), 1);

	/* Behind the report. */
	d = RECEIVER(.datagrams = false);
	start(d, 10);
	take_end(d, 10);
	assert_int_equal(FINISHED(d), 1);
	assert_int_equal(strays_after(d, &m), 1);
}

/*
 * Damaged DATA are of the run, and keep it alive; of another one they are strays. They, messages
 * of which no more is known, and those with numbers that END says there are not, are reported.
 */
TEST(damaged)
{
	struct end *d = RECEIVER(.datagrams = true);
	const struct source source = {.address = &d->one, .bytes = 200};
	const struct np_flow_counts *counts = &d->last.report.counts;
	struct message m = message_of(MESSAGE_DATA, 0);

	start(d, 10);
	pass(d, 15 * NP_SECOND);
	receiver_take_data(d->receiver, &source, &m, 1, true, d->now);
	pass(d, 15 * NP_SECOND);
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
	m.session++;
	receiver_take_data(d->receiver, &source, &m, 1, true, d->now);
	m.session--;
	m.stream = 1;
	receiver_take_data(d->receiver, &source, &m, 1, true, d->now);
	assert_int_equal(strays(d), 2);
	assert_int_equal(figures_of(d).damaged, 1);
	assert_int_equal(figures_of(d).received, 0);
	for (uint64_t i = 0; i < 3; i++)
		take_data(d, i);
	receiver_take_unknown(d->receiver, &source, -EBADMSG, d->now);
	take_data(d, 10);
	assert_int_equal(strays(d), 0);
	take_end(d, 10);
	assert_int_equal(said_after(d, 11 * NP_SECOND, FINISHED_TEXT), 1);
	assert_int_equal(d->run->result.report.status, MESSAGE_SHORT);
	assert_true(d->run->result.report.exact);
	assert_int_equal(counts->received, 3);
	assert_int_equal(counts->lost, 7);
	assert_int_equal(counts->damaged, 3);
	assert_int_equal(counts->bytes, 3 * DATA_BYTES);
}

/* What the sender last said of the clocks is reported; START's until END says better. */
TEST(clocks)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m;

	m = start_of(d, 10);
	take(d, &m);
	m.start.proof = d->proof = d->last.start_ok.challenge;
	m.start.clock = (struct np_offset){.known = true, .offset = 5, .bound = 50};
	take(d, &m);
	assert_int_equal(d->run->result.report.clock.offset, 5);
	m.start.clock.offset = 6;
	take(d, &m);
	assert_int_equal(d->run->result.report.clock.offset, 6);
	m.start.clock.known = false;
	take(d, &m);
	assert_true(d->run->result.report.clock.known);
	take_data(d, 0);
	m = message_of(MESSAGE_END, 1);
	m.end.clock = (struct np_offset){.known = true, .offset = 7, .bound = 9};
	take(d, &m);
	m.end.clock.offset = 8;
	take(d, &m);
	pass(d, NP_SECOND);
	assert_int_equal(d->last.report.clock.offset, 7);
	assert_int_equal(d->last.report.clock.bound, 9);
	assert_int_equal(d->last.report.delays.count, 1);
}

/* The last run was of another kind, or of somebody else: nothing of it is believed of this one. */
TEST(nothing_stays)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m;

	start(d, 1);
	take_data(d, 0);
	take_end(d, 1);
	pass(d, NP_SECOND);
	assert_int_equal(d->run->phase, RECEIVER_IDLE);
	/* Late DATA of it: its START is none of theirs. */
	take_data(d, 5);
	assert_int_equal(BEGUN(d), 2);
	assert_false(d->run->started);
	take_end(d, 10);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->run->phase, RECEIVER_IDLE);
	/* Another session's DATA, from the same host: it has proved nothing yet. */
	m = message_of(MESSAGE_DATA, 0);
	m.session++;
	take(d, &m);
	assert_false(d->receiver->sender.proven);
	assert_int_equal(d->receiver->sender.id, ID + 1);

	/* The next run of one that has proved it is believed at once; elsewhere nothing begins it.
	 */
	for (unsigned i = 0; i < 2; i++) {
		d = RECEIVER(.datagrams = true);
		m = start_of(d, 1);
		m.start.runs = 3;
		prove(d, &m);
		assert_true(d->receiver->sender.proven);
		m = message_of(MESSAGE_DATA, 0);
		m.run = 2;
		take_from(d, i ? &d->two : &d->one, &m);
		assert_int_equal(d->run->number, i ? 1 : 2);
		assert_true(d->receiver->sender.proven);
	}
}

/* Raw delays are of the clocks' offset; a START that tells it makes room for them around it. */
TEST(expected_delays)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 10);

	start(d, 10);
	m.start.proof = d->proof;
	m.start.clock = (struct np_offset){.known = true, .offset = RECEIVER_AHEAD, .bound = 50};
	take(d, &m);
	for (unsigned i = 0; i < 10; i++) {
		d->now = EPOCH + (i + 1) * MS;
		take_data(d, i);
	}
	take_end(d, 10);
	pass(d, NP_SECOND);
	assert_int_equal(d->last.type, MESSAGE_REPORT);
	assert_in_range(d->last.report.delays.p50, RECEIVER_AHEAD + 4900000,
			RECEIVER_AHEAD + 6100000);
}

/* DATA @number, sent at its number in ms, comes @delay later by clocks @offset apart. */
static void arrive(struct end *d, uint64_t number, np_time delay, np_time offset)
{
	struct message m = message_of(MESSAGE_DATA, number);

	m.time = d->now + RECEIVER_AHEAD - offset - delay;
	take(d, &m);
}

/* Each interval has its own delays, and the run has all. */
TEST(intervals_have_their_own_delays)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = start_of(d, 3);
	struct np_histogram_figures f;

	m.start.clock = (struct np_offset){.known = true, .offset = NP_SECOND, .bound = MS};
	prove(d, &m);
	for (uint64_t i = 0; i < 3; i++) {
		assert_false(conversation_cut_delays(d->receiver, &f));
		arrive(d, i, (np_time)(i + 1) * MS, NP_SECOND);
		assert_true(conversation_cut_delays(d->receiver, &f));
		assert_int_equal(f.count, 1);
		assert_int_equal(f.max, (np_time)(i + 1) * MS);
	}
	receiver_stop(d->receiver);
	assert_true(
		np_delay_correct(&d->run->result.report.delays, &d->run->result.report.clock, &f));
	assert_int_equal(f.count, 3);
	assert_int_equal(f.min, MS);
	assert_int_equal(f.max, 3 * MS);
}

TEST(unknown_clocks_correct_nothing)
{
	const struct np_offset known = {.known = true, .offset = MS}, unknown = {.offset = MS};
	const struct np_histogram_figures none = {.count = 0}, one = {.count = 1, .max = 3 * MS};
	struct np_histogram_figures f;

	assert_false(np_delay_correct(&one, &unknown, &f));
	assert_false(np_delay_correct(&none, &known, &f));
	assert_true(np_delay_correct(&one, &known, &f));
	assert_int_equal(f.max, 2 * MS);
}

/* What is sent to warm up is no message of the run, which begins with the next START. */
TEST(warm_up)
{
	struct end *d = RECEIVER(.datagrams = true);
	struct message m = message_of(MESSAGE_DATA, 0), first;

	start(d, 3);
	m.flags = MESSAGE_WARM_UP;
	for (m.number = 0; m.number < 9; m.number++) {
		pass(d, 100 * MS);
		assert_int_equal(strays_after(d, &m), 0);
	}
	assert_true(d->run->warming && !figures_of(d).received && !d->run->messages);
	/* They are signs of life, but no run is made of them alone. */
	pass(d, 19 * NP_SECOND);
	take(d, &m);
	pass(d, 19 * NP_SECOND);
	assert_int_equal(FINISHED(d), 0);
	first = start_of(d, 3);
	take(d, &first);
	assert_false(d->run->warming);
	for (uint64_t i = 0; i < 3; i++) {
		/* One that was late. */
		take(d, &m);
		take_data(d, i);
	}
	/* It does not hold up the intervals. */
	assert_false(d->run->warming);
	assert_true(figures_of(d).received == 3 && !figures_of(d).lost);
	/* Now it would begin nothing. */
	assert_true(d->run->messages == 3);
	first = start_of(d, 3);
	take(d, &first);
	assert_true(figures_of(d).received == 3);
}
