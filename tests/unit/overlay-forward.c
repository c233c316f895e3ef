// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Payloads at one node of an overlay: sent, forwarded, delivered, refused; at the limits. */
#include "overlay_bench.h"
#include "support/unit.h"

/* A payload from @from in the name of @previous. */
static struct overlay_ol payload_of(enum overlay_mode mode, struct overlay_point source,
				    struct overlay_point previous)
{
	return hello(mode, overlay_logical_point(source), overlay_logical_point(previous),
		     overlay_logical_point(SELF));
}

TEST_AT(open_chain, forwarding)
{
	struct overlay_ol ol = payload_of(OVERLAY_MULTICAST, P(50, 500), P(100, 500)), onwards;

	b->answer = "yes";
	hear_ol(b, 1, &ol);
	assert_int_equal(b->sent, 2); /* onwards to the east, and the answer to the west */
	assert_int_equal(overlay_ol_decode(b->message[0].data, b->message[0].bytes, &onwards), 0);
	assert_true(overlay_point_equal(overlay_logical_get_point(&onwards.previous), SELF));
	assert_true(overlay_point_equal(overlay_logical_get_point(&onwards.source), P(50, 500)));
	assert_int_equal(onwards.hop_limit, 253);
	assert_int_equal(onwards.extension[1].type, OVERLAY_EXTENSION_ROUTE);
	assert_memory_equal(onwards.extension[1].data, onwards.previous.bytes, 8);
	assert_string_equal(b->text, "hello");
	assert_int_equal(b->payload.hop_limit, 253);
	assert_false(b->payload.own || b->payload.unicast);
	assert_int_equal(overlay_ol_decode(b->message[1].data, b->message[1].bytes, &onwards), 0);
	assert_int_equal(onwards.mode, OVERLAY_UNICAST);
	assert_int_equal(onwards.hop_limit, 254);
	/* For another: only passed on. */
	b->sent = b->delivered = 0;
	ol = payload_of(OVERLAY_UNICAST, P(50, 500), P(100, 500));
	ol.destination = overlay_logical_point(P(2000, 500));
	hear_ol(b, 1, &ol);
	assert_int_equal(b->sent, 1);
	assert_int_equal(b->delivered, 0);
	/* For this one. */
	ol.destination = overlay_logical_point(SELF);
	b->answer = NULL;
	hear_ol(b, 1, &ol);
	assert_int_equal(b->sent, 1);
	assert_true(b->delivered == 1 && b->payload.unicast);
	assert_int_equal(counts(b).delivered, 2);
	/* The port refuses. */
	ol.destination = overlay_logical_point(P(2000, 500));
	b->refuse = -EAGAIN;
	hear_ol(b, 1, &ol);
	assert_true(b->refused == 1 && b->sent == 1);
}

/* A message that this hop makes longer than message_max is not forwarded, and counted. */
TEST(too_long)
{
	static const uint8_t data[470];
	struct overlay_ol ol = payload_of(OVERLAY_UNICAST, P(50, 500), P(100, 500));
	const struct overlay_address buddy = address(9);
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, &buddy);

	ol.destination = overlay_logical_point(P(2000, 500));
	ol.extension[0].data = data;
	/* Beside the data: 35 bytes of header, 4 of DATA, 3 of ROUTE, 8 of a hop. */
	for (unsigned over = 0; over < 2; over++) {
		struct bench b;

		plan.message_max = 512;
		plan.route_records = 1;
		ol.extension[0].bytes = 512 - 35 - 4 - 3 - 8 + over;
		open_plan(&b, &plan);
		hear(&b, 1, OVERLAY_DT_HELLO, P(100, 500));
		hear(&b, 2, OVERLAY_DT_HELLO, P(900, 500));
		b.sent = 0;
		hear_ol(&b, 1, &ol);
		assert_int_equal(b.sent, !over);
		assert_int_equal(counts(&b).too_long, over);
		close_node(&b);
	}
}

