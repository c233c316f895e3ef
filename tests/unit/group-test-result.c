// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The sums over a result: combined rows, averages of nodes and cluster, who was lost. */
#include "../../src/group-test/wire/result.h"
#include "support/unit.h"

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
	static char text[4 * NP_TEXT + 4];
	const struct np_result r = result_of_row(result, &result->member[1], of);

	snprintf(text, sizeof(text), "%s, %s, %s, %s", np_count_format(&r.lost_sender_host).text,
		 np_count_format(&r.lost_path).text, np_count_format(&r.lost_receiver_host).text,
		 np_count_format(&r.lost_unattributed).text);
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
