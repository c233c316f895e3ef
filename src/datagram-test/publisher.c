// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * publisher: opens the sending socket of one local address, sends packets when they are due, and
 * reports the last number until all peers have acknowledged it.
 */
#include "session.h"

#include <errno.h>
#include <netperf/clock.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define POLITE_LOOK    100 /* ms */
#define ANSWER_TIMEOUT (2 * NP_SECOND)
/* Peers that never confirmed that they run this program get less. */
#define CONFIRMATION (500 * NP_MILLISECOND)
/*
 * If packets are due less often than this, each is sent alone; else those due within it together.
 */
#define TURN_SHORTEST (60 * NP_MICROSECOND)
/* How long a send may block on a full buffer before the time limits are checked. */
#define SEND_TIMEOUT (5 * NP_MILLISECOND)

static unsigned rounds_of_a_batch(const struct publisher *p)
{
	const struct options *o = p->endpoint->options;
	double gap;

	if (o->packet.random)
		return 1;
	if (p->rate_bytes_per_s <= 0)
		return (unsigned)o->socket.batch_packets;
	gap = options_mean_bytes(&o->packet) / p->rate_bytes_per_s * (double)NP_SECOND;
	if (gap >= (double)TURN_SHORTEST)
		return 1;
	gap = (double)TURN_SHORTEST / gap + 1;
	return gap < (double)o->socket.batch_packets ? (unsigned)gap
						     : (unsigned)o->socket.batch_packets;
}

/* GSO segments cannot be fragmented: packets beyond the MTU are sent one by one. */
static const char *variant_for(const struct endpoint *e)
{
	const char *variant = np_datagram_variants[e->options->socket.batch];

	if (np_datagram_fits(e->options->packet.packet_bytes, np_address_mtu(e->local), e->local,
			     e->reporter->log))
		return variant;
	return strcmp(variant, "auto") && strcmp(variant, "gso") ? variant : "mmsg";
}

static void prepare_slots(struct publisher *p)
{
	const struct packet_options *o = &p->endpoint->options->packet;

	p->layout = (struct wire_layout){
		.packet_bytes = o->packet_bytes,
		.process_bytes = o->process_bytes,
		.sequence_width = o->sequence_width ? 64 : 32,
		.trailer = wire_has_trailer(o->shortest_bytes, o->process_bytes),
	};
	if (!p->layout.trailer)
		np_log_warning(
			p->endpoint->reporter->log, o->random ? "-rand" : "-packetSize",
			"packets of %llu bytes have no room for this program's mark: nothing is "
			"confirmed, and losses at the start and the end are not seen",
			(unsigned long long)o->shortest_bytes);
	for (unsigned i = 0; i < p->endpoint->options->socket.batch_packets; i++)
		wire_prepare(&p->layout, np_datagram_slot(p->socket, i), p->endpoint->return_port);
}

static int open_socket(struct publisher *p)
{
	const struct endpoint *e = p->endpoint;
	const struct options *o = e->options;
	struct np_address local = *e->local;
	const struct np_datagram_options how = {
		.variant = variant_for(e),
		.local = &local,
		.packet_bytes = o->packet.packet_bytes,
		.batch = (unsigned)o->socket.batch_packets,
		.send_timeout = SEND_TIMEOUT,
		.send_bytes = o->publish.buffer_packets * o->packet.packet_bytes,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
		.peer = e->peer_count == 1 ? &e->peer[0].address : NULL,
	};

	np_address_set_port(&local, 0);
	return np_datagram_open(&p->socket, &how);
}

int publisher_open(struct publisher *p)
{
	const struct endpoint *e = p->endpoint;
	const struct options *o = e->options;
	const int rc = open_socket(p);

	if (rc)
		return endpoint_blame(e, rc);
	prepare_slots(p);
	p->drops_watch = endpoint_watch_drops(e->drops, NP_DROPS_OUT,
					      &np_datagram_info(p->socket)->local, -1);
	(void)np_datagram_kernel_counts(&p->kernel);
	p->at = *e->local;
	np_address_set_port(&p->at, e->return_port);
	p->rate_bytes_per_s =
		o->publish.rate_bytes_per_s / (double)e->session->addresses.locals.count;
	p->batch_rounds = rounds_of_a_batch(p);
	p->portion = (unsigned)o->socket.batch_packets;
	p->random = o->publish.seed;
	if (!p->random && getrandom(&p->random, sizeof(p->random), 0) != sizeof(p->random))
		p->random = (uint64_t)np_clock_now();
	return 0;
}

