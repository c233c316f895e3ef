// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * native: the native protocol: what this member tells the others of itself - who it is (HELLO), how
 * far it has got (STATE), its clock - and how it handles what arrives, and goes through the phases.
 */
#include "state.h"

#include <stdlib.h>

#define HELLO_SOON    (50 * NP_MILLISECOND)
#define CLOCK_EVERY   NP_SECOND
#define CLOCK_QUICKLY (50 * NP_MILLISECOND)
#define CLOCK_FIRST   8 /* the first ones, sent in quick succession */

/*
 * In a large group each of these messages goes from everybody to everybody: the more members, the
 * less often, down to once a second.
 */
static np_time native_pause(const struct member *m, np_time every)
{
	const np_time pause = every * (m->plan.members - 16) / 16;

	if (m->plan.members <= MEMBERS_QUICK)
		return every;
	return pause < NP_SECOND ? pause : NP_SECOND;
}

int native_send(struct member *m, const struct identity *who, enum message_type type,
		const void *body)
{
	const bool numbered = type == MESSAGE_GRANT || type == MESSAGE_PROBE;
	uint8_t *out = m->native.out;
	struct message_head head = native_head(m);
	size_t bytes;

	if (numbered)
		head.number = *(const uint64_t *)body;
	bytes = message_encode(out, &head, type, numbered ? NULL : body);
	return who ? transport_send(m->port.transport, who, out, bytes)
		   : member_send(m, out, bytes);
}

static void hello_send(struct member *m)
{
	if (native_send(m, NULL, MESSAGE_HELLO, &m->native.hello))
		m->native.hello_next = m->now + MEMBER_LOOK;
	else
		m->native.hello_last = m->now;
}

void hello_soon(struct member *m)
{
	struct native *n = &m->native;
	const np_time soon = n->hello_last + native_pause(m, HELLO_SOON);
	const bool crowd =
		m->plan.members > MEMBERS_QUICK && member_count(m, peer_present) < m->plan.members;

	/*
	 * In a large group that is not complete, a newcomer can wait for the next HELLO: if all
	 * answered each newcomer at once, others could not get through.
	 */
	if (soon < n->hello_next && !(crowd && m->phase == PHASE_JOINING))
		n->hello_next = soon;
	m->dirty = true;
}

/*
 * A process that has never heard of this member ignores its refusal: so it gets a HELLO first,
 * alone.
 */
void hello_send_refusal(struct member *m, struct message_refuse body)
{
	(void)native_send(m, &body.to, MESSAGE_HELLO, &m->native.hello);
	(void)native_send(m, &body.to, MESSAGE_REFUSE, &body);
}

/* Says STATE when it is due. */
static void phase_announce(struct member *m)
{
	const bool soon = m->phase == PHASE_SENT || m->phase == PHASE_LEAVING;
	struct message_state state = {
		.phase = m->phase,
		.interrupted = m->outcome.interrupted,
		.sent = m->sending.sent,
		.members = (uint16_t)m->peers,
	};
	unsigned unready = 0;

	if (!member_due(m, &m->native.state_next, native_pause(m, soon ? STATE_SOON : STATE_EVERY)))
		return;
	/* A member that processes slowly makes progress all the same. */
	m->moves += m->backlog.count != 0;
	state.moves = m->moves;
	/* The live members that have yet to reach this one's phase. */
	for_each_peer(peer, m) {
		if (peer_counts(peer))
			unready += m->phase == PHASE_COUNTED
					   ? !peer->reported
					   : !peer->self && !has_reached(m, peer, m->phase);
	}
	state.unready = (uint16_t)unready;
	if (native_send(m, NULL, MESSAGE_STATE, &state))
		m->native.state_next = m->now + MEMBER_LOOK;
	else
		m->native.announced++;
}

void phase_enter(struct member *m, enum message_phase phase)
{
	member_enter(m, phase);
	if (phase == PHASE_LEAVING)
		m->native.left = m->now;
	m->native.announced = 0;
	m->native.state_next = m->now;
	phase_announce(m);
}

void phase_begin_run(struct member *m)
{
	member_result_begin(m);
	m->sending = (struct sending){0};
	for_each_peer(peer, m)
		peer->credit = (struct peer_credit){0};
	phase_enter(m, PHASE_READY);
}

/* Hosts with the same boot id share a clock. */
static bool is_same_clock(const struct member *m, const struct peer *peer)
{
	return peer->self || !memcmp(peer->native.hello.host, m->plan.host, sizeof(m->plan.host));
}

