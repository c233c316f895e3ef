// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* find: which rates --find-rate tries on paths that are made up, and what it finds. */
#include "page.h"
#include "support/unit.h"

#include <netperf/result.h>
#include <stdlib.h>
#include <string.h>

/*
 * A path that carries @capacity, loses @percent of everything, and a host that sends @fastest; of
 * trial @stopped, from 1, it sends half, of @deaf half arrives.
 */
struct path {
	double capacity, percent, fastest;
	unsigned stopped, deaf;
};

#define PACKETS 1e9

static struct np_find_trial trial_of(double asked, double sent, double received, uint64_t packets,
				     uint64_t lost)
{
	return (struct np_find_trial){
		.asked = asked,
		.sent = sent,
		.received = received,
		.result = {.sent = NP_COUNT_EXACT(packets), .lost = NP_COUNT_EXACT(lost)},
	};
}

static struct np_find walk(struct path path, double most, double loss_percent)
{
	struct np_find s = {.most = most, .least = 100, .loss_percent = loss_percent};
	double rate;

	while ((rate = np_find_next(&s)) != NP_FIND_OVER) {
		const double can = rate > 0 && rate < path.fastest ? rate : path.fastest,
			     sent = s.trials + 1 == path.stopped ? can / 2 : can,
			     passed = sent < path.capacity ? sent : path.capacity,
			     came = passed * (1 - path.percent / 100) *
				    (s.trials + 1 == path.deaf ? 0.5 : 1);
		const uint64_t lost = (uint64_t)(PACKETS * (1 - came / sent));
		struct np_find_trial trial = trial_of(rate, sent, came, (uint64_t)PACKETS, lost);

		np_find_take(&s, &trial);
	}
	return s;
}

static void take(struct np_find *s, double rate, uint64_t lost)
{
	struct np_find_trial trial = trial_of(rate, rate, rate - (double)lost, 1000, lost);

	np_find_take(s, &trial);
}

/* Within the resolution below @capacity, in few trials. */
static void expect_found(struct path path, double most, double loss_percent, double capacity)
{
	const struct np_find s = walk(path, most, loss_percent);
	const struct np_find_rate *limit, *found = np_find_found(&s, &limit);

	assert_non_null(found);
	assert_true(found->rate <= capacity * 1.0001);
	assert_true(found->rate >= capacity * 0.985);
	assert_int_equal(found->trials, NP_FIND_REPEATS);
	assert_in_range(s.trials, NP_FIND_REPEATS, path.stopped || path.deaf ? 28 : 16);
	assert_true(!limit || limit->trial.verdict != NP_FIND_PASSED);
}

TEST(what_the_path_carries_is_found)
{
	static const double capacities[] = {2000, 1e5, 12.5e6, 1.2e9};

	for (size_t i = 0; i < sizeof(capacities) / sizeof(*capacities); i++) {
		const double c = capacities[i];

		expect_found((struct path){.capacity = c, .fastest = 1e10}, 0, 0, c);
		expect_found((struct path){.capacity = c, .fastest = 1.005 * c}, 0, 0, c);
		expect_found((struct path){.capacity = c, .fastest = 1e10}, 3 * c, 0, c);
		/* Two percent more than it carries may be lost. */
		expect_found((struct path){.capacity = c, .fastest = 1e10}, 0, 2, c / 0.98);
		expect_found((struct path){.capacity = c, .percent = 1, .fastest = 1e10}, 0, 1.5,
			     c * 0.99 / 0.985);
	}
}

/* A path that carries 1000 bytes a second, and keeps all the rest. */
TEST(what_waits_in_a_queue_did_not_arrive)
{
	struct np_find s = {.least = 1, .most = 5000};
	const struct np_find_rate *limit, *found;
	struct page *page = page_open();
	double rate;

	while ((rate = np_find_next(&s)) != NP_FIND_OVER) {
		struct np_find_trial trial =
			trial_of(rate, rate, rate < 1000 ? rate : 1000, 1000, 0);

		np_find_take(&s, &trial);
		np_find_print(page->out, &s, &trial, false);
		assert_int_equal(trial.verdict,
				 rate > 1000 / 0.985 ? NP_FIND_QUEUED : NP_FIND_PASSED);
	}
	assert_in_range(s.trials, NP_FIND_REPEATS, 16);
	assert_non_null(found = np_find_found(&s, &limit));
	assert_int_equal(limit->trial.verdict, NP_FIND_QUEUED);
	assert_int_equal(limit->failures, NP_FIND_FAILURES);
	assert_true(found->low <= 1000 && found->rate >= 990);
	page_holds(page, "  queue\n");
	assert_int_equal(np_find_conclude(&s, page->out, NULL, NULL, false, false), 0);
	page_holds(page, "found: 8.00 kbit/s");
	page_holds(page, "limit: a queue, which let 8.00 kbit/s of 8.");
	page_close(page);
}

