// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Payloads at one node of an overlay: sent, forwarded, delivered, refused; at the limits. Scripts
 * are as in support/overlay_stage.h.
 */
#include "support/overlay_stage.h"

#include <errno.h>
#include <stdlib.h>

/* West and east of the node, a chain. */
#define CHAIN "1 HELLO 100,500; 2 HELLO 900,500; neighbours 2; quiet;"

TEST(plays)
{
	static const char *const scripts[] = {
		/* Onwards to the east, and the answer to the west. */
		CHAIN "answer yes; 1 all 50,500 by 100,500; "
		      "said 2 all 50,500 by 500,500 hops 253 route 500,500: hello; "
		      "said 1 one 500,500 by 500,500 to 50,500 hops 254 route 500,500: yes; "
		      "sent 2; delivered 1; answer;"
		      /* For another: only passed on; for this one; the port refuses. */
		      "1 one 50,500 by 100,500 to 2000,500; sent 1; delivered 1; "
		      "1 one 50,500 by 100,500; sent 0; delivered 2; got hello hops 253 one; "
		      "refuse EAGAIN; 1 one 50,500 by 100,500 to 2000,500; refused 1; sent 0; "
		      "refuse 0; received 4",
		/* Of the hops so far the newest go on, with this one; no hop of them gets the
		   message again. */
		CHAIN
		"1 all 50,500 by 100,500 route 50,500 60,500 70,500; "
		"said 2 all 50,500 by 500,500 hops 253 route 70,500 500,500; sent 1; "
		"1 all 50,500 by 100,500 route 50,500; "
		"said 2 all 50,500 by 500,500 hops 253 route 50,500 500,500; sent 1; "
		"1 all 50,500 by 100,500 route 50,500 60,500 70,500 500,500; looped 1; sent 0; "
		"delivered 2; 1 all 50,500 by 100,500 route 50,500 900,500; sent 0; delivered 3;"
		/* As many extensions as may be, and none for the hops: they go on as they are. */
		"1 all 50,500 by 100,500 extensions 4; "
		"said 2 all 50,500 by 500,500 hops 253: hello extensions 4; sent 1; delivered 4",
		/* Each of these is dropped and counted, and sends nothing; its own by another way;
		   back to the west. */
		CHAIN
		"3 all 50,500 by 100,500; forged 1; 2 all 50,500 by 900,500; "
		"2 all 50,500 by 901,500; not_from_parent 2; 1 flood 50,500 by 100,500; "
		"1 all 50,500 by 100,500 hops 0; expired 1; 1 all 50,500 by 100,500 route 500,500; "
		"looped 1; 1 all 500,500 by 100,500; looped 2; 1 all 50,500 by 100,500 empty; "
		"empty 1; 1 one 50,500 by 100,500 to 10,500; not_from_parent 3; sent 0; "
		"delivered 0;"
		/* The last hop delivers and goes no further; too great a limit counts as 255. */
		"1 all 50,500 by 100,500 hops 1; sent 0; delivered 1; "
		"1 all 50,500 by 100,500 hops 60000; got hello hops 254 all",
		/* Without hops left, a message ends here: delivered if it is for this node, else
		   expired. */
		CHAIN "1 one 100,500 to 900,500 hops 1; expired 1; sent 0; delivered 0; "
		      "1 one 100,500 hops 1; expired 1; sent 0; delivered 1",
		/* A message that came in the long form without need is forwarded in the short one.
		 */
		CHAIN "1 all 100,500 long 2; said 2 all 100,500 by 500,500 hops 253 route 500,500: "
		      "hello; sent 1",
		/* To all, to one, to itself; to nobody, of another protocol; without neighbours. */
		CHAIN "sendall all; sent 2; delivered 1; got all hops 254 own; send 2000,500 one; "
		      "sent 1; send 500,500 me; sent 0;"
		      "got me hops 254 own; send 0,0 x = EINVAL; send 1 x = EINVAL; payloads 3; "
		      "refuse ENOBUFS; sendall all = ENOBUFS; refuse 0;"
		      "1 GOODBYE 100,500; 2 GOODBYE 900,500; send 2000,500 one = EHOSTUNREACH",
	};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		play(OVERLAY_DT_BUDDIES, scripts[i]);
}