/* @at: when it arrived. */
static void take_clock(struct member *m, struct peer *peer, struct message_clock clock, np_time at)
{
	struct peer_stream *stream = &peer->stream;

	if (!identity_equal(&clock.to, &m->plan.self) || peer->self)
		return;
	if (!clock.answer) {
		clock.to = *member_who(m, peer);
		clock.answer = true;
		clock.t2 = clock.t3 = at;
		(void)native_send(m, &clock.to, MESSAGE_CLOCK, &clock);
	} else if (np_offset_add(&stream->clock, clock.t1, clock.t2, clock.t3, at) &&
		   stream->flow) {
		np_flow_set_clock(stream->flow, &stream->clock);
	}
}

void clock_form(const struct member *m, struct peer *peer)
{
	const struct np_offset same = {.known = true};

	if (!peer->stream.flow)
		return;
	if (is_same_clock(m, peer))
		peer->stream.clock = same;
	np_flow_set_clock(peer->stream.flow, &peer->stream.clock);
}

static int native_create(struct member *m)
{
	const struct member_plan *plan = &m->plan;
	struct native *n = &m->native;
	uint64_t *setting = n->hello.setting;

	/* The bitmap of arrivals can tell all numbers of a window apart. */
	n->window = plan->window_bytes / plan->senders / (plan->payload + MESSAGE_HEADER_BYTES);
	if (n->window > WINDOW_MAX)
		n->window = WINDOW_MAX;
	n->window += !n->window;
	n->hello_next = n->newest = m->now;
	n->hello.sender = plan->sender;
	n->hello.paced = plan->rate > 0 ? 1 : plan->pause ? (uint8_t)plan->lanes : 0;
	n->hello.begun = m->begun + plan->realtime;
	memcpy(n->hello.host, plan->host, sizeof(plan->host));
	setting[SETTING_NUM_MSGS] = plan->messages;
	setting[SETTING_MSG_SIZE] = plan->payload;
	setting[SETTING_NUM_MEMBERS] = plan->members;
	setting[SETTING_NUM_SENDERS] = plan->senders;
	setting[SETTING_DURATION] = (uint64_t)plan->duration;
	setting[SETTING_REPEAT] = plan->runs;
	setting[SETTING_WARMUP] =
		plan->warm_up ? SETTING_WARMUP_TIME | (uint64_t)plan->warm_up : plan->warmup;
	setting[SETTING_CREDIT] = plan->credit;
	return 0;
}

static void native_write(struct member *m, const struct transport_slots *slots, uint64_t first)
{
	const uint64_t warmup = member_warms(m) ? UINT64_MAX : m->plan.warmup;
	struct message_head head = native_head(m);
	uint8_t *at = slots->data;

	for (unsigned i = 0; i < slots->count; i++, at += slots->stride) {
		head.number = first + i;
		head.type = head.number > warmup ? MESSAGE_DATA : MESSAGE_WARMUP;
		message_head_encode(at, &head);
	}
}

/* True when @peer's instance, or a member of this group, sent the message with @head. */
static bool is_of(const struct member *m, const struct peer *peer, const struct message_head *head)
{
	if (head->type == MESSAGE_DATA || head->type == MESSAGE_WARMUP ||
	    head->type == MESSAGE_GRANT || head->type == MESSAGE_PROBE)
		return head->tag && head->tag == m->native.tag;
	return peer->native.instance && head->number == peer->native.instance;
}

static bool of_this_run(const struct member *m, const struct peer *peer,
			const struct message_head *head)
{
	return peer && peer_counts(peer) && head->tag == m->native.tag && head->tag &&
	       head->run == m->run;
}

