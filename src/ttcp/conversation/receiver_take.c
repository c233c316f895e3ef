// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_take: what each message that comes means. */
#include "receiver_state.h"

#include <errno.h>

/* How a sender repeats END: some at once, then more slowly; to members of a group twice. */
#define END_FIRST_ONES 5
#define END_AGAIN      (50 * NP_MILLISECOND)

/* A stream that START did not announce, since START was lost. */
static bool stream_known(struct receiver *r, const struct message *m)
{
	struct receiver_run *run = &r->run;

	if (m->stream < run->streams)
		return true;
	if (run->started || m->stream >= MESSAGE_STREAMS_MAX)
		return false;
	for (unsigned i = run->streams; i <= m->stream; i++) {
		if (!r->tally[i] && tally_create(&r->tally[i]))
			return false;
		tally_begin_late(r->tally[i]);
		r->ended[i] = false;
		run->streams = i + 1;
	}
	receiver_tell(r, RECEIVER_STREAMS);
	return true;
}

/*
 * Datagrams tell the run by themselves when START was lost; but an END of which nothing came before
 * it does so only for a sender that is where it says it is: a stranger's would end the service.
 */
static bool begins(const struct receiver *r, const struct receiver_source *source,
		   const struct message *m)
{
	return r->plan.datagrams && receiver_may_begin(r, m) &&
	       (m->type == MESSAGE_DATA || !r->plan.answers || m->session == r->sender.id ||
		receiver_proves(r, source, m->session, m->end.proof));
}

static bool belongs(struct receiver *r, const struct receiver_source *source,
		    const struct message *m, unsigned count, np_time at)
{
	if (!receiver_of_this_run(r, m) && begins(r, source, m))
		receiver_begin_by(r, source, m, at);
	if (receiver_of_this_run(r, m) && stream_known(r, m))
		return true;
	r->strays += count;
	return false;
}

/* Whether @count DATA as @m are of the run that goes on. */
static bool takes_data(struct receiver *r, const struct receiver_source *source,
		       const struct message *m, unsigned count, np_time at)
{
	if (!belongs(r, source, m, count, at))
		return false;
	if (r->run.phase != RECEIVER_RECEIVING) {
		r->strays += count;
		return false;
	}
	r->sender.heard = at;
	if (!r->sender.proven)
		receiver_count_came(r, source, count);
	return true;
}

static void record(const struct receiver *r, const struct message *first, unsigned count,
		   np_time at)
{
	const struct receiver_data data = {
		.numbered = true,
		.stream = first->stream,
		.number = first->number,
		.count = count,
		.bytes = (uint64_t)count * first->size,
		.sent = first->time,
		.at = at,
	};

	r->listener.data(r->listener.context, &data);
}

static void record_raw(const struct receiver *r, uint64_t messages, uint64_t bytes, np_time at)
{
	const struct receiver_data data = {.count = messages, .bytes = bytes, .at = at};

	if (r->listener.data)
		r->listener.data(r->listener.context, &data);
}

void receiver_take_data(struct receiver *receiver, const struct receiver_source *source,
			const struct message *first, unsigned count, np_time at)
{
	struct receiver *r = receiver;

	if (!takes_data(r, source, first, count, at))
		return;
	receiver_count(r, count, at);
	r->sender.newest.time = first->time;
	tally_run(r->tally[first->stream], first->number, count, first->size, first->time,
		  receiver_wall(r, at));
	if (first->flags & MESSAGE_ACK_WANTED)
		receiver_answer_data(r, source, first, at);
	if (r->listener.data)
		record(r, first, count, at);
}

void receiver_take_damaged(struct receiver *receiver, const struct receiver_source *source,
			   const struct message *message, np_time at)
{
	if (takes_data(receiver, source, message, 1, at))
		tally_damaged(receiver->tally[message->stream]);
}

bool receiver_all_ended(const struct receiver *r)
{
	for (unsigned i = 0; i < r->run.streams; i++)
		if (!r->ended[i])
			return false;
	return r->run.streams;
}

/* From here on what the host drops is perhaps no DATA any more. */
static void begin_grace(struct receiver *r, np_time at)
{
	r->sender.ended_at = at;
	r->run.ended = true;
	receiver_tell(r, RECEIVER_ENDED);
}

/* How many ENDs @m's sender may have told since the newest DATA went, by its own clock. */
static uint64_t ends_before(const struct receiver *r, const struct message *m)
{
	np_time since;

	if (__builtin_sub_overflow(m->time, r->sender.newest.time, &since) || since < 0)
		return UINT32_MAX;
	return (END_FIRST_ONES + (uint64_t)(since / END_AGAIN) + 1) *
	       (r->run.flags & MESSAGE_MULTICAST ? 2 : 1);
}

