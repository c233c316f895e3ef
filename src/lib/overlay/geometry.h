/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * geometry: the predicates of the Delaunay triangulation on points: which way a path turns, which
 * of two angles is smaller, what lies in a circle. Exact for all 32-bit coordinates: computed in
 * integers, so that two nodes never disagree about the same points. y points upwards, angles grow
 * counter-clockwise. Pure, thread-safe.
 */
#ifndef OVERLAY_GEOMETRY_H
#define OVERLAY_GEOMETRY_H

#include "addresses.h"

/* Up to 2^66 for points of 32 bits. */
typedef __int128 overlay_wide;

/*
 * An angle between -pi (excluded) and pi: that between the x axis and a vector with these
 * coordinates. Both 0: no angle, since two of its three points are equal.
 */
struct overlay_angle {
	overlay_wide x, y;
};

/* The angle from @from to @to, seen from @pivot. */
struct overlay_angle overlay_angle(struct overlay_point pivot, struct overlay_point from,
				   struct overlay_point to);

/* 1, 0 or -1 as |@a| is greater than, equal to or less than |@b|. */
int overlay_angle_compare(const struct overlay_angle *a, const struct overlay_angle *b);

/*
 * 1 when @to is counter-clockwise of @from, seen from @pivot, by less than pi; -1 when clockwise; 0
 * when all three are on a line.
 */
int overlay_turn(struct overlay_point pivot, struct overlay_point from, struct overlay_point to);

/* True when @to lies exactly in the direction of @from, seen from @pivot. */
bool overlay_same_direction(struct overlay_point pivot, struct overlay_point from,
			    struct overlay_point to);

/* 1, 0 or -1 as @a is farther from @from than @b, equally far, or nearer. */
int overlay_farther(struct overlay_point from, struct overlay_point a, struct overlay_point b);

/*
 * 1, 0 or -1 as @d lies within, on or outside the circle through @a, @b and @c, in any order; 1
 * when these three are on a line.
 */
int overlay_in_circle(struct overlay_point a, struct overlay_point b, struct overlay_point c,
		      struct overlay_point d);

/* The order of nodes, of which the greatest is the leader: by y, then by x. */
static inline bool overlay_point_greater(struct overlay_point a, struct overlay_point b)
{
	return a.y > b.y || (a.y == b.y && a.x > b.x);
}

#endif
