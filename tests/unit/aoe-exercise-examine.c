// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-examine: all that the guard examines is asked for, once; when a simulated disk that
 * is written is examined again, and how long writes are held meanwhile. The clock of
 * examination_step is made up.
 */
#include "support/aoe_disk.h"
#include "support/unit.h"

#define ALL_QUESTIONS 102 /* both identities, and each two sectors */

/* The moment of the latest answer; times of the tests are counted from it. */
static np_time begun;

/* An examined disk that answered just now; its requests are lost after 200 ms. */
static struct examination *examined(struct scene *s)
{
	s->options.traffic.timeout = 200 * MS;
	s->options.traffic.give_up = 60 * NP_SECOND;
	examine(s);
	begun = s->session.examination->heard;
	memset(s->link.asked_of, 0, sizeof(s->link.asked_of));
	s->link.questions = 0;
	return s->session.examination;
}

/* One step at @at after the start, with @room places of the window. */
static void step(struct scene *s, np_time at, unsigned room)
{
	assert_int_equal(examination_step(s->session.examination, begun + at, room), 0);
}

/* Takes up to @count of the answers that are there; returns how many there were. */
static unsigned take_some(struct scene *s, unsigned count)
{
	struct np_frame frame[CHANNEL_BATCH];
	struct np_aoe_header header;
	int got = np_link_receive(&s->link, frame, count);

	for (int i = 0; i < got; i++) {
		assert_int_equal(np_aoe_header_decode(frame[i].data, frame[i].length, &header), 0);
		assert_true(examination_take(s->session.examination, &header, &frame[i]));
	}
	return (unsigned)got;
}

/* Steps at @at, with answers between them, until the round is over. */
static void complete(struct scene *s, np_time at, unsigned room)
{
	for (unsigned i = 0; i <= 2 * ALL_QUESTIONS && s->session.examination->holds; i++) {
		take_some(s, CHANNEL_BATCH);
		step(s, at, room);
	}
	assert_false(s->session.examination->holds);
}

/* A disk that refuses reads is written if its user insists; late refusals do not end that. */
SCENE_TEST(late_refusals_of_an_unread_disk_are_no_fault)
{
	const struct np_aoe_header refusal = {.flags = NP_AOE_FLAG_ERROR,
					      .command = NP_AOE_ATA,
					      .tag = tags_round(&s->channel.tags, 0) + 3};
	const struct np_frame frame = {0};

	s->link.unreadable = true;
	assert_int_equal(examination_create(&s->session), 0);
	assert_int_equal(examination_first(s->session.examination), -EIO);
	assert_true(examination_take(s->session.examination, &refusal, &frame));
	assert_int_equal(s->session.examination->error, 0);
}

/* Each round has tags of its own: the first was that of the examination. */
SCENE_TEST(each_round_has_tags_of_its_own)
{
	examined(s);
	for (uint32_t round = 1; round <= 3; round++) {
		step(s, (np_time)round * NP_SECOND, WINDOW);
		assert_int_equal(s->link.round, tags_round(&s->channel.tags, round));
		complete(s, (np_time)round * NP_SECOND, WINDOW);
		assert_int_equal(s->session.examination->done.rounds, round);
	}
}

SCENE_TEST(nothing_is_asked_before_its_time)
{
	struct examination *r = examined(s);

	step(s, 200 * MS, WINDOW);
	examination_heard(r, begun + 199 * MS);
	step(s, 399 * MS, WINDOW);
	assert_false(r->holds);
	assert_int_equal(s->link.questions, 0);
	/* A busy disk is silent now and then, whatever the time-out of a request. */
	s->options.traffic.timeout = 50 * MS;
	step(s, r->heard - begun + 100 * MS, WINDOW);
	assert_false(r->holds);
	step(s, r->heard - begun + 101 * MS, WINDOW);
	assert_true(r->holds);
}

/* In a silence writes wait for all questions, and further questions for the first answer. */
SCENE_TEST(a_silence_holds_the_writes)
{
	struct examination *r = examined(s);

	step(s, 201 * MS, 100);
	assert_true(r->holds);
	assert_int_equal(r->held_since, begun + 201 * MS);
	for (np_time at = 202; at < 220; at++)
		step(s, at * MS, 100);
	assert_int_equal(s->link.questions, 1);
	assert_true(take_some(s, CHANNEL_BATCH) > 0); /* the question was repeated */
	/* No more than the window has room for, so that no buffer overflows; one at least. */
	step(s, 220 * MS, 3);
	assert_int_equal(s->link.questions, 1 + 3);
	step(s, 220 * MS, 5);
	assert_int_equal(s->link.questions, 1 + 5);
	take_some(s, CHANNEL_BATCH);
	step(s, 220 * MS, 0);
	assert_int_equal(s->link.questions, 1 + 5 + 1);
	take_some(s, CHANNEL_BATCH);
	step(s, 220 * MS, 100);
	assert_int_equal(s->link.questions, 1 + 5 + 1 + 16);
	complete(s, 225 * MS, 100);
	assert_int_equal(s->link.questions, ALL_QUESTIONS);
	for (unsigned i = 0; i < DISK; i++)
		assert_int_equal(s->link.asked_of[i], 1);
	assert_int_equal(r->done.rounds, 1);
	assert_int_equal(r->done.held, 24 * MS);
	assert_int_equal(r->heard, begun + 225 * MS);
}

