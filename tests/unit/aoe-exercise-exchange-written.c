// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-exchange-written: whole runs that write to a simulated disk: when the disk is
 * examined again, and that nothing is written any more to another disk.
 */
#include "support/aoe_disk.h"
#include "support/unit.h"

#include <errno.h>
#include <string.h>

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
	assert_int_equal(s->recheck.error, 0);
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
	assert_int_equal(s->recheck.error, -ESTALE);
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
	assert_int_equal(s->recheck.error, -ETIMEDOUT);
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
	assert_int_equal(s->recheck.error, -ETIMEDOUT);
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
	assert_int_equal(s->recheck.error, 0);
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
		assert_int_equal(exchange_run(&s->channel, &s->plan, s->result), 0);
		assert_int_equal(s->result->ending,
				 fault == 2 ? ENDING_TARGET_DEAD : ENDING_CHANGED);
		assert_int_equal(s->link.sent, 0);
		assert_int_equal(s->recheck.error, fault == 0	? -ESTALE
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
	assert_int_equal(exchange_run(&s->channel, &s->plan, s->result), 0);
	assert_int_equal(s->result->ending, ENDING_INTERRUPTED);
	assert_int_equal(s->link.sent, 0);
}

TEST_WITH(set, strike, a_link_that_breaks_before_the_first_write)
{
	struct scene *s = *state;

	examine(s);
	made_clock += NP_SECOND;
	s->link.breaks = -ENETDOWN;
	assert_int_equal(exchange_run(&s->channel, &s->plan, s->result), -ENETDOWN);
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
