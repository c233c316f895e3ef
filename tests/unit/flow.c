// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a flow counts: loss at both ends and between, messages that come again, late, stray, damaged
 * or in runs, what is between two marks; how it starts late and ends: what was announced, sent,
 * lost or never left its sender; delays by either clock, and how long they make its end wait.
 */
#include "support/counted_flow.h"
#include "support/unit.h"

#include <ctype.h>

/* Does a step: what is to be so of the life or of now, or as play() has it. */
static void follow(struct np_flow *flow, const char *step)
{
	const struct np_flow_counts counts = *step == 'n' ? now_of(flow) : life_of(flow);
	const char *text = text_of(&counts);

	if (!islower((unsigned char)*step))
		play(flow, step);
	else if (*step == 'c' || *step == 'i')
		assert_int_equal(np_flow_complete(flow), *step == 'c');
	else if (strcmp(text, step + strcspn(step, " ")) != 0)
		fail_msg("not \"%s\":%s", step, text);
	assert_int_equal(np_flow_received(flow), life_of(flow).received);
}

FLOW_TEST(courses)
{
	/* Steps as of support/counted_flow.h, and what is so then; complete, or incomplete. */
	static const struct {
		struct np_flow_plan plan;
		const char *steps;
	} rows[] = {
		/* All in order; before the end what was announced and has not come is not lost. */
		{{.first = 1, .announced = 100},
		 "1-99; life sent 99 received 99 bytes 9900 head_bytes 100 at 2-100 for 98; "
		 "100n E100 E100; life sent 100 received 100 bytes 10000 head_bytes 100 at 2-101 "
		 "for 99 known exact; complete"},
		/* Lost at the head, between and at the tail; out of order, again, stray, damaged.
		   Beyond the end there is none. What is not of the flow takes no time of it; a
		   second one does. */
		{{.first = 1},
		 "3-9n 13g 14-20n 12r 12d 0s 18446744073709551615s 9223372036854775808s S1 D2; "
		 "life sent 20 received 16 lost 4 duplicates 1 reordered 1 stray 4 damaged 2 "
		 "offset_sum 6 extent_sum 8 extent_max 8 gaps 1 gaps 3 gaps 4000000 bytes 1600 "
		 "head_bytes 100 at 4-21 for 17; E25; life sent 25 received 16 lost 9 duplicates 1 "
		 "reordered 1 stray 4 damaged 2 offset_sum 6 extent_sum 8 extent_max 8 gaps 1 gaps "
		 "3 gaps 4000000 bytes 1600 head_bytes 100 at 4-21 for 17 known exact; incomplete; "
		 "25g 26s 99@1000s; life sent 25 received 17 lost 8 duplicates 1 reordered 1 stray "
		 "6 damaged 2 offset_sum 6 extent_sum 8 extent_max 8 gaps 2 gaps 7 gaps 17000000 "
		 "bytes 1700 head_bytes 100 at 4-26 for 22 known exact; 25@1000d; "
		 "life sent 25 received 17 lost 8 duplicates 2 reordered 1 stray 6 damaged 2 "
		 "offset_sum 6 extent_sum 8 extent_max 8 gaps 2 gaps 7 gaps 17000000 bytes 1700 "
		 "head_bytes 100 at 4-1000 for 996 known exact"},
		/* Of what is below the window nobody can tell whether it came before. */
		{{.first = 1},
		 "1-2n 4g 5-3000n 2l E3000; life sent 3000 received 2999 late 1 gaps 1 gaps 1 gaps "
		 "2000000 bytes 299900 head_bytes 100 at 2-3001 for 2999 known; incomplete"},
		/* A number from 0 on, reordered before the first mark, is of now. */
		{{.first = 0},
		 "1-2 0r; now sent 3 received 3 reordered 1 offset_sum 2 extent_sum 2 extent_max 2 "
		 "bytes 300 head_bytes 100 at 2-3 for 1; E2; "
		 "life sent 3 received 3 reordered 1 offset_sum 2 extent_sum 2 extent_max 2 bytes "
		 "300 head_bytes 100 at 2-3 for 1 known exact; complete"},
		/* Nobody announced how many: a number far beyond the highest is none of the flow,
		   of a run its last one; one below takes nothing back. */
		{{.first = 1, .reach = 50},
		 "51s 50n 100s 99g 2r 100+20 170s 168g !E218 E170 170g 171s; "
		 "life sent 170 received 25 lost 145 reordered 1 stray 4 offset_sum 2 extent_sum 2 "
		 "extent_max 2 gaps 3 gaps 97 gaps 119000000 bytes 2500 head_bytes 100 at 51-171 "
		 "for 120 known exact; incomplete"},
		{{.first = 1, .announced = 10, .reach = 50},
		 "9n 11s; life sent 9 received 1 lost 8 stray 1 bytes 100 head_bytes 100 at 10-10"},
		/* Between two marks: growth of the highest number, first arrivals above the former
		   one. */
		{{.first = 1},
		 "1-4n 6g D1 S1; now sent 6 received 5 lost 1 stray 1 damaged 1 gaps 1 gaps 1 gaps "
		 "2000000 bytes 500 head_bytes 100 at 2-7 for 5; M8; now at 8-8; "
		 "5r 7n 7d 9g D2 S1; now sent 3 received 2 lost 1 duplicates 1 stray 1 damaged 2 "
		 "gaps 1 gaps 1 gaps 2000000 bytes 200 at 8-10 for 2; M10; now at 10-10"},
		/* Ends that cannot be: beyond what was announced, or 2^63, which no announcement
		   makes possible. */
		{{.first = 1, .announced = 10},
		 "!E11; life; incomplete; E10; life sent 10 lost 10 known exact; incomplete"},
		{{.first = 1}, "!E9223372036854775808; life; incomplete"},
		{{.first = 1, .announced = UINT64_C(1) << 63},
		 "!E9223372036854775808; life; incomplete"},
		/* More came than it says; the gap before a number that its sender never wrote is no
		   loss, nor are those that it made too old. */
		{{.first = 1},
		 "1-5n E4; life sent 5 received 5 bytes 500 head_bytes 100 at 2-6 for 4; complete"},
		{{.first = 1},
		 "1-5n 500g; life sent 500 received 6 lost 494 gaps 1 gaps 494 gaps 495000000 "
		 "bytes 600 head_bytes 100 at 2-501 for 499; E10; "
		 "life sent 10 received 6 lost 4 gaps 1 gaps 494 gaps 495000000 bytes 600 "
		 "head_bytes 100 at 2-501 for 499; incomplete"},
		{{.first = 1},
		 "1-5n 5000g 6l E10; life sent 10 received 6 lost 3 late 1 gaps 1 gaps 4994 gaps "
		 "4995000000 bytes 600 head_bytes 100 at 2-5001 for 4999; incomplete"},
		/* Announcements that no number can reach are limits, too. */
		{{.first = 1, .announced = UINT64_MAX},
		 "9223372036854775807n; life sent 9223372036854775807 received 1 lost "
		 "9223372036854775806 bytes 100 head_bytes 100 at 4.29497e+09-4.29497e+09"},
		{{.first = INT64_MAX - 1, .announced = 5},
		 "9223372036854775807n 9223372036854775808s; "
		 "life sent 2 received 1 lost 1 stray 1 bytes 100 head_bytes 100 at "
		 "4.29497e+09-4.29497e+09"},
		/* Nothing was sent; an end below the first number alike. */
		{{.first = 1, .announced = 100}, "E0; life known exact; complete"},
		{{.first = 1}, "E18446744073709551615; life known exact; complete"},
		{{.first = 1}, "E100; now sent 100 lost 100 known exact; incomplete"},
		/* What was announced and has not come may never have been sent. */
		{{.first = 1, .announced = 100},
		 "1-10n 13g 14-20n; life sent 20 received 18 lost 2 gaps 1 gaps 2 gaps 3000000 "
		 "bytes 1800 head_bytes 100 at 2-21 for 19; "
		 "E30; life sent 30 received 18 lost 12 gaps 1 "
		 "gaps 2 gaps 3000000 bytes 1800 head_bytes 100 at 2-21 for 19 known exact; "
		 "incomplete"},
		/* What the sender's host refused is neither sent nor lost; but no more of it than
		   is missing. */
		{{.first = 1},
		 "1-4n 11g 12n E14; life sent 14 received 6 lost 8 gaps 1 gaps 6 gaps 7000000 "
		 "bytes 600 head_bytes 100 at 2-13 for 11 known exact; "
		 "now sent 14 received 6 lost 8 gaps 1 gaps 6 gaps 7000000 bytes 600 head_bytes "
		 "100 at 2-13 for 11 known exact; incomplete; M1000; now at 1000-1000 known exact"},
		{{.first = 1},
		 "1-4n 11g 12n E14/3; now sent 11 received 6 lost 5 unsent 3 gaps 1 gaps 6 gaps "
		 "7000000 bytes 600 head_bytes 100 at 2-13 for 11 known exact; incomplete"},
		{{.first = 1},
		 "1-4n 11g 12n E14/8; now sent 6 received 6 unsent 8 gaps 1 gaps 6 gaps 7000000 "
		 "bytes 600 head_bytes 100 at 2-13 for 11 known exact; complete"},
		{{.first = 1},
		 "1-4n 11g 12n E14/9; now sent 6 received 6 unsent 8 gaps 1 gaps 6 gaps 7000000 "
		 "bytes 600 head_bytes 100 at 2-13 for 11 known exact; complete; M1000; "
		 "now at 1000-1000 known exact; complete"},
		/* A flow that had begun before: what is below the lowest that comes was not to be
		   counted; of the unsent nobody knows when that was. */
		{{.first = 1, .late = true},
		 "life; 101-103n 100r 106g; life sent 7 received 5 lost 2 reordered 1 offset_sum 3 "
		 "extent_sum 3 extent_max 3 gaps 1 gaps 2 gaps 6000000 missed_before 99 bytes 500 "
		 "head_bytes 100 at 102-107 for 5; E110/4; "
		 "life sent 11 received 5 lost 6 reordered 1 unsent_perhaps 4 offset_sum 3 "
		 "extent_sum 3 extent_max 3 gaps 1 gaps 2 gaps 6000000 missed_before 99 bytes 500 "
		 "head_bytes 100 at 102-107 for 5 known; incomplete"},
		{{.first = 1, .late = true}, "E7; life missed_before 7 known; incomplete"},
		{{.first = 1, .late = true}, "E0; life known exact; complete"},
		{{.first = 1, .late = true},
		 "1-2n E5; life sent 5 received 2 lost 3 bytes 200 head_bytes 100 at 2-3 for 1 "
		 "known exact; incomplete; E5/1; life sent 5 received 2 lost 3 unsent_perhaps 1 "
		 "bytes 200 head_bytes 100 at 2-3 for 1 known; incomplete"},
		{{.first = 1, .late = true},
		 "0n; life sent 1 received 1 bytes 100 head_bytes 100 at 1-1"},
		{{.first = 1, .late = true},
		 "101n 110g E104; life sent 4 received 2 lost 2 gaps 1 gaps 8 gaps 9000000 "
		 "missed_before 100 bytes 200 head_bytes 100 at 102-111 for 9; incomplete"},
		/* A message from before the mark corrects the life alone, in order or not: its
		   bytes, too. */
		{{.first = 1},
		 "1+10 E20 M1 11+1 12+2 16+1 15+1; now at 1-17 for 16 known exact; incomplete"},
		/* All numbers are above a mark that was set before the first arrived, even number
		   0. */
		{{.late = true},
		 "M 1+1 0+1; now sent 2 received 2 reordered 1 offset_sum 1 extent_sum 1 "
		 "extent_max 1 bytes 200 at 0-2 for 2"},
		/* Of messages that arrive together, those beyond the limit are stray. */
		{{.first = 1, .announced = 10},
		 "1+4 5+9; life sent 10 received 10 stray 3 bytes 1000 head_bytes 400 at 2-6 for 4 "
		 "known exact; complete"},
		/* What never left the sender is not waited for, be it less or more than what
		   arrived. */
		{{.first = 1},
		 "1+9 E12/2; life sent 10 received 9 lost 1 unsent 2 bytes 900 head_bytes 900 at "
		 "2-2 known exact; incomplete; 10+1; life sent 10 received 10 unsent 2 bytes 1000 "
		 "head_bytes 900 at 2-11 for 9 known exact; complete; E12/1; "
		 "life sent 11 received 10 lost 1 unsent 1 bytes 1000 head_bytes 900 at 2-11 for 9 "
		 "known exact; incomplete"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char steps[1024], *rest = strcpy(steps, rows[i].steps), *step;

		start(flow, &rows[i].plan);
		while ((step = strsep(&rest, ";")))
			follow(flow, step + strspn(step, " "));
	}
}

FLOW_TEST(without_numbers)
{
	struct np_flow_counts c;

	c = life_of(flow);
	assert_true(np_flow_counts_share(&c) == 0);
	np_flow_add_unnumbered(flow, 3, 1500, BEGIN);
	np_flow_add_unnumbered(flow, 1, 500, BEGIN + 10 * MS);
	c = life_of(flow);
	assert_true(c.sent == 4 && c.received == 4 && c.bytes == 2000 && !c.sent_known);
	assert_true(c.elapsed == 10 * MS && c.head_bytes == 1500);
	assert_true(np_flow_counts_share(&c) == 0.25);
	assert_int_equal(np_flow_received(flow), 4);
	np_flow_mark(flow, BEGIN + 20 * MS);
	np_flow_add_unnumbered(flow, 2, 100, BEGIN + 30 * MS);
	c = now_of(flow);
	assert_true(c.sent == 2 && c.received == 2 && c.bytes == 100 && c.elapsed == 10 * MS);
	start(flow, &(struct np_flow_plan){.late = true});
	np_flow_add_unnumbered(flow, 1, 1, BEGIN);
	assert_true(np_flow_end(flow, 3, 0));
	assert_int_equal(life_of(flow).missed_before, 3);
}

/* Over a stream it is known when a message begins: what came then took no time. */
FLOW_TEST(one_that_opens)
{
	struct np_flow_counts c;

	np_flow_open(flow, 30, BEGIN);
	c = life_of(flow);
	assert_true(c.head_bytes == 0 && c.first == BEGIN && c.elapsed == 0);
	np_flow_open(flow, 20, BEGIN);
	np_flow_open(flow, 10, BEGIN + MS);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 2 * MS);
	c = life_of(flow);
	assert_true(c.head_bytes == 50 && c.elapsed == 2 * MS && c.bytes == BYTES);
	assert_true(np_flow_counts_share(&c) == 0.5);
	/* Behind as long a pause at most the time goes on; ... */
	np_flow_open(flow, 10, BEGIN + 4 * MS);
	(void)np_flow_add(flow, 2, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	c = life_of(flow);
	assert_true(c.head_bytes == 50 && c.elapsed == 9 * MS);
	/* ... behind a longer one it starts with the whole message: its parts came at once. */
	start(flow, &(struct np_flow_plan){.first = 1});
	np_flow_open(flow, 30, BEGIN);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 2 * MS);
	np_flow_open(flow, 10, BEGIN + 5 * MS);
	(void)np_flow_add(flow, 2, 1, BYTES, BEGIN, BEGIN + 6 * MS);
	c = life_of(flow);
	assert_true(c.head_bytes == BYTES && c.first == BEGIN + 2 * MS && c.elapsed == 4 * MS);
}