/* xorshift64: packet sizes need spread, not secrecy. */
static size_t random_size(struct publisher *p)
{
	const struct packet_options *o = &p->endpoint->options->packet;

	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return o->shortest_bytes + p->random % (o->packet_bytes - o->shortest_bytes + 1);
}

/* Returns false if the run is over before the listener received anything. */
static bool wait_politely(struct publisher *p)
{
	struct endpoint *endpoint = p->endpoint;
	struct pollfd wake = {.fd = p->worker.wake, .events = POLLIN};
	FILE *text;

	if (atomic_load(&endpoint->go))
		return true;
	text = report_text_begin(endpoint->reporter);
	if (text) {
		fputs("waiting for listener to be contacted before publishing\n", text);
		report_text_end(endpoint->reporter);
	}
	while (!atomic_load(&endpoint->go) && !publisher_over(p) && np_clock_now() < p->deadline) {
		if (poll(&wake, 1, POLITE_LOOK) > 0)
			worker_woken(wake.fd);
	}
	send_pace(p, np_clock_now());
	return !publisher_over(p);
}

static bool done(struct publisher *p, np_time now)
{
	uint64_t limit = p->endpoint->options->publish.iterations;

	p->limit_reached = limit && p->rounds >= limit;
	return p->limit_reached || now >= p->deadline || publisher_over(p);
}

/* Sends rounds to every peer, as long as there is time. */
static np_time round_of(struct publisher *p, unsigned rounds)
{
	uint64_t first = p->rounds + 1;
	np_time now = np_clock_now();

	for (size_t i = 0; i < p->endpoint->peer_count && !publisher_over(p) && now < p->deadline;
	     i++) {
		unsigned meant = send_batch(p, &p->endpoint->peer[i], first, rounds);

		if (meant && p->rounds < first - 1 + meant)
			p->rounds = first - 1 + meant;
		now = np_clock_now();
	}
	return now;
}

/* One iteration sends a batch of rounds to every peer; the clock is read before each send. */
static void publish(struct publisher *p)
{
	const struct publish_options *o = &p->endpoint->options->publish;
	np_time now = np_clock_now(), due;

	p->begin = now;
	p->deadline = NP_TIME_NEVER;
	np_wait_end_on_time();
	send_pace(p, now);
	np_interval_start(&p->interval, now, p->endpoint->options->report.interval);
	while (!done(p, now)) {
		unsigned rounds = p->batch_rounds;

		if (o->iterations && o->iterations - p->rounds < rounds)
			rounds = (unsigned)(o->iterations - p->rounds);
		if (o->polite && !wait_politely(p))
			break;
		/* The publishing time starts when the first contact allows sending. */
		if (!p->first) {
			p->first = np_clock_now();
			if (o->duration)
				p->deadline = p->first + o->duration;
		}
		if (p->endpoint->options->packet.random)
			p->layout.packet_bytes = random_size(p);
		now = round_of(p, rounds);
		p->elapsed = now - p->first;
		send_look_for_reports(p, now);
	}
	/* Paced, n packets take n intervals: adds the one after the last packet. */
	due = np_pacer_next(&p->pacer);
	if (p->rate_bytes_per_s > 0 && p->packets > 1 && due > p->first &&
	    due - p->first > p->elapsed)
		p->elapsed = due - p->first;
}

/*
 * What this host lost of the packets that were sent: what it dropped, less what it reported to the
 * sender, which sent it again or gave it up.
 */
