// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * flow: counts one publisher's packets, and computes the figures of its life and of the last span;
 * the table of a listener's flows by their source.
 */
#include "flow.h"

#include <stdlib.h>

/* A publisher that answers nothing for this long is gone. */
#define DEATH	 (20 * NP_SECOND)
#define WRAP	 (UINT64_C(1) << 32) /* packet numbers of 32 bits wrap here */
#define AGE_UNIT (10 * NP_MILLISECOND)

/* A valid ack is a time of our own clock. The partner's time to return it is part of it. */
static void count_ack(struct flow *flow, const struct wire_packet *head, np_time now)
{
	np_time raw;

	if (head->ack <= 0)
		return;
	raw = now - head->ack;
	if (raw < 0 || raw > NP_HISTOGRAM_LIMIT)
		return;
	np_flow_ack(flow->account, raw);
	if (!head->run || head->held_us == WIRE_HELD_UNKNOWN)
		return;
	/* Allocated with the first ack: few flows are of peers. */
	if (flow->rtt || !np_histogram_create(&flow->rtt))
		np_histogram_add(flow->rtt, raw - head->held_us * NP_MICROSECOND);
}

void flow_count(struct flow *flow, const struct wire_packet *head, uint64_t count, size_t length,
		np_time now)
{
	const bool acks = head->ack != WIRE_NO_ACK && flow->peer;
	uint64_t number = head->number, first, came;

	flow->packets += count;
	if (flow->ours && !head->run) {
		np_flow_damaged(flow->account, count);
		return;
	}
	flow->wide |= head->wide;
	/*
	 * The first number of ours is taken as it is, since its numbers start with 1: so is 0,
	 * which is stray, and is not unwrapped to 2^32. A foreign flow, or one that started before
	 * us, may later show a lower number, or be beyond 2^32.
	 */
	if (!head->wide &&
	    (number || !flow->ours || flow->late_start || np_flow_received(flow->account)))
		number = np_flow_unwrap(flow->account, (uint32_t)number);
	/* An ack counts only when its packet is no duplicate: that packet is added alone. */
	first = acks ? 1 : count;
	came = np_flow_add(flow->account, number, first, length, head->send_time, now);
	if (acks && came)
		count_ack(flow, head, now);
	if (first < count)
		came += np_flow_add(flow->account, number + first, count - first, length,
				    head->send_time, now);
	flow->heard = now;
	if (flow->reported && flow->end_at)
		flow->after_end += came;
}

void flow_end(struct flow *flow, const struct wire_control *end, np_time now, np_time waited)
{
	const uint64_t last = end->last;
	uint64_t placed = last;

	wire_copies_count(&flow->ends, end->copies);
	/* On the way they may come closer together than they were sent. */
	flow->ends_behind =
		waited < WIRE_END_EVERY / 2 ? 0 : (uint64_t)(waited / WIRE_END_EVERY) + 1;
	flow->sender = end->counts.host;
	flow->headers.sent = end->marks;
	/* A newer run of its source is no END: behind one port there may be several publishers. */
	if (flow->end_at)
		return;
	/*
	 * In a run that started before us the upper halves of the numbers are unknown until END
	 * arrives.
	 */
	if (flow->late_start && !flow->wide && np_flow_received(flow->account)) {
		const uint64_t highest = np_flow_highest(flow->account),
			       ahead = (last - highest) % WRAP;

		placed = ahead < WRAP / 2 ? highest + ahead : highest + ahead - WRAP;
		flow->behind = last - placed;
	}
	(void)np_flow_end(flow->account, placed < UINT64_MAX ? placed + 1 : placed, end->unsent);
	flow->end_at = now;
	flow->last = last;
	flow->ended = true;
}

bool flow_over(struct flow *flow, np_time now)
{
	const np_time last = flow->end_at > flow->heard ? flow->end_at : flow->heard;

	flow->past |= flow->ours && flow->ended;
	return !flow->ours || (flow->past && now - last >= FLOW_KEPT);
}

np_time flow_grace(const struct flow *flow)
{
	struct np_flow_spread spread = {0};

	np_flow_spread(flow->account, &spread);
	return np_flow_grace(&spread);
}

bool flow_accounted(const struct flow *flow, np_time now)
{
	const np_time waited = now - flow->end_at;
	struct np_flow_counts life;

	if (waited < (flow_may_prove(flow) ? FLOW_PROVE_WITHIN : NP_FLOW_GRACE_LEAST))
		return false;
	np_flow_life(flow->account, &life);
	return waited >= flow_grace(flow) || (!life.lost && !life.duplicates);
}

bool flow_alive(const struct flow *flow, np_time now)
{
	const struct flow_clock *clock = &flow->clock;
	np_time sign = clock->answered > flow->heard ? clock->answered : flow->heard;

	return flow->ours && !flow->ended && flow->proven && clock->refused <= sign &&
	       now - sign < DEATH;
}

