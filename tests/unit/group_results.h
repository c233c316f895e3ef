/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* group_results: a made-up run of group-test, the one of the user's own sample, for unit tests. */
#pragma once

#include "../../src/group-test/wire/result.h"
#include "group_who.h"

#include <stdlib.h>

#define MS	NP_MILLISECOND
#define SENT	20000
#define PAYLOAD 1000

/* SENT messages, all of them here, within @elapsed from @first on. */
static inline struct result_row row_of(const char *sender, np_time first, np_time elapsed)
{
	struct result_row row = {.sender = who(sender), .exact = true, .ended = true};

	row.counts.flows = 1;
	row.counts.sent = row.counts.received = SENT;
	row.counts.bytes = (uint64_t)SENT * PAYLOAD;
	row.counts.first = first;
	row.counts.last = first + elapsed;
	return row;
}

/* @count rows, the last one's end being what "combined" ends at. */
static inline void fill_member(struct result_member *m, const char *name,
			       const struct result_row *rows, size_t count)
{
	*m = (struct result_member){.who = who(name), .reported = true, .rows = count};
	m->row = calloc(count, sizeof(*m->row));
	assert_non_null(m->row);
	for (size_t i = 0; i < count; i++)
		m->row[i] = rows[i];
}

#define RECEIVER_A "172.16.130.33:33415"
#define RECEIVER_B "172.16.128.33:18532"
#define SENDER_A   "172.16.132.33:51062"
#define SENDER_B   "172.16.128.33:18535"

/* As in the sample: times of both senders and from the first to the last of both, in ms. */
static inline void fill_sample(struct result_member *m, const char *name, np_time a, np_time b,
			       np_time both)
{
	const struct result_row rows[] = {
		row_of(SENDER_A, 1000 * MS, a * MS),
		row_of(SENDER_B, (1000 + both - b) * MS, b * MS),
	};

	fill_member(m, name, rows, 2);
}

static inline void result_free(struct result *r)
{
	for (size_t i = 0; i < r->members; i++)
		free(r->member[i].row);
	free(r->member);
	free(r->sender);
}

/* One of a block, which is freed at its end. */
#define RESULT __attribute__((cleanup(result_free))) struct result

static inline struct result sample_result(void)
{
	struct result r = {.members = 4, .senders = 2, .complete = true};

	r.member = calloc(r.members, sizeof(*r.member));
	r.sender = calloc(r.senders, sizeof(*r.sender));
	assert_non_null(r.member);
	assert_non_null(r.sender);
	r.sender[0] = who(SENDER_A);
	r.sender[1] = who(SENDER_B);
	r.sent = SENT;
	fill_sample(&r.member[0], SENDER_A, 6305, 6192, 6374);
	fill_sample(&r.member[1], RECEIVER_B, 6401, 6330, 6425);
	fill_sample(&r.member[2], SENDER_B, 6304, 6263, 6372);
	fill_sample(&r.member[3], RECEIVER_A, 6375, 6213, 6398);
	r.member[0].sender = r.member[2].sender = r.member[2].myself = true;
	return r;
}
