// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a listener makes of the packets, ENDs, acks and clock replies of publishers, by a made-up
 * clock: the counts of each flow, whose packet is whose, what is waited for, kept, displaced and
 * remembered.
 */
#include "../../src/datagram-test/flow.h"

#include "address_of.h"
#include "support/unit.h"

#define BYTES  1468
#define OPENED (1000 * NP_SECOND)
#define START  (OPENED + 10 * NP_SECOND)
#define RUN    0x1234u
#define WRAP   (UINT64_C(1) << 32)
#define TOP    UINT32_MAX
#define GRACE  NP_FLOW_GRACE_LEAST

/* The flows, who sends, and how: each packet moves the time on by 1 ms. */
static struct bench {
	struct flows flows;
	struct np_address source;
	np_time now, sent, ack;
	uint32_t run; /* 0: foreign packets */
	uint16_t age;
	bool wide;
} bench;

static int set_up(void **state)
{
	bench = (struct bench){
		.flows = {.key = 42, .opened = OPENED},
		.source = address_of("10.77.0.2:40000"),
		.now = START,
		.sent = 1,
		.ack = WIRE_NO_ACK,
		.run = RUN,
	};
	*state = &bench;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	flows_free(&bench.flows);
	return 0;
}

#define FLOW_TEST(name) TEST_WITH(set_up, tear_down, name)

/* So many packets from @number on arrive together. Returns their flow, NULL: the table is full. */
static struct flow *arrive(uint64_t number, uint64_t count)
{
	const struct wire_packet head = {
		.return_port = 9999,
		.send_time = bench.sent,
		.ack = bench.ack,
		.number = number,
		.wide = bench.wide,
		.run = bench.run,
		.age = bench.age,
		.held_us = WIRE_HELD_UNKNOWN,
	};
	struct flow *flow = flows_find(&bench.flows, &bench.source, 0, bench.run);

	if (!flow)
		flow = flows_add(&bench.flows, &bench.source, &head, bench.now);
	if (flow)
		flow_count(flow, &head, count, BYTES, bench.now);
	bench.now += NP_MILLISECOND;
	return flow;
}

static struct flow *arrive_of(uint32_t run, uint64_t number)
{
	bench.run = run;
	return arrive(number, 1);
}

/* From another port of the same host. */
static struct flow *arrive_from(uint16_t port, uint32_t run)
{
	np_address_set_port(&bench.source, port);
	return arrive_of(run, 1);
}

static void end(struct flow *flow, uint64_t last, uint64_t unsent, np_time now)
{
	const struct wire_control told = {.type = WIRE_END, .last = last, .unsent = unsent};

	flow_end(flow, &told, now, 0);
}

static void silence(void)
{
	for (struct flow *flow = bench.flows.first, *next; flow; flow = next) {
		next = flow->next;
		if (flow_over(flow, bench.now))
			flows_remove(&bench.flows, flow);
	}
}

static struct np_flow_counts life_of(const struct flow *flow)
{
	struct np_flow_counts life;

	flow_life(flow, &life);
	assert_int_equal(life.sent, life.received + life.lost + life.late);
	return life;
}

enum { OURS, FOREIGN = 1, LATE = 2, WIDE = 4 };

/*
 * Packets with these numbers, to the first 0 after one, and, unless it is 0, an END. Numbers start
 * with 1, but the lower half of one may be 0.
 */
struct course {
	unsigned kind;
	uint64_t number[8], end, unsent;
	uint64_t received, lost, duplicates, reordered, before, sent_known;
	/* Mean offset of those reordered, gaps, and packets passed over by them. */
	uint64_t offset, gaps, passed;
};

