// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Two conversations beside each other in one process, with two senders on one host: only their
 * sessions tell them apart. Neither counts, answers or ends anything of the other's.
 */
#include "support/ttcp_receiver_desk.h"
#include "support/unit.h"

#define BOTH	 2
#define MESSAGES 200

/* A conversation, and its port. */
struct line {
	struct conversation with;
	struct desk desk;
};

/* Takes @m for whichever conversation has it: exactly one. */
static void pass_to(struct line *line, const struct receiver_source *source,
		    const struct message *m, np_time now)
{
	struct conversation *with = NULL;

	for (unsigned i = 0; i < BOTH; i++) {
		line[i].desk.now = now;
		if (!conversation_has(&line[i].with, m))
			continue;
		assert_null(with);
		with = &line[i].with;
	}
	assert_non_null(with);
	if (m->type == MESSAGE_DATA)
		assert_true(conversation_take_data(with, source, m, 1, now));
	else
		assert_true(conversation_take_end(with, source, m, now));
}

/* Line 0 loses every fourth message, line 1 none; @dies: the sender of line 0, in the middle. */
static void talk(bool dies)
{
	const struct receiver_plan plan = receiving_plan();
	const struct np_address from[BOTH] = {address_of("10.0.0.1:4000"),
					      address_of("10.0.0.1:4001")};
	struct line line[BOTH] = {0};
	np_time now = EPOCH;

	for (unsigned i = 0; i < BOTH; i++) {
		const struct receiver_source source = {.address = &from[i], .bytes = NETWORK_BYTES};
		const struct receiver_port port = {&line[i].desk, answer, read_clock,
						   account,	  notify, record};
		const struct message first = {.type = MESSAGE_DATA, .session = 1 + i, .run = 1};

		line[i].desk.now = now;
		assert_int_equal(conversation_open(&line[i].with, &plan.with, &port), 0);
		assert_int_equal(conversation_begin(&line[i].with, &source, &first, now), 0);
	}
	for (uint64_t number = 0; number <= MESSAGES; number++, now += STEP)
		for (unsigned i = 0; i < BOTH; i++) {
			const struct receiver_source source = {&from[i], NULL, false,
							       NETWORK_BYTES};
			const struct message m = {
				.type = number < MESSAGES ? MESSAGE_DATA : MESSAGE_END,
				.session = 1 + i,
				.run = 1,
				.number = number,
				.time = now,
				.size = NETWORK_BYTES,
			};

			if (i || !((dies && number > 100) || number % 4 == 3))
				pass_to(line, &source, &m, now);
		}
	for (np_time end = now + 21 * NP_SECOND; now < end; now += STEP)
		for (unsigned i = 0; i < BOTH; i++) {
			line[i].desk.now = now;
			conversation_tick(&line[i].with, now);
		}
	for (unsigned i = 0; i < BOTH; i++) {
		const struct np_flow_counts f = conversation_figures(&line[i].with);
		const uint64_t received = i ? MESSAGES : dies ? 76 : MESSAGES * 3 / 4;

		assert_int_equal(line[i].desk.events[RECEIVER_BEGUN], 1);
		assert_int_equal(line[i].desk.events[RECEIVER_FINISHED], 1);
		assert_int_equal(line[i].desk.status,
				 dies && !i ? MESSAGE_TIMED_OUT : MESSAGE_COMPLETE);
		assert_int_equal(f.received, received);
		assert_int_equal(f.lost, i ? 0 : dies ? 25 : MESSAGES / 4);
		assert_int_equal(f.duplicates, 0);
		assert_int_equal(line[i].desk.recorded, received);
		assert_int_equal(line[i].desk.last.type, MESSAGE_REPORT);
		assert_int_equal(line[i].desk.last.session, 1 + i);
		assert_int_equal(line[i].desk.last.report.counts.received, received);
		conversation_close(&line[i].with);
	}
}

TEST(two_at_once)
{
	talk(false);
}

TEST(one_dies)
{
	talk(true);
}
