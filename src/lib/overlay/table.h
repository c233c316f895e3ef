/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * table: the neighbours of a node of the Delaunay triangulation, sorted by direction, no two in the
 * same; which nodes should be neighbours, and to which of them payloads go. Pure.
 *
 * It rests on predicates of points: which way a path turns, which of two angles is smaller, what
 * lies in a circle. They are exact for all 32-bit coordinates: computed in integers, so that two
 * nodes never disagree about the same points. y points upwards, angles grow counter-clockwise.
 *
 * CW and CCW of a point are the neighbours next to its direction, clockwise and counter-clockwise,
 * by more than 0 and less than pi; SAME is the one exactly in its direction.
 */
#pragma once

#include "message.h"

/*
 * Whether compass routing from @pivot to @root goes by @a rather than by @b: by the one whose
 * direction is nearer to that of @root, of two as near by the greater one.
 */
bool overlay_rather(struct overlay_point pivot, struct overlay_point root, struct overlay_point a,
		    struct overlay_point b);

/*
 * 1 when @to is counter-clockwise of @from, seen from @pivot, by less than pi; -1 when clockwise; 0
 * when all three are on a line.
 */
int overlay_turn(struct overlay_point pivot, struct overlay_point from, struct overlay_point to);

/* 1, 0 or -1 as @a is farther from @from than @b, equally far, or nearer. */
int overlay_farther(struct overlay_point from, struct overlay_point a, struct overlay_point b);

/*
 * 1, 0 or -1 as @d lies within, on or outside the circle through @a, @b and @c, in any order; 1
 * when these three are on a line.
 */
int overlay_in_circle(struct overlay_point a, struct overlay_point b, struct overlay_point c,
		      struct overlay_point d);

struct overlay_member {
	struct overlay_point point;
	struct overlay_address address;
	/* Its latest report: its neighbours CW and CCW of this node. */
	struct overlay_pair cw, ccw;
	np_time heard;
	/*
	 * It answered from this address what only that one was asked. Until then it is sent no
	 * more bytes than came from there: those left, and how many Hellos came.
	 */
	bool proven;
	size_t credit;
	unsigned hellos;
};

/* As overlay_turn. */
enum overlay_side { OVERLAY_CW = -1, OVERLAY_CCW = 1 };

struct overlay_table {
	struct overlay_point self;
	struct overlay_member *member;
	unsigned count, room; /* of the members */
};

/* These return NULL when there is none; their results are valid until the table changes. */
struct overlay_member *overlay_table_find(const struct overlay_table *table,
					  struct overlay_point point);
const struct overlay_member *overlay_table_beside(const struct overlay_table *table,
						  struct overlay_point point,
						  enum overlay_side side);
const struct overlay_member *overlay_table_same(const struct overlay_table *table,
						struct overlay_point point);

/* Whether @point should be a neighbour, as far as this table knows. */
bool overlay_table_should(const struct overlay_table *table, struct overlay_point point);

/*
 * Adds a member, which must not be this node itself; of two in the same direction the nearer one
 * stays. Call prune next. Returns 0, -EEXIST (that direction has a nearer one, or this one) or
 * -ENOSPC.
 */
int overlay_table_insert(struct overlay_table *table, const struct overlay_member *member);
void overlay_table_remove(struct overlay_table *table, struct overlay_member *member);

/* Removes members until each one passes the test for newcomers. */
void overlay_table_prune(struct overlay_table *table);

/*
 * True when this node and three members lie on a circle, next to each other; returns them in @four.
 */
bool overlay_table_cocircular(const struct overlay_table *table, struct overlay_point four[4]);

/* This node has moved to @self, where no member is: sorts the table again, then prunes it. */
void overlay_table_move(struct overlay_table *table, struct overlay_point self);

/*
 * True when the latest report of each member agrees with this table about the members next to it.
 */
bool overlay_table_stable(const struct overlay_table *table);
/* True when no member is greater than this node. */
bool overlay_table_leader(const struct overlay_table *table);

/* Compass routing: the next hop to @root, NULL when there is none or @root is this node. */
const struct overlay_member *overlay_table_parent(const struct overlay_table *table,
						  struct overlay_point root);

/* Whether @member, as far as this table knows, uses this node as its next hop to @root. */
bool overlay_table_child(const struct overlay_table *table, const struct overlay_member *member,
			 struct overlay_point root);