static const struct course courses[] = {
	/* Runs of the original, duplicates counted apart. */
	{FOREIGN, {1, 4, 6, 2}, 0, 0, 4, 2, 0, 1, 0, 0, 2, 2, 3},
	{FOREIGN, {1, 2, 2, 3}, 0, 0, 3, 0, 1, 0, 0, 0, 0, 0, 0},
	{FOREIGN, {5, 4, 3, 2, 1}, 0, 0, 5, 0, 0, 4, 0, 0, 2, 0, 0},
	{FOREIGN, {10, 20, 11, 12, 13, 30, 14}, 0, 0, 7, 14, 0, 4, 0, 0, 1, 2, 18},
	/* Nobody knows which number a foreign flow started with; its numbers wrap. */
	{FOREIGN, {TOP - 1, TOP, 1}, 0, 0, 3, 1, 0, 0, 0, 0, 0, 1, 1},
	/* Of ours, loss at the head and, by END, at the tail is seen; what never left is none. */
	{OURS, {4, 5}, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0},
	{OURS, {4, 5}, 12, 0, 2, 10, 0, 0, 0, 1, 0, 0, 0},
	{OURS, {1, 2, 3}, 9, 4, 3, 2, 0, 0, 0, 1, 0, 0, 0},
	{OURS, {1, 2}, WRAP + 5, 0, 2, WRAP + 3, 0, 0, 0, 1, 0, 0, 0},
	/* No end is that high. */
	{OURS, {1, 3}, UINT64_MAX, 0, 2, 1, 0, 0, 0, 0, 0, 1, 1},
	/* A late start: what was before is apart; of what never left nobody knows when. */
	{LATE, {101, 100, 103}, 0, 0, 3, 1, 0, 1, 99, 0, 1, 1, 1},
	{LATE, {100, 101}, 111, 4, 2, 10, 0, 0, 99, 1, 0, 0, 0},
	/* It shows the lower halves alone: END has the upper one. */
	{LATE, {1, TOP, WRAP}, WRAP + 1, 0, 3, 0, 0, 2, TOP - 1, 1, 1, 0, 0},
	{LATE, {11, 12}, WRAP + 14, 0, 2, 2, 0, 0, WRAP + 10, 1, 0, 0, 0},
	{LATE, {11, 12}, 3 * WRAP + 12, 0, 2, 0, 0, 0, 3 * WRAP + 10, 1, 0, 0, 0},
	{LATE, {TOP, WRAP, WRAP + 1}, 2 * WRAP + 1, 0, 3, 0, 0, 0, 2 * WRAP - 2, 1, 0, 0, 0},
	{LATE, {WRAP}, 0, 0, 1, 0, 0, 0, WRAP - 1, 0, 0, 0, 0},
	/* An end of fewer than arrived: nothing before them; what is missing beyond is no loss. */
	{LATE, {WRAP, 5}, 5, 0, 2, 4, 0, 0, 0, 1, 0, 1, 4},
	{LATE, {1, 10}, 4, 0, 2, 2, 0, 0, 0, 0, 0, 1, 8},
	/* Half a turn ahead is taken for half a turn back: before all that arrived. */
	{LATE, {1, 10}, 10 + WRAP / 2, 0, 2, 0, 0, 0, WRAP, 0, 0, 1, 8},
	/* Numbers of 64 bits are what they are. */
	{WIDE, {1, 2 * WRAP}, 0, 0, 2, 2 * WRAP - 2, 0, 0, 0, 0, 0, 1, 2 * WRAP - 2},
	{WIDE | LATE, {3 * WRAP}, 5 * WRAP, 0, 1, 2 * WRAP, 0, 0, 3 * WRAP - 1, 1, 0, 0, 0},
	{WIDE | LATE, {INT64_MAX}, 0, 0, 1, 0, 0, 0, INT64_MAX - 1, 0, 0, 0, 0},
};

static void expect_course(const struct course *c, const struct np_flow_counts *life)
{
	const uint64_t reordered = life->reordered ? life->reordered : 1;

	assert_int_equal(life->received, c->received);
	assert_int_equal(life->lost, c->lost);
	assert_int_equal(life->duplicates, c->duplicates);
	assert_int_equal(life->reordered, c->reordered);
	assert_int_equal(life->missed_before, c->before);
	assert_int_equal(life->sent_known, c->sent_known);
	assert_int_equal(life->order.offset_sum / reordered, c->offset);
	assert_int_equal(life->order.gaps, c->gaps);
	assert_int_equal(life->order.gap_packets, c->passed);
	assert_int_equal(life->bytes, c->received * BYTES);
}

