// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* counted_flow: messages of a made-up sender arrive at a flow. */
#include "counted_flow.h"

#include <ctype.h>
#include <inttypes.h>

int create_flow(void **state)
{
	struct np_flow *flow;

	assert_int_equal(np_flow_create(&flow, 1024), 0);
	*state = flow;
	return np_flow_start(flow, &(struct np_flow_plan){.first = 1});
}

int destroy_flow(void **state)
{
	np_flow_free(*state);
	np_flow_free(NULL);
	return 0;
}

void start(struct np_flow *flow, const struct np_flow_plan *plan)
{
	assert_int_equal(np_flow_start(flow, plan), 0);
}

uint64_t arrive(struct np_flow *flow, uint64_t number)
{
	/* Of a number beyond all others the time does not matter. */
	const np_time sent = BEGIN + (np_time)(number & UINT32_MAX) * MS;

	return np_flow_add(flow, number, 1, BYTES, sent, sent + MS);
}

void arrive_all(struct np_flow *flow, uint64_t from, uint64_t to)
{
	for (uint64_t n = from; n <= to; n++)
		assert_int_equal(arrive(flow, n), 1);
}

/* How an arrival between the two counts was classed. */
static char class_of(const struct np_flow_counts *before, const struct np_flow_counts *after)
{
	struct np_flow_counts c = *after;

	np_flow_counts_since(&c, before);
	if (c.order.gaps)
		return 'g';
	if (c.reordered)
		return 'r';
	if (c.received)
		return 'n';
	if (c.duplicates)
		return 'd';
	return c.late ? 'l' : c.stray ? 's' : '?';
}

/* The numbers of a word, one by one. Returns what is behind it. */
static const char *play_numbers(struct np_flow *flow, const char *word)
{
	char *end;
	uint64_t number = strtoull(word, &end, 10), last = number;
	np_time at = -1;

	if (*end == '+') {
		const np_time sent = BEGIN + (np_time)number * MS;

		np_flow_add(flow, number, strtoull(end + 1, &end, 10), BYTES, sent, sent + MS);
		return end;
	}
	if (*end == '-')
		last = strtoull(end + 1, &end, 10);
	if (*end == '@')
		at = BEGIN + (np_time)strtoull(end + 1, &end, 10) * MS;
	do {
		const struct np_flow_counts before = life_of(flow);
		struct np_flow_counts after;

		if (at < 0)
			(void)arrive(flow, number);
		else
			(void)np_flow_add(flow, number, 1, BYTES, 0, at);
		after = life_of(flow);
		if (isalpha((unsigned char)*end))
			assert_int_equal(class_of(&before, &after), *end);
	} while (number++ != last);
	return end + (isalpha((unsigned char)*end) != 0);
}

void play(struct np_flow *flow, const char *script)
{
	for (; *script; script += strspn(script, " ")) {
		const bool refused = *script == '!';
		const char verb = script[refused];
		uint64_t number;
		char *end;

		if (isdigit((unsigned char)verb)) {
			script = play_numbers(flow, script);
			continue;
		}
		end = (char *)script + refused + 1;
		number = isdigit((unsigned char)*end) ? strtoull(end, &end, 10) : 0;
		if (verb == 'M')
			np_flow_mark(flow, BEGIN + (np_time)number * MS);
		else if (verb == 'D')
			np_flow_damaged(flow, number);
		else if (verb == 'S')
			np_flow_stray(flow, number);
		else
			assert_int_equal(np_flow_end(flow, number + 1,
						     *end == '/' ? strtoull(end + 1, &end, 10) : 0),
					 !refused);
		script = end;
	}
}

const char *text_of(const struct np_flow_counts *counts)
{
	static char text[512];
	size_t at = 0;

	text[0] = '\0';
	for (const struct np_column *c = np_flow_columns; strcmp(c->name, "first") != 0; c++) {
		const void *value = (const char *)counts + c->offset;

		if (c->kind != NP_COLUMN_ALL && c->kind != NP_COLUMN_GAUGE &&
		    *(const int64_t *)value)
			at += (size_t)sprintf(text + at, " %s %" PRId64, c->name,
					      *(const int64_t *)value);
	}
	if (counts->first)
		at += (size_t)sprintf(text + at, " at %g-%g", (double)(counts->first - BEGIN) / MS,
				      (double)(counts->last - BEGIN) / MS);
	if (counts->elapsed)
		at += (size_t)sprintf(text + at, " for %g", (double)counts->elapsed / MS);
	sprintf(text + at, "%s%s%s", counts->sent_known ? " known" : "",
		np_flow_counts_exact(counts) ? " exact" : "",
		counts->order.extent_exact || !counts->reordered ? "" : " extents at least");
	return text;
}

struct np_flow_counts life_of(struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_life(flow, &c);
	assert_int_equal(c.flows, 1);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

struct np_flow_counts now_of(struct np_flow *flow)
{
	struct np_flow_counts c;

	np_flow_now(flow, &c);
	assert_int_equal(c.sent, c.received + c.lost + c.late);
	return c;
}

void assert_equal(struct np_flow_counts x, const struct np_flow_counts *y)
{
	assert_true(x.flows == y->flows && x.sent_known == y->sent_known);
	assert_true(x.first == y->first && x.last == y->last && x.elapsed == y->elapsed);
	assert_true(x.order.extent_max == y->order.extent_max);
	assert_true(x.order.extent_exact == y->order.extent_exact);
	np_flow_counts_since(&x, y);
	assert_true(np_flow_counts_empty(&x));
	assert_false(x.unsent | x.unsent_perhaps | x.missed_before | x.head_bytes);
	assert_false(x.order.offset_sum | x.order.gaps | x.order.gap_packets | x.order.extent_sum |
		     (uint64_t)x.order.gap_time);
}
