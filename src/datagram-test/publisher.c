// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * publisher: opens the sending socket of one local address, sends packets when they are due, writes
 * the reports that become due, and reports the last number until all peers have acknowledged it.
 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define POLITE_LOOK    100 /* ms */
#define ANSWER_TIMEOUT (10 * NP_SECOND)
/* Where its host reports that the listener is gone, or other ranks of a mesh wait for this one. */
#define SHORT_TIMEOUT (2 * NP_SECOND)
/* Peers that never confirmed that they run this program get less. */
#define CONFIRMATION (500 * NP_MILLISECOND)
/*
 * If packets are due less often than this, each is sent alone; else those due within it together.
 */
#define TURN_SHORTEST (60 * NP_MICROSECOND)
/* How long a send may block on a full buffer before the time limits are checked. */
#define SEND_TIMEOUT	(5 * NP_MILLISECOND)

#define REFUSED_PAUSE	(50 * NP_MICROSECOND)
#define ERRORS_IN_A_ROW 3
#define PORTION_LONGEST (4 * NP_MILLISECOND)
#define STALE		(2 * NP_MILLISECOND) /* a stamp that is older is taken again */

/*
 * Waits for the moments at which packets are due: sleeps until a little before the moment, then
 * spins. How long it spins follows the measured wake-up delay, within a fixed share of the time
 * between two moments, so that spinning never takes more of a CPU than that: percent, and at most.
 */
#define SPIN_PERCENT 8
#define SPIN_MAX     (50 * NP_MICROSECOND)
/*
 * The spin's length changes in steps of 1 : 50, so that about one wake-up in fifty is later than
 * the spin allows for.
 */
#define STEP_DOWN (NP_MICROSECOND / 50)
#define STEP_UP	  NP_MICROSECOND

static const struct np_flow_counts none;

/* How many rounds a batch has, and for how long the wait for it may spin. */
static void plan_batches(struct publisher *p)
{
	const struct options *o = p->endpoint->options;
	const double most = (double)o->socket.batch_packets,
		     gap = p->rate_bytes_per_s > 0 ? options_mean_bytes(&o->packet) /
							     p->rate_bytes_per_s * (double)NP_SECOND
						   : 0;
	double rounds = most, spin = (double)SPIN_MAX;

	if (o->publish.burst)
		rounds = (double)o->publish.burst;
	else if (o->packet.random || gap >= (double)TURN_SHORTEST)
		rounds = 1;
	else if (gap > 0 && (double)TURN_SHORTEST / gap + 1 < most)
		rounds = (double)TURN_SHORTEST / gap + 1;
	p->batch_rounds = (unsigned)rounds;
	if (gap > 0 && p->batch_rounds * gap * SPIN_PERCENT / 100 < spin)
		spin = p->batch_rounds * gap * SPIN_PERCENT / 100;
	p->spin_limit = (np_time)spin;
}

int publisher_open(struct publisher *p)
{
	const struct endpoint *e = p->endpoint;
	const struct options *o = e->options;
	struct np_datagram_options how = endpoint_socket(e);
	struct np_address local = e->at;
	bool whole = true;
	int rc;

	np_address_set_port(&local, 0);
	how.local = &local;
	/* A burst can be longer than what is handed over in one call. */
	if (o->publish.burst > how.batch)
		how.batch = (unsigned)o->publish.burst;
	how.send_timeout = SEND_TIMEOUT;
	how.send_bytes = o->publish.buffer_packets * o->packet.packet_bytes;
	how.peer = e->peer_count == 1 ? &e->peer[0].address : NULL;
	/* GSO segments cannot be fragmented: packets beyond the MTU are sent one by one. */
	for (const struct peer *peer = e->peer; whole && peer < e->peer + e->peer_count; peer++)
		whole = np_datagram_fits(how.packet_bytes, np_datagram_mtu(&how, &peer->address),
					 &peer->address, false, e->session->log);
	if (!whole && (!strcmp(how.variant, "auto") || !strcmp(how.variant, "gso")))
		how.variant = "mmsg";
	rc = np_datagram_open(&p->socket, &how);
	if (rc)
		return endpoint_refuse(e, rc);
	p->layout = (struct wire_layout){
		.packet_bytes = o->packet.packet_bytes,
		.process_bytes = o->packet.process_bytes,
		.sequence_width = o->packet.sequence_width ? 64 : 32,
		.trailer = wire_has_trailer(o->packet.shortest_bytes, o->packet.process_bytes),
	};
	if (!p->layout.trailer)
		np_log_warning(
			e->session->log, o->packet.random ? "-rand" : "-packetSize",
			"packets of %llu bytes have no room for this program's mark: nothing is "
			"confirmed, and losses at the start and the end are not seen",
			(unsigned long long)o->packet.shortest_bytes);
	for (unsigned i = 0; i < how.batch; i++)
		wire_prepare(&p->layout, np_datagram_slot(p->socket, i), np_address_port(&e->at));
	p->drops_watch = endpoint_watch_drops(e, NP_DROPS_OUT, p->socket, -1);
	(void)np_datagram_kernel_counts(&p->kernel);
	p->rate_bytes_per_s =
		o->publish.rate_bytes_per_s / (double)e->session->addresses.locals.count;
	plan_batches(p);
	p->portion = (unsigned)o->socket.batch_packets;
	p->random = o->publish.seed;
	if (!p->random && getrandom(&p->random, sizeof(p->random), 0) != sizeof(p->random))
		p->random = (uint64_t)np_clock_now();
	return 0;
}

