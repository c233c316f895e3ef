// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_run: the beginning and the end of a run, and what is reported of it. */
#include "receiver_state.h"

#include <string.h>

/* What a sender wants that tells nothing. */
static struct message_start assume(const struct receiver *r)
{
	return (struct message_start){
		.message_bytes = r->plan.message_bytes,
		.timeout_ms = MESSAGE_SILENCE_MS,
		.streams = 1,
		.runs = 1,
	};
}

/* Of a run that begins without a START it is not known where it began. */
static void begin_tally(struct receiver *r, struct tally *tally)
{
	const struct receiver_run *run = &r->run;

	if (run->raw || run->started)
		tally_begin(tally, run->start.messages, run->clock.known ? &run->clock : NULL);
	else
		tally_begin_late(tally);
}

static int begin_tallies(struct receiver *r)
{
	for (unsigned i = 0; i < r->run.streams; i++) {
		if (!r->tally[i]) {
			int rc = tally_create(&r->tally[i]);

			if (rc) {
				r->run.streams = i;
				return rc;
			}
		}
		begin_tally(r, r->tally[i]);
		r->ended[i] = false;
	}
	return 0;
}

void receiver_begin(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, np_time at)
{
	const struct receiver_event event = {.kind = RECEIVER_BEGUN, .source = source};
	struct receiver_run *run = &r->run;
	int rc;

	*run = (struct receiver_run){
		.phase = RECEIVER_RECEIVING,
		.number = m ? m->run : 1,
		.flags = m ? m->flags : 0,
		.started = m && m->type == MESSAGE_START,
		.raw = !m,
		.sender = *source->address,
		.begun = at,
	};
	run->start = run->started ? m->start : assume(r);
	run->clock = run->start.clock;
	run->streams = run->start.streams;
	r->sender = (struct served_sender){
		.id = m ? m->session : 0,
		.proven = !r->plan.datagrams,
		.beat = at,
		.newest = {.session = m ? m->session : 0,
			   .run = run->number,
			   .time = m ? m->time : 0},
		.heard = at,
		.end_heard = r->sender.end_heard,
	};
	r->pending.there = false;
	rc = begin_tallies(r);
	if (rc)
		r->over = true;
	if (rc)
		receiver_tell(r, RECEIVER_NO_MEMORY);
	r->listener.tell(r->listener.context, &event);
}

static void make_report(struct receiver *r, enum message_status status)
{
	struct tally_figures figures = receiver_figures(r);
	struct message_report *report = &r->run.report;
	struct np_delay *delay;

	memset(report, 0, sizeof(*report));
	if (np_delay_create(&delay))
		return;
	delay_expect(delay, &r->run.clock);
	for (unsigned i = 0; i < r->run.streams; i++)
		np_delay_merge(delay, tally_delay(r->tally[i]));
	tally_report(&figures, delay, report);
	np_delay_free(delay);
	if (status == MESSAGE_COMPLETE && figures.lost)
		status = MESSAGE_SHORT;
	report->status = (uint8_t)status;
	report->clock = r->run.clock;
	r->port.account(r->port.context, report);
}

/*
 * What is under way behind END may need as long as others did, and again as long; when nothing is
 * missing a copy of it may be.
 */
np_time receiver_grace(const struct receiver *r)
{
	struct np_flow_spread spread = {0};
	bool complete = true;

	for (unsigned i = 0; i < r->run.streams; i++) {
		complete &= tally_complete(r->tally[i]);
		tally_spread(r->tally[i], &spread);
	}
	return complete ? NP_FLOW_GRACE_LEAST : np_flow_grace(&spread);
}

/* What a sender says is believed as far as its rate explains it. */
np_time receiver_silence(const struct receiver *r)
{
	uint32_t most = message_silence_ms(&r->run.start), told = r->run.start.timeout_ms;

	return (np_time)(told < most ? told : most) * NP_MILLISECOND;
}

void receiver_finish(struct receiver *r, enum message_status status)
{
	const struct receiver_source to = {.address = &r->run.sender};
	const struct receiver_event event = {
		.kind = RECEIVER_FINISHED,
		.status = status,
		.limit = receiver_silence(r),
	};

	r->run.phase = RECEIVER_REPORTED;
	r->sender.reported = r->port.clock(r->port.context);
	if (r->sender.ended_at)
		r->run.grace = r->sender.reported - r->sender.ended_at;
	make_report(r, status);
	if (!r->run.raw)
		receiver_answer_report(r, &to);
	r->listener.tell(r->listener.context, &event);
}

void receiver_end_raw(struct receiver *receiver)
{
	if (receiver->run.phase == RECEIVER_RECEIVING)
		receiver_finish(receiver, MESSAGE_COMPLETE);
}

void receiver_cut_off(struct receiver *receiver)
{
	if (receiver->run.phase != RECEIVER_RECEIVING)
		return;
	receiver->sender.bye = true;
	receiver_finish(receiver, MESSAGE_INTERRUPTED);
}

struct tally_figures receiver_figures(const struct receiver *receiver)
{
	struct tally_figures sum, more;

	tally_life(receiver->tally[0], &sum);
	for (unsigned i = 1; i < receiver->run.streams; i++) {
		tally_life(receiver->tally[i], &more);
		tally_figures_add(&sum, &more);
	}
	return sum;
}

struct tally_figures receiver_figures_so_far(const struct receiver *receiver)
{
	struct tally_figures sum, more;

	tally_so_far(receiver->tally[0], &sum);
	for (unsigned i = 1; i < receiver->run.streams; i++) {
		tally_so_far(receiver->tally[i], &more);
		tally_figures_add(&sum, &more);
	}
	return sum;
}