uint64_t flow_controls_missing(const struct flow *flow)
{
	const struct flow_clock *clock = &flow->clock;

	return wire_copies_missing(&flow->ends) + flow->ends_behind +
	       (clock->asks > clock->replies ? clock->asks - clock->replies : 0);
}

/*
 * For a run that started before its listener: how many packets came before the first one received,
 * if known.
 */
static uint64_t missed_before(const struct flow *flow)
{
	uint64_t first = np_flow_lowest(flow->account);

	if (!flow->late_start || !np_flow_received(flow->account))
		return 0;
	/* How much less its own numbers are than its publisher's, as far as that is known. */
	if (!flow->wide && flow->last)
		first += flow->behind;
	else if (!flow->wide && first > WRAP)
		first -= WRAP;
	/* END may report fewer packets than were received. */
	return first > 0 && first <= INT64_MAX ? first - 1 : 0;
}

void flow_life(const struct flow *flow, struct np_flow_counts *counts)
{
	const uint64_t dropped = np_drops_total(&flow->dropped).packets;

	np_flow_life(flow->account, counts);
	counts->missed_before = missed_before(flow);
	counts->after_end = flow->after_end;
	/*
	 * Without an END nothing shows how many followed the last packet that arrived, but what
	 * this host dropped was sent and lost. Where packets came twice it may have been second
	 * copies.
	 */
	if (counts->sent_known || counts->duplicates || counts->missed_before ||
	    dropped <= counts->lost)
		return;
	counts->sent += dropped - counts->lost;
	counts->lost = dropped;
}

bool flow_clock_reply(struct flow *flow, const struct np_address *source,
		      const struct wire_control *reply, np_time t4)
{
	struct flow_clock *clock = &flow->clock;
	const bool proven = flow->proven;
	unsigned i = 0;

	if (reply->run != flow->run || !np_address_equal(&flow->printed, source))
		return false;
	while (i < FLOW_QUESTIONS && (!reply->t1 || clock->open[i] != reply->t1))
		i++;
	if (i == FLOW_QUESTIONS)
		return false;
	clock->open[i] = 0; /* each request is answered once */
	flow->proven = true;
	clock->replies++;
	clock->answered = t4;
	np_offset_add(&clock->offset, reply->t1, reply->t2, reply->t3, t4);
	np_flow_set_clock(flow->account, &clock->offset);
	return !proven;
}

void flow_report(const struct flow *flow, struct wire_counts *counts)
{
	*counts = (struct wire_counts){
		.lost_host = WIRE_UNKNOWN,
		.host = np_drops_total(&flow->dropped),
		.delay_bound = np_flow_delay_bound(flow->account),
	};
	flow_life(flow, &counts->flow);
	np_histogram_figures(np_flow_delay(flow->account), &counts->delay);
}

void flows_free(struct flows *flows)
{
	for (struct flow *flow = flows->first, *next; flow; flow = next) {
		next = flow->next;
		flows_remove(flows, flow);
	}
}

static struct flow **chain_of(struct flows *flows, uint64_t hash)
{
	return &flows->bucket[hash % FLOWS_BUCKETS].first;
}

/* The chain has another first flow. */
static void note_first(struct flows *flows, uint64_t hash)
{
	const struct flow *first = *chain_of(flows, hash);

	flows->bucket[hash % FLOWS_BUCKETS].account = first ? first->account : NULL;
}

/* The next flow of the source with this hash in the chain, from @flow on. */
static struct flow *next_of(struct flow *flow, uint64_t hash)
{
	while (flow && flow->hash != hash)
		flow = flow->chain;
	return flow;
}

static void found(struct flows *flows, struct flow *flow, const struct np_address *source)
{
	flows->found = flow;
	flows->sought.length = source->length;
	memcpy(&flows->sought.storage, &source->storage, source->length);
}

struct flow *flows_find(struct flows *flows, const struct np_address *source, uint64_t hash,
			uint32_t run)
{
	struct flow *flow = flows->found;

	/* Without a run, only a foreign flow is certain to be the newest of its source. */
	if (flow && flow->run == run && flows->sought.length == source->length &&
	    !memcmp(&flows->sought.storage, &source->storage, source->length))
		return flow;
	if (!hash)
		hash = np_address_hash(source, flows->key);
	flow = next_of(*chain_of(flows, hash), hash);
	while (flow && (run ? flow->run != run : flow->past))
		flow = next_of(flow->chain, hash);
	if (flow)
		found(flows, flow, source);
	return flow;
}

void flows_expect(const struct flows *flows, const struct np_packet *packets, size_t count,
		  uint64_t *hash)
{
	if (flows->count < FLOWS_AHEAD) {
		memset(hash, 0, count * sizeof(*hash));
		return;
	}
	for (size_t i = 0; i < count; i++) {
		hash[i] = np_address_hash(packets[i].source, flows->key);
		__builtin_prefetch(&flows->bucket[hash[i] % FLOWS_BUCKETS]);
	}
	for (size_t i = 0; i < count; i++) {
		__builtin_prefetch(flows->bucket[hash[i] % FLOWS_BUCKETS].first, 1);
		__builtin_prefetch(flows->bucket[hash[i] % FLOWS_BUCKETS].account, 1);
	}
}

