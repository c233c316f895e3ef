// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What flows count: the original's figures over distinct packets, runs, damage, clocks, limits. */
#include "../../src/datagram-test/flow.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define BYTES  1468
#define OPENED (1000 * NP_SECOND)
#define START  (OPENED + 10 * NP_SECOND)
#define RUN    0x1234u
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

struct bench {
	struct flows *flows;
	struct np_address source;
	np_time now;
};

static struct np_address address(uint32_t ip, uint16_t port)
{
	struct np_address made;
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};

	memset(&made, 0, sizeof(made));
	memcpy(&made.storage, &in, sizeof(in));
	made.length = sizeof(in);
	return made;
}

static int set_up(void **state)
{
	static struct bench bench;

	bench.source = address(0x0a4d0002, 40000);
	bench.now = START;
	*state = &bench;
	return flows_create(&bench.flows, 42, OPENED);
}

static int tear_down(void **state)
{
	flows_free(((struct bench *)*state)->flows);
	return 0;
}

/* As the listener does it; @run 0: without a trailer. 1 ms between packets. */
static struct flow *arrive_sent(struct bench *bench, uint32_t run, uint16_t age, uint64_t number,
				np_time sent)
{
	struct wire_packet head = {
		.return_port = 9999, .send_time = sent, .ack = WIRE_NO_ACK, .number = number};
	struct wire_trailer trailer = {.run = run, .age = age, .held_us = WIRE_HELD_UNKNOWN};
	struct flow *flow = flows_find(bench->flows, &bench->source, run);

	if (!flow)
		flow = flows_add(bench->flows, &bench->source, &head, run ? &trailer : NULL,
				 bench->now);
	if (flow)
		flow_count(flow, &head, run ? &trailer : NULL, 1, BYTES, bench->now);
	bench->now += NP_MILLISECOND;
	return flow;
}

static struct flow *arrive(struct bench *bench, uint32_t run, uint16_t age, uint64_t number)
{
	return arrive_sent(bench, run, age, number, 1);
}

static struct flow *arrive_all(struct bench *bench, uint32_t run, uint64_t from, uint64_t to)
{
	struct flow *flow = NULL;
	uint64_t number;

	for (number = from; number <= to; number++)
		flow = arrive(bench, run, 0, number);
	return flow;
}

/* As the listener does it: those of which nothing more is awaited go. */
static void silence(struct bench *bench)
{
	for (struct flow *flow = flows_first(bench->flows), *next; flow; flow = next) {
		next = flow->next;
		if (flow_over(flow, bench->now))
			flows_remove(bench->flows, flow);
	}
}

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

static void expect_vector(const struct flow_figures *f, const struct vector *v)
{
	assert_int_equal(f->counts.received, v->received);
	assert_int_equal(f->counts.sent, v->sent);
	assert_int_equal(f->counts.lost, v->missing);
	assert_int_equal(f->counts.duplicates, v->duplicates);
	assert_int_equal(f->counts.reordered, v->reordered);
	assert_int_equal(average(f->counts.order.offset_sum, f->counts.reordered), v->average);
	assert_int_equal(f->counts.order.gaps, v->gaps);
	assert_int_equal(average(f->counts.order.gap_packets, f->counts.order.gaps),
			 v->average_gap);
	assert_int_equal(f->counts.bytes, v->received * BYTES);
}

static void figures_of_the_original(void **state)
{
	struct bench *bench = *state;
	struct flow_figures figures;
	struct flow *flow = NULL;
	size_t i, k;

	for (i = 0; i < LEN(vectors); i++) {
		for (k = 0; vectors[i].number[k]; k++)
			flow = arrive(bench, 0, 0, vectors[i].number[k]);
		flow_life(flow, &figures);
		expect_vector(&figures, &vectors[i]);
		assert_int_equal(figures.counts.elapsed, (np_time)(k - 1) * NP_MILLISECOND);
		assert_false(figures.counts.sent_known);
		flow_now(flow, &figures);
		expect_vector(&figures, &vectors[i]);
		silence(bench);
		assert_int_equal(flows_count(bench->flows), 0);
	}
}

