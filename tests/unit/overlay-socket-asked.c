// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay-socket-asked: what an overlay says of itself: addresses, neighbours, events, counts. */
#include "../../src/lib/overlay/rules.h"
#include "../../src/lib/overlay/socket.h"
#include "record_written.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct np_address loopback(uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", port), 0);
	return address;
}

static struct np_overlay_plan plan_of(enum np_overlay_protocol protocol,
				      enum np_overlay_substrate substrate)
{
	struct np_overlay_plan plan = np_overlay_plan_default(protocol, substrate);

	plan.local = loopback(0);
	return plan;
}

static struct np_overlay *opened(const struct np_overlay_plan *plan,
				 const struct np_overlay_listener *listener)
{
	struct np_fault fault = {};
	struct np_overlay *o;

	if (np_overlay_open(&o, plan, NULL, listener, &fault))
		fail_msg("%s: %s", fault.object, fault.reason);
	return o;
}

/* What does not change while it is open. */
static void infos(void **state)
{
	static const struct {
		enum np_overlay_protocol protocol;
		enum np_overlay_substrate substrate;
		const char *name, *below;
		np_time timeout;
	} cases[] = {
		{NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_UDP, "DTBuddyList", "udp", 7 * NP_SECOND},
		{NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_TCP, "DTBuddyList", "tcp", 7 * NP_SECOND},
		{NP_OVERLAY_NONE, NP_OVERLAY_TCP, "NONE", "tcp", 0},
		{NP_OVERLAY_NONE, NP_OVERLAY_NULL, "NONE", "null", 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct np_overlay_plan plan = plan_of(cases[i].protocol, cases[i].substrate);
		const bool udp = cases[i].substrate == NP_OVERLAY_UDP;
		const struct np_overlay_info *info;
		struct np_overlay *o;

		plan.id = "a";
		plan.timeout = 7 * NP_SECOND;
		plan.message_max = 5000;
		plan.message_buffer = 77;
		plan.receive_buffer = 78;
		o = opened(&plan, NULL);
		info = np_overlay_info(o);
		assert_string_equal(info->protocol, cases[i].name);
		assert_string_equal(info->substrate, cases[i].below);
		assert_true(np_address_port(&info->local) != 0);
		assert_int_not_equal(info->hash, 0);
		assert_int_equal(info->message_max, 5000);
		assert_in_range(info->payload_max_all, 4900, 4999);
		assert_in_range(info->payload_max_one, 4900, 4999);
		assert_int_equal(info->payload_max_all, overlay_node_payload_max(o->node, false));
		assert_int_equal(info->payload_max_one, overlay_node_payload_max(o->node, true));
		assert_int_equal(info->message_buffer, 77);
		assert_int_equal(o->inbox.count_max, 78);
		assert_int_equal(info->timeout, cases[i].timeout);
		assert_true(info->read_timeout == NP_TIME_NEVER);
		assert_int_equal(udp, info->drop_unit != NULL);
		assert_int_equal(info->receive_granted > 0, cases[i].substrate != NP_OVERLAY_NULL);
		assert_int_equal(info->send_granted > 0, cases[i].substrate != NP_OVERLAY_NULL);
		if (udp)
			assert_non_null(info->stamps);
		np_overlay_free(o);
	}
}

/* Addresses as people write them. */
static void addresses(void **state)
{
	static const struct {
		enum np_overlay_protocol protocol;
		const char *text;
		int rc;
	} cases[] = {
		{NP_OVERLAY_NONE, "127.0.0.1:9001", 0},
		{NP_OVERLAY_NONE, "127.0.0.1:65535", 0},
		{NP_OVERLAY_NONE, "127.0.0.1", -EINVAL},
		{NP_OVERLAY_NONE, "127.0.0.1:65536", -ERANGE},
		{NP_OVERLAY_NONE, "127.0.0.1:0", -ERANGE},
		{NP_OVERLAY_NONE, "0.0.0.0:1", -ERANGE},
		{NP_OVERLAY_NONE, "[::1]:1", -EINVAL},
		{NP_OVERLAY_NONE, "localhost:1", -EINVAL},
		{NP_OVERLAY_NONE, "5,6", -EINVAL},
		{NP_OVERLAY_DT_BUDDIES, "5,-6", 0},
		{NP_OVERLAY_DT_BUDDIES, "5", -EINVAL},
		{NP_OVERLAY_DT_BUDDIES, "0,0", -ERANGE},
	};
	char text[NP_OVERLAY_LOGICAL_TEXT];

	(void)state;
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct np_overlay_plan plan = plan_of(cases[i].protocol, NP_OVERLAY_NULL);
		struct np_overlay_logical logical = {.size = 99};
		struct np_overlay *o = opened(&plan, NULL);

		assert_int_equal(np_overlay_parse(o, cases[i].text, &logical), cases[i].rc);
		if (cases[i].rc)
			assert_int_equal(logical.size, 99);
		else
			assert_string_equal(np_overlay_format(&logical, text), cases[i].text);
		np_overlay_free(o);
	}
}

