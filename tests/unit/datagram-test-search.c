// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram-test-search: which rates --find-rate tries on paths that are made up, and what it finds.
 */
#include "src/datagram-test/session.h"
#include "support/unit.h"

/* A path that carries @capacity, loses @percent of everything, and a host that sends @fastest. */
struct path {
	double capacity, percent, fastest;
};

#define PACKETS 1e9

static struct search walk(struct path path, double most, double loss_percent)
{
	struct search s = {.most = most, .least = 100, .loss_percent = loss_percent};
	double rate;

	while ((rate = search_next(&s)) != SEARCH_OVER) {
		const double sent = rate > 0 && rate < path.fastest ? rate : path.fastest,
			     passed = sent < path.capacity ? sent : path.capacity,
			     came = passed * (1 - path.percent / 100);
		const uint64_t lost = (uint64_t)(PACKETS * (1 - came / sent));
		struct trial trial = {
			.asked = rate,
			.sent = sent,
			.received = came,
			.result = {.sent = NP_COUNT_EXACT((uint64_t)PACKETS),
				   .lost = NP_COUNT_EXACT(lost)},
		};

		search_take(&s, &trial);
	}
	return s;
}

/* Within the resolution below @capacity, in few trials. */
static void expect_found(struct path path, double most, double loss_percent, double capacity)
{
	const struct search s = walk(path, most, loss_percent);
	const struct search_rate *limit, *found = search_found(&s, &limit);

	assert_non_null(found);
	assert_true(found->rate <= capacity * 1.0001);
	assert_true(found->rate >= capacity * 0.985);
	assert_int_equal(found->trials, SEARCH_REPEATS);
	assert_in_range(s.trials, SEARCH_REPEATS, 16);
	assert_true(!limit || limit->trial.verdict != TRIAL_PASSED);
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

TEST(a_limit_above_is_the_rate_or_the_host)
{
	const struct path free = {.capacity = 1e12, .fastest = 1e9};
	const struct search_rate *limit;
	struct search s = walk(free, 5e8, 0);

	assert_int_equal(s.trials, SEARCH_REPEATS);
	assert_true(search_found(&s, &limit)->rate == 5e8);
	assert_null(limit);
	s = walk(free, 0, 0);
	assert_int_equal(s.trials, SEARCH_REPEATS);
	assert_true(search_found(&s, &limit)->rate == 1e9);
	/* More than the host sends. */
	s = walk(free, 2e9, 0);
	assert_non_null(search_found(&s, &limit));
	assert_int_equal(limit->trial.verdict, TRIAL_BEHIND);
	expect_found(free, 2e9, 0, 1e9 / 0.99);
}

TEST(where_everything_loses_nothing_is_found)
{
	const struct search s = walk((struct path){1e7, 1, 1e9}, 0, 0.5);
	const struct search_rate *limit;

	assert_null(search_found(&s, &limit));
	assert_in_range(s.count, 2, SEARCH_RATES - 1);
	assert_true(s.rate[s.count - 1].rate >= s.least);
}

static void take(struct search *s, double rate, uint64_t lost)
{
	struct trial trial = {
		.asked = rate,
		.sent = rate,
		.received = rate - (double)lost,
		.result = {.sent = NP_COUNT_EXACT(1000), .lost = NP_COUNT_EXACT(lost)},
	};

	search_take(s, &trial);
}

/* One that passed, and then failed, did not pass; and nothing above a rate that failed counts. */
TEST(luck_is_no_result)
{
	struct search s = {.least = 1, .most = 1000};
	const struct search_rate *limit;

	take(&s, 1000, 0);
	take(&s, 1000, 0);
	assert_true(search_next(&s) == 1000);
	take(&s, 1000, 1);
	assert_null(search_found(&s, &limit));
	assert_true(limit->rate == 1000 && limit->low == 999 && limit->high == 1000);
	assert_true(search_next(&s) == 500);
	take(&s, 500, 0);
	take(&s, 500, 0);
	assert_true(search_next(&s) == 750);
	take(&s, 500, 1);
	assert_true(search_next(&s) == 250);
	take(&s, 750, 0);
	assert_true(search_next(&s) == 250);
}

/* Of 50 packets that were due 49 are sent at the rate, 48 are not. */
TEST(one_packet_is_no_delay)
{
	for (uint64_t sent = 48; sent <= 49; sent++) {
		struct search s = {.least = 1, .most = 50};
		struct trial trial = {
			.asked = 50,
			.sent = (double)sent,
			.received = (double)sent,
			.result = {.sent = NP_COUNT_EXACT(sent)},
		};

		search_take(&s, &trial);
		assert_int_equal(trial.verdict, sent == 49 ? TRIAL_PASSED : TRIAL_BEHIND);
	}
}