void publisher_again(struct publisher *p, double rate_bytes_per_s)
{
	struct endpoint *e = p->endpoint;
	struct np_drops *drops = e->session->run->drops;

	/* Another run than before, and than those of other publishers here, which go on alike. */
	e->run += (uint32_t)e->session->endpoint_count;
	e->run += !e->run;
	p->rate_bytes_per_s = rate_bytes_per_s;
	plan_batches(p);
	p->pacer.worst_behind = 0;
	p->mark = p->rowed = none;
	p->rounds = p->packets = p->bytes = p->unsent = 0;
	p->first = p->elapsed = 0;
	(void)np_datagram_stats(p->socket, &p->stats_before);
	(void)np_datagram_kernel_counts(&p->kernel);
	(void)np_drops_update(drops);
	np_drops_count(drops, p->drops_watch, NULL, &p->dropped_before);
	for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
		struct peer fresh = {.address = peer->address};

		memcpy(fresh.name, peer->name, sizeof(fresh.name));
		np_drops_count(drops, p->drops_watch, &peer->address, &fresh.before);
		*peer = fresh;
	}
}

/* True when nothing more is to be published. */
static bool is_over(const struct publisher *p)
{
	return atomic_load_explicit(&p->worker.phase, memory_order_relaxed) != PHASE_RUNNING;
}

/* What was sent by @now, less @before, some of that. */
static struct np_flow_counts sent_since(const struct publisher *p, np_time now,
					const struct np_flow_counts *before)
{
	return (struct np_flow_counts){
		.elapsed = now - p->begin - before->elapsed,
		.sent = p->packets - before->sent,
		.bytes = p->bytes - before->bytes,
	};
}

/* Writes a "transmit": what was sent since the last one; together they sum to the run. */
static void write_row(struct publisher *p, np_time now)
{
	const struct np_flow_counts span = sent_since(p, now, &p->rowed);
	const char *name = p->endpoint->name;
	struct np_record *r = np_record_new("transmit");

	p->rowed = sent_since(p, now, &none);
	np_record_text(r, "publisher", name);
	np_record_interval(r, p->rowed.elapsed - span.elapsed, p->rowed.elapsed, name, "packets");
	np_record_count(r, "sent_packets", span.sent);
	np_record_rates(r, "packets", span.sent, span.bytes, span.elapsed, 1);
	(void)np_report_write(p->endpoint->session->run->report, r);
}

/* @mark: a new span starts. */
static void report(struct publisher *p, np_time now, bool mark)
{
	struct session *s = p->endpoint->session;
	const struct np_flow_counts life = sent_since(p, now, &none),
				    span = sent_since(p, now, &p->mark);
	FILE *text = report_text_begin(s);

	if (text) {
		console_tx_summary(text, p->endpoint, &life, &span);
		report_text_end(s);
	}
	if (s->records)
		write_row(p, now);
	np_report_metrics(s->run->report);
	if (mark)
		p->mark = life;
}

/* Counts @packets sent, of @bytes each, and writes the ticks and reports that become due. */
static void count(struct publisher *p, unsigned packets, uint64_t bytes)
{
	uint64_t before = p->packets, interval = p->endpoint->options->report_packets;

	p->packets += packets;
	p->bytes += packets * bytes;
	report_ticks(p->endpoint->session, 'o', before, p->packets);
	if (interval && before / interval != p->packets / interval)
		report(p, np_clock_now(), true);
}

