// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a receiver reports of a run's messages, and the delays of its intervals. */
#include "support/ttcp_receiver_desk.h"

#include <errno.h>

#define AHEAD (12 * NP_SECOND) /* of the desk's wall clock */

/* DATA @number, sent at its number in ms, comes @delay later by clocks @offset apart. */
static void arrive(struct desk *d, uint64_t number, np_time delay, np_time offset)
{
	struct message m = message_of(MESSAGE_DATA, number);

	m.time = d->now + AHEAD - offset - delay;
	take(d, &m);
}

static void damage_and_strays_are_reported_together(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = NETWORK_BYTES};
	const struct message damaged = message_of(MESSAGE_DATA, 3);
	const struct message_report *report = &run_of(d)->report;

	(void)state;
	start(d, 10);
	for (uint64_t i = 0; i < 3; i++)
		arrive(d, i, MS, 0);
	receiver_take_damaged(d->receiver, &source, &damaged, d->now);
	receiver_take_unknown(d->receiver, &source, 3, -EBADMSG, d->now);
	arrive(d, 10, MS, 0);
	take_end(d, 10);
	pass(d, NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(report->status, MESSAGE_SHORT);
	assert_true(report->exact);
	assert_int_equal(report->received, 3);
	assert_int_equal(report->lost, 7);
	assert_int_equal(report->damaged, 3);
	assert_int_equal(report->bytes, 3 * NETWORK_BYTES);
	assert_int_equal(report->delays.count, 3);
	assert_int_equal(report->delays.max, MS);
	desk_free(d);
}

/* Who came in the middle says of what was before it neither that it was lost nor that it came. */
static void a_late_receiver_reports_what_it_missed(void **state)
{
	struct desk *d = desk(true);
	const struct message_report *report = &run_of(d)->report;

	(void)state;
	for (uint64_t i = 600; i < 610; i++)
		if (i != 605)
			arrive(d, i, MS, 0);
	receiver_stop(d->receiver);
	assert_false(report->exact);
	assert_int_equal(report->received, 9);
	assert_int_equal(report->lost, 1);
	assert_int_equal(report->missed_before, 600);
	desk_free(d);
}

/* Each interval has its own delays, and the run has all. */
static void intervals_have_their_own_delays(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 3);
	struct np_histogram_figures f;

	(void)state;
	m.start.clock = (struct message_clock){.known = true, .offset = NP_SECOND, .bound = MS};
	prove(d, &m);
	for (uint64_t i = 0; i < 3; i++) {
		assert_false(conversation_cut_delays(&d->receiver->with, &f));
		arrive(d, i, (np_time)(i + 1) * MS, NP_SECOND);
		assert_true(conversation_cut_delays(&d->receiver->with, &f));
		assert_int_equal(f.count, 1);
		assert_int_equal(f.max, (np_time)(i + 1) * MS);
	}
	receiver_stop(d->receiver);
	assert_true(message_clock_correct(&run_of(d)->clock, &run_of(d)->report.delays, &f));
	assert_int_equal(f.count, 3);
	assert_int_equal(f.min, MS);
	assert_int_equal(f.max, 3 * MS);
	desk_free(d);
}

static void unknown_clocks_correct_nothing(void **state)
{
	const struct message_clock known = {.known = true, .offset = MS}, unknown = {.offset = MS};
	const struct np_histogram_figures none = {.count = 0}, one = {.count = 1, .max = 3 * MS};
	struct np_histogram_figures f;

	(void)state;
	assert_false(message_clock_correct(&unknown, &one, &f));
	assert_false(message_clock_correct(&known, &none, &f));
	assert_true(message_clock_correct(&known, &one, &f));
	assert_int_equal(f.max, 2 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damage_and_strays_are_reported_together),
		cmocka_unit_test(a_late_receiver_reports_what_it_missed),
		cmocka_unit_test(intervals_have_their_own_delays),
		cmocka_unit_test(unknown_clocks_correct_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