/* Of the hops so far the newest go on, with this one; no hop of them gets the message again. */
TEST_AT(open_chain, routes)
{
	static const uint8_t hops[] = {0, 0, 0, 50, 0, 0, 1, 0xf4, 0, 0, 0, 60,	  0, 0, 1, 0xf4,
				       0, 0, 0, 70, 0, 0, 1, 0xf4, 0, 0, 1, 0xf4, 0, 0, 1, 0xf4};
	static const uint8_t east[] = {0, 0, 0, 50, 0, 0, 1, 0xf4, 0, 0, 3, 0x84, 0, 0, 1, 0xf4};
	struct overlay_ol ol = payload_of(OVERLAY_MULTICAST, P(50, 500), P(100, 500)), onwards;

	ol.extensions = 2;
	ol.extension[1] = (struct overlay_extension){OVERLAY_EXTENSION_ROUTE, 0, 24, hops};
	hear_ol(b, 1, &ol);
	assert_int_equal(b->sent, 1);
	assert_int_equal(overlay_ol_decode(b->message[0].data, b->message[0].bytes, &onwards), 0);
	assert_int_equal(onwards.extensions, 2);
	assert_int_equal(onwards.extension[1].bytes, 16);
	assert_memory_equal(onwards.extension[1].data, hops + 16, 16);
	ol.extension[1].bytes = 8; /* fewer than may be */
	hear_ol(b, 1, &ol);
	assert_int_equal(overlay_ol_decode(b->message[1].data, b->message[1].bytes, &onwards), 0);
	assert_int_equal(onwards.extension[1].bytes, 16);
	assert_memory_equal(onwards.extension[1].data, hops, 8);
	assert_memory_equal(onwards.extension[1].data + 8, hops + 24, 8);
	ol.extension[1].bytes = 32; /* this one is the last of them */
	hear_ol(b, 1, &ol);
	assert_int_equal(counts(b).looped, 1);
	ol.extension[1] = (struct overlay_extension){OVERLAY_EXTENSION_ROUTE, 0, 16, east};
	b->delivered = 0;
	hear_ol(b, 1, &ol);
	assert_true(b->sent == 2 && b->delivered == 1);
	/* As many extensions as may be, and none for the hops: they go on as they are. */
	ol.extensions = OVERLAY_EXTENSIONS_MAX;
	for (unsigned i = 1; i < OVERLAY_EXTENSIONS_MAX; i++)
		ol.extension[i] = (struct overlay_extension){100, 0, 4, hops};
	hear_ol(b, 1, &ol);
	assert_true(b->sent == 3 && b->delivered == 2);
	assert_int_equal(overlay_ol_decode(b->message[2].data, b->message[2].bytes, &onwards), 0);
	assert_int_equal(onwards.extensions, OVERLAY_EXTENSIONS_MAX);
	assert_null(overlay_ol_find(&onwards, OVERLAY_EXTENSION_ROUTE));
}

/* Each of these is dropped and counted, and sends nothing. */
TEST_AT(open_chain, refused)
{
	static const uint8_t passed[] = {0, 0, 1, 0xf4, 0, 0, 1, 0xf4};
	struct overlay_ol ol = payload_of(OVERLAY_MULTICAST, P(50, 500), P(100, 500)), bad;

	hear_ol(b, 3, &ol);
	assert_int_equal(counts(b).forged, 1);
	bad = ol;
	bad.previous = overlay_logical_point(P(900, 500));
	hear_ol(b, 2, &bad);
	bad.previous = overlay_logical_point(P(901, 500));
	hear_ol(b, 2, &bad);
	assert_int_equal(counts(b).not_from_parent, 2);
	bad = ol;
	bad.mode = OVERLAY_FLOOD;
	hear_ol(b, 1, &bad);
	assert_int_equal(counts(b).floods, 1);
	bad = ol;
	bad.hop_limit = 0;
	hear_ol(b, 1, &bad);
	assert_int_equal(counts(b).expired, 1);
	bad = ol;
	bad.extensions = 2;
	bad.extension[1] = (struct overlay_extension){OVERLAY_EXTENSION_ROUTE, 0, 8, passed};
	hear_ol(b, 1, &bad);
	assert_int_equal(counts(b).looped, 1);
	bad = ol;
	bad.source = overlay_logical_point(SELF); /* its own, by another way */
	hear_ol(b, 1, &bad);
	assert_int_equal(counts(b).looped, 2);
	bad = ol;
	bad.extension[0].type = OVERLAY_EXTENSION_FSM;
	hear_ol(b, 1, &bad);
	assert_int_equal(counts(b).empty, 1);
	bad = payload_of(OVERLAY_UNICAST, P(50, 500), P(100, 500));
	bad.destination = overlay_logical_point(P(10, 500)); /* back to the west */
	hear_ol(b, 1, &bad);
	assert_int_equal(counts(b).not_from_parent, 3);
	assert_int_equal(b->sent, 0);
	assert_int_equal(b->delivered, 0);
	/* The last hop delivers and goes no further; too great a limit counts as 255. */
	bad = ol;
	bad.hop_limit = 1;
	hear_ol(b, 1, &bad);
	assert_true(b->sent == 0 && b->delivered == 1);
	bad.hop_limit = 60000;
	hear_ol(b, 1, &bad);
	assert_int_equal(b->payload.hop_limit, 254);
}

