// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_events: passes events of the sender's machine to the user and the files. */
#include "send_session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The first run never began: 2; a later one: 1. */
static int failure(const struct send_session *s)
{
	return sender_run(s->sender)->number > 1 ? 1 : 2;
}

int send_fail(const struct send_session *s, const char *reason)
{
	np_log_error(s->session->log, s->name, "%s", reason);
	return failure(s);
}

static void fail(struct send_session *s, const char *reason)
{
	s->contact_status = send_fail(s, reason);
}

/* Names the hosts that sent errors back. */
static void say_unanswered(struct send_session *s)
{
	struct transport_counts counts;

	s->transport.face->counts(&s->transport, &counts);
	if (counts.refusal == -ECONNREFUSED && !s->plan.group) {
		session_blame_refusal(s->session);
		s->contact_status = failure(s);
	} else if (counts.refusal)
		fail(s, strerror(-counts.refusal));
	else
		fail(s, "no receiver answers");
	if (sender_run(s->sender)->number == 1 && !s->plan.group)
		send_probe(s);
}

static void say_failed(struct send_session *s, const struct sender_event *event)
{
	static const char *const reasons[] = {
		[SENDER_FOREIGN] = "answers, but speaks another version of ttcp's messages",
		[SENDER_BUSY] = "is busy with another sender; try again, or use --wait",
		[SENDER_UNWILLING] = "refuses this run; it reports why itself",
		[SENDER_INTERRUPTED] = SEND_INTERRUPTED,
		[SENDER_CLOSED] = "closed the connection; it may be busy with another sender",
		[SENDER_PARTLY] = "does not answer on all streams",
		[SENDER_NO_TTCP] = "the program that answers there is not ttcp",
	};

	if (event->fault == SENDER_UNANSWERED)
		say_unanswered(s);
	else if (event->fault == SENDER_BROKEN)
		fail(s, strerror(-event->error));
	else if (event->fault == SENDER_BUSY && s->plan.wait)
		fail(s, "is still busy with another sender");
	else
		fail(s, reasons[event->fault]);
}

static void say_no_report(const struct send_session *s, const struct receivers_receiver *receiver)
{
	if (receiver->acks)
		np_log_error(s->session->log, NULL,
			     "no answer from %s: only the %" PRIu64
			     " messages that it acknowledged are known to have arrived",
			     receiver->name, receiver->acks);
	else
		np_log_error(s->session->log, NULL,
			     "no answer from %s: nothing that was sent is known to have arrived",
			     receiver->name);
}

static void record_ack(struct send_session *s, const struct sender_event *event)
{
	const struct message *m = event->ack;
	struct recorder *recorder = s->files.rows[m->stream];

	if (recorder)
		recorder_delay(recorder, &(struct recorder_delay){
						 .receiver = event->receiver->name,
						 .number = m->number,
						 .size = m->ack.data_size,
						 .sent = m->time,
						 .received = m->ack.received,
						 .acked = event->acked,
					 });
}

void send_tell(void *context, const struct sender_event *event)
{
	struct send_session *s = context;
	const struct np_log *log = s->session->log;
	const char *who = event->receiver ? event->receiver->name : s->name;

	switch (event->kind) {
	case SENDER_FAILED: say_failed(s, event); break;
	case SENDER_LOST:
		np_log_error(log, s->name, "lost before its report: %s", strerror(-event->error));
		break;
	case SENDER_AGAIN:
		np_log_warning(log, s->name,
			       "closed a connection before it answered; reconnecting");
		break;
	case SENDER_SILENT:
		np_log_warning(log, s->name,
			       "does not answer: assumed to be a classic receiver, which counts "
			       "START and END, too; see --classic");
		break;
	case SENDER_ACK: record_ack(s, event); break;
	case SENDER_NOBODY:
		np_log_warning(log, who, "no receiver answers; sending to the group all the same");
		break;
	case SENDER_NO_REPORT:
		if (event->receiver)
			say_no_report(s, event->receiver);
		break;
	case SENDER_JOINED_LATE:
		np_log_warning(log, who, "joined late, after sending began");
		break;
	}
}