FLOW_TEST(courses_of_numbers)
{
	for (const struct course *c = courses; c < courses + COUNT(courses); c++) {
		struct flow *flow = NULL;
		struct np_flow_counts life;

		bench.run = c->kind & FOREIGN ? 0 : RUN + (uint32_t)(c - courses);
		bench.age = c->kind & LATE ? WIRE_AGE_MORE : 0;
		bench.wide = c->kind & WIDE;
		for (size_t i = 0; c->number[i]; i++)
			flow = arrive(bench.wide ? c->number[i] : (uint32_t)c->number[i], 1);
		life = life_of(flow);
		if (c->end)
			end(flow, c->end, c->unsent, bench.now);
		else
			assert_int_equal(life.elapsed, bench.now - flow->begun - NP_MILLISECOND);
		life = life_of(flow);
		expect_course(c, &life);
		assert_int_equal(life.unsent, c->kind & LATE ? 0 : c->unsent);
		assert_int_equal(life.unsent_perhaps, c->kind & LATE ? c->unsent : 0);
		assert_int_equal(flow->late_start, !!(c->kind & LATE));
		flow->ended = true;
		silence();
	}
}

/* Before the first packet of ours that counts, a number of 0 is stray however often it comes. */
FLOW_TEST(no_number_is_0)
{
	struct flow *flow = arrive(0, 1);
	struct np_flow_counts life;

	assert_ptr_equal(arrive(0, 1), flow);
	(void)arrive(1, 1);
	(void)arrive(0, 1);
	life = life_of(flow);
	assert_int_equal(life.received, 1);
	assert_int_equal(life.lost, 0);
	assert_int_equal(life.stray, 3);
}

/* A run that is as old as the listener, by the age in its packets, did not start late. */
FLOW_TEST(late_by_the_age)
{
	bench.age = 1000;
	assert_false(arrive(5, 1)->late_start);
	bench.now = START;
	bench.age = 1001;
	assert_true(arrive_of(RUN + 1, 5)->late_start);
}

/* What was damaged is among the lost, and shown apart: also before the run is known as ours. */
FLOW_TEST(damage)
{
	struct np_flow_counts now;
	struct flow *flow = arrive_of(0, 4000000);

	assert_false(flow->ours);
	assert_ptr_equal(arrive_of(RUN, 2), flow);
	assert_true(flow->ours && flow->begun == START + NP_MILLISECOND);
	arrive(3, 1);
	np_flow_mark(flow->account, bench.now);
	assert_ptr_equal(arrive_of(0, 77), flow);
	np_flow_now(flow->account, &now);
	assert_int_equal(now.damaged, 1);
	assert_true(life_of(flow).damaged == 2 && life_of(flow).lost == 1);
	assert_int_equal(life_of(flow).bytes, 2 * BYTES);
	/* As many are not counted if it is displaced. */
	assert_int_equal(flow->packets, 4);
	assert_int_equal(flows_count(&bench.flows), 1);
}

