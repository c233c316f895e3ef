/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * spanning: the state that the parts of a node of the spanning tree share. The node with the
 * smallest address is the root. Every other node has a parent among the nodes that it hears and
 * that hear it, which leads to the same root; its neighbours are its parent and the nodes whose
 * parent it is.
 *
 * A root puts the time of its clock into its beacons, and all others pass the newest time on. A
 * node that changes its parent chooses one that knows a newer time than itself: that one is not
 * below it in the tree. A root is dead when nobody has a newer time from it.
 */
#pragma once

#include "node.h"

/* For this many of the latest intervals, it is recorded whether a beacon arrived. */
#define SPANNING_INTERVALS 10
#define SPANNING_COST_MAX  9999
/* How many roots' latest times are remembered. */
#define SPANNING_ROOTS 32
/*
 * Learnt next hops: the number of sets, chosen by a hash of the destination, and the size of each.
 */
#define SPANNING_SETS 128
#define SPANNING_WAYS 4
/* The most route requests, and replies, in an interval between beacons. */
#define SPANNING_ASKED_MAX 16

/* A node that is heard. */
struct spanning_adjacent {
	int32_t logical, root, parent;
	int32_t cost;
	int64_t timestamp;
	struct overlay_address address;
	np_time heard_at; /* a beacon or a payload */
	np_time told_at;  /* the latest beacon */
	uint16_t heard;	  /* bit i: something arrived i intervals ago */
	uint8_t told;	  /* what it reported about this node: overlay_spt_told */
	bool neighbour;	  /* in the tree */
};

/* What was last believed about a root. */
struct spanning_root {
	int32_t logical; /* 0: unused */
	int64_t timestamp;
	np_time until;
};

struct spanning_route {
	int32_t to, by; /* 0: unused */
	np_time since;
};

struct spanning {
	int32_t self, root, parent; /* parent 0: this node is the root */
	int32_t cost;
	int64_t timestamp;    /* the root's newest */
	np_time advanced;     /* when it arrived */
	unsigned count, room; /* of the nodes that are heard */
	bool lost;	      /* a neighbour was lost since they were last chosen */
	np_time beacon_at;    /* of the latest one */
	np_time changed;      /* the latest change of root, parent, cost or neighbours */
	np_time duplicate_since, duplicate_heard, moved; /* when */
	bool settled;		  /* it has had neighbours with its present address */
	unsigned asked, answered; /* in this interval */
	struct spanning_root history[SPANNING_ROOTS];
	struct spanning_route route[SPANNING_SETS][SPANNING_WAYS];
	struct spanning_adjacent adjacent[];
};

/* spanning_tree.c: which nodes are heard, and which of them is the parent. */
struct spanning_adjacent *spanning_find(struct spanning *s, int32_t logical);
/* Adds a node; one that was silent for long makes room. NULL: there is none. */
struct spanning_adjacent *spanning_add(struct np_overlay *node, int32_t logical,
				       const struct overlay_address *address);
void spanning_remove(struct spanning *s, struct spanning_adjacent *adjacent);
/* Chooses root, parent and neighbours anew; makes a beacon due soon if they changed. */
void spanning_choose(struct np_overlay *node);