/* What strangers send, in whatever name, from where they are. */
static void disturb(struct bench *b, unsigned turn)
{
	static const uint8_t junk[] = "\x22\x00\x25\x00 no message of this or any other overlay";
	const struct overlay_point far = P(5000 + (int)turn, 500);
	const struct overlay_dt walk = {.type = OVERLAY_DT_I_AM_HERE,
					.source = far,
					.a = {far, address(6)},
					.b = {far, address(6)}};
	const struct overlay_dt refusal = {.type = OVERLAY_DT_NOT_NEIGHBOUR,
					   .source = far,
					   .a = {SELF, address(6)},
					   .b = {SELF, address(6)}};
	const struct overlay_address from = address(6);
	struct overlay_ol ol = payload_of(OVERLAY_MULTICAST, P(50, 500), P(100, 500));

	hear(b, 6, OVERLAY_DT_GOODBYE, P(100, 500)); /* in a neighbour's name */
	hear(b, 6, OVERLAY_DT_HELLO, P(900, 500));
	hear(b, 6, OVERLAY_DT_HELLO, SELF); /* in its own */
	hear(b, 6, OVERLAY_DT_BEACON, SELF);
	hear_dt(b, 6, &refusal);
	hear(b, 6, OVERLAY_DT_HELLO, P(0, 0)); /* in nobody's */
	hear(b, 6, OVERLAY_DT_HELLO, far);     /* who does not belong here */
	hear_dt(b, 6, &walk);
	hear_ol(b, 6, &ol);
	ol.mode = OVERLAY_FLOOD;
	hear_ol(b, 1, &ol);
	overlay_node_receive(b->node, &from, junk, turn % sizeof(junk), b->now);
}

/* A node at known coordinates in a chain; payloads go on while strangers do their worst. */
TEST(hostile)
{
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	const struct overlay_ol ol = payload_of(OVERLAY_MULTICAST, P(50, 500), P(100, 500));
	struct bench b;

	plan.fixed = true;
	open_plan(&b, &plan);
	hear(&b, 1, OVERLAY_DT_HELLO, P(100, 500));
	hear(&b, 2, OVERLAY_DT_HELLO, P(900, 500));
	pass(&b, 2250 * NP_MILLISECOND);
	assert_true(overlay_node_stable(b.node));
	for (unsigned turn = 0; turn < 500; turn++) {
		disturb(&b, turn);
		hear(&b, 1, OVERLAY_DT_HELLO, P(100, 500));
		hear(&b, 2, OVERLAY_DT_HELLO, P(900, 500));
		b.sent = b.delivered = 0;
		hear_ol(&b, 1, &ol);
		assert_true(b.delivered == 1 && b.sent == 1);
		pass(&b, 100 * NP_MILLISECOND);
	}
	assert_int_equal(b.told[NP_OVERLAY_ADDRESS], 0);
	assert_int_equal(b.told[NP_OVERLAY_NEIGHBOURHOOD], 2); /* only when they came */
	assert_in_range(b.told[NP_OVERLAY_TWIN], 1, 6);
	assert_int_equal(neighbours(&b), 2);
	close_node(&b);
}

TEST(sending)
{
	const struct np_overlay_logical east = overlay_logical_point(P(2000, 500));
	const struct np_overlay_logical self = overlay_logical_point(SELF);
	const struct np_overlay_logical null = {.size = 8}, foreign = {.size = 4, .bytes = {1}};
	uint8_t *much = calloc(1, 8192);
	struct bench b;

	assert_non_null(much);
	open_chain(&b);
	assert_int_equal(overlay_node_send_all(b.node, "all", 3), 0);
	assert_int_equal(b.sent, 2);
	assert_true(b.delivered == 1 && b.payload.own && b.payload.hop_limit == 254);
	assert_int_equal(overlay_node_send(b.node, &east, "one", 3), 0);
	assert_int_equal(b.sent, 3);
	assert_int_equal(overlay_node_send(b.node, &self, "me", 2), 0);
	assert_int_equal(b.sent, 3);
	assert_string_equal(b.text, "me");
	assert_int_equal(overlay_node_send(b.node, &null, "x", 1), -EINVAL);
	assert_int_equal(overlay_node_send(b.node, &foreign, "x", 1), -EINVAL);
	assert_int_equal(overlay_node_send_all(b.node, much, 8192), -EMSGSIZE);
	assert_int_equal(counts(&b).sent, 3);
	b.refuse = -ENOBUFS;
	assert_int_equal(overlay_node_send_all(b.node, "all", 3), -ENOBUFS);
	b.refuse = 0;
	hear(&b, 1, OVERLAY_DT_GOODBYE, P(100, 500));
	hear(&b, 2, OVERLAY_DT_GOODBYE, P(900, 500));
	assert_int_equal(overlay_node_send(b.node, &east, "one", 3), -EHOSTUNREACH);
	close_node(&b);
	free(much);
}

