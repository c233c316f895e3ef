// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a flow counts against a ledger that remembers every arrival and works every figure out anew
 * by its definition, over seeded mixes of loss, duplication, reordering, cuts and jumps.
 */
#include "support/counted_flow.h"
#include "support/unit.h"

#define NARROW	     64 /* the least window */
#define PACKETS_MAX  1500
#define ARRIVALS_MAX (2 * PACKETS_MAX)
#define RUNS	     400

struct arrival {
	uint64_t number;
	uint64_t when;
};

struct ledger {
	struct arrival arrivals[ARRIVALS_MAX];
	size_t count;
	bool expected;
	uint64_t first;
	uint64_t end; /* the last number of the flow, 0: not told */
};

/* One way of mistreating a flow; chances in 1000. */
struct mix {
	const char *name;
	unsigned loss, duplication, reordering, jumps;
	uint64_t delay;	   /* of what is reordered or sent twice, in packets */
	uint64_t distance; /* of jumps */
	bool head, tail;
};

static const struct mix mixes[] = {
	{"clean", 0, 0, 0, 0, 0, 0, false, false},
	{"loss", 100, 0, 0, 0, 0, 0, true, true},
	{"duplication", 0, 200, 0, 0, 30, 0, false, true},
	{"reordering", 0, 0, 300, 0, 60, 0, true, false},
	{"all", 80, 100, 150, 2, 40, 3000, true, true},
	{"heavy", 500, 300, 500, 10, 300, 100000, true, true},
};

static uint64_t random_of(uint64_t *seed, uint64_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (*seed >> 33) % below;
}

static bool chance(uint64_t *seed, unsigned in_1000)
{
	return random_of(seed, 1000) < in_1000;
}

