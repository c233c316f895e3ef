// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-answer: each frame that comes is counted as one thing, and nothing in it is trusted.
 */

#include "src/aoe-exercise/exchange.h"
#include "support/unit.h"

#include <stdlib.h>
#include <string.h>

#define TIMEOUT	    NP_SECOND
#define SECTORS	    2
#define READ_ANSWER (NP_AOE_ATA_BYTES + SECTORS * NP_AOE_SECTOR_BYTES)
#define LBA	    100

struct scene {
	struct options options;
	struct target target;
	struct exchange x;
	uint32_t tag; /* of the one request that was sent, at 0 */
	uint8_t frame[READ_ANSWER];
};

static int set(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	const struct window_request request = {
		.lba = LBA,
		.sectors = SECTORS,
		.intended = -500,
	};

	s->target = (struct target){.shelf = 4, .slot = 1, .mac = {2, 0, 0, 0, 0, 9}};
	s->options.traffic.timeout = TIMEOUT;
	s->x = (struct exchange){.target = &s->target, .options = &s->options};
	assert_int_equal(result_create(&s->x.result), 0);
	assert_int_equal(window_create(&s->x.window, 4, TIMEOUT, 0x80000000 | 1000), 0);
	s->tag = window_tag(s->x.window, 0);
	window_issue(s->x.window, &request);
	s->x.result->tally.sent = 1;
	*state = s;
	return 0;
}

static int strike(void **state)
{
	struct scene *s = *state;

	window_free(s->x.window);
	result_free(s->x.result);
	free(s);
	return 0;
}

/* The good answer to the request, by hand: AoEr11 sections 2 and 3. */
static void compose(struct scene *s)
{
	const uint8_t head[NP_AOE_ATA_BYTES] = {
		2, 0, 0, 0, 0, 1, 2,	0, 0, 0,    0,	 9, 0x88, 0xa2, 0x18, 0, 0, 4,
		1, 0, 0, 0, 0, 0, 0x40, 0, 0, 0x40, LBA, 0, 0,	  0,	0,    0, 0, 0,
	};

	memcpy(s->frame, head, sizeof(head));
	for (unsigned i = 0; i < 4; i++)
		s->frame[20 + i] = (uint8_t)(s->tag >> (24 - 8 * i));
	np_pattern_write(&s->x.pattern, s->frame + NP_AOE_ATA_BYTES, LBA, SECTORS);
}

/* Hands over the first @length bytes, in a block of just that size, as come at @stamp. */
static const struct tally *take(struct scene *s, size_t length, np_time stamp)
{
	struct np_frame frame = {.data = malloc(length), .length = length, .stamp = stamp};

	memcpy(frame.data, s->frame, length);
	exchange_take(&s->x, &frame, 1);
	free(frame.data);
	return &s->x.result->tally;
}

static void expire(struct scene *s)
{
	struct window_request request;

	assert_true(window_expire(s->x.window, TIMEOUT, &request));
	s->x.result->tally.lost++;
}

/* What is not an answer leaves the request open; what is not to us does not even count as heard. */
static void assert_stray(struct scene *s, size_t length, bool heard)
{
	const struct tally *t;

	s->x.heard = -1;
	t = take(s, length, 700);
	assert_int_equal(t->stray, 1);
	assert_int_equal(t->received + t->late + t->duplicates + t->errors + t->bytes, 0);
	assert_int_equal(window_outstanding(s->x.window), 1);
	assert_int_equal(s->x.heard, heard ? 700 : -1);
	assert_int_equal(s->x.result->damage.total, 0);
}

TEST_WITH(set, strike, the_first_answer_is_received)
{
	struct scene *s = *state;
	const struct tally *t;

	s->options.traffic.rate_packets_per_s = 1;
	compose(s);
	t = take(s, READ_ANSWER, 1500);
	assert_int_equal(t->received, 1);
	assert_int_equal(t->bytes, SECTORS * NP_AOE_SECTOR_BYTES);
	assert_int_equal(t->stray + t->late + t->duplicates + t->errors, 0);
	assert_int_equal(s->x.last, 1500);
	assert_int_equal(np_histogram_max(s->x.result->rtt), 1500);
	assert_int_equal(np_histogram_max(s->x.result->paced), 2000);
	assert_int_equal(window_outstanding(s->x.window), 0);
	assert_int_equal(s->x.result->damage.total, 0);
}

TEST_WITH(set, strike, a_second_one_is_a_duplicate)
{
	struct scene *s = *state;

	compose(s);
	take(s, READ_ANSWER, 10);
	assert_int_equal(take(s, READ_ANSWER, 20)->duplicates, 1);
	/* However short. */
	assert_int_equal(take(s, NP_AOE_HEADER_BYTES, 30)->duplicates, 2);
	assert_int_equal(s->x.result->tally.received, 1);
	assert_int_equal(s->x.last, 10);
	assert_int_equal(s->x.heard, 30);
}

