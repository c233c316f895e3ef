// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* conversation_take: handles each message of the sender. */
#include "conversation_state.h"

/* On the way two ENDs may come closer together than they were sent. */
#define ENDS_APART (MESSAGE_END_SOON / 2)

/* Adds a stream that was not announced, since START was lost. */
static bool stream_known(struct conversation *c, const struct message *m)
{
	struct receiver_run *run = &c->run;

	if (m->stream < run->streams)
		return true;
	if (run->started || m->stream >= MESSAGE_STREAMS_MAX)
		return false;
	for (unsigned i = run->streams; i <= m->stream; i++) {
		if (!c->tally[i] && tally_create(&c->tally[i]))
			return false;
		tally_begin_late(c->tally[i]);
		c->ended[i] = false;
		run->streams = i + 1;
	}
	conversation_tell(c, RECEIVER_STREAMS);
	return true;
}

bool conversation_with(const struct conversation *conversation,
		       const struct receiver_source *source)
{
	return conversation->run.phase != RECEIVER_IDLE &&
	       np_address_same_host(source->address, &conversation->run.sender);
}

bool conversation_proves(const struct conversation *conversation,
			 const struct receiver_source *source, uint32_t session, uint32_t proof)
{
	const struct conversation_plan *plan = &conversation->plan;

	return !plan->datagrams ||
	       (proof && proof == proof_of(&plan->secret, source->address, session));
}

bool conversation_has(const struct conversation *conversation, const struct message *message)
{
	const struct receiver_run *run = &conversation->run;

	return message->session == conversation->sender.id && message->run == run->number &&
	       run->phase != RECEIVER_IDLE && !run->raw;
}

/* Even when the END of the run before was lost. */
bool conversation_follows(const struct conversation *conversation, const struct message *message)
{
	const struct receiver_run *run = &conversation->run;

	return run->phase != RECEIVER_IDLE && !run->raw &&
	       message->session == conversation->sender.id && message->run > run->number;
}

static void count_came(struct conversation *c, const struct receiver_source *source, unsigned count)
{
	if (!c->sender.proven && conversation_with(c, source))
		c->sender.came += count * source->bytes;
}

/* Whether DATA like @m belong to the current run, before its end. */
static bool takes_data(struct conversation *c, const struct receiver_source *source,
		       const struct message *m, unsigned count, np_time at)
{
	if (!stream_known(c, m) || c->run.phase != RECEIVER_RECEIVING)
		return false;
	c->sender.heard = at;
	if (!c->sender.proven)
		count_came(c, source, count);
	return true;
}

static void record(const struct conversation *c, const struct message *first, unsigned count,
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

	c->listener.data(c->listener.context, &data);
}

static void record_raw(const struct conversation *c, uint64_t messages, uint64_t bytes, np_time at)
{
	const struct receiver_data data = {.count = messages, .bytes = bytes, .at = at};

	if (c->listener.data)
		c->listener.data(c->listener.context, &data);
}

bool conversation_take_data(struct conversation *conversation, const struct receiver_source *source,
			    const struct message *first, unsigned count, np_time at)
{
	struct conversation *c = conversation;

	if (!takes_data(c, source, first, count, at))
		return false;
	conversation_count(c, count, at);
	c->sender.newest.time = first->time;
	tally_add(c->tally[first->stream], first->number, count, first->size, first->time,
		  conversation_wall(c, at));
	if (first->flags & MESSAGE_ACK_WANTED)
		conversation_answer_data(c, source, first, at);
	if (c->listener.data)
		record(c, first, count, at);
	return true;
}

bool conversation_take_damaged(struct conversation *conversation,
			       const struct receiver_source *source, const struct message *message,
			       np_time at)
{
	if (!takes_data(conversation, source, message, 1, at))
		return false;
	tally_damaged(conversation->tally[message->stream]);
	return true;
}

void conversation_damaged(struct conversation *conversation)
{
	tally_damaged(conversation->tally[0]);
}

bool conversation_all_ended(const struct conversation *c)
{
	for (unsigned i = 0; i < c->run.streams; i++)
		if (!c->ended[i])
			return false;
	return c->run.streams;
}

/* From now on drops of the host may be something else than DATA. */
static void begin_grace(struct conversation *c, np_time at)
{
	c->sender.ended_at = c->run.ended_at = at;
	c->run.ended = true;
	conversation_tell(c, RECEIVER_ENDED);
}

/* How many ENDs of a stream may have been sent in @time; to members of a group each twice. */
static uint64_t ends_in(const struct receiver_run *run, np_time time)
{
	return (MESSAGE_END_FIRST_ONES + (uint64_t)(time / MESSAGE_END_EVERY) + 1) *
	       (run->flags & MESSAGE_MULTICAST ? 2 : 1);
}

uint64_t receiver_run_ends_behind(const struct receiver_run *run, np_time waited)
{
	return waited < ENDS_APART ? 0 : ends_in(run, waited) * run->streams;
}

