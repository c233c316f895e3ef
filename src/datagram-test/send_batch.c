// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * send_batch: fills, sends and counts one batch to one peer, and writes the reports that become
 * due.
 */
#include "publisher.h"

#include "record.h"

#include <errno.h>
#include <netperf/wait.h>

#define REFUSED_PAUSE	(50 * NP_MICROSECOND)
#define ERRORS_IN_A_ROW 3
#define PORTION_LONGEST (4 * NP_MILLISECOND)
#define STALE		(2 * NP_MILLISECOND) /* a stamp that is older is taken again */

static void since_begin(const struct publisher *p, np_time now, struct np_flow_counts *life)
{
	*life = (struct np_flow_counts){
		.elapsed = now - p->begin,
		.sent = p->result.packets,
		.bytes = p->result.bytes,
	};
}

static void since(const struct np_flow_counts *life, const struct np_flow_counts *mark,
		  struct np_flow_counts *span)
{
	*span = *life;
	np_flow_counts_since(span, mark);
	span->elapsed -= mark->elapsed;
}

/* Writes what was sent since the last such record; together they sum to the run. */
static void write_row(struct publisher *p, const struct np_flow_counts *life)
{
	struct np_flow_counts span;

	since(life, &p->rowed, &span);
	p->rowed = *life;
	report_record(p->endpoint->reporter, record_transmit(&p->result.at, life->elapsed, &span));
}

void send_batch_write_rest(struct publisher *p, np_time now)
{
	struct np_flow_counts life;

	if (!report_wants_rest(p->endpoint->reporter))
		return;
	since_begin(p, now, &life);
	if (!p->rowed.elapsed || life.sent != p->rowed.sent)
		write_row(p, &life);
}

/* @mark: a new span starts. */
static void report(struct publisher *p, np_time now, bool mark)
{
	struct reporter *r = p->endpoint->reporter;
	const struct console_style style = report_style(r);
	struct np_flow_counts life, span;
	FILE *text;

	since_begin(p, now, &life);
	since(&life, &p->mark, &span);
	text = report_text_begin(r);
	if (text) {
		console_tx_summary(text, &style, &p->result.at, p->endpoint->peer_count, &life,
				   &span);
		report_text_end(r);
	}
	if (r->records)
		write_row(p, &life);
	if (mark)
		p->mark = life;
}

/* Counts @packets sent, of @bytes each, and writes the ticks and reports that become due. */
static void count(struct publisher *p, unsigned packets, uint64_t bytes)
{
	uint64_t before = p->result.packets, interval = p->endpoint->options->report_packets;

	p->result.packets += packets;
	p->result.bytes += packets * bytes;
	report_ticks(p->endpoint->reporter, 'o', before, p->result.packets);
	if (interval && before / interval != p->result.packets / interval)
		report(p, np_clock_now(), true);
}

static uint32_t held_us(np_time held)
{
	held = held > 0 ? held / NP_MICROSECOND : 0;
	return held < WIRE_HELD_UNKNOWN ? (uint32_t)held : WIRE_HELD_UNKNOWN;
}

/* The packets of a turn to one peer: numbers @first .. @first + @count - 1, from slot 0 on. */
struct batch {
	size_t peer;
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

static void fill(struct publisher *p, struct batch *batch)
{
	struct peer *to = &p->endpoint->peer[batch->peer];

	batch->confirmed = atomic_load_explicit(&to->confirmed, memory_order_relaxed);
	batch->heard = batch->stamp;
	batch->ack = peer_ack(to, &batch->heard);
	write_packets(p, batch, 0, false);
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
	rc = np_datagram_send(p->socket, &p->endpoint->peer[batch->peer].address, at,
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

unsigned send_batch(struct publisher *p, size_t peer, uint64_t first, unsigned wanted)
{
	struct peer *to = &p->endpoint->peer[peer];
	struct batch batch = {.peer = peer, .first = first, .count = wanted};
	size_t bytes = p->layout.packet_bytes;
	uint64_t counted = bytes < p->counted_bytes ? bytes : p->counted_bytes;
	unsigned sent = 0, errors = 0;

	batch.stamp = pace_wait(&p->pace, wanted * counted, p->deadline, &p->endpoint->publishing);
	if (publisher_over(p) || batch.stamp >= p->deadline)
		return 0;
	fill(p, &batch);
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
	p->result.unsent += wanted - sent;
	return wanted;
}

void send_batch_look_for_reports(struct publisher *p, np_time now)
{
	unsigned asked = atomic_load_explicit(&p->endpoint->reports, memory_order_relaxed);

	if (np_interval_due(&p->interval, now)) {
		np_interval_next(&p->interval, now);
		report(p, now, true);
	}
	if (asked != p->reports) {
		p->reports = asked;
		report(p, now, false);
	}
}

/* A request to stop is noticed within this time. */
#define LOOK (20 * NP_MILLISECOND)
/*
 * The spin's length changes in steps of 1 : 50, so that about one wake-up in fifty is later than
 * the spin allows for.
 */
#define STEP_DOWN (NP_MICROSECOND / 50)
#define STEP_UP	  NP_MICROSECOND

void pace_open(struct pace *pace)
{
	*pace = (struct pace){0};
	np_wait_end_on_time();
}

void pace_start(struct pace *pace, double rate_bytes_per_s, uint64_t bytes, np_time now)
{
	if (pace->pacer.worst_behind > pace->worst_behind)
		pace->worst_behind = pace->pacer.worst_behind;
	np_pacer_start(&pace->pacer, rate_bytes_per_s, now);
	pace->spin_limit = PACE_SPIN_MAX;
	if (rate_bytes_per_s > 0) {
		double gap = (double)bytes / rate_bytes_per_s * (double)NP_SECOND;

		if (gap * PACE_SPIN_PERCENT / 100 < (double)PACE_SPIN_MAX)
			pace->spin_limit = (np_time)(gap * PACE_SPIN_PERCENT / 100);
	}
}

static void adapt(struct pace *pace, np_time woken_late)
{
	pace->spin += woken_late > pace->spin ? STEP_UP : -STEP_DOWN;
	if (pace->spin < 0)
		pace->spin = 0;
	if (pace->spin > pace->spin_limit)
		pace->spin = pace->spin_limit;
}

static np_time sleep_towards(struct pace *pace, np_time wake, np_time deadline, np_time now)
{
	np_time until = wake - now > LOOK ? now + LOOK : wake;

	if (until > deadline)
		until = deadline;
	(void)np_clock_sleep_until(until);
	now = np_clock_now();
	if (until == wake)
		adapt(pace, now - wake);
	return now;
}

np_time pace_wait(struct pace *pace, uint64_t bytes, np_time deadline, const _Atomic int *phase)
{
	np_time due = np_pacer_next(&pace->pacer), now = np_clock_now();

	if (pace->pacer.rate_per_s <= 0)
		return now;
	while (now < due && now < deadline && !atomic_load_explicit(phase, memory_order_relaxed)) {
		if (now < due - pace->spin)
			now = sleep_towards(pace, due - pace->spin, deadline, now);
		else
			now = np_clock_now();
	}
	if (now < due)
		return now;
	np_pacer_took(&pace->pacer, now, bytes);
	if (pace->pacer.worst_behind > pace->worst_behind)
		pace->worst_behind = pace->pacer.worst_behind;
	return now;
}
