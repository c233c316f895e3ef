// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * The sums over a result: combined rows, averages of nodes and cluster, who was lost.
 *
 * One sender's messages as they are counted: in order, lost, twice, late, stray; delays.
 */
#include "../../src/group-test/member/state.h"
#include "../../src/group-test/wire/result.h"
#include "support/unit.h"

#include <stdio.h>

static struct result_row row(uint64_t received, np_time first, np_time last)
{
	return (struct result_row){.counts.flows = 1,
				   .counts.sent = 100,
				   .counts.received = received,
				   .counts.lost = 100 - received,
				   .counts.bytes = received * 1000,
				   .streams = 1,
				   .counts.first = first,
				   .counts.last = last,
				   .exact = true,
				   .ended = true};
}

TEST(combined_spans_first_to_last)
{
	struct result_row rows[] = {row(100, 5, 50), row(90, 3, 40), row(0, 0, 0)};
	struct result_member member = {.reported = true, .row = rows, .rows = 3};
	struct result_row sum = result_combined(&member);

	assert_int_equal(sum.counts.sent, 300);
	assert_int_equal(sum.counts.received, 190);
	assert_int_equal(sum.counts.lost, 110);
	assert_int_equal(sum.counts.bytes, 190000);
	assert_int_equal(sum.counts.first, 3);
	assert_int_equal(sum.counts.last, 50);
	assert_true(sum.exact && sum.ended);
	rows[2].exact = false;
	assert_false(result_combined(&member).exact);
}

static struct np_drops_total dropped(uint64_t packets)
{
	return (struct np_drops_total){.known = true, .exact = true, .packets = packets};
}

/* The four places, as text. */
static const char *places(const struct result *result, const struct result_row *of)
{
	static char text[4 * NP_COUNT_TEXT + 4];
	const struct np_result r = result_of_row(result, &result->member[1], of);
	char a[NP_COUNT_TEXT], b[NP_COUNT_TEXT], c[NP_COUNT_TEXT], d[NP_COUNT_TEXT];

	snprintf(text, sizeof(text), "%s, %s, %s, %s", np_count_format(&r.lost_sender_host, a),
		 np_count_format(&r.lost_path, b), np_count_format(&r.lost_receiver_host, c),
		 np_count_format(&r.lost_unattributed, d));
	return text;
}

/* What neither host dropped was lost on the path, if both say all, and nothing is in doubt. */
TEST(where_messages_were_lost)
{
	struct result_row rows[] = {row(90, 5, 50)};
	struct result_member members[] = {
		{.outcome = FATE_REFUSED},
		{.reported = true, .row = rows, .rows = 1},
	};
	struct result result = {.members = 2, .member = members, .numbered = true};

	assert_string_equal(places(&result, rows), "unknown, >= 0, >= 0, 10");
	result.drop_most = 1;
	assert_string_equal(places(&result, rows), "unknown, 10, 0, 0");
	members[1].host.dropped = 4; /* perhaps not of these messages */
	assert_string_equal(places(&result, rows), "unknown, >= 6, >= 0, 4");
	rows[0].drops.total = dropped(3);
	members[1].sent_drops.total = dropped(5);
	assert_string_equal(places(&result, rows), "5, 2, 3, 0");
	/* A copy for this host leaves before the one for others is dropped. */
	rows[0].local = true;
	assert_string_equal(places(&result, rows), ">= 5, >= 1, >= 0, 4");
	members[1].sent_drops.total = dropped(0);
	assert_string_equal(places(&result, rows), "0, 7, 3, 0");
	rows[0].counts.duplicates = 1;
	assert_string_equal(places(&result, rows), "unknown, >= 6, >= 0, 4");
	rows[0] = row(100, 5, 50);
	assert_string_equal(places(&result, rows), "0, 0, 0, 0");
	assert_int_equal(result_of_member(&result, &members[1]).lost_path.known, NP_EXACT);
}