/* Whoever ends a silence may be another disk, even if it was not noticed while it lasted. */
SCENE_TEST(an_answer_after_a_silence_does_not_end_it)
{
	struct examination *r = examined(s);

	examination_heard(r, begun + 201 * MS);
	step(s, 201 * MS, 100);
	assert_true(r->holds);
	/* Nor does one that comes while writes are held. */
	examination_heard(r, begun + 203 * MS);
	step(s, 203 * MS, 100);
	assert_true(r->holds);
	complete(s, 204 * MS, 100);
	assert_int_equal(r->done.held, 3 * MS);
	step(s, 205 * MS, 100);
	assert_false(r->holds);
}

/* Another disk answers: nothing more is asked, and nothing that comes is taken. */
SCENE_TEST(a_fault_is_kept)
{
	struct examination *r = examined(s);
	struct np_aoe_header header;
	struct np_frame frame[4];
	unsigned asked;

	memcpy(s->link.identity.serial, "S2", 3);
	step(s, 201 * MS, 4);
	take_some(s, 1); /* the configuration is the same */
	step(s, 201 * MS, 4);
	asked = s->link.questions;
	assert_true(asked >= 3);
	assert_int_equal(take_some(s, 1), 1);
	assert_int_equal(r->error, -ESTALE);
	assert_true(r->answered);
	assert_int_equal(np_link_receive(&s->link, frame, 1), 1);
	assert_int_equal(np_aoe_header_decode(frame->data, frame->length, &header), 0);
	assert_false(examination_take(r, &header, frame));
	step(s, 202 * MS, 4);
	assert_int_equal(s->link.questions, asked);
	assert_int_equal(r->error, -ESTALE);
}

/* What answers no question is left to others. */
SCENE_TEST(other_frames_are_not_taken)
{
	struct examination *r = examined(s);
	const struct np_aoe_header header = {.tag = s->channel.tags.run};
	const struct np_frame frame = {.stamp = begun + 240 * MS};

	step(s, 230 * MS, 4);
	assert_false(examination_take(r, &header, &frame));
	assert_int_equal(r->error, 0);
}

#define MIB (UINT64_C(1) << 20)

/* Lists the questions about a disk, and compares the reads with the guard's places. */
static void ask(uint64_t bytes, uint8_t most)
{
	struct np_guard_place place[NP_GUARD_PLACES_MAX], whole = {.bytes = bytes};
	size_t places = np_guard_places(bytes, place), n = QUESTIONS_OF_IDENTITY, count;
	struct question *all;

	assert_int_equal(questions_list(&all, &count, bytes, &whole, most), 0);
	assert_int_equal(all[0].kind, QUESTION_CONFIG);
	assert_int_equal(all[1].kind, QUESTION_IDENTITY);
	for (size_t i = 0; i < places; i++) {
		for (uint64_t at = place[i].offset; at < place[i].offset + place[i].bytes; n++) {
			assert_true(n < count && all[n].kind == QUESTION_READ);
			assert_int_equal(all[n].lba * 512, at);
			assert_in_range(all[n].sectors, 1, most);
			at += all[n].sectors * 512u;
		}
	}
	assert_int_equal(n, count);
	free(all);
}

/* A small disk is asked for whole. */
TEST(any_request_size_will_do)
{
	static const uint64_t small[] = {512, 1024, 8192, 8192 + 512, 12 * 1024};
	static const uint8_t most[] = {1, 2, 17, 127, 255};
	const struct np_guard_place whole = {.bytes = MIB};
	struct question *all;
	size_t count;

	for (size_t i = 0; i < 5; i++) {
		ask(small[i], 2);
		ask(9 * MIB + 512, most[i]);
	}
	assert_int_equal(questions_list(&all, &count, MIB, &whole, 0), -EMSGSIZE);
	assert_null(all);
}

/* Is sector @lba among the reads? Each may be there once. */
static bool is_asked(const struct question *all, size_t count, uint64_t lba)
{
	unsigned times = 0;

	for (size_t i = QUESTIONS_OF_IDENTITY; i < count; i++)
		times += lba >= all[i].lba && lba < all[i].lba + all[i].sectors;
	assert_in_range(times, 0, 1);
	return times;
}

/* The part that is written has ends of its own, wherever it lies. */
TEST(a_region_is_examined_like_a_disk)
{
	static const struct np_guard_place regions[] = {
		{.offset = 50 * MIB + 512, .bytes = 20 * MIB},
		{.offset = 50 * MIB, .bytes = 512},
		{.offset = 3 * MIB, .bytes = 30 * MIB},	 /* reaches into the disk's begin, */
		{.offset = 60 * MIB, .bytes = 40 * MIB}, /* and to its end */
		{.offset = 0, .bytes = 100 * MIB},
	};
	struct np_guard_place place[NP_GUARD_PLACES_MAX];
	struct question *all;
	size_t count;

	for (size_t r = 0; r < sizeof(regions) / sizeof(*regions); r++) {
		size_t places = np_guard_places(regions[r].bytes, place);

		assert_int_equal(questions_list(&all, &count, 100 * MIB, &regions[r], 17), 0);
		for (size_t i = 0; i < places; i++) {
			uint64_t lba = (regions[r].offset + place[i].offset) / 512;

			assert_true(is_asked(all, count, lba));
			assert_true(is_asked(all, count, lba + place[i].bytes / 512 - 1));
		}
		places = np_guard_places(100 * MIB, place);
		for (size_t i = 0; i < places; i++)
			assert_true(is_asked(all, count, place[i].offset / 512));
		for (size_t i = QUESTIONS_OF_IDENTITY + 1; i < count; i++)
			assert_true(all[i].lba >= all[i - 1].lba + all[i - 1].sectors);
		free(all);
	}
}