static void foreign_run_again_is_duplicates_until_dropped(void **state)
{
	struct bench *bench = *state;
	struct flow_figures figures;

	arrive_all(bench, 0, 1, 50);
	flow_life(arrive_all(bench, 0, 1, 50), &figures);
	assert_int_equal(figures.counts.received, 50);
	assert_int_equal(figures.counts.sent, 50);
	assert_int_equal(figures.counts.lost, 0);
	assert_int_equal(figures.counts.duplicates, 50);
	assert_int_equal(figures.counts.reordered, 0);
	silence(bench);
	flow_life(arrive_all(bench, 0, 1, 50), &figures);
	assert_int_equal(figures.counts.received, 50);
	assert_int_equal(figures.counts.duplicates, 0);
}

static void foreign_numbers_wrap(void **state)
{
	struct bench *bench = *state;
	struct flow_figures figures;
	struct flow *flow = arrive(bench, 0, 0, UINT32_MAX - 1);

	assert_false(flow->ours);
	arrive(bench, 0, 0, UINT32_MAX);
	arrive(bench, 0, 0, 1);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 4);
	assert_int_equal(figures.counts.lost, 1);
}

static void loss_of_head_and_tail_is_seen(void **state)
{
	struct bench *bench = *state;
	struct flow_figures figures;
	struct flow *flow = arrive(bench, RUN, 5, 4);

	arrive(bench, RUN, 5, 5);
	assert_true(flow->ours);
	assert_false(flow->late_start);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 5);
	assert_int_equal(figures.counts.lost, 3);
	assert_int_equal(figures.counts.missed_before, 0);
	assert_false(figures.counts.sent_known);
	flow_end(flow, 12, 0, bench->now);
	flow_end(flow, 12, 0, bench->now + NP_SECOND);
	assert_int_equal(flow->end_at, bench->now);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 12);
	assert_int_equal(figures.counts.received, 2);
	assert_int_equal(figures.counts.lost, 10);
	assert_true(figures.counts.sent_known);
	assert_true(flow->ended);
	/* One that END overtook. */
	arrive(bench, RUN, 5, 12);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.lost, 9);
}

static void nothing_but_the_end_arrives(void **state)
{
	struct bench *bench = *state;
	struct wire_packet head = {.return_port = 9999, .ack = WIRE_NO_ACK};
	struct wire_trailer trailer = {.run = RUN};
	struct flow *flow = flows_add(bench->flows, &bench->source, &head, &trailer, START);
	struct flow_figures figures;

	flow_end(flow, 7, 0, START);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 7);
	assert_int_equal(figures.counts.lost, 7);
	assert_int_equal(figures.counts.elapsed, 0);
}

static void late_start_shows_what_was_before_apart(void **state)
{
	static const uint16_t ages[] = {1001, WIRE_AGE_MORE};
	struct bench *bench = *state;
	struct flow_figures figures;
	struct flow *flow;
	uint32_t i;

	for (i = 0; i < LEN(ages); i++) {
		bench->now = START;
		arrive(bench, RUN + i, ages[i], 101);
		arrive(bench, RUN + i, ages[i], 100);
		flow = arrive(bench, RUN + i, ages[i], 103);
		assert_true(flow->late_start);
		flow_life(flow, &figures);
		assert_int_equal(figures.counts.missed_before, 99);
		assert_int_equal(figures.counts.sent, 4);
		assert_int_equal(figures.counts.lost, 1);
		assert_int_equal(figures.counts.reordered, 1);
	}
	bench->now = START;
	flow = arrive(bench, RUN + i, 1000, 5);
	assert_false(flow->late_start);
}