/* Packets that came together are what they are one by one; the ack is their first one's. */
FLOW_TEST(acks_and_packets_after_the_end)
{
	static const struct {
		np_time ack, now;
		uint64_t acks;
	} rows[] = {
		{START, START, 1},
		{START + 1, START, 1},
		{0, START, 1},
		{INT64_MIN, START, 1},
		{1, 1 + NP_HISTOGRAM_LIMIT, 2},
		{1, 2 + NP_HISTOGRAM_LIMIT, 2},
	};
	struct flow *flow = arrive(1, 1);
	struct np_flow_counts now;
	uint64_t number = 2;

	bench.ack = START;
	arrive(number++, 1);
	assert_int_equal(life_of(flow).acks, 0); /* of no peer of ours */
	flow->peer = (struct peer *)flow;
	for (size_t i = 0; i < COUNT(rows); i++) {
		bench.ack = rows[i].ack;
		bench.now = rows[i].now;
		arrive(number++, 1);
		assert_int_equal(life_of(flow).acks, rows[i].acks);
	}
	/* Without the time that an ack was held there is no round trip. */
	assert_null(flow->rtt);
	bench.ack = bench.now = START;
	arrive(number, 64);
	arrive(number + 63, 3); /* the first of these came before */
	flow->reported = true;
	flow->end_at = bench.now;
	bench.ack = WIRE_NO_ACK;
	arrive(number + 60, 8);
	assert_int_equal(life_of(flow).acks, 3);
	assert_int_equal(life_of(flow).duplicates, 1 + 6);
	assert_int_equal(life_of(flow).after_end, 2);
	np_flow_mark(flow->account, bench.now);
	np_flow_now(flow->account, &now);
	assert_true(!now.acks && !now.ack_time && !now.after_end);
	/* Many that are as old as can be: their sum passes what is signed. */
	np_flow_ack(flow->account, INT64_MAX);
	bench.ack = START;
	bench.now = START + NP_SECOND;
	arrive(number + 100, 1);
	assert_true((double)life_of(flow).ack_time > (double)INT64_MAX);
}

FLOW_TEST(round_trips_without_the_time_that_acks_were_held)
{
	struct flow *flow = arrive(1, 1);
	const struct wire_packet head = {.ack = START, .number = 2, .run = RUN, .held_us = 300};

	flow->peer = (struct peer *)flow;
	flow_count(flow, &head, 1, BYTES, START + NP_MILLISECOND);
	assert_int_equal(life_of(flow).ack_time, NP_MILLISECOND);
	assert_int_equal(np_histogram_percentile(flow->rtt, 100), 700 * NP_MICROSECOND);
}

static void ask(struct flow *flow, np_time t1)
{
	flow->clock.open[flow->clock.asks++ % FLOW_QUESTIONS] = t1;
}

static void answer(struct flow *flow, uint32_t run, np_time t1, np_time there, np_time t4)
{
	const struct wire_control reply = {
		.type = WIRE_TIME_REPLY, .run = run, .t1 = t1, .t2 = there, .t3 = there};

	flow_clock_reply(flow, &flow->printed, &reply, t4);
}

/* The partner's clock is 5 s ahead; the way there and back takes 100 us. */
FLOW_TEST(delay_by_the_partners_clock)
{
	const np_time ahead = 5 * NP_SECOND, us = NP_MICROSECOND;
	struct wire_counts counts;
	struct np_offset before;
	struct flow *flow = arrive(1, 1);

	flow_report(flow, &counts);
	assert_int_equal(counts.delay.count, 0);
	ask(flow, START);
	answer(flow, RUN, START, START + ahead + 40 * us, START + 100 * us);
	before = flow->clock.offset;
	assert_true(before.known);
	assert_int_equal(before.offset, ahead - 10 * us);
	/* Replies that cannot be, or are worse, change nothing. */
	for (np_time t4 = START - 1; t4 < START + 2 * NP_SECOND; t4 += NP_SECOND) {
		ask(flow, START);
		answer(flow, RUN, START, START + ahead, t4);
	}
	assert_memory_equal(&before, &flow->clock.offset, sizeof(before));
	/* Sent by its clock, 200 us under way, a second later: 100 us of drift since. */
	bench.now = START + NP_SECOND + 300 * us;
	bench.sent = START + NP_SECOND + 100 * us + ahead;
	arrive(2, 1);
	flow_report(flow, &counts);
	assert_int_equal(counts.delay.max, 190 * us);
	assert_in_range(counts.delay_bound, 150 * us, 151 * us);
	/* One that the offset would make negative. */
	bench.sent = bench.now + NP_SECOND + ahead;
	arrive(3, 1);
	flow_report(flow, &counts);
	assert_true(counts.delay.count == 2 && counts.delay.min == 0);
}

