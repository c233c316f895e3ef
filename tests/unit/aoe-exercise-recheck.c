// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-recheck: when a simulated disk that is written is examined again, how much of it,
 * and when writes are held meanwhile. The clock of recheck_step is made up.
 */
#include "support/aoe_disk.h"

#include <errno.h>
#include <string.h>

#define FEW_QUESTIONS 15  /* both identities, the first 8 KiB, four samples, the last place */
#define ALL_QUESTIONS 102 /* both identities, and each two sectors */

/* The moment at which nothing is due; times of the tests are counted from it. */
static np_time begun;

/* An examined disk that answered just now, and whose answers take a millisecond. */
static struct recheck *examined(struct scene *s)
{
	s->options.traffic.give_up = 60 * NP_SECOND;
	examine(s);
	lapse_start(&s->recheck.lapse, MS);
	begun = np_clock_now();
	lapse_examined(&s->recheck.lapse, begun, 0, 0);
	memset(s->link.asked_of, 0, sizeof(s->link.asked_of));
	s->link.questions = 0;
	return &s->recheck;
}

/* One step at @at after the start, with @room places of the window, and @lost packets lost. */
static void step(struct scene *s, np_time at, unsigned room, uint64_t lost)
{
	struct recheck *r = &s->recheck;

	assert_int_equal(recheck_step(r, begun + at, room, recheck_tag(r, &s->channel.tags), lost),
			 0);
}

/* Takes up to @count of the answers that are there; returns how many there were. */
static unsigned take_some(struct scene *s, unsigned count)
{
	struct np_frame frame[CHANNEL_BATCH];
	struct np_aoe_header header;
	int got = np_link_receive(&s->link, frame, count);

	for (int i = 0; i < got; i++) {
		assert_int_equal(np_aoe_header_decode(frame[i].data, frame[i].length, &header), 0);
		assert_true(recheck_take(&s->recheck, &header, &frame[i]));
	}
	return (unsigned)got;
}

/* Steps at @at, with answers between them, until the round is over. */
static void complete(struct scene *s, np_time at, unsigned room, uint64_t lost)
{
	for (unsigned i = 0; i <= 2 * ALL_QUESTIONS && s->recheck.active; i++) {
		take_some(s, CHANNEL_BATCH);
		step(s, at, room, lost);
	}
	assert_false(s->recheck.active);
}

/* A write that was sent at @sent, both counted from the start, is answered at @at. */
static void hear(struct scene *s, np_time sent, np_time at)
{
	const struct np_frame frame = {.stamp = begun + at};

	recheck_heard(&s->recheck, &frame, at - sent);
}

static void a_target_that_is_only_read_is_not_asked(void **state)
{
	struct scene *s = *state;
	struct recheck *r = &s->recheck;
	const struct np_aoe_header header = {.command = NP_AOE_CONFIG};
	const struct np_frame frame = {0};

	recheck_start(r, NULL);
	assert_int_equal(recheck_before(r, &s->channel), 0);
	step(s, NP_SECOND, WINDOW, 0);
	assert_false(recheck_take(r, &header, &frame));
	assert_int_equal(recheck_in_flight(r), 0);
	assert_int_equal(recheck_due(r), NP_TIME_NEVER);
	assert_int_equal(r->begun + r->rounds, 0);
	assert_int_equal(s->link.questions, 0);
}

/* Of a disk that nobody has asked for a while, a few places are read before the first write. */
static void a_few_questions_before_the_run(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	/* What comes before the run is waited for; only its writes are held. */
	r->lapse.heard = 0;
	r->lapse.lost = 7;
	assert_int_equal(recheck_before(r, &s->channel), 0);
	assert_int_equal(s->link.questions, FEW_QUESTIONS);
	assert_int_equal(r->rounds, 1);
	assert_int_equal(r->begun, 1);
	assert_int_equal(r->held, 0);
	assert_false(r->active || r->holds || r->whole);
	assert_true(r->lapse.heard >= begun);
	assert_int_equal(r->lapse.lost, 0);
	/* One that was just heard is not asked again. */
	r->lapse.heard = begun + 60 * NP_SECOND;
	r->lapse.examined = 0;
	assert_int_equal(recheck_before(r, &s->channel), 0);
	assert_int_equal(s->link.questions, FEW_QUESTIONS);
	assert_int_equal(r->rounds, 1);
}

static void a_fault_before_the_run_is_kept(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	r->lapse.heard = 0;
	s->link.unreadable = true;
	assert_int_equal(recheck_before(r, &s->channel), -EIO);
	assert_int_equal(r->error, -EIO);
	assert_false(recheck_is_silent(r));
}

