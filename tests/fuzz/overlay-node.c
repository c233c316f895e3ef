// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any messages from any strangers, with time between them, to a node of an overlay: it goes on,
 * what it sends is whole and never more than it has neighbours for, and its table keeps its bounds.
 * Input: a byte for the plan, then messages: a byte for the sender (3 bits) and the time before it
 * (5 bits, of 40 ms), two for the length, and the bytes. */
#include "overlay_plan.h"

#include <netperf/field.h>
#include <stdlib.h>
#include <string.h>

struct world {
	struct np_overlay *node;
	np_time now;
	unsigned sent;
	bool answers; /* deliveries by a payload of its own */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int take(struct overlay_substrate *from, const struct overlay_address *to,
		const void *message, size_t bytes, enum overlay_class class)
{
	struct world *w = from->context;
	struct overlay_spt spt;
	struct overlay_dt dt;
	struct overlay_ol ol;
	struct sockaddr_in in;

	must(class == OVERLAY_PROTOCOL || to);
	w->sent++;
	must(!to || overlay_address_get_ipv4(to, &in));
	must(!overlay_dt_decode(message, bytes, &dt) || !overlay_ol_decode(message, bytes, &ol) ||
	     !overlay_spt_decode(message, bytes, &spt));
	return w->sent % 7 ? 0 : -1;
}

static void deliver(void *context, const struct np_overlay_message *payload)
{
	struct world *w = context;

	must(payload->hop_limit < 255 && payload->data);
	if (w->answers && !payload->own)
		np_overlay_send(w->node, &payload->source, "answer", 6);
}

static void tell(void *context, const struct np_overlay_event *event)
{
	struct world *w = context;

	if (event->kind == NP_OVERLAY_NEIGHBOURHOOD)
		np_overlay_send(w->node, NULL, "who", 3);
}

static void table_keeps_its_bounds(const struct world *w)
{
	struct np_overlay_neighbour at[NEIGHBOURS];
	const unsigned count = np_overlay_neighbours(w->node, at, NEIGHBOURS);
	const struct np_overlay_logical self = np_overlay_logical(w->node);

	must(count <= NEIGHBOURS && !overlay_logical_null(&self));
	for (unsigned i = 0; i < count; i++) {
		must(!overlay_logical_null(&at[i].logical));
		must(!np_overlay_equal(&at[i].logical, &self));
		for (unsigned j = 0; j < i; j++)
			must(!np_overlay_equal(&at[i].logical, &at[j].logical));
	}
}

/* Up to @until; a node that is due for ever is caught. */
static void pass(struct world *w, np_time until)
{
	unsigned turns = 0;

	while (overlay_node_deadline(w->node) <= until) {
		if (overlay_node_deadline(w->node) > w->now)
			w->now = overlay_node_deadline(w->node);
		w->sent = 0;
		overlay_node_tick(w->node, w->now);
		must(w->sent <= 8 * NEIGHBOURS && turns++ < 64);
	}
	w->now = until;
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
	plan.route_records = (unsigned)(data[0] >> 5) + (plan.protocol == OVERLAY_SPT);
	plan.message_max = 1500;
	w.answers = data[0] & 16;
	must(!overlay_node_create(&w.node, &plan, &substrate, &listener));
	np_overlay_join(w.node, w.now);
	for (size_t at = 1; at + 3 <= size;) {
		const struct overlay_address from = address(data[at] & 7);
		const size_t left = size - at - 3, wants = np_field_get16(data + at + 1);
		const size_t bytes = wants < left ? wants : left;

		pass(&w, w.now + (data[at] >> 3) * 40 * NP_MILLISECOND);
		w.sent = 0;
		overlay_node_receive(w.node, &from, data + at + 3, bytes, w.now);
		must(w.sent <= 3 * NEIGHBOURS + 2);
		table_keeps_its_bounds(&w);
		at += 3 + bytes;
	}
	np_overlay_leave(w.node, w.now);
	must(!np_overlay_neighbours(w.node, NULL, 0) || plan.protocol == OVERLAY_NONE);
	overlay_node_free(w.node);
	return 0;
}
