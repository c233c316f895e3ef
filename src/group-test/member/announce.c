// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * announce: native: what this member tells the others of itself: who it is (HELLO), how far it has
 * got (STATE), its clock, and what its host dropped; and what they answer to the last two.
 */
#include "state.h"

#include <stdio.h>
#include <string.h>

#define HELLO_SOON (50 * NP_MILLISECOND)

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
	return who ? transport_send_to(m->port.transport, who, out, bytes)
		   : member_send(m, out, bytes);
}

/* @who: NULL for all. */
static int hello_write(struct member *m, const struct identity *who)
{
	struct message_hello hello = {.sender = m->plan.sender,
				      .paced = m->plan.rate > 0 ? 1
					       : m->plan.pause	? (uint8_t)m->plan.lanes
								: 0,
				      .begun = m->begun + m->plan.realtime};

	memcpy(hello.host, m->plan.host, sizeof(hello.host));
	memcpy(hello.setting, m->native.setting, sizeof(hello.setting));
	return native_send(m, who, MESSAGE_HELLO, &hello);
}

static void hello_send(struct member *m)
{
	struct native *n = &m->native;

	n->hello_next = m->now + MEMBER_LOOK;
	if (hello_write(m, NULL))
		return;
	n->hello_last = m->now;
	n->hello_next =
		m->phase == PHASE_JOINING ? m->now + native_pause(m, HELLO_EVERY) : NP_TIME_NEVER;
}

