// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* publisher: the sending loop of one local address. */
#include "publisher_state.h"

#include "end_handshake.h"

#include <poll.h>

#define POLITE_LOOK 100 /* ms */

/* xorshift64: packet sizes need spread, not secrecy. */
static size_t random_size(struct publisher *p)
{
	const struct packet_options *o = &p->plan.options->packet;

	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return o->shortest_bytes + p->random % (o->packet_bytes - o->shortest_bytes + 1);
}

static unsigned rounds_left(const struct publisher *p)
{
	uint64_t limit = p->plan.options->publish.iterations;

	if (limit && limit - p->result.rounds < p->batch_rounds)
		return (unsigned)(limit - p->result.rounds);
	return p->batch_rounds;
}

static void start_pace(struct publisher *p, np_time now)
{
	double batch_bytes = p->batch_rounds * options_mean_bytes(&p->plan.options->packet);

	pace_start(&p->pace, p->plan.rate_bytes_per_s, (uint64_t)batch_bytes, now);
}

/* The publishing time starts when the first contact allows sending. */
static void begin_time(struct publisher *p, np_time now)
{
	np_time duration = p->plan.options->publish.duration;

	if (p->first)
		return;
	p->first = now;
	if (duration)
		p->deadline = now + duration;
}

/* Returns false if the run is over before the listener received anything. */
static bool wait_politely(struct publisher *p)
{
	struct shared *shared = p->plan.shared;
	struct pollfd wake = {.fd = shared->publisher_wake, .events = POLLIN};
	FILE *text;

	if (atomic_load(&shared->go))
		return true;
	text = report_text_begin(p->plan.reporter);
	if (text) {
		fputs("waiting for listener to be contacted before publishing\n", text);
		report_text_end(p->plan.reporter);
	}
	while (!atomic_load(&shared->go) && !publisher_over(p) && np_clock_now() < p->deadline) {
		if (poll(&wake, 1, POLITE_LOOK) > 0)
			shared_woken(wake.fd);
	}
	start_pace(p, np_clock_now());
	return !publisher_over(p);
}

static bool done(struct publisher *p, np_time now)
{
	uint64_t limit = p->plan.options->publish.iterations;

	p->result.limit_reached = limit && p->result.rounds >= limit;
	return p->result.limit_reached || now >= p->deadline || publisher_over(p);
}

/* Sends rounds to every peer, as long as there is time. */
static np_time round_of(struct publisher *p, unsigned rounds)
{
	uint64_t first = p->result.rounds + 1;
	np_time now = np_clock_now();

	for (size_t i = 0; i < p->plan.peers->count && !publisher_over(p) && now < p->deadline;
	     i++) {
		unsigned meant = send_batch(p, i, first, rounds);

		if (meant && p->result.rounds < first - 1 + meant)
			p->result.rounds = first - 1 + meant;
		now = np_clock_now();
	}
	return now;
}

/* Paced, n packets take n intervals: adds the one after the last packet. */
static void count_intervals(struct publisher *p)
{
	np_time due = np_pacer_next(&p->pace.pacer);

	if (p->plan.rate_bytes_per_s > 0 && p->result.packets > 1 && due > p->first &&
	    due - p->first > p->result.elapsed)
		p->result.elapsed = due - p->first;
}

/* One iteration sends a batch of rounds to every peer; the clock is read before each send. */
static void publish(struct publisher *p)
{
	bool polite = p->plan.options->publish.polite;
	np_time now = np_clock_now();

	p->begin = now;
	p->deadline = NP_TIME_NEVER;
	pace_open(&p->pace);
	start_pace(p, now);
	np_interval_start(&p->interval, now, p->plan.options->report.interval);
	while (!done(p, now)) {
		unsigned rounds = rounds_left(p);

		if (polite && !wait_politely(p))
			break;
		begin_time(p, np_clock_now());
		if (p->plan.options->packet.random)
			p->layout.packet_bytes = random_size(p);
		now = round_of(p, rounds);
		p->result.elapsed = now - p->first;
		send_batch_look_for_reports(p, now);
	}
	p->result.worst_behind = p->pace.worst_behind;
	count_intervals(p);
}

static void say_limit_reached(const struct publisher *p)
{
	FILE *text;

	if (!p->result.limit_reached || !p->plan.reporter->newest)
		return;
	text = report_text_begin(p->plan.reporter);
	if (!text)
		return;
	fputs("\niteration limit reached\n", text);
	report_text_end(p->plan.reporter);
}

/*
 * Reads how many packets the kernel accepted and then lost for lack of memory, over all sockets of
 * this host.
 */
static void count_kernel(struct publisher *p)
{
	struct np_datagram_kernel now;

	if (!np_datagram_kernel_counts(&now))
		p->result.send_buffer_errors =
			now.send_buffer_errors - p->kernel.send_buffer_errors;
}

/*
 * What this host lost of the packets that were sent: what it dropped, less what it told the sender,
 * which sent it again or gave it up.
 */
static struct np_drops_total lost_here(const struct np_drops_counts *dropped,
				       const struct np_datagram_stats *stats, bool several)
{
	struct np_drops_total total = np_drops_total(dropped);
	uint64_t told = stats->told_dropped, perhaps = stats->told_dropped_perhaps;

	if (!total.known || (!told && !perhaps))
		return total;
	/* The counts of the socket are of all peers. */
	if (several)
		return (struct np_drops_total){.known = true, .exact = !total.packets};
	return np_drops_untold(&total, told, perhaps);
}

static void note_refusals(struct publisher *p)
{
	struct shared *shared = p->plan.shared;
	struct np_address to;

	while (np_datagram_refused(p->socket, &to)) {
		for (size_t i = 0; i < shared->peer_count; i++)
			shared->peer[i].refused |= np_address_equal(&shared->peer[i].address, &to);
	}
}

static void count_dropped(void *publisher)
{
	struct publisher *p = publisher;
	struct shared *shared = p->plan.shared;
	struct np_drops_counts dropped;

	np_datagram_stats(p->socket, &p->result.stats);
	note_refusals(p);
	(void)np_drops_peek(p->plan.drops);
	for (size_t i = 0; i < shared->peer_count; i++) {
		struct shared_peer *peer = &shared->peer[i];

		np_drops_count(p->plan.drops, p->drops_watch, &peer->address, &dropped);
		peer->dropped = lost_here(&dropped, &p->result.stats, shared->peer_count > 1);
	}
}

void *publisher_run(void *publisher)
{
	struct publisher *p = publisher;

	publish(p);
	send_batch_write_rest(p, np_clock_now());
	say_limit_reached(p);
	if (p->layout.trailer && p->result.packets)
		end_handshake(p->socket, p->plan.shared, count_dropped, p);
	count_dropped(p);
	(void)np_drops_update(p->plan.drops);
	np_drops_count(p->plan.drops, p->drops_watch, NULL, &p->result.dropped);
	count_kernel(p);
	shared_wake(p->plan.finished);
	return NULL;
}
