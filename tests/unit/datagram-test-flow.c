// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a flow counts: the original's figures over distinct packets, losses at both ends, damage,
 * what never left, reports between two marks, runs of packets; round trips, the clock of its
 * publisher, delays by it, and which answers are believed; what it is if the listener joins late,
 * and waits for behind an END.
 */
#include "support/datagram_flows.h"

struct vector {
	uint64_t number[8];
	uint64_t received, sent, missing, duplicates, reordered, average, gaps, average_gap;
};

/* Of runs of the original, duplicates counted apart. */
static const struct vector vectors[] = {
	{{1, 4, 6, 2}, 4, 6, 2, 0, 1, 2, 2, 1},
	{{1, 2, 2, 3}, 3, 3, 0, 1, 0, 0, 0, 0},
	{{5, 4, 3, 2, 1}, 5, 5, 0, 0, 4, 2, 0, 0},
	{{10, 20, 11, 12, 13, 30, 14}, 7, 21, 14, 0, 4, 1, 2, 9},
};

static uint64_t average(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

static void expect_vector(const struct np_flow_counts *f, const struct vector *v)
{
	assert_int_equal(f->received, v->received);
	assert_int_equal(f->sent, v->sent);
	assert_int_equal(f->lost, v->missing);
	assert_int_equal(f->duplicates, v->duplicates);
	assert_int_equal(f->reordered, v->reordered);
	assert_int_equal(average(f->order.offset_sum, f->reordered), v->average);
	assert_int_equal(f->order.gaps, v->gaps);
	assert_int_equal(average(f->order.gap_packets, f->order.gaps), v->average_gap);
	assert_int_equal(f->bytes, v->received * BYTES);
}

TEST_WITH(set_up, tear_down, figures_of_the_original)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = NULL;
	size_t i, k;

	for (i = 0; i < LEN(vectors); i++) {
		for (k = 0; vectors[i].number[k]; k++)
			flow = arrive(bench, 0, 0, vectors[i].number[k]);
		flow_life(flow, &figures);
		expect_vector(&figures, &vectors[i]);
		assert_int_equal(figures.elapsed, (np_time)(k - 1) * NP_MILLISECOND);
		assert_false(figures.sent_known);
		flow_now(flow, &figures);
		expect_vector(&figures, &vectors[i]);
		silence(bench);
		assert_int_equal(flows_count(bench->flows), 0);
	}
}

TEST_WITH(set_up, tear_down, foreign_run_again_is_duplicates_until_dropped)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;

	arrive_all(bench, 0, 1, 50);
	flow_life(arrive_all(bench, 0, 1, 50), &figures);
	assert_int_equal(figures.received, 50);
	assert_int_equal(figures.sent, 50);
	assert_int_equal(figures.lost, 0);
	assert_int_equal(figures.duplicates, 50);
	assert_int_equal(figures.reordered, 0);
	silence(bench);
	flow_life(arrive_all(bench, 0, 1, 50), &figures);
	assert_int_equal(figures.received, 50);
	assert_int_equal(figures.duplicates, 0);
}

TEST_WITH(set_up, tear_down, foreign_numbers_wrap)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = arrive(bench, 0, 0, UINT32_MAX - 1);

	assert_false(flow->ours);
	arrive(bench, 0, 0, UINT32_MAX);
	arrive(bench, 0, 0, 1);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 4);
	assert_int_equal(figures.lost, 1);
}

TEST_WITH(set_up, tear_down, loss_of_head_and_tail_is_seen)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = arrive(bench, RUN, 5, 4);

	arrive(bench, RUN, 5, 5);
	assert_true(flow->ours);
	assert_false(flow->late_start);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 5);
	assert_int_equal(figures.lost, 3);
	assert_int_equal(figures.missed_before, 0);
	assert_false(figures.sent_known);
	flow_end(flow, 12, 0, bench->now);
	flow_end(flow, 12, 0, bench->now + NP_SECOND);
	assert_int_equal(flow->end_at, bench->now);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 12);
	assert_int_equal(figures.received, 2);
	assert_int_equal(figures.lost, 10);
	assert_true(figures.sent_known);
	assert_true(flow->ended);
	/* One that END overtook. */
	arrive(bench, RUN, 5, 12);
	flow_life(flow, &figures);
	assert_int_equal(figures.lost, 9);
}

TEST_WITH(set_up, tear_down, damage_is_missing_and_shown_apart)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow;

	arrive(bench, RUN, 0, 1);
	arrive(bench, 0, 0, 2000000);
	flow = arrive(bench, RUN, 0, 3);
	flow_life(flow, &figures);
	assert_int_equal(figures.received, 2);
	assert_int_equal(figures.sent, 3);
	assert_int_equal(figures.lost, 1);
	assert_int_equal(figures.damaged, 1);
	assert_int_equal(flows_count(bench->flows), 1);
	flow_mark(flow, bench->now);
	arrive(bench, 0, 0, 5);
	flow_now(flow, &figures);
	assert_int_equal(figures.damaged, 1);
}

