// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* table: exact predicates on points; the sorted neighbours of a node. */
#include "table.h"

#include <errno.h>

/* Up to 2^66 for points of 32 bits. */
typedef __int128 overlay_wide;

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

int overlay_turn(struct overlay_point pivot, struct overlay_point from, struct overlay_point to)
{
	return sign(cross(between(pivot, from), between(pivot, to)));
}

/* The order of nodes, of which the greatest is the leader: by y, then by x. */
static bool greater(struct overlay_point a, struct overlay_point b)
{
	return a.y > b.y || (a.y == b.y && a.x > b.x);
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

struct overlay_member *overlay_table_find(const struct overlay_table *table,
					  struct overlay_point point)
{
	for (unsigned i = 0; i < table->count; i++) {
		if (overlay_point_equal(table->member[i].point, point))
			return &table->member[i];
	}
	return NULL;
}

const struct overlay_member *overlay_table_beside(const struct overlay_table *table,
						  struct overlay_point point,
						  enum overlay_side side)
{
	const struct overlay_member *best = NULL;

	for (unsigned i = 0; i < table->count; i++) {
		const struct overlay_member *m = &table->member[i];

		if (overlay_turn(table->self, point, m->point) == (int)side &&
		    (!best || overlay_turn(table->self, m->point, best->point) == (int)side))
			best = m;
	}
	return best;
}

const struct overlay_member *overlay_table_same(const struct overlay_table *table,
						struct overlay_point point)
{
	const struct vector at = between(table->self, point);

	for (unsigned i = 0; i < table->count; i++) {
		const struct vector to = between(table->self, table->member[i].point);

		if (!cross(at, to) && dot(at, to) > 0)
			return &table->member[i];
	}
	return NULL;
}

/* Between @cw and @ccw, less than pi apart, only what lies in their circle is a neighbour. */
static bool fits(const struct overlay_table *table, const struct overlay_member *cw,
		 const struct overlay_member *ccw, struct overlay_point point)
{
	return !cw || !ccw || overlay_turn(table->self, cw->point, ccw->point) <= 0 ||
	       overlay_in_circle(cw->point, table->self, ccw->point, point) >= 0;
}

bool overlay_table_should(const struct overlay_table *table, struct overlay_point point)
{
	const struct overlay_member *same;

	if (overlay_point_equal(point, table->self))
		return true;
	same = overlay_table_same(table, point);
	if (same)
		return overlay_farther(table->self, point, same->point) <= 0;
	return fits(table, overlay_table_beside(table, point, OVERLAY_CW),
		    overlay_table_beside(table, point, OVERLAY_CCW), point);
}

/* The half turn in which @point lies, seen from this node: 0 the upper one, with the x axis. */
static int half(const struct overlay_table *table, struct overlay_point point)
{
	return point.y < table->self.y || (point.y == table->self.y && point.x < table->self.x);
}

/* True when the direction of @a comes before that of @b, counter-clockwise from the x axis. */
static bool before(const struct overlay_table *table, struct overlay_point a,
		   struct overlay_point b)
{
	const int half_a = half(table, a), half_b = half(table, b);

	return half_a != half_b ? half_a < half_b : overlay_turn(table->self, a, b) > 0;
}

int overlay_table_insert(struct overlay_table *table, const struct overlay_member *member)
{
	unsigned at = 0;

	while (at < table->count && before(table, table->member[at].point, member->point))
		at++;
	if (at < table->count && !before(table, member->point, table->member[at].point)) {
		if (overlay_farther(table->self, member->point, table->member[at].point) >= 0)
			return -EEXIST;
		table->member[at] = *member;
		return 0;
	}
	if (table->count == table->room)
		return -ENOSPC;
	memmove(table->member + at + 1, table->member + at,
		(table->count - at) * sizeof(*table->member));
	table->member[at] = *member;
	table->count++;
	return 0;
}

void overlay_table_remove(struct overlay_table *table, struct overlay_member *member)
{
	const unsigned at = (unsigned)(member - table->member);

	table->count--;
	memmove(member, member + 1, (table->count - at) * sizeof(*member));
}

/* CCW or CW of a member: the next one in the table, when less than pi away. */
static const struct overlay_member *next_to(const struct overlay_table *table, unsigned at,
					    enum overlay_side side)
{
	const struct overlay_member *m =
		&table->member[(at + table->count + (unsigned)side) % table->count];

	return overlay_turn(table->self, table->member[at].point, m->point) == (int)side ? m : NULL;
}

void overlay_table_prune(struct overlay_table *table)
{
	unsigned left;

	do {
		left = table->count;
		for (unsigned i = 0; i < table->count; i++) {
			if (!fits(table, next_to(table, i, OVERLAY_CW),
				  next_to(table, i, OVERLAY_CCW), table->member[i].point))
				overlay_table_remove(table, &table->member[i--]);
		}
	} while (table->count < left);
}

bool overlay_table_cocircular(const struct overlay_table *table, struct overlay_point four[4])
{
	for (unsigned i = 0; i < table->count; i++) {
		const struct overlay_point point = table->member[i].point;
		const struct overlay_member *cw = next_to(table, i, OVERLAY_CW);
		const struct overlay_member *ccw = next_to(table, i, OVERLAY_CCW);

		if (!cw || !ccw || overlay_turn(table->self, cw->point, ccw->point) < 0 ||
		    overlay_in_circle(cw->point, table->self, ccw->point, point))
			continue;
		four[0] = table->self;
		four[1] = cw->point;
		four[2] = point;
		four[3] = ccw->point;
		return true;
	}
	return false;
}

void overlay_table_move(struct overlay_table *table, struct overlay_point self)
{
	const unsigned count = table->count;

	table->self = self;
	table->count = 0;
	/* Each is taken in again among those before it, which leave its place free. */
	for (unsigned i = 0; i < count; i++) {
		const struct overlay_member member = table->member[i];

		overlay_table_insert(table, &member);
	}
	overlay_table_prune(table);
}

static bool same_node(const struct overlay_pair *told, const struct overlay_member *seen)
{
	return seen ? overlay_point_equal(told->point, seen->point)
		    : overlay_point_null(told->point);
}

bool overlay_table_stable(const struct overlay_table *table)
{
	for (unsigned i = 0; i < table->count; i++) {
		const struct overlay_member *m = &table->member[i];

		if (!same_node(&m->cw, next_to(table, i, OVERLAY_CCW)) ||
		    !same_node(&m->ccw, next_to(table, i, OVERLAY_CW)))
			return false;
	}
	return true;
}

bool overlay_table_leader(const struct overlay_table *table)
{
	for (unsigned i = 0; i < table->count; i++) {
		if (greater(table->member[i].point, table->self))
			return false;
	}
	return true;
}

bool overlay_rather(struct overlay_point pivot, struct overlay_point root, struct overlay_point a,
		    struct overlay_point b)
{
	const struct vector to = between(pivot, root);
	const struct vector to_a = between(pivot, a), to_b = between(pivot, b);
	/* From the x axis to vectors with these coordinates the angles are the same. */
	const overlay_wide ax = dot(to, to_a), bx = dot(to, to_b);
	const overlay_wide a_side = cross(to, to_a), b_side = cross(to, to_b);
	const overlay_wide ay = a_side < 0 ? -a_side : a_side, by = b_side < 0 ? -b_side : b_side;
	struct sum sum = {0, 0};
	int order;

	/* In the upper half: the one counter-clockwise of the other is greater. */
	sum_add(&sum, bx, ay);
	sum_add(&sum, -by, ax);
	order = ay || by ? sum_sign(&sum) : (ax < 0) - (bx < 0); /* 0 or pi */
	return order < 0 || (!order && greater(a, b));
}

const struct overlay_member *overlay_table_parent(const struct overlay_table *table,
						  struct overlay_point root)
{
	const struct overlay_member *same, *cw, *ccw;

	if (overlay_point_equal(root, table->self))
		return NULL;
	same = overlay_table_same(table, root);
	if (same)
		return same;
	cw = overlay_table_beside(table, root, OVERLAY_CW);
	ccw = overlay_table_beside(table, root, OVERLAY_CCW);
	if (!cw || !ccw)
		return cw ? cw : ccw;
	return overlay_rather(table->self, root, cw->point, ccw->point) ? cw : ccw;
}

bool overlay_table_child(const struct overlay_table *table, const struct overlay_member *member,
			 struct overlay_point root)
{
	const unsigned at = (unsigned)(member - table->member);
	const struct overlay_member *cw, *ccw;

	if (overlay_point_equal(member->point, root))
		return false;
	cw = next_to(table, at, OVERLAY_CW);
	ccw = next_to(table, at, OVERLAY_CCW);
	if (!cw && !ccw)
		return overlay_farther(root, table->self, member->point) < 0;
	/* By this node, not by one that is next to it there. */
	return !(cw && overlay_rather(member->point, root, cw->point, table->self)) &&
	       !(ccw && overlay_rather(member->point, root, ccw->point, table->self));
}
