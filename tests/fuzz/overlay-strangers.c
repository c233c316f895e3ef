// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* A node of each protocol among strangers who speak it well and say whatever they like: well-formed
 * messages of few addresses in any order, with time between them, in its neighbours' names, in its
 * own and in their own. Nothing grows beyond its bounds; no station is a neighbour at two places,
 * nor the node one of its own; of one message to a node comes at most one copy to each station and
 * one delivery, nothing goes back where it came from, no payload of its own comes back to it, and
 * hops run out. Input: a byte for the plan, then steps of 8 bytes: what happens, and its numbers.
 */
#include "overlay_plan.h"

#include <stdlib.h>
#include <string.h>

#define STEP 8

struct world {
	struct np_overlay *node;
	enum overlay_protocol protocol;
	np_time now;
	unsigned protocol_sent, delivered;
	unsigned copies[STATIONS]; /* payloads, to each station */
	unsigned previous;	   /* from whom the payload came; STATIONS: it is the node's own */
	unsigned hops;		   /* of the payload that came */
	struct np_overlay_logical self;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Some logical addresses, the node's, its stations', none, and those at the ends. */
static int32_t number(uint8_t choice)
{
	static const int32_t few[] = {500, 5, 600, 601, 499, 501, 0, INT32_MIN, INT32_MAX, -1};

	return few[choice % (sizeof(few) / sizeof(few[0]))];
}

static struct overlay_point point(uint8_t choice)
{
	static const struct overlay_point few[] = {
		{500, 500},
		{700, 500},
		{500, 700},
		{700, 700},
		{100, 480},
		{490, 90},
		{0, 0},
		{501, 500},
		{900, 500},
		{300, 200},
		{INT32_MAX, INT32_MIN},
		{INT32_MIN, 0},
	};

	return few[choice % (sizeof(few) / sizeof(few[0]))];
}

static struct np_overlay_logical logical(const struct world *w, uint8_t choice)
{
	const struct overlay_address where = address(choice);

