// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * flow: counts what arrives of one sender, exact to the message: a ring of bits over the latest
 * numbers distinguishes a duplicate from a first arrival, so that neither duplicates nor reordering
 * are ever counted as loss or hide it.
 *
 * Sources: RFC 4737 (reordered: numbered below the next expected one; extent), RFC 5560
 * (duplication), RFC 3357 (loss periods). Numbers are 0..2^63 - 1.
 */
#include <netperf/flow.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define WINDOW_MIN UINT64_C(64)
#define WINDOW_MAX (UINT64_C(1) << 32)
#define GAPS_MAX   UINT64_C(4096)
#define BEYOND	   (UINT64_C(1) << 63) /* no number is this high */
#define WAITING	   8		       /* arrivals that are digested together */

/* What does not add up over both sides of the mark, of the life or of now. */
struct period {
	uint64_t lowest; /* that arrived; before any did, the number expected next */
	uint64_t offset_sum;
};

/* The arrival that passed over missing numbers. */
struct gap {
	uint64_t number;
	uint64_t index; /* among the distinct arrivals, from 1 */
};

struct np_flow {
	/*
	 * There may be many flows, so what an arrival in order touches is in two cache lines: these
	 * fields and its place in @wait. The others are touched once for several arrivals.
	 */
	/* The highest number that arrived + 1; before that the expected one, or 0. */
	_Alignas(NP_CACHE_LINE) uint64_t next;
	uint64_t mark_next; /* lowest number of "now" */
	uint64_t limit;	    /* numbers from here on are stray */
	uint64_t mask;
	uint64_t word;	    /* stands for bits[word_at] */
	uint64_t in_window; /* bits set */
	uint64_t wait_bytes;
	uint32_t word_at;
	uint8_t waiting; /* how many @wait: they count in @in_window, but not in @now yet */
	bool begun;	 /* one with a number has arrived */
	struct {
		np_time sent, at;
	} wait[WAITING];	    /* first arrivals from the mark on, of @wait_bytes each */
	np_time latest;		    /* when the latest one with a number arrived */
	struct np_histogram *delay; /* NULL: none are kept */
	struct np_flow_spread spread;
	struct np_offset clock;
	np_time delay_bound;
	np_time first, last;
	/*
	 * What arrived, by its number: from the mark on, and below it. Without numbers that are
	 * lost, and without @unnumbered ones; old ones are late.
	 */
	struct np_flow_counts now, past;

	uint64_t head_bytes; /* arrived at @first */
	/* The first message, if it came in parts: when it was complete, until the next begins. */
	np_time whole; /* 0: neither */
	uint64_t whole_bytes;
	struct np_flow_plan plan;
	bool ended;
	bool contradicted; /* more had arrived than the end allows */
	bool marked;
	struct period life, since; /* the mark */
	uint64_t lowest;	   /* the plan's first, or in a late flow the lowest that arrived */
	uint64_t arrived;	   /* the first number to arrive; 0 if it was the expected one */
	uint64_t gap_count;
	uint64_t gap_mask;
	struct gap *gaps;
	uint64_t *bits;

	uint64_t end;	   /* as the sender reported */
	uint64_t span_end; /* the farthest such end; 0: none */
	uint64_t unsent;

	np_time mark_time;
	uint64_t unnumbered, unnumbered_before; /* the mark, of these */
};

/* The bytes of the bits and the gaps behind them. */
static size_t mapped(const struct np_flow *f)
{
	return (f->mask + 1) / 8 + (f->gap_mask + 1) * sizeof(*f->gaps);
}

