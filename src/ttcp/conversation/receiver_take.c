// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_take: what each message that comes means. */
#include "receiver_state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOLD_MOST (100 * NP_MILLISECOND)
#define BEAT	  (500 * NP_MILLISECOND)
/* How a sender repeats END: some at once, then more slowly; to members of a group twice. */
#define END_FIRST_ONES 5
#define END_AGAIN      (50 * NP_MILLISECOND)

static bool of_this_run(const struct receiver *r, const struct message *m)
{
	return m->session == r->id && m->run == r->run && r->phase != RECEIVER_IDLE && !r->raw;
}

/* Whether @m may begin a run now. */
static bool may_begin(const struct receiver *r, const struct message *m)
{
	if (r->phase == RECEIVER_IDLE)
		return !r->over;
	if (r->raw)
		return false;
	/* The next one of the same sender, also when the END before it was lost. */
	return m->session == r->id && m->run > r->run;
}

/* By a number that only who hears at @source was told, or by a connection. */
static bool proves(const struct receiver *r, const struct source *source, uint32_t session,
		   uint32_t proof)
{
	return !r->transport->datagrams ||
	       (proof && proof == proof_of(&r->secret, source->address, session));
}

static bool of_the_sender(const struct receiver *r, const struct source *source)
{
	return r->phase != RECEIVER_IDLE && np_address_same_host(source->address, &r->sender);
}

/* Whether @m belongs to the START that waits. */
static bool was_announced(const struct receiver *r, const struct source *source,
			  const struct message *m)
{
	const struct pending_start *p = &r->pending;

	return p->there && p->message.session == m->session && p->message.run == m->run &&
	       np_address_same_host(source->address, &p->from);
}

static void begin(struct receiver *r, const struct source *source, const struct message *m,
		  np_time at)
{
	const bool same = m->session == r->id && r->proven && of_the_sender(r, source);
	const struct message announced = r->pending.message;
	const bool waited = m->type != MESSAGE_START && was_announced(r, source, m);

	if (r->phase == RECEIVER_RECEIVING)
		receiver_finish(r, MESSAGE_SHORT);
	receiver_begin(r, source, waited ? &announced : m, at);
	r->proven |= same;
}

static void count_came(struct receiver *r, const struct source *source, unsigned count)
{
	if (!r->proven && of_the_sender(r, source))
		r->came += count * source->bytes;
}

void receiver_answer(struct receiver *r, const struct source *to, const void *message, size_t bytes)
{
	const bool known = of_the_sender(r, to);

	if (r->transport->datagrams && !(known && r->proven) && bytes > to->bytes &&
	    (!known || r->answered + bytes > r->came))
		return;
	if (known)
		r->answered += bytes;
	(void)r->transport->answer(r, to, message, bytes);
}

void receiver_answer_start(struct receiver *r, const struct source *to, const struct message *m,
			   uint8_t verdict, np_time received)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message ok = {
		.type = MESSAGE_START_OK,
		.stream = m->stream,
		.session = m->session,
		.run = m->run,
		.time = m->time,
		.start_ok = {.verdict = verdict,
			     .challenge = r->transport->datagrams
						  ? proof_of(&r->secret, to->address, m->session)
						  : 0,
			     .start_received = session_wall(r->session, received)},
	};

	if (!r->answers)
		return;
	ok.start_ok.replied = session_wall(r->session, np_clock_now());
	receiver_answer(r, to, data, message_encode(data, &ok));
}

void receiver_answer_held(struct receiver *r, np_time now)
{
	const struct source to = {.address = &r->held.to, .bytes = MESSAGE_CONTROL_MAX};
	const struct message m = {
		.stream = r->held.stream,
		.session = r->held.session,
		.run = r->held.run,
		.time = r->held.time,
	};

	if (!r->held.held || now < r->held.due)
		return;
	r->held.held = false;
	receiver_answer_start(r, &to, &m, MESSAGE_READY, r->held.received);
}

/* Members of a group do not all answer at once. */
static void hold_answer(struct receiver *r, const struct source *source, const struct message *m,
			np_time at)
{
	np_time hold = r->held.held ? r->held.due - at : random() % HOLD_MOST;

	r->held = (struct held_answer){
		.held = true,
		.session = m->session,
		.run = m->run,
		.due = at + hold,
		.received = at,
		.time = m->time,
		.stream = m->stream,
		.to = *source->address,
	};
}

/* Before the first DATA it also says about how large the raw delays will be. */
static void learn_clock(struct receiver *r, const struct message_clock *clock)
{
	r->clock = *clock;
	for (unsigned i = 0; i < r->streams && r->started && !r->messages; i++)
		tally_begin(r->tally[i], r->start.messages, clock);
}

/* A run whose sender never proved where it is does not keep out one that does. */
static void make_way(struct receiver *r, const struct message *m)
{
	if (r->phase != RECEIVER_RECEIVING || r->proven || r->raw || m->session == r->id)
		return;
	np_log_warning(r->session->log, "sender",
		       "makes way, with %" PRIu64 " messages, for one that proved its address",
		       r->messages);
	if (files_close_run(&r->files))
		r->status = 1;
	r->phase = RECEIVER_IDLE;
}

