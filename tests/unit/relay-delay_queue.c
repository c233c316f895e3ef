// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* relay-delay_queue: held ones wait for others of their flow, delayed ones for their moment. */
#include <stdint.h>

#include "support/unit.h"
#include "tests/relay/delay_queue.h"

#define SLOTS 4
#define LIMIT 1000

struct bench {
	struct delay_queue *delay_queue;
	struct flow *flow;
	uint8_t byte;
};

static struct item item_at(struct bench *bench, uint64_t position)
{
	bench->byte = (uint8_t)position;
	return (struct item){
		.frame = {.data = &bench->byte, .length = 1},
		.flow = bench->flow,
		.position = position,
	};
}

static bool hold(struct bench *bench, uint64_t position, unsigned by)
{
	struct item item = item_at(bench, position);

	return delay_queue_hold(bench->delay_queue, &item, by, LIMIT);
}

static bool delay(struct bench *bench, uint64_t position, np_time due)
{
	struct item item = item_at(bench, position);

	return delay_queue_delay(bench->delay_queue, &item, due);
}

/* The position of the next held one that may go at @now, whose frame must still be its own; or 0.
 */
static uint64_t next_held(struct bench *bench, np_time now)
{
	struct item item;

	if (!delay_queue_take_held(bench->delay_queue, now, &item))
		return 0;
	assert_int_equal(item.frame.data[0], item.position);
	delay_queue_give_back(bench->delay_queue, item.slot);
	return item.position;
}

static uint64_t next_due(struct bench *bench, np_time now)
{
	struct item item;

	if (!delay_queue_take_due(bench->delay_queue, now, &item))
		return 0;
	assert_int_equal(item.frame.data[0], item.position);
	delay_queue_give_back(bench->delay_queue, item.slot);
	return item.position;
}

static struct bench make(struct flow *flow)
{
	struct bench bench = {.flow = flow};

	assert_int_equal(delay_queue_create(&bench.delay_queue, SLOTS, 64), 0);
	return bench;
}

TEST(held_ones_wait_for_later_ones_of_their_flow)
{
	static struct flow flow, other;
	struct bench bench = make(&flow);

	assert_true(hold(&bench, 5, 2));
	assert_true(hold(&bench, 6, 1));
	assert_int_equal(next_held(&bench, 0), 0);
	delay_queue_passed(bench.delay_queue, &other, 7);
	delay_queue_passed(bench.delay_queue, &flow, 4);
	assert_int_equal(next_held(&bench, 0), 0);
	delay_queue_passed(bench.delay_queue, &flow, 7);
	assert_int_equal(next_held(&bench, 0), 6);
	assert_int_equal(next_held(&bench, 0), 0);
	delay_queue_passed(bench.delay_queue, &flow, 6);
	assert_int_equal(next_held(&bench, 0), 5);
	assert_true(delay_queue_next(bench.delay_queue) == NP_TIME_NEVER);
	delay_queue_free(bench.delay_queue);
}

TEST(held_ones_go_at_their_limit)
{
	static struct flow flow;
	struct bench bench = make(&flow);

	assert_true(hold(&bench, 1, 9));
	assert_int_equal(delay_queue_next(bench.delay_queue), LIMIT);
	assert_int_equal(next_held(&bench, LIMIT - 1), 0);
	assert_int_equal(next_held(&bench, LIMIT), 1);
	delay_queue_free(bench.delay_queue);
}

TEST(delayed_ones_go_in_order_of_their_moment)
{
	static struct flow flow;
	struct bench bench = make(&flow);

	assert_true(delay(&bench, 1, 30));
	assert_true(delay(&bench, 2, 10));
	assert_true(delay(&bench, 3, 30));
	assert_true(delay(&bench, 4, 20));
	assert_int_equal(delay_queue_next(bench.delay_queue), 10);
	assert_int_equal(next_due(&bench, 9), 0);
	assert_int_equal(next_due(&bench, 25), 2);
	assert_int_equal(next_due(&bench, 25), 4);
	assert_int_equal(next_due(&bench, 25), 0);
	assert_int_equal(next_due(&bench, 30), 1);
	assert_int_equal(next_due(&bench, 30), 3);
	delay_queue_free(bench.delay_queue);
}

TEST(a_full_queue_takes_no_more)
{
	static struct flow flow;
	struct bench bench = make(&flow);
	struct item item;
	unsigned left = 0;

	for (unsigned i = 1; i <= SLOTS; i++)
		assert_true(i % 2 ? hold(&bench, i, 1) : delay(&bench, i, 5));
	assert_false(hold(&bench, 9, 1));
	assert_false(delay(&bench, 9, 5));
	/* What lies there already needs no other place. */
	delay_queue_passed(bench.delay_queue, &flow, 2);
	assert_true(delay_queue_take_held(bench.delay_queue, 0, &item));
	assert_true(delay_queue_delay(bench.delay_queue, &item, 6));
	while (delay_queue_take_left(bench.delay_queue, &item)) {
		delay_queue_give_back(bench.delay_queue, item.slot);
		left++;
	}
	assert_int_equal(left, SLOTS);
	assert_true(hold(&bench, 9, 1));
	delay_queue_free(bench.delay_queue);
	delay_queue_free(NULL);
}