	if (w->protocol == OVERLAY_NONE)
		return overlay_logical_address(&where);
	return w->protocol == OVERLAY_SPT ? overlay_logical_number(number(choice))
					  : overlay_logical_point(point(choice));
}

static unsigned station_of(const struct overlay_address *to)
{
	for (unsigned i = 0; i < STATIONS; i++) {
		const struct overlay_address where = address(i);

		if (overlay_address_equal(to, &where))
			return i;
	}
	return STATIONS;
}

static int take(struct overlay_substrate *from, const struct overlay_address *to,
		const void *message, size_t bytes, enum overlay_class class)
{
	struct world *w = from->context;
	struct overlay_spt spt;
	struct overlay_dt dt;
	struct overlay_ol ol;
	unsigned station;

	if (overlay_ol_decode(message, bytes, &ol)) {
		must(!overlay_dt_decode(message, bytes, &dt) ||
		     !overlay_spt_decode(message, bytes, &spt));
		must(class == OVERLAY_PROTOCOL);
		w->protocol_sent++;
		return 0;
	}
	must(to && np_overlay_equal(&ol.previous, &w->self));
	must(class == (w->previous == STATIONS ? OVERLAY_OWN : OVERLAY_FORWARDED));
	station = station_of(to);
	must(station != w->previous && ol.hop_limit < w->hops);
	if (station < STATIONS)
		must(++w->copies[station] == 1);
	return 0;
}

static void deliver(void *context, const struct np_overlay_message *payload)
{
	struct world *w = context;

	w->delivered++;
	must(payload->own == (w->previous == STATIONS) && payload->hop_limit < w->hops);
	must(payload->bytes == 5 && !memcmp(payload->data, "hello", 5));
	must(payload->own || !np_overlay_equal(&payload->source, &w->self));
}

static void tell(void *context, const struct np_overlay_event *event)
{
	(void)context;
	must(event->kind <= NP_OVERLAY_LEFT);
}

/* Before each call: what may come of it. */
static void expect(struct world *w, unsigned previous, unsigned hops)
{
	w->protocol_sent = w->delivered = 0;
	memset(w->copies, 0, sizeof(w->copies));
	w->previous = previous;
	w->hops = hops;
	w->self = np_overlay_logical(w->node);
}

static void keeps_its_bounds(const struct world *w)
{
	const struct np_overlay_logical self = np_overlay_logical(w->node);
	struct np_overlay_neighbour at[NEIGHBOURS];
	const unsigned count = np_overlay_neighbours(w->node, at, NEIGHBOURS);
	const struct overlay_address own = address(0);
	const struct np_address here = overlay_address_endpoint(&own);

	must(w->protocol_sent <= 3 * NEIGHBOURS + 2 && w->delivered <= 1);
	must(count <= NEIGHBOURS && !overlay_logical_null(&self));
	for (unsigned i = 0; i < count; i++) {
		must(!overlay_logical_null(&at[i].logical));
		must(!np_overlay_equal(&at[i].logical, &self));
		must(at[i].address.length && !np_address_equal(&at[i].address, &here));
		for (unsigned j = 0; j < i; j++) {
			must(!np_overlay_equal(&at[i].logical, &at[j].logical));
			must(!np_address_equal(&at[i].address, &at[j].address));
		}
	}
}

static void pass(struct world *w, np_time time)
{
	const np_time until = w->now + time;
	unsigned turns = 0;

	while (overlay_node_deadline(w->node) <= until) {
		if (overlay_node_deadline(w->node) > w->now)
			w->now = overlay_node_deadline(w->node);
		expect(w, STATIONS, 0);
		overlay_node_tick(w->node, w->now);
		keeps_its_bounds(w);
		must(turns++ < 1000);
	}
	w->now = until;
}

static void hear_dt(struct world *w, const uint8_t *step, uint8_t message[OVERLAY_DT_MAX])
{
	const struct overlay_dt dt = {
		.rendezvous = OVERLAY_RENDEZVOUS_BUDDIES,
		.type = step[2] % 12,
		.hash = step[2] < 250 ? HASH : 1,
		.source = point(step[3]),
		.destination = point(step[4]),
		.a = {point(step[5]), address(step[6])},
		.b = {point(step[7]), address(step[7] >> 4)},
	};
	const struct overlay_address from = address(step[1]);

	overlay_node_receive(w->node, &from, message, overlay_dt_encode(message, &dt), w->now);
}

/* What it says it heard, and of whom: of the node, mostly. */
static void hear_spt(struct world *w, const uint8_t *step, uint8_t *message, size_t room)
{
	uint8_t sender[2 * OVERLAY_SPT_SENDER_BYTES];
	const struct overlay_spt spt = {
		.rendezvous = OVERLAY_RENDEZVOUS_MULTICAST,
		.type = step[2] % 8 > 3 ? OVERLAY_SPT_BEACON : step[2] % 8,
		.hash = step[2] < 250 ? HASH : 1,
		.source = number(step[3]),
		.wanted = number(step[4]),
		.next_hop = number(step[5]),
		.address = address(step[2] & 64 ? step[1] : step[6]),
		.root = number(step[4]),
		.parent = number(step[5]),
		.cost = step[6] < 200	? step[6] % 8
			: step[6] < 228 ? INT32_MAX
					: -1,
		.timestamp =
			step[6] == 255 ? INT64_MAX : w->now / NP_MILLISECOND - step[7] % 16 * 500,
		.senders = 2,
		.sender = sender,
	};
	const struct overlay_address from = address(step[1]);
	ssize_t bytes;

	overlay_spt_put_sender(sender, number(step[6]), 3);
	overlay_spt_put_sender(sender + OVERLAY_SPT_SENDER_BYTES,
			       overlay_logical_get_number(&w->self), step[7]);
	bytes = overlay_spt_encode(message, room, &spt);
	must(bytes > 0);
	overlay_node_receive(w->node, &from, message, (size_t)bytes, w->now);
}

static void hear_payload(struct world *w, const uint8_t *step, uint8_t *message, size_t room)
{
	const struct overlay_address from = address(step[1]);
	const struct np_overlay_logical route = logical(w, step[6]);
	const struct overlay_ol ol = {
		.mode = 1 + step[2] % 3,
		.hop_limit = step[2] < 128 ? 254 : step[2] % 4,
		.source = logical(w, step[3]),
		.previous = logical(w, step[4]),
		.destination = logical(w, step[5]),
		.extensions = 1 + (step[7] & 1),
		.extension = {{OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"},
			      {OVERLAY_EXTENSION_ROUTE, 0, route.size, route.bytes}},
	};
	const ssize_t bytes = overlay_ol_encode(message, room, &ol);

	must(bytes > 0);
	w->previous = step[1] % STATIONS;
	w->hops = ol.hop_limit;
	overlay_node_receive(w->node, &from, message, (size_t)bytes, w->now);
}

static void speak(struct world *w, const uint8_t *step)
{
	const struct np_overlay_logical to = logical(w, step[3]);

	if (step[2] & 1)
		np_overlay_send(w->node, NULL, "hello", 5);
	else
		np_overlay_send(w->node, &to, "hello", 5);
}

static void take_step(struct world *w, const uint8_t *step)
{
	uint8_t message[512];

	expect(w, STATIONS, 255);
	switch (step[0] % 8) {
	case 0: pass(w, step[1] * 100 * NP_MILLISECOND); break;
	case 1:
		if (step[1] & 1)
			np_overlay_leave(w->node, w->now);
		np_overlay_join(w->node, w->now);
		break;
	case 2: speak(w, step); break;
	case 3:
	case 4: hear_payload(w, step, message, sizeof(message)); break;
	default:
		if (w->protocol == OVERLAY_SPT)
			hear_spt(w, step, message, sizeof(message));
		else
			hear_dt(w, step, message);
		break;
	}
	keeps_its_bounds(w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world w = {.now = START};
	static const struct overlay_substrate_face face = {.send = take};
	struct overlay_substrate substrate = {.face = &face, .context = &w};
	const struct np_overlay_listener listener = {&w, deliver, tell};
	const struct overlay_address contact = address(1);
	struct overlay_plan plan;

	if (!size)
		return 0;
	plan = plan_of(data[0], &contact);
	plan.route_records = 1 + (data[0] >> 4 & 3);
	plan.message_max = 512;
	w.protocol = plan.protocol;
	must(!overlay_node_create(&w.node, &plan, &substrate, &listener));
	np_overlay_join(w.node, w.now);
	for (size_t at = 1; at + STEP <= size; at += STEP)
		take_step(&w, data + at);
	np_overlay_leave(w.node, w.now);
	must(!np_overlay_neighbours(w.node, NULL, 0) || plan.protocol == OVERLAY_NONE);
	overlay_node_free(w.node);
	return 0;
}
