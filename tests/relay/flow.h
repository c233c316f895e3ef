/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* flow: the flows of one direction, by their ends, with their counts. */
#pragma once

#include "datagram.h"
#include "order.h"
#include "plan.h"

#define FLOWS_MAX 512

/*
 * Counts of received datagrams: seen = dropped + refused + left + forwarded once the relay has
 * ended. Copies count only in duplicated and copies_.
 */
struct flow_counts {
	uint64_t seen;
	uint64_t dropped;
	uint64_t held; /* put after later ones */
	uint64_t delayed;
	uint64_t damaged_right;	 /* with a checksum that hides the damage, or none */
	uint64_t damaged_bad;	 /* dropped by the receiver's kernel */
	uint64_t forwarded;	 /* accepted by the out link */
	uint64_t forwarded_bad;	 /* of those: damaged_bad */
	uint64_t duplicated;	 /* copies given to the out link */
	uint64_t duplicated_bad; /* of these: damaged_bad */
	uint64_t refused;	 /* not accepted by the out link */
	uint64_t copies_refused;
	uint64_t left; /* still held or delayed at the end */
};

struct flow {
	unsigned number; /* from 1 on, in order of appearance, over both directions */
	struct datagram_ends ends;
	struct flow_counts counts;
	struct plan_state state[PLAN_FAULTS];
	struct order order; /* of what arrives at the receiver's socket, without copies */
};

struct flows {
	unsigned count;
	struct flow *flow[FLOWS_MAX];	/* in the order of appearance */
	unsigned bucket[FLOWS_MAX * 2]; /* index into flow + 1; 0: free */
};

/*
 * The flow of @ends, a new one if needed (with *@next_number, which is incremented); NULL when
 * there are too many, or no memory.
 */
struct flow *flows_find(struct flows *flows, const struct datagram_ends *ends,
			unsigned *next_number);

void flows_free(struct flows *flows);
