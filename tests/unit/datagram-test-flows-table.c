// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* The table of a listener's flows: what it finds, displaces, forgets and remembers. */
#include "../../src/datagram-test/flow.h"
#include "support/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define START (1000 * NP_SECOND)
#define RUN   0x1234u

static int create(void **state)
{
	struct flows *flows;

	assert_int_equal(flows_create(&flows, 42, START), 0);
	*state = flows;
	return 0;
}

static int destroy(void **state)
{
	flows_free(*state);
	flows_free(NULL);
	return 0;
}

static struct np_address source(unsigned index)
{
	const struct sockaddr_in in = {.sin_family = AF_INET,
				       .sin_port = htons(40000),
				       .sin_addr.s_addr = htonl(0x0a4d0000 + index)};
	struct np_address made = {.length = sizeof(in)};

	memcpy(&made.storage, &in, sizeof(in));
	return made;
}

/* @run 0: foreign. Without a packet counted. */
static struct flow *add_at(struct flows *flows, unsigned index, uint32_t run, uint32_t port,
			   np_time now)
{
	const struct wire_packet head = {.return_port = port, .ack = WIRE_NO_ACK, .number = 1};
	const struct wire_trailer trailer = {.run = run};
	const struct np_address from = source(index);

	return flows_add(flows, &from, &head, run ? &trailer : NULL, now);
}

static struct flow *add(struct flows *flows, unsigned index)
{
	return add_at(flows, index, RUN, 9999, START);
}

/* Even where many share a place of the table. */
TEST_WITH(create, destroy, a_full_table_finds_each)
{
	struct flows *flows = *state;

	for (unsigned i = 0; i < FLOWS_MAX; i++)
		assert_non_null(add(flows, i));
	assert_true(flows_full(flows));
	for (unsigned i = 0; i < FLOWS_MAX; i++) {
		const struct np_address from = source(i);
		struct np_address printed = from;
		struct flow *flow = flows_find(flows, &from, RUN);

		np_address_set_port(&printed, 9999);
		assert_non_null(flow);
		assert_ptr_equal(flows_printed(flows, &printed, NULL), flow);
		assert_null(flows_printed(flows, &printed, flow));
	}
}

/* The highest port is one; what is higher is none, so that the source's stays. */
TEST_WITH(create, destroy, the_highest_return_port)
{
	struct flows *flows = *state;
	struct np_address printed = source(1);
	const struct flow *flow = add_at(flows, 1, RUN, UINT16_MAX, START);

	np_address_set_port(&printed, UINT16_MAX);
	assert_ptr_equal(flows_printed(flows, &printed, NULL), flow);
	printed = source(2);
	flow = add_at(flows, 2, RUN, UINT16_MAX + 1, START);
	assert_ptr_equal(flows_printed(flows, &printed, NULL), flow);
}

/* A flow starts when it is added; one that becomes ours starts over. */
TEST_WITH(create, destroy, flows_begin_when_they_are_added)
{
	struct flows *flows = *state;
	const struct wire_packet head = {.return_port = 9999, .ack = WIRE_NO_ACK, .number = 1};
	struct flow *flow = add_at(flows, 1, 0, 9999, START);

	assert_true(flow->begun == START && flow->heard == START && !flow->ours);
	flow_count(flow, &head, NULL, 3, 100, START + 1);
	assert_ptr_equal(add_at(flows, 1, RUN, 9999, START + 5), flow);
	assert_true(flow->begun == START + 5 && flow->heard == START + 5 && flow->ours);
	assert_int_equal(flow->packets, 0);
}

/* A run is departed when its flow had ended, not when it was displaced. */
TEST_WITH(create, destroy, the_displaced_may_come_back)
{
	struct flows *flows = *state;
	const struct np_address from = source(1);

	flows_remove(flows, add(flows, 1));
	assert_false(flows_departed(flows, &from, RUN));
	flow_end(add(flows, 1), 0, 0, START);
	flows_remove(flows, flows_find(flows, &from, RUN));
	assert_true(flows_departed(flows, &from, RUN));
	assert_null(flows_find(flows, &from, RUN));
}

/* The one silent longest goes first, unless it is proven and not reported yet. */
TEST_WITH(create, destroy, the_longest_silent_is_displaced)
{
	struct flows *flows = *state;
	struct flow *flow[4];

	assert_null(flows_victim(flows));
	for (unsigned i = 0; i < 4; i++)
		flow[i] = add_at(flows, i, RUN, 9999, START + 10 - (i == 2) - (i == 1) * 2);
	assert_ptr_equal(flows_victim(flows), flow[1]);
	flow[1]->proven = true;
	assert_ptr_equal(flows_victim(flows), flow[2]);
	flows_remove(flows, flow[2]);
	flow[0]->proven = flow[3]->proven = true;
	assert_null(flows_victim(flows));
	flow[3]->reported = true;
	assert_ptr_equal(flows_victim(flows), flow[3]);
}

/* In a flood of forged sources, too, each newcomer of which takes the place of another. */
TEST_WITH(create, destroy, who_falls_silent_goes_in_a_flood)
{
	struct flows *flows = *state;
	const struct np_address silent = source(0), active = source(1);
	const struct wire_packet head = {.return_port = 9999, .ack = WIRE_NO_ACK, .number = 2};
	const struct wire_trailer trailer = {.run = RUN};
	unsigned i;

	for (i = 0; i < FLOWS_MAX; i++)
		add(flows, i);
	flow_count(flows_find(flows, &silent, RUN), &head, &trailer, 1, 100, START + FLOWS_MAX);
	for (; i < 4 * FLOWS_MAX; i++) {
		flow_count(flows_find(flows, &active, RUN), &head, &trailer, 1, 100, START + i);
		flows_remove(flows, flows_victim(flows));
		assert_non_null(add_at(flows, i, RUN, 9999, START + i));
	}
	assert_non_null(flows_find(flows, &active, RUN));
	assert_null(flows_find(flows, &silent, RUN));
}

/* Which would be the longest silent is not asked of all; whichever are removed meanwhile. */
TEST_WITH(create, destroy, few_are_looked_at)
{
	struct flows *flows = *state;
	struct flow *flow[FLOWS_LOOKED_AT + 3];
	const unsigned last = FLOWS_LOOKED_AT + 2;

	for (unsigned i = 0; i <= last; i++)
		flow[i] = add_at(flows, i, RUN, 9999, START - i);
	assert_ptr_equal(flows_victim(flows), flow[FLOWS_LOOKED_AT - 1]);
	/* The next one to be looked at is not there any more. */
	flows_remove(flows, flow[FLOWS_LOOKED_AT]);
	assert_ptr_equal(flows_victim(flows), flow[last]);
	for (unsigned i = 0; i < last; i++) {
		if (i != FLOWS_LOOKED_AT)
			flow[i]->proven = true;
	}
	assert_ptr_equal(flows_victim(flows), flow[last]);
}