/* False for a malformed message, or one from an unknown sender. */
static bool take_control(struct member *m, const struct transport_delivery *delivery,
			 struct peer *peer, const struct transport_message *message,
			 const struct message_head *head)
{
	const bool introduces = head->type == MESSAGE_HELLO || head->type == MESSAGE_PROOF;
	union native_body *body = &m->native.body;
	bool one;

	/* A long message may be present only in part; no valid control message is that long. */
	if (message->bytes < message->length || (!introduces && !peer))
		return false;
	/* From a predecessor, or from a process that only has its address. */
	if (!introduces && !is_of(m, peer, head))
		return true;
	if (message_decode(message->data, message->length, head->type, body))
		return false;
	switch (head->type) {
	case MESSAGE_PROOF: return join_proof(m, delivery, head, &body->proof);
	case MESSAGE_HELLO: return join_hello(m, delivery->source, head, &body->hello);
	case MESSAGE_STATE: end_state(m, peer, head, &body->state); return true;
	case MESSAGE_CLOCK: take_clock(m, peer, body->clock, message->at); return true;
	case MESSAGE_REFUSE:
		one = body->refuse.why == REFUSAL_IDENTITY || body->refuse.why == REFUSAL_DEAD;
		/* Another process may have had this member's address before, or claim it. */
		if (peer->self || !identity_equal(&body->refuse.to, &m->plan.self) ||
		    (one && body->refuse.value != m->plan.instance))
			return true;
		if (m->phase == PHASE_JOINING)
			join_refused(m, peer, body->refuse.why);
		else if (body->refuse.why == REFUSAL_DEAD && (m->phase != PHASE_READY || m->run))
			end_given_up(m, peer);
		return true;
	default: break;
	}
	if (!of_this_run(m, peer, head))
		return true;
	if (head->type == MESSAGE_GRANT) {
		credit_granted(m, peer, head->number);
	} else if (head->type != MESSAGE_PROBE) {
		end_table(m, peer, &body->table.member, head->type == MESSAGE_DROPS);
	} else if (peer->sender) {
		struct peer_stream *stream = &peer->stream;

		/* It has sent so many. Messages in the backlog are not missing. */
		if (!stream->waiting && head->number > stream->highest &&
		    head->number <= stream->granted)
			stream->highest = head->number;
		credit_grant(m, peer, true);
	}
	return true;
}

static void count_stream(const struct member *m, struct peer *peer,
			 const struct backlog_message *message, np_time at)
{
	struct peer_stream *stream = &peer->stream;

	if (message->number > stream->highest)
		stream->highest = message->number;
	if (message->type == MESSAGE_DATA)
		(void)np_flow_add(stream->flow, message->number - m->plan.warmup, 1,
				  m->plan.payload, message->sent, at);
}

/* Counts one message of a sender's stream. Hot: every DATA comes through here. */
static void take_stream(struct member *m, struct peer *peer, const struct message_head *head,
			np_time at)
{
	const struct backlog_message message = {
		.type = (uint8_t)head->type, .number = head->number, .sent = head->time};
	struct peer_stream *stream = peer ? &peer->stream : NULL;

	if (!of_this_run(m, peer, head) || !stream->flow) {
		if (!peer || !stream->flow || head->tag != m->native.tag)
			m->outcome.malformed++;
		else if (head->type == MESSAGE_DATA)
			np_flow_stray(stream->flow, 1);
		return;
	}
	if (m->phase < PHASE_READY || m->phase > PHASE_SENT)
		return;
	if (m->plan.credit && head->number > stream->highest && head->number > stream->granted)
		np_flow_stray(stream->flow, 1);
	else if (!member_delay(m, peer, message))
		count_stream(m, peer, &message, at);
}

/* After the messages of a delivery: handles what they add up to. */
static void look_at_stream(struct member *m, struct peer *peer)
{
	struct peer_stream *stream = &peer->stream;
	const uint64_t received = np_flow_received(stream->flow);

	if (received != stream->seen) {
		stream->seen = received;
		stream->news = m->now;
		m->moves++;
		while (member_log_due(m, received, 1, &stream->reported))
			member_notify(m, peer, MEMBER_RECEIVED, .number = stream->reported);
	}
	m->dirty |= has_all(stream);
	/* A sending member has seen all ready, even if its message about that was lost. */
	if (stream->highest && !has_reached(m, peer, PHASE_RUNNING)) {
		peer->native.tag = m->native.tag;
		peer->native.run = (uint8_t)m->run;
		peer->native.phase = PHASE_RUNNING;
		m->dirty = true;
	}
	credit_grant(m, peer, false);
}

/* A member that was given up meanwhile, or whose run is over, is not counted any more. */
static void native_process(struct member *m, struct peer *peer,
			   const struct backlog_message *message)
{
	if (!peer_counts(peer) || m->phase < PHASE_READY || m->phase > PHASE_SENT)
		return;
	count_stream(m, peer, message, m->now);
	look_at_stream(m, peer);
}

/* A byte or two do not identify a protocol. */
static bool is_java(struct member *m, const struct transport_message *message)
{
	if (*message->data == JGROUPS_DATA_LEAD)
		return message->length > 1;
	return !jgroups_decode(message->data, message->bytes, message->length, &m->java.in);
}