/* Numbers, of which the spanning tree's node needs a group; it is told from one without. */
static void numbers(void **state)
{
	const struct np_overlay_plan plan = plan_of(NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_NULL);
	struct np_overlay *o = opened(&plan, NULL);
	struct np_overlay_logical a, b;
	char text[NP_OVERLAY_LOGICAL_TEXT];
	int32_t x = 7, y = 7;

	(void)state;
	o->protocol = NP_OVERLAY_SPT;
	assert_int_equal(np_overlay_parse(o, "-500", &a), 0);
	assert_string_equal(np_overlay_format(&a, text), "-500");
	assert_int_equal(np_overlay_parse(o, "0", &b), -ERANGE);
	assert_int_equal(np_overlay_parse(o, "5,6", &b), -EINVAL);
	assert_false(np_overlay_point(&a, &x, &y));
	assert_true(x == 7 && y == 7);
	assert_int_equal(np_overlay_parse(o, "501", &b), 0);
	assert_false(np_overlay_equal(&a, &b));
	assert_true(np_overlay_equal(&a, &a));
	b = a;
	b.size++;
	assert_false(np_overlay_equal(&a, &b));
	o->protocol = NP_OVERLAY_DT_BUDDIES;
	assert_int_equal(np_overlay_parse(o, "5,-6", &a), 0);
	assert_true(np_overlay_point(&a, &x, &y));
	assert_true(x == 5 && y == -6);
	np_overlay_free(o);
}

/* Neighbours as far as there is room, the children of a root, and the way to it. */
static void neighbours(void **state)
{
	const struct np_address contact[] = {loopback(11), loopback(12), loopback(13)};
	struct np_overlay_plan plan = plan_of(NP_OVERLAY_NONE, NP_OVERLAY_NULL);
	struct np_overlay_neighbour out[4] = {0};
	struct np_overlay_logical self, other;
	struct np_overlay *o;

	(void)state;
	plan.contact = contact;
	plan.contacts = 3;
	o = opened(&plan, NULL);
	assert_int_equal(np_overlay_neighbours(o, out, 2), 3);
	assert_int_equal(np_address_port(&out[0].address), 11);
	assert_int_equal(np_address_port(&out[1].address), 12);
	assert_true(out[0].logical.size && out[1].logical.size && !out[2].logical.size);
	assert_int_equal(np_overlay_neighbours(o, out, 4), 3);
	assert_int_equal(np_address_port(&out[2].address), 13);
	assert_int_equal(out[3].address.length, 0);
	assert_int_equal(np_overlay_neighbours(o, NULL, 0), 3);
	memset(out, 0, sizeof(out));
	self = np_overlay_logical(o);
	assert_int_equal(np_overlay_parse(o, "127.0.0.1:12", &other), 0);
	assert_int_equal(np_overlay_children(o, NULL, out, 1), 3);
	assert_true(out[0].address.length && !out[1].address.length);
	assert_int_equal(np_overlay_children(o, &self, out, 4), 3);
	memset(out, 0, sizeof(out));
	assert_int_equal(np_overlay_children(o, &other, out, 4), 0);
	assert_int_equal(out[0].address.length, 0);
	assert_false(np_overlay_parent(o, &self, &out[0]));
	assert_int_equal(out[0].address.length, 0);
	assert_true(np_overlay_parent(o, &other, &out[0]));
	assert_true(np_overlay_equal(&out[0].logical, &other));
	assert_int_equal(np_address_port(&out[0].address), 12);
	np_overlay_free(o);
}

