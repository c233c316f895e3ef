// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay_network: carries packets between nodes event by event, and looks at what they form. */
#include "overlay_network.h"

#include "../../../src/lib/overlay/node.h"
#include "../overlay_delaunay.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void network_must(const struct network *n, bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "seed %" PRIu64 ", after %.3f s, %u nodes: %s\n", n->seed,
		(double)(n->now - NETWORK_EPOCH) / 1e9, n->count, what);
	exit(1);
}

uint64_t network_draw(struct network *n, uint64_t below)
{
	n->random = n->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (n->random >> 24) % below;
}

struct overlay_address network_address(unsigned number)
{
	return overlay_address_ipv4(NETWORK_IP + number, 9472, NETWORK_REALM);
}

static bool event_before(const struct event *a, const struct event *b)
{
	return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void network_push(struct network *n, struct event event)
{
	size_t at = n->events++;

	if (n->events > n->event_room) {
		n->event_room = 2 * n->event_room + 64;
		n->event = realloc(n->event, n->event_room * sizeof(*n->event));
		network_must(n, n->event != NULL, "out of memory");
	}
	event.order = n->order++;
	for (; at && event_before(&event, &n->event[(at - 1) / 2]); at = (at - 1) / 2)
		n->event[at] = n->event[(at - 1) / 2];
	n->event[at] = event;
}

static struct event network_pop(struct network *n)
{
	const struct event first = n->event[0], last = n->event[--n->events];
	size_t at = 0;

	for (size_t child = 1; child < n->events; child = 2 * at + 1) {
		if (child + 1 < n->events && event_before(&n->event[child + 1], &n->event[child]))
			child++;
		if (!event_before(&n->event[child], &last))
			break;
		n->event[at] = n->event[child];
		at = child;
	}
	n->event[at] = last;
	return first;
}

static void network_carry(struct station *from, struct station *to, const void *message,
			  size_t bytes)
{
	struct network *n = from->network;
	struct event event = {
		.at = n->now + NP_MILLISECOND + (np_time)network_draw(n, 19 * NP_MILLISECOND),
		.station = to->number,
		.from = network_address(from->number),
		.bytes = bytes,
	};

	n->packets++;
	if (from->side != to->side ||
	    (n->loss > 0 && (double)network_draw(n, 1000000) < n->loss * 1e6)) {
		n->lost++;
		return;
	}
	event.data = malloc(bytes);
	network_must(n, event.data != NULL, "out of memory");
	memcpy(event.data, message, bytes);
	network_push(n, event);
}

static bool network_hears(const struct station *from, const struct station *to)
{
	const struct network *n = from->network;

	return !n->shape || n->shape->hears(n, from, to);
}

static int network_send(struct overlay_substrate *substrate, const struct overlay_address *to,
			const void *message, size_t bytes, enum overlay_class class)
{
	struct station *from = substrate->context;
	struct network *n = from->network;
	struct sockaddr_in in;
	uint32_t at;

	(void)class;
	if (!to) {
		for (unsigned i = 0; i < n->count; i++) {
			if (network_hears(from, &n->station[i]))
				network_carry(from, &n->station[i], message, bytes);
		}
		return 0;
	}
	network_must(n, overlay_address_get_ipv4(to, &in), "no address");
	at = ntohl(in.sin_addr.s_addr) - NETWORK_IP;
	if (at < n->count && network_hears(from, &n->station[at]))
		network_carry(from, &n->station[at], message, bytes);
	return 0;
}

static void network_deliver(void *context, const struct np_overlay_message *payload)
{
	struct station *s = context;

	s->received += !payload->own;
	s->own += payload->own;
	s->network->latest = *payload;
}

static void network_tell(void *context, const struct np_overlay_event *event)
{
	struct station *s = context;

	s->told[event->kind]++;
}

void network_say(struct station *s, const void *message, size_t bytes)
{
	network_send(&s->substrate, NULL, message, bytes, OVERLAY_PROTOCOL);
}

/* Queues the station's timer when it is due before what is queued. */
static void network_timer(struct station *s)
{
	const np_time due = s->node ? overlay_node_deadline(s->node) : NP_TIME_NEVER;

	if (due >= s->timer)
		return;
	s->timer = due;
	network_push(s->network, (struct event){.at = due, .station = s->number});
}

struct network *network_new(uint64_t seed, unsigned room)
{
	struct network *n = calloc(1, sizeof(*n));

	if (!n)
		exit(1);
	*n = (struct network){
		.seed = seed,
		.random = seed * UINT64_C(0x9e3779b97f4a7c15),
		.now = NETWORK_EPOCH,
		.room = room,
		.station = calloc(room, sizeof(*n->station)),
	};
	network_must(n, n->station != NULL, "out of memory");
	return n;
}

void network_free(struct network *n)
{
	while (n->events)
		free(network_pop(n).data);
	for (unsigned i = 0; i < n->count; i++)
		overlay_node_free(n->station[i].node);
	free(n->event);
	free(n->station);
	free(n);
}

void network_start(struct station *s, const struct overlay_plan *plan, unsigned buddies)
{
	const struct np_overlay_listener listener = {s, network_deliver, network_tell};
	struct overlay_address contacts[32];
	struct overlay_plan own = *plan;

	for (unsigned i = 0; i < buddies; i++)
		contacts[i] = network_address(i);
	own.hash = NETWORK_HASH;
	own.self = network_address(s->number);
	own.contacts = contacts;
	own.contact_count = buddies;
	if (!own.seed)
		own.seed = network_draw(s->network, UINT64_C(1) << 40);
	network_must(s->network, !overlay_node_create(&s->node, &own, &s->substrate, &listener),
		     "no node");
	s->timer = NP_TIME_NEVER;
	np_overlay_join(s->node, s->network->now);
	network_timer(s);
}

struct station *network_add(struct network *n)
{
	static const struct overlay_substrate_face face = {.send = network_send};
	struct station *s = &n->station[n->count];

	network_must(n, n->count < n->room, "too many stations");
	*s = (struct station){
		.substrate = {.face = &face, .context = s},
		.network = n,
		.number = n->count++,
		.timer = NP_TIME_NEVER,
	};
	return s;
}

void network_kill(struct station *s)
{
	overlay_node_free(s->node);
	s->node = NULL;
}

void network_leave(struct station *s)
{
	np_overlay_leave(s->node, s->network->now);
	network_kill(s);
}

void network_run(struct network *n, np_time until)
{
	while (n->events && n->event[0].at <= until) {
		struct event event = network_pop(n);
		struct station *s = &n->station[event.station];

		n->now = event.at;
		if (!event.data)
			s->timer = NP_TIME_NEVER;
		if (s->node && event.data)
			overlay_node_receive(s->node, &event.from, event.data, event.bytes, n->now);
		else if (s->node && overlay_node_deadline(s->node) <= n->now)
			overlay_node_tick(s->node, n->now);
		network_timer(s);
		free(event.data);
	}
	n->now = until;
}

struct overlay_point network_point(const struct station *s)
{
	const struct np_overlay_logical logical = np_overlay_logical(s->node);

	return overlay_logical_get_point(&logical);
}

/* The living of one side: where they are; which. */
struct living {
	unsigned count;
	struct overlay_point *at;
	const struct station **station;
};

static struct living network_living(const struct network *n, unsigned side)
{
	struct living l = {
		.at = calloc(n->count, sizeof(*l.at)),
		.station = calloc(n->count, sizeof(*l.station)),
	};

	network_must(n, l.at && l.station, "out of memory");
	for (unsigned i = 0; i < n->count; i++) {
		if (!n->station[i].node || n->station[i].side != side)
			continue;
		l.station[l.count] = &n->station[i];
		l.at[l.count++] = network_point(&n->station[i]);
	}
	return l;
}

static void living_free(struct living *l)
{
	free(l->at);
	free(l->station);
}

unsigned network_neighbours(const struct station *s,
			    struct np_overlay_neighbour out[NETWORK_NEIGHBOURS])
{
	return np_overlay_neighbours(s->node, out, NETWORK_NEIGHBOURS);
}

static bool network_has(const struct station *s, struct overlay_point point)
{
	struct np_overlay_neighbour at[NETWORK_NEIGHBOURS];
	const unsigned count = network_neighbours(s, at);

	for (unsigned i = 0; i < count; i++) {
		if (overlay_point_equal(overlay_logical_get_point(&at[i].logical), point))
			return true;
	}
	return false;
}

/* Few nodes: their neighbours are those of the triangulation found by trying all circles. */
static bool living_exact(const struct living *l)
{
	bool *edge = calloc((size_t)l->count * l->count + 1, sizeof(*edge)), good = true;

	if (!edge)
		exit(1);
	delaunay_edges(l->at, l->count, edge);
	for (unsigned i = 0; i < l->count && good; i++) {
		unsigned more = np_overlay_neighbours(l->station[i]->node, NULL, 0);

		for (unsigned j = 0; j < l->count && good; j++) {
			good = network_has(l->station[i], l->at[j]) == edge[i * l->count + j];
			more -= edge[i * l->count + j];
		}
		good = good && !more; /* none that is dead */
	}
	free(edge);
	return good;
}

static int living_order(const void *a, const void *b)
{
	const struct overlay_point *p = a, *q = b;

	return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

/* Corners of the convex hull, those on its sides too (monotone chain); sorts @at. */
static unsigned living_hull(struct overlay_point *at, unsigned count)
{
	struct overlay_point *hull = calloc(2 * (size_t)count, sizeof(*hull));
	unsigned corners = 0, lower;

	if (!hull)
		exit(1);
	qsort(at, count, sizeof(*at), living_order);
	for (unsigned i = 0; i < count; hull[corners++] = at[i++]) {
		while (corners > 1 &&
		       delaunay_area(hull[corners - 2], hull[corners - 1], at[i]) < 0)
			corners--;
	}
	lower = corners;
	for (unsigned i = count - 1; i-- > 0; hull[corners++] = at[i]) {
		while (corners > lower &&
		       delaunay_area(hull[corners - 2], hull[corners - 1], at[i]) < 0)
			corners--;
	}
	free(hull);
	return corners - 1;
}

/* No living node within the circle of the triangle. */
static bool living_empty(const struct living *l, struct overlay_point a, struct overlay_point b,
			 struct overlay_point c)
{
	for (unsigned i = 0; i < l->count; i++) {
		if (delaunay_circle(a, b, c, l->at[i]) > 0)
			return false;
	}
	return true;
}

/* The triangles at one station: both others know each other, and nobody is in the circle. */
static bool living_fan(const struct living *l, unsigned index, unsigned *triangles)
{
	struct np_overlay_neighbour at[NETWORK_NEIGHBOURS];
	const unsigned count = network_neighbours(l->station[index], at);
	const struct overlay_point self = l->at[index];

	for (unsigned i = 0; i < count; i++) {
		const struct overlay_point a = overlay_logical_get_point(&at[i].logical);
		const struct overlay_point b =
			overlay_logical_get_point(&at[(i + 1) % count].logical);

		if (delaunay_area(self, a, b) <= 0) /* the outside is between these two */
			continue;
		++*triangles;
		/* Each triangle once, at the least of its corners. */
		if (living_order(&self, &a) < 0 && living_order(&self, &b) < 0 &&
		    !living_empty(l, self, a, b))
			return false;
	}
	return true;
}

/*
 * Many nodes: every neighbour is alive and knows it, every triangle's circle is empty, and there
 * are as many triangles and edges as Euler's formula wants with that hull.
 */
static bool living_triangulated(struct living *l)
{
	unsigned edges = 0, triangles = 0, hull;

	for (unsigned i = 0; i < l->count; i++) {
		struct np_overlay_neighbour at[NETWORK_NEIGHBOURS];
		const unsigned count = network_neighbours(l->station[i], at);

		for (unsigned k = 0; k < count; k++) {
			const struct network *n = l->station[i]->network;
			struct sockaddr_in in = {0};
			const struct station *its;

			memcpy(&in, &at[k].address.storage, sizeof(in));
			its = &n->station[ntohl(in.sin_addr.s_addr) - NETWORK_IP];
			if (!its->node || its->side != l->station[i]->side ||
			    !overlay_point_equal(network_point(its),
						 overlay_logical_get_point(&at[k].logical)) ||
			    !network_has(its, l->at[i]))
				return false;
		}
		edges += count;
		if (!living_fan(l, i, &triangles))
			return false;
	}
	hull = living_hull(l->at, l->count);
	return edges == 2 * (3 * l->count - 3 - hull) && triangles == 3 * (2 * l->count - 2 - hull);
}

static bool living_apart(const struct living *l)
{
	for (unsigned i = 0; i < l->count; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (overlay_point_equal(l->at[i], l->at[j]))
				return false;
		}
	}
	return true;
}

/* No two are at one place, and all have the neighbours of a Delaunay triangulation. */
static bool network_correct(const struct network *n, unsigned side)
{
	struct living l;
	bool good = true;

	if (n->shape)
		return n->shape->correct(n, side);
	l = network_living(n, side);
	/* Where packets are lost, some of many always miss one. */
	for (unsigned i = 0; i < l.count && good; i++)
		good = n->loss > 0 || np_overlay_stable(l.station[i]->node);
	good = good && living_apart(&l);
	if (good && l.count <= 12 && (l.count < 3 || delaunay_general(l.at, l.count)))
		good = living_exact(&l);
	else if (good)
		good = living_triangulated(&l);
	living_free(&l);
	return good;
}

np_time network_settle(struct network *n, unsigned sides, np_time limit)
{
	const np_time from = n->now;

	while (n->now - from <= limit) {
		bool good = true;

		for (unsigned side = 0; side < sides && good; side++)
			good = network_correct(n, side);
		if (good)
			return n->now - from;
		network_run(n, n->now + 50 * NP_MILLISECOND);
	}
	return -1;
}

/* From here on payloads are counted. */
static void network_listen(struct network *n)
{
	for (unsigned i = 0; i < n->count; i++)
		n->station[i].received = n->station[i].own = 0;
}

/* What nodes dropped although all was right: copies that are not to be. */
static uint64_t network_dropped(const struct network *n)
{
	uint64_t dropped = 0;

	for (unsigned i = 0; i < n->count; i++) {
		struct np_overlay_node_counts counts;

		if (!n->station[i].node)
			continue;
		counts = n->station[i].node->counts;
		dropped += counts.malformed + counts.foreign + counts.forged +
			   counts.not_from_parent + counts.looped + counts.expired +
			   counts.unroutable + counts.empty + counts.too_long;
	}
	return dropped;
}

static bool network_together(const struct station *a, const struct station *b)
{
	const struct network *n = a->network;

	return n->shape ? n->shape->together(n, a, b) : a->side == b->side;
}

bool network_reaches_all(struct network *n, struct station *from)
{
	const uint64_t dropped = network_dropped(n);

	network_listen(n);
	network_must(n, !np_overlay_send(from->node, NULL, "to all", 6), "not sent");
	network_run(n, n->now + 10 * NP_SECOND);
	for (unsigned i = 0; i < n->count; i++) {
		const struct station *s = &n->station[i];
		const bool wanted = s->node && s != from && network_together(from, s);

		if (s->own != (s == from) || s->received != wanted)
			return false;
	}
	return network_dropped(n) == dropped;
}

bool network_reaches(struct network *n, struct station *from, struct station *to)
{
	const struct np_overlay_logical logical = np_overlay_logical(to->node);
	const uint64_t dropped = network_dropped(n);

	network_listen(n);
	network_must(n, !np_overlay_send(from->node, &logical, "to one", 6), "not sent");
	network_run(n, n->now + 10 * NP_SECOND);
	for (unsigned i = 0; i < n->count; i++) {
		const struct station *s = &n->station[i];

		if (s->received + s->own != (s == to))
			return false;
	}
	return network_dropped(n) == dropped;
}

void network_multicast(struct network *n, struct station *from)
{
	network_must(n, network_reaches_all(n, from), "a message to all came not once");
}

void network_unicast(struct network *n, struct station *from, struct station *to)
{
	network_must(n, network_reaches(n, from, to), "a message to one");
}

uint64_t network_changes(const struct network *n)
{
	uint64_t changes = 0;

	for (unsigned i = 0; i < n->count; i++)
		changes += n->station[i].told[NP_OVERLAY_NEIGHBOURHOOD];
	return changes;
}