/* Only the answer to a question of ours proves an address, and each question has one. */
FLOW_TEST(answers_prove)
{
	struct flow *flow = arrive(1, 1);
	const np_time then = START + 19 * NP_SECOND;

	answer(flow, RUN, 77, 77, START);
	answer(flow, RUN, 0, 0, START);
	ask(flow, START);
	answer(flow, RUN + 1, START, START, START);
	assert_false(flow->proven || flow_alive(flow, START));
	answer(flow, RUN, START, START, START);
	answer(flow, RUN, START, START, START + NP_SECOND);
	assert_true(flow->proven && flow_controls_missing(flow) == 0);
	assert_true(flow_alive(flow, START + 20 * NP_SECOND - 1));
	assert_false(flow_alive(flow, START + 20 * NP_SECOND));
	ask(flow, then);
	assert_int_equal(flow_controls_missing(flow), 1);
	answer(flow, RUN, then, then, then);
	assert_true(flow_alive(flow, START + 20 * NP_SECOND));
	/* Refused before its last sign of life, or after. */
	flow->clock.refused = then;
	assert_true(flow_alive(flow, then));
	flow->clock.refused = then + 1;
	assert_false(flow_alive(flow, then + 1));
	bench.now = then + 2;
	arrive(2, 1);
	assert_true(flow_alive(flow, then + 2));
}

/* While an END waits in a full buffer, others are dropped; one that comes later tells. */
FLOW_TEST(ends_that_are_missing)
{
	static const struct {
		uint64_t copies;
		np_time waited;
		uint64_t missing;
	} rows[] = {
		{4, 0, 3},
		{5, WIRE_END_EVERY / 2 - 1, 3},
		{6, WIRE_END_EVERY / 2, 3 + 1},
		{7, 3 * WIRE_END_EVERY, 3 + 4},
		{11, 0, 3 + 3},
	};
	struct flow *flow = arrive(1, 1);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct wire_control told = {.type = WIRE_END, .copies = rows[i].copies};

		flow_end(flow, &told, bench.now, rows[i].waited);
		assert_int_equal(flow_controls_missing(flow), rows[i].missing);
	}
}

/* The answer to END is final: not before what is still on its way had time to come. */
FLOW_TEST(what_is_waited_for_after_the_end)
{
	np_time ended;
	struct flow *flow = NULL;

	for (uint64_t number = 1; number < 5; number++) {
		bench.sent = bench.now;
		flow = arrive(number, 1);
	}
	bench.sent = bench.now - 500 * NP_MILLISECOND;
	arrive(5, 1);
	ended = bench.now;
	end(flow, 6, 0, ended);
	end(flow, 6, 0, ended + NP_SECOND);
	assert_true(flow->end_at == ended && flow->ended);
	/* Its publisher may still prove its address. */
	assert_false(flow_accounted(flow, ended + FLOW_PROVE_WITHIN - 1));
	assert_true(flow_accounted(flow, ended + FLOW_PROVE_WITHIN));
	flow->proven = true;
	/* One is missing. */
	assert_false(flow_accounted(flow, ended + NP_SECOND - 1));
	assert_true(flow_accounted(flow, ended + NP_SECOND));
	bench.sent = bench.now;
	/* Nothing is: delays of a queue alone promise nothing more ... */
	arrive(6, 1);
	assert_false(flow_accounted(flow, ended + GRACE - 1));
	assert_true(flow_accounted(flow, ended + GRACE));
	/* ... but where one came twice others may. */
	arrive(3, 1);
	assert_false(flow_accounted(flow, ended + NP_SECOND - 1));
	assert_true(flow_accounted(flow, ended + NP_SECOND));
}

