// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The names and values that a record has of a flow's counts. */
#include "record_written.h"
#include "support/unit.h"

#include <math.h>
#include <netperf/flow.h>

static const struct np_flow_counts counts = {
	.flows = 1,
	.sent = 10,
	.sent_known = true,
	.received = 8,
	.lost = UINT64_MAX, /* one was taken back */
	.duplicates = 2,
	.reordered = 3,
	.late = 4,
	.stray = 5,
	.damaged = 6,
	.unsent = 7,
	.missed_before = 9,
	.bytes = 800,
	.head_bytes = 200,
	.elapsed = NP_SECOND / 2,
	.order = {11, 12, 13, 14, 15, 16, true},
};

static void expect(const json_t *json, const char *name, json_int_t value)
{
	if (!json_is_integer(json_object_get(json, name)) ||
	    json_integer_value(json_object_get(json, name)) != value)
		fail_msg("%s is not %lld", name, (long long)value);
}

static void expect_rate(const json_t *json, const char *name, double value)
{
	assert_true(fabs(json_number_value(json_object_get(json, name)) - value) < 0.001);
}

/* The record of @value, @what of it. */
static json_t *record_of(void **state, const struct np_flow_counts *value, unsigned what)
{
	struct np_record *record = np_record_new("summary");

	np_record_flow(record, "packets", value, what);
	return written(*state, record);
}

TEST_WITH(make_place, remove_place, what_all_have)
{
	json_t *json = record_of(state, &counts, 0);

	expect(json, "sent_packets", 10);
	expect(json, "received_packets", 8);
	expect(json, "lost_packets", -1);
	expect(json, "duplicates_packets", 2);
	expect(json, "reordered_packets", 3);
	expect(json, "late_packets", 4);
	expect(json, "stray_packets", 5);
	expect(json, "bytes", 800);
	expect(json, "elapsed_ns", NP_SECOND / 2);
	expect_rate(json, "rate_bytes_per_s", 1200);
	expect_rate(json, "rate_packets_per_s", 12);
	/* These, type and time. */
	assert_int_equal(json_object_size(json), 13);
	json_decref(json);
}

TEST_WITH(make_place, remove_place, what_some_have)
{
	json_t *json = record_of(state, &counts, NP_FLOW_DAMAGE);

	expect(json, "damaged_packets", 6);
	expect(json, "unsent_packets", 7);
	assert_int_equal(json_object_size(json), 15);
	json_decref(json);
	json = record_of(state, &counts, NP_FLOW_ORDER);
	expect(json, "offset_sum_packets", 11);
	expect(json, "gaps", 12);
	expect(json, "gaps_packets", 13);
	expect(json, "gaps_ns", 14);
	expect(json, "extent_sum_packets", 15);
	expect(json, "extent_max_packets", 16);
	assert_int_equal(json_object_size(json), 19);
	json_decref(json);
	json = record_of(state, &counts, NP_FLOW_WHOLE);
	expect(json, "missed_before_packets", 9);
	assert_true(json_is_true(json_object_get(json, "end_known")));
	assert_int_equal(json_object_size(json), 15);
	json_decref(json);
}

/* Where no clock is shared there are no rates. */
TEST_WITH(make_place, remove_place, what_several_hosts_have)
{
	json_t *json = record_of(state, &counts, NP_FLOW_SUMS);

	expect(json, "sent_packets", 10);
	expect(json, "bytes", 800);
	assert_int_equal(json_object_size(json), 10);
	json_decref(json);
}

/* Whether there were more is not known without numbers. */
TEST_WITH(make_place, remove_place, what_has_no_numbers)
{
	json_t *json = record_of(state, &counts, NP_FLOW_BARE);

	expect(json, "received_packets", 8);
	expect_rate(json, "rate_packets_per_s", 12);
	assert_int_equal(json_object_size(json), 7);
	json_decref(json);
}

TEST_WITH(make_place, remove_place, rates)
{
	static const struct {
		uint64_t messages;
		np_time elapsed;
		double share;
		double expected; /* below 0: none */
	} rows[] = {
		{10, NP_SECOND, 1, 1000},
		{10, NP_SECOND, 0.5, 500},
		{10, NP_SECOND, 0, -1},
		{10, 0, 1, -1},
		{10, -5, 1, -1},
		{0, NP_SECOND, 0, 0},
		{0, 0, 1, 0},
		{1, 1, 0.001, 100000000},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_record *record = np_record_new("summary");
		json_t *json;

		np_record_rates(record, "messages", rows[i].messages, 100 * rows[i].messages,
				rows[i].elapsed, rows[i].share);
		json = written(*state, record);
		assert_int_equal(!json_object_get(json, "rate_bytes_per_s"), rows[i].expected < 0);
		assert_int_equal(!json_object_get(json, "rate_messages_per_s"),
				 rows[i].expected < 0);
		if (rows[i].expected >= 0) {
			expect_rate(json, "rate_bytes_per_s", rows[i].expected);
			expect_rate(json, "rate_messages_per_s", rows[i].expected / 100);
		}
		json_decref(json);
	}
}