static int take_any(void *context, const struct overlay_address *to, const void *message,
		    size_t bytes)
{
	size_t *most = context;

	(void)to;
	(void)message;
	if (bytes > *most)
		*most = bytes;
	return 0;
}

static void take_payload(void *context, const struct np_overlay_message *payload)
{
	(void)context;
	(void)payload;
}

static void take_event(void *context, const struct np_overlay_event *event)
{
	(void)context;
	(void)event;
}

static void open_sized(struct overlay_node **node, size_t *most, size_t message_max,
		       unsigned route_records)
{
	const struct overlay_port port = {most, take_any, take_payload, take_event};
	const struct overlay_dt hello = {.rendezvous = 2, .hash = HASH, .source = P(900, 500)};
	const struct overlay_address from = address(2);
	struct overlay_plan plan = plan_of(OVERLAY_DT_BUDDIES, NULL);
	uint8_t dt[OVERLAY_DT_MAX];

	*most = 0;
	plan.message_max = message_max;
	plan.route_records = route_records;
	assert_int_equal(overlay_node_create(node, &plan, &port), 0);
	overlay_node_join(*node, START);
	overlay_node_receive(*node, &from, dt, overlay_dt_encode(dt, &hello), START);
	*most = 0;
}

/*
 * The greatest payload is sent and leaves room for just the hops to come, and perhaps for what says
 * that the message is long; one byte more is not.
 */
TEST(greatest)
{
	static const size_t sizes[] = {512, 1400, 8192, 100000, 20000000};
	const struct np_overlay_logical east = overlay_logical_point(P(2000, 500));
	uint8_t *data = calloc(1, 20000000);

	assert_non_null(data);
	/* Some sizes, and each at which the long form begins. */
	for (unsigned i = 0; i < 2 * (5 + 400); i++) {
		const size_t size = i / 2 < 5 ? sizes[i / 2] : 65400 + i / 2;
		const unsigned records = i % 2 ? 20 : 0;
		struct overlay_node *node;
		size_t most, payload;

		open_sized(&node, &most, size, records);
		payload = overlay_node_payload_max(node, true);
		assert_int_equal(overlay_node_send(node, &east, data, payload), 0);
		assert_in_range(most + (records ? 19 * 8 : 0), size - 10, size);
		assert_int_equal(overlay_node_send(node, &east, data, payload + 1), -EMSGSIZE);
		if (i / 2 < 5)
			assert_int_equal(overlay_node_payload_max(node, false), payload + 8);
		overlay_node_free(node);
	}
	free(data);
}

/* Where the hops to come take all the room there is none for a payload. */
TEST(no_room)
{
	const struct np_overlay_logical east = overlay_logical_point(P(2000, 500));
	struct overlay_node *node;
	size_t most;

	open_sized(&node, &most, 512, 255);
	assert_int_equal(overlay_node_payload_max(node, true), 0);
	assert_int_equal(overlay_node_send(node, &east, "x", 1), -EMSGSIZE);
	assert_int_equal(most, 0);
	overlay_node_free(node);
}

/* NONE: to the configured neighbours and straight to addresses, forwarded by nobody. */
TEST(none)
{
	const struct overlay_address other = address(1), third = address(2), self = address(0);
	const struct overlay_plan plan = plan_of(OVERLAY_NONE, &other);
	const struct np_overlay_logical from = overlay_logical_address(&third);
	struct overlay_ol ol = {
		.mode = OVERLAY_MULTICAST,
		.hop_limit = 254,
		.source = from,
		.previous = from,
		.destination = overlay_logical_address(&self),
		.extensions = 1,
		.extension = {{OVERLAY_EXTENSION_DATA, 0, 5, (const uint8_t *)"hello"}},
	};
	struct bench b;

	open_plan(&b, &plan);
	assert_int_equal(overlay_node_deadline(b.node), NP_TIME_NEVER);
	assert_true(overlay_node_stable(b.node));
	assert_int_equal(overlay_node_send_all(b.node, "hello-1", 7), 0);
	assert_int_equal(b.sent, 1);
	assert_true(overlay_address_equal(&b.message[0].to, &other));
	assert_int_equal(overlay_node_send(b.node, &from, "x", 1), 0);
	assert_true(overlay_address_equal(&b.message[1].to, &third));
	b.delivered = 0;
	hear_ol(&b, 2, &ol);
	ol.mode = OVERLAY_UNICAST;
	hear_ol(&b, 2, &ol);
	assert_int_equal(b.delivered, 2);
	ol.destination = overlay_logical_address(&other);
	hear_ol(&b, 2, &ol); /* for another */
	ol.mode = OVERLAY_MULTICAST;
	ol.source = overlay_logical_address(&self);
	hear_ol(&b, 2, &ol); /* in its own name */
	hear(&b, 2, OVERLAY_DT_HELLO, P(1, 1));
	assert_true(b.delivered == 2 && b.sent == 2);
	assert_true(counts(&b).looped == 1 && counts(&b).foreign == 1);
	close_node(&b);
}