static void a_new_run_of_the_source_is_a_new_flow(void **state)
{
	struct bench *bench = *state;
	struct flow *first = arrive_all(bench, RUN, 1, 10), *second;
	struct flow_figures figures;

	second = arrive_all(bench, RUN + 1, 1, 5);
	assert_ptr_not_equal(first, second);
	assert_true(first->ended);
	assert_false(second->ended);
	assert_int_equal(flows_count(bench->flows), 2);
	assert_ptr_equal(flows_first(bench->flows), first);
	assert_ptr_equal(first->next, second);
	/* A straggler of the former run. */
	assert_ptr_equal(arrive(bench, RUN, 0, 12), first);
	flow_life(first, &figures);
	assert_int_equal(figures.counts.sent, 12);
	assert_int_equal(figures.counts.received, 11);
	flow_life(second, &figures);
	assert_int_equal(figures.counts.sent, 5);
	/* Without a trailer it is the newest's. */
	assert_ptr_equal(arrive(bench, 0, 0, 77), second);
	flow_life(second, &figures);
	assert_int_equal(figures.counts.damaged, 1);
	silence(bench);
	assert_true(first->past);
	assert_false(second->past);
	assert_int_equal(flows_count(bench->flows), 1);
}

static void damage_is_missing_and_shown_apart(void **state)
{
	struct bench *bench = *state;
	struct flow_figures figures;
	struct flow *flow;

	arrive(bench, RUN, 0, 1);
	arrive(bench, 0, 0, 2000000);
	flow = arrive(bench, RUN, 0, 3);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.received, 2);
	assert_int_equal(figures.counts.sent, 3);
	assert_int_equal(figures.counts.lost, 1);
	assert_int_equal(figures.counts.damaged, 1);
	assert_int_equal(flows_count(bench->flows), 1);
	flow_mark(flow, bench->now);
	arrive(bench, 0, 0, 5);
	flow_now(flow, &figures);
	assert_int_equal(figures.counts.damaged, 1);
}

static void a_first_damaged_packet_does_not_hide_the_run(void **state)
{
	struct bench *bench = *state;
	struct flow_figures figures;
	struct flow *flow = arrive(bench, 0, 0, 4000000);

	assert_false(flow->ours);
	assert_ptr_equal(arrive(bench, RUN, 0, 2), flow);
	assert_true(flow->ours);
	arrive(bench, RUN, 0, 3);
	assert_int_equal(flows_count(bench->flows), 1);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 3);
	assert_int_equal(figures.counts.received, 2);
	assert_int_equal(figures.counts.damaged, 1);
	assert_int_equal(figures.counts.bytes, 2 * BYTES);
	flow_now(flow, &figures);
	assert_int_equal(figures.counts.sent, 3);
}

static void ours_survives_silence(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 10);
	struct flow_figures figures;

	bench->source = address(0x0a4d0003, 40000);
	arrive(bench, 0, 0, 1);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), 1);
	assert_ptr_equal(flows_first(bench->flows), flow);
	bench->source = address(0x0a4d0002, 40000);
	assert_ptr_equal(arrive(bench, RUN, 0, 15), flow);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.lost, 4);
	flow_end(flow, 15, 0, bench->now);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), 0);
}

/* However long after its end and the silence that followed: there is one flow of a run. */
static void a_packet_behind_the_end_finds_its_flow(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 10);
	struct flow_figures figures;

	flow_end(flow, 13, 0, bench->now);
	arrive(bench, RUN, 0, 13);
	flow->told = true;
	bench->now += 1500 * NP_MILLISECOND;
	silence(bench);
	assert_true(flow->past);
	bench->now += 20 * NP_SECOND;
	assert_ptr_equal(arrive(bench, RUN, 0, 11), flow);
	assert_ptr_equal(arrive(bench, RUN, 0, 12), flow);
	assert_ptr_equal(arrive(bench, RUN, 0, 3), flow);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 13);
	assert_int_equal(figures.counts.received, 13);
	assert_int_equal(figures.after_end, 2);
	assert_int_equal(figures.counts.lost, 0);
	assert_int_equal(figures.counts.duplicates, 1);
	assert_true(figures.counts.sent_known);
}

