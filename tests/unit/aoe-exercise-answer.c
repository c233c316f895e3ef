// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-answer: each frame that comes is counted as one thing, and nothing in it is trusted.
 */

#include "src/aoe-exercise/session.h"
#include "support/unit.h"

#define TIMEOUT	    NP_SECOND
#define SECTORS	    2
#define READ_ANSWER (NP_AOE_ATA_BYTES + SECTORS * NP_AOE_SECTOR_BYTES)
#define LBA	    100

struct scene {
	struct options options;
	struct session session;
	struct exchange x;
	uint32_t tag; /* of the request that was sent, at 0 */
	uint8_t frame[READ_ANSWER];
};

static int set(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	s->session.target = (struct target){.shelf = 4, .slot = 1, .mac = {2, 0, 0, 0, 0, 9}};
	s->options.traffic.timeout = TIMEOUT;
	s->session.options = &s->options;
	s->x.s = &s->session;
	assert_int_equal(result_create(&s->x.result), 0);
	assert_int_equal(window_create(&s->x.window, 4, TIMEOUT, 0x80000000 | 1000), 0);
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
	exchange_take(&s->x, 1, &frame, 1);
	free(frame.data);
	return &s->x.result->tally;
}

/* A request that left @gone after the clock was read; what of its answer is changed; what counts.
 */
struct row {
	const char *what;
	np_time gone, stamp;
	size_t length; /* 0: all of it */
	uint8_t at, flip;
	bool by_kernel, expired, unheard;
	unsigned received, late, stray, errors, timed;
};

static const struct row rows[] = {
	{"the first answer", 0, 1500, .received = 1, .timed = 1},
	{"held back for a moment", 10 * NP_MILLISECOND, 10 * NP_MILLISECOND + 5, .received = 1,
	 .timed = 1},
	{"held back by our own stop: when it left is not known", NP_SECOND, NP_SECOND + TIMEOUT,
	 .by_kernel = true, .received = 1},
	{"after the time-out", 0, TIMEOUT + 5, .expired = true, .late = 1},
	{"stamped late, though the window still waited", 0, TIMEOUT + 1, .by_kernel = true,
	 .late = 1},
	{"an error without data", 0, 700, NP_AOE_HEADER_BYTES, 14, NP_AOE_FLAG_ERROR, .received = 1,
	 .errors = 1, .timed = 1},
	{"a bad status", 0, 700, 0, 27, 1, .received = 1, .errors = 1, .timed = 1},
	{"one byte too short", 0, 700, READ_ANSWER - 1, .stray = 1},
	{"headers alone", 0, 700, NP_AOE_ATA_BYTES, .stray = 1},
	{"half a header", 0, 700, NP_AOE_ATA_BYTES - 1, .stray = 1},
	{"an AoE header alone", 0, 700, NP_AOE_HEADER_BYTES, .stray = 1},
	{"not even that", 0, 700, NP_AOE_HEADER_BYTES - 1, .stray = 1, .unheard = true},
	{"an Ethernet header", 0, 700, 14, .stray = 1, .unheard = true},
	{"another source address", 0, 700, 0, 11, 1, .stray = 1, .unheard = true},
	{"another protocol", 0, 700, 0, 12, 1, .stray = 1, .unheard = true},
	{"no answer", 0, 700, 0, 14, 8, .stray = 1, .unheard = true},
	{"another shelf", 0, 700, 0, 17, 1, .stray = 1, .unheard = true},
	{"another slot", 0, 700, 0, 18, 1, .stray = 1, .unheard = true},
	{"the driver's tag", 0, 700, 0, 20, 0x80, .stray = 1, .unheard = true},
	{"a tag that was never sent", 0, 700, 0, 20, 0x40, .stray = 1, .unheard = true},
	{"a tag not sent yet, or long ago", 0, 700, 0, 23, 1, .stray = 1, .unheard = true},
};

static void answer(struct scene *s, const struct row *row)
{
	struct result *r = s->x.result;
	struct window_request request = {
		.lba = LBA, .sectors = SECTORS, .gone = row->gone, .intended = -500};
	struct np_histogram_figures rtt;
	const struct tally *t;

	print_message("%s\n", row->what);
	s->tag = window_tag(s->x.window, 0);
	window_issue(s->x.window, &request);
	if (row->expired) {
		assert_true(window_expire(s->x.window, TIMEOUT, &request));
		r->tally.lost++;
	}
	s->x.by_kernel = row->by_kernel;
	s->x.heard = -1;
	compose(s);
	s->frame[row->at] ^= row->flip;
	t = take(s, row->length ? row->length : READ_ANSWER, row->stamp);
	assert_int_equal(t->received, row->received);
	assert_int_equal(t->late, row->late);
	assert_int_equal(t->stray, row->stray);
	assert_int_equal(t->errors, row->errors);
	assert_int_equal(t->lost + t->duplicates, 0);
	assert_int_equal(t->bytes, (row->received - row->errors) * SECTORS * NP_AOE_SECTOR_BYTES);
	assert_int_equal(window_outstanding(s->x.window), row->stray);
	assert_int_equal(s->x.heard, row->unheard ? -1 : row->stamp);
	assert_int_equal(s->x.last, row->received ? row->stamp : 0);
	assert_int_equal(r->damage.total, 0);
	np_histogram_figures(r->recent, &rtt);
	assert_int_equal(rtt.count, row->timed);
	if (row->timed)
		assert_int_equal(rtt.max, row->stamp);
}

TEST(each_frame_is_one_thing)
{
	void *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		set(&state);
		answer(state, &rows[i]);
		strike(&state);
	}
}

/* However short. */
TEST_OF(struct scene *s, set, strike, a_second_one_is_a_duplicate)
{
	answer(s, &rows[0]);
	assert_int_equal(take(s, READ_ANSWER, 2000)->duplicates, 1);
	assert_int_equal(take(s, NP_AOE_HEADER_BYTES, 3000)->duplicates, 2);
	assert_int_equal(s->x.result->tally.received, 1);
	assert_int_equal(s->x.last, 1500);
	assert_int_equal(s->x.heard, 3000);
}

/* Paced: against the moment that was intended. The first error is kept. */
TEST_OF(struct scene *s, set, strike, what_is_noted_beside)
{
	s->options.traffic.rate_packets_per_s = 1;
	answer(s, &rows[6]);
	assert_int_equal(np_histogram_percentile(s->x.result->paced, 100), 1200);
	assert_int_equal(s->x.result->first_error.lba, LBA);
	assert_int_equal(s->x.result->first_error.aoe_error, 0);
	assert_int_equal(s->x.result->first_error.ata_status, 0x41);
}