void hello_introduce(struct member *m)
{
	if (!m->native.hello_last)
		hello_send(m);
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

void hello_tick(struct member *m)
{
	struct native *n = &m->native;

	if (m->phase == PHASE_LEAVING)
		return;
	if (m->now >= n->hello_next)
		hello_send(m);
	member_arm(m, n->hello_next);
}

/*
 * A process that has never heard of this member ignores its refusal: so it gets a HELLO first,
 * alone.
 */
void hello_refuse(struct member *m, const struct peer *peer, struct message_refuse body)
{
	body.to = *member_who(m, peer);
	(void)hello_write(m, &body.to);
	(void)native_send(m, &body.to, MESSAGE_REFUSE, &body);
}

void hello_keep_out(struct member *m, struct peer *peer, struct message_refuse body,
		    const char *why)
{
	hello_refuse(m, peer, body);
	if (peer->role != PEER_REFUSED)
		member_refuse(m, peer, why);
}

/* How many live members have yet to reach this member's phase. */
static unsigned count_unready(const struct member *m)
{
	const enum message_phase phase = m->phase;
	unsigned count = 0;

	for_each_peer(peer, m) {
		if (!peer_counts(peer))
			continue;
		count += phase == PHASE_COUNTED ? !peer->reported
						: !peer->self && !has_reached(m, peer, phase);
	}
	return count;
}

void phase_announce(struct member *m)
{
	struct native *n = &m->native;
	const bool soon = m->phase == PHASE_SENT || m->phase == PHASE_LEAVING;
	struct message_state state;

	/* A member that processes slowly makes progress all the same. */
	m->moves += m->backlog.count != 0;
	state = (struct message_state){
		.phase = m->phase,
		.interrupted = m->outcome.interrupted,
		.sent = m->sending.sent,
		.members = (uint16_t)m->peers,
		.unready = (uint16_t)count_unready(m),
		.moves = m->moves,
	};
	if (native_send(m, NULL, MESSAGE_STATE, &state)) {
		n->state_next = m->now + MEMBER_LOOK;
		return;
	}
	n->announced++;
	n->state_next = m->now + native_pause(m, soon ? STATE_SOON : STATE_EVERY);
}

void phase_enter(struct member *m, enum message_phase phase)
{
	member_enter(m, phase);
	if (phase == PHASE_LEAVING)
		m->native.left = m->now;
	m->native.announced = 0;
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

#define CLOCK_EVERY   NP_SECOND
#define CLOCK_QUICKLY (50 * NP_MILLISECOND)
#define CLOCK_FIRST   8 /* the first ones, sent in quick succession */

/* Hosts with the same boot id share a clock. */
static bool is_same_clock(const struct member *m, const struct peer *peer)
{
	return peer->self || !memcmp(peer->native.host, m->plan.host, sizeof(m->plan.host));
}

void clock_take(struct member *m, struct peer *peer, const struct message_clock *clock, np_time at)
{
	struct message_clock answer = *clock;

	if (!identity_equal(&clock->to, &m->plan.self) || peer->self)
		return;
	if (clock->answer) {
		if (np_offset_add(&peer->flow.clock, clock->t1, clock->t2, clock->t3, at) &&
		    peer->flow.tally)
			np_flow_set_clock(peer->flow.tally->flow, &peer->flow.clock);
		return;
	}
	answer.to = *member_who(m, peer);
	answer.answer = true;
	answer.t2 = answer.t3 = at;
	(void)native_send(m, &answer.to, MESSAGE_CLOCK, &answer);
}

void clock_form(const struct member *m, struct peer *peer)
{
	const struct np_offset same = {.known = true};

	if (!peer->flow.tally)
		return;
	if (is_same_clock(m, peer))
		peer->flow.clock = same;
	np_flow_set_clock(peer->flow.tally->flow, &peer->flow.clock);
}

static void clock_ask(struct member *m, struct peer *peer)
{
	const struct message_clock ask = {.to = *member_who(m, peer), .t1 = m->now};

	if (!native_send(m, &ask.to, MESSAGE_CLOCK, &ask))
		peer->flow.asked++;
	peer->flow.ask = m->now + (peer->flow.asked < CLOCK_FIRST ? CLOCK_QUICKLY : CLOCK_EVERY);
}

/* Asks senders on other hosts for their clocks. */
void clock_tick(struct member *m)
{
	for_each_peer(peer, m) {
		if (!peer->sender || peer->gone || peer->role == PEER_REFUSED ||
		    is_same_clock(m, peer))
			continue;
		if (m->now >= peer->flow.ask)
			clock_ask(m, peer);
		member_arm(m, peer->flow.ask);
	}
}

/* How often to look whether what was sent has left this host. */
#define DROPS_EVERY (50 * NP_MILLISECOND)

void drops_count(struct member *m)
{
	struct native *n = &m->native;
	const struct result_member *own = &m->result.member[member_self(m)->place];
	struct message_drops *drops = &n->drops_scratch;
	struct message_head head = native_head(m);

	n->drops_bytes = 0;
	n->drops_next = m->drops_open ? m->now + DROPS_EVERY : NP_TIME_NEVER;
	if (!own->sent_drops.total.known)
		return;
	drops->sent = own->sent_drops.total;
	drops->count = (uint16_t)own->rows;
	for (size_t i = 0; i < own->rows; i++)
		drops->row[i] = (struct message_drops_row){
			own->row[i].sender, own->row[i].drops.total, own->row[i].local};
	n->drops_bytes = message_encode(n->drops, &head, MESSAGE_DROPS, drops);
}

void drops_announce(struct member *m)
{
	const struct native *n = &m->native;

	/* One that is lost is made up for by the next, or these drops are not known there. */
	if (n->drops_bytes)
		(void)member_send(m, n->drops, n->drops_bytes);
}

static void look_again(struct member *m)
{
	member_result_drops(m, member_self(m), DROPS_END);
	drops_count(m);
}

void drops_tick(struct member *m)
{
	const struct native *n = &m->native;

	if (m->phase != PHASE_COUNTED || n->drops_next == NP_TIME_NEVER)
		return;
	if (m->now >= n->drops_next) {
		look_again(m);
		drops_announce(m);
	}
	member_arm(m, n->drops_next);
}

void drops_conclude(struct member *m)
{
	if (m->drops_open)
		look_again(m);
}

void drops_take(struct member *m, const struct peer *peer, const struct message_drops *drops)
{
	struct result_member *member = &m->result.member[peer->place];

	if (peer->self || drops->count != m->result.senders)
		return;
	member->sent_drops.total = drops->sent;
	for (unsigned i = 0; i < drops->count; i++) {
		for (size_t k = 0; k < m->result.senders; k++) {
			if (!identity_equal(&m->result.sender[k], &drops->row[i].sender))
				continue;
			member->row[k].drops.total = drops->row[i].received;
			member->row[k].local = drops->row[i].local;
		}
	}
}