/* A run of a source that is known is a new flow; a silence ends those that are foreign or ended. */
FLOW_TEST(runs_and_silences)
{
	struct flow *first = arrive(1, 10), *second = arrive_of(RUN + 1, 1), *foreign;

	assert_true(first != second && first->ended && !second->ended);
	assert_ptr_equal(bench.flows.first, first);
	assert_ptr_equal(first->next, second);
	/* A straggler of the former run; one without a trailer is the newest's. */
	assert_ptr_equal(arrive_of(RUN, 12), first);
	assert_ptr_equal(arrive_of(0, 77), second);
	assert_int_equal(life_of(first).sent, 12);
	/* Nor was it dead, but sent from behind the same port. */
	end(first, 14, 0, bench.now);
	assert_int_equal(life_of(first).lost, 3);
	assert_true(life_of(first).sent_known);
	assert_int_equal(life_of(second).damaged, 1);
	np_address_set_port(&bench.source, 2);
	foreign = arrive_of(0, 1);
	arrive(1, 1);
	assert_int_equal(life_of(foreign).duplicates, 1);
	assert_int_equal(flows_count(&bench.flows), 3);
	silence();
	assert_true(first->past && !second->past && first->next == second && !second->next);
	assert_int_equal(flows_count(&bench.flows), 1);
	/* What has no trailer is no damaged packet of a run that is past. */
	np_address_set_port(&bench.source, 40000);
	end(second, 1, 0, bench.now);
	silence();
	foreign = arrive_of(0, 1);
	assert_false(foreign->ours);
	assert_ptr_equal(arrive(2, 1), foreign);
	assert_int_equal(life_of(second).damaged, 1);
}

/* A run ends a proven one of its source only when it is proven itself. */
FLOW_TEST(a_proven_run_goes_on)
{
	struct flow *first = arrive(1, 1), *second;

	ask(first, START);
	answer(first, RUN, START, START, START + NP_MILLISECOND);
	bench.now += NP_SECOND;
	second = arrive_of(RUN + 1, 1);
	assert_false(first->ended);
	flows_end_former(&bench.flows, second);
	assert_true(first->ended && !second->ended);
}

/* There is one flow of a run, however long after its end; removed, it begins no second time. */
FLOW_TEST(kept_and_remembered)
{
	const np_time later = START + 30 * NP_SECOND;
	struct flow *flow = arrive(1, 10);

	end(flow, 13, 0, START + NP_SECOND);
	flow->reported = true;
	assert_false(flow_over(flow, START + NP_SECOND + FLOW_KEPT - 1));
	assert_true(flow_over(flow, START + NP_SECOND + FLOW_KEPT));
	assert_true(flow->past);
	bench.now = later;
	assert_ptr_equal(arrive(11, 3), flow);
	assert_true(life_of(flow).received == 13 && life_of(flow).after_end == 3);
	assert_false(flow_over(flow, later + FLOW_KEPT - 1));
	assert_false(flows_departed(&bench.flows, &bench.source, RUN, true));
	bench.now = later + FLOW_KEPT;
	silence();
	assert_null(bench.flows.first);
	assert_true(flows_departed(&bench.flows, &bench.source, RUN, true));
	assert_null(flows_find(&bench.flows, &bench.source, 0, RUN));
	assert_false(flows_departed(&bench.flows, &bench.source, RUN + 1, true));
	np_address_set_port(&bench.source, 1);
	assert_false(flows_departed(&bench.flows, &bench.source, RUN, true));
}

/* Answers come from the printed address. */
FLOW_TEST(answers_from_what_is_printed)
{
	const struct wire_control reply = {.run = RUN, .t1 = START, .t2 = START, .t3 = START};
	struct flow *flow = arrive_from(1000, RUN);

	ask(flow, START);
	assert_false(flow_clock_reply(flow, &flow->source, &reply, START + NP_MILLISECOND));
	assert_false(flow->proven);
	assert_string_equal(flow->name, "/10.77.0.2:9999");
	assert_true(flow_clock_reply(flow, &flow->printed, &reply, START + NP_MILLISECOND));
	assert_true(flow->proven);
	/* The highest port is one; what is higher is none, so that the source's stays. */
	for (uint32_t port = UINT16_MAX; port < UINT16_MAX + 2u; port++) {
		const struct wire_packet head = {.return_port = port, .number = 1};
		const struct np_address source = address_of("10.77.0.3:7");

		flow = flows_add(&bench.flows, &source, &head, START);
		assert_int_equal(np_address_port(&flow->printed),
				 port > UINT16_MAX ? 7 : UINT16_MAX);
	}
}