struct heard {
	unsigned count;
	struct np_overlay_event event;
};

static void hear(void *context, const struct np_overlay_event *event)
{
	struct heard *heard = context;

	heard->count++;
	heard->event = *event;
}

/* A node's events are the program's, with its form of addresses; without a listener nobody's. */
static void events(void **state)
{
	static const enum np_overlay_event_kind kinds[] = {
		[NP_OVERLAY_STABLE] = NP_OVERLAY_STABLE,
		[NP_OVERLAY_NEIGHBOURHOOD] = NP_OVERLAY_NEIGHBOURHOOD,
		[NP_OVERLAY_ADDRESS] = NP_OVERLAY_ADDRESS,
		[NP_OVERLAY_LEFT] = NP_OVERLAY_LEFT,
		[NP_OVERLAY_TWIN] = NP_OVERLAY_TWIN,
		[NP_OVERLAY_COCIRCULAR] = NP_OVERLAY_COCIRCULAR,
	};
	struct overlay_event inner = {
		.from = {9, 8},
		.node = {{1, 2}, {3, 4}, {0, 0}, {5, 6}},
		.address = overlay_address_ipv4(0x7f000001, 9001, 1),
	};
	const struct np_overlay_plan plan = plan_of(NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_NULL);
	struct heard heard = {0};
	const struct np_overlay_listener listener = {.context = &heard, .event = hear};
	struct np_overlay *o = opened(&plan, &listener);
	char text[NP_OVERLAY_LOGICAL_TEXT];

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		inner.kind = (enum np_overlay_event_kind)i;
		socket_notify(o, &inner);
		assert_int_equal(heard.count, i + 1);
		assert_int_equal(heard.event.kind, kinds[i]);
		assert_string_equal(np_overlay_format(&heard.event.node[0], text),
				    i == NP_OVERLAY_ADDRESS ? "9,8" : "1,2");
		assert_string_equal(np_overlay_format(&heard.event.node[1], text), "3,4");
		assert_int_equal(heard.event.node[2].size, 0);
		assert_string_equal(np_overlay_format(&heard.event.node[3], text), "5,6");
		assert_int_equal(np_address_port(&heard.event.address), 9001);
	}
	o->protocol = NP_OVERLAY_SPT;
	inner.kind = NP_OVERLAY_TWIN;
	inner.address = (struct overlay_address){0};
	socket_notify(o, &inner);
	assert_string_equal(np_overlay_format(&heard.event.node[0], text), "1");
	assert_int_equal(heard.event.node[2].size, 0);
	assert_int_equal(heard.event.address.length, 0);
	o->listener.event = NULL;
	socket_notify(o, &inner);
	o->protocol = NP_OVERLAY_DT_BUDDIES;
	np_overlay_free(o);
}

/* What a user is told of an event. */
static void warnings(void **state)
{
	const struct np_overlay_plan plan = plan_of(NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_NULL);
	struct np_overlay *o = opened(&plan, NULL);
	struct np_overlay_event event = {.address = loopback(9001)};
	char out[NP_OVERLAY_WARNING_TEXT];

	(void)state;
	assert_int_equal(np_overlay_parse(o, "1,2", &event.node[0]), 0);
	assert_int_equal(np_overlay_parse(o, "3,4", &event.node[1]), 0);
	assert_int_equal(np_overlay_parse(o, "5,6", &event.node[2]), 0);
	assert_int_equal(np_overlay_parse(o, "7,8", &event.node[3]), 0);
	for (unsigned kind = 0; kind <= NP_OVERLAY_COCIRCULAR; kind++) {
		event.kind = (enum np_overlay_event_kind)kind;
		memset(out, 'x', sizeof(out));
		assert_ptr_equal(np_overlay_event_warning(&event, out), out);
		if (kind < NP_OVERLAY_TWIN)
			assert_string_equal(out, "");
		assert_int_equal(np_overlay_event_name(event.kind) != NULL, kind < NP_OVERLAY_TWIN);
	}
	assert_string_equal(out, "the nodes 1,2, 3,4, 5,6 and 7,8 lie on one circle, so this one "
				 "moves; give one of them other coordinates");
	assert_null(np_overlay_event_name(NP_OVERLAY_COCIRCULAR + 1));
	event.kind = NP_OVERLAY_TWIN;
	assert_string_equal(np_overlay_event_warning(&event, out),
			    "the node at 127.0.0.1:9001 has this node's logical address 1,2, too; "
			    "give one of them another");
	event.address.length = 0;
	assert_non_null(strstr(np_overlay_event_warning(&event, out), "the node at ?:0 has"));
	np_overlay_free(o);
}

