// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-result: who lost the packets is said only where it is known. */

#include "src/aoe-exercise/session.h"
#include "support/unit.h"

struct lost_places {
	uint64_t sender_host, path, receiver_host, unattributed;
	bool exact;
};

static void check_places(struct result *r, const struct lost_places *want, bool known)
{
	const struct tally *t = &r->tally;

	result_attribute(r, known);
	assert_int_equal(t->lost_sender_host, want->sender_host);
	assert_int_equal(t->lost_path, want->path);
	assert_int_equal(t->lost_receiver_host, want->receiver_host);
	assert_int_equal(t->lost_unattributed, want->unattributed);
	assert_int_equal(r->loss_exact, want->exact);
}

/* What is counted, and what it means. */
struct row {
	const char *what;
	uint64_t lost, duplicates, stray, dropped;
	bool known;
	struct lost_places loss;
};

TEST(losses_are_attributed_as_far_as_the_kernel_tells)
{
	static const struct row rows[] = {
		{"nothing lost", 0, 0, 0, 0, true, {0, 0, 0, 0, true}},
		{"nothing lost, doubles dropped", 0, 2, 0, 5, true, {0, 0, 0, 0, true}},
		{"nothing dropped here", 7, 0, 0, 0, true, {0, 7, 0, 0, true}},
		{"nothing dropped here, doubles", 7, 3, 1, 0, true, {0, 7, 0, 0, true}},
		{"all dropped here", 7, 0, 0, 7, true, {0, 0, 7, 0, true}},
		{"some dropped here", 7, 0, 0, 3, true, {0, 4, 3, 0, true}},
		{"doubles may be among the dropped", 7, 1, 0, 3, true, {0, 4, 0, 3, false}},
		{"strays may be among the dropped", 7, 0, 1, 3, true, {0, 4, 0, 3, false}},
		{"more dropped than lost", 7, 0, 0, 9, true, {0, 0, 0, 7, false}},
		{"the link cannot tell", 7, 0, 0, 0, false, {0, 0, 0, 7, false}},
		{"the link cannot tell, nothing lost", 0, 0, 0, 0, false, {0, 0, 0, 0, true}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *row = &rows[i];
		struct result r = {
			.tally = {.sent = 100,
				  .lost = row->lost,
				  .duplicates = row->duplicates,
				  .stray = row->stray},
			.dropped = row->dropped,
		};

		print_message("%s\n", row->what);
		check_places(&r, &row->loss, row->known);
	}
}

/* By the kernel's reasons: requests and answers that this host dropped, refused sends tried again.
 */
TEST(reasons_come_before_counters)
{
	static const struct {
		const char *what;
		uint64_t lost, out, in, refused;
		struct lost_places loss;
	} rows[] = {
		{"answers", 50, 0, 50, 0, {0, 0, 50, 0, true}},
		{"requests and others", 9, 3, 2, 0, {3, 4, 2, 0, true}},
		{"refused ones are sent again", 0, 100, 0, 100, {0, 0, 0, 0, true}},
		{"nor are they lost beside others", 5, 100, 2, 100, {0, 3, 2, 0, true}},
		{"refused, dropped or both", 9, 7, 0, 4, {3, 2, 0, 4, false}},
		{"more dropped than lost", 5, 9, 0, 0, {0, 0, 0, 5, false}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct result r = {
			.tally = {.sent = 500, .lost = rows[i].lost, .refused = rows[i].refused},
			.host = {.known = true,
				 .exact = true,
				 .entries = 2,
				 .entry = {{.direction = NP_DROPS_OUT, .packets = rows[i].out},
					   {.direction = NP_DROPS_IN, .packets = rows[i].in}}},
		};

		print_message("%s\n", rows[i].what);
		check_places(&r, &rows[i].loss, true);
	}
}

TEST(one_packet_has_no_rate)
{
	struct result r = {.elapsed = NP_SECOND};

	assert_false(result_rate_known(&r));
	r.tally = (struct tally){.sent = 1, .received = 1};
	assert_false(result_rate_known(&r));
	r.tally = (struct tally){.sent = 9, .received = 1, .lost = 8};
	assert_false(result_rate_known(&r));
	/* That nothing came is a rate of 0. */
	r.tally = (struct tally){.sent = 9, .lost = 9};
	assert_true(result_rate_known(&r));
	r.tally = (struct tally){.sent = 2, .received = 2};
	assert_true(result_rate_known(&r));
	r.elapsed = 0;
	assert_false(result_rate_known(&r));
}

/* @zero of @sectors sectors read in @passes whole passes were zero, @others were bad otherwise. */
static bool all_zero(uint64_t sectors, uint64_t zero, uint64_t others, uint64_t passes)
{
	struct result r = {
		.tally = {.bytes = sectors * NP_PATTERN_SECTOR_BYTES},
		.damage = {.total = zero + others},
		.passes = passes,
	};

	r.damage.sectors[NP_PATTERN_ALL_ZERO] = zero;
	return result_is_all_zero(&r);
}

TEST(only_zeros_are_told_from_a_few)
{
	assert_false(all_zero(0, 0, 0, 0));
	assert_false(all_zero(100, 0, 0, 1));
	assert_true(all_zero(100, 100, 0, 0));
	/* Sector 0 of zeros is good, once a pass. */
	assert_true(all_zero(100, 99, 0, 0));
	assert_true(all_zero(300, 297, 0, 3));
	assert_false(all_zero(100, 98, 0, 0));
	assert_false(all_zero(100, 99, 1, 0));
	assert_false(all_zero(100, 1, 0, 0));
}

TEST(unanswered_is_what_is_lost_altogether)
{
	assert_false(result_is_unanswered(&(struct tally){0}));
	assert_true(result_is_unanswered(&(struct tally){.sent = 5, .lost = 5}));
	assert_false(result_is_unanswered(&(struct tally){.sent = 5, .lost = 4, .received = 1}));
	assert_false(result_is_unanswered(&(struct tally){.sent = 5, .lost = 4, .late = 1}));
	assert_false(result_is_unanswered(&(struct tally){.sent = 5, .lost = 4, .outstanding = 1}));
}