TEST_WITH(set_up, tear_down, a_first_damaged_packet_does_not_hide_the_run)
{
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow = arrive(bench, 0, 0, 4000000);

	assert_false(flow->ours);
	assert_ptr_equal(arrive(bench, RUN, 0, 2), flow);
	assert_true(flow->ours);
	arrive(bench, RUN, 0, 3);
	assert_int_equal(flows_count(bench->flows), 1);
	flow_life(flow, &figures);
	assert_int_equal(figures.sent, 3);
	assert_int_equal(figures.received, 2);
	assert_int_equal(figures.damaged, 1);
	assert_int_equal(figures.bytes, 2 * BYTES);
	flow_now(flow, &figures);
	assert_int_equal(figures.sent, 3);
}

/* A run of packets is what they are one by one; the ack is its first one's. */
TEST_WITH(set_up, tear_down, runs_of_packets)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_packet head = {.send_time = 1, .ack = START, .number = 2};
	const struct wire_trailer trailer = {.run = RUN, .held_us = WIRE_HELD_UNKNOWN};
	struct np_flow_counts figures;

	flow->peer = 1;
	flow_count(flow, &head, &trailer, 64, BYTES, START + NP_MILLISECOND);
	assert_int_equal(flow->packets, 65);
	/* Its first one came before. */
	head.number = 65;
	flow_count(flow, &head, &trailer, 3, BYTES, START + NP_MILLISECOND);
	flow->reported = true;
	head.ack = WIRE_NO_ACK;
	flow_count(flow, &head, &trailer, 5, BYTES, START + NP_MILLISECOND);
	flow_count(flow, &head, NULL, 2, BYTES, START + NP_MILLISECOND);
	flow_life(flow, &figures);
	assert_int_equal(figures.received, 69);
	assert_int_equal(figures.duplicates, 4);
	assert_int_equal(figures.damaged, 2);
	assert_int_equal(figures.bytes, 69 * BYTES);
	assert_int_equal(figures.after_end, 2);
	assert_int_equal(figures.acks, 1);
	flow_mark(flow, START + NP_SECOND);
	flow_now(flow, &figures);
	assert_true(!figures.acks && !figures.ack_time && !figures.after_end);
}

TEST_WITH(set_up, tear_down, acks_of_peers_give_round_trips)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_packet head = {.ack = START, .number = 2};
	struct wire_trailer trailer = {.run = RUN, .held_us = 300};
	struct np_flow_counts figures;

	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	assert_null(flow->rtt);
	flow->peer = true;
	for (head.number = 3; head.number < 6; head.number++)
		flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	trailer.held_us = WIRE_HELD_UNKNOWN;
	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	head.number++;
	head.ack = START + NP_SECOND; /* yet to come: forged */
	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	head.number++;
	head.ack = INT64_MIN;
	flow_count(flow, &head, &trailer, 1, BYTES, START + NP_MILLISECOND);
	flow_life(flow, &figures);
	assert_int_equal(figures.acks, 4);
	assert_int_equal(figures.ack_time, 4 * NP_MILLISECOND);
	assert_int_equal(np_histogram_count(flow->rtt), 3);
	assert_int_equal(np_histogram_max(flow->rtt), 700 * NP_MICROSECOND);
}

/* The partner's clock is 5 s ahead; 40 us there, 60 us back, 1 ms between: bound 50 us. */
TEST_WITH(set_up, tear_down, delay_by_the_partners_clock)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_control reply = {.type = WIRE_TIME_REPLY, .run = RUN, .t1 = START};
	struct wire_packet head = {.ack = WIRE_NO_ACK, .number = 2};
	struct wire_trailer trailer = {.run = RUN, .confirmed = true};
	np_time t4 = START + 1100 * NP_MICROSECOND;
	struct np_histogram_figures delay;

	assert_false(flow_delay(flow, &delay));
	reply.t2 = START + 40 * NP_MICROSECOND + 5 * NP_SECOND;
	reply.t3 = reply.t2 + NP_MILLISECOND;
	flow_clock_ask(flow, reply.t1);
	flow_clock_reply(flow, &reply, t4);
	assert_true(flow->clock.offset.known);
	assert_int_equal(flow->clock.offset.offset, 5 * NP_SECOND - 10 * NP_MICROSECOND);
	assert_int_equal(flow->clock.offset.bound, 50 * NP_MICROSECOND + 110);
	/* Sent by its clock, 200 us under way, a second later: 100 us of drift since. */
	head.send_time = t4 + NP_SECOND + 5 * NP_SECOND;
	flow_count(flow, &head, &trailer, 1, BYTES, t4 + NP_SECOND + 200 * NP_MICROSECOND);
	assert_true(flow->confirmed);
	assert_true(flow_delay(flow, &delay));
	assert_int_equal(delay.max, 190 * NP_MICROSECOND);
	assert_int_equal(np_flow_delay_bound(flow->account), 150 * NP_MICROSECOND + 130);
	/* One that the offset would make negative. */
	head.number++;
	head.send_time = t4 + 2 * NP_SECOND + 5 * NP_SECOND;
	flow_count(flow, &head, &trailer, 1, BYTES, t4 + NP_SECOND);
	assert_true(flow_delay(flow, &delay) && delay.count == 2 && delay.min == 0);
}