/* A request to stop is noticed within this time. */
#define LOOK (20 * NP_MILLISECOND)

/* Starts the series of moments at which packets are due: now. */
static void pace(struct publisher *p, np_time now)
{
	const np_time worst = p->pacer.worst_behind;

	np_pacer_start(&p->pacer, p->rate_bytes_per_s, now);
	p->pacer.worst_behind = worst;
}

/*
 * Waits until @bytes may be sent, and counts them; or until the deadline, or the end of the phase.
 * Returns the time at the end of the wait.
 */
static np_time wait_until_due(struct publisher *p, uint64_t bytes)
{
	const np_time due = np_pacer_next(&p->pacer);
	np_time now = np_clock_now();

	if (p->pacer.rate_per_s <= 0)
		return now;
	while (now < due && now < p->deadline && !is_over(p)) {
		const np_time wake = due - p->spin;
		np_time until = wake - now > LOOK ? now + LOOK : wake;

		if (until > p->deadline)
			until = p->deadline;
		if (now < wake)
			(void)np_clock_sleep_until(until);
		if (now < wake && until == wake) {
			/* As long as the latest wake-ups took. */
			p->spin += np_clock_now() - wake > p->spin ? STEP_UP : -STEP_DOWN;
			p->spin = p->spin < 0 ? 0 : p->spin;
			p->spin = p->spin < p->spin_limit ? p->spin : p->spin_limit;
		}
		now = np_clock_now();
	}
	if (now >= due)
		np_pacer_took(&p->pacer, now, bytes);
	return now;
}

/*
 * Writes packets @at to @count - 1 of a turn into their slots. @head: of the first one, which alone
 * has an ack, of what came at @heard; when they leave.
 */
static void write_packets(struct publisher *p, struct wire_packet head, np_time heard, unsigned at,
			  unsigned count)
{
	const np_time held = head.send_time - heard;
	const uint64_t age = (uint64_t)(head.send_time - p->first) / (10 * NP_MILLISECOND);

	head.age = age < WIRE_AGE_MORE ? (uint16_t)age : WIRE_AGE_MORE;
	head.number += at;
	head.held_us = WIRE_HELD_UNKNOWN;
	if (head.ack != WIRE_NO_ACK && held < WIRE_HELD_UNKNOWN * NP_MICROSECOND)
		head.held_us = held > 0 ? (uint32_t)(held / NP_MICROSECOND) : 0;
	for (unsigned i = at; i < count; i++, head.number++) {
		if (i) {
			head.ack = WIRE_NO_ACK;
			head.held_us = WIRE_HELD_UNKNOWN;
		}
		wire_encode(&p->layout, np_datagram_slot(p->socket, i), &head);
	}
}

/*
 * Sends packets @first .. @first + @wanted - 1 to a peer when they are due. Returns how many were
 * sent or given up: fewer than @wanted if the run ended first.
 */
static unsigned send_batch(struct publisher *p, struct peer *to, uint64_t first, unsigned wanted)
{
	const struct options *o = p->endpoint->options;
	const uint64_t bytes = p->layout.packet_bytes,
		       counted = np_least(bytes, o->packet.counted_bytes);
	struct wire_packet head = {.number = first, .run = p->endpoint->run};
	const np_time now = wait_until_due(p, wanted * counted);
	np_time begin, took, heard = 0;
	unsigned sent = 0, errors = 0;
	int rc;

	if (is_over(p) || now >= p->deadline)
		return 0;
	head.confirmed = atomic_load_explicit(&to->confirmed, memory_order_relaxed);
	head.ack = peer_ack(to, &heard);
	while (sent < wanted) {
		begin = np_clock_now();
		/* They leave now: to be stopped, or to wait for room, is no delay of the way. */
		if (begin - head.send_time > STALE) {
			head.send_time = begin;
			write_packets(p, head, heard, sent, wanted);
		}
		rc = np_datagram_send(p->socket, &to->address, sent,
				      (unsigned)np_least(wanted - sent, p->portion), bytes, true);
		/* If a call that waits for buffer space returns late, fewer go at a time. */
		took = np_clock_now() - begin;
		if (took > PORTION_LONGEST && p->portion > 1)
			p->portion /= 2;
		else if (took < PORTION_LONGEST / 4 && p->portion < o->socket.batch_packets)
			p->portion *= 2;
		if (rc > 0) {
			sent += (unsigned)rc;
			count(p, (unsigned)rc, counted);
			errors = 0;
		}
		if (sent == wanted)
			break;
		/* Packets that the end of the run leaves unsent are no failures. */
		if (is_over(p) || np_clock_now() >= p->deadline) {
			wanted = sent;
			break;
		}
		if (rc > 0)
			continue;
		/* A full buffer drains; another error may have been for a packet of another peer.
		 */
		errors++;
		if (rc && rc != -ENOBUFS && rc != -EAGAIN && errors >= ERRORS_IN_A_ROW)
			break;
		(void)np_clock_sleep_until(np_clock_now() + REFUSED_PAUSE);
	}
	to->last = wanted ? first - 1 + wanted : to->last;
	to->unsent += wanted - sent;
	p->unsent += wanted - sent;
	return wanted;
}