/* The first END of a stream, or one more. */
static void end_stream(struct receiver *r, const struct message *m)
{
	/* The first one's bound is the smallest. */
	if (m->end.clock.known && !r->sender.ended_at)
		r->run.clock = m->end.clock;
	if (!r->run.unread)
		tally_end(r->tally[m->stream], m->number, m->end.unsent);
	if (!r->ended[m->stream] && m->flags & MESSAGE_AGAIN)
		r->run.ends_missed += ends_before(r, m);
	r->ended[m->stream] = true;
}

static void take_end(struct receiver *r, const struct receiver_source *source,
		     const struct message *m, np_time at)
{
	struct served_sender *s = &r->sender;

	if (!belongs(r, source, m, 1, at))
		return;
	s->heard = s->end_heard = at;
	s->proven |= receiver_of_the_sender(r, source) &&
		     receiver_proves(r, source, m->session, m->end.proof);
	receiver_count_came(r, source, 1);
	s->bye |= m->end.last;
	if (r->run.phase == RECEIVER_REPORTED) {
		/* To each stream's END, but a member not to what all hear. */
		if (r->plan.datagrams && (m->stream == 0 || !r->run.started))
			receiver_answer_report(r, source);
		return;
	}
	r->run.sender = *source->address;
	end_stream(r, m);
	if (!receiver_all_ended(r))
		return;
	if (!r->plan.datagrams)
		receiver_finish(r, MESSAGE_COMPLETE);
	else if (!s->ended_at)
		begin_grace(r, at);
	else
		receiver_ask_for_patience(r, source, m, at);
}

void receiver_take(struct receiver *receiver, const struct receiver_source *source,
		   const struct message *message, np_time at)
{
	switch (message->type) {
	case MESSAGE_DATA: receiver_take_data(receiver, source, message, 1, at); break;
	case MESSAGE_START: receiver_take_start(receiver, source, message, at); break;
	case MESSAGE_END: take_end(receiver, source, message, at); break;
	default: receiver->strays++;
	}
}

void receiver_take_raw(struct receiver *receiver, const struct receiver_source *source,
		       uint64_t messages, uint64_t bytes, np_time at)
{
	struct receiver *r = receiver;

	if (r->run.phase == RECEIVER_IDLE && !r->over)
		receiver_begin(r, source, NULL, at);
	r->sender.heard = at;
	if (!messages)
		return;
	receiver_count(r, messages, at);
	tally_raw(r->tally[0], messages, bytes, receiver_wall(r, at));
	record_raw(r, messages, bytes, at);
}

void receiver_take_part(struct receiver *receiver, const struct message *message, size_t bytes,
			np_time at)
{
	struct receiver *r = receiver;

	if (r->run.phase == RECEIVER_RECEIVING && receiver_of_this_run(r, message) &&
	    message->stream < r->run.streams)
		tally_opens(r->tally[message->stream], bytes, receiver_wall(r, at));
}

void receiver_begin_unread(struct receiver *receiver, uint16_t stream)
{
	receiver->run.unread = true;
	tally_begin(receiver->tally[stream], 0, NULL);
}

void receiver_take_unread(struct receiver *receiver, uint16_t stream, uint64_t messages,
			  uint64_t bytes, np_time at)
{
	struct receiver *r = receiver;

	receiver_count(r, messages, at);
	r->sender.heard = at;
	tally_raw(r->tally[stream], messages, bytes, receiver_wall(r, at));
	record_raw(r, messages, bytes, at);
}

void receiver_heard(struct receiver *receiver, np_time at)
{
	receiver->sender.heard = at;
}

/* Classic: a marker begins, data, markers end. */
static void take_classic(struct receiver *r, const struct receiver_source *source, size_t length,
			 np_time at)
{
	const enum receiver_phase phase = r->run.phase;
	bool marker = message_classic_marker(length);

	if (phase != RECEIVER_IDLE && !r->run.raw) {
		r->strays++;
		return;
	}
	/* More of the last one's end markers begin nothing. */
	if (phase == RECEIVER_REPORTED || (phase == RECEIVER_IDLE && !marker)) {
		r->sender.end_heard = at;
		r->strays += !marker;
		return;
	}
	receiver_take_raw(r, source, !marker, marker ? 0 : length, at);
	if (marker && r->run.messages)
		receiver_finish(r, MESSAGE_COMPLETE);
}

void receiver_take_unknown(struct receiver *receiver, const struct receiver_source *source,
			   size_t length, int error, np_time at)
{
	const struct message m = {.type = MESSAGE_START, .session = 0, .run = 1};
	struct receiver *r = receiver;

	if (error == -EPROTO) {
		take_classic(r, source, length, at);
	} else if (error == -EPROTONOSUPPORT) {
		if (!r->strays++)
			receiver_tell(r, RECEIVER_FOREIGN);
		/* In our version, so that it can say the same. */
		receiver_answer_start(r, source, &m, MESSAGE_UNWILLING, at);
	} else if (r->run.phase == RECEIVER_RECEIVING && !r->run.raw) {
		r->sender.heard = at;
		tally_damaged(r->tally[0]);
	} else {
		r->strays++;
	}
}