static int by_time(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

/* Sends a flow that begins with @first through @mix. Returns the last number sent. */
static uint64_t send(struct ledger *ledger, const struct mix *mix, uint64_t first, uint64_t *seed)
{
	const uint64_t packets = 1 + random_of(seed, PACKETS_MAX);
	const uint64_t head = mix->head ? random_of(seed, packets / 4 + 1) : 0;
	const uint64_t tail = mix->tail ? random_of(seed, packets / 4 + 1) : 0;
	uint64_t number = first;

	ledger->count = 0;
	for (uint64_t i = 0; i < packets; i++, number++) {
		unsigned copies = 1 + chance(seed, mix->duplication);

		if (chance(seed, mix->jumps))
			number += random_of(seed, mix->distance);
		if (i < head || i >= packets - tail || chance(seed, mix->loss))
			copies = 0;
		for (unsigned j = 0; j < copies; j++) {
			const bool late = j || chance(seed, mix->reordering);

			ledger->arrivals[ledger->count++] = (struct arrival){
				.number = number,
				.when = i + (late ? random_of(seed, mix->delay) : 0),
			};
		}
	}
	qsort(ledger->arrivals, ledger->count, sizeof(ledger->arrivals[0]), by_time);
	return number - 1;
}

/* Whether the @at'th arrival is of a number that came before it. */
static bool came_before(const struct ledger *ledger, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (ledger->arrivals[i].number == ledger->arrivals[at].number)
			return true;
	}
	return false;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* RFC 4737 4.2.2: over the distinct arrivals, from the first higher one to the @at'th. */
static uint64_t extent_of(const struct ledger *ledger, const bool *again, size_t at)
{
	uint64_t since = 0;
	bool found = false;

	for (size_t i = 0; i < at; i++) {
		found |= ledger->arrivals[i].number > ledger->arrivals[at].number;
		since += found && !again[i];
	}
	return since;
}

static void count_reordered(const struct ledger *ledger, const bool *again, size_t at,
			    uint64_t lowest, struct np_flow_counts *is)
{
	const uint64_t number = ledger->arrivals[at].number;
	const uint64_t extent = extent_of(ledger, again, at);

	is->reordered++;
	is->order.offset_sum += distance(is->received, number - lowest + 1);
	is->order.extent_sum += extent;
	if (extent > is->order.extent_max)
		is->order.extent_max = extent;
}

/* The counts after @count arrivals of the numbers from @from on. */
static void work_out(const struct ledger *ledger, size_t count, uint64_t from,
		     struct np_flow_counts *is)
{
	static bool again[ARRIVALS_MAX];
	uint64_t highest = 0, lowest = UINT64_MAX, first = ledger->first;

	memset(is, 0, sizeof(*is));
	is->order.extent_exact = true;
	for (size_t i = 0; i < count; i++) {
		const uint64_t number = ledger->arrivals[i].number;
		const bool counted = number >= from;

		again[i] = came_before(ledger, i);
		is->duplicates += counted && again[i];
		if (counted && !again[i]) {
			is->received++;
			lowest = number < lowest ? number : lowest;
			if (i && number < highest)
				count_reordered(ledger, again, i, lowest, is);
		}
		if (i && number > highest + 1 && counted) {
			is->order.gaps++;
			is->order.gap_packets += number - highest - 1;
			is->order.gap_time +=
				(np_time)(ledger->arrivals[i].when - ledger->arrivals[i - 1].when);
		}
		highest = number > highest ? number : highest;
		if (!ledger->expected && (!i || number < first))
			first = number;
	}
	first = from > first ? from : first;
	highest = ledger->end > highest ? ledger->end : highest;
	if ((count || ledger->expected) && highest >= first)
		is->sent = highest - first + 1;
	is->lost = is->sent - is->received;
}

static void assert_same(const struct np_flow_counts *is, const struct np_flow_counts *must)
{
	assert_int_equal(is->sent, must->sent);
	assert_int_equal(is->received, must->received);
	assert_int_equal(is->bytes, BYTES * must->received);
	assert_int_equal(is->lost, must->lost);
	assert_int_equal(is->duplicates, must->duplicates);
	assert_int_equal(is->reordered, must->reordered);
	assert_int_equal(is->late + is->stray, 0);
	assert_int_equal(is->order.offset_sum, must->order.offset_sum);
	assert_int_equal(is->order.gaps, must->order.gaps);
	assert_int_equal(is->order.gap_packets, must->order.gap_packets);
	assert_int_equal(is->order.gap_time, must->order.gap_time);
}

static void assert_same_extents(const struct np_flow_counts *is, const struct np_flow_counts *must)
{
	assert_true(is->order.extent_exact);
	assert_int_equal(is->order.extent_sum, must->order.extent_sum);
	assert_int_equal(is->order.extent_max, must->order.extent_max);
}

static void compare(struct np_flow *flow, const struct ledger *ledger, size_t count, uint64_t from)
{
	struct np_flow_counts is = life_of(flow), must;

	work_out(ledger, count, 0, &must);
	assert_same(&is, &must);
	assert_same_extents(&is, &must);
	is = now_of(flow);
	work_out(ledger, count, from, &must);
	assert_same(&is, &must);
	assert_same_extents(&is, &must);
}

/* Adds the @at'th arrival, by chance with those that are numbered one behind the other: how many.
 */
static size_t add(struct np_flow *flow, const struct ledger *ledger, size_t at, uint64_t *seed)
{
	const struct arrival *first = &ledger->arrivals[at];
	const size_t most = random_of(seed, 2) ? 1 : 1 + random_of(seed, 200);
	size_t count = 1;

	/* Those behind a gap arrived one by one, as far as its time is concerned. */
	while (first->number == np_flow_highest(flow) + 1 && count < most &&
	       at + count < ledger->count && first[count].number == first->number + count)
		count++;
	np_flow_add(flow, first->number, count, BYTES, 0, (np_time)first[count - 1].when);
	return count;
}

/* As a listener does it: 32 bits of each number, reports now and then, the end told. */
static void run_exact(struct np_flow *flow, struct ledger *ledger, uint64_t last, uint64_t *seed)
{
	uint64_t from = 0;

	for (size_t i = 0; i < ledger->count;) {
		const uint64_t number = ledger->arrivals[i].number;

		assert_int_equal(np_flow_unwrap(flow, (uint32_t)number), number);
		i += add(flow, ledger, i, seed);
		if (!random_of(seed, 200)) {
			compare(flow, ledger, i, from);
			np_flow_mark(flow, 0);
			from = np_flow_highest(flow) + 1;
		}
	}
	compare(flow, ledger, ledger->count, from);
	ledger->end = last;
	assert_true(np_flow_end(flow, last + 1, 0));
	compare(flow, ledger, ledger->count, from);
}

TEST(a_wide_window_knows_all)
{
	/* The last wraps 32 bits in its middle. */
	static const uint64_t begins[] = {1, UINT64_C(1) << 32, (UINT64_C(1) << 33) - 700};
	static struct ledger ledger;
	struct np_flow *flow;
	uint64_t seed = 1;

	assert_int_equal(np_flow_create(&flow, NP_FLOW_WINDOW), 0);
	for (unsigned run = 0; run < RUNS; run++) {
		const struct mix *mix = &mixes[run % (sizeof(mixes) / sizeof(mixes[0]))];
		const uint64_t first = begins[random_of(&seed, 3)];
		const uint64_t last = send(&ledger, mix, first, &seed);

		/* Before the first arrival 32 bits say the second turn. */
		ledger.expected = first == 1 || random_of(&seed, 2) ||
				  (ledger.count && ledger.arrivals[0].number >> 32 != 1);
		ledger.first = ledger.expected ? first : 0;
		ledger.end = 0;
		start(flow, &(struct np_flow_plan){.first = first, .late = !ledger.expected});
		run_exact(flow, &ledger, last, &seed);
	}
	np_flow_free(flow);
}

/* What a narrow window says must be true, and what it does not know lie within its bounds. */
static void compare_bounds(struct np_flow *flow, const struct ledger *ledger, size_t count,
			   uint64_t from)
{
	struct np_flow_counts is = life_of(flow), must;

	for (int i = 0; i < 2; i++) {
		work_out(ledger, count, i ? from : 0, &must);
		assert_int_equal(is.sent, must.sent);
		assert_in_range(must.received, is.received, is.received + is.late);
		assert_in_range(must.lost, is.lost, is.lost + is.late);
		assert_in_range(must.duplicates, is.duplicates, is.duplicates + is.late);
		assert_int_equal(is.order.gaps, must.order.gaps);
		assert_int_equal(is.order.gap_packets, must.order.gap_packets);
		if (!is.late) {
			assert_same(&is, &must);
			assert_true(is.order.extent_sum <= must.order.extent_sum);
			assert_true(is.order.extent_max <= must.order.extent_max);
		}
		if (is.order.extent_exact)
			assert_same_extents(&is, &must);
		is = now_of(flow);
	}
}

static uint64_t late_of(struct np_flow *flow)
{
	return life_of(flow).late;
}

TEST(a_narrow_window_never_lies)
{
	static struct ledger ledger;
	struct np_flow *flow;
	uint64_t seed = 2, late = 0;

	assert_int_equal(np_flow_create(&flow, NARROW), 0);
	for (unsigned run = 0; run < RUNS; run++) {
		const struct mix *mix = &mixes[run % (sizeof(mixes) / sizeof(mixes[0]))];
		uint64_t from = 0;

		send(&ledger, mix, 1, &seed);
		ledger.expected = random_of(&seed, 2);
		ledger.first = ledger.expected;
		ledger.end = 0;
		start(flow, &(struct np_flow_plan){.first = 1, .late = !ledger.expected});
		for (size_t i = 0; i < ledger.count;) {
			const uint64_t number = ledger.arrivals[i].number, before = late_of(flow);
			const size_t count = add(flow, &ledger, i, &seed);

			/* Only what is below the window is not known. */
			if (late_of(flow) > before)
				assert_true(np_flow_highest(flow) - number >= NARROW);
			i += count;
			if (!random_of(&seed, 200)) {
				compare_bounds(flow, &ledger, i, from);
				np_flow_mark(flow, 0);
				from = np_flow_highest(flow) + 1;
			}
		}
		compare_bounds(flow, &ledger, ledger.count, from);
		late += late_of(flow);
	}
	/* Else the mixes did not reach below the window. */
	assert_true(late > 1000);
	np_flow_free(flow);
}
