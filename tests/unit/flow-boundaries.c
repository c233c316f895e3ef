// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* What a flow counts at its boundaries: at a mark, at the announced limit, at its end. */
#include "support/unit.h"

#include <netperf/flow.h>

#define BYTES 100u
#define BEGIN NP_SECOND

static int create(void **state)
{
	struct np_flow *flow;

	assert_int_equal(np_flow_create(&flow, 1024), 0);
	*state = flow;
	return 0;
}

static int destroy(void **state)
{
	np_flow_free(*state);
	return 0;
}

static struct np_flow *start(void **state, const struct np_flow_plan *plan)
{
	assert_int_equal(np_flow_start(*state, plan), 0);
	return *state;
}

static uint64_t add(struct np_flow *flow, uint64_t first, uint64_t count)
{
	return np_flow_add(flow, first, count, BYTES, BEGIN, BEGIN + (np_time)first);
}

static void assert_now(const struct np_flow *flow, uint64_t received)
{
	struct np_flow_counts now;

	np_flow_now(flow, &now);
	assert_int_equal(now.received, received);
	assert_int_equal(now.bytes, received * BYTES);
}

/* A message from before the mark corrects the life alone, in order or not: its bytes, too. */
TEST_WITH(create, destroy, a_mark_beyond_what_arrived)
{
	struct np_flow *flow = start(state, &(struct np_flow_plan){.first = 1});

	assert_int_equal(add(flow, 1, 10), 10);
	assert_true(np_flow_end(flow, 21, 0));
	np_flow_mark(flow, BEGIN + 100);
	assert_int_equal(add(flow, 11, 1), 1);
	assert_int_equal(add(flow, 12, 2), 2);
	assert_int_equal(add(flow, 16, 1), 1);
	assert_int_equal(add(flow, 15, 1), 1);
	assert_now(flow, 0);
}

/* All numbers are above a mark that was set before the first arrived, even number 0. */
TEST_WITH(create, destroy, a_mark_before_all)
{
	struct np_flow *flow = start(state, &(struct np_flow_plan){.late = true});

	np_flow_mark(flow, BEGIN);
	assert_int_equal(add(flow, 1, 1), 1);
	assert_int_equal(add(flow, 0, 1), 1);
	assert_now(flow, 2);
}

/* Of messages that arrive together, those beyond the limit are stray. */
TEST_WITH(create, destroy, a_run_across_the_limit)
{
	struct np_flow *flow = start(state, &(struct np_flow_plan){.first = 1, .announced = 10});
	struct np_flow_counts life;

	assert_int_equal(add(flow, 1, 4), 4);
	assert_int_equal(add(flow, 5, 9), 6);
	np_flow_life(flow, &life);
	assert_true(life.sent == 10 && life.received == 10 && life.stray == 3);
}

/* What never left the sender is not waited for, be it less or more than what arrived. */
TEST_WITH(create, destroy, complete_without_the_unsent)
{
	struct np_flow *flow = start(state, &(struct np_flow_plan){.first = 1});

	assert_int_equal(add(flow, 1, 9), 9);
	assert_true(np_flow_end(flow, 13, 2));
	assert_false(np_flow_complete(flow));
	assert_int_equal(add(flow, 10, 1), 1);
	assert_true(np_flow_complete(flow));
	assert_true(np_flow_end(flow, 13, 1));
	assert_false(np_flow_complete(flow));
}

/* What its sender numbered before the first that arrived is not lost, whatever its end says. */
TEST_WITH(create, destroy, a_late_flow_that_ends_too_low)
{
	struct np_flow *flow = start(state, &(struct np_flow_plan){.first = 1, .late = true});
	struct np_flow_counts life;

	assert_int_equal(add(flow, 101, 1), 1);
	assert_int_equal(add(flow, 110, 1), 1);
	assert_true(np_flow_end(flow, 105, 0));
	np_flow_life(flow, &life);
	assert_true(life.received == 2 && life.lost == 2 && !life.sent_known);
}