static void assert_same(struct np_flow *a, struct np_flow *b)
{
	struct np_flow_counts x, y;
	struct np_histogram_figures p, q;

	np_flow_life(a, &x);
	np_flow_life(b, &y);
	assert_equal(x, &y);
	np_flow_now(a, &x);
	np_flow_now(b, &y);
	assert_equal(x, &y);
	np_histogram_figures(np_flow_delay(a), &p);
	np_histogram_figures(np_flow_delay(b), &q);
	assert_memory_equal(&p, &q, sizeof(p));
}

/* A run is what its messages are one by one: in order, again, behind gaps, beyond the end. */
TEST_OF(struct np_flow *one, create_flow, destroy_flow, runs)
{
	static const struct {
		uint64_t number, count;
	} steps[] = {
		{0, 44},  {44, 1},    {45, 0},	{45, 44},   {89, 3},   {92, 10},
		{80, 20}, {110, 20},  {100, 5}, {103, 10},  {130, 40}, {165, 44},
		{50, 5},  {209, 500}, {709, 4}, {900, 200},
	};
	const struct np_flow_plan plan = {.announced = 1000, .raw_delays = true};
	struct np_flow *by_one;

	assert_int_equal(np_flow_create(&by_one, 1024), 0);
	start(one, &plan);
	start(by_one, &plan);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		const np_time sent = BEGIN + (np_time)i * MS, at = sent + (np_time)(i % 3) * 1000;
		uint64_t came = 0;

		for (uint64_t j = 0; j < steps[i].count; j++)
			came += np_flow_add(by_one, steps[i].number + j, 1, BYTES, sent, at);
		assert_int_equal(np_flow_add(one, steps[i].number, steps[i].count, BYTES, sent, at),
				 came);
		assert_same(one, by_one);
		if (i == 9) {
			np_flow_mark(one, at);
			np_flow_mark(by_one, at);
		}
	}
	np_flow_end(one, 950, 0);
	np_flow_end(by_one, 950, 0);
	np_flow_add(one, 940, 20, BYTES, BEGIN, BEGIN);
	for (uint64_t j = 0; j < 20; j++)
		np_flow_add(by_one, 940 + j, 1, BYTES, BEGIN, BEGIN);
	assert_same(one, by_one);
	np_flow_free(by_one);
}