/* Percentiles, and how wrong they may be, are those of one sender's messages. */
TEST(combined_delay_is_of_a_sole_sender)
{
	struct result_row rows[] = {row(100, 5, 50), row(90, 3, 40)};
	struct result_member member = {.reported = true, .row = rows, .rows = 1};

	rows[0].delay.count = 100;
	rows[0].delay_bound = 7;
	assert_int_equal(result_combined(&member).delay.count, 100);
	assert_int_equal(result_combined(&member).delay_bound, 7);
	member.rows = 2;
	assert_int_equal(result_combined(&member).delay.count, 0);
}

/* Of jgroups3 the others' totals alone are known. */
TEST(combined_without_rows_is_the_total)
{
	const struct result_member member = {.reported = true, .total = {.counts.received = 7}};

	assert_int_equal(result_combined(&member).counts.received, 7);
}

TEST(each_paced_message_has_an_interval)
{
	struct result_row rows[] = {row(5, 1000, 1400), row(5, 1010, 1410), row(1, 1000, 1000)};
	struct result_member member = {.reported = true, .row = rows, .rows = 2};
	struct result_row sum;

	assert_int_equal(result_elapsed(&rows[0]), 400);
	rows[0].paced = 1;
	assert_int_equal(result_elapsed(&rows[0]), 500);
	/* Where one of two is not paced nothing is known of what follows. */
	sum = result_combined(&member);
	assert_int_equal(result_elapsed(&sum), 410);
	rows[1].paced = 1;
	sum = result_combined(&member);
	assert_int_equal(result_elapsed(&sum), 410 * 10 / 8);
	/* Five at once, twice. */
	rows[0].counts.received = 10;
	rows[0].paced = rows[0].streams = 5;
	assert_int_equal(result_elapsed(&rows[0]), 800);
	assert_true(result_rate_known(&rows[0]));
	rows[0].counts.received = 5;
	assert_false(result_rate_known(&rows[0]));
}

TEST(one_message_of_a_stream_has_no_rate)
{
	struct result_row rows[] = {row(1, 1000, 1000), row(1, 1001, 1001), row(0, 0, 0)};
	struct result_member member = {.reported = true, .row = rows, .rows = 3};
	struct result_row sum = result_combined(&member);
	const struct result result = {.members = 1, .member = &member};

	assert_false(result_rate_known(&rows[0]));
	assert_false(result_rate_known(&sum));
	assert_int_equal(result_average(&result).nodes, 0);
	rows[1].counts.received = 2;
	rows[1].counts.last = 1003;
	sum = result_combined(&member);
	assert_true(result_rate_known(&sum));
	assert_int_equal(result_average(&result).nodes, 1);
}

TEST(averages_are_of_those_that_reported)
{
	struct result_row a = row(100, 1, 1 + NP_SECOND), b = row(100, 1, 1 + 3 * NP_SECOND);
	struct result_row once = row(1, 1, 1);
	struct result_member members[] = {
		{.reported = true, .row = &a, .rows = 1},
		{.reported = true, .row = &b, .rows = 1},
		{.reported = false, .row = &a, .rows = 1},
		{.reported = true, .row = &once, .rows = 1},
	};
	const struct result result = {.members = 4, .member = members};
	struct result_average average = result_average(&result);

	assert_int_equal(average.nodes, 2);
	assert_float_equal(average.node_messages_per_s, (100 + 100.0 / 3) / 2, 1e-9);
	assert_float_equal(average.node_bytes_per_s, (100 + 100.0 / 3) / 2 * 1000, 1e-6);
	assert_float_equal(average.cluster_messages_per_s, 100, 1e-9);
	assert_float_equal(average.cluster_bytes_per_s, 100000, 1e-6);
	assert_int_equal(result_average(&(struct result){.members = 0}).nodes, 0);
}

TEST(the_lost_are_told_from_the_refused)
{
	struct result_member members[] = {{.reported = true}, {.outcome = FATE_REFUSED}};
	struct result result = {.members = 2, .member = members};

	assert_false(result_lost_members(&result));
	members[0].reported = false;
	assert_true(result_lost_members(&result));
	result.interrupted = true;
	assert_false(result_lost_members(&result));
	members[0].outcome = FATE_QUIT;
	assert_true(result_lost_members(&result));
	members[0].reported = true;
	result.interrupted = false;
	assert_true(result_lost_members(&result));
}

