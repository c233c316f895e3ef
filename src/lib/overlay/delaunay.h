/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* delaunay: the state that the parts of a node of the Delaunay triangulation share. */
#pragma once

#include "node.h"
#include "table.h"

/* Counters of messages on the way to a place, by a hash of that place. */
#define DELAUNAY_WALKS 256
/* A message that passes here more often than this in a fast heartbeat is in a loop. */
#define DELAUNAY_WALKS_MAX 8

struct delaunay {
	struct overlay_table table;
	/*
	 * Nodes that are asked for the overlay in addition to the configured ones: neighbours that
	 * fell silent, the latest first, until they are heard again; room for one more than may be,
	 * behind the configured ones.
	 */
	struct overlay_address *buddy;
	unsigned buddies;
	bool called;			/* a first IAmHere or Beacon was sent, or would have been */
	np_time settled;		/* since when it was stable with neighbours at its place */
	np_time refused_since, refused; /* by neighbours, without a pause */
	np_time duplicate_moved;	/* when it gave way to a duplicate */
	unsigned duplicate_moves;	/* how often, up to a limit */
	np_time cocircular_since; /* for a node settled at fixed coordinates; NP_TIME_NEVER: it is
				     not */
	np_time walks_from;
	uint8_t walks[DELAUNAY_WALKS];
	struct overlay_member member[]; /* of the table */
};

/*
 * Sends a message; @to NULL: to the group. @credit: the bytes that may be sent there, from which it
 * is subtracted; NULL: any number. False: it is longer.
 */
bool delaunay_send(struct np_overlay *node, const struct overlay_address *to,
		   const struct overlay_dt *dt, size_t *credit);
/* Sends Hello or NotNeighbour to the node at @point, as above. */
bool delaunay_hello(struct np_overlay *node, enum overlay_dt_type type, struct overlay_point point,
		    const struct overlay_address *to, size_t *credit);
void delaunay_goodbye(struct np_overlay *node, struct overlay_point point,
		      const struct overlay_address *to);

void delaunay_forget_buddy(struct delaunay *d, const struct overlay_address *address);

/* Removes a neighbour. */
void delaunay_drop(struct np_overlay *node, struct overlay_member *member);
/* While four nodes lie on a circle: moves, or waits whether they still do, and reports that. */
void delaunay_leave_circles(struct np_overlay *node);

/* Answers a message. */
void delaunay_receive(struct np_overlay *node, const struct overlay_address *from,
		      const void *message, size_t bytes);
