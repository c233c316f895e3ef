// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* native: the native protocol: handles what arrives, and goes through the phases. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static size_t native_control_bytes(const struct member_plan *plan)
{
	const size_t bytes = message_results_bytes(plan->senders);

	return bytes > 256 ? bytes : 256;
}

/* Limits a window so that the bitmap of arrivals can tell all of its numbers apart. */
static uint64_t window_of(const struct member_plan *plan)
{
	const uint64_t each = plan->window_bytes / plan->senders,
		       messages = each / (plan->payload + MESSAGE_HEADER_BYTES);

	if (messages > WINDOW_MAX)
		return WINDOW_MAX;
	return messages ? messages : 1;
}

static int native_create(struct member *m, struct np_fault *fault)
{
	struct native *n = &m->native;

	(void)fault;
	n->window = window_of(&m->plan);
	n->hello_next = m->now;
	n->newest = m->now;
	n->setting[SETTING_NUM_MSGS] = m->plan.messages;
	n->setting[SETTING_MSG_SIZE] = m->plan.payload;
	n->setting[SETTING_NUM_MEMBERS] = m->plan.members;
	n->setting[SETTING_NUM_SENDERS] = m->plan.senders;
	n->setting[SETTING_DURATION] = (uint64_t)m->plan.duration;
	n->setting[SETTING_REPEAT] = m->plan.runs;
	n->setting[SETTING_WARMUP] =
		m->plan.warm_up ? SETTING_WARMUP_TIME | (uint64_t)m->plan.warm_up : m->plan.warmup;
	n->setting[SETTING_CREDIT] = m->plan.credit;
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

/* A byte or two do not identify a protocol. */
static bool is_java(struct member *m, const struct transport_message *message)
{
	if (jgroups_look(message->data, message->bytes) == JGROUPS_IS_DATA)
		return message->length > 1;
	return !jgroups_decode(message->data, message->bytes, message->length, &m->java.in);
}

static bool is_of_instance(const struct message_head *head)
{
	return head->type != MESSAGE_DATA && head->type != MESSAGE_WARMUP &&
	       head->type != MESSAGE_GRANT && head->type != MESSAGE_PROBE;
}

/* True when @peer's instance, or a member of this group, sent the message with @head. */
static bool is_of(const struct member *m, const struct peer *peer, const struct message_head *head)
{
	if (is_of_instance(head))
		return peer->native.instance && head->number == peer->native.instance;
	return head->tag && head->tag == m->native.tag;
}

static bool of_this_run(const struct member *m, const struct peer *peer,
			const struct message_head *head)
{
	return peer && peer_counts(peer) && head->tag == m->native.tag && head->tag &&
	       head->run == m->run;
}

static void take_state(struct member *m, struct peer *peer, const struct message_head *head,
		       const struct message_state *state)
{
	struct peer_native *native = &peer->native;

	if (peer->self)
		return;
	if (peer->gone) {
		end_notify_dead(m, peer);
		return;
	}
	/* A member never goes back: an older state was overtaken on its way. */
	if (head->run < native->run || (head->run == native->run && state->phase < native->phase))
		return;
	if (native->phase != state->phase || native->run != head->run) {
		m->dirty = true;
		m->moved = m->now;
		native->entered = m->now;
	}
	native->phase = state->phase;
	native->run = head->run;
	native->tag = head->tag;
	native->interrupted = state->interrupted;
	if (native->moves != state->moves)
		native->moved = m->now;
	native->moves = state->moves;
	if (peer->role == PEER_MEMBER)
		end_state(m, peer, state);
}

static void take_refusal(struct member *m, struct peer *peer, const struct message_refuse *refuse)
{
	const bool one = refuse->why == REFUSAL_IDENTITY || refuse->why == REFUSAL_DEAD;

	/* Another process may have had this member's address before, or claim it. */
	if (peer->self || !identity_equal(&refuse->to, &m->plan.self) ||
	    (one && refuse->value != m->plan.instance))
		return;
	if (m->phase == PHASE_JOINING)
		join_refused(m, peer, refuse->why);
	else if (refuse->why == REFUSAL_DEAD && (m->phase != PHASE_READY || m->run))
		end_given_up(m, peer);
}

/* A sender that waits for credit tells the highest number that it has sent. */
static void take_probe(struct member *m, struct peer *peer, uint64_t highest)
{
	/* Messages in the backlog are not missing. */
	if (!peer->flow.waiting && highest > peer->flow.highest && highest <= peer->flow.granted)
		peer->flow.highest = highest;
	credit_grant(m, peer, true);
}

/*
 * Handles a message with no body or a valid one. RESULTS, DROPS, GRANT and PROBE act in their own
 * run only. -EPROTO for others, which are counted.
 */
static int take_body(struct member *m, struct peer *peer, const struct message_head *head,
		     const struct transport_message *message)
{
	const bool acts = of_this_run(m, peer, head);
	struct native *n = &m->native;
	union {
		struct message_state state;
		struct message_clock clock;
		struct message_refuse refuse;
	} small = {.state = {0}};
	void *body = head->type == MESSAGE_RESULTS ? (void *)&n->scratch
		     : head->type == MESSAGE_DROPS ? (void *)&n->drops_scratch
						   : &small;

	/* From a predecessor, or from a process that only has its address. */
	if (!is_of(m, peer, head))
		return 0;
	if (message_decode(message->data, message->length, head->type, body))
		return -EPROTO;
	switch (head->type) {
	case MESSAGE_STATE: take_state(m, peer, head, &small.state); break;
	case MESSAGE_CLOCK: clock_take(m, peer, &small.clock, message->at); break;
	case MESSAGE_REFUSE: take_refusal(m, peer, &small.refuse); break;
	case MESSAGE_RESULTS:
		if (acts)
			end_results(m, peer, head, &n->scratch);
		break;
	case MESSAGE_DROPS:
		if (acts)
			drops_take(m, peer, &n->drops_scratch);
		break;
	case MESSAGE_GRANT:
		if (acts)
			credit_granted(m, peer, head->number);
		break;
	case MESSAGE_PROBE:
		if (acts && peer->sender)
			take_probe(m, peer, head->number);
		break;
	default: return -EPROTO;
	}
	return 0;
}

/* False for a malformed message, or one from an unknown sender. */
static bool take_control(struct member *m, const struct transport_delivery *delivery,
			 struct peer *peer, const struct transport_message *message,
			 const struct message_head *head)
{
	struct message_hello hello;

	/* A long message may be present only in part; no valid control message is that long. */
	if (message->bytes < message->length)
		return false;
	if (head->type == MESSAGE_PROOF)
		return join_proof(m, delivery, message, head);
	if (head->type != MESSAGE_HELLO)
		return peer && !take_body(m, peer, head, message);
	if (message_decode(message->data, message->length, MESSAGE_HELLO, &hello))
		return false;
	join_hello(m, delivery->source, head, &hello);
	return true;
}

static bool is_stream(const struct member *m, const struct message_head *head,
		      const struct transport_message *message)
{
	return (head->type == MESSAGE_DATA || head->type == MESSAGE_WARMUP) &&
	       message->length == MESSAGE_HEADER_BYTES + m->plan.payload;
}

static void count_stream(struct member *m, struct peer *peer, enum message_type type,
			 uint64_t number, np_time sent, np_time at)
{
	if (number > peer->flow.highest)
		peer->flow.highest = number;
	if (type == MESSAGE_DATA)
		tally_count(peer->flow.tally, number - m->plan.warmup, sent, at, m->plan.payload);
}

/* Counts one message of a sender's stream. Hot: every DATA comes through here. */
static void take_stream(struct member *m, struct peer *peer, const struct message_head *head,
			np_time at)
{
	const struct native *n = &m->native;

	if (!of_this_run(m, peer, head) || !peer->flow.tally) {
		if (!peer || !peer->flow.tally || head->tag != n->tag)
			m->malformed++;
		else if (head->type == MESSAGE_DATA)
			np_flow_stray(peer->flow.tally->flow, 1);
		return;
	}
	if (m->phase < PHASE_READY || m->phase > PHASE_SENT)
		return;
	if (m->plan.credit && head->number > peer->flow.highest &&
	    head->number > peer->flow.granted)
		np_flow_stray(peer->flow.tally->flow, 1);
	else if (!member_delay(m, peer,
			       (struct backlog_message){.type = (uint8_t)head->type,
							.number = head->number,
							.sent = head->time}))
		count_stream(m, peer, head->type, head->number, head->time, at);
}

static void log_received(struct member *m, struct peer *peer)
{
	struct peer_flow *flow = &peer->flow;
	uint64_t step;

	while ((step = member_log_step(m, flow->reported)) &&
	       np_flow_received(flow->tally->flow) - flow->reported >= step) {
		flow->reported += step;
		member_notify_number(m, MEMBER_RECEIVED, flow->reported, peer);
	}
}

/* After the messages of a delivery: handles what they add up to. */
static void look_at_flow(struct member *m, struct peer *peer)
{
	struct peer_flow *flow = &peer->flow;
	const uint64_t received = np_flow_received(flow->tally->flow);

	if (received != flow->seen) {
		flow->seen = received;
		flow->news = m->now;
		m->moves++;
		log_received(m, peer);
	}
	if (tally_complete(flow->tally))
		m->dirty = true;
	/* A sending member has seen all ready, even if its message about that was lost. */
	if (flow->highest && !has_reached(m, peer, PHASE_RUNNING)) {
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
	count_stream(m, peer, (enum message_type)message->type, message->number, message->sent,
		     m->now);
	look_at_flow(m, peer);
}

static void take_native(struct member *m, const struct transport_delivery *delivery,
			struct peer *peer, const struct transport_message *message,
			const struct message_head *head)
{
	const unsigned peers = m->peers;

	if (is_stream(m, head, message))
		take_stream(m, peer, head, message->at);
	else if (!take_control(m, delivery, peer, message, head))
		m->malformed++;
	/* The message may have made it join or leave. */
	if (peers != m->peers || !peer)
		peer = member_find(m, delivery->source);
	if (peer && is_of(m, peer, head))
		peer->heard = m->now;
}

static void take_any(struct member *m, const struct transport_delivery *delivery, struct peer *peer,
		     const struct transport_message *message)
{
	const struct identity *who = delivery->source;
	struct message_head head;

	switch (message_head_decode(message->data, message->bytes, &head)) {
	case MESSAGE_NATIVE: take_native(m, delivery, peer, message, &head); break;
	case MESSAGE_JGROUPS:
		if (is_java(m, message))
			member_meet(m, who,
				    "the protocol of JGroups' perf.Test (--protocol=jgroups3)");
		else
			m->malformed++;
		break;
	case MESSAGE_OTHER: member_meet(m, who, "another version of group-test's protocol"); break;
	default: m->malformed++;
	}
}

static void native_deliver(struct member *m, const struct transport_delivery *delivery)
{
	struct peer *peer = member_find(m, delivery->source);
	unsigned peers;

	for (unsigned i = 0; i < delivery->count; i++) {
		const struct transport_message *message = &delivery->messages[i];

		member_advance(m, message->at);
		peers = m->peers;
		take_any(m, delivery, peer, message);
		if (peers != m->peers || !peer)
			peer = member_find(m, delivery->source);
	}
	if (peer && peer_counts(peer) && peer->flow.tally)
		look_at_flow(m, peer);
}

static void native_event(struct member *m, const struct transport_event *event)
{
	struct peer *peer = member_find(m, &event->peer);

	switch (event->kind) {
	case TRANSPORT_LOST:
	case TRANSPORT_ENDED:
		if (peer && event->hearsay)
			proof_ended(m, peer);
		else if (peer)
			end_lost(m, peer, event->error);
		break;
	case TRANSPORT_FOREIGN: member_meet(m, &event->peer, event->text); break;
	/* Whoever is at the other end announces itself; otherwise it is missing. */
	case TRANSPORT_CONNECTED:
		hello_soon(m);
		if (peer)
			proof_again(m, peer);
		break;
	/* A long message is moving from or to it: it is alive, and the run makes progress. */
	case TRANSPORT_MOVED:
		if (!peer)
			break;
		peer->heard = peer->native.moved = m->now;
		m->moves++;
		break;
	case TRANSPORT_UNSENT: member_notify_unsent(m, event->error); break;
	/* Members with other settings have not formed a group with this one. */
	case TRANSPORT_OVERSIZE:
	case TRANSPORT_FAILED:
	case TRANSPORT_REFUSED: break;
	}
}

static void native_tick(struct member *m)
{
	struct native *n = &m->native;

	if (m->outcome.failed && m->phase != PHASE_LEAVING) {
		hello_introduce(m);
		phase_enter(m, PHASE_LEAVING);
	}
	proof_tick(m);
	switch (m->phase) {
	case PHASE_JOINING: join_tick(m); break;
	case PHASE_READY: ready_tick(m); break;
	case PHASE_RUNNING:
	case PHASE_SENT: end_run_tick(m); break;
	case PHASE_COUNTED: end_report_tick(m); break;
	case PHASE_LEAVING: end_leave_tick(m); break;
	}
	if (m->outcome.finished)
		return;
	end_results_tick(m);
	drops_tick(m);
	hello_tick(m);
	credit_tick(m);
	if (m->phase < PHASE_LEAVING)
		clock_tick(m);
	if (m->phase == PHASE_JOINING)
		return;
	if (m->now >= n->state_next)
		phase_announce(m);
	member_arm(m, n->state_next);
}

static void native_leave(struct member *m)
{
	phase_enter(m, PHASE_LEAVING);
}

const struct member_protocol_table member_native = {
	.header_bytes = MESSAGE_HEADER_BYTES,
	.numbered = true,
	.control_bytes = native_control_bytes,
	.create = native_create,
	.deliver = native_deliver,
	.event = native_event,
	.process = native_process,
	.tick = native_tick,
	.count = end_count,
	.leave = native_leave,
	.write = native_write,
};
