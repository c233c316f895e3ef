/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * spanning: what the parts of a node of the spanning tree share. The node with the smallest address
 * is the root. Every other one has a parent among those that it hears and that hear it, which leads
 * to the same root; its neighbours are its parent and those whose parent it is.
 *
 * A root stamps its beacons with its clock, and all others pass the newest stamp on. Who changes
 * its parent takes one that knows a newer stamp than it does itself: that one is not behind it.
 * What nobody has a newer stamp of is dead.
 */
#ifndef OVERLAY_SPANNING_H
#define OVERLAY_SPANNING_H

#include "rules.h"

/* Of so many latest intervals between beacons is counted whether one came. */
#define SPANNING_INTERVALS 10
#define SPANNING_COST_MAX  9999
/* Roots whose latest stamp is remembered. */
#define SPANNING_ROOTS 32
/* Next hops learnt: sets, by a hash of where to, and how many each. */
#define SPANNING_SETS 128
#define SPANNING_WAYS 4
/* Who said Goodbye lately: an older beacon that it overtook must not bring it back. */
#define SPANNING_GONE 8
/* Requests, and replies, for routes in an interval between beacons. */
#define SPANNING_ASKED_MAX 16

/* A node that is heard. */
struct spanning_adjacent {
	int32_t logical, root, parent;
	int32_t cost;
	int64_t timestamp;
	struct overlay_address address;
	np_time heard_at;
	uint16_t heard; /* bit i: a beacon came i intervals ago */
	uint8_t told;	/* what it said of this node: overlay_spt_told */
	bool neighbour; /* in the tree */
};

/* What was believed last of a root. */
struct spanning_root {
	int32_t logical; /* 0: unused */
	int64_t timestamp;
	np_time until;
};

struct spanning_route {
	int32_t to, by; /* 0: unused */
	np_time since;
};

struct spanning_gone {
	int32_t logical;
	struct overlay_address address;
	np_time until;
};

struct spanning {
	int32_t self, root, parent; /* parent 0: this node is the root */
	int32_t cost;
	int64_t timestamp; /* the root's newest */
	np_time advanced;  /* when it came */
	struct spanning_adjacent *adjacent;
	unsigned count, room;
	unsigned *tree; /* which of them are neighbours */
	unsigned neighbours;
	bool lost;	  /* a neighbour, since they were looked for */
	uint8_t *senders; /* of the beacon, OVERLAY_SPT_SENDER_BYTES for each */
	/* To send: not the node's, in which a payload may be that is about to go. */
	uint8_t *message;
	size_t message_room;
	np_time next_interval; /* when a beacon is due, and the counts move on */
	np_time urgent;	       /* an additional beacon; NP_TIME_NEVER: none */
	np_time beacon_at;     /* of the latest one */
	np_time changed;       /* the latest change of root, parent, cost or neighbours */
	/* When; NP_TIME_NEVER: not yet. */
	np_time twin_since, twin_heard, twin_told, moved;
	bool stable;		  /* at the latest interval */
	bool settled;		  /* has had neighbours where it is now */
	unsigned asked, answered; /* in this interval */
	unsigned next_gone;
	struct spanning_gone gone[SPANNING_GONE];
	struct spanning_root history[SPANNING_ROOTS];
	struct spanning_route route[SPANNING_SETS][SPANNING_WAYS];
};

/* spanning_tree.c: who is heard, and which of them is the parent. */
struct spanning_adjacent *spanning_find(const struct spanning *s, int32_t logical);
/* A new one; a long silent one makes room. NULL: there is none. */
struct spanning_adjacent *spanning_add(struct overlay_node *node, int32_t logical,
				       const struct overlay_address *address);
void spanning_remove(struct spanning *s, struct spanning_adjacent *adjacent);
/* Beacons of the latest intervals that came from there. */
unsigned spanning_heard(const struct spanning_adjacent *adjacent);
/* An interval is over. */
void spanning_age(struct overlay_node *node);
/* Parent, root and neighbours as they are to be now; a beacon soon when that is news. */
void spanning_choose(struct overlay_node *node);
/* This node stands alone again, as the root. */
void spanning_reset(struct overlay_node *node);

/* spanning_routes.c: next hops. */
void spanning_learn(struct overlay_node *node, int32_t to, int32_t by);
void spanning_forget_routes(struct spanning *s);
/* By the tree alone, else as learnt, too: NULL: not known. */
const struct spanning_adjacent *spanning_tree_hop(const struct spanning *s, int32_t to);
const struct spanning_adjacent *spanning_next_hop(const struct overlay_node *node, int32_t to);
/* Asks those that hear this node for the way to @to. */
void spanning_ask(struct overlay_node *node, int32_t to);
void spanning_take_request(struct overlay_node *node, const struct overlay_address *from,
			   const struct overlay_spt *spt);
void spanning_take_reply(struct overlay_node *node, const struct overlay_address *from,
			 const struct overlay_spt *spt);

/* spanning_receive.c */
void spanning_receive(struct overlay_node *node, const struct overlay_address *from,
		      const void *message, size_t bytes);

/* spanning.c: to the group. */
void spanning_send(struct overlay_node *node, const struct overlay_spt *spt);

#endif