/* A message that this hop makes longer than message_max is not forwarded, and counted. */
TEST(too_long)
{
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);

	plan.message_max = 512;
	plan.route_records = 1;
	/* Beside the data: 35 bytes of header, 4 of DATA, 3 of ROUTE, 8 of a hop. */
	play_by(&plan, CHAIN "1 one 50,500 by 100,500 to 2000,500 size 462; sent 1; too_long 0;"
			     "1 one 50,500 by 100,500 to 2000,500 size 463; sent 0; too_long 1");
}

/*
 * A node at known coordinates in a chain; payloads go on while strangers do their worst: in a
 * neighbour's name, in its own, in nobody's, of one who does not belong here; of another overlay.
 */
TEST(hostile)
{
	static const char junk[] = "22002500206e6f206d657373616765206f662074686973206f7220616e79206"
				   "f74686572206f7665726c6179";
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);
	struct stage *s;

	plan.fixed = true;
	s = stage_open(&plan);
	stage_play(s, CHAIN "+2250; stable 1");
	for (unsigned turn = 0; turn < 500; turn++) {
		const unsigned far = 5000 + turn;

		stage_play(s,
			   "6 GOODBYE 100,500; 6 HELLO 900,500; 6 HELLO 500,500; 6 BEACON 500,500; "
			   "6 NOT_NEIGHBOUR %u,500 a 500,500@6 b 500,500@6; 6 HELLO 0,0; "
			   "6 HELLO %u,500; 6 I_AM_HERE %u,500 a %u,500@6 b %u,500@6; "
			   "6 all 50,500 by 100,500; 1 flood 50,500 by 100,500; 6 raw %.*s",
			   far, far, far, far, far, 2 * (int)(turn % (sizeof(junk) / 2)), junk);
		stage_play(s,
			   "1 HELLO 100,500; 2 HELLO 900,500; quiet; 1 all 50,500 by 100,500; "
			   "delivered %u; sent 1; +100",
			   turn + 1);
	}
	stage_play(s, "ADDRESS 0; NEIGHBOURHOOD 2; TWIN 1..6; neighbours 2");
}

/* NONE: to the configured neighbours and straight to addresses, forwarded by nobody. */
TEST(none)
{
	/* One list for all nodes, and one that names a neighbour twice: a copy to each other node.
	 */
	const struct overlay_address list[] = {station(1), station(0), station(2), station(1)};
	const struct overlay_address other = station(3);
	const struct np_overlay_logical third = overlay_logical_address(&other);
	struct overlay_plan plan = stage_plan(OVERLAY_NONE);
	struct stage *s;

	plan.contacts = list;
	plan.contact_count = 4;
	s = stage_open(&plan);
	stage_play(s, "due never; stable 1; neighbours 2; sendall hello-1; said 1 all; said 2 all; "
		      "sent 2; delivered 1");
	assert_int_equal(np_overlay_send(stage_node(s), &third, "x", 1), 0);
	stage_play(s,
		   "said 3 one 10.0.0.1:9000 by 10.0.0.1:9000 to 10.0.0.4:9000; sent 1; 3 all @3; "
		   "3 one @3; delivered 3; 3 one @3 to @1; 3 all @0; 2 HELLO 1,1; delivered 3; "
		   "sent 0; looped 1; foreign 1");
}

static int take_any(struct overlay_substrate *s, const struct overlay_address *to,
		    const void *message, size_t bytes, enum overlay_class class)
{
	size_t *most = s->context;

	(void)class;

	(void)to;
	(void)message;
	*most = bytes > *most ? bytes : *most;
	return 0;
}