/* Each round has tags of its own: the first was that of the examination. */
static void each_round_has_tags_of_its_own(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	for (uint32_t round = 1; round <= 3; round++) {
		assert_int_equal(recheck_tag(r, &s->channel.tags),
				 tags_round(&s->channel.tags, round));
		step(s, (np_time)round * NP_SECOND, WINDOW, 0);
		assert_int_equal(r->begun, round);
		complete(s, (np_time)round * NP_SECOND, WINDOW, 0);
	}
}

static void nothing_is_asked_before_its_time(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun + 1);
	step(s, 19 * MS, WINDOW, 0);
	assert_false(r->active);
	assert_int_equal(recheck_due(r), NP_TIME_NEVER);
	assert_int_equal(recheck_in_flight(r), 0);
	assert_int_equal(s->link.questions, 0);
}

/* Now and then, beside writes, with one question at a time and only if the window has room. */
static void questions_beside_the_writes(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	r->lapse.heard = begun + 60 * NP_SECOND; /* writes are answered */
	step(s, 50 * MS, 0, 3);
	assert_true(r->active && !r->holds && !r->whole);
	assert_int_equal(r->begin, begun + 50 * MS);
	assert_int_equal(s->link.questions, 0);
	assert_int_equal(recheck_in_flight(r), 0);
	for (unsigned i = 1; i <= FEW_QUESTIONS; i++) {
		step(s, 50 * MS, 0, 3);
		assert_int_equal(s->link.questions, i - 1);
		step(s, 50 * MS, 100, 3);
		step(s, 50 * MS, 100, 3);
		assert_int_equal(s->link.questions, i);
		assert_int_equal(recheck_in_flight(r), 1);
		assert_int_not_equal(recheck_due(r), NP_TIME_NEVER);
		assert_int_equal(take_some(s, 1), 1);
		assert_int_equal(recheck_in_flight(r), 0);
	}
	assert_int_equal(r->begun, 1);
	assert_int_equal(r->rounds, 0);
	r->lapse.heard = begun;
	step(s, 60 * MS, 100, 3);
	assert_int_equal(r->rounds, 1);
	assert_false(r->active);
	assert_int_equal(r->held, 0);
	assert_int_equal(r->lapse.lost, 3);
	assert_int_equal(r->lapse.took, 10 * MS);
	assert_int_equal(r->lapse.examined, begun + 60 * MS);
}

/* In a silence writes wait for a few questions, and further questions for the first answer. */
static void a_silence_holds_writes_for_a_few_questions(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun);
	step(s, 20 * MS, 100, 0);
	assert_true(r->active && r->holds && !r->whole);
	assert_int_equal(r->held_since, begun + 20 * MS);
	assert_int_equal(r->lapse.silent, begun);
	for (np_time at = 21; at < 40; at++)
		step(s, at * MS, 100, 0);
	assert_int_equal(r->begun, 1);
	assert_int_equal(recheck_in_flight(r), 1);
	assert_int_equal(s->link.questions, 1);
	take_some(s, CHANNEL_BATCH); /* the question was repeated */
	step(s, 40 * MS, 3, 0);
	assert_int_equal(recheck_in_flight(r), 3);
	step(s, 40 * MS, 5, 0);
	assert_int_equal(recheck_in_flight(r), 5);
	/* Where writes have taken all places, one question goes all the same. */
	take_some(s, CHANNEL_BATCH);
	step(s, 40 * MS, 0, 0);
	assert_int_equal(recheck_in_flight(r), 1);
	complete(s, 45 * MS, 100, 0);
	assert_int_equal(r->rounds, 1);
	assert_false(r->holds);
	assert_int_equal(r->held, 25 * MS);
	assert_int_equal(r->lapse.waiting, 0);
}

/* A round that runs beside writes is of no use any more when the target falls silent. */
static void answers_before_a_silence_prove_nothing(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	r->lapse.heard = begun + 60 * NP_SECOND;
	step(s, 50 * MS, 1, 0);
	take_some(s, 1);
	step(s, 50 * MS, 1, 0);
	lapse_sent(&r->lapse, begun + 50 * MS);
	step(s, 70 * MS, 1, 0);
	assert_int_equal(r->begun, 2);
	assert_true(r->holds);
	assert_int_equal(r->begin, begun + 70 * MS);
	complete(s, 71 * MS, 1, 0);
	assert_int_equal(r->rounds, 1);
	assert_int_equal(r->held, MS);
}

