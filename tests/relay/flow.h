/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* flow: the flows of one direction, by their ends, with what was counted for each. */
#ifndef RELAY_FLOW_H
#define RELAY_FLOW_H

#include "datagram.h"
#include "order.h"
#include "plan.h"

#define FLOWS_MAX 512

/*
 * Datagrams as they came: seen = dropped + refused + left + forwarded once the relay has ended.
 * Copies count in duplicated and copies_ only.
 */
struct flow_counts {
	uint64_t seen;
	uint64_t dropped;
	uint64_t held; /* put behind later ones */
	uint64_t delayed;
	uint64_t damaged_right;	 /* with a checksum that hides it, or none */
	uint64_t damaged_bad;	 /* the receiver's kernel drops them */
	uint64_t forwarded;	 /* given to the out link */
	uint64_t forwarded_bad;	 /* of those: damaged_bad */
	uint64_t duplicated;	 /* copies given to the out link */
	uint64_t duplicated_bad; /* of those: damaged_bad */
	uint64_t refused;	 /* the out link took them not */
	uint64_t copies_refused;
	uint64_t left; /* still held or delayed at the end */
};

struct flow {
	unsigned number; /* from 1 on, in the order of appearance, of both directions */
	struct datagram_ends ends;
	struct flow_counts counts;
	struct plan_state state[PLAN_FAULTS];
	struct order order; /* of what arrives at the receiver's socket, copies left out */
};

struct flows {
	unsigned count;
	struct flow *flow[FLOWS_MAX];	/* in the order of appearance */
	unsigned bucket[FLOWS_MAX * 2]; /* index into flow + 1; 0: free */
};

/* The flow of @ends, a new one (*@next_number is its number and counted up) if need be; NULL when
 * there are too many, or no memory. */
struct flow *flows_find(struct flows *flows, const struct datagram_ends *ends,
			unsigned *next_number);

void flows_free(struct flows *flows);

#endif
