/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * datagram_flows: a listener's table of flows for the tests, at which packets arrive by a made-up
 * clock.
 */
#ifndef DATAGRAM_FLOWS_H
#define DATAGRAM_FLOWS_H

#include "../../../src/datagram-test/flow.h"

#include "unit.h"

#define BYTES  1468
#define OPENED (1000 * NP_SECOND)
#define START  (OPENED + 10 * NP_SECOND)
#define RUN    0x1234u
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

/* The flows, who sends, and the time, which each packet moves on by 1 ms. */
struct bench {
	struct flows *flows;
	struct np_address source;
	np_time now;
};

/* The state of each test is a struct bench: at START, with packets from 10.77.0.2 port 40000. */
int set_up(void **state);
int tear_down(void **state);

struct np_address address(uint32_t ip, uint16_t port);

/*
 * A packet arrives, and is counted as the listener does it; @run 0: it has no trailer. Returns its
 * flow, which is NULL if the table is full. arrive_sent() says when the packet was sent.
 */
struct flow *arrive(struct bench *bench, uint32_t run, uint16_t age, uint64_t number);
struct flow *arrive_sent(struct bench *bench, uint32_t run, uint16_t age, uint64_t number,
			 np_time sent);
/* Those with the numbers @from to @to; returns the flow of the last. */
struct flow *arrive_all(struct bench *bench, uint32_t run, uint64_t from, uint64_t to);
/* One of RUN that was under way for @longer than one that was sent at 1 and arrived at START. */
struct flow *arrive_slowly(struct bench *bench, uint64_t number, np_time longer);

/* Removes the flows that are over, as the listener does after a silence. */
void silence(struct bench *bench);

#endif
