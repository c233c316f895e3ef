/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* delaunay: what the parts of a node of the Delaunay triangulation share. */
#ifndef OVERLAY_DELAUNAY_H
#define OVERLAY_DELAUNAY_H

#include "buddies.h"
#include "rules.h"
#include "table.h"

/* Counters of messages walking to their place, by a hash of where that is. */
#define DELAUNAY_WALKS 256
/* As many times in a fast heartbeat one may pass here: more is a loop. */
#define DELAUNAY_WALKS_MAX 8

/* Who said Goodbye lately: an older Hello that it overtook must not bring it back. */
#define DELAUNAY_GONE 8

struct delaunay_gone {
	struct overlay_pair who;
	np_time until;
};

struct delaunay {
	struct overlay_table table;
	struct overlay_buddies buddies;
	np_time next_heartbeat, next_rendezvous;
	bool called;		       /* a first IAmHere or Beacon went out, or would have */
	bool stable;		       /* at the latest heartbeat */
	bool slow;		       /* until the next heartbeat */
	bool settled;		       /* has been stable with neighbours where it is now */
	np_time twin_told, twin_moved; /* when; NP_TIME_NEVER: not yet */
	np_time cocircular_since;      /* of one settled at fixed coordinates; NP_TIME_NEVER: not */
	struct delaunay_gone gone[DELAUNAY_GONE];
	unsigned next_gone;
	np_time walks_from;
	uint8_t walks[DELAUNAY_WALKS];
};

/* delaunay_send.c: what goes out. */
void delaunay_send(struct overlay_node *node, const struct overlay_address *to,
		   const struct overlay_dt *dt);
/* Hello or NotNeighbour to the node at @point. */
void delaunay_hello(struct overlay_node *node, enum overlay_dt_type type,
		    struct overlay_point point, const struct overlay_address *to);
void delaunay_goodbye(struct overlay_node *node, struct overlay_point point,
		      const struct overlay_address *to);
/* True when messages can be sent there: IPv4, of this node's realm, not this node itself. */
bool delaunay_reaches(const struct overlay_node *node, const struct overlay_address *to);
/* This node as a pair. */
struct overlay_pair delaunay_self(const struct overlay_node *node);

/* delaunay_move.c: changes of the table, and of the own coordinates. */
/* The table has changed: a heartbeat at once when they were slow. */
void delaunay_hurry(struct overlay_node *node);
void delaunay_drop(struct overlay_node *node, struct overlay_member *member);
/* Takes @member in if there is room; moves when four lie on a circle. True when it is one now. */
bool delaunay_insert(struct overlay_node *node, const struct overlay_member *member);
/* While four lie on a circle: this node moves, or waits whether they still do, and tells. */
void delaunay_leave_circles(struct overlay_node *node);
/* Another node with these coordinates is at @address. True when this node has moved away. */
bool delaunay_twin(struct overlay_node *node, const struct overlay_address *address);

/* delaunay_receive.c */
void delaunay_receive(struct overlay_node *node, const struct overlay_address *from,
		      const void *message, size_t bytes);

#endif