/* The one silent longest goes first, unless it is proven and not reported yet. */
FLOW_TEST(who_is_displaced)
{
	struct flow *flow[4];

	assert_null(flows_victim(&bench.flows));
	for (uint16_t i = 0; i < 4; i++)
		flow[i] = arrive_from((uint16_t)(1000 + i), RUN);
	flow[1]->heard = START - 2;
	flow[2]->heard = START - 1;
	assert_ptr_equal(flows_victim(&bench.flows), flow[1]);
	flow[1]->proven = true;
	assert_ptr_equal(flows_victim(&bench.flows), flow[2]);
	flows_remove(&bench.flows, flow[2]);
	flow[0]->proven = flow[3]->proven = true;
	assert_null(flows_victim(&bench.flows));
	flow[3]->reported = true;
	assert_ptr_equal(flows_victim(&bench.flows), flow[3]);
}

/* One that comes back lost nothing of what it sent before: only that is unknown. */
FLOW_TEST(the_displaced_comes_back)
{
	struct flow *flow = arrive(1, 10);

	flows_remove(&bench.flows, flow);
	assert_false(flows_departed(&bench.flows, &bench.source, RUN, true));
	flow = arrive(20, 1);
	assert_true(flow->late_start);
	assert_true(life_of(flow).missed_before == 19 && !life_of(flow).lost);
	end(flow, 25, 0, bench.now);
	assert_true(life_of(flow).missed_before == 19 && life_of(flow).lost == 5);
	assert_false(arrive_of(RUN + 1, 20)->late_start);
}

/* In a flood of forged sources who is heard stays, and who falls silent goes. */
FLOW_TEST(a_flood)
{
	const uint16_t active = 1000, silent = 1001;
	const struct np_packet packet = {.source = &bench.source};
	uint64_t hash;

	for (unsigned i = 0; i < FLOWS_MAX; i++)
		assert_non_null(arrive_from((uint16_t)(1000 + i), RUN));
	assert_int_equal(flows_count(&bench.flows), FLOWS_MAX);
	assert_null(arrive_from(1000 + FLOWS_MAX, RUN));
	for (unsigned i = FLOWS_MAX; i < 4 * FLOWS_MAX; i++) {
		assert_non_null(arrive_from(active, RUN));
		flows_remove(&bench.flows, flows_victim(&bench.flows));
		assert_non_null(arrive_from((uint16_t)(1000 + i), RUN));
	}
	np_address_set_port(&bench.source, active);
	flows_expect(&bench.flows, &packet, 1, &hash);
	assert_int_equal(flows_find(&bench.flows, &bench.source, hash, RUN)->hash, hash);
	np_address_set_port(&bench.source, silent);
	flows_expect(&bench.flows, &packet, 1, &hash);
	assert_null(flows_find(&bench.flows, &bench.source, hash, RUN));
	assert_null(flows_find(&bench.flows, &bench.source, 0, RUN));
	/* Its run had not ended: it may come back. */
	assert_false(flows_departed(&bench.flows, &bench.source, RUN, true));
}

/* Each has its turn, also when the one whose turn it is goes. */
FLOW_TEST(turns)
{
	struct flow *flow[3];

	assert_null(flows_turn(&bench.flows));
	for (unsigned i = 0; i < COUNT(flow); i++)
		flow[i] = arrive_from((uint16_t)(1000 + i), RUN);
	assert_ptr_equal(flows_turn(&bench.flows), flow[0]);
	flows_remove(&bench.flows, flow[1]);
	assert_ptr_equal(flows_turn(&bench.flows), flow[2]);
	assert_ptr_equal(flows_turn(&bench.flows), flow[0]);
	flows_remove(&bench.flows, flow[2]);
	assert_ptr_equal(flows_turn(&bench.flows), flow[0]);
}
