// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send: waits until a batch to one peer is due, fills, sends and counts it, and writes the reports
 * that become due.
 */
#include "session.h"

#include <errno.h>
#include <netperf/clock.h>

#define REFUSED_PAUSE	(50 * NP_MICROSECOND)
#define ERRORS_IN_A_ROW 3
#define PORTION_LONGEST (4 * NP_MILLISECOND)
#define STALE		(2 * NP_MILLISECOND) /* a stamp that is older is taken again */

/* What was sent since the beginning; @since some of that, too. */
static struct np_flow_counts sent_since(const struct publisher *p, np_time now,
					const struct np_flow_counts *since)
{
	return (struct np_flow_counts){
		.elapsed = now - p->begin - since->elapsed,
		.sent = p->packets - since->sent,
		.bytes = p->bytes - since->bytes,
	};
}

static const struct np_flow_counts nothing;

/* Writes what was sent since the last such record; together they sum to the run. */
static void write_row(struct publisher *p, np_time now)
{
	const struct np_flow_counts span = sent_since(p, now, &p->rowed);

	p->rowed = sent_since(p, now, &nothing);
	report_record(p->endpoint->reporter, record_transmit(&p->at, now - p->begin, &span));
}

void send_write_rest(struct publisher *p, np_time now)
{
	if (report_wants_rest(p->endpoint->reporter) &&
	    (!p->rowed.elapsed || p->packets != p->rowed.sent))
		write_row(p, now);
}

/* @mark: a new span starts. */
static void report(struct publisher *p, np_time now, bool mark)
{
	struct reporter *r = p->endpoint->reporter;
	const struct console_style style = report_style(r, NULL);
	const struct np_flow_counts life = sent_since(p, now, &nothing),
				    span = sent_since(p, now, &p->mark);
	FILE *text = report_text_begin(r);

	if (text) {
		console_tx_summary(text, &style, &p->at, p->endpoint->peer_count, &life, &span);
		report_text_end(r);
	}
	if (r->records)
		write_row(p, now);
	if (mark)
		p->mark = life;
}

/* Counts @packets sent, of @bytes each, and writes the ticks and reports that become due. */
static void count(struct publisher *p, unsigned packets, uint64_t bytes)
{
	uint64_t before = p->packets, interval = p->endpoint->options->report_packets;

	p->packets += packets;
	p->bytes += packets * bytes;
	report_ticks(p->endpoint->reporter, 'o', before, p->packets);
	if (interval && before / interval != p->packets / interval)
		report(p, np_clock_now(), true);
}

static uint32_t held_us(np_time held)
{
	held = held > 0 ? held / NP_MICROSECOND : 0;
	return held < WIRE_HELD_UNKNOWN ? (uint32_t)held : WIRE_HELD_UNKNOWN;
}

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
/* A request to stop is noticed within this time. */
#define LOOK (20 * NP_MILLISECOND)

void send_pace(struct publisher *p, np_time now)
{
	const double bytes = p->batch_rounds * options_mean_bytes(&p->endpoint->options->packet);
	const np_time worst = p->pacer.worst_behind;

	np_pacer_start(&p->pacer, p->rate_bytes_per_s, now);
	p->pacer.worst_behind = worst;
	p->spin_limit = SPIN_MAX;
	if (p->rate_bytes_per_s > 0) {
		double gap = bytes / p->rate_bytes_per_s * (double)NP_SECOND;

		if (gap * SPIN_PERCENT / 100 < (double)SPIN_MAX)
			p->spin_limit = (np_time)(gap * SPIN_PERCENT / 100);
	}
}

static void sleep_until(struct publisher *p, np_time wake, np_time now)
{
	np_time until = wake - now > LOOK ? now + LOOK : wake, late;

	if (until > p->deadline)
		until = p->deadline;
	(void)np_clock_sleep_until(until);
	if (until != wake)
		return;
	late = np_clock_now() - wake;
	p->spin += late > p->spin ? STEP_UP : -STEP_DOWN;
	if (p->spin < 0)
		p->spin = 0;
	if (p->spin > p->spin_limit)
		p->spin = p->spin_limit;
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
	while (now < due && now < p->deadline && !publisher_over(p)) {
		if (now < due - p->spin)
			sleep_until(p, due - p->spin, now);
		now = np_clock_now();
	}
	if (now >= due)
		np_pacer_took(&p->pacer, now, bytes);
	return now;
}