/* What may never have left the sender is not put on the way. */
TEST(whose_loss)
{
	const struct np_loss_drops drops = {.least = 4, .upmost = 4, .most = 1};
	struct np_flow_counts c = {.sent = 20, .lost = 10, .sent_known = true};
	struct np_loss loss = np_flow_attribute(&c, &drops);

	assert_true(loss.path == 6 && loss.host == 4 && loss.unattributed == 0 && loss.exact);
	c.unsent_perhaps = 5;
	loss = np_flow_attribute(&c, &drops);
	assert_true(loss.path == 1 && loss.host == 4 && loss.unattributed == 5 && !loss.exact);
	c.unsent_perhaps = 8;
	loss = np_flow_attribute(&c, &drops);
	assert_true(loss.path == 0 && loss.host == 4 && loss.unattributed == 6 && !loss.exact);
	c.unsent_perhaps = 0;
	loss = np_flow_attribute(&c, NULL);
	assert_true(loss.path == 0 && loss.host == 0 && loss.unattributed == 10 && !loss.exact);
	c.lost = 0;
	assert_true(np_flow_attribute(&c, NULL).exact);
}

FLOW_TEST(delays_as_the_clocks_have_them)
{
	const struct np_flow_plan raw = {.first = 1, .raw_delays = true};
	struct np_histogram_figures f;

	assert_null(np_flow_delay(flow));
	start(flow, &raw);
	(void)np_flow_add(flow, 1, 3, BYTES, BEGIN + NP_SECOND, BEGIN);
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN + NP_SECOND, BEGIN + 4 * MS);
	/* Neither again nor stray. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	(void)np_flow_add(flow, UINT64_MAX, 1, BYTES, BEGIN, BEGIN + 9 * MS);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 4);
	assert_int_equal(f.min, -NP_SECOND);
	assert_int_equal(f.mean, -NP_SECOND + MS);
	assert_int_equal(f.max, -NP_SECOND + 4 * MS);
	assert_int_equal(np_flow_delay_bound(flow), 0);
	start(flow, &raw);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 0);
}

FLOW_TEST(delays_by_the_senders_clock)
{
	struct np_offset ahead = {.offset = 5 * NP_SECOND, .bound = 50, .at = BEGIN};
	struct np_histogram_figures f;

	np_flow_set_clock(flow, &ahead);
	assert_null(np_flow_delay(flow));
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN);
	ahead.known = true;
	np_flow_set_clock(flow, &ahead);
	(void)np_flow_add(flow, 2, 2, BYTES, BEGIN + 5 * NP_SECOND, BEGIN + 200);
	/* 100 us of drift a second; and one that the clocks' error would make negative. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN + 6 * NP_SECOND, BEGIN + NP_SECOND + 300);
	(void)np_flow_add(flow, 5, 1, BYTES, BEGIN + 6 * NP_SECOND, BEGIN);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_true(f.count == 4 && f.min == 0 && f.max == 300 && f.mean == 175 && f.p50 == 200);
	assert_int_equal(np_flow_delay_bound(flow), 50 + 100 * NP_MICROSECOND);
	/* The next run knows it from its start; once it is not known, none are counted. */
	start(flow, &(struct np_flow_plan){.first = 1});
	assert_int_equal(np_flow_delay_bound(flow), 0);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN + 5 * NP_SECOND, BEGIN + 7);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_true(f.count == 1 && f.p50 == 7 && f.max == 7);
	ahead.known = false;
	np_flow_set_clock(flow, &ahead);
	arrive_all(flow, 2, 2);
	np_histogram_figures(np_flow_delay(flow), &f);
	assert_int_equal(f.count, 1);
}