TEST(the_worst_row_is_the_loss)
{
	struct result_row a[] = {row(100, 1, 2), row(75, 1, 2)}, b = row(10, 1, 2);
	struct result_member members[] = {{.reported = true, .row = a, .rows = 2},
					  {.reported = false, .row = &b, .rows = 1},
					  {.reported = true, .total = row(80, 1, 2)}};
	struct result result = {.members = 3, .member = members};
	struct identity at = {};

	members[2].who.port[1] = 7;
	assert_float_equal(result_worst_loss(&result, &at), 25, 1e-9);
	members[2].total.counts.lost = 60;
	assert_float_equal(result_worst_loss(&result, &at), 60, 1e-9);
	assert_int_equal(at.port[1], 7);
	result.members = 0;
	assert_float_equal(result_worst_loss(&result, &at), 0, 1e-9);
}

static void count(struct tally *tally, uint64_t from, uint64_t to)
{
	for (uint64_t n = from, left = to - from + 1; left; n++, left--)
		tally_count(tally, n, 0, (np_time)(1000 + n % 100000), 10);
}

static struct result_row row_of(const struct tally *tally)
{
	struct result_row row = {.sender.port = {1, 2}};

	tally_row(tally, &row);
	assert_int_equal(row.sender.port[1], 2);
	return row;
}

#define NO_END UINT64_MAX
#define RANGES 3

enum { EXACT = 1, ENDED = 2, COMPLETE = 4 };

/* Which messages come, by number; what becomes of each kind, and when the first and last came. */
struct scene {
	uint64_t expected;	   /* as announced; 0: unknown */
	uint64_t came[2 * RANGES]; /* from, to, from, to */
	uint64_t end;		   /* how many the sender says */
	uint64_t after;		   /* a number that comes after that; 0: none */
	uint64_t sent, received, lost, duplicates, reordered, stray;
	np_time first, last;
	unsigned is;
};