static void native_deliver(struct member *m, const struct transport_delivery *delivery)
{
	const struct identity *who = delivery->source;
	struct peer *peer = member_find(m, who);
	struct message_head head;

	for_each(message, delivery->messages, delivery->count) {
		const enum message_kind kind =
			message_head_decode(message->data, message->bytes, &head);
		const bool stream = kind == MESSAGE_NATIVE &&
				    (head.type == MESSAGE_DATA || head.type == MESSAGE_WARMUP) &&
				    message->length == MESSAGE_HEADER_BYTES + m->plan.payload;
		const unsigned peers = m->peers;

		member_advance(m, message->at);
		if (stream)
			take_stream(m, peer, &head, message->at);
		else if (kind == MESSAGE_OTHER)
			member_meet(m, who, "another version of group-test's protocol");
		else if (kind == MESSAGE_JGROUPS && is_java(m, message))
			member_meet(m, who,
				    "the protocol of JGroups' perf.Test (--protocol=jgroups3)");
		else if (kind != MESSAGE_NATIVE || !take_control(m, delivery, peer, message, &head))
			m->outcome.malformed++;
		/* The message may have made it join or leave. */
		if (peers != m->peers || !peer)
			peer = member_find(m, who);
		if (kind == MESSAGE_NATIVE && peer && is_of(m, peer, &head))
			peer->heard = m->now;
	}
	if (peer && peer_counts(peer) && peer->stream.flow)
		look_at_stream(m, peer);
}

static void native_event(struct member *m, const struct transport_event *event, struct peer *peer)
{
	const bool gone = event->kind == TRANSPORT_LOST || event->kind == TRANSPORT_ENDED;

	/* Whoever is at the other end announces itself; otherwise it is missing. */
	if (event->kind == TRANSPORT_CONNECTED)
		hello_soon(m);
	if (!peer)
		return;
	if (event->kind == TRANSPORT_CONNECTED) {
		proof_ask(m, peer);
	} else if (event->kind == TRANSPORT_MOVED) {
		/* A long message: the peer is alive, and the run makes progress. */
		peer->heard = peer->native.moved = m->now;
		m->moves++;
	} else if (gone && event->hearsay) {
		/* proof_tick finds out. */
		if (!peer->native.ended)
			peer->native.ended = m->now;
	} else if (gone) {
		member_lost(m, peer, event->error);
	}
}

static bool native_parts(struct member *m, struct peer *peer)
{
	if (m->phase != PHASE_LEAVING && (peer->native.phase != PHASE_LEAVING || !peer->reported))
		return false;
	peer->native.phase = PHASE_LEAVING;
	return true;
}

static void native_tick(struct member *m)
{
	struct native *n = &m->native;

	if (m->outcome.failed && m->phase != PHASE_LEAVING) {
		/* So that others know a member that leaves at once. */
		if (!n->hello_last)
			hello_send(m);
		phase_enter(m, PHASE_LEAVING);
	}
	proof_tick(m);
	switch (m->phase) {
	case PHASE_JOINING:
		form_forget_silent(m);
		join_tick(m);
		form_limit(m);
		break;
	case PHASE_READY: ready_tick(m); break;
	case PHASE_RUNNING:
	case PHASE_SENT: end_run_tick(m); break;
	case PHASE_COUNTED: end_report_tick(m); break;
	case PHASE_LEAVING: end_leave_tick(m); break;
	}
	if (m->outcome.finished)
		return;
	end_results_tick(m);
	if (m->phase < PHASE_LEAVING &&
	    member_due(m, &n->hello_next,
		       m->phase == PHASE_JOINING ? native_pause(m, HELLO_EVERY) : NP_TIME_NEVER))
		hello_send(m);
	credit_tick(m);
	/* Asks senders on other hosts for their clocks. */
	for_each_peer(peer, m) {
		struct peer_stream *stream = &peer->stream;
		const struct message_clock ask = {.to = *member_who(m, peer), .t1 = m->now};

		if (m->phase == PHASE_LEAVING || !peer->sender || peer->gone ||
		    peer->role == PEER_REFUSED || is_same_clock(m, peer))
			continue;
		if (m->now >= stream->ask) {
			stream->asked += !native_send(m, &ask.to, MESSAGE_CLOCK, &ask);
			stream->ask = m->now +
				      (stream->asked < CLOCK_FIRST ? CLOCK_QUICKLY : CLOCK_EVERY);
		}
		member_arm(m, stream->ask);
	}
	if (m->phase > PHASE_JOINING)
		phase_announce(m);
}

static void native_leave(struct member *m)
{
	phase_enter(m, PHASE_LEAVING);
}

const struct member_protocol_table member_native = {
	.header_bytes = MESSAGE_HEADER_BYTES,
	.numbered = true,
	.create = native_create,
	.deliver = native_deliver,
	.event = native_event,
	.parts = native_parts,
	.process = native_process,
	.tick = native_tick,
	.count = end_count,
	.leave = native_leave,
	.remark = join_remark,
	.write = native_write,
};