TEST_WITH(set_up, tear_down, worse_and_false_replies_change_nothing)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_control good = {.run = RUN, .t1 = START, .t2 = 500, .t3 = 500}, bad = good;
	struct np_offset before;

	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, START + 100);
	before = flow->clock.offset;
	assert_true(before.known);
	bad.t2 = 900;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 100); /* answered before it came */
	bad = good;
	bad.t2 = INT64_MIN;
	bad.t3 = INT64_MAX;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 100);
	bad = good;
	bad.t3 += 200;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 100); /* took longer than the whole */
	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, START - 1);
	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, START + NP_SECOND);
	bad = good;
	bad.run++;
	flow_clock_ask(flow, bad.t1);
	flow_clock_reply(flow, &bad, START + 10);
	assert_memory_equal(&before, &flow->clock.offset, sizeof(before));
	/* A longer way is better than one that drifted away. */
	good.t1 = START + 10 * NP_SECOND;
	flow_clock_ask(flow, good.t1);
	flow_clock_reply(flow, &good, good.t1 + NP_MILLISECOND);
	assert_int_equal(flow->clock.offset.bound, NP_MILLISECOND / 2 + 100);
}

/* Only the answer to a question of ours proves an address, and each question has one. */
TEST_WITH(set_up, tear_down, answers_prove)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_control reply = {.type = WIRE_TIME_REPLY, .run = RUN, .t1 = 77};

	flow_clock_reply(flow, &reply, bench->now);
	reply.t1 = 0;
	flow_clock_reply(flow, &reply, bench->now);
	assert_false(flow->proven || flow_alive(flow, bench->now));
	reply.t1 = bench->now;
	flow_clock_ask(flow, reply.t1);
	reply.run++;
	flow_clock_reply(flow, &reply, bench->now);
	assert_false(flow->proven);
	reply.run--;
	flow_clock_reply(flow, &reply, bench->now + 1);
	flow_clock_reply(flow, &reply, bench->now + NP_SECOND);
	assert_true(flow->proven && flow_alive(flow, bench->now + 19 * NP_SECOND));
	assert_int_equal(flow_controls_missing(flow), 0);
	assert_false(flow_alive(flow, bench->now + 20 * NP_SECOND + 1));
	flow->clock.refused = bench->now + 2;
	assert_false(flow_alive(flow, bench->now + 3));
}

TEST_WITH(set_up, tear_down, late_start_shows_what_was_before_apart)
{
	static const uint16_t ages[] = {1001, WIRE_AGE_MORE};
	struct bench *bench = *state;
	struct np_flow_counts figures;
	struct flow *flow;
	uint32_t i;

	for (i = 0; i < LEN(ages); i++) {
		bench->now = START;
		arrive(bench, RUN + i, ages[i], 101);
		arrive(bench, RUN + i, ages[i], 100);
		flow = arrive(bench, RUN + i, ages[i], 103);
		assert_true(flow->late_start);
		flow_life(flow, &figures);
		assert_int_equal(figures.missed_before, 99);
		assert_int_equal(figures.sent, 4);
		assert_int_equal(figures.lost, 1);
		assert_int_equal(figures.reordered, 1);
	}
	bench->now = START;
	flow = arrive(bench, RUN + i, 1000, 5);
	assert_false(flow->late_start);
}

/*
 * A listener that comes behind packet 2^32 of a run sees the lower half of its numbers; END has
 * both. @before: packets before the first that came.
 */
