// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* relay-delay_queue: held ones wait for their own flow; all else is in tests/net/relay-truth. */

#include "support/unit.h"
#include "tests/relay/delay_queue.h"

static struct delay_queue *queue;
static struct flow flow, other;

static void hold(uint64_t position, unsigned by)
{
	uint8_t byte = (uint8_t)position;
	struct item item = {
		.frame = {.data = &byte, .length = 1}, .flow = &flow, .position = position};

	assert_true(delay_queue_hold(queue, &item, by, 1000));
}

/* The position of the next one that may go, whose frame must still be its own; 0: none may. */
static uint64_t next_held(void)
{
	struct item item;

	if (!delay_queue_take_held(queue, 0, &item))
		return 0;
	assert_int_equal(item.frame.data[0], item.position);
	delay_queue_give_back(queue, item.slot);
	return item.position;
}

TEST(held_ones_wait_for_later_ones_of_their_flow)
{
	assert_int_equal(delay_queue_create(&queue, 4, 64), 0);
	hold(5, 2);
	hold(6, 1);
	assert_int_equal(next_held(), 0);
	delay_queue_passed(queue, &other, 7);
	delay_queue_passed(queue, &flow, 4);
	assert_int_equal(next_held(), 0);
	delay_queue_passed(queue, &flow, 7);
	assert_int_equal(next_held(), 6);
	assert_int_equal(next_held(), 0);
	delay_queue_passed(queue, &flow, 6);
	assert_int_equal(next_held(), 5);
	assert_true(delay_queue_next(queue) == NP_TIME_NEVER);
	delay_queue_free(queue);
}