/* The nonzero value by which a run of @source is remembered. */
static uint64_t sign_of(uint64_t hash, uint32_t run)
{
	return (hash ^ (uint64_t)run << 32 ^ run) | 1;
}

bool flows_departed(const struct flows *flows, const struct np_address *source, uint32_t run,
		    bool ended)
{
	const uint64_t sign = sign_of(np_address_hash(source, flows->key), run);

	return flows->gone[ended][sign / 2 % FLOWS_GONE] == sign;
}

/* Starts a flow, with packet @head, without delays, which need memory. */
static void begin(struct flows *flows, struct flow *flow, const struct wire_packet *head,
		  np_time now)
{
	struct np_flow_plan plan = {.first = 1, .late = true};

	flow->begun = flow->heard = now;
	if (head->run) {
		flow->ours = true;
		flow->run = head->run;
		flow->alike = *flows_of_run(flows, flow->run);
		*flows_of_run(flows, flow->run) = flow;
		/* Otherwise it started after this listener did, and its first packet was for us. */
		flow->late_start = plan.late =
			head->age == WIRE_AGE_MORE || now - head->age * AGE_UNIT < flows->opened ||
			flows_departed(flows, &flow->source, flow->run, false);
	}
	(void)np_flow_start(flow->account, &plan);
}

struct flow *flows_victim(const struct flows *flows)
{
	struct flow *victim = NULL;

	for (struct flow *flow = flows->first; flow; flow = flow->next) {
		if ((!flow->proven || flow->reported) && (!victim || flow->heard < victim->heard))
			victim = flow;
	}
	return victim;
}

void flows_remove(struct flows *flows, struct flow *flow)
{
	struct flow **link = chain_of(flows, flow->hash);

	while (*link != flow)
		link = &(*link)->chain;
	*link = flow->chain;
	note_first(flows, flow->hash);
	*(flow->prev ? &flow->prev->next : &flows->first) = flow->next;
	*(flow->next ? &flow->next->prev : &flows->last) = flow->prev;
	if (flows->found == flow)
		flows->found = NULL;
	if (flows->turn == flow)
		flows->turn = flow->next;
	flows->count--;
	if (flow->ours) {
		const uint64_t sign = sign_of(flow->hash, flow->run);

		for (link = flows_of_run(flows, flow->run); *link != flow;)
			link = &(*link)->alike;
		*link = flow->alike;
		flows->gone[flow->ended][sign / 2 % FLOWS_GONE] = sign;
	}
	np_flow_free(flow->account);
	np_histogram_free(flow->rtt);
	free(flow);
}

struct flow *flows_add(struct flows *flows, const struct np_address *source,
		       const struct wire_packet *head, np_time now)
{
	const uint64_t hash = np_address_hash(source, flows->key);
	struct flow **chain = chain_of(flows, hash), *before = next_of(*chain, hash), *flow;

	/* Packets without a trailer were ours but damaged, or forged. */
	if (before && !before->ours && head->run) {
		begin(flows, before, head, now);
		np_flow_damaged(before->account, before->packets);
		return before;
	}
	flow = flows->count < FLOWS_MAX ? aligned_alloc(NP_CACHE_LINE, sizeof(*flow)) : NULL;
	if (flow)
		memset(flow, 0, sizeof(*flow));
	if (!flow || np_flow_create(&flow->account, NP_FLOW_WINDOW)) {
		free(flow);
		return NULL;
	}
	flow->hash = hash;
	flow->source = flow->printed = *source;
	if (head->return_port <= UINT16_MAX)
		np_address_set_port(&flow->printed, (uint16_t)head->return_port);
	memcpy(flow->name, np_address_format(&flow->printed).text, sizeof(flow->name));
	begin(flows, flow, head, now);
	for (; before; before = next_of(before->chain, hash))
		before->ended |= !before->proven;
	flow->chain = *chain;
	*chain = flow;
	note_first(flows, hash);
	flow->prev = flows->last;
	*(flows->last ? &flows->last->next : &flows->first) = flow;
	flows->last = flow;
	flows->count++;
	found(flows, flow, source);
	return flow;
}

struct flow *flows_turn(struct flows *flows)
{
	struct flow *flow = flows->turn ? flows->turn : flows->first;

	if (flow)
		flows->turn = flow->next;
	return flow;
}

void flows_end_former(struct flows *flows, const struct flow *flow)
{
	for (struct flow *at = *chain_of(flows, flow->hash); (at = next_of(at, flow->hash));
	     at = at->chain)
		at->ended |= at->begun < flow->begun;
}

size_t flows_count(const struct flows *flows)
{
	size_t count = 0;

	for (const struct flow *flow = flows->first; flow; flow = flow->next)
		count += !flow->past;
	return count;
}
