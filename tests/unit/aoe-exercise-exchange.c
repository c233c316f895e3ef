// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-exchange: whole runs against a simulated disk: what is requested, what is sent
 * again, how a run ends, and that each packet is counted once; when it acts and ends, to the
 * microseconds that the simulated clock takes to be read; when a disk that is written is examined
 * again, and that nothing is written any more to another one.
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
	assert_int_equal(start_exchange(s), -ENETDOWN);
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

#define QUESTIONS 102 /* both identities, and each two sectors */

/* A target that answers is asked nothing, whatever the pauses between the writes. */
TEST_WITH(set, strike, a_run_that_is_answered_asks_nothing)
{
	struct scene *s = *state;
	unsigned asked;

	s->options.traffic.rate_packets_per_s = 11;
	examine(s);
	asked = s->link.questions;
	assert_int_equal(run(s, ENDING_DONE)->received, 100);
	assert_int_equal(s->link.questions, asked);
	assert_int_equal(s->result->rechecks.rounds + s->result->rechecks.questions, 0);
	assert_int_equal(s->result->rechecks.held, 0);
	assert_int_equal(s->examination->error, 0);
}

/* What was silent for long before the run is examined before the first write; only once. */
TEST_WITH(set, strike, a_silence_before_the_run)
{
	struct scene *s = *state;
	unsigned before;

	examine(s);
	before = s->link.ordered;
	made_clock += NP_SECOND;
	s->plan.packet_count = 10;
	run(s, ENDING_DONE);
	assert_int_equal(strspn(s->link.order + before, "q"), QUESTIONS);
	assert_int_equal(s->result->rechecks.rounds, 1);
	assert_int_equal(s->result->rechecks.questions, QUESTIONS);
	assert_int_equal(s->result->rechecks.held, 0);
	/* The figures are those of one run. */
	result_free(s->result);
	assert_int_equal(result_create(&s->result), 0);
	s->rests = s->link.sent = 0;
	s->length = 0;
	run(s, ENDING_DONE);
	assert_int_equal(s->result->rechecks.rounds + s->result->rechecks.questions, 0);
}

static void fall_silent(struct np_link *link)
{
	link->every = 1;
}

/* In a silence no more is written before the target has shown that it is still the same one. */
TEST_WITH(set, strike, a_silence_holds_the_writes)
{
	struct scene *s = *state;
	const char *held;

	s->options.traffic.retransmit = 1;
	s->options.traffic.timeout = 120 * MS;
	s->options.traffic.give_up = 60 * NP_SECOND;
	examine(s);
	s->plan.packet_count = 20;
	s->link.limit = 10;
	s->link.happens = fall_silent;
	assert_int_equal(run(s, ENDING_DONE)->received, 20);
	assert_int_equal(s->result->tally.lost, 10);
	/* Ten that were answered, those in flight, a round, and only then the rest. */
	held = strstr(s->link.order, "rrrrrrrrrr");
	assert_non_null(held);
	held += strspn(held, "r");
	assert_int_equal(strspn(held, "q"), QUESTIONS);
	assert_true(s->result->rechecks.held > 0);
	assert_true(s->result->rechecks.rounds >= 1);
}

static void be_another_disk(struct np_link *link)
{
	memcpy(link->content, "another", 7);
	fall_silent(link);
}

/* Whoever answers now, its first sectors hold something else. */
TEST_WITH(set, strike, another_disk_is_written_no_more)
{
	struct scene *s = *state;

	s->options.traffic.rate_packets_per_s = 1000;
	examine(s);
	s->plan.packet_count = 10000;
	s->link.limit = 20;
	s->link.happens = be_another_disk;
	s->options.data.offset_bytes = 10 * NP_AOE_SECTOR_BYTES;
	/* A request is lost after 20 ms, and 100 ms are a silence. */
	assert_in_range(run(s, ENDING_CHANGED)->sent, 20, 20 + 6 * WINDOW);
	assert_int_equal(s->examination->error, -ESTALE);
}

static void fall_silent_for_all(struct np_link *link)
{
	link->every = 1;
	link->again = true;
	link->deaf = link->questions;
}

/* A target that answers neither writes nor questions is dead. */
TEST_WITH(set, strike, a_target_that_dies_is_held_until_it_is_given_up)
{
	struct scene *s = *state;
	const struct tally *t;
	np_time from;

	s->options.traffic.timeout = 500 * MS;
	examine(s);
	s->plan.packet_count = 1000;
	s->link.limit = 50;
	s->link.happens = fall_silent_for_all;
	from = made_clock;
	t = run(s, ENDING_TARGET_DEAD);
	assert_int_equal(s->examination->error, -ETIMEDOUT);
	assert_int_equal(t->sent, 50 + WINDOW);
	assert_int_equal(t->lost, WINDOW);
	/* The time-out of the last writes, and that of the questions. */
	assert_in_range(made_clock - from, 600 * MS, 605 * MS);
	assert_in_range(s->result->rechecks.held, 100 * MS, 101 * MS);
	/* What is asked, and not answered, counts for the time of the run. */
	assert_in_range(s->result->elapsed, 600 * MS, 605 * MS);
}

