// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The names and values that a record has of a flow's counts. */
#include "record_written.h"
#include "support/unit.h"

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

#define COUNTS                                                                                     \
	"{'type':'summary','sent_packets':10,'received_packets':8,'lost_packets':-1,"              \
	"'duplicates_packets':2,'reordered_packets':3,'late_packets':4,'stray_packets':5,"
#define RATES                                                                                      \
	"'bytes':800,'elapsed_ns':500000000,'rate_bytes_per_s':1200.0,'rate_packets_per_s':12.0}"

TEST(what_each_kind_has)
{
	static const struct {
		unsigned what;
		const char *record;
	} rows[] = {
		{0, COUNTS RATES},
		{NP_FLOW_DAMAGE, COUNTS "'damaged_packets':6,'unsent_packets':7," RATES},
		{NP_FLOW_ORDER,
		 COUNTS "'offset_sum_packets':11,'extent_sum_packets':15,'extent_max_packets':16,"
			"'gaps':12,'gaps_packets':13,'gaps_ns':14," RATES},
		{NP_FLOW_WHOLE, COUNTS "'missed_before_packets':9,'end_known':true," RATES},
		/* Where no clock is shared there are no rates. */
		{NP_FLOW_SUMS, COUNTS "'bytes':800}"},
		/* Whether there were more is not known without numbers. */
		{NP_FLOW_BARE, "{'type':'summary','received_packets':8," RATES},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct np_record *record = np_record_new("summary");

		np_record_flow(record, "packets", &counts, rows[i].what);
		expect_record(record, rows[i].record);
	}
}

TEST(rates)
{
	static const struct {
		uint64_t messages;
		np_time elapsed;
		double share;
		const char *rates; /* behind the time */
	} rows[] = {
		{10, NP_SECOND, 1, ",'rate_bytes_per_s':1000.0,'rate_messages_per_s':10.0"},
		{10, NP_SECOND, 0.5, ",'rate_bytes_per_s':500.0,'rate_messages_per_s':5.0"},
		{10, NP_SECOND, 0, ""},
		{10, 0, 1, ""},
		{10, -5, 1, ""},
		{0, NP_SECOND, 0, ",'rate_bytes_per_s':0.0,'rate_messages_per_s':0.0"},
		{0, 0, 1, ",'rate_bytes_per_s':0.0,'rate_messages_per_s':0.0"},
		{1, 1, 0.001, ",'rate_bytes_per_s':100000000.0,'rate_messages_per_s':1000000.0"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct np_record *record = np_record_new("summary");
		char text[200];

		np_record_rates(record, "messages", rows[i].messages, 100 * rows[i].messages,
				rows[i].elapsed, rows[i].share);
		snprintf(text, sizeof(text), "{'type':'summary','bytes':%d,'elapsed_ns':%lld%s}",
			 (int)(100 * rows[i].messages), (long long)rows[i].elapsed, rows[i].rates);
		expect_record(record, text);
	}
}
