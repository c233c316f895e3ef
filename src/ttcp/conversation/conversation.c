// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* conversation: starts and ends a run, reports on it, and does what is due by time. */
#include "conversation_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* If END was not repeated for this long, the sender has its answer or has given up. */
#define END_QUIET (300 * NP_MILLISECOND)
/* Beyond the sender's pause between two runs. */
#define NEXT_RUN (30 * NP_SECOND)

int conversation_create(struct conversation **conversation, const struct conversation_plan *plan,
			const struct receiver_port *port, const struct receiver_listener *listener)
{
	struct conversation *c = calloc(1, sizeof(*c));

	*conversation = c;
	/* One stream always exists, so that anything that comes can be counted. */
	if (!c || tally_create(&c->tally[0]))
		return -ENOMEM;
	c->plan = *plan;
	c->port = *port;
	c->listener = *listener;
	return 0;
}

void conversation_free(struct conversation *conversation)
{
	if (!conversation)
		return;
	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++)
		tally_free(conversation->tally[i]);
	free(conversation);
}

const struct receiver_run *conversation_run(const struct conversation *conversation)
{
	return &conversation->run;
}

uint32_t conversation_session(const struct conversation *conversation)
{
	return conversation->sender.id;
}

np_time conversation_last_heard(const struct conversation *conversation)
{
	return conversation->sender.heard;
}

bool conversation_proven(const struct conversation *conversation)
{
	return conversation->sender.proven;
}

void conversation_forget(struct conversation *conversation)
{
	conversation->run.phase = RECEIVER_IDLE;
	conversation->sender.id = 0;
}

/* What a sender without a START is assumed to want. */
static struct message_start assume(const struct conversation *c)
{
	return (struct message_start){
		.message_bytes = c->plan.message_bytes,
		.timeout_ms = MESSAGE_SILENCE_MS,
		.streams = 1,
		.runs = 1,
	};
}

/* For a run that starts without a START the first number is unknown. */
static void begin_tally(struct conversation *c, struct tally *tally)
{
	const struct receiver_run *run = &c->run;

	if (run->raw || run->started)
		tally_begin(tally, run->start.messages, run->clock.known ? &run->clock : NULL);
	else
		tally_begin_late(tally);
}

static int begin_tallies(struct conversation *c)
{
	for (unsigned i = 0; i < c->run.streams; i++) {
		if (!c->tally[i]) {
			int rc = tally_create(&c->tally[i]);

			if (rc) {
				c->run.streams = i;
				return rc;
			}
		}
		begin_tally(c, c->tally[i]);
		c->ended[i] = false;
	}
	return 0;
}

/*
 * How long this run may be silent: the sender's own limit is used as far as its rate explains it.
 */
static np_time silence(const struct conversation *c)
{
	uint32_t most = message_silence_ms(&c->run.start), told = c->run.start.timeout_ms;

	return (np_time)(told < most ? told : most) * NP_MILLISECOND;
}

static struct served_sender new_sender(const struct conversation *c,
				       const struct receiver_source *source,
				       const struct message *m, np_time at)
{
	return (struct served_sender){
		.id = m ? m->session : 0,
		.proven = !c->plan.datagrams || (m && m->session == c->sender.id &&
						 c->sender.proven && conversation_with(c, source)),
		.beat = at,
		.newest = {.session = m ? m->session : 0,
			   .run = m ? m->run : 1,
			   .time = m ? m->time : 0},
		.heard = at,
		.end_heard = c->sender.end_heard,
	};
}

int conversation_begin(struct conversation *conversation, const struct receiver_source *source,
		       const struct message *message, np_time at)
{
	const struct receiver_event event = {.kind = RECEIVER_BEGUN, .source = source};
	struct conversation *c = conversation;
	const struct message *m = message;
	const struct served_sender sender = new_sender(c, source, m, at);
	struct receiver_run *run = &c->run;
	int rc;

	if (run->phase == RECEIVER_RECEIVING)
		conversation_finish(c, MESSAGE_SHORT);
	*run = (struct receiver_run){
		.phase = RECEIVER_RECEIVING,
		.number = m ? m->run : 1,
		.flags = m ? m->flags : 0,
		.started = m && m->type == MESSAGE_START,
		.raw = !m,
		.sender = *source->address,
		.begun = at,
	};
	run->start = run->started ? m->start : assume(c);
	run->clock = run->start.clock;
	run->streams = run->start.streams;
	c->sender = sender;
	rc = begin_tallies(c);
	if (rc)
		conversation_tell(c, RECEIVER_NO_MEMORY);
	c->listener.tell(c->listener.context, &event);
	return rc;
}

