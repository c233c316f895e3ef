// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * sending: sends DATA: shares of the lanes, pace, credit, warm-up, duration. Native: receivers tell
 * senders how far they may send; senders ask and wait.
 */
#include "state.h"

/*
 * How long a sender waits for credit before it asks; and again after half of the time that it has
 * waited, of this at most: what it asks takes room in the buffer of a member that stands still.
 */
#define PROBE_AFTER   (20 * NP_MILLISECOND)
#define PROBES_WAITED NP_SECOND
#define HELD_UP	      NP_SECOND

void sending_begin(struct member *m)
{
	const uint64_t lanes = m->plan.lanes, all = m->plan.messages;
	struct sending *s = &m->sending;

	*s = (struct sending){.on = true, .next = 1, .ends = NP_TIME_NEVER};
	s->credit = m->plan.credit ? 0 : UINT64_MAX;
	for (unsigned i = 0; i < lanes; i++)
		s->lane[i].left = all ? all / lanes + (i < all % lanes) : UINT64_MAX;
	if (m->plan.warmup)
		member_notify(m, NULL, MEMBER_WARMING, .number = m->plan.warmup);
}

void sending_end(struct member *m)
{
	if (!m->sending.on)
		return;
	np_pacer_missed(&m->sending.pacer, m->sending.ends, m->now);
	m->sending.on = false;
	m->sending.finished = true;
	m->dirty = true;
}

/*
 * Nobody receives what is sent, or it cannot be sent: the run goes on without, and the status is 1.
 */
static void sending_cut(struct member *m, const char *why)
{
	if (!m->sending.on)
		return;
	m->outcome.lost = true;
	member_notify(m, NULL, MEMBER_CUT, .number = m->sending.sent, .text = why);
	sending_end(m);
}

/* Returns how many messages of the stream were sent. */
static unsigned send_some(struct member *m, uint64_t most)
{
	struct sending *s = &m->sending;
	struct refusals *refused = &s->refused;
	struct transport_slots slots;
	int taken;

	if (s->credit < s->next) {
		if (!s->starved) {
			s->starved = m->now;
			s->probe_next = m->now + PROBE_AFTER;
		}
		return 0;
	}
	most = np_least(most, s->credit - s->next + 1);
	if (!most || !transport_reserve(m->port.transport, (unsigned)most, &slots))
		return 0;
	m->protocol->write(m, &slots, s->next);
	taken = transport_commit(m->port.transport, slots.count);
	member_note(m, refused, taken);
	/* A host that has refused everything for long will not accept the rest, either. */
	if (taken < 0 && m->now - refused->since >= m->plan.limits.grant)
		sending_cut(m, strerror(-refused->error));
	if (taken < 0)
		return 0;
	s->next += (unsigned)taken;
	return (unsigned)taken;
}

unsigned member_pump(struct member *member, unsigned lane, unsigned most, np_time now)
{
	struct member *m = member;
	struct sending *s = &m->sending;
	struct sending_lane *l = &s->lane[lane];
	const bool warms = member_warms(m);
	const np_time pause = m->plan.pause, duration = warms ? m->plan.warm_up : m->plan.duration;
	unsigned taken;

	if (!s->on || lane >= m->plan.lanes || !most)
		return 0;
	member_advance(m, now);
	if (most > TRANSPORT_BATCH)
		most = TRANSPORT_BATCH;
	/* Messages of warm-up are neither paced nor counted. */
	if (s->next <= m->plan.warmup) {
		most = (unsigned)np_least(most, m->plan.warmup - s->next + 1);
		if (!m->protocol->warm)
			return send_some(m, most);
		taken = m->protocol->warm(m, most);
		s->next += taken;
		return taken;
	}
	if (!s->begun) {
		s->begun = s->last = m->now;
		np_pacer_start(&s->pacer, m->plan.rate, m->now);
		if (duration)
			s->ends = m->now + duration;
		member_arm(m, s->ends);
		if (!warms)
			member_notify(m, NULL, MEMBER_SENDING, .number = m->plan.messages);
	}
	if (m->now >= s->ends) {
		sending_end(m);
		return 0;
	}
	if (pause && m->now < l->due)
		return 0;
	most = (unsigned)np_pacer_allowed(&s->pacer, m->now, pause ? 1 : most);
	taken = most ? send_some(m, np_least(most, l->left)) : 0;
	if (!taken)
		return 0;
	np_pacer_took(&s->pacer, m->now, taken);
	s->last = m->now;
	/* The schedule is kept; a message that is late by a whole pause is not made up for. */
	if (pause)
		l->due = m->now - l->due < pause ? l->due + pause : m->now + pause;
	if (warms)
		return taken;
	if (!s->sent)
		s->first = taken;
	s->sent += taken;
	l->sent += taken;
	l->left -= taken;
	while (member_log_due(m, l->sent, m->plan.lanes, &l->reported))
		member_notify(m, NULL, MEMBER_SENT, .number = l->reported, .lane = lane);
	/* No lane has any left. */
	if (s->sent == m->plan.messages)
		sending_end(m);
	return taken;
}