/* After a long silence everything is read again; the writes are held from the first moment on. */
static void a_long_silence_asks_for_everything(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun);
	s->link.deaf = 1;
	step(s, 30 * MS, 100, 0);
	step(s, 99 * MS, 100, 0);
	assert_true(r->holds && !r->whole);
	assert_int_equal(r->begun, 1);
	/* The one answer comes to a round that is over. */
	s->link.deaf = 0;
	step(s, 100 * MS, 100, 0);
	assert_true(r->active && r->holds && r->whole);
	assert_int_equal(r->begun, 2);
	take_some(s, CHANNEL_BATCH);
	step(s, 101 * MS, 100, 0);
	assert_int_equal(recheck_in_flight(r), 16);
	assert_int_equal(r->begun, 2);
	memset(s->link.asked_of, 0, sizeof(s->link.asked_of));
	complete(s, 110 * MS, 100, 0);
	for (unsigned i = 32; i < DISK; i++)
		assert_int_equal(s->link.asked_of[i], 1);
	assert_int_equal(r->held, 80 * MS);
	assert_false(r->whole || r->holds);
}

/* Who did not look for that long reads everything at once. */
static void a_long_silence_that_was_not_looked_at(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun);
	step(s, 200 * MS, 1, 0);
	assert_true(r->holds && r->whole);
	assert_int_equal(r->begun, 1);
	assert_int_equal(r->held_since, begun + 200 * MS);
	complete(s, 200 * MS, 1, 0);
	assert_int_equal(s->link.questions, ALL_QUESTIONS);
}

/* Writes that were sent before the silence are answered: it is who it was, and writes go on. */
static void a_late_answer_ends_the_wait(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	for (unsigned answered = 0; answered <= 1; answered++) {
		const np_time since = answered * NP_SECOND;
		const uint64_t rounds = r->rounds;
		const np_time held = r->held;

		lapse_start(&r->lapse, MS);
		lapse_examined(&r->lapse, begun + since, 0, 0);
		lapse_sent(&r->lapse, begun + since + MS);
		step(s, since + 30 * MS, 100, 0);
		assert_true(r->holds);
		r->held_since = np_clock_now() - 5 * MS;
		if (answered)
			take_some(s, 1);
		/* One that was sent in the silence may be answered by anybody. */
		hear(s, since + 2 * MS, since + 31 * MS);
		assert_true(r->holds && r->active);
		assert_int_equal(r->held, held);
		hear(s, since + MS, since + 32 * MS);
		assert_false(r->holds);
		assert_in_range(r->held - held, 5 * MS, np_clock_now() - r->held_since);
		/* What was asked goes on beside the writes only if it was answered. */
		assert_int_equal(r->active, answered);
		if (!answered)
			take_some(s, 0);
		complete(s, since + 33 * MS, 100, 0);
		assert_int_equal(r->rounds, rounds + answered);
		s->link.count = 0;
	}
}

/* After a long silence only the complete round lets the writes go on. */
static void a_late_answer_does_not_end_a_long_wait(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun + MS);
	step(s, 200 * MS, 1, 0);
	hear(s, MS, 201 * MS);
	assert_true(r->holds && r->active && r->whole);
	assert_int_equal(r->held, 0);
	complete(s, 201 * MS, 1, 0);
	assert_false(r->holds);
}

/* Where nothing is held, an answer only tells the round-trip time. */
static void an_answer_in_time_changes_nothing(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	r->lapse.heard = begun + 60 * NP_SECOND;
	step(s, 50 * MS, 1, 0);
	hear(s, 50 * MS, 51 * MS);
	assert_true(r->active);
	assert_int_equal(r->held, 0);
}

/* The answer to a question ends the silence of a target whose writes are held, not another one. */
static void an_answer_to_a_question_ends_the_silence(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	r->lapse.heard = begun + 60 * NP_SECOND;
	step(s, 50 * MS, 1, 0);
	lapse_sent(&r->lapse, begun + 50 * MS);
	take_some(s, 1);
	assert_int_equal(r->lapse.waiting, begun + 50 * MS);
	step(s, 80 * MS, 1, 0);
	assert_true(r->holds);
	take_some(s, 1);
	assert_int_equal(r->lapse.waiting, 0);
	assert_true(r->holds);
}

