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

/* The search goes on where it stopped, whatever is removed meanwhile. */
TEST_WITH(create, destroy, victims_in_turn)
{
	struct flows *flows = *state;
	struct flow *flow[4];

	assert_null(flows_victim(flows));
	flow[0] = add(flows, 0);
	flow[0]->touched = true;
	/* Its activity counts once. */
	assert_ptr_equal(flows_victim(flows), flow[0]);
	for (unsigned i = 1; i < 4; i++)
		flow[i] = add(flows, i);
	assert_ptr_equal(flows_victim(flows), flow[0]);
	flows_remove(flows, flow[3]);
	assert_ptr_equal(flows_victim(flows), flow[1]);
	/* The next one is removed before its turn. */
	flows_remove(flows, flow[2]);
	assert_ptr_equal(flows_victim(flows), flow[0]);
	flow[0]->proven = flow[1]->proven = true;
	assert_null(flows_victim(flows));
	flow[1]->reported = true;
	assert_ptr_equal(flows_victim(flows), flow[1]);
}
