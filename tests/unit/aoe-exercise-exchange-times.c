// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-exchange-times: when whole runs against a simulated disk act and end, to the
 * microseconds that the simulated clock takes to be read.
 */
#include "support/aoe_disk.h"
#include "support/unit.h"

#include <errno.h>

/* The most that the clock goes on by being read between two waits. */
#define READ MS

static np_time begun;

static int begin(void **state)
{
	int rc = set(state);

	begun = made_clock;
	return rc;
}

/* Expects that @time has passed since the test began. */
static void expect_passed(np_time time)
{
	assert_in_range(made_clock - begun, time, time + READ);
}

/* The same of what is looked for every 10 ms. */
static void expect_seen(np_time time)
{
	assert_in_range(made_clock - begun, time, time + 10 * MS + READ);
}

static void die(struct np_link *link)
{
	link->every = 1;
	link->again = true;
}

/* Silent for as long as --give-up, whatever is in flight, it is dead. */
TEST_WITH(begin, strike, a_dead_target_is_given_up_in_time)
{
	struct scene *s = *state;

	s->options.traffic.timeout = 100 * MS;
	s->options.traffic.give_up = 130 * MS;
	s->link.every = 1;
	s->plan.packet_count = 1000;
	assert_int_equal(run(s, ENDING_TARGET_DEAD)->sent, 2 * WINDOW);
	expect_passed(130 * MS);
	assert_in_range(s->result->elapsed, 130 * MS, 131 * MS);
}

/* That needs a packet which is lost: a slow target is not a dead one. */
TEST_WITH(begin, strike, a_target_is_not_dead_before_a_packet_is_lost)
{
	struct scene *s = *state;

	s->options.traffic.timeout = 200 * MS;
	s->options.traffic.give_up = 50 * MS;
	s->link.every = 1;
	assert_int_equal(run(s, ENDING_TARGET_DEAD)->lost, WINDOW);
	expect_passed(200 * MS);
}

/* The silence of a target counts from its latest answer, and the pauses of the pacer do not. */
TEST_WITH(begin, strike, pauses_are_no_silence)
{
	struct scene *s = *state;

	s->options.traffic.rate_packets_per_s = 10;
	s->options.traffic.give_up = 50 * MS;
	s->plan.packet_count = 8;
	s->link.limit = 4;
	s->link.happens = die;
	/* Each waits 20 ms for its answer: the third does not get as many. */
	assert_int_equal(run(s, ENDING_TARGET_DEAD)->sent, 7);
	expect_passed(610 * MS);
}

TEST_WITH(begin, strike, a_host_that_sends_nothing_is_given_up_in_time)
{
	struct scene *s = *state;

	s->link.refuses = true;
	run(s, ENDING_HOST_REFUSES);
	expect_seen(100 * MS);
	/* It tries again after 200 us. */
	assert_in_range(s->link.waits, 480, 500);
	assert_in_range(s->result->elapsed, 100 * MS, 111 * MS);
}

TEST_WITH(begin, strike, a_duration_ends_a_slow_run_in_time)
{
	struct scene *s = *state;

	s->options.traffic.rate_packets_per_s = 2;
	s->plan.duration = 50 * MS;
	assert_int_equal(run(s, ENDING_DONE)->received, 1);
	expect_passed(50 * MS);
	/* It sleeps meanwhile. */
	assert_in_range(s->link.waits, 1, 5);
	assert_in_range(s->link.receives, 2, 10);
}

TEST_WITH(begin, strike, paced_packets_take_their_intervals)
{
	struct scene *s = *state;

	s->options.traffic.rate_packets_per_s = 500;
	s->plan.packet_count = 20;
	run(s, ENDING_DONE);
	assert_in_range(s->result->elapsed, 40 * MS, 40 * MS + 100 * NP_MICROSECOND);
	expect_passed(38 * MS);
	assert_int_equal(np_histogram_count(s->result->paced), 20);
	/* No time is spent but on a packet and its answer. */
	assert_in_range(s->link.receives, 40, 80);
}

/* Without a pace the time ends with the last answer. */
TEST_WITH(begin, strike, the_wait_for_late_answers_is_not_part_of_the_time)
{
	struct scene *s = *state;

	s->options.traffic.timeout = 50 * MS;
	s->options.traffic.give_up = NP_SECOND;
	s->link.limit = 99; /* the last one is lost */
	assert_int_equal(run(s, ENDING_DONE)->lost, 1);
	assert_in_range(s->result->elapsed, 100, MS);
	assert_int_equal(s->length, s->result->elapsed);
	/* Its time-out, and another one for late answers. */
	expect_passed(100 * MS);
}

static void deliver_after_70_ms(struct np_link *link)
{
	if (made_clock - begun >= 50 * MS && link->keeps) {
		made_clock = begun + 70 * MS;
		release(link);
	}
}

/* Later than the time-out, but no more than twice as late, an answer is late and not lost. */
TEST_WITH(begin, strike, an_answer_may_come_late)
{
	struct scene *s = *state;
	const struct tally *t;

	s->options.traffic.timeout = 50 * MS;
	s->options.traffic.give_up = NP_SECOND;
	s->plan.packet_count = WINDOW;
	s->link.keeps = s->link.keeps_all = true;
	s->link.waiting = deliver_after_70_ms;
	t = run(s, ENDING_DONE);
	assert_int_equal(t->late, WINDOW);
	assert_int_equal(t->lost, 0);
	assert_int_equal(t->given_up, WINDOW);
	expect_passed(70 * MS);
}

/* A launcher kills its ranks soon after it has asked them to end. */
TEST_WITH(begin, strike, a_rank_of_a_mesh_leaves_at_once)
{
	struct scene *s = *state;
	const struct tally *t;

	s->options.mesh.mesh = true;
	s->options.traffic.timeout = 10 * NP_SECOND;
	s->plan.packet_count = 1000;
	s->link.keeps = s->link.keeps_all = true;
	s->link.limit = WINDOW;
	s->link.raises = NP_SIGNALS_STOP;
	t = run(s, ENDING_INTERRUPTED);
	assert_int_equal(t->outstanding, WINDOW);
	expect_passed(300 * MS);
	assert_in_range(s->result->elapsed, 300 * MS, 301 * MS);
}

/* Between two packets that are far apart, each interval is reported when it ends. */
TEST_WITH(begin, strike, intervals_end_in_time)
{
	struct scene *s = *state;

	s->options.traffic.rate_packets_per_s = 2;
	s->plan.packet_count = 2;
	s->plan.interval = 100 * MS;
	run(s, ENDING_DONE);
	/* The last row, the fifth, has the rest. */
	assert_int_equal(s->intervals, 4);
	expect_passed(500 * MS);
	assert_in_range(s->link.waits, 5, 10);
}

/* What the link holds back for a while may have come in time. */
TEST_WITH(begin, strike, a_link_that_holds_frames_delays_the_loss)
{
	struct scene *s = *state;

	s->link.info.block_ns = 30 * MS;
	s->plan.packet_count = 1;
	s->link.every = 1;
	run(s, ENDING_TARGET_DEAD);
	/* The time-out, what the link holds, and the wait for late answers. */
	expect_passed(70 * MS);
	assert_in_range(s->link.waits, 1, 4);
}