/* The packets of a turn to one peer: numbers @first .. @first + @count - 1, from slot 0 on. */
struct batch {
	struct peer *to;
	uint64_t first;
	unsigned count;
	np_time stamp; /* when they leave */
	int64_t ack;   /* of the first one: what it acknowledges, and when that came */
	np_time heard;
	bool confirmed;
};

/* Writes times and trailers from slot @at on, and, unless they are there @already, numbers. */
static void write_packets(struct publisher *p, const struct batch *batch, unsigned at, bool already)
{
	const uint64_t age = (uint64_t)(batch->stamp - p->first) / (uint64_t)(10 * NP_MILLISECOND);
	struct wire_packet head = {
		.return_port = p->endpoint->return_port,
		.send_time = batch->stamp,
		.ack = batch->ack,
	};
	struct wire_trailer trailer = {
		.run = p->endpoint->run,
		.age = age < UINT16_MAX ? (uint16_t)age : UINT16_MAX,
		.confirmed = batch->confirmed,
		.held_us = batch->ack == WIRE_NO_ACK ? WIRE_HELD_UNKNOWN
						     : held_us(batch->stamp - batch->heard),
	};

	for (unsigned i = at; i < batch->count; i++) {
		if (i) { /* only the first one carries an ack */
			head.ack = WIRE_NO_ACK;
			trailer.held_us = WIRE_HELD_UNKNOWN;
		}
		head.number = batch->first + i;
		if (already)
			wire_stamp(&p->layout, np_datagram_slot(p->socket, i), &head, &trailer);
		else
			wire_encode(&p->layout, np_datagram_slot(p->socket, i), &head, &trailer);
	}
}

/*
 * Hands over up to @count packets from slot @at on. If a call that waits for buffer space returns
 * late, fewer packets go at a time.
 */
static int hand_over(struct publisher *p, struct batch *batch, unsigned at)
{
	const unsigned count = batch->count - at;
	np_time begin = np_clock_now(), took;
	int rc;

	/* They leave now: to be stopped, or to wait for room, is no delay of the way. */
	if (begin - batch->stamp > STALE) {
		batch->stamp = begin;
		write_packets(p, batch, at, true);
	}
	rc = np_datagram_send(p->socket, &batch->to->address, at,
			      count < p->portion ? count : p->portion, p->layout.packet_bytes,
			      true);
	took = np_clock_now() - begin;
	if (took > PORTION_LONGEST && p->portion > 1)
		p->portion /= 2;
	else if (took < PORTION_LONGEST / 4 &&
		 p->portion < p->endpoint->options->socket.batch_packets)
		p->portion *= 2;
	return rc;
}

unsigned send_batch(struct publisher *p, struct peer *to, uint64_t first, unsigned wanted)
{
	const uint64_t bytes = p->layout.packet_bytes,
		       most = p->endpoint->options->packet.counted_bytes,
		       counted = bytes < most ? bytes : most;
	struct batch batch = {
		.to = to,
		.first = first,
		.count = wanted,
		.stamp = wait_until_due(p, wanted * counted),
	};
	unsigned sent = 0, errors = 0;

	if (publisher_over(p) || batch.stamp >= p->deadline)
		return 0;
	batch.confirmed = atomic_load_explicit(&to->confirmed, memory_order_relaxed);
	batch.heard = batch.stamp;
	batch.ack = peer_ack(to, &batch.heard);
	write_packets(p, &batch, 0, false);
	while (sent < wanted) {
		int rc = hand_over(p, &batch, sent);

		if (rc > 0) {
			sent += (unsigned)rc;
			count(p, (unsigned)rc, counted);
			errors = 0;
		}
		if (sent == wanted)
			break;
		/* Packets that the end of the run leaves unsent are no failures. */
		if (publisher_over(p) || np_clock_now() >= p->deadline) {
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

void send_look_for_reports(struct publisher *p, np_time now)
{
	if (np_interval_due(&p->interval, now)) {
		np_interval_next(&p->interval, now);
		report(p, now, true);
	}
	if (worker_is_asked(&p->worker))
		report(p, now, false);
}