TEST(one_senders_messages)
{
	static const uint64_t far = UINT64_C(1) << 40;
	const struct scene scenes[] = {
		/* All in order. */
		{100, {1, 100}, 100, 0, 100, 100, 0, 0, 0, 0, 1001, 1100, EXACT | ENDED | COMPLETE},
		/* Lost at both ends and between. */
		{100, {3, 50, 52, 97}, 100, 0, 100, 94, 6, 0, 0, 0, 1003, 1097, EXACT | ENDED},
		/* Late. */
		{100, {1, 40, 42, 100, 41, 41}, 100, 0, 100, 100, 0, 0, 1, 0, 1001, 1100, 7},
		/* Twice and stray: also the highest number and 0. */
		{100, {1, 100, 99, 102}, 100, 0, 100, 100, 0, 2, 0, 2, 1001, 1100, 7},
		{100, {1, 100, UINT64_MAX, 0}, 100, 0, 100, 100, 0, 0, 0, 2, 1001, 1100, 7},
		/* --duration: nobody announced how many. */
		{0, {1, 7, far, far}, NO_END, 0, 7, 7, 0, 0, 0, 1, 1001, 1007, 0},
		{0, {1, 7}, 9, 10, 9, 7, 2, 0, 0, 1, 1001, 1007, EXACT | ENDED},
		/* A killed sender: what it announced is expected, what must be missing is lost. */
		{100, {1, 10, 13, 20}, NO_END, 0, 100, 18, 2, 0, 0, 0, 1001, 1020, 0},
		/* An impossible end is none; one before what came is not exact. */
		{100, {1, 10}, 101, 0, 100, 10, 0, 0, 0, 0, 1001, 1010, 0},
		{100, {1, 10}, 5, 0, 5, 10, 0, 0, 0, 0, 1001, 1010, ENDED | COMPLETE},
		/* A number that the sender never wrote: what lies between is not lost. */
		{9999, {1, 90, 9000, 9000}, 100, 0, 100, 91, 9, 0, 0, 0, 1001, 10000, ENDED},
		{9999, {1, 90, 9000, 9020}, 100, 0, 100, 111, 0, 0, 0, 0, 1001, 10020, 6},
		/* Nothing sent, and all lost. */
		{100, {0}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, EXACT | ENDED | COMPLETE},
		{100, {0}, 100, 0, 100, 0, 100, 0, 0, 0, 0, 0, EXACT | ENDED},
	};

	for (const struct scene *s = scenes; s < scenes + sizeof(scenes) / sizeof(*scenes); s++) {
		struct tally opened = {}, *tally = &opened;
		struct result_row row;

		assert_int_equal(tally_open(tally, true, s->expected), 0);
		/* The second run begins at nothing. */
		for (unsigned run = 0; run < 2; run++, tally_clear(tally)) {
			for (unsigned i = 0; i < 2 * RANGES && (s->came[i] || s->came[i + 1]);
			     i += 2)
				count(tally, s->came[i], s->came[i + 1]);
			assert_false(tally_complete(tally));
			if (s->end != NO_END)
				tally_end(tally, s->end);
			if (s->after)
				count(tally, s->after, s->after);
			assert_int_equal(tally_complete(tally), !!(s->is & COMPLETE));
			row = row_of(tally);
			assert_int_equal(row.counts.sent, s->sent);
			assert_int_equal(row.counts.received, s->received);
			assert_int_equal(row.counts.lost, s->lost);
			assert_int_equal(row.counts.duplicates, s->duplicates);
			assert_int_equal(row.counts.reordered, s->reordered);
			assert_int_equal(row.counts.stray, s->stray);
			assert_int_equal(row.counts.bytes, 10 * s->received);
			assert_int_equal(row.counts.first, s->first);
			assert_int_equal(row.counts.last, s->last);
			assert_int_equal(row.delay.count, 0);
			assert_int_equal(row.exact, !!(s->is & EXACT));
			assert_int_equal(row.ended, !!(s->is & ENDED));
		}
		row = row_of(tally);
		assert_int_equal(row.counts.received + row.counts.lost + row.counts.bytes, 0);
		assert_false(row.ended);
		np_flow_free(tally->flow);
	}
}

TEST(delays_by_the_senders_clock)
{
	const struct np_offset ahead = {.known = true, .offset = 1000000, .bound = 50, .at = 0};
	struct tally opened = {}, *tally = &opened;
	struct result_row row;

	assert_int_equal(tally_open(tally, true, 100), 0);
	tally_count(tally, 1, 1000000, 10, 1);
	assert_int_equal(row_of(tally).delay.count, 0);
	np_flow_set_clock(tally->flow, &ahead);
	tally_count(tally, 2, 1000100, 300, 1);
	tally_count(tally, 3, 1000100, 500, 1);
	/* Neither twice nor stray. */
	tally_count(tally, 3, 1000100, 9000, 1);
	tally_count(tally, 500, 1000100, 9000, 1);
	row = row_of(tally);
	assert_int_equal(row.delay.count, 2);
	assert_int_equal(row.delay.min, 200);
	assert_int_equal(row.delay.max, 400);
	assert_int_equal(row.delay.mean, 300);
	assert_in_range(row.delay_bound, 50, 51);
	np_flow_free(tally->flow);
}

/* perf.Test's carry no number: as many as announced are all. */
TEST(counted_only)
{
	struct tally opened = {}, *tally = &opened;
	struct result_row row;

	assert_int_equal(tally_open(tally, false, 3), 0);
	tally_count(tally, 0, 0, 50, 10);
	tally_count(tally, 0, 0, 60, 10);
	assert_false(tally_complete(tally));
	tally_end(tally, 3);
	row = row_of(tally);
	assert_int_equal(row.counts.received, 2);
	assert_int_equal(row.counts.lost, 1);
	assert_false(row.exact);
	tally_count(tally, 0, 0, 70, 10);
	assert_true(tally_complete(tally));
	assert_int_equal(row_of(tally).counts.last, 70);
	np_flow_free(tally->flow);
}
