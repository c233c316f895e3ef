// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-exchange: whole runs against a simulated disk: what is requested, what is sent
 * again, how a run ends, and that each packet is counted once. The clock is simulated, too.
 */
#include "support/aoe_disk.h"
#include "support/unit.h"

#include <errno.h>
#include <string.h>

TEST_WITH(set, strike, all_are_answered)
{
	struct scene *s = *state;
	const struct tally *t;

	s->plan.packet_count = 250;
	s->link.dropped = 3;
	t = run(s, ENDING_DONE);
	assert_int_equal(t->sent, 250);
	assert_int_equal(t->received, 250);
	assert_int_equal(t->given_up + t->retransmitted + t->refused, 0);
	assert_int_equal(s->link.most, WINDOW);
	for (unsigned i = 0; i < 250; i++)
		assert_int_equal(s->link.lba[i], i % 100 * SECTORS);
	assert_int_equal(s->result->passes, 2);
	assert_int_equal(np_histogram_count(s->result->rtt), 250);
	assert_int_equal(np_histogram_count(s->result->paced), 0);
	assert_int_equal(s->result->dropped, 0);
	assert_int_equal(s->intervals, 0);
}

/* Each place once in a pass; the same seed gives the same order, no seed another one each time. */
TEST_WITH(set, strike, random_orders)
{
	struct scene *s = *state;
	uint64_t first[100];
	unsigned seen[100] = {0};

	s->options.data.random = true;
	s->options.data.seed = 7;
	run(s, ENDING_DONE);
	memcpy(first, s->link.lba, sizeof(first));
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(seen[first[i] / SECTORS]++, 0);
	for (unsigned seed = 7; seed <= 8; seed++) {
		result_free(s->result);
		assert_int_equal(result_create(&s->result), 0);
		s->rests = s->link.sent = 0;
		s->length = 0;
		s->options.data.seed = seed % 8;
		run(s, ENDING_DONE);
		assert_int_equal(!memcmp(first, s->link.lba, sizeof(first)), seed == 7);
	}
}

/* No two requests are in flight on one place: the third waits for the answer to the first. */
TEST_WITH(set, strike, a_region_that_is_smaller_than_the_window)
{
	struct scene *s = *state;

	s->options.data.size_bytes = (uint64_t)2 * SECTORS * NP_AOE_SECTOR_BYTES;
	run(s, ENDING_DONE);
	assert_int_equal(s->link.most, 2);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(s->link.lba[i], i % 2 * SECTORS);
}

/* Those that are lost together are sent again in the order in which they were sent. */
TEST_WITH(set, strike, repeats_keep_their_order)
{
	struct scene *s = *state;

	s->options.traffic.give_up = 60 * NP_SECOND;
	s->options.traffic.retransmit = 1;
	s->plan.packet_count = WINDOW;
	s->link.every = 1;
	assert_int_equal(run(s, ENDING_DONE)->received, WINDOW);
	for (unsigned i = 0; i < 2 * WINDOW; i++)
		assert_int_equal(s->link.lba[i], i % WINDOW * SECTORS);
}

/* Repeats that this host's queue did not take by then are given up. */
TEST_WITH(set, strike, repeats_that_were_not_sent)
{
	struct scene *s = *state;
	const struct tally *t;

	s->options.traffic.give_up = 60 * NP_SECOND;
	s->options.traffic.retransmit = 9;
	s->plan.packet_count = WINDOW;
	s->plan.duration = 60 * MS;
	s->link.every = 1;
	s->link.full = WINDOW;
	t = run(s, ENDING_TARGET_DEAD);
	assert_int_equal(t->sent, WINDOW);
	assert_int_equal(t->given_up, WINDOW);
}

TEST_WITH(set, strike, lost_again_they_are_given_up)
{
	struct scene *s = *state;
	const struct tally *t;

	s->options.traffic.give_up = 60 * NP_SECOND;
	s->options.traffic.retransmit = 1;
	s->link.every = 5;
	s->link.again = true;
	t = run(s, ENDING_DONE);
	assert_int_equal(t->sent, 120);
	assert_int_equal(t->lost, 40);
	assert_int_equal(t->given_up, 20);
	assert_int_equal(t->received, 80);
}

/* It stopped answering: the run ends, and what it was asked last is lost or outstanding. */
TEST_WITH(set, strike, a_target_that_dies)
{
	struct scene *s = *state;
	const struct tally *t;

	s->plan.packet_count = 1000;
	s->link.limit = 50;
	t = run(s, ENDING_TARGET_DEAD);
	assert_int_equal(t->received, 50);
	assert_in_range(t->sent, 50 + WINDOW, 999);
	assert_int_equal(t->outstanding, WINDOW);
	assert_int_equal(t->given_up, t->lost);
	assert_true(s->result->elapsed >= 100 * MS);
}

/* What a full queue leaves over goes next, with the tag of its turn. */
TEST_WITH(set, strike, a_host_that_takes_one_at_a_time)
{
	struct scene *s = *state;
	const struct tally *t;

	s->link.takes = 1;
	t = run(s, ENDING_DONE);
	assert_true(t->refused > 0);
	assert_int_equal(t->received, 100);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(s->link.lba[i], i * SECTORS);
}

TEST_WITH(set, strike, a_link_that_breaks)
{
	struct scene *s = *state;

	s->link.breaks = -ENETDOWN;
	assert_int_equal(exchange_run(&s->channel, &s->plan, s->result), -ENETDOWN);
	s->rests = 0;
	s->length = 0;
	s->link.limit = 10;
	assert_in_range(run(s, ENDING_LINK_LOST)->sent, 10, 10 + WINDOW);
	assert_int_equal(s->result->link_error, -ENETDOWN);
}

/* What this host's queue left over was never sent, and is not given up. */
TEST_WITH(set, strike, a_stop_with_a_full_queue)
{
	struct scene *s = *state;

	s->options.traffic.rate_packets_per_s = 0;
	s->plan.packet_count = UINT64_MAX;
	s->plan.duration = 5 * MS;
	s->link.takes = 1;
	assert_int_equal(run(s, ENDING_DONE)->given_up, 0);
}