np_time member_pump_due(const struct member *member, unsigned lane)
{
	const struct sending *s = &member->sending;

	if (!s->on || lane >= member->plan.lanes || !s->lane[lane].left)
		return NP_TIME_NEVER;
	/* Warm-up is not paced, and until the first DATA was sent none is due later. */
	if (s->begun && member->plan.rate > 0)
		return np_pacer_next(&s->pacer);
	return s->lane[lane].due;
}

void credit_grant(struct member *m, struct peer *sender, bool asked)
{
	struct peer_stream *stream = &sender->stream;
	const uint64_t window = m->native.window, limit = stream->highest + window;
	const uint64_t quarter = window >= 4 ? window / 4 : 1;

	if (!m->plan.credit || m->phase < PHASE_READY || m->phase > PHASE_SENT)
		return;
	if (!asked && limit - stream->granted < quarter)
		return;
	if (sender->self) {
		stream->granted = limit;
		credit_granted(m, sender, limit);
		return;
	}
	/* A grant that could not be sent is not granted. */
	if (!native_send(m, member_who(m, sender), MESSAGE_GRANT, &limit))
		stream->granted = limit;
}

/* A member that has counted the run, or leaves, receives no more. */
static bool takes(const struct member *m, const struct peer *peer)
{
	return peer_counts(peer) && (peer->self || !has_reached(m, peer, PHASE_COUNTED));
}

/* How far all together allow sending. */
static void set_limit(struct member *m)
{
	uint64_t least = UINT64_MAX;

	if (!m->plan.credit)
		return;
	for_each_peer(peer, m) {
		if (takes(m, peer) && peer->credit.limit < least)
			least = peer->credit.limit;
	}
	m->sending.credit = least;
	if (least >= m->sending.next)
		m->sending.starved = 0;
}

void credit_begin(struct member *m)
{
	if (m->plan.sender)
		sending_begin(m);
	for_each_peer(peer, m) {
		if (peer_counts(peer) && peer->stream.flow)
			credit_grant(m, peer, true);
	}
	set_limit(m);
}

void credit_granted(struct member *m, struct peer *receiver, uint64_t number)
{
	struct peer_credit *credit = &receiver->credit;

	/* It cannot have received what was not sent. */
	if (number > m->sending.next + WINDOW_MAX) {
		m->outcome.malformed++;
		return;
	}
	if (number <= credit->limit)
		return;
	credit->limit = number;
	credit->granted = m->now;
	credit->reported = false;
	set_limit(m);
}

/*
 * Usually a GRANT is on its way when a sender has to wait: it asks only if none arrives. A receiver
 * that grants nothing for too long counts as dead, whatever else it says: its progress may be other
 * messages than ours. If it is this member itself, its own messages do not come back, and the
 * others cannot be assumed to receive them.
 */
void credit_tick(struct member *m)
{
	const uint64_t highest = m->sending.next - 1;
	/* How long a member may need for the windows of all senders. */
	const np_time processing =
		m->plan.processing_delay * (np_time)(m->native.window * m->plan.senders);
	const np_time limit = m->plan.limits.grant + processing, starved = m->sending.starved;
	np_time waited;

	if (!m->plan.credit || !m->sending.on)
		return;
	set_limit(m);
	if (!m->sending.starved)
		return;
	waited = m->now - starved;
	if (m->now >= m->sending.probe_next) {
		(void)native_send(m, NULL, MESSAGE_PROBE, &highest);
		m->sending.probe_next = m->now + PROBE_AFTER +
					(waited < PROBES_WAITED ? waited : PROBES_WAITED) / 2;
	}
	for (unsigned i = 0; i < m->peers && m->sending.on; i++) {
		struct peer *peer = &m->peer[i];

		if (!takes(m, peer) || peer->credit.limit >= m->sending.next)
			continue;
		/* A receiver that has sent a grant since then is not the one that holds it up. */
		waited = m->now - (peer->credit.granted > starved ? peer->credit.granted : starved);
		if (waited >= limit && peer->self) {
			sending_cut(m, "its own messages do not come back to it");
		} else if (waited >= limit) {
			member_give_up(m, peer, FATE_CUT, "it accepted no message for %g s",
				       np_clock_seconds(limit));
		} else if (waited >= HELD_UP && !peer->credit.reported) {
			peer->credit.reported = true;
			member_notify(m, peer, MEMBER_HELD_UP, .elapsed = waited);
		}
	}
}