/* One list for all nodes, and one that names a neighbour twice: a copy to each other node. */
TEST(listed_twice)
{
	const struct overlay_address list[] = {address(1), address(0), address(2), address(1)};
	struct overlay_plan plan = plan_of(OVERLAY_NONE, list);
	struct bench b;

	plan.contact_count = 4;
	open_plan(&b, &plan);
	assert_int_equal(neighbours(&b), 2);
	assert_int_equal(overlay_node_send_all(b.node, "x", 1), 0);
	assert_int_equal(b.sent, 2);
	assert_true(overlay_address_equal(&b.message[0].to, &list[0]));
	assert_true(overlay_address_equal(&b.message[1].to, &list[2]));
	close_node(&b);
}

#define MAX_MESSAGE 1100

static struct np_overlay_logical logical(struct overlay_point point)
{
	return overlay_logical_point(point);
}

/* A message that came in the long form without need is forwarded in the short one. */
TEST_AT(open_chain, the_short_form_is_enough)
{
	const struct np_overlay_logical west = logical(P(100, 500));
	struct overlay_ol ol = hello(OVERLAY_MULTICAST, west, west, (struct np_overlay_logical){0});
	struct overlay_ol sent;

	ol.long_width = 2;
	hear_ol(b, 1, &ol);
	assert_int_equal(b->sent, 1);
	assert_int_equal(overlay_ol_decode(b->message[0].data, b->message[0].bytes, &sent), 0);
	assert_int_equal(sent.long_width, 0);
}

/* Without hops left, a message ends here: delivered if it is for this node, else expired. */
TEST_AT(open_chain, hops_are_over)
{
	const struct np_overlay_logical west = logical(P(100, 500)), east = logical(P(900, 500));
	struct overlay_ol ol = hello(OVERLAY_UNICAST, west, west, east);

	ol.hop_limit = 1; /* the one that it came by */
	hear_ol(b, 1, &ol);
	assert_true(counts(b).expired == 1 && b->sent == 0 && b->delivered == 0);
	ol.destination = logical(SELF);
	hear_ol(b, 1, &ol);
	assert_true(counts(b).expired == 1 && b->sent == 0 && b->delivered == 1);
}

/* Whether a message with a full route and @bytes of data fits. */
static bool fits(const struct overlay_plan *plan, bool unicast, size_t bytes)
{
	static const uint8_t zeros[MAX_MESSAGE + 1];
	static uint8_t message[2 * MAX_MESSAGE];
	struct overlay_ol ol = hello(unicast ? OVERLAY_UNICAST : OVERLAY_MULTICAST, logical(SELF),
				     logical(SELF), logical(SELF));

	ol.extensions = 2;
	ol.extension[0] = (struct overlay_extension){OVERLAY_EXTENSION_DATA, 0, bytes, zeros};
	ol.extension[1] = (struct overlay_extension){
		OVERLAY_EXTENSION_ROUTE, 0, plan->route_records * OVERLAY_POINT_BYTES, zeros};
	return overlay_ol_encode(message, plan->message_max, &ol) > 0;
}

/* The most payload fits with a full route, and one byte more does not. */
TEST(the_most_payload)
{
	const struct overlay_port port = {NULL, take, deliver, tell};
	struct overlay_plan plan = plan_of(OVERLAY_DT_BROADCAST, NULL);

	for (plan.message_max = 512; plan.message_max < MAX_MESSAGE; plan.message_max += 7) {
		for (plan.route_records = 0; plan.route_records < 56; plan.route_records += 5) {
			struct overlay_node *node;

			assert_int_equal(overlay_node_create(&node, &plan, &port), 0);
			for (unsigned unicast = 0; unicast < 2; unicast++) {
				const size_t most = overlay_node_payload_max(node, unicast);

				assert_true(fits(&plan, unicast, most));
				assert_false(fits(&plan, unicast, most + 1));
			}
			overlay_node_free(node);
		}
	}
}
