// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* parts: the streams that other threads of a sender fill and push; what they sent is added up here.
 */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>

/* Who waits for answers, or keeps a rate in common, sends by one thread unless told otherwise. */
static unsigned count_threads(const struct sender *s)
{
	const struct options *o = s->options;
	const bool paced = options_paced(s->load) && o->socket.pacing == PACING_USER;

	if (s->part || s->acks || s->classic || s->files.rows[FILES_BANDWIDTH] ||
	    (paced && !o->threads.most))
		return 1;
	return threads_count(o, s->transport.lanes);
}

/* @s sends these lanes only, at their share of the rate. */
static void give_lanes(struct sender *s, unsigned first, unsigned end)
{
	const double share = (double)(end - first) / (double)s->transport.lanes;

	s->transport.first = s->run.turn = first;
	s->transport.end = end;
	np_pacer_start(&s->run.pacer, s->run.pacer.rate_per_s * share, s->run.first);
}

int parts_begin(struct sender *s, void *(*run)(void *part))
{
	const unsigned lanes = s->transport.lanes, threads = count_threads(s);
	int rc = 0;

	s->threads = threads;
	if (threads <= 1)
		return 0;
	s->parts = calloc(threads - 1, sizeof(*s->parts));
	if (!s->parts)
		return -ENOMEM;
	np_log_detail(s->session->log, "sends by %u threads", threads);
	for (unsigned i = 1; i < threads && !rc; i++) {
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
		give_lanes(of, lanes * i / threads, lanes * (i + 1) / threads);
		rc = -pthread_create(&part->thread, NULL, run, part);
		part->runs = !rc;
		s->part_count += part->runs;
	}
	give_lanes(s, 0, lanes / threads);
	return rc ? rc : (int)s->part_count;
}

int parts_look(struct sender *s)
{
	const unsigned stops = s->session->interrupts ? s->session->interrupts : s->run.over;
	int rc = s->part_count ? s->transport.face->receive(&s->transport) : 0, send = 0;

	for (unsigned i = 0; i < s->part_count; i++) {
		struct sender_part *part = &s->parts[i];

		__atomic_store_n(&part->stops, stops, __ATOMIC_RELAXED);
		if (part->runs && !pthread_tryjoin_np(part->thread, NULL))
			part->runs = false;
		if (rc >= 0 && !part->runs)
			rc = part->rc;
		send += part->runs;
	}
	return rc < 0 ? rc : send;
}

int parts_end(struct sender *s, int rc)
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