/* Each count has its own name, in the structure and in the record. */
static void counts(void **state)
{
	static const struct np_overlay_node_counts in = {
		.sent = 1,
		.received = 2,
		.delivered = 3,
		.protocol_received = 5,
		.malformed = 6,
		.foreign = 7,
		.not_joined = 8,
		.forged = 9,
		.not_from_parent = 10,
		.looped = 11,
		.expired = 12,
		.unroutable = 13,
		.floods = 14,
		.empty = 15,
		.too_long = 16,
		.full = 17,
		.twins = 18,
		.moves = 19,
		.timed_out = 20,
	};
	static const struct {
		const char *name;
		unsigned value;
	} plain[] = {
		{"neighbours", 33},	 {"received_copies", 21},
		{"delivered_copies", 3}, {"malformed", 6 + 22 + 23},
		{"foreign", 7 + 9},	 {"not_from_parent", 10},
		{"looped", 11},		 {"expired", 12},
		{"unroutable", 13},	 {"too_long", 16},
		{"moves", 19},		 {"timed_out", 20},
	};
	static const char *const copies[] = {"sent_copies", "no_room_copies", "unreachable_copies",
					     "refused_copies"};
	static const char *const classes[] = {"own", "forwarded", "protocol"};
	const struct np_overlay_plan plan = plan_of(NP_OVERLAY_DT_BUDDIES, NP_OVERLAY_NULL);
	struct np_overlay *o = opened(&plan, NULL);
	const struct np_overlay_node_counts expected = {1,  2,	3,  4,	5,  6,	7,  8,	9,  10,
							11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
	struct np_overlay_stats stats;
	struct np_record *record;
	json_t *json, *overlay;

	o->node->counts = in;
	o->undelivered = 4;
	o->substrate.counts = (struct np_overlay_substrate_counts){.sent = {1, 2, 3},
								   .no_room = {4, 5, 6},
								   .unreachable = {7, 8, 9},
								   .refused = {10, 11, 12},
								   .received = 21,
								   .unreadable = 22,
								   .oversize = 23};
	assert_int_equal(np_overlay_stats(o, &stats), 0);
	assert_memory_equal(&stats.node, &expected, sizeof(expected));
	assert_memory_equal(&stats.substrate, &o->substrate.counts, sizeof(stats.substrate));
	record = np_record_new("summary");
	np_record_overlay(record, &stats, 33);
	json = written(*state, record);
	overlay = json_object_get(json, "overlay");
	assert_int_equal(json_object_size(overlay), sizeof(plain) / sizeof(plain[0]) + 4);
	for (unsigned i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		assert_int_equal(json_integer_value(json_object_get(overlay, plain[i].name)),
				 plain[i].value);
	for (unsigned i = 0; i < 12; i++) {
		const json_t *object = json_object_get(overlay, copies[i / 3]);

		assert_int_equal(json_object_size(object), 3);
		assert_int_equal(json_integer_value(json_object_get(object, classes[i % 3])),
				 1 + i);
	}
	json_decref(json);
	np_overlay_free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(infos),   cmocka_unit_test(addresses),
		cmocka_unit_test(numbers), cmocka_unit_test(neighbours),
		cmocka_unit_test(events),  cmocka_unit_test(warnings),
		PLACE_TEST(counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