static void what_is_past_is_in_nobodys_way(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 10), *foreign, *next;
	struct flow_figures figures;

	flow_end(flow, 10, 0, bench->now);
	silence(bench);
	/* What has no trailer is no damaged packet of a run that is over. */
	foreign = arrive(bench, 0, 0, 1);
	assert_ptr_not_equal(foreign, flow);
	assert_ptr_equal(arrive(bench, 0, 0, 2), foreign);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.damaged, 0);
	silence(bench);
	next = arrive_all(bench, RUN + 1, 1, 5);
	assert_false(next->past);
	assert_int_equal(flows_count(bench->flows), 1);
	assert_ptr_equal(arrive(bench, RUN, 0, 10), flow);
	/* Nobody is kept for ever, but a run that is over begins no second time. */
	assert_false(flows_departed(bench->flows, &bench->source, RUN));
	bench->now += FLOW_KEPT + NP_SECOND;
	silence(bench);
	assert_ptr_equal(flows_first(bench->flows), next);
	assert_null(next->next);
	assert_true(flows_departed(bench->flows, &bench->source, RUN));
	assert_false(flows_departed(bench->flows, &bench->source, RUN + 1));
	assert_false(flows_departed(bench->flows, &bench->source, RUN + 2));
	np_address_set_port(&bench->source, 1);
	assert_false(flows_departed(bench->flows, &bench->source, RUN));
}

/* Between two reports: growth of the highest number, first arrivals above the former one. */
static void now_spans_the_numbers_since_the_mark(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive_all(bench, RUN, 1, 4);
	struct flow_figures figures;
	np_time marked;

	arrive(bench, RUN, 0, 6);
	marked = bench->now;
	flow_mark(flow, marked);
	flow_now(flow, &figures);
	assert_int_equal(figures.counts.sent, 0);
	assert_int_equal(figures.counts.elapsed, 0);
	bench->now += 5 * NP_MILLISECOND;
	arrive(bench, RUN, 0, 5);
	arrive(bench, RUN, 0, 7);
	arrive(bench, RUN, 0, 7);
	arrive(bench, RUN, 0, 9);
	flow_now(flow, &figures);
	assert_int_equal(figures.counts.sent, 3);
	assert_int_equal(figures.counts.received, 2);
	assert_int_equal(figures.counts.lost, 1);
	assert_int_equal(figures.counts.duplicates, 1);
	assert_int_equal(figures.counts.reordered, 0);
	assert_int_equal(figures.counts.bytes, 2 * BYTES);
	assert_int_equal(figures.counts.elapsed, 8 * NP_MILLISECOND);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.sent, 9);
	assert_int_equal(figures.counts.received, 8);
	assert_int_equal(figures.counts.bytes, 8 * BYTES);
	assert_int_equal(figures.counts.reordered, 1);
}

static void acks_of_peers_give_round_trips(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_packet head = {.ack = START, .number = 2};
	struct wire_trailer trailer = {.run = RUN, .held_us = 300};
	struct flow_figures figures;

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
	assert_int_equal(figures.acks.count, 4);
	assert_int_equal(figures.acks.sum, 4 * NP_MILLISECOND);
	assert_int_equal(np_histogram_count(flow->rtt), 3);
	assert_int_equal(np_histogram_max(flow->rtt), 700 * NP_MICROSECOND);
}

/* The partner's clock is 5 s ahead; 40 us there, 60 us back, 1 ms between: bound 50 us. */
static void delay_by_the_partners_clock(void **state)
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

static void worse_and_false_replies_change_nothing(void **state)
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

static void the_table_has_a_limit(void **state)
{
	struct bench *bench = *state;
	struct flow *flow, *last = NULL;
	uint32_t i;

	for (i = 0; i < FLOWS_MAX + 10; i++) {
		bench->source = address(0x0a000000 + i, (uint16_t)(1000 + i));
		flow = arrive(bench, i % 2 ? RUN : 0, 0, 1);
		assert_int_equal(!flow, i >= FLOWS_MAX);
		last = flow ? flow : last;
	}
	assert_int_equal(flows_count(bench->flows), FLOWS_MAX);
	assert_int_equal(flows_refused(bench->flows), 10);
	for (i = 0; i < FLOWS_MAX; i++) {
		bench->source = address(0x0a000000 + i, (uint16_t)(1000 + i));
		flow = flows_find(bench->flows, &bench->source, i % 2 ? RUN : 0);
		assert_non_null(flow);
		assert_memory_equal(&flow->source, &bench->source, sizeof(bench->source));
	}
	assert_ptr_equal(flow, last);
	silence(bench);
	assert_int_equal(flows_count(bench->flows), FLOWS_MAX / 2);
	assert_non_null(arrive(bench, 0, 0, 1));
}