/* Returns false if the run is over before the listener received anything. */
static bool wait_politely(struct publisher *p)
{
	struct endpoint *endpoint = p->endpoint;
	struct pollfd wake = {.fd = p->worker.wake, .events = POLLIN};

	if (atomic_load(&endpoint->go))
		return true;
	report_print(endpoint->session, "waiting for listener to be contacted before publishing\n");
	while (!atomic_load(&endpoint->go) && !is_over(p) && np_clock_now() < p->deadline) {
		if (poll(&wake, 1, POLITE_LOOK) > 0)
			worker_woken(wake.fd);
	}
	pace(p, np_clock_now());
	return !is_over(p);
}

/* One iteration sends a batch of rounds to every peer; the clock is read before each send. */
static void publish(struct publisher *p)
{
	const struct endpoint *e = p->endpoint;
	const struct options *o = e->options;
	const uint64_t limit = o->publish.iterations ? o->publish.iterations : UINT64_MAX,
		       shortest = o->packet.shortest_bytes, longest = o->packet.packet_bytes;
	np_time now = np_clock_now(), due;

	p->begin = now;
	p->deadline = NP_TIME_NEVER;
	np_wait_end_on_time();
	np_interval_start(&p->interval, now, o->report.interval);
	while (p->rounds < limit && now < p->deadline && !is_over(p)) {
		const uint64_t before = p->rounds;
		const unsigned rounds = (unsigned)np_least(limit - before, p->batch_rounds);

		if (o->publish.polite && !wait_politely(p))
			break;
		/* The publishing time starts when the first contact allows sending. */
		if (!p->first) {
			p->first = np_clock_now();
			pace(p, p->first);
			if (o->publish.duration)
				p->deadline = p->first + o->publish.duration;
		}
		if (o->packet.random) {
			/* xorshift64: packet sizes need spread, not secrecy. */
			p->random ^= p->random << 13;
			p->random ^= p->random >> 7;
			p->random ^= p->random << 17;
			p->layout.packet_bytes = shortest + p->random % (longest - shortest + 1);
		}
		now = np_clock_now();
		for (struct peer *peer = e->peer;
		     peer < e->peer + e->peer_count && !is_over(p) && now < p->deadline; peer++) {
			const uint64_t last = before + send_batch(p, peer, before + 1, rounds);

			p->rounds = last > p->rounds ? last : p->rounds;
			now = np_clock_now();
		}
		p->elapsed = now - p->first;
		if (np_interval_due(&p->interval, now)) {
			np_interval_next(&p->interval, now);
			report(p, now, true);
		}
		if (session_asks(p->endpoint->session, &p->worker))
			report(p, now, false);
		if (report_status_due(p->endpoint, now)) {
			const struct np_flow_counts life = sent_since(p, now, &none);

			report_status(p->endpoint, now, p->deadline, &life);
		}
	}
	np_status_erase(p->endpoint->session->status);
	/* Paced, n packets take n intervals: adds the one after the last packet. */
	due = np_pacer_next(&p->pacer);
	if (p->rate_bytes_per_s > 0 && p->packets > 1 && due > p->first &&
	    due - p->first > p->elapsed)
		p->elapsed = due - p->first;
}

/*
 * What this host lost of the packets sent to each peer: what it dropped, less what it reported to
 * the sender, which sent it again or gave it up; and which hosts refused them.
 */
