// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * parts: sends the DATA of a run, or of its warm-up, by one thread or by several, of which each
 * fills and pushes some of the streams; what they sent is added up here.
 */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>

#define PUSHES 32

int send_wait(struct sender *s, np_time until, uint64_t writable)
{
	int rc = s->transport.face->wait(&s->transport, until, writable);

	return rc < 0 || s->part ? rc : s->transport.face->receive(&s->transport);
}

int send_broke(struct sender *s, int rc)
{
	/* A receiver that closes the connection may have given the reason before. */
	if (rc < 0 && rc != -ECANCELED && !s->run.over)
		(void)s->transport.face->receive(&s->transport);
	return s->run.over && rc != -ECANCELED ? 0 : rc;
}

void send_look(struct sender *s, np_time now)
{
	s->look_at = now + TRANSPORT_LOOK;
	if (s->part) {
		s->session->interrupts = __atomic_load_n(&s->part->stops, __ATOMIC_RELAXED);
		return;
	}
	session_look(s->session);
	if (sender_warms_up(s))
		return;
	console_count(&s->session->console, sender_messages(s));
	if (np_interval_due(&s->session->progress.interval, now) || s->session->report_asked)
		send_interval(s, now, false);
	s->session->report_asked = false;
	send_status(s, now);
}

/* @s sends these lanes only, at their share of the rate. */
static void give_lanes(struct sender *s, unsigned first, unsigned end)
{
	const double share = (double)(end - first) / (double)s->transport.lanes;

	s->transport.first = s->run.turn = first;
	s->transport.end = end;
	np_pacer_start(&s->run.pacer, s->run.pacer.rate_per_s * share, s->run.first);
}

/* A part's thread. */
static void *run(void *context)
{
	struct sender_part *part = context;

	threads_pin(part->sender.options, part->index, part->sender.session->log);
	part->rc = send_load(&part->sender);
	return NULL;
}

/* Begins the other threads. Returns how many send, or -errno. */
static int begin(struct sender *s)
{
	const struct options *o = s->options;
	const bool paced = options_paced(s->load) && o->socket.pacing == PACING_USER;
	const unsigned lanes = s->transport.lanes;
	int rc = 0;

	s->threads = 1;
	/* Who waits for answers, or keeps a rate in common, sends by one unless told otherwise. */
	if (!s->part && !s->acks && !s->classic && !s->files.rows[FILES_BANDWIDTH] &&
	    (!paced || o->threads.most))
		s->threads = threads_count(o, lanes);
	if (s->threads <= 1)
		return 0;
	s->parts = calloc(s->threads - 1, sizeof(*s->parts));
	if (!s->parts)
		return -ENOMEM;
	np_log_detail(s->session->log, "sends by %u threads", s->threads);
	for (unsigned i = 1; i < s->threads && !rc; i++) {
		struct sender_part *part = &s->parts[i - 1];
		struct sender *of = &part->sender;

		part->index = i;
		part->session = *s->session;
		*of = *s;
		of->session = &part->session;
		of->part = part;
		of->parts = NULL;
		of->part_count = 0;
		of->transport.part = true;
		give_lanes(of, lanes * i / s->threads, lanes * (i + 1) / s->threads);
		rc = -pthread_create(&part->thread, NULL, run, part);
		part->runs = !rc;
		s->part_count += part->runs;
	}
	give_lanes(s, 0, lanes / s->threads);
	return rc ? rc : (int)s->part_count;
}

/* Ends them, after the error @rc at once. Returns that, or theirs. */
static int end(struct sender *s, int rc)
{
	if (!s->parts)
		return rc;
	for (unsigned i = 0; i < s->part_count; i++) {
		struct sender_part *part = &s->parts[i];
		const struct sender *of = &part->sender;

		if (rc < 0)
			__atomic_store_n(&part->stops, 2, __ATOMIC_RELAXED);
		if (part->runs)
			pthread_join(part->thread, NULL);
		if (!rc)
			rc = part->rc;
		/* What was received is here already. */
		for (unsigned k = of->transport.first; k < of->transport.end; k++) {
			s->lane[k].filled = of->lane[k].filled;
			s->lane[k].gone = of->lane[k].gone;
			s->lane[k].number = of->lane[k].number;
			s->lane[k].lost = of->lane[k].lost;
		}
		if (of->run.pacer.worst_behind > s->run.pacer.worst_behind)
			s->run.pacer.worst_behind = of->run.pacer.worst_behind;
		if (of->run.last > s->run.last)
			s->run.last = s->progress.moved = of->run.last;
	}
	free(s->parts);
	s->parts = NULL;
	s->part_count = 0;
	s->transport.first = 0;
	s->transport.end = s->transport.lanes;
	return rc;
}

/*
 * One iteration gives each lane several calls' worth of messages, stamped by a clock reading before
 * each, or, where they are answered, one message, and takes what arrived; in ping-pong it sleeps in
 * that call. A run's time is that from before the first call to after the last one.
 */
static int turn(struct sender *s, np_time *now)
{
	uint64_t unfinished = 0; /* a bit for each lane that waits for room */
	unsigned pushes = 0;
	int rc;

	do
		rc = sender_push(s, now);
	while (rc == 1 && !s->acks && ++pushes < PUSHES && *now < s->look_at);
	if (s->part)
		__atomic_store_n(&s->part->sent, sender_messages(s), __ATOMIC_RELAXED);
	if (rc == 1 && !s->acks)
		return 0;
	for (unsigned i = s->transport.first; i < s->transport.end && !rc; i++)
		unfinished |= (uint64_t)(s->lane[i].gone < s->lane[i].filled) << i;
	if (rc > 0)
		rc = s->transport.face->receive(&s->transport);
	else if (!rc)
		rc = send_wait(s, sender_rest(s, *now, s->look_at), unfinished);
	*now = np_clock_now();
	return rc;
}

int send_load(struct sender *s)
{
	const struct session *session = s->session;
	np_time now = np_clock_now();
	int others = begin(s), rc = others; /* that still send */

	while (rc >= 0 && (others > 0 || !sender_sent(s, now))) {
		rc = turn(s, &now);
		if (rc >= 0 && session->interrupts > 1)
			rc = -ECANCELED;
		if (rc >= 0 && sender_stalled(s, now))
			rc = -ETIME;
		if (now < s->look_at)
			continue;
		send_look(s, now);
		/* A receiver that takes all at once, and answers nothing, may still be stopped. */
		if (rc >= 0 && !s->part && !s->acks)
			rc = s->transport.face->receive(&s->transport);
		others = 0;
		/* Passes on that they are to end. */
		for (unsigned i = 0; i < s->part_count; i++) {
			struct sender_part *part = &s->parts[i];

			__atomic_store_n(&part->stops,
					 session->interrupts ? session->interrupts : s->run.over,
					 __ATOMIC_RELAXED);
			if (part->runs && !pthread_tryjoin_np(part->thread, NULL))
				part->runs = false;
			if (rc >= 0 && !part->runs)
				rc = part->rc;
			others += part->runs;
		}
		/* What it wrote took its time: the next messages were not sent before. */
		now = np_clock_now();
	}
	rc = end(s, rc < 0 ? rc : 0);
	return s->part ? rc : send_broke(s, rc);
}
