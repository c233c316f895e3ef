// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a member among those of perf.Test counts and reports, and whose results it takes for its
 * table.
 */
#include "support/group_java.h"
#include "support/unit.h"

/* Data may come before one's own READY; all lengths count; what comes behind the last does not. */
TEST(all_data_counts)
{
	struct host *h = SOLE(false, 2, 1);

	pass(h, STEP);
	says(h, 0, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_DISCOVERY_RSP, true, 0);
	sends(h, JAVA, 3, 21);
	sends(h, JAVA, 3, 1);
	says(h, 0, JGROUPS_START, false, 0);
	says(h, JAVA, JGROUPS_START, false, 0);
	pass(h, STEP);
	sends(h, JAVA, 4, 21);
	sends(h, JAVA, 7, 21);
	pass(h, 3 * STEP);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.received, 10);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.expected, 10);
	assert_int_equal(java_heard.last[JGROUPS_RESULTS].result.bytes, 7 * 20);
	assert_true(java_heard.last[JGROUPS_RESULTS].result.done);
	assert_int_equal(host_row(h, 0, JAVA)->counts.received, 10);
}

/* A size that is not the configuration's is named, once: longer ones cost the connection. */
TEST(another_size_is_named)
{
	struct host *h = RECEIVER(2);

	assert_null(strstr(h->log, "unlike"));
	sends(h, JAVA, 3, 31);
	host_told(h,
		  "unlike 10.0.0.31:7800 0 msg_size is 20 here, and it sends messages of 30 bytes");
	HOST_EVENT(h, JAVA, TRANSPORT_OVERSIZE);
	assert_null(strstr(h->log, "longer"));
	h = RECEIVER(2);
	HOST_EVENT(h, JAVA, TRANSPORT_OVERSIZE);
	host_told(h, "unlike 10.0.0.31:7800 0 msg_size is 20 here, and it sends longer messages");
	h = RECEIVER(2);
	HOST_EVENT(h, JAVA, TRANSPORT_ENDED, .error = -EMSGSIZE);
	host_told(h, "unlike 10.0.0.31:7800 0 msg_size is 20 here, and it sends longer messages");
	host_told(h, "given-up 10.0.0.31:7800 0 connection lost: Message too long");
}

/* Trap 9: what a Java member says of itself is passed on as it is, and shown. */
TEST(java_figures_are_shown_as_they_are)
{
	struct host *h = RECEIVER(10);
	const struct result_member *java;

	says(h, JAVA, JGROUPS_RESULTS, false, 10 * 65534 / 20);
	pass(h, STEP);
	java = host_member(h, JAVA);
	assert_int_equal(java->total.counts.bytes, 10 * 65534 / 20 * 20);
	assert_int_equal(java->total.counts.last - java->total.counts.first, 100 * NP_MILLISECOND);
	assert_int_equal(host_member(h, 0)->total.counts.bytes, 200);
}

/* What it did not receive of what it expected, it lost; more than expected is no loss. */
TEST(java_members_lose_what_they_did_not_receive)
{
	struct host *h = RECEIVER(10);

	says(h, JAVA, JGROUPS_RESULTS, false, 7);
	pass(h, STEP);
	assert_int_equal(host_member(h, JAVA)->total.counts.sent, 10);
	assert_int_equal(host_member(h, JAVA)->total.counts.lost, 3);
	says(h, JAVA, JGROUPS_RESULTS, false, 12);
	assert_int_equal(host_member(h, JAVA)->total.counts.lost, 0);
}

/* Behind the table, too, for those that lack them, until somebody says that it has all. */
TEST(results_are_repeated_until_one_has_all)
{
	struct host *h = RECEIVER(10);
	unsigned before;

	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 3500 * NP_MILLISECOND);
	assert_int_equal(java_heard.count[JGROUPS_FINAL_RESULTS], 3);
	before = java_heard.count[JGROUPS_RESULTS];
	assert_int_equal(before, 4);
	says(h, JAVA, JGROUPS_FINAL_RESULTS_OK, false, 0);
	pass(h, 1500 * NP_MILLISECOND);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], before);
	/* Its table is no such word, nor that before the table, nor that of a stranger. */
	h = RECEIVER(10);
	says(h, JAVA + 1, JGROUPS_DISCOVERY_RSP, false, 0);
	says(h, JAVA, JGROUPS_FINAL_RESULTS_OK, false, 0);
	says(h, JAVA, JGROUPS_RESULTS, false, 10);
	pass(h, 3700 * NP_MILLISECOND);
	says(h, JAVA, JGROUPS_FINAL_RESULTS, false, 0);
	says(h, JAVA + 1, JGROUPS_FINAL_RESULTS_OK, false, 0);
	pass(h, NP_SECOND / 2);
	assert_int_equal(java_heard.count[JGROUPS_RESULTS], before + 1);
}

/* Trap 10, and worse. */
TEST(impossible_times_are_none)
{
	static struct jgroups_message m;
	struct host *h = RECEIVER(10);
	uint8_t wire[200];

	m = (struct jgroups_message){.type = JGROUPS_RESULTS, .has_result = true};
	for (unsigned i = 0; i < 3; i++) {
		static const int64_t times[][2] = {{1795252108861, 0}, {-5, 0}, {100, 50}};

		m.result = (struct jgroups_info){times[i][0], times[i][1], 10, 10, true, 200};
		host_forge(h, JAVA, wire, jgroups_encode(wire, &m));
		assert_int_equal(member_result(h->member)->member[1].total.counts.last, 1);
	}
	m.result = (struct jgroups_info){0, INT64_MAX / 1024, 10, 10, true, 200};
	host_forge(h, JAVA, wire, jgroups_encode(wire, &m));
	assert_true(member_result(h->member)->member[1].total.counts.last > 0);
	/* No more than thirty years. */
	assert_true(member_result(h->member)->member[1].total.counts.last <=
		    INT64_C(1000000000001) * NP_MILLISECOND);
}

/* Java divides by the time: none at all would make its table infinite. */
TEST(own_times_are_never_none)
{
	const struct jgroups_info *told = &java_heard.last[JGROUPS_RESULTS].result;
	struct host *h = RECEIVER(10);

	pass(h, 3 * STEP);
	assert_int_equal(told->stop_ms - told->start_ms, 1);
	h = RECEIVER(1);
	pass(h, 123 * NP_MILLISECOND);
	sends(h, JAVA, 9, 21);
	pass(h, 3 * STEP);
	assert_in_range(told->stop_ms - told->start_ms, 122, 124);
}

/* RESULTS that were lost are in another's FINAL_RESULTS. */
TEST(final_results_stand_in)
{
	struct host *h = RECEIVER(10);

	pass(h, STEP);
	says_table(h, JAVA, JAVA);
	pass(h, STEP);
	assert_int_equal(h->results, 1);
	assert_int_equal(host_member(h, JAVA)->total.counts.received, 10);
}