static struct np_drops_total lost_here(const struct np_drops_counts *dropped,
				       const struct np_datagram_stats *stats, bool several)
{
	struct np_drops_total total = np_drops_total(dropped);
	uint64_t reported = stats->reported_drops, perhaps = stats->reported_drops_perhaps;

	if (!total.known || (!reported && !perhaps))
		return total;
	/* The counts of the socket are of all peers. */
	if (several)
		return (struct np_drops_total){.known = true, .exact = !total.packets};
	return np_drops_unreported(&total, reported, perhaps);
}

static void note_refusals(struct publisher *p)
{
	struct endpoint *endpoint = p->endpoint;
	struct np_address to;

	while (np_datagram_refused(p->socket, &to)) {
		for (size_t i = 0; i < endpoint->peer_count; i++)
			endpoint->peer[i].refused |=
				np_address_equal(&endpoint->peer[i].address, &to);
	}
}

static void count_dropped(struct publisher *p)
{
	struct endpoint *endpoint = p->endpoint;
	struct np_drops_counts dropped;

	np_datagram_stats(p->socket, &p->stats);
	note_refusals(p);
	(void)np_drops_peek(p->endpoint->drops);
	for (size_t i = 0; i < endpoint->peer_count; i++) {
		struct peer *peer = &endpoint->peer[i];

		np_drops_count(p->endpoint->drops, p->drops_watch, &peer->address, &dropped);
		peer->dropped = lost_here(&dropped, &p->stats, endpoint->peer_count > 1);
	}
}

/* Whether the peer, which first got END at @begin, may still answer. */
static bool expected(struct peer *peer, np_time begin, np_time now)
{
	np_time moved = atomic_load_explicit(&peer->moved, memory_order_relaxed);

	if (atomic_load_explicit(&peer->end_acked, memory_order_acquire))
		return false;
	if (!atomic_load(&peer->confirmed))
		return now - begin < CONFIRMATION;
	return now - (moved > begin ? moved : begin) < ANSWER_TIMEOUT;
}

/* A failed send is repeated like a lost datagram. */
static void send_end(struct publisher *p, struct peer *peer)
{
	const struct wire_control end = {
		.type = WIRE_END,
		.run = p->endpoint->run,
		.return_port = p->endpoint->return_port,
		.last = peer->last,
		.unsent = peer->unsent,
		.counts.host = peer->dropped,
		.copies = peer->ends + 1,
	};
	uint8_t data[WIRE_CONTROL_BYTES];
	const size_t bytes = wire_control_encode(data, &end);

	peer->ends += !np_datagram_send_one(p->socket, &peer->address, data, bytes);
}

/* Sends END every 50 ms until all peers have acknowledged it. */
static void shake_hands(struct publisher *p)
{
	const struct endpoint *e = p->endpoint;
	struct pollfd wake = {.fd = p->worker.wake, .events = POLLIN};
	np_time begin = np_clock_now(), now = begin, due = begin;
	bool any = true;

	while (any && atomic_load(&p->worker.phase) != PHASE_LEAVING) {
		const bool send = now >= due;

		if (send) {
			count_dropped(p);
			due = now + WIRE_END_EVERY;
		}
		any = false;
		for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
			if (!expected(peer, begin, now))
				continue;
			any = true;
			if (send && atomic_load(&peer->confirmed))
				send_end(p, peer);
		}
		if (any && np_wait_ready(&wake, 1, due) > 0)
			worker_woken(wake.fd);
		now = np_clock_now();
	}
}

void *publisher_run(void *publisher)
{
	struct publisher *p = publisher;
	struct np_datagram_kernel kernel;

	publish(p);
	send_write_rest(p, np_clock_now());
	if (p->limit_reached)
		report_newest(p->endpoint->reporter, "\niteration limit reached\n");
	if (p->layout.trailer && p->packets)
		shake_hands(p);
	count_dropped(p);
	(void)np_drops_update(p->endpoint->drops);
	np_drops_count(p->endpoint->drops, p->drops_watch, NULL, &p->dropped);
	/* How many the kernel accepted and then lost for lack of memory, over all its sockets. */
	if (!np_datagram_kernel_counts(&kernel))
		p->send_buffer_errors = kernel.send_buffer_errors - p->kernel.send_buffer_errors;
	worker_wake(p->endpoint->session->finished);
	return NULL;
}