/*
 * Of 100 packets in 0.3 s the last one waits, and up to five are lost, as they may. The received
 * rate has one packet more than its time.
 */
TEST(a_few_ms_are_no_queue)
{
	for (unsigned lost = 0; lost <= 5; lost++) {
		for (unsigned wait = 0; wait <= 30; wait++) {
			struct np_find s = {.least = 1, .most = 100 / 0.3, .loss_percent = 5};
			struct np_find_trial trial = trial_of(
				s.most, s.most, (100 - lost) / (0.3 * 99 / 100 + wait / 1000.0),
				100, lost);

			np_find_take(&s, &trial);
			assert_int_equal(trial.verdict,
					 wait <= 7 ? NP_FIND_PASSED : NP_FIND_QUEUED);
		}
	}
}

/* Whichever it is, and at whichever rate: the limit has failed twice. */
TEST(one_disturbed_trial_is_no_limit)
{
	for (unsigned i = 1; i <= 16; i++) {
		struct path path = {.capacity = 1e5, .fastest = 1e10, .stopped = i};

		expect_found(path, 2e5, 0, 1e5);
		expect_found(path, 1e5, 0, 1e5);
		path.stopped = 0;
		path.deaf = i;
		expect_found(path, 2e5, 0, 1e5);
		expect_found(path, 1e5, 0, 1e5);
		expect_found(path, 0, 0, 1e5);
	}
	/* Of one that was stopped for most of it the little that came, came fast: no higher is
	 * tried. */
	struct np_find burst = {.least = 1, .most = 1000};
	struct np_find_trial trial = trial_of(1000, 10, 1100, 10, 0);

	np_find_take(&burst, &trial);
	assert_true(np_find_next(&burst) < 1000);
	/* Not even where no lower rate has packets enough. */
	struct np_find s = {.least = 999, .most = 1000};

	take(&s, 1000, 500);
	assert_true(np_find_next(&s) == 1000);
	take(&s, 1000, 0);
	assert_true(np_find_next(&s) == 1000);
	take(&s, 1000, 500);
	assert_true(np_find_next(&s) == NP_FIND_OVER);
}

TEST(a_limit_above_is_the_rate_or_the_host)
{
	const struct path free = {.capacity = 1e12, .fastest = 1e9};
	const struct np_find_rate *limit;
	struct np_find s = walk(free, 5e8, 0);

	assert_int_equal(s.trials, NP_FIND_REPEATS);
	assert_true(np_find_found(&s, &limit)->rate == 5e8);
	assert_null(limit);
	s = walk(free, 0, 0);
	assert_int_equal(s.trials, NP_FIND_REPEATS);
	assert_true(np_find_found(&s, &limit)->rate == 1e9);
	/* More than the host sends. */
	s = walk(free, 2e9, 0);
	assert_non_null(np_find_found(&s, &limit));
	assert_int_equal(limit->trial.verdict, NP_FIND_BEHIND);
	expect_found(free, 2e9, 0, 1e9 / 0.99);
}

TEST(where_everything_loses_nothing_is_found)
{
	const struct np_find s = walk((struct path){1e7, 1, 1e9, 0, 0}, 0, 0.5);
	const struct np_find_rate *limit;

	assert_null(np_find_found(&s, &limit));
	assert_in_range(s.count, 2, NP_FIND_RATES - 1);
	assert_true(s.rate[s.count - 1].rate >= s.least);
}

/* One that passed, and then failed, did not pass; and nothing above a rate that failed counts. */
TEST(luck_is_no_result)
{
	struct np_find s = {.least = 1, .most = 1000};
	const struct np_find_rate *limit;

	take(&s, 1000, 0);
	take(&s, 1000, 0);
	assert_true(np_find_next(&s) == 1000);
	take(&s, 1000, 1);
	assert_null(np_find_found(&s, &limit));
	assert_true(limit->rate == 1000 && limit->low == 999 && limit->high == 1000);
	assert_true(np_find_next(&s) == 500);
	take(&s, 500, 0);
	take(&s, 500, 0);
	assert_true(np_find_next(&s) == 750);
	take(&s, 500, 1);
	assert_true(np_find_next(&s) == 250);
	take(&s, 750, 0);
	assert_true(np_find_next(&s) == 250);
}