TEST_WITH(set, strike, after_the_time_out_it_is_late_and_no_longer_lost)
{
	struct scene *s = *state;
	const struct tally *t;

	compose(s);
	expire(s);
	t = take(s, READ_ANSWER, TIMEOUT + 5);
	assert_int_equal(t->late, 1);
	assert_int_equal(t->lost, 0);
	assert_int_equal(t->received + t->bytes, 0);
	assert_int_equal(np_histogram_count(s->x.result->rtt), 0);
	assert_int_equal(take(s, READ_ANSWER, TIMEOUT + 6)->duplicates, 1);
	assert_int_equal(s->x.result->tally.late, 1);
}

/* Stopped between looking at the clock and sending: when it left is not known, so it is not
 * accused. */
TEST_WITH(set, strike, what_our_own_stop_held_back_is_not_late)
{
	struct scene *s = *state;
	const struct window_request request = {
		.lba = LBA,
		.sectors = SECTORS,
		.gone = NP_SECOND,
	};
	const struct tally *t;

	s->x.by_kernel = true;
	s->tag = window_tag(s->x.window, 0);
	window_issue(s->x.window, &request);
	compose(s);
	t = take(s, READ_ANSWER, NP_SECOND + TIMEOUT);
	assert_int_equal(t->received, 1);
	assert_int_equal(t->late, 0);
	assert_int_equal(np_histogram_count(s->x.result->rtt), 0);
}

/* By the kernel's own stamp it came after the time-out, though the window still waited for it. */
TEST_WITH(set, strike, what_the_kernel_stamped_late_is_late)
{
	struct scene *s = *state;
	const struct tally *t;

	s->x.by_kernel = true;
	compose(s);
	t = take(s, READ_ANSWER, TIMEOUT + 1);
	assert_int_equal(t->late, 1);
	assert_int_equal(t->received + t->bytes, 0);
}

/* Up to 10 ms the moment of sending is known well enough for a round-trip time. */
TEST_WITH(set, strike, what_was_held_back_for_a_moment_has_a_time)
{
	struct scene *s = *state;
	struct window_request request = {
		.lba = LBA,
		.sectors = SECTORS,
		.sent = NP_SECOND,
		.gone = NP_SECOND + 10 * NP_MILLISECOND,
	};

	for (unsigned n = 0; n < 2; n++) {
		s->tag = window_tag(s->x.window, 0);
		window_issue(s->x.window, &request);
		compose(s);
		take(s, READ_ANSWER, request.gone + 5);
		assert_int_equal(np_histogram_count(s->x.result->rtt), 1);
		request.gone++;
	}
	assert_int_equal(np_histogram_max(s->x.result->rtt), 10 * NP_MILLISECOND + 5);
}

TEST_WITH(set, strike, an_error_answers_its_request_without_data)
{
	struct scene *s = *state;
	const struct tally *t;

	compose(s);
	s->frame[14] |= NP_AOE_FLAG_ERROR;
	s->frame[15] = NP_AOE_BAD_ARGUMENT;
	t = take(s, NP_AOE_HEADER_BYTES, 1);
	assert_int_equal(t->received, 1);
	assert_int_equal(t->errors, 1);
	assert_int_equal(t->bytes, 0);
	assert_int_equal(s->x.result->first_error.lba, LBA);
	assert_int_equal(s->x.result->first_error.aoe_error, NP_AOE_BAD_ARGUMENT);
	assert_int_equal(s->x.result->damage.total, 0);
}

TEST_WITH(set, strike, a_bad_status_is_an_error_and_its_data_are_not_looked_at)
{
	struct scene *s = *state;

	compose(s);
	s->frame[25] = 0x10;
	s->frame[27] = 0x41;
	s->frame[NP_AOE_ATA_BYTES] ^= 1;
	assert_int_equal(take(s, READ_ANSWER, 1)->errors, 1);
	assert_int_equal(s->x.result->tally.bytes, 0);
	assert_int_equal(s->x.result->first_error.aoe_error, 0);
	assert_int_equal(s->x.result->first_error.ata_status, 0x41);
	assert_int_equal(s->x.result->first_error.ata_error, 0x10);
	assert_int_equal(s->x.result->damage.total, 0);
}

TEST_WITH(set, strike, too_short_for_what_it_answers_is_stray)
{
	struct scene *s = *state;

	compose(s);
	for (size_t length = 14; length < READ_ANSWER; length++) {
		s->x.result->tally.stray = 0;
		assert_stray(s, length, length >= NP_AOE_HEADER_BYTES);
	}
	assert_int_equal(take(s, READ_ANSWER, 1)->received, 1);
}

/* The byte that is changed, and by what. */
TEST_WITH(set, strike, what_others_sent_is_stray)
{
	static const uint8_t changes[][2] = {
		{11, 1},    /* another source address */
		{12, 1},    /* another protocol */
		{14, 8},    /* no answer */
		{17, 1},    /* shelf */
		{18, 1},    /* slot */
		{20, 0x80}, /* the driver's tags */
		{20, 0x40}, /* never sent */
		{23, 1},    /* not sent yet, or long ago */
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		compose(s);
		s->frame[changes[i][0]] ^= changes[i][1];
		s->x.result->tally.stray = 0;
		assert_stray(s, READ_ANSWER, false);
	}
}