static void count_dropped(struct publisher *p)
{
	struct endpoint *e = p->endpoint;
	struct np_drops *drops = e->session->run->drops;
	const struct np_datagram_stats *stats = &p->stats;
	struct np_drops_counts dropped;
	struct np_drops_total total;
	struct np_address to;

	np_datagram_stats(p->socket, &p->stats);
	p->stats.send_refused -= p->stats_before.send_refused;
	p->stats.send_errors -= p->stats_before.send_errors;
	p->stats.icmp_errors -= p->stats_before.icmp_errors;
	p->stats.reported_drops -= p->stats_before.reported_drops;
	p->stats.reported_drops_perhaps -= p->stats_before.reported_drops_perhaps;
	while (np_datagram_refused(p->socket, &to)) {
		for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++)
			peer->refused |= np_address_equal(&peer->address, &to);
	}
	(void)np_drops_update(drops);
	for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
		np_drops_count(drops, p->drops_watch, &peer->address, &dropped);
		np_drops_since(&dropped, &peer->before);
		total = np_drops_total(&dropped);
		peer->dropped = np_drops_unreported(&total, stats->reported_drops,
						    stats->reported_drops_perhaps);
		/* The counts of the socket are of all peers. */
		if (e->peer_count > 1 && (stats->reported_drops || stats->reported_drops_perhaps))
			peer->dropped = (struct np_drops_total){.known = total.known,
								.exact = !total.packets};
	}
}

/* Whether the peer, which first got END at @begin, may still answer. */
static bool expected(struct peer *peer, np_time begin, np_time now, bool mesh)
{
	np_time moved = atomic_load_explicit(&peer->moved, memory_order_relaxed);

	if (atomic_load_explicit(&peer->end_acked, memory_order_acquire))
		return false;
	if (!atomic_load(&peer->confirmed))
		return now - begin < CONFIRMATION;
	return now - (moved > begin ? moved : begin) <
	       (peer->refused || mesh ? SHORT_TIMEOUT : ANSWER_TIMEOUT);
}

/* Sends END every 50 ms until all peers have acknowledged it. */
static void shake_hands(struct publisher *p)
{
	const struct endpoint *e = p->endpoint;
	const struct np_datagram_info *info = np_datagram_info(p->socket);
	struct pollfd wake = {.fd = p->worker.wake, .events = POLLIN};
	np_time begin = np_clock_now(), now = begin, due = begin;
	struct wire_control end = {
		.type = WIRE_END,
		.run = e->run,
		.return_port = np_address_port(&e->at),
		.marks = info->marks,
	};
	uint8_t data[WIRE_CONTROL_BYTES];
	bool any = true;

	/* Who answered is there by now, though he may have been refused before. */
	count_dropped(p);
	for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++)
		peer->refused &= !atomic_load(&peer->confirmed);
	while (any && atomic_load(&p->worker.phase) != PHASE_LEAVING) {
		const bool send = now >= due;

		if (send) {
			count_dropped(p);
			due = now + WIRE_END_EVERY;
		}
		any = false;
		for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
			if (!expected(peer, begin, now, e->options->mesh.mesh))
				continue;
			any = true;
			if (!send || !atomic_load(&peer->confirmed))
				continue;
			end.last = peer->last;
			end.unsent = peer->unsent;
			end.counts.host = peer->dropped;
			end.copies = peer->ends + 1;
			end.marks.hops =
				np_address_is_multicast(&peer->address) ? 0 : info->marks.hops;
			/* A failed send is repeated like a lost datagram. */
			peer->ends += !np_datagram_send_one(p->socket, &peer->address, data,
							    wire_control_encode(data, &end));
		}
		if (any && np_wait_ready(&wake, 1, due) > 0)
			worker_woken(wake.fd);
		now = np_clock_now();
	}
}

void *publisher_run(void *publisher)
{
	struct publisher *p = publisher;
	struct session *s = p->endpoint->session;
	struct np_datagram_kernel kernel;

	publish(p);
	/* The last row, if there were any before. */
	if (np_report_wants_rest(s->run->report) &&
	    (!p->rowed.elapsed || p->packets != p->rowed.sent))
		write_row(p, np_clock_now());
	if (s->newest && p->endpoint->options->publish.iterations &&
	    p->rounds >= p->endpoint->options->publish.iterations)
		report_print(s, "\niteration limit reached\n");
	if (p->layout.trailer && p->packets)
		shake_hands(p);
	count_dropped(p);
	np_drops_count(s->run->drops, p->drops_watch, NULL, &p->dropped);
	np_drops_since(&p->dropped, &p->dropped_before);
	/* How many the kernel accepted and then lost for lack of memory, over all its sockets. */
	if (!np_datagram_kernel_counts(&kernel))
		p->send_buffer_errors = kernel.send_buffer_errors - p->kernel.send_buffer_errors;
	worker_wake(s->finished);
	return NULL;
}