/* Another disk answers: nothing more is asked, and nothing that comes is taken. */
static void a_fault_is_kept(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);
	struct np_aoe_header header;
	struct np_frame frame[4];
	unsigned asked;

	lapse_sent(&r->lapse, begun);
	memcpy(s->link.identity.serial, "S2", 3);
	step(s, 30 * MS, 4, 0);
	take_some(s, 1); /* the configuration is the same */
	step(s, 30 * MS, 4, 0);
	asked = s->link.questions;
	assert_true(asked >= 3);
	assert_int_equal(take_some(s, 1), 1);
	assert_int_equal(r->error, -ESTALE);
	assert_false(recheck_is_silent(r));
	assert_int_equal(np_link_receive(&s->link, frame, 1), 1);
	assert_int_equal(np_aoe_header_decode(frame->data, frame->length, &header), 0);
	assert_false(recheck_take(r, &header, frame));
	step(s, 31 * MS, 4, 0);
	assert_int_equal(s->link.questions, asked);
	assert_int_equal(r->error, -ESTALE);
}

/* What answers no question is left to others. */
static void other_frames_are_not_taken(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);
	const struct np_aoe_header header = {.tag = s->channel.tags.run};
	const struct np_frame frame = {.stamp = begun + 40 * MS};

	lapse_sent(&r->lapse, begun);
	step(s, 30 * MS, 4, 0);
	assert_false(recheck_take(r, &header, &frame));
	assert_int_equal(r->error, 0);
	assert_int_equal(r->lapse.waiting, begun);
}

/* Silent is who answers no question at all; who answers some has become another one. */
static void no_answer_within_the_time_is_a_fault(void **state)
{
	for (unsigned answers = 0; answers <= 1; answers++) {
		struct scene *s = *state;
		struct recheck *r = examined(s);

		lapse_sent(&r->lapse, begun);
		s->link.questions = 1;
		s->link.deaf = 1 + answers;
		step(s, 200 * MS, 4, 0);
		take_some(s, 1);
		step(s, 59 * NP_SECOND, 4, 0);
		assert_int_equal(r->error, 0);
		assert_false(recheck_is_silent(r));
		step(s, 61 * NP_SECOND, 4, 0);
		assert_int_equal(r->error, -ETIMEDOUT);
		assert_int_equal(recheck_is_silent(r), !answers);
		recheck_stop(r, begun + 61 * NP_SECOND);
		examination_free(s->examination);
		s->examination = NULL;
		s->link.count = 0;
		s->link.deaf = 0;
	}
}

static void a_link_that_breaks_is_no_fault_of_the_target(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun);
	s->link.breaks = -ENETDOWN;
	assert_int_equal(recheck_step(r, begun + 30 * MS, 1, recheck_tag(r, &s->channel.tags), 0),
			 -ENETDOWN);
	assert_int_equal(r->error, 0);
}

/* At the end of a run what is asked is left, and the time of the wait is counted. */
static void the_end_of_a_run_ends_the_round(void **state)
{
	struct scene *s = *state;
	struct recheck *r = examined(s);

	lapse_sent(&r->lapse, begun);
	step(s, 200 * MS, 4, 0);
	recheck_stop(r, begun + 207 * MS);
	assert_false(r->active || r->holds || r->whole);
	assert_int_equal(r->held, 7 * MS);
	assert_int_equal(r->rounds, 0);
	assert_int_equal(recheck_in_flight(r), 0);
	assert_int_equal(recheck_due(r), NP_TIME_NEVER);
	recheck_stop(r, begun + 300 * MS);
	assert_int_equal(r->held, 7 * MS);
}

#define test(name) cmocka_unit_test_setup_teardown(name, set, strike)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_target_that_is_only_read_is_not_asked),
		test(a_few_questions_before_the_run),
		test(a_fault_before_the_run_is_kept),
		test(each_round_has_tags_of_its_own),
		test(nothing_is_asked_before_its_time),
		test(questions_beside_the_writes),
		test(a_silence_holds_writes_for_a_few_questions),
		test(answers_before_a_silence_prove_nothing),
		test(a_long_silence_asks_for_everything),
		test(a_long_silence_that_was_not_looked_at),
		test(a_late_answer_ends_the_wait),
		test(a_late_answer_does_not_end_a_long_wait),
		test(an_answer_in_time_changes_nothing),
		test(an_answer_to_a_question_ends_the_silence),
		test(a_fault_is_kept),
		test(other_frames_are_not_taken),
		test(no_answer_within_the_time_is_a_fault),
		test(a_link_that_breaks_is_no_fault_of_the_target),
		test(the_end_of_a_run_ends_the_round),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
