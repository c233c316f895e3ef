/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * table: the neighbours of a node of the Delaunay triangulation, sorted by their direction, no two
 * in the same; who should be one, and to whom payloads go. Pure.
 *
 * CW and CCW of a point are the neighbours next to its direction, clockwise and counter-clockwise,
 * by more than nothing and less than pi; SAME is the one exactly in its direction.
 */
#ifndef OVERLAY_TABLE_H
#define OVERLAY_TABLE_H

#include "addresses.h"
#include "message.h"

#include <netperf/clock.h>

struct overlay_member {
	struct overlay_point point;
	struct overlay_address address;
	/* The latest that it told: its neighbours CW and CCW of this node. */
	struct overlay_pair cw, ccw;
	np_time heard;
};

struct overlay_table {
	struct overlay_point self;
	struct overlay_member *member;
	unsigned count;
	unsigned room;
};

/* Memory for @room members. Returns 0 or -ENOMEM. */
int overlay_table_open(struct overlay_table *table, struct overlay_point self, unsigned room);
void overlay_table_close(struct overlay_table *table);

/* These return NULL when there is none; what they return is good until the table changes. */
struct overlay_member *overlay_table_find(const struct overlay_table *table,
					  struct overlay_point point);
const struct overlay_member *overlay_table_cw(const struct overlay_table *table,
					      struct overlay_point point);
const struct overlay_member *overlay_table_ccw(const struct overlay_table *table,
					       struct overlay_point point);
const struct overlay_member *overlay_table_same(const struct overlay_table *table,
						struct overlay_point point);

/* Whether @point belongs to the neighbours, as far as this table knows. */
bool overlay_table_should(const struct overlay_table *table, struct overlay_point point);

/*
 * Takes a member in, which must not be this node itself; of two in the same direction the nearer
 * stays. Prune then. Returns 0, -EEXIST (that direction is taken by a nearer one, or by itself) or
 * -ENOSPC.
 */
int overlay_table_insert(struct overlay_table *table, const struct overlay_member *member);
void overlay_table_remove(struct overlay_table *table, struct overlay_member *member);

/* Drops members until each one passes the test that newcomers have to pass; how many. */
unsigned overlay_table_prune(struct overlay_table *table);

/* True when this node and three members lie on a circle, next to each other: @four says which. */
bool overlay_table_cocircular(const struct overlay_table *table, struct overlay_point four[4]);

/* This node has moved to @self, where no member is: sorted again, then pruned. */
void overlay_table_move(struct overlay_table *table, struct overlay_point self);

/* True when each member told last what this table says of those next to it. */
bool overlay_table_stable(const struct overlay_table *table);
/* True when no member is greater than this node. */
bool overlay_table_leader(const struct overlay_table *table);

/* Compass routing: the next hop to @root, NULL when there is none or @root is this node. */
const struct overlay_member *overlay_table_parent(const struct overlay_table *table,
						  struct overlay_point root);

/* Whether @member, by what this table knows of it, takes this node for its next hop to @root. */
bool overlay_table_child(const struct overlay_table *table, const struct overlay_member *member,
			 struct overlay_point root);

#endif