/* Whether the sender of the START @m is, or may be, served: its run has begun, or it waits. */
static bool take_place(struct receiver *r, const struct source *source, const struct message *m,
		       np_time at)
{
	const bool proven = proves(r, source, m->session, m->start.proof);

	if (may_begin(r, m)) {
		/* In a group -monitor answers nobody, so that nobody can prove anything. */
		if (!proven && r->answers && !(m->session == r->id && r->proven)) {
			r->pending = (struct pending_start){true, *m, *source->address};
			return true;
		}
		begin(r, source, m, at);
	}
	if (!of_this_run(r, m))
		return false;
	r->proven |= proven;
	r->heard = at;
	count_came(r, source, 1);
	if (m->start.clock.known)
		learn_clock(r, &m->start.clock);
	return true;
}

static void take_start(struct receiver *r, const struct source *source, const struct message *m,
		       np_time at)
{
	if (m->flags & MESSAGE_PROBE) {
		receiver_answer_start(r, source, m, MESSAGE_READY, at);
		return;
	}
	/* The one before is done with, though nobody has looked yet. */
	if (r->phase == RECEIVER_REPORTED && m->session != r->id && !receiver_more_runs(r))
		receiver_next_sender(r);
	if (proves(r, source, m->session, m->start.proof))
		make_way(r, m);
	if (r->answers && m->flags & MESSAGE_ACK_WANTED &&
	    receiver_options(r)->task == TASK_MONITOR) {
		np_log_warning(r->session->log, "sender",
			       "wants acknowledgements, which -monitor does not give");
		receiver_answer_start(r, source, m, MESSAGE_UNWILLING, at);
		return;
	}
	if (!take_place(r, source, m, at)) {
		receiver_answer_start(r, source, m, MESSAGE_BUSY, at);
		return;
	}
	if (source->by_group)
		hold_answer(r, source, m, at);
	else
		receiver_answer_start(r, source, m, MESSAGE_READY, at);
}

static void answer_data(struct receiver *r, const struct source *source, const struct message *m,
			np_time at)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const struct message ack = {
		.type = MESSAGE_ACK,
		.stream = m->stream,
		.session = m->session,
		.run = m->run,
		.number = m->number,
		.time = m->time,
		.ack = {.received = session_wall(r->session, at),
			.counter = r->messages,
			.data_size = m->size},
	};

	if (receiver_options(r)->task == TASK_RECEIVE)
		receiver_answer(r, source, data, message_encode(data, &ack));
}

void receiver_beat(struct receiver *r, np_time now)
{
	const struct source to = {.address = &r->sender};

	if (!r->transport->datagrams || r->raw || r->flags & MESSAGE_ACK_WANTED ||
	    r->messages == r->beaten || now - r->beat < BEAT)
		return;
	r->beat = now;
	r->beaten = r->messages;
	receiver_answer_start(r, &to, &r->newest, MESSAGE_READY, r->heard);
}

/* A stream that START did not announce, since START was lost. */
static bool stream_known(struct receiver *r, const struct message *m)
{
	if (m->stream < r->streams)
		return true;
	if (r->started || m->stream >= MESSAGE_STREAMS_MAX)
		return false;
	for (unsigned i = r->streams; i <= m->stream; i++) {
		if (!r->tally[i] && tally_create(&r->tally[i]))
			return false;
		tally_begin_late(r->tally[i]);
		r->ended[i] = false;
		r->streams = i + 1;
	}
	return !files_open(&r->files, r->session, r->run, r->streams);
}

/* Datagrams tell the run by themselves when START was lost. */
static bool belongs(struct receiver *r, const struct source *source, const struct message *m,
		    unsigned count, np_time at)
{
	if (!of_this_run(r, m) && r->transport->datagrams && may_begin(r, m))
		begin(r, source, m, at);
	if (of_this_run(r, m) && stream_known(r, m))
		return true;
	r->stray += count;
	return false;
}

/* Whether @count DATA as @m are of the run that goes on. */
static bool takes_data(struct receiver *r, const struct source *source, const struct message *m,
		       unsigned count, np_time at)
{
	if (!belongs(r, source, m, count, at))
		return false;
	if (r->phase != RECEIVER_RECEIVING) {
		r->stray += count;
		return false;
	}
	r->heard = at;
	if (!r->proven)
		count_came(r, source, count);
	return true;
}

void receiver_take_data(struct receiver *r, const struct source *source,
			const struct message *first, unsigned count, np_time at)
{
	const struct message *m = first;
	np_time now = session_wall(r->session, at);

	if (!takes_data(r, source, m, count, at))
		return;
	receiver_count(r, count, at);
	r->newest.time = m->time;
	tally_run(r->tally[m->stream], m->number, count, m->size, m->time, now);
	if (m->flags & MESSAGE_ACK_WANTED)
		answer_data(r, source, m, at);
	for (unsigned i = 0; i < count && r->files.sequence[m->stream]; i++)
		recorder_sequence(r->files.sequence[m->stream], m->number + i, m->time, now);
	if (r->windows)
		files_count(&r->files, at, count, (uint64_t)count * m->size);
}

