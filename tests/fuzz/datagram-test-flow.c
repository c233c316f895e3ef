// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Flows of packets, ENDs and clock replies with any values, and all that is derived and printed. */
#include "../../src/datagram-test/session.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN (1000 * NP_SECOND)
#define RUNS  4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bench {
	struct flows flows;
	struct np_address source;
	struct flow *flow; /* the last one that something came of */
	np_time now;
};

/* One thing that happens, as it stands in the input. */
struct event {
	uint8_t kind, flags;
	uint16_t age;
	uint32_t run;
	int64_t a, b, c, d;
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void take_packet(struct bench *bench, const struct event *e, bool ours)
{
	const bool wide = ours && e->flags & 1;
	struct wire_packet head = {
		.return_port = (uint32_t)e->d,
		.send_time = e->a,
		.ack = e->b,
		.number = wide ? (uint64_t)e->c : (uint32_t)e->c,
		.wide = wide,
		.run = ours ? 1 + e->run % RUNS : 0,
		.age = e->age,
		.confirmed = e->flags & 2,
		.held_us = (uint32_t)e->d & WIRE_HELD_UNKNOWN,
	};
	struct flow *flow = flows_find(&bench->flows, &bench->source, 0, head.run);

	if (!flow)
		flow = flows_add(&bench->flows, &bench->source, &head, bench->now);
	must(flow);
	flow->peer = e->flags & 4 ? (struct peer *)flow : NULL;
	flow->past = false;
	flow_count(flow, &head, 1 + e->kind / 64, e->age, bench->now);
	bench->flow = flow;
}

/* As the decoder lets them through. */
static void take_end(struct bench *bench, const struct event *e)
{
	const uint64_t last = (uint64_t)e->c, unsent = (uint64_t)e->d;
	const struct wire_control end = {.last = last, .unsent = unsent <= last ? unsent : last};

	if (bench->flow && bench->flow->ours)
		flow_end(bench->flow, &end, bench->now, 0);
}

static void take_reply(struct bench *bench, const struct event *e)
{
	const struct wire_control reply = {
		.type = WIRE_TIME_REPLY,
		.run = bench->flow ? bench->flow->run : 0,
		.t1 = e->flags & 1 ? e->c : bench->now,
		.t2 = e->a,
		.t3 = e->b,
	};

	if (!bench->flow)
		return;
	bench->flow->clock.open[bench->flow->clock.asks++ % FLOW_QUESTIONS] = bench->now;
	flow_clock_reply(bench->flow, &bench->flow->printed, &reply, bench->now + e->age);
}

static void be_silent(struct bench *bench)
{
	for (struct flow *flow = bench->flows.first, *next; flow; flow = next) {
		next = flow->next;
		flow->reported |= flow->ended;
		if (flow_over(flow, bench->now))
			flows_remove(&bench->flows, flow);
	}
	bench->flow = NULL;
}

static void happen(struct bench *bench, const struct event *e)
{
	switch (e->kind % 8) {
	case 0:
	case 1:
	case 2: take_packet(bench, e, true); break;
	case 3: take_packet(bench, e, false); break;
	case 4: take_end(bench, e); break;
	case 5: take_reply(bench, e); break;
	case 6:
		if (bench->flow)
			np_flow_mark(bench->flow->account, bench->now);
		break;
	default: be_silent(bench); break;
	}
	bench->now += e->d & 0xfffffff;
}

static bool sums_up(const struct np_flow_counts *c)
{
	return c->sent == c->received + c->lost + c->late && c->elapsed >= 0;
}

static void look_at(const struct flow *flow, np_time now, struct np_flow_counts *sum)
{
	struct np_flow_counts life, span;

	flow_life(flow, &life);
	must(sums_up(&life) && life.after_end <= life.received);
	np_flow_now(flow->account, &span);
	must(sums_up(&span));
	must(flow_grace(flow) >= 200 * NP_MILLISECOND && flow_grace(flow) <= 10 * NP_SECOND);
	(void)flow_alive(flow, now);
	(void)flow_controls_missing(flow);
	np_flow_counts_add(sum, &life);
}

/* All that is printed of them. */
static void print(const struct bench *bench)
{
	static struct session session = {.newest = true};
	static const struct endpoint endpoint = {.session = &session, .name = "/192.0.2.1:9999"};
	struct np_flow_counts sum = {0}, life;
	char *text;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	must(out);
	for (struct flow *flow = bench->flows.first; flow; flow = flow->next) {
		look_at(flow, bench->now, &sum);
		flow_life(flow, &life);
		console_log_row(out, flow, &life, "lifetime");
	}
	console_rx_report(out, &endpoint, &bench->flows, true);
	console_rx_report(out, &endpoint, &bench->flows, false);
	must(!fclose(out));
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(0x7f000001)};
	static struct bench bench;
	struct event event;

	bench = (struct bench){
		.flows = {.key = 1, .opened = BEGIN},
		.source.length = sizeof(in),
		.now = BEGIN + NP_SECOND,
	};
	memcpy(&bench.source.storage, &in, sizeof(in));
	for (size_t at = 0; at + sizeof(event) <= size && at < 100 * sizeof(event);
	     at += sizeof(event)) {
		memcpy(&event, data + at, sizeof(event));
		happen(&bench, &event);
	}
	print(&bench);
	flows_free(&bench.flows);
	return 0;
}