/* The first rate may be of too few packets: whether it passes or fails, nothing is found. */
TEST(few_packets_find_nothing)
{
	for (uint64_t lost = 0; lost <= 1; lost++) {
		struct np_find s = {.least = 1001, .most = 1000};

		take(&s, 1000, lost);
		assert_true(np_find_next(&s) == NP_FIND_OVER);
	}
}

/* Half of a rate that failed may be of too few packets: then it is the lowest one's turn. */
TEST(the_lowest_rate_is_tried)
{
	struct np_find s = {.least = 600, .most = 1000};

	take(&s, 1000, 1);
	for (unsigned i = 0; i < NP_FIND_FAILURES; i++)
		take(&s, np_find_next(&s), 1);
	assert_true(np_find_next(&s) == 600);
	take(&s, 600, 0);
	assert_true(np_find_next(&s) > 600);
}

/* What is lost after a stall of the sender says nothing, unless it is so each time. */
TEST(a_rate_is_tried_again_after_a_stall)
{
	struct np_find s = {.least = 1, .most = 1000};
	const struct np_find_rate *limit;
	struct np_find_trial trial = trial_of(1000, 1000, 900, 100, 10);

	trial.behind = 20 * NP_MILLISECOND;
	for (unsigned i = 1; i <= NP_FIND_STALLS; i++) {
		assert_true(np_find_next(&s) == 1000);
		np_find_take(&s, &trial);
		assert_int_equal(trial.verdict, NP_FIND_STALLED);
		assert_int_equal(s.trials, i);
		assert_int_equal(s.count, 0);
	}
	np_find_take(&s, &trial);
	assert_int_equal(trial.verdict, NP_FIND_LOST);
	assert_null(np_find_found(&s, &limit));
	assert_true(limit->rate == 1000 && limit->trials == 1);
	/* Another rate has tries of its own. */
	trial.asked = np_find_next(&s);
	assert_true(trial.asked < 1000);
	np_find_take(&s, &trial);
	assert_int_equal(trial.verdict, NP_FIND_STALLED);
	/* What waits in a queue after a stall may be the burst, too. */
	s.stalls = 0;
	trial.received = trial.asked / 2;
	trial.result.lost.n = 0;
	np_find_take(&s, &trial);
	assert_int_equal(trial.verdict, NP_FIND_STALLED);
	trial.result.lost.n = 10;
	/* Without a stall it counts at once, and so does what passes. */
	trial.behind = 0;
	np_find_take(&s, &trial);
	assert_int_equal(trial.verdict, NP_FIND_LOST);
}

/* Of 50 packets that were due 49 are sent at the rate, 48 are not. */
TEST(one_packet_is_no_delay)
{
	for (uint64_t sent = 48; sent <= 49; sent++) {
		struct np_find s = {.least = 1, .most = 50};
		struct np_find_trial trial = trial_of(50, (double)sent, (double)sent, sent, 0);

		np_find_take(&s, &trial);
		assert_int_equal(trial.verdict, sent == 49 ? NP_FIND_PASSED : NP_FIND_BEHIND);
	}
}

/* A host that keeps 99 % of what was asked has sent no more, now and then a little less. */
TEST(what_is_found_was_sent)
{
	struct np_find s = {.least = 1, .most = 1000};
	const struct np_find_rate *limit, *found;
	struct page *page = page_open();

	for (unsigned i = 0; i < NP_FIND_REPEATS; i++) {
		struct np_find_trial trial = trial_of(1000, i == 1 ? 992 : 995, 995, 1000, 0);

		assert_true(np_find_next(&s) == 1000);
		np_find_take(&s, &trial);
	}
	assert_true(np_find_next(&s) == NP_FIND_OVER);
	found = np_find_found(&s, &limit);
	assert_non_null(found);
	assert_true(found->rate == 1000 && found->sent == 992);
	assert_int_equal(np_find_conclude(&s, page->out, NULL, NULL, false, false), 0);
	page_holds(page, "found: 7.94 kbit/s, 0 % lost, received 7.96 kbit/s to 7.96 kbit/s in 3");
	page_close(page);
}

TEST(a_trial_says_where_most_was_lost)
{
	struct np_find s = {.trials = 2};
	struct np_find_trial trial = {.verdict = NP_FIND_LOST};
	struct page *page = page_open();

	trial.result.lost_path = NP_COUNT_EXACT(3);
	np_find_print(page->out, &s, &trial, false);
	trial.result.lost_receiver_host = NP_COUNT_EXACT(4);
	np_find_print(page->out, &s, &trial, false);
	page_holds(page, "  path\n");
	page_holds(page, "  receiver host\n");
	page_close(page);
}