TEST_WITH(set_up, tear_down, late_and_far)
{
	static const struct {
		uint64_t first, last, end, before, missing;
	} rows[] = {
		{.first = 11,
		 .last = 40,
		 .end = (UINT64_C(1) << 32) + 42,
		 .before = 10,
		 .missing = 2},
		{.first = 11, .last = 40, .end = (UINT64_C(3) << 32) + 40, .before = 10},
		/* The half wraps under our eyes. */
		{.first = UINT32_MAX - 9,
		 .last = UINT64_C(30) + UINT32_MAX,
		 .end = (UINT64_C(2) << 32) + 29,
		 .before = UINT32_MAX - 10},
	};

	for (size_t i = 0; i < LEN(rows); i++) {
		struct bench *bench = *state;
		struct np_flow_counts life;
		struct flow *flow = NULL;

		for (uint64_t n = rows[i].first; n <= rows[i].last; n++)
			flow = arrive(bench, RUN + (uint32_t)i, WIRE_AGE_MORE, (uint32_t)n);
		flow_life(flow, &life);
		assert_true(flow->late_start);
		assert_int_equal(life.missed_before, rows[i].before);
		flow_end(flow, rows[i].end, 0, bench->now);
		flow_life(flow, &life);
		assert_int_equal(life.received, rows[i].last - rows[i].first + 1);
		assert_int_equal(life.lost, rows[i].missing);
		assert_int_equal(life.sent, life.received + life.lost);
		assert_int_equal(life.sent + life.missed_before, rows[i].end);
		assert_int_equal(flow->last, rows[i].end);
	}
}

/* One below the first that came, before the lower half of the numbers began anew. */
TEST_WITH(set_up, tear_down, late_and_disordered)
{
	struct bench *bench = *state;
	struct flow *flow = NULL;
	struct np_flow_counts life;

	arrive(bench, RUN, WIRE_AGE_MORE, 1);
	arrive(bench, RUN, WIRE_AGE_MORE, UINT32_MAX);
	flow = arrive(bench, RUN, WIRE_AGE_MORE, 0);
	flow_end(flow, (UINT64_C(1) << 32) + 1, 0, bench->now);
	flow_life(flow, &life);
	assert_int_equal(life.received, 3);
	assert_int_equal(life.reordered, 2);
	assert_int_equal(life.lost, 0);
	assert_int_equal(life.stray, 0);
	assert_int_equal(life.missed_before, UINT32_MAX - 1);
}

/* Of a run that began before us nobody knows when that was. */
TEST_WITH(set_up, tear_down, unsent_of_a_late_start)
{
	struct bench *bench = *state;
	struct flow *flow = NULL;
	struct np_flow_counts life;

	for (uint64_t n = 100; n < 105; n++)
		flow = arrive(bench, RUN, WIRE_AGE_MORE, n);
	flow_end(flow, 114, 4, bench->now);
	flow_life(flow, &life);
	assert_int_equal(life.lost, 10);
	assert_int_equal(life.unsent, 0);
	assert_int_equal(life.unsent_perhaps, 4);
}

/* The answer to END is final: not before copies that are still on their way had time to come. */
TEST_WITH(set_up, tear_down, doubled_ones_are_waited_for)
{
	struct bench *bench = *state;
	struct flow *flow;
	np_time end;

	arrive_all(bench, RUN, 1, 4);
	flow = arrive_slowly(bench, 5, 500 * NP_MILLISECOND);
	end = bench->now;
	flow_end(flow, 5, 0, end);
	/* Delays of a queue alone promise nothing more ... */
	assert_false(flow_accounted(flow, end));
	assert_false(flow_accounted(flow, end + 200 * NP_MILLISECOND - 1));
	assert_true(flow_accounted(flow, end + 200 * NP_MILLISECOND));
	/* ... but where one came twice the others may. */
	arrive(bench, RUN, 0, 3);
	assert_false(flow_accounted(flow, end + NP_SECOND - 1));
	assert_true(flow_accounted(flow, end + NP_SECOND));
}

TEST_WITH(set_up, tear_down, missing_ones_are_waited_for)
{
	struct bench *bench = *state;
	struct flow *flow;
	np_time end;

	arrive_all(bench, RUN, 1, 4);
	flow = arrive_slowly(bench, 5, 500 * NP_MILLISECOND);
	end = bench->now;
	flow_end(flow, 6, 0, end);
	assert_false(flow_accounted(flow, end + NP_SECOND - 1));
	assert_true(flow_accounted(flow, end + NP_SECOND));
	arrive(bench, RUN, 0, 6);
	assert_true(flow_accounted(flow, end + 200 * NP_MILLISECOND));
}

TEST(figures_add_up)
{
	const struct np_flow_counts one = {
		.flows = 1, .received = 5, .after_end = 2, .acks = 3, .ack_time = 70};
	struct np_flow_counts sum = {0};

	np_flow_counts_add(&sum, &one);
	np_flow_counts_add(&sum, &one);
	assert_true(sum.received == 10 && sum.after_end == 4);
	assert_true(sum.acks == 6 && sum.ack_time == 140);
	np_flow_counts_since(&sum, &one);
	assert_true(sum.received == 5 && sum.after_end == 2);
	assert_true(sum.acks == 3 && sum.ack_time == 70);
}
