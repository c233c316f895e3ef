// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* How a node of an overlay forwards at the limits: of hops, of lengths, of what fits a message. */
#include "overlay_bench.h"

#define MAX_MESSAGE 1100

static struct np_overlay_logical logical(struct overlay_point point)
{
	return overlay_logical_point(point);
}

/* A message that came in the long form without need is forwarded in the short one. */
static void the_short_form_is_enough(void **state)
{
	const struct np_overlay_logical west = logical(P(100, 500));
	struct overlay_ol ol = hello(OVERLAY_MULTICAST, west, west, (struct np_overlay_logical){0});
	struct overlay_ol sent;
	struct bench b;

	(void)state;
	open_chain(&b);
	ol.long_width = 2;
	hear_ol(&b, 1, &ol);
	assert_int_equal(b.sent, 1);
	assert_int_equal(overlay_ol_decode(b.message[0].data, b.message[0].bytes, &sent), 0);
	assert_int_equal(sent.long_width, 0);
	close_node(&b);
}

/* Without hops left, a message ends here: delivered if it is for this node, else expired. */
static void hops_are_over(void **state)
{
	const struct np_overlay_logical west = logical(P(100, 500)), east = logical(P(900, 500));
	struct overlay_ol ol = hello(OVERLAY_UNICAST, west, west, east);
	struct bench b;

	(void)state;
	open_chain(&b);
	ol.hop_limit = 1; /* the one that it came by */
	hear_ol(&b, 1, &ol);
	assert_true(counts(&b).expired == 1 && b.sent == 0 && b.delivered == 0);
	ol.destination = logical(SELF);
	hear_ol(&b, 1, &ol);
	assert_true(counts(&b).expired == 1 && b.sent == 0 && b.delivered == 1);
	close_node(&b);
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
static void the_most_payload(void **state)
{
	const struct overlay_port port = {NULL, take, deliver, tell};
	struct overlay_plan plan = plan_of(NP_OVERLAY_DT_BROADCAST, NULL);

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_short_form_is_enough),
		cmocka_unit_test(hops_are_over),
		cmocka_unit_test(the_most_payload),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