static void reports_show_the_return_port(void **state)
{
	struct bench *bench = *state;
	struct wire_packet head = {.return_port = 9998, .ack = WIRE_NO_ACK, .number = 1};
	struct flow *flow = flows_add(bench->flows, &bench->source, &head, NULL, START);

	assert_int_equal(np_address_port(&flow->printed), 9998);
	assert_int_equal(np_address_port(&flow->source), 40000);
	head.return_port = 65536;
	bench->source = address(0x0a4d0003, 40001);
	flow = flows_add(bench->flows, &bench->source, &head, NULL, START);
	assert_int_equal(np_address_port(&flow->printed), 40001);
}

static void figures_add_up(void **state)
{
	const struct flow_figures one = {
		.counts = {.flows = 1, .received = 5}, .after_end = 2, .acks = {3, 70}};
	struct flow_figures sum = {.after_end = 0};

	(void)state;
	flow_figures_add(&sum, &one);
	flow_figures_add(&sum, &one);
	assert_true(sum.counts.received == 10 && sum.after_end == 4);
	assert_true(sum.acks.count == 6 && sum.acks.sum == 140);
	flow_figures_since(&sum, &one);
	assert_true(sum.counts.received == 5 && sum.after_end == 2);
	assert_true(sum.acks.count == 3 && sum.acks.sum == 70);
}

/* A run of packets is what they are one by one; the ack is its first one's. */
static void runs_of_packets(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);
	struct wire_packet head = {.send_time = 1, .ack = START, .number = 2};
	const struct wire_trailer trailer = {.run = RUN, .held_us = WIRE_HELD_UNKNOWN};
	struct flow_figures figures;

	flow->peer = 1;
	flow_count(flow, &head, &trailer, 64, BYTES, START + NP_MILLISECOND);
	assert_int_equal(flow->packets, 65);
	/* Its first one came before. */
	head.number = 65;
	flow_count(flow, &head, &trailer, 3, BYTES, START + NP_MILLISECOND);
	flow->told = true;
	head.ack = WIRE_NO_ACK;
	flow_count(flow, &head, &trailer, 5, BYTES, START + NP_MILLISECOND);
	flow_count(flow, &head, NULL, 2, BYTES, START + NP_MILLISECOND);
	flow_life(flow, &figures);
	assert_int_equal(figures.counts.received, 69);
	assert_int_equal(figures.counts.duplicates, 4);
	assert_int_equal(figures.counts.damaged, 2);
	assert_int_equal(figures.counts.bytes, 69 * BYTES);
	assert_int_equal(figures.after_end, 2);
	assert_int_equal(figures.acks.count, 1);
	flow_mark(flow, START + NP_SECOND);
	flow_now(flow, &figures);
	assert_true(!figures.acks.count && !figures.acks.sum && !figures.after_end);
}

/*
 * A listener that comes behind packet 2^32 of a run sees the lower half of its numbers; END has
 * both. @before: packets before the first that came.
 */
static void late_and_far(void **state)
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
		struct flow_figures life;
		struct flow *flow = NULL;

		for (uint64_t n = rows[i].first; n <= rows[i].last; n++)
			flow = arrive(bench, RUN + (uint32_t)i, WIRE_AGE_MORE, (uint32_t)n);
		flow_life(flow, &life);
		assert_true(flow->late_start);
		assert_int_equal(life.counts.missed_before, rows[i].before);
		flow_end(flow, rows[i].end, 0, bench->now);
		flow_life(flow, &life);
		assert_int_equal(life.counts.received, rows[i].last - rows[i].first + 1);
		assert_int_equal(life.counts.lost, rows[i].missing);
		assert_int_equal(life.counts.sent, life.counts.received + life.counts.lost);
		assert_int_equal(life.counts.sent + life.counts.missed_before, rows[i].end);
		assert_int_equal(flow->last, rows[i].end);
	}
}

