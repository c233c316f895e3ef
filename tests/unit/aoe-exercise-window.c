// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-window: each answer is one thing, and sent = received + late + lost + outstanding.
 */

#include "src/aoe-exercise/session.h"
#include "support/unit.h"

#define TIMEOUT NP_SECOND
#define HISTORY 1048576 /* requests remembered with that: more than are answered in it */

static struct window *create(unsigned size, uint32_t base)
{
	struct window *window;

	assert_int_equal(window_create(&window, size, TIMEOUT, base), 0);
	return window;
}

/* Issues one request at @now for @lba and returns its tag. */
static uint32_t issue(struct window *window, uint64_t lba, np_time now)
{
	const struct window_request request = {.lba = lba, .sectors = 2, .sent = now, .gone = now};
	uint32_t tag = window_tag(window, 0);

	window_issue(window, &request);
	return tag;
}

static enum window_answer answer(struct window *window, uint32_t tag)
{
	struct window_request request;
	enum window_answer what = window_classify(window, tag, &request);

	if (what == WINDOW_RECEIVED || what == WINDOW_LATE)
		window_settle(window, tag);
	return what;
}

TEST(the_time_out_counts_from_when_it_had_left)
{
	struct window *window = create(2, 0x80000000);
	const struct window_request held = {.sectors = 2, .sent = 5, .gone = 500};
	struct window_request request;

	window_issue(window, &held);
	assert_true(window_deadline(window) == 500 + TIMEOUT);
	assert_false(window_expire(window, 499 + TIMEOUT, &request));
	assert_true(window_expire(window, 500 + TIMEOUT, &request));
	assert_false(window_expire(window, 500 + TIMEOUT, &request));
	assert_int_equal(window_room(window), 2);
	window_free(window);
}

TEST(tags_wrap_within_those_of_the_run)
{
	struct window *window = create(8, 0x857ffffe);
	uint32_t tag[4];

	for (unsigned i = 0; i < 4; i++)
		tag[i] = issue(window, i, i);
	assert_int_equal(tag[1], 0x857fffff);
	assert_int_equal(tag[2], 0x85000000);
	/* Another run's, a question's, the driver's. */
	assert_int_equal(answer(window, tag[2] ^ 0x01000000), WINDOW_STRAY);
	assert_int_equal(answer(window, tag[2] ^ 0x00800000), WINDOW_STRAY);
	assert_int_equal(answer(window, tag[2] ^ 0x80000000), WINDOW_STRAY);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(answer(window, tag[i]), WINDOW_RECEIVED);
	window_free(window);
}

/* One that never comes must not be overwritten by those behind it. */
TEST(a_full_history_holds_the_sender_up)
{
	struct window *window = create(2, 0x80000000);
	uint32_t hung = issue(window, 1, 0);
	uint64_t issued = 1;

	while (window_room(window)) {
		assert_int_equal(answer(window, issue(window, 2, 1)), WINDOW_RECEIVED);
		issued++;
	}
	assert_int_equal(issued, HISTORY);
	assert_int_equal(answer(window, hung), WINDOW_RECEIVED);
	assert_int_equal(window_room(window), 2);
	window_free(window);
}

/* What the window says against a ledger that remembers everything. */
TEST(every_packet_is_counted_once_under_any_mix)
{
	enum { PACKETS = 50000 };
	struct window *window = create(64, 123456);
	char *fate = calloc(PACKETS, 1); /* 'o'utstanding, 'r'eceived, 'x' lost, 'l'ate */
	uint32_t *tags = calloc(PACKETS, sizeof(*tags));
	uint64_t received = 0, late = 0, lost = 0, duplicates = 0;
	struct window_request request;
	unsigned issued = 0;
	np_time now = 0;

	srandom(1);
	while (issued < PACKETS) {
		unsigned dice = (unsigned)random() % 100;

		now += NP_MILLISECOND;
		if (window_room(window) && dice < 50) {
			tags[issued] = issue(window, issued, now);
			fate[issued++] = 'o';
		} else if (issued) {
			unsigned span = issued < 3000 ? issued : 3000;
			unsigned back = (unsigned)random() % (dice < 90 ? 64 : span);
			unsigned n = issued - 1 - (back < issued ? back : 0);
			enum window_answer what = window_classify(window, tags[n], &request);
			enum window_answer want = fate[n] == 'o'   ? WINDOW_RECEIVED
						  : fate[n] == 'x' ? WINDOW_LATE
								   : WINDOW_DUPLICATE;

			assert_int_equal(answer(window, tags[n]), want);
			if (what == WINDOW_RECEIVED)
				assert_int_equal(request.lba, n);
			received += what == WINDOW_RECEIVED;
			late += what == WINDOW_LATE;
			duplicates += what == WINDOW_DUPLICATE;
			fate[n] = fate[n] == 'o' ? 'r' : fate[n] == 'x' ? 'l' : fate[n];
		}
		while (window_expire(window, now, &request)) {
			assert_int_equal(fate[request.lba], 'o');
			fate[request.lba] = 'x';
			lost++;
		}
		assert_int_equal(issued, received + lost + window_outstanding(window));
	}
	assert_true(received > 1000 && late > 100 && lost > 100 && duplicates > 1000);
	free(fate);
	free(tags);
	window_free(window);
}

/* Whether the next pass finds @lba in flight; *@any: or another place of this one. */
static bool has(const struct window *window, uint64_t lba, bool *any)
{
	const struct window_request next = {.lba = lba, .pass = 1};

	*any = false;
	return window_has(window, &next, any);
}

TEST(a_place_has_one_request_at_a_time)
{
	struct window *window = create(3, 7);
	struct window_request request = {.lba = 100};
	uint32_t tag = issue(window, 100, 0);
	bool any;

	assert_true(has(window, 100, &any) && any);
	assert_true(!has(window, 102, &any) && any);
	assert_false(window_has(window, &request, &any));
	/* Answered, and at once in flight again. */
	assert_int_equal(answer(window, tag), WINDOW_RECEIVED);
	assert_true(!has(window, 100, &any) && !any);
	issue(window, 100, 5);
	assert_true(has(window, 100, &any));
	/* What is lost is not waited for. */
	assert_true(window_expire(window, 5 + TIMEOUT, &request));
	assert_true(!has(window, 100, &any) && !any);
	window_free(window);
}
