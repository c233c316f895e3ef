// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* geometry: exact predicates on points with coordinates of 32 bits. */
#include "geometry.h"

struct vector {
	int64_t x, y;
};

/* high * 2^32 + low: sums of products that do not fit 128 bits. */
struct sum {
	overlay_wide high, low;
};

static struct vector between(struct overlay_point from, struct overlay_point to)
{
	return (struct vector){(int64_t)to.x - from.x, (int64_t)to.y - from.y};
}

static overlay_wide cross(struct vector a, struct vector b)
{
	return (overlay_wide)a.x * b.y - (overlay_wide)a.y * b.x;
}

static overlay_wide dot(struct vector a, struct vector b)
{
	return (overlay_wide)a.x * b.x + (overlay_wide)a.y * b.y;
}

static int sign(overlay_wide value)
{
	return (value > 0) - (value < 0);
}

/* Adds a * b; both below 2^67 in size, and no more than eight times. */
static void sum_add(struct sum *sum, overlay_wide a, overlay_wide b)
{
	sum->high += a * (b >> 32);
	sum->low += a * (b & UINT32_MAX);
}

static int sum_sign(const struct sum *sum)
{
	const overlay_wide high = sum->high + (sum->low >> 32);

	return high ? sign(high) : (sum->low & UINT32_MAX) != 0;
}

struct overlay_angle overlay_angle(struct overlay_point pivot, struct overlay_point from,
				   struct overlay_point to)
{
	const struct vector a = between(pivot, from), b = between(pivot, to);

	return (struct overlay_angle){dot(a, b), cross(a, b)};
}

int overlay_angle_compare(const struct overlay_angle *a, const struct overlay_angle *b)
{
	const overlay_wide ay = a->y < 0 ? -a->y : a->y, by = b->y < 0 ? -b->y : b->y;
	struct sum sum = {0, 0};

	if (!ay && !by) /* 0 or pi */
		return (a->x < 0) - (b->x < 0);
	/* In the upper half: the one counter-clockwise of the other is greater. */
	sum_add(&sum, b->x, ay);
	sum_add(&sum, -by, a->x);
	return sum_sign(&sum);
}

int overlay_turn(struct overlay_point pivot, struct overlay_point from, struct overlay_point to)
{
	return sign(cross(between(pivot, from), between(pivot, to)));
}

bool overlay_same_direction(struct overlay_point pivot, struct overlay_point from,
			    struct overlay_point to)
{
	const struct vector a = between(pivot, from), b = between(pivot, to);

	return !cross(a, b) && dot(a, b) > 0;
}

int overlay_farther(struct overlay_point from, struct overlay_point a, struct overlay_point b)
{
	const struct vector to_a = between(from, a), to_b = between(from, b);

	return sign(dot(to_a, to_a) - dot(to_b, to_b));
}

int overlay_in_circle(struct overlay_point a, struct overlay_point b, struct overlay_point c,
		      struct overlay_point d)
{
	const struct vector da = between(d, a), db = between(d, b), dc = between(d, c);
	const int turn = overlay_turn(a, b, c);
	struct sum sum = {0, 0};

	if (!turn)
		return 1;
	/* The determinant of the points lifted to the paraboloid, d its origin. */
	sum_add(&sum, dot(da, da), cross(db, dc));
	sum_add(&sum, dot(db, db), cross(dc, da));
	sum_add(&sum, dot(dc, dc), cross(da, db));
	return turn * sum_sign(&sum);
}