static void answer_one_question_more(struct np_link *link)
{
	fall_silent_for_all(link);
	link->deaf++;
}

/* One that answers questions, but not all of them, is not the one that was examined. */
TEST_WITH(set, strike, a_target_that_answers_some_questions_has_changed)
{
	struct scene *s = *state;

	s->options.traffic.timeout = 500 * MS;
	examine(s);
	s->plan.packet_count = 1000;
	s->link.limit = 50;
	s->link.happens = answer_one_question_more;
	run(s, ENDING_CHANGED);
	assert_int_equal(s->examination->error, -ETIMEDOUT);
}

/* Repeats that were held until the run was over are given up, once. */
TEST_WITH(set, strike, a_run_may_end_while_its_writes_are_held)
{
	struct scene *s = *state;
	const struct tally *t;

	s->options.traffic.timeout = 500 * MS;
	s->options.traffic.retransmit = 1;
	examine(s);
	s->plan.packet_count = 1000;
	s->plan.duration = 550 * MS;
	s->link.limit = 50;
	s->link.happens = fall_silent_for_all;
	t = run(s, ENDING_DONE);
	assert_int_equal(t->sent, 50 + WINDOW);
	assert_int_equal(t->lost, WINDOW);
	assert_int_equal(t->given_up, WINDOW);
	assert_int_equal(s->examination->error, 0);
	assert_in_range(s->result->rechecks.held, 49 * MS, 51 * MS);
}

/* What changed before the first write: nothing is written at all. */
TEST_WITH(set, strike, a_disk_that_changed_before_the_run_is_not_written)
{
	struct scene *s = *state;

	for (unsigned fault = 0; fault < 3; fault++) {
		examine(s);
		made_clock += NP_SECOND;
		s->result->ending = ENDING_DONE;
		s->link.unreadable = fault == 1;
		s->link.deaf = fault == 2 ? s->link.questions : 0;
		if (!fault)
			memcpy(s->link.content, "another", 7);
		assert_int_equal(start_exchange(s), 0);
		assert_int_equal(s->result->ending,
				 fault == 2 ? ENDING_TARGET_DEAD : ENDING_CHANGED);
		assert_int_equal(s->link.sent, 0);
		assert_int_equal(s->examination->error, fault == 0   ? -ESTALE
							: fault == 1 ? -EIO
								     : -ETIMEDOUT);
		memset(s->link.content, 0, sizeof(s->link.content));
		s->link.unreadable = false;
		s->link.deaf = 0;
		s->link.count = 0;
		examination_free(s->examination);
		s->examination = NULL;
	}
}

TEST_WITH(set, strike, a_signal_before_the_first_write)
{
	struct scene *s = *state;

	examine(s);
	made_clock += NP_SECOND;
	s->link.deaf = s->link.questions;
	np_signals_tell(s->channel.signals, NP_SIGNALS_STOP);
	assert_int_equal(start_exchange(s), 0);
	assert_int_equal(s->result->ending, ENDING_INTERRUPTED);
	assert_int_equal(s->link.sent, 0);
}

TEST_WITH(set, strike, a_link_that_breaks_before_the_first_write)
{
	struct scene *s = *state;

	examine(s);
	made_clock += NP_SECOND;
	s->link.breaks = -ENETDOWN;
	assert_int_equal(start_exchange(s), -ENETDOWN);
	assert_int_equal(s->link.sent, 0);
}

static void break_for_questions(struct np_link *link)
{
	link->every = 1;
	link->breaks = -ENETDOWN;
	link->limit = link->sent;
}

/* A question that cannot be sent ends the run like a write that cannot. */
TEST_WITH(set, strike, a_link_that_breaks_in_a_silence)
{
	struct scene *s = *state;

	s->options.traffic.timeout = 500 * MS;
	examine(s);
	s->plan.packet_count = 1000;
	s->link.limit = 50;
	s->link.happens = break_for_questions;
	run(s, ENDING_LINK_LOST);
	assert_int_equal(s->result->link_error, -ENETDOWN);
}

/* When all is sent, what was lost is waited for, and no more is asked. */
TEST_WITH(set, strike, nothing_is_asked_after_the_last_write)
{
	struct scene *s = *state;
	unsigned asked;

	s->options.traffic.timeout = 500 * MS;
	examine(s);
	s->plan.packet_count = WINDOW;
	s->link.every = 1;
	asked = s->link.questions;
	run(s, ENDING_TARGET_DEAD);
	assert_int_equal(s->link.questions, asked);
	assert_int_equal(s->result->rechecks.rounds, 0);
}