static const struct overlay_substrate_face any_face = {.send = take_any};
static const struct np_overlay_listener nobody;

/*
 * The greatest payload is sent and leaves room for just the hops to come, and perhaps for what says
 * that the message is long; one byte more is not.
 */
TEST(greatest)
{
	static const size_t sizes[] = {512, 1400, 8192, 100000, 20000000};
	const struct np_overlay_logical east = overlay_logical_point(P(2000, 500));
	const struct overlay_dt hello = {.rendezvous = 2, .hash = HASH, .source = P(900, 500)};
	const struct overlay_address from = station(2);
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BUDDIES);
	uint8_t *data = calloc(1, 20000000), dt[OVERLAY_DT_MAX];
	size_t most;
	struct overlay_substrate substrate = {.face = &any_face, .context = &most};

	assert_non_null(data);
	/* Some sizes, each at which the long form begins, and where the hops to come take all the
	 * room. */
	for (unsigned i = 0; i <= 2 * (5 + 400); i++) {
		const bool none = i == 2 * (5 + 400);
		const size_t size = none ? 512 : i / 2 < 5 ? sizes[i / 2] : 65400 + i / 2;
		const unsigned records = none ? 255 : i % 2 ? 20 : 0;
		struct np_overlay *node;
		size_t payload;

		plan.message_max = size;
		plan.route_records = records;
		assert_int_equal(overlay_node_create(&node, &plan, &substrate, &nobody), 0);
		np_overlay_join(node, START);
		overlay_node_receive(node, &from, dt, overlay_dt_encode(dt, &hello), START);
		most = 0;
		payload = overlay_node_payload_max(node, true);
		if (none) {
			assert_int_equal(payload, 0);
		} else {
			assert_int_equal(np_overlay_send(node, &east, data, payload), 0);
			assert_in_range(most + (records ? 19 * 8 : 0), size - 10, size);
		}
		assert_int_equal(np_overlay_send(node, &east, data, payload + 1), -EMSGSIZE);
		if (i / 2 < 5)
			assert_int_equal(overlay_node_payload_max(node, false), payload + 8);
		overlay_node_free(node);
	}
	free(data);
}

#define MAX_MESSAGE 1100

/* Whether a message with a full route and @bytes of data fits. */
static bool fits(const struct overlay_plan *plan, bool unicast, size_t bytes)
{
	static const uint8_t zeros[MAX_MESSAGE + 1];
	static uint8_t message[2 * MAX_MESSAGE];
	const struct np_overlay_logical self = overlay_logical_point(SELF);
	const struct overlay_ol ol = {
		.mode = unicast ? OVERLAY_UNICAST : OVERLAY_MULTICAST,
		.source = self,
		.previous = self,
		.destination = self,
		.extensions = 2,
		.extension = {{OVERLAY_EXTENSION_DATA, 0, bytes, zeros},
			      {OVERLAY_EXTENSION_ROUTE, 0,
			       plan->route_records * OVERLAY_POINT_BYTES, zeros}},
	};

	return overlay_ol_encode(message, plan->message_max, &ol) > 0;
}

/* The most payload fits with a full route, and one byte more does not. */
TEST(the_most_payload)
{
	struct overlay_substrate substrate = {.face = &any_face};
	struct overlay_plan plan = stage_plan(OVERLAY_DT_BROADCAST);

	for (plan.message_max = 512; plan.message_max < MAX_MESSAGE; plan.message_max += 7) {
		for (plan.route_records = 0; plan.route_records < 56; plan.route_records += 5) {
			struct np_overlay *node;

			assert_int_equal(overlay_node_create(&node, &plan, &substrate, &nobody), 0);
			for (unsigned unicast = 0; unicast < 2; unicast++) {
				const size_t most = overlay_node_payload_max(node, unicast);

				assert_true(fits(&plan, unicast, most));
				assert_false(fits(&plan, unicast, most + 1));
			}
			overlay_node_free(node);
		}
	}
}
