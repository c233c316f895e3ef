/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_delaunay: the Delaunay triangulation of a few points, found by asking of every three
 * whether their circle is empty of all others: O(n^4), exact, and by other formulas than the
 * nodes'. For points without three on a line and four on a circle, between -DELAUNAY_REACH and it.
 */
#pragma once

#include "../../src/lib/overlay/addresses.h"

#include <stdlib.h>

#define DELAUNAY_REACH 20000

/* Twice the area of the triangle, positive when it turns counter-clockwise. */
static inline int64_t delaunay_area(struct overlay_point a, struct overlay_point b,
				    struct overlay_point c)
{
	return (int64_t)a.x * (b.y - c.y) + (int64_t)b.x * (c.y - a.y) + (int64_t)c.x * (a.y - b.y);
}

/* A point's distance from the centre u/d, squared, times d^2. */
static inline __int128 delaunay_distance(struct overlay_point p, const int64_t centre[2], int64_t d)
{
	const __int128 x = (__int128)d * p.x - centre[0], y = (__int128)d * p.y - centre[1];

	return x * x + y * y;
}

/* 1, 0, -1: @p within, on or outside of the circle through three points that are no line. */
static inline int delaunay_circle(struct overlay_point a, struct overlay_point b,
				  struct overlay_point c, struct overlay_point p)
{
	const int64_t d = 2 * delaunay_area(a, b, c);
	const int64_t aa = (int64_t)a.x * a.x + (int64_t)a.y * a.y;
	const int64_t bb = (int64_t)b.x * b.x + (int64_t)b.y * b.y;
	const int64_t cc = (int64_t)c.x * c.x + (int64_t)c.y * c.y;
	const int64_t centre[2] = {aa * (b.y - c.y) + bb * (c.y - a.y) + cc * (a.y - b.y),
				   aa * (c.x - b.x) + bb * (a.x - c.x) + cc * (b.x - a.x)};
	const __int128 radius = delaunay_distance(a, centre, d);
	const __int128 distance = delaunay_distance(p, centre, d);

	return (distance < radius) - (distance > radius);
}

static inline bool delaunay_empty(const struct overlay_point *at, unsigned count,
				  const unsigned corner[3])
{
	for (unsigned i = 0; i < count; i++) {
		if (i != corner[0] && i != corner[1] && i != corner[2] &&
		    delaunay_circle(at[corner[0]], at[corner[1]], at[corner[2]], at[i]) > 0)
			return false;
	}
	return true;
}

/* False: three on a line or four on a circle; the triangulation is not the only one. */
static inline bool delaunay_general(const struct overlay_point *at, unsigned count)
{
	for (unsigned a = 0; a < count; a++) {
		for (unsigned b = 0; b < a; b++) {
			for (unsigned c = 0; c < b; c++) {
				if (!delaunay_area(at[a], at[b], at[c]))
					return false;
				for (unsigned d = 0; d < c; d++) {
					if (!delaunay_circle(at[a], at[b], at[c], at[d]))
						return false;
				}
			}
		}
	}
	return true;
}

/* Fills @edge[i * count + j]: i and j are neighbours. */
static inline void delaunay_edges(const struct overlay_point *at, unsigned count, bool *edge)
{
	for (unsigned i = 0; i < count * count; i++)
		edge[i] = count == 2 && i / count != i % count;
	for (unsigned a = 0; a < count; a++) {
		for (unsigned b = 0; b < a; b++) {
			for (unsigned c = 0; c < b; c++) {
				const unsigned corner[3] = {a, b, c};

				if (!delaunay_empty(at, count, corner))
					continue;
				for (unsigned k = 0; k < 3; k++) {
					const unsigned i = corner[k], j = corner[(k + 1) % 3];

					edge[i * count + j] = edge[j * count + i] = true;
				}
			}
		}
	}
}