int np_flow_create(struct np_flow **flow, uint64_t window)
{
	uint64_t numbers = WINDOW_MIN, gaps;
	struct np_flow *f;

	*flow = NULL;
	if (window > WINDOW_MAX)
		return -EINVAL;
	while (numbers < window)
		numbers *= 2;
	gaps = numbers < GAPS_MAX ? numbers : GAPS_MAX;
	f = aligned_alloc(NP_CACHE_LINE, sizeof(*f));
	if (!f)
		return -ENOMEM;
	*f = (struct np_flow){.mask = numbers - 1, .gap_mask = gaps - 1};
	/* Not malloc: only pages that are written cost memory, and all are returned when freed. */
	f->bits = mmap(NULL, mapped(f), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (f->bits == MAP_FAILED) {
		free(f);
		return -ENOMEM;
	}
	f->gaps = (struct gap *)(void *)(f->bits + numbers / 64);
	*flow = f;
	return 0;
}

void np_flow_free(struct np_flow *flow)
{
	if (!flow)
		return;
	np_histogram_free(flow->delay);
	munmap(flow->bits, mapped(flow));
	free(flow);
}

/*
 * Writes only to words that are not zero: unused pages stay unallocated, so that many flows take
 * little memory.
 */
static void clear_bits(struct np_flow *f)
{
	for (uint64_t i = 0; f->in_window && i <= f->mask / 64; i++) {
		if (f->bits[i])
			f->bits[i] = 0;
	}
	if (f->bits[f->word_at])
		f->bits[f->word_at] = 0;
	f->in_window = f->word = 0;
}

/* The number after @count numbers from @first on. */
static uint64_t behind(uint64_t first, uint64_t count)
{
	return first < BEYOND && count < BEYOND - first ? first + count : BEYOND;
}

int np_flow_start(struct np_flow *flow, const struct np_flow_plan *plan)
{
	const uint64_t most = plan->announced ? plan->announced : plan->reach;
	const uint64_t first = plan->late || plan->first >= BEYOND ? 0 : plan->first;
	const struct np_offset clock = flow->clock;

	clear_bits(flow);
	*flow = (struct np_flow){
		.mask = flow->mask,
		.bits = flow->bits,
		.gap_mask = flow->gap_mask,
		.gaps = flow->gaps,
		.delay = flow->delay,
		.clock = clock,
		.plan = *plan,
		.limit = most ? behind(plan->first, most) : BEYOND,
		.next = first,
		.lowest = first,
		.past.order.extent_exact = true,
		.now.order.extent_exact = true,
		.life.lowest = first,
		.since.lowest = first,
	};
	if (flow->delay)
		np_histogram_clear(flow->delay);
	if (!plan->raw_delays) {
		np_flow_set_clock(flow, &clock);
		return 0;
	}
	return flow->delay ? 0 : np_histogram_create(&flow->delay);
}

/* The flow starts with its plan's first number, even if that is not the first to arrive. */
static bool is_expected(const struct np_flow *f)
{
	return !f->plan.late && f->plan.first < BEYOND;
}

static uint64_t window_begin(const struct np_flow *f)
{
	return f->next > f->mask ? f->next - f->mask - 1 : 0;
}

/* The word with the bit of @number, until the next call. Pages without a bit stay unwritten. */
static uint64_t *word_of(struct np_flow *f, uint64_t number)
{
	const uint32_t at = (uint32_t)((number & f->mask) / 64);

	if (at != f->word_at) {
		if (f->bits[f->word_at] != f->word)
			f->bits[f->word_at] = f->word;
		f->word_at = at;
		f->word = f->bits[at];
	}
	return &f->word;
}

static uint64_t bit_of(uint64_t number)
{
	return UINT64_C(1) << (number % 64);
}

static void set_bit(struct np_flow *f, uint64_t number)
{
	*word_of(f, number) |= bit_of(number);
	f->in_window++;
}

/* The bits of up to @count numbers from @at on that are in one word; how many to *@width. */
static uint64_t bits_from(uint64_t at, uint64_t count, uint64_t *width)
{
	const uint64_t in_word = 64 - at % 64;

	*width = count < in_word ? count : in_word;
	return (UINT64_MAX >> (64 - *width)) << (at % 64);
}

/* Moves the window up to @number; the numbers it gains are missing. */
static void slide(struct np_flow *f, uint64_t number)
{
	uint64_t at = f->next, width;

	f->next = number + 1;
	if (number - at > f->mask) {
		clear_bits(f);
		return;
	}
	for (; at <= number; at += width) {
		const uint64_t clear = bits_from(at, number - at + 1, &width);
		uint64_t *word = word_of(f, at);
		const uint64_t leaving = *word & clear;

		/* Counting bits is the most expensive part, and wide jumps meet few set bits. */
		if (leaving) {
			f->in_window -= (uint64_t)__builtin_popcountll(leaving);
			*word &= ~clear;
		}
	}
}

/*
 * Counts the arrivals of @count numbers from @first on if they are the next ones and fit in the
 * window: their bits were those of the numbers that leave it. Costs as much for many as for one.
 */
static inline bool add_next(struct np_flow *f, uint64_t first, uint64_t count)
{
	uint64_t width;

	if (first != f->next || first < f->mark_next || count > f->mask + 1)
		return false;
	f->next += count;
	for (; count; first += width, count -= width) {
		const uint64_t bits = bits_from(first, count, &width);
		uint64_t *word = word_of(f, first);
		const uint64_t coming = bits & ~*word;

		if (coming) {
			f->in_window +=
				coming == bits ? width : (uint64_t)__builtin_popcountll(coming);
			*word |= coming;
		}
	}
	return true;
}

/* Those with numbers. */
static uint64_t arrivals(const struct np_flow *f)
{
	return f->past.received + f->now.received + f->waiting;
}

/* An arrival of a number below the mark corrects the life alone. */
static struct np_flow_counts *side_of(struct np_flow *f, uint64_t number)
{
	return number < f->mark_next ? &f->past : &f->now;
}

/*
 * The index of the first arrival above the missing @number: always one that passed over some. If
 * old gaps were forgotten it is the oldest known, and not *@exact.
 */
static uint64_t first_above(const struct np_flow *f, uint64_t number, bool *exact)
{
	const uint64_t kept = f->gap_mask + 1;
	uint64_t above = f->gap_count - 1; /* known to be above */
	uint64_t from = f->gap_count > kept ? f->gap_count - kept : 0;

	if (number < f->arrived)
		return 1;
	if (from && f->gaps[from & f->gap_mask].number > number) {
		*exact = false;
		return f->gaps[from & f->gap_mask].index;
	}
	/* Mostly it is the latest gap. */
	if (above > from && f->gaps[(above - 1) & f->gap_mask].number < number)
		from = above;
	while (from < above) {
		const uint64_t middle = from + (above - from) / 2;

		if (f->gaps[middle & f->gap_mask].number > number)
			above = middle;
		else
			from = middle + 1;
	}
	return f->gaps[above & f->gap_mask].index;
}

/* Adds one reordered message to @period, in which it is the @received'th. */
static void add_to_period(struct period *period, uint64_t number, uint64_t received)
{
	uint64_t place;

	if (number < period->lowest)
		period->lowest = number;
	place = number - period->lowest + 1;
	period->offset_sum += received > place ? received - place : place - received;
}

/*
 * How many numbers are missing below the window, on the same side of the mark as @number and above
 * the lowest that arrived there: which ones they are is no longer known.
 */
static uint64_t missing_below_window(const struct np_flow *f, uint64_t number)
{
	const uint64_t begin = window_begin(f);
	const struct np_flow_counts *past = &f->past, *now = &f->now;

	if (number >= f->mark_next)
		return begin - f->since.lowest - (now->received - f->in_window) - now->late;
	if (begin >= f->mark_next)
		return f->mark_next - f->life.lowest - past->received - past->late;
	return begin - f->life.lowest - (arrivals(f) - f->in_window) - past->late - now->late;
}

/* Counts a number below the highest; returns whether it arrived for the first time. */
static bool add_behind(struct np_flow *f, uint64_t number)
{
	struct np_flow_counts *side = side_of(f, number);
	const uint64_t lowest = side == &f->now ? f->since.lowest : f->life.lowest;
	const bool inside = number >= window_begin(f);
	const uint64_t received = arrivals(f) + 1;
	uint64_t extent;

	/* A number lower than all that arrived is new, however far below the window. */
	if (number >= lowest && (!inside || *word_of(f, number) & bit_of(number))) {
		if (inside || number == lowest || !missing_below_window(f, number))
			side->duplicates++;
		else
			side->late++;
		return false;
	}
	extent = received - first_above(f, number, &side->order.extent_exact);
	side->reordered++;
	side->order.extent_sum += extent;
	if (extent > side->order.extent_max)
		side->order.extent_max = extent;
	if (inside)
		set_bit(f, number);
	if (number < f->lowest)
		f->lowest = number;
	add_to_period(&f->life, number, received);
	if (side == &f->now)
		add_to_period(&f->since, number, side->received + 1);
	return true;
}

void np_flow_ack(struct np_flow *flow, np_time round_trip)
{
	flow->now.acks++;
	flow->now.ack_time += (uint64_t)round_trip;
}

static void open_at(struct np_flow *f, uint64_t bytes, np_time at)
{
	/* Behind a pause longer than it took to arrive the time starts with the whole of it. */
	if (f->whole && at - f->whole > f->whole - f->first) {
		f->first = f->whole;
		f->head_bytes = f->whole_bytes;
	}
	f->whole = 0;
	if (!f->first)
		f->first = at;
	if (at == f->first)
		f->head_bytes += bytes;
}

/* @bytes: of first arrivals. */
static void arrive(struct np_flow *f, uint64_t bytes, np_time at)
{
	open_at(f, bytes, at);
	if (!f->last && at > f->first) {
		f->whole = at;
		f->whole_bytes = bytes;
	}
	if (at > f->last)
		f->last = at;
}

static void widen(struct np_flow_spread *spread, np_time least, np_time most)
{
	if (!spread->known || least < spread->least)
		spread->least = least;
	if (!spread->known || most > spread->most)
		spread->most = most;
	spread->known = true;
}

/* Counts the delays of @times first arrivals. */
static void count_delays(struct np_flow *f, uint64_t times, np_time sent, np_time at)
{
	const np_time raw = np_delay_between(sent, at);
	np_time bound, delay;

	widen(&f->spread, raw, raw);
	if (f->delay && f->plan.raw_delays)
		np_delay_add(f->delay, raw, times);
	if (!f->delay || f->plan.raw_delays || !f->clock.known)
		return;
	/* The clocks' error must not make a delay negative. */
	delay = at - np_offset_correct(&f->clock, sent);
	bound = f->clock.bound ? np_offset_bound(&f->clock, at) : 0;
	if (bound > f->delay_bound)
		f->delay_bound = bound;
	np_delay_add(f->delay, delay > 0 ? delay : 0, times);
}

/* Counts @count arrivals that were in order. */
static void digest(struct np_flow *f, uint64_t count, uint64_t bytes, np_time sent, np_time at)
{
	f->now.received += count;
	f->now.bytes += count * bytes;
	f->latest = at;
	arrive(f, count * bytes, at);
	count_delays(f, count, sent, at);
}

/* Counts those that wait. */
static void settle(struct np_flow *f)
{
	for (unsigned i = 0; i < f->waiting; i++)
		digest(f, 1, f->wait_bytes, f->wait[i].sent, f->wait[i].at);
	f->waiting = 0;
}

void np_flow_set_clock(struct np_flow *flow, const struct np_offset *clock)
{
	settle(flow);
	flow->clock = *clock;
	/* Without memory there are no delays until the next time. */
	if (clock->known && !flow->delay)
		(void)np_histogram_create(&flow->delay);
	if (flow->delay)
		np_delay_expect(flow->delay, &(struct np_offset){.known = true});
}

void np_flow_open(struct np_flow *flow, uint64_t bytes, np_time at)
{
	settle(flow);
	open_at(flow, bytes, at);
}

/* Counts one that is not the next; returns whether it arrived for the first time. */
static bool add_any(struct np_flow *f, uint64_t number, uint64_t bytes, np_time at)
{
	struct np_flow_counts *side = side_of(f, number);
	struct np_flow_order *order = &side->order;
	bool first = true;

	if (number >= f->limit || (is_expected(f) && number < f->lowest)) {
		side->stray++;
		return false;
	}
	if (!f->begun) {
		f->begun = true;
		if (!is_expected(f))
			f->lowest = number;
		f->arrived = number;
		f->life.lowest = number;
		f->next = number;
	} else if (number > f->next) {
		order->gaps++;
		order->gap_packets += number - f->next;
		order->gap_time += at - f->latest;
		f->gaps[f->gap_count++ & f->gap_mask] =
			(struct gap){.number = number, .index = arrivals(f) + 1};
	}
	f->latest = at;
	if (number < f->next) {
		first = add_behind(f, number);
	} else {
		if (number >= f->mark_next && !f->now.received)
			f->since.lowest = number;
		slide(f, number);
		set_bit(f, number);
	}
	side->received += first;
	side->bytes += first ? bytes : 0;
	arrive(f, first ? bytes : 0, at);
	return first;
}

/* @number arrived for the first time. */
static void move_limit(struct np_flow *f, uint64_t number)
{
	/* In an unannounced flow, trusting one such number would mean the loss of all before it. */
	if (f->limit < BEYOND && f->plan.reach && !f->plan.announced && !f->ended &&
	    behind(number, f->plan.reach) > f->limit)
		f->limit = behind(number, f->plan.reach);
}

uint64_t np_flow_add(struct np_flow *flow, uint64_t first, uint64_t count, uint64_t bytes,
		     np_time sent, np_time at)
{
	uint64_t came = 0;

	if (first < flow->limit && count && count <= flow->limit - first &&
	    add_next(flow, first, count)) {
		flow->begun = true;
		move_limit(flow, first + count - 1);
		if (count > 1 || bytes != flow->wait_bytes || flow->waiting == WAITING)
			settle(flow);
		if (count > 1) {
			digest(flow, count, bytes, sent, at);
			return count;
		}
		flow->wait_bytes = bytes;
		flow->wait[flow->waiting].sent = sent;
		flow->wait[flow->waiting++].at = at;
		return 1;
	}
	if (count != 1) {
		for (uint64_t i = 0; i < count; i++)
			came += np_flow_add(flow, first + i, 1, bytes, sent, at);
		return came;
	}
	settle(flow);
	if (!add_any(flow, first, bytes, at))
		return 0;
	move_limit(flow, first);
	count_delays(flow, 1, sent, at);
	return 1;
}

void np_flow_add_unnumbered(struct np_flow *flow, uint64_t count, uint64_t bytes, np_time at)
{
	settle(flow);
	flow->unnumbered += count;
	flow->now.bytes += bytes;
	arrive(flow, bytes, at);
}

void np_flow_damaged(struct np_flow *flow, uint64_t count)
{
	flow->now.damaged += count;
}

void np_flow_stray(struct np_flow *flow, uint64_t count)
{
	flow->now.stray += count;
}

/* The number after the highest of those that must have been sent; 0: there is none. */
static uint64_t end_of(const struct np_flow *f)
{
	if (!is_expected(f) && !f->begun)
		return 0;
	return f->span_end > f->next ? f->span_end : f->next;
}

bool np_flow_end(struct np_flow *flow, uint64_t end, uint64_t unsent)
{
	if (end > flow->limit)
		return false;
	flow->contradicted |= np_flow_received(flow) && np_flow_highest(flow) >= end;
	flow->ended = true;
	flow->end = end;
	flow->unsent = unsent;
	flow->limit = end;
	if (end > flow->plan.first && end > flow->span_end)
		flow->span_end = end;
	return true;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

bool np_flow_complete(const struct np_flow *flow)
{
	const uint64_t end = above(flow->end, flow->plan.first);
	const uint64_t all = flow->ended ? end : flow->plan.announced;

	return (flow->ended || all) && np_flow_received(flow) + flow->unsent >= all;
}

uint64_t np_flow_received(const struct np_flow *flow)
{
	return arrivals(flow) + flow->unnumbered;
}

uint64_t np_flow_lowest(const struct np_flow *flow)
{
	return flow->lowest;
}

uint64_t np_flow_highest(const struct np_flow *flow)
{
	return above(end_of(flow), 1);
}

uint64_t np_flow_unwrap(const struct np_flow *flow, uint32_t number32)
{
	if (flow->begun) {
		const uint64_t highest = flow->next - 1;

		return highest + (uint64_t)(int32_t)(number32 - (uint32_t)highest);
	}
	if (is_expected(flow))
		return flow->lowest + (number32 - (uint32_t)flow->lowest);
	return (UINT64_C(1) << 32) + number32;
}

struct np_histogram *np_flow_delay(struct np_flow *flow)
{
	settle(flow);
	return flow->delay;
}

np_time np_flow_delay_bound(struct np_flow *flow)
{
	settle(flow);
	return flow->delay_bound;
}

void np_flow_spread(struct np_flow *flow, struct np_flow_spread *spread)
{
	settle(flow);
	if (flow->spread.known)
		widen(spread, flow->spread.least, flow->spread.most);
}

/*
 * Completes @c, which has what arrived with a number from @from on, by what is lost and by
 * @unnumbered ones.
 */
static void complete(const struct np_flow *f, uint64_t from, uint64_t unnumbered,
		     struct np_flow_counts *c)
{
	const uint64_t least = from > f->lowest ? from : f->lowest;
	/*
	 * Each old one is assumed to be one that was missing: between lost and lost + late never
	 * arrived.
	 */
	uint64_t lost = above(end_of(f), least) - c->received - c->late;
	uint64_t unsent;

	/*
	 * Numbers beyond what the sender says that it numbered were never its own: they, and the
	 * gap before them, are no loss. Nor are, in a late flow, those below the first that
	 * arrived.
	 */
	if (f->contradicted)
		lost = np_least(lost, above(above(f->end, f->plan.late ? f->lowest : f->plan.first),
					    np_flow_received(f) + c->late));
	/*
	 * Those that never left the sender are not lost; but those that arrived, or must have been
	 * sent, did leave it. Since a mark behind the end nothing is lost.
	 */
	unsent = np_least(f->unsent, lost);
	lost -= f->plan.late ? 0 : unsent;
	c->flows = 1;
	c->lost = lost;
	c->received += unnumbered;
	c->sent = c->received + lost + c->late;
	c->sent_known = !f->contradicted && (f->ended || np_flow_complete(f));
	c->unsent = f->plan.late ? 0 : unsent;
	c->unsent_perhaps = f->plan.late ? unsent : 0;
	c->order.extent_exact &= !f->past.late && !f->now.late;
}

void np_flow_life(struct np_flow *flow, struct np_flow_counts *counts)
{
	settle(flow);
	*counts = flow->past;
	np_schema_add(np_flow_columns, counts, &flow->now);
	counts->order.offset_sum = flow->life.offset_sum;
	complete(flow, 0, flow->unnumbered, counts);
	/* In a late flow: what its sender had numbered before the first one that arrived. */
	if (flow->plan.late)
		counts->missed_before =
			above(flow->begun ? flow->lowest : flow->end, flow->plan.first);
	counts->first = flow->first;
	counts->last = flow->last;
	/* A flow with only an opened message has no end. */
	counts->elapsed = flow->last > flow->first ? flow->last - flow->first : 0;
	counts->head_bytes = np_least(flow->head_bytes, counts->bytes);
}

void np_flow_now(struct np_flow *flow, struct np_flow_counts *counts)
{
	settle(flow);
	*counts = flow->now;
	counts->order.offset_sum = flow->since.offset_sum;
	complete(flow, flow->mark_next, flow->unnumbered - flow->unnumbered_before, counts);
	counts->first = flow->marked ? flow->mark_time : flow->first;
	counts->last = flow->last > counts->first ? flow->last : counts->first;
	counts->elapsed = counts->last - counts->first;
	if (!flow->marked)
		counts->head_bytes = np_least(flow->head_bytes, counts->bytes);
}

void np_flow_mark(struct np_flow *flow, np_time now)
{
	settle(flow);
	np_schema_add(np_flow_columns, &flow->past, &flow->now);
	flow->now = (struct np_flow_counts){.order.extent_exact = true};
	if (is_expected(flow) || flow->begun)
		flow->mark_next = end_of(flow);
	flow->since = (struct period){.lowest = flow->mark_next};
	flow->unnumbered_before = flow->unnumbered;
	flow->mark_time = now;
	flow->marked = true;
}