static void make_report(struct conversation *c, enum message_status status)
{
	struct np_flow_counts figures = conversation_figures(c);
	struct message_report *report = &c->run.report;
	struct np_delay *delay;

	memset(report, 0, sizeof(*report));
	if (np_delay_create(&delay))
		return;
	delay_expect(delay, &c->run.clock);
	for (unsigned i = 0; i < c->run.streams; i++)
		tally_delays(c->tally[i], delay);
	tally_report(&figures, delay, report);
	np_delay_free(delay);
	if (status == MESSAGE_COMPLETE && figures.lost)
		status = MESSAGE_SHORT;
	report->status = (uint8_t)status;
	report->clock = c->run.clock;
	c->port.account(c->port.context, report);
}

/*
 * Messages after END may take twice the spread of the delays; when nothing is missing a duplicate
 * may still come.
 */
static np_time grace(const struct conversation *c)
{
	struct np_flow_spread spread = {0};
	bool complete = true;

	for (unsigned i = 0; i < c->run.streams; i++) {
		complete &= tally_complete(c->tally[i]);
		tally_spread(c->tally[i], &spread);
	}
	return complete ? NP_FLOW_GRACE_LEAST : np_flow_grace(&spread);
}

void conversation_finish(struct conversation *conversation, enum message_status status)
{
	struct conversation *c = conversation;
	const struct receiver_source to = {.address = &c->run.sender};
	const struct receiver_event event = {
		.kind = RECEIVER_FINISHED,
		.status = status,
		.limit = silence(c),
	};

	if (c->run.phase != RECEIVER_RECEIVING)
		return;
	c->run.phase = RECEIVER_REPORTED;
	c->sender.reported = c->port.clock(c->port.context);
	if (c->sender.ended_at)
		c->run.grace = c->sender.reported - c->sender.ended_at;
	make_report(c, status);
	if (!c->run.raw)
		conversation_answer_report(c, &to);
	c->listener.tell(c->listener.context, &event);
}

void conversation_cut_off(struct conversation *conversation)
{
	conversation->sender.bye |= conversation->run.phase == RECEIVER_RECEIVING;
	conversation_finish(conversation, MESSAGE_INTERRUPTED);
}

void conversation_tick(struct conversation *conversation, np_time now)
{
	struct conversation *c = conversation;
	const struct served_sender *s = &c->sender;

	if (c->run.phase != RECEIVER_RECEIVING)
		return;
	conversation_beat(c, now);
	/* The partner of a raw stream may be silent as long as it is alive. */
	if (s->ended_at && now >= s->ended_at + grace(c))
		conversation_finish(c, MESSAGE_COMPLETE);
	else if ((!c->run.raw || c->plan.datagrams) && now - s->heard >= silence(c))
		conversation_finish(c, conversation_all_ended(c) ? MESSAGE_COMPLETE
								 : MESSAGE_TIMED_OUT);
}

bool conversation_more_runs(const struct conversation *conversation)
{
	const struct receiver_run *run = &conversation->run;

	return !run->raw && run->started && !conversation->sender.bye &&
	       (!run->start.runs || run->number < run->start.runs);
}

bool conversation_over(const struct conversation *conversation, np_time now, bool *left)
{
	const struct served_sender *s = &conversation->sender;
	np_time heard = s->end_heard > s->reported ? s->end_heard : s->reported;

	*left = false;
	/* A stream delivers END only once. */
	if (conversation->plan.datagrams && now - heard < END_QUIET)
		return false;
	if (!conversation_more_runs(conversation))
		return true;
	*left = now - heard >= NEXT_RUN;
	return *left;
}

struct np_flow_counts conversation_figures(const struct conversation *conversation)
{
	struct np_flow_counts sum, more;

	tally_life(conversation->tally[0], &sum);
	for (unsigned i = 1; i < conversation->run.streams; i++) {
		tally_life(conversation->tally[i], &more);
		np_flow_counts_add(&sum, &more);
	}
	return sum;
}

bool conversation_cut_delays(struct conversation *conversation, struct np_histogram_figures *delays)
{
	struct conversation *c = conversation;
	struct np_histogram_figures raw;
	struct np_delay *sum;

	if (np_delay_create(&sum))
		return false;
	delay_expect(sum, &c->run.clock);
	for (unsigned i = 0; i < c->run.streams; i++)
		tally_cut_delays(c->tally[i], &c->run.clock, sum);
	np_delay_figures(sum, &raw);
	np_delay_free(sum);
	return delay_correct(&raw, &c->run.clock, delays);
}

struct np_flow_counts conversation_figures_so_far(const struct conversation *conversation)
{
	struct np_flow_counts sum, more;

	tally_so_far(conversation->tally[0], &sum);
	for (unsigned i = 1; i < conversation->run.streams; i++) {
		tally_so_far(conversation->tally[i], &more);
		np_flow_counts_add(&sum, &more);
	}
	return sum;
}
