// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram_flows: packets arrive at the flows of datagram-test, one each millisecond. */
#include "datagram_flows.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

struct np_address address(uint32_t ip, uint16_t port)
{
	struct np_address made;
	struct sockaddr_in in = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};

	memset(&made, 0, sizeof(made));
	memcpy(&made.storage, &in, sizeof(in));
	made.length = sizeof(in);
	return made;
}

int set_up(void **state)
{
	static struct bench bench;

	bench.source = address(0x0a4d0002, 40000);
	bench.now = START;
	*state = &bench;
	return flows_create(&bench.flows, 42, OPENED);
}

int tear_down(void **state)
{
	flows_free(((struct bench *)*state)->flows);
	return 0;
}

struct flow *arrive_sent(struct bench *bench, uint32_t run, uint16_t age, uint64_t number,
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

struct flow *arrive(struct bench *bench, uint32_t run, uint16_t age, uint64_t number)
{
	return arrive_sent(bench, run, age, number, 1);
}

struct flow *arrive_all(struct bench *bench, uint32_t run, uint64_t from, uint64_t to)
{
	struct flow *flow = NULL;
	uint64_t number;

	for (number = from; number <= to; number++)
		flow = arrive(bench, run, 0, number);
	return flow;
}

struct flow *arrive_slowly(struct bench *bench, uint64_t number, np_time longer)
{
	return arrive_sent(bench, RUN, 0, number, bench->now - (START - 1) - longer);
}

void silence(struct bench *bench)
{
	for (struct flow *flow = flows_first(bench->flows), *next; flow; flow = next) {
		next = flow->next;
		if (flow_over(flow, bench->now))
			flows_remove(bench->flows, flow);
	}
}