void receiver_take_damaged(struct receiver *r, const struct source *source, const struct message *m,
			   np_time at)
{
	if (takes_data(r, source, m, 1, at))
		tally_damaged(r->tally[m->stream]);
}

bool receiver_all_ended(const struct receiver *r)
{
	for (unsigned i = 0; i < r->streams; i++)
		if (!r->ended[i])
			return false;
	return r->streams;
}

/* From here on what is dropped is perhaps no DATA any more. */
static void begin_grace(struct receiver *r, np_time at)
{
	r->ended_at = at;
	if (r->transport->dropped(r, &r->dropped_at_end))
		r->dropped_at_end = 0;
}

/* How many ENDs @m's sender may have told since the newest DATA went, by its own clock. */
static uint64_t ends_before(const struct receiver *r, const struct message *m)
{
	np_time since;

	if (__builtin_sub_overflow(m->time, r->newest.time, &since) || since < 0)
		return UINT32_MAX;
	return (END_FIRST_ONES + (uint64_t)(since / END_AGAIN) + 1) *
	       (r->flags & MESSAGE_MULTICAST ? 2 : 1);
}

/* There is no report yet: slow messages are waited for. */
static void ask_for_patience(struct receiver *r, const struct source *source,
			     const struct message *m, np_time at)
{
	if (at - r->beat < BEAT)
		return;
	r->beat = at;
	receiver_answer_start(r, source, m, MESSAGE_READY, at);
}

static void take_end(struct receiver *r, const struct source *source, const struct message *m,
		     np_time at)
{
	if (!belongs(r, source, m, 1, at))
		return;
	r->heard = r->end_heard = at;
	r->proven |= of_the_sender(r, source) && proves(r, source, m->session, m->end.proof);
	count_came(r, source, 1);
	r->bye |= m->end.last;
	if (r->phase == RECEIVER_REPORTED) {
		/* To each stream's END, but a member not to what all hear. */
		if (r->transport->datagrams && (m->stream == 0 || !r->started))
			receiver_answer_report(r, source);
		return;
	}
	/* The first one's bound is the smallest. */
	if (m->end.clock.known && !r->ended_at)
		r->clock = m->end.clock;
	r->sender = *source->address;
	if (!r->unread)
		tally_end(r->tally[m->stream], m->number, m->end.unsent);
	if (!r->ended[m->stream] && m->flags & MESSAGE_AGAIN)
		r->ends_missed += ends_before(r, m);
	r->ended[m->stream] = true;
	if (!receiver_all_ended(r))
		return;
	if (!r->transport->datagrams)
		receiver_finish(r, MESSAGE_COMPLETE);
	else if (!r->ended_at)
		begin_grace(r, at);
	else
		ask_for_patience(r, source, m, at);
}

void receiver_take(struct receiver *r, const struct source *source, const struct message *m,
		   np_time at)
{
	switch (m->type) {
	case MESSAGE_DATA: receiver_take_data(r, source, m, 1, at); break;
	case MESSAGE_START: take_start(r, source, m, at); break;
	case MESSAGE_END: take_end(r, source, m, at); break;
	default: r->stray++;
	}
}

void receiver_take_raw(struct receiver *r, const struct source *source, uint64_t messages,
		       uint64_t bytes, np_time at)
{
	if (r->phase == RECEIVER_IDLE && !r->over)
		receiver_begin(r, source, NULL, at);
	r->heard = at;
	if (!messages)
		return;
	receiver_count(r, messages, at);
	tally_raw(r->tally[0], messages, bytes, session_wall(r->session, at));
	if (r->windows)
		files_count(&r->files, at, messages, bytes);
}

/* Classic: a marker begins, data, markers end. */
static void take_classic(struct receiver *r, const struct source *source, size_t length, np_time at)
{
	bool marker = message_classic_marker(length);

	if (r->phase != RECEIVER_IDLE && !r->raw) {
		r->stray++;
		return;
	}
	/* More of the last one's end markers begin nothing. */
	if (r->phase == RECEIVER_REPORTED || (r->phase == RECEIVER_IDLE && !marker)) {
		r->end_heard = at;
		r->stray += !marker;
		return;
	}
	receiver_take_raw(r, source, !marker, marker ? 0 : length, at);
	if (marker && r->messages)
		receiver_finish(r, MESSAGE_COMPLETE);
}

void receiver_take_odd(struct receiver *r, const struct source *source, size_t length, int error,
		       np_time at)
{
	const struct message m = {.type = MESSAGE_START, .session = 0, .run = 1};

	if (error == -EPROTO) {
		take_classic(r, source, length, at);
	} else if (error == -EPROTONOSUPPORT) {
		if (!r->stray++)
			np_log_warning(r->session->log, "sender",
				       "speaks another version of ttcp's messages");
		/* In our version, so that it can say the same. */
		receiver_answer_start(r, source, &m, MESSAGE_UNWILLING, at);
	} else if (r->phase == RECEIVER_RECEIVING && !r->raw) {
		r->heard = at;
		tally_damaged(r->tally[0]);
	} else {
		r->stray++;
	}
}
