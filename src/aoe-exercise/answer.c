// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* answer: decodes each frame, finds its request, checks the data and counts. Trusts no content. */
#include "answer.h"

/* If the moment of sending is not known more precisely, the request has no round-trip time. */
#define HELD_UP (10 * NP_MILLISECOND)

static void count_failure(struct result *r, const struct np_aoe_header *header,
			  const struct np_aoe_ata *ata, const struct window_request *request)
{
	if (r->tally.errors++)
		return;
	r->first_error = (struct answer_error){
		.lba = request->lba,
		.aoe_error = header->flags & NP_AOE_FLAG_ERROR ? header->error : 0,
		.ata_status = ata->command,
		.ata_error = ata->feature,
	};
}

/*
 * First answers count down, repeated ones up. To reach the limit more than half of the answers must
 * be repeats: 15 in a row, or more over a longer time. A path that duplicates one frame in four
 * gets there once in 10^7 requests.
 */
#define FIRST_ANSWER  1
#define SECOND_ANSWER 2
#define DOUBLED	      16

static void note_first(struct answers *a)
{
	if (a->doubled < DOUBLED)
		a->doubled -= a->doubled < FIRST_ANSWER ? a->doubled : FIRST_ANSWER;
}

static void take_first(struct answers *a, const struct np_frame *frame,
		       const struct np_aoe_header *header, const struct window_request *request)
{
	struct result *r = a->result;
	struct np_aoe_ata ata;
	/* An error answers any request; a data answer must be complete. */
	const int rc = target_decode(header, frame, a->write ? 0 : request->sectors, &ata);

	if (!rc) {
		r->tally.stray++;
		return;
	}
	window_settle(a->window, header->tag);
	note_first(a);
	if (a->by_kernel && frame->stamp - request->gone > a->timeout) {
		r->tally.late++;
		return;
	}
	r->tally.received++;
	a->last = frame->stamp > a->last ? frame->stamp : a->last;
	if (request->gone - request->sent <= HELD_UP)
		np_histogram_add(r->rtt, frame->stamp - request->sent);
	if (a->is_paced)
		np_histogram_add(r->paced, frame->stamp - request->intended);
	if (rc < 0) {
		count_failure(r, header, &ata, request);
		return;
	}
	r->tally.bytes += request->sectors * (uint64_t)NP_AOE_SECTOR_BYTES;
	if (!a->write)
		np_pattern_check(&a->pattern, ata.data, request->lba, request->sectors, &r->damage);
}

bool answers_are_doubled(const struct answers *answers)
{
	return answers->doubled >= DOUBLED;
}

static void take(struct answers *a, const struct np_frame *frame)
{
	struct tally *tally = &a->result->tally;
	struct window_request request;
	struct np_aoe_header header;

	/* Requests go to the host that was examined; only its answers count. */
	if (np_aoe_header_decode(frame->data, frame->length, &header) ||
	    header.shelf != a->target->shelf || header.slot != a->target->slot ||
	    !(header.flags & NP_AOE_FLAG_RESPONSE) ||
	    other_host_answers(&a->result->other, header.source, a->target->mac)) {
		tally->stray++;
		return;
	}
	if (a->recheck && recheck_take(a->recheck, &header, frame))
		return;
	switch (window_classify(a->window, header.tag, &request)) {
	case WINDOW_RECEIVED: take_first(a, frame, &header, &request); break;
	case WINDOW_LATE:
		window_settle(a->window, header.tag);
		note_first(a);
		tally->late++;
		tally->lost--;
		break;
	case WINDOW_DUPLICATE:
		tally->duplicates++;
		a->doubled += SECOND_ANSWER;
		break;
	case WINDOW_STRAY: tally->stray++; return;
	}
	if (a->recheck)
		recheck_heard(a->recheck, frame->stamp);
	a->heard = frame->stamp;
	a->lost_when_heard = tally->lost;
}

void answers_take(struct answers *answers, const struct np_frame *frames, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		take(answers, &frames[i]);
}