/* One below the first that came, before the lower half of the numbers began anew. */
static void late_and_disordered(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = NULL;
	struct flow_figures life;

	arrive(bench, RUN, WIRE_AGE_MORE, 1);
	arrive(bench, RUN, WIRE_AGE_MORE, UINT32_MAX);
	flow = arrive(bench, RUN, WIRE_AGE_MORE, 0);
	flow_end(flow, (UINT64_C(1) << 32) + 1, 0, bench->now);
	flow_life(flow, &life);
	assert_int_equal(life.counts.received, 3);
	assert_int_equal(life.counts.reordered, 2);
	assert_int_equal(life.counts.lost, 0);
	assert_int_equal(life.counts.stray, 0);
	assert_int_equal(life.counts.missed_before, UINT32_MAX - 1);
}

/* What never left the sender is not missing; but no more of it than is missing. */
static void unsent_is_not_lost(void **state)
{
	static const struct {
		uint64_t unsent, lost, counted;
	} rows[] = {{0, 8, 0}, {3, 5, 3}, {8, 0, 8}, {9, 0, 8}};

	for (size_t i = 0; i < LEN(rows); i++) {
		struct bench *bench = *state;
		struct flow_figures life, now;
		struct flow *flow;

		arrive_all(bench, RUN + (uint32_t)i, 1, 4);
		flow = arrive_all(bench, RUN + (uint32_t)i, 11, 12);
		flow_end(flow, 14, rows[i].unsent, bench->now);
		flow_life(flow, &life);
		flow_now(flow, &now);
		assert_int_equal(life.counts.lost, rows[i].lost);
		assert_int_equal(life.counts.unsent, rows[i].counted);
		assert_int_equal(life.counts.sent, 14 - rows[i].counted);
		assert_int_equal(now.counts.lost, life.counts.lost);
		flow_mark(flow, bench->now);
		flow_now(flow, &now);
		assert_int_equal(now.counts.lost + now.counts.sent + now.counts.unsent, 0);
	}
}

/* Of a run that began before us nobody knows when that was. */
static void unsent_of_a_late_start(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = NULL;
	struct flow_figures life;

	for (uint64_t n = 100; n < 105; n++)
		flow = arrive(bench, RUN, WIRE_AGE_MORE, n);
	flow_end(flow, 114, 4, bench->now);
	flow_life(flow, &life);
	assert_int_equal(life.counts.lost, 10);
	assert_int_equal(life.counts.unsent, 0);
	assert_int_equal(life.counts.unsent_perhaps, 4);
}

/* Only the answer to a question of ours proves an address, and each question has one. */
static void answers_prove(void **state)
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

/* Those that did not prove their address go first, and of them the quiet ones. */
static void strangers_make_room(void **state)
{
	struct bench *bench = *state;
	struct flow *flow[5], *victim;

	for (uint16_t i = 0; i < 5; i++) {
		bench->source = address(0x0a4d0002, (uint16_t)(1000 + i));
		flow[i] = arrive(bench, RUN + i, 0, 1);
	}
	flow[0]->proven = flow[3]->proven = true;
	bench->source = address(0x0a4d0002, 1001);
	arrive(bench, RUN + 1, 0, 2);
	victim = flows_victim(bench->flows);
	assert_ptr_equal(victim, flow[2]);
	flows_remove(bench->flows, victim);
	assert_int_equal(flows_count(bench->flows), 4);
	bench->source = address(0x0a4d0002, 1002);
	assert_null(flows_find(bench->flows, &bench->source, RUN + 2));
	victim = flows_victim(bench->flows);
	assert_ptr_equal(victim, flow[4]);
	flows_remove(bench->flows, victim);
	victim = flows_victim(bench->flows);
	assert_ptr_equal(victim, flow[1]);
	flows_remove(bench->flows, victim);
	assert_null(flows_victim(bench->flows));
	assert_ptr_equal(flows_first(bench->flows), flow[0]);
	assert_ptr_equal(flow[0]->next, flow[3]);
	/* One that is told of needs its place no more. */
	flow[3]->told = true;
	assert_ptr_equal(flows_victim(bench->flows), flow[3]);
}