/* How many ENDs @m's sender may have sent since the newest DATA, by its own clock. */
static uint64_t ends_before(const struct conversation *c, const struct message *m)
{
	np_time since;

	if (__builtin_sub_overflow(m->time, c->sender.newest.time, &since) || since < 0)
		return UINT32_MAX;
	return ends_in(&c->run, since);
}

/* Handles the first END of a stream, or a repeated one. */
static void end_stream(struct conversation *c, const struct message *m)
{
	/* The first one's bound is the smallest. */
	if (m->end.clock.known && !c->sender.ended_at)
		c->run.clock = m->end.clock;
	if (!c->run.unread)
		tally_end(c->tally[m->stream], m->number, m->end.unsent);
	if (!c->ended[m->stream] && m->flags & MESSAGE_AGAIN)
		c->run.ends_missed += ends_before(c, m);
	c->run.sender_dropped = m->end.dropped;
	if (m->version >= MESSAGE_VERSION_LAST) {
		c->run.sender_cpu = m->end.cpu;
		c->run.sender_reasons = m->end.reasons;
	}
	c->ended[m->stream] = true;
}

/* Handles an END of the current run. */
static void end_by(struct conversation *c, const struct receiver_source *source,
		   const struct message *m, np_time at)
{
	c->run.sender = *source->address;
	end_stream(c, m);
	if (!conversation_all_ended(c))
		return;
	if (!c->plan.datagrams)
		conversation_finish(c, MESSAGE_COMPLETE);
	else if (!c->sender.ended_at)
		begin_grace(c, at);
	else
		conversation_ask_for_time(c, source, m, at);
}

bool conversation_take_end(struct conversation *conversation, const struct receiver_source *source,
			   const struct message *message, np_time at)
{
	struct conversation *c = conversation;
	const struct message *m = message;
	struct served_sender *s = &c->sender;

	if (!stream_known(c, m))
		return false;
	s->heard = s->end_heard = at;
	s->proven |= conversation_with(c, source) &&
		     conversation_proves(c, source, m->session, m->end.proof);
	count_came(c, source, 1);
	s->bye |= m->end.last;
	if (c->run.phase == RECEIVER_RECEIVING)
		end_by(c, source, m, at);
	/*
	 * Answers the END of each stream; but a member does not answer an END that went to the
	 * group.
	 */
	else if (c->plan.datagrams && (m->stream == 0 || !c->run.started))
		conversation_answer_report(c, source);
	return true;
}

/* Before the first DATA it also gives the expected size of the raw delays. */
static void learn_clock(struct conversation *c, const struct message_clock *clock)
{
	struct receiver_run *run = &c->run;

	run->clock = *clock;
	for (unsigned i = 0; i < run->streams && run->started && !run->messages; i++)
		tally_begin(c->tally[i], run->start.messages, clock);
}

void conversation_take_start(struct conversation *conversation,
			     const struct receiver_source *source, const struct message *message,
			     np_time at)
{
	struct conversation *c = conversation;

	c->sender.proven |= conversation_proves(c, source, message->session, message->start.proof);
	c->sender.heard = at;
	count_came(c, source, 1);
	if (message->start.clock.known)
		learn_clock(c, &message->start.clock);
	/* The first one is of version 1 and rounds the rate. */
	if (message->version >= MESSAGE_VERSION_LAST) {
		c->run.start.rate_bits = message->start.rate_bits;
		c->run.start.timeout_ms = message->start.timeout_ms;
	}
}

void conversation_take_raw(struct conversation *conversation, uint64_t messages, uint64_t bytes,
			   np_time at)
{
	struct conversation *c = conversation;

	c->sender.heard = at;
	if (!messages)
		return;
	conversation_count(c, messages, at);
	tally_raw(c->tally[0], messages, bytes, conversation_wall(c, at));
	record_raw(c, messages, bytes, at);
}

void conversation_take_part(struct conversation *conversation, const struct message *message,
			    size_t bytes, np_time at)
{
	struct conversation *c = conversation;

	if (c->run.phase == RECEIVER_RECEIVING && conversation_has(c, message) &&
	    message->stream < c->run.streams)
		tally_opens(c->tally[message->stream], bytes, conversation_wall(c, at));
}

void conversation_begin_unread(struct conversation *conversation, uint16_t stream)
{
	conversation->run.unread = true;
	tally_begin(conversation->tally[stream], 0, NULL);
}

void conversation_take_unread(struct conversation *conversation, uint16_t stream, uint64_t messages,
			      uint64_t bytes, np_time at)
{
	struct conversation *c = conversation;

	conversation_count(c, messages, at);
	c->sender.heard = at;
	tally_raw(c->tally[stream], messages, bytes, conversation_wall(c, at));
	record_raw(c, messages, bytes, at);
}

void conversation_heard(struct conversation *conversation, np_time at)
{
	conversation->sender.heard = at;
}

void conversation_heard_end(struct conversation *conversation, np_time at)
{
	conversation->sender.end_heard = at;
}
