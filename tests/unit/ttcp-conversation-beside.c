// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Two conversations beside each other in one process, with two senders on one host: only their
 * sessions tell them apart. Neither counts, answers or ends anything of the other's.
 */
#include "support/ttcp_end.h"
#include "support/unit.h"

#include <string.h>

#define BOTH	 2
#define MESSAGES 200

static struct end line[BOTH];
static np_time now;

/* Takes @m for whichever conversation has it: exactly one. */
static void pass_to(const struct receiver_source *source, const struct message *m)
{
	struct conversation *with = NULL;

	for (unsigned i = 0; i < BOTH; i++) {
		if (!line[i].with || !conversation_has(line[i].with, m))
			continue;
		assert_null(with);
		with = line[i].with;
	}
	assert_non_null(with);
	if (m->type == MESSAGE_DATA)
		assert_true(conversation_take_data(with, source, m, 1, false, now));
	else
		assert_true(conversation_take_end(with, source, m, now));
}

/* Line 0 loses every fourth message, line 1 none; @dies: the sender of line 0, in the middle. */
static void talk(bool dies)
{
	const struct receiver_plan plan = {.datagrams = true, .senders = 1};
	const struct np_address from[BOTH] = {address_of("10.0.0.1:4000"),
					      address_of("10.0.0.1:4001")};

	now = EPOCH;
	for (uint64_t number = 0; number <= MESSAGES; number++, now += STEP)
		for (unsigned i = 0; i < BOTH; i++) {
			const struct receiver_source source = {.address = &from[i],
							       .bytes = DATA_BYTES};
			const struct message m = {
				.type = number < MESSAGES ? MESSAGE_DATA : MESSAGE_END,
				.session = 1 + i,
				.run = 1,
				.number = number,
				.time = now,
				.size = DATA_BYTES,
			};

			if (!number) {
				end_receive(&line[i], &plan, &now);
				conversation_begin(line[i].with, &source, &m, now);
			}
			if (i || !((dies && number > 100) || number % 4 == 3))
				pass_to(&source, &m);
		}
	for (np_time end = now + 21 * NP_SECOND; now < end; now += STEP)
		for (unsigned i = 0; i < BOTH; i++)
			conversation_tick(line[i].with, now);
	for (unsigned i = 0; i < BOTH; i++) {
		const struct np_flow_counts f = conversation_figures(line[i].with);
		const uint64_t received = i ? MESSAGES : dies ? 76 : MESSAGES * 3 / 4;

		assert_int_equal(end_said(&line[i], "Start to receive"), 1);
		assert_int_equal(line[i].session.runs, 1);
		assert_int_equal(line[i].with->run.report.status, i	 ? MESSAGE_COMPLETE
								  : dies ? MESSAGE_TIMED_OUT
									 : MESSAGE_SHORT);
		assert_int_equal(f.received, received);
		assert_int_equal(f.lost, i ? 0 : dies ? 25 : MESSAGES / 4);
		assert_int_equal(f.duplicates, 0);
		assert_int_equal(line[i].last.type, MESSAGE_REPORT);
		assert_int_equal(line[i].last.session, 1 + i);
		assert_int_equal(line[i].last.report.counts.received, received);
	}
	ends_close();
	memset(line, 0, sizeof(line));
}

TEST(two_at_once)
{
	talk(false);
}

TEST(one_dies)
{
	talk(true);
}