/* The same clock has no error, however old what is known of it. */
FLOW_TEST(delays_by_our_clock)
{
	np_flow_set_clock(flow, &(struct np_offset){.known = true});
	arrive_all(flow, 1, 5);
	assert_int_equal(np_flow_delay_bound(flow), 0);
}

/* What is waited for behind an end follows the delays seen, forged ones within bounds. */
FLOW_TEST(grace_follows_delays)
{
	struct np_flow_spread spread = {0};

	np_flow_spread(flow, &spread);
	assert_false(spread.known);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 300 * MS);
	np_flow_spread(flow, &spread);
	assert_true(spread.known && spread.least == 300 * MS && spread.most == 300 * MS);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	(void)np_flow_add(flow, 2, 1, BYTES, BEGIN, BEGIN + 200 * MS);
	(void)np_flow_add(flow, 3, 1, BYTES, BEGIN, BEGIN + 250 * MS);
	np_flow_spread(flow, &spread);
	assert_true(spread.least == 200 * MS && spread.most == 300 * MS);
	assert_int_equal(np_flow_grace(&spread), 200 * MS);
	spread.most = spread.least + 150 * MS;
	assert_int_equal(np_flow_grace(&spread), 300 * MS);
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 900 * MS);
	/* Those that come again were under way for somebody else's reasons. */
	(void)np_flow_add(flow, 4, 1, BYTES, BEGIN, BEGIN + 9000 * MS);
	np_flow_spread(flow, &spread);
	assert_int_equal(np_flow_grace(&spread), 1400 * MS);
	start(flow, &(struct np_flow_plan){.first = 1});
	(void)np_flow_add(flow, 1, 1, BYTES, BEGIN, BEGIN + 250 * MS);
	np_flow_spread(flow, &spread);
	assert_int_equal(np_flow_grace(&spread), 1400 * MS);
	spread.most = spread.least + 5 * NP_SECOND;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND);
	spread.most = spread.least + 5 * NP_SECOND - 1;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND - 2);
	spread.most = INT64_MAX;
	spread.least = INT64_MIN;
	assert_int_equal(np_flow_grace(&spread), 10 * NP_SECOND);
}