/* Answers come from the printed address: they find all of their flows, whichever have gone. */
static void flows_are_found_by_what_is_printed(void **state)
{
	const struct np_address here = address(0x0a4d0002, 9999), there = address(0x0a4d0003, 9999);
	struct bench *bench = *state;
	struct flow *flow[4];

	assert_null(flows_printed(bench->flows, &here, NULL));
	for (uint16_t i = 0; i < 4; i++) {
		bench->source = address(i == 1 ? 0x0a4d0003 : 0x0a4d0002, (uint16_t)(1000 + i));
		flow[i] = arrive(bench, RUN + i, 0, 1);
	}
	assert_ptr_equal(flows_printed(bench->flows, &here, NULL), flow[3]);
	assert_ptr_equal(flows_printed(bench->flows, &here, flow[3]), flow[2]);
	assert_ptr_equal(flows_printed(bench->flows, &here, flow[2]), flow[0]);
	assert_null(flows_printed(bench->flows, &here, flow[0]));
	assert_ptr_equal(flows_printed(bench->flows, &there, NULL), flow[1]);
	assert_null(flows_printed(bench->flows, &there, flow[1]));
	assert_null(flows_printed(bench->flows, &bench->source, NULL));
	flows_remove(bench->flows, flow[2]);
	assert_ptr_equal(flows_printed(bench->flows, &here, flow[3]), flow[0]);
	flows_remove(bench->flows, flow[1]);
	assert_null(flows_printed(bench->flows, &there, NULL));
}

/* A packet that was so much longer under way than one that arrived at START. */
static struct flow *arrive_slowly(struct bench *bench, uint64_t number, np_time longer)
{
	return arrive_sent(bench, RUN, 0, number, bench->now - (START - 1) - longer);
}

/* What is waited for behind an END follows the delays seen, forged ones within bounds. */
static void grace_follows_delays(void **state)
{
	struct bench *bench = *state;
	struct flow *flow = arrive(bench, RUN, 0, 1);

	assert_int_equal(flow_grace(flow), 200 * NP_MILLISECOND);
	arrive_slowly(bench, 2, 701 * NP_MILLISECOND);
	assert_int_equal(flow_grace(flow), 2 * 701 * NP_MILLISECOND);
	arrive_sent(bench, RUN, 0, 3, INT64_MIN);
	assert_int_equal(flow_grace(flow), 10 * NP_SECOND);
}

/* The answer to END is final: not before copies that are still on their way had time to come. */
static void doubled_ones_are_waited_for(void **state)
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

static void missing_ones_are_waited_for(void **state)
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

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(late_and_far),
		CASE(late_and_disordered),
		CASE(unsent_is_not_lost),
		CASE(unsent_of_a_late_start),
		CASE(answers_prove),
		CASE(strangers_make_room),
		CASE(flows_are_found_by_what_is_printed),
		CASE(grace_follows_delays),
		CASE(doubled_ones_are_waited_for),
		CASE(missing_ones_are_waited_for),
		CASE(figures_of_the_original),
		CASE(foreign_run_again_is_duplicates_until_dropped),
		CASE(foreign_numbers_wrap),
		CASE(loss_of_head_and_tail_is_seen),
		CASE(nothing_but_the_end_arrives),
		CASE(late_start_shows_what_was_before_apart),
		CASE(a_new_run_of_the_source_is_a_new_flow),
		CASE(damage_is_missing_and_shown_apart),
		CASE(a_first_damaged_packet_does_not_hide_the_run),
		CASE(ours_survives_silence),
		CASE(a_packet_behind_the_end_finds_its_flow),
		CASE(what_is_past_is_in_nobodys_way),
		CASE(now_spans_the_numbers_since_the_mark),
		CASE(acks_of_peers_give_round_trips),
		CASE(delay_by_the_partners_clock),
		CASE(worse_and_false_replies_change_nothing),
		CASE(the_table_has_a_limit),
		CASE(reports_show_the_return_port),
		CASE(figures_add_up),
		CASE(runs_of_packets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
