// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * ending: native: the end of a run: the last messages, the counts, the results and what hosts
 * dropped, leaving.
 */
#include "state.h"

#define RESULTS_EVERY	(500 * NP_MILLISECOND)
#define RESULTS_SOON	(50 * NP_MILLISECOND)
#define LAST_WORDS	2 /* the fewest STATEs that a leaving member sends */
#define LAST_WORDS_SOLE 4 /* and one that leaves before the others */
/* How often to look whether what was sent has left this host. */
#define DROPS_EVERY (50 * NP_MILLISECOND)

/* Records how many messages @peer has sent. */
static void ended(struct member *m, struct peer *peer, uint64_t sent)
{
	struct peer_stream *stream = &peer->stream;

	if (!stream->flow || stream->ended)
		return;
	stream->ended = sent != UINT64_MAX && np_flow_end(stream->flow, sent + 1, 0);
	if (stream->ended)
		stream->sent = sent;
	else
		member_give_up(m, peer, FATE_NEVER,
			       "it claims to have sent more than num_msgs messages");
	stream->news = m->now;
	m->dirty = true;
}

/*
 * All others have gone on to the next run, or left, with the results of all that they wait for, but
 * this member, which was stopped or cut off, has not sent its own.
 */
static bool is_left_behind(const struct member *m)
{
	unsigned others = 0;

	if (m->phase != PHASE_RUNNING && m->phase != PHASE_SENT)
		return false;
	for_each_peer(peer, m) {
		const struct peer_native *native = &peer->native;

		if (!is_other(peer))
			continue;
		if (!peer->reported || native->interrupted ||
		    (native->phase != PHASE_LEAVING && native->run <= m->run))
			return false;
		others++;
	}
	return others != 0;
}

/* The counts of this member and of the others stay valid, but for the others it was lost. */
static void left_behind(struct member *m)
{
	struct peer *self = member_self(m);

	if (self->outcome != FATE_STAYED)
		return;
	self->outcome = FATE_CUT;
	self->outcome_after = m->now - m->formed;
	snprintf(self->why, sizeof(self->why), "the other members continued without it");
	m->outcome.lost = true;
	member_result_update(m);
	member_notify(m, self, MEMBER_GIVEN_UP, .text = self->why);
}

/* Tells a member that was given up so, now and then. */
static void notify_dead(struct member *m, struct peer *peer)
{
	if (m->now - peer->native.refused < STATE_SOON)
		return;
	peer->native.refused = m->now;
	hello_refuse(m, peer, REFUSAL_DEAD, .value = peer->native.instance);
}

/*
 * A member that is not heard may still receive: it does not know that it is missed. One that quit
 * does.
 */
static void notify_the_dead(struct member *m)
{
	for_each_peer(peer, m) {
		if (peer->gone && peer->outcome != FATE_QUIT)
			notify_dead(m, peer);
	}
}

/*
 * With its results nothing of the other is lost; but this member is missing from the run that most
 * others saw.
 */
void end_given_up(struct member *m, struct peer *peer)
{
	unsigned others = 0, parted = 0;

	if (!peer_counts(peer) || m->outcome.interrupted || m->outcome.failed)
		return;
	if (!peer->reported) {
		member_give_up(m, peer, FATE_CUT, "it has given up this member");
		return;
	}
	peer->native.parted = true;
	for_each_peer(other, m) {
		others += is_other(other);
		parted += is_other(other) && other->native.parted;
	}
	if (2 * parted > others)
		left_behind(m);
}

void end_state(struct member *m, struct peer *peer, const struct message_head *head,
	       const struct message_state *state)
{
	struct peer_native *native = &peer->native;
	struct native *n = &m->native;

	if (peer->self) {
		if (m->phase == PHASE_SENT && state->phase == PHASE_SENT && head->run == m->run)
			ended(m, peer, state->sent);
		return;
	}
	if (peer->gone) {
		notify_dead(m, peer);
		return;
	}
	/* A member never goes back: an older state was overtaken on its way. */
	if (head->run < native->run || (head->run == native->run && state->phase < native->phase))
		return;
	if (native->phase != state->phase || native->run != head->run) {
		m->dirty = true;
		m->moved = native->moved = m->now;
	}
	native->phase = state->phase;
	native->run = head->run;
	native->tag = head->tag;
	native->interrupted = state->interrupted;
	if (native->moves != state->moves)
		native->moved = m->now;
	native->moves = state->moves;
	if (peer->role != PEER_MEMBER || native->tag != n->tag)
		return;
	if (m->phase >= PHASE_READY && m->phase <= PHASE_SENT && native->run == m->run &&
	    native->phase >= PHASE_SENT)
		ended(m, peer, state->sent);
	if (n->results_bytes && native->run == n->results_run && state->unready &&
	    (state->phase == PHASE_SENT || state->phase == PHASE_COUNTED))
		n->results_wanted = m->dirty = true;
	if (is_left_behind(m))
		left_behind(m);
}

void end_table(struct member *m, struct peer *peer, const struct result_member *told, bool drops)
{
	struct result_member *member = &m->result.member[peer->place];

	if (peer->self || (peer->reported && !drops) || told->rows != m->result.senders)
		return;
	for (size_t i = 0; i < told->rows; i++) {
		const struct peer *sender = member_find(m, &told->row[i].sender);
		struct result_row counted = told->row[i], *row;

		if (!sender || !sender->stream.flow)
			continue;
		/* Each message has what the other has not. */
		row = &member->row[sender->stream.column];
		if (drops) {
			row->drops.total = counted.drops.total;
			row->local = counted.local;
			continue;
		}
		counted.drops = row->drops;
		counted.local = row->local;
		counting_pace(sender, &counted);
		*row = counted;
	}
	if (drops) {
		member->sent_drops.total = told->sent_drops.total;
		return;
	}
	member->rows = told->rows;
	member->host = told->host;
	peer->reported = true;
	m->moved = m->now;
	m->dirty = true;
}

void end_silence(struct member *m)
{
	const struct member_limits *limits = &m->plan.limits;

	for_each_peer(peer, m) {
		const np_time silent = m->now - peer->heard;
		const bool late = m->now - peer->native.moved >= limits->report;
		/* Nothing more is needed of it: its results, and how much it sent, are known. */
		const bool settled = peer->reported && (!peer->stream.flow || peer->stream.ended);

		if (!is_other(peer))
			continue;
		/* A leaving member was interrupted, or left without its results. */
		if (peer->native.phase != PHASE_LEAVING && silent >= limits->silent)
			member_give_up(m, peer, FATE_SILENT, "silent for %g s",
				       np_clock_seconds(limits->silent));
		if (peer->native.phase != PHASE_LEAVING)
			continue;
		if (peer->native.interrupted && (settled || silent >= limits->linger || late))
			member_give_up(m, peer, FATE_QUIT, "interrupted by its user");
		else if (!settled && (silent >= 2 * limits->linger || late))
			member_give_up(m, peer, FATE_QUIT, "it left without sending results");
	}
}

/* Looks at what was dropped, for the result, and composes what RESULTS are preceded by. */
static void look_at_drops(struct member *m)
{
	struct native *n = &m->native;
	const struct result_member *own = &m->result.member[member_self(m)->place];
	struct message_head head = native_head(m);

	member_result_drops(m);
	n->drops_next = m->drops_open ? m->now + DROPS_EVERY : NP_TIME_NEVER;
	n->drops_bytes = own->sent_drops.total.known
				 ? message_encode(n->drops, &head, MESSAGE_DROPS, own)
				 : 0;
}

/* One that is lost is made up for by the next, or these drops are not known there. */
static void send_drops(struct member *m)
{
	if (m->native.drops_bytes)
		(void)member_send(m, m->native.drops, m->native.drops_bytes);
}

void end_results_tick(struct member *m)
{
	struct native *n = &m->native;
	const bool counted = m->phase == PHASE_COUNTED;
	const np_time since = m->now - n->results_last;

	if (n->results_bytes &&
	    ((counted && since >= RESULTS_EVERY) || (n->results_wanted && since >= RESULTS_SOON))) {
		send_drops(m);
		if (!member_send(m, n->results, n->results_bytes)) {
			n->results_wanted = false;
			n->results_last = m->now;
		}
	}
	if (!counted || n->drops_next == NP_TIME_NEVER)
		return;
	if (m->now >= n->drops_next) {
		look_at_drops(m);
		send_drops(m);
	}
	member_arm(m, n->drops_next);
}

/* Freezes the counts, and composes the message with them. */
void end_count(struct member *m)
{
	struct native *n = &m->native;
	struct peer *self = member_self(m);
	struct message_head head = native_head(m);

	if (m->plan.sender && !m->outcome.interrupted)
		ended(m, self, m->sending.sent);
	member_result_count(m);
	look_at_drops(m);
	n->results_bytes =
		message_encode(n->results, &head, MESSAGE_RESULTS, &m->result.member[self->place]);
	n->results_run = m->run;
	n->results_last = m->now - RESULTS_EVERY;
}

void end_run_tick(struct member *m)
{
	struct peer *self = member_self(m);
	bool done = true;

	end_silence(m);
	if (m->sending.finished && m->phase == PHASE_RUNNING) {
		phase_enter(m, PHASE_SENT);
		if (!member_warms(m))
			member_notify(m, NULL, MEMBER_SENT_ALL,
				      .number = member_count(m, peer_counts));
	}
	/*
	 * Its own messages end with its own STATE, as those of the others do: before that, some may
	 * still be on their way to it. Unless nothing of its own comes back any more.
	 */
	if (m->phase == PHASE_SENT && m->now - self->heard >= m->plan.limits.silent)
		ended(m, self, m->sending.sent);
	if (m->plan.sender && m->phase == PHASE_RUNNING)
		return;
	/* Is nothing more awaited from any sender? */
	for_each_peer(peer, m) {
		const struct peer_stream *stream = &peer->stream;
		const np_time settled = stream->news + m->plan.limits.settle;

		if (peer->role != PEER_MEMBER || !stream->flow || peer->gone)
			continue;
		if (stream->waiting || !stream->ended) {
			done = false;
		} else if (!has_all(stream) && m->now < settled) {
			member_arm(m, settled);
			done = false;
		}
	}
	if (!done)
		return;
	end_count(m);
	phase_enter(m, PHASE_COUNTED);
	if (!m->plan.sender && !member_warms(m))
		member_result_notify(m, MEMBER_LOCAL);
}

static bool is_sender_here(const struct peer *peer)
{
	return peer_counts(peer) && peer->sender;
}

void end_report_tick(struct member *m)
{
	const np_time limit = m->plan.limits.report;
	bool all = true, next;

	end_silence(m);
	for_each_peer(peer, m) {
		const np_time there = peer->native.moved;

		/* Nothing has moved for long, neither here nor there. */
		if (is_other(peer) && !peer->reported &&
		    m->now - (m->moved > there ? m->moved : there) >= limit)
			member_give_up(m, peer, FATE_NEVER, "it sent no results for %g s",
				       np_clock_seconds(limit));
		all &= !peer_counts(peer) || peer->reported;
	}
	notify_the_dead(m);
	if (!all)
		return;
	/* Goes on to the next run, or leaves. */
	next = (m->result.run + 1 < m->plan.runs || member_warms(m)) &&
	       member_count(m, is_sender_here);
	if (m->drops_open)
		look_at_drops(m);
	if (!next || !member_warms(m)) {
		member_result_notify(m, MEMBER_REPORTED);
		member_result_notify(m, MEMBER_RESULT);
	}
	if (next) {
		m->run++;
		phase_begin_run(m);
	} else {
		phase_enter(m, PHASE_LEAVING);
	}
}

void end_leave_tick(struct member *m)
{
	struct native *n = &m->native;
	const struct member_limits *limits = &m->plan.limits;
	const bool sole = m->outcome.interrupted && !m->outcome.failed;
	np_time last = 0; /* when the last of those that have not left was heard; 0: all have */

	for_each_peer(peer, m) {
		if (is_other(peer) && peer->native.phase != PHASE_LEAVING && peer->heard > last)
			last = peer->heard;
	}
	if (!m->outcome.failed)
		notify_the_dead(m);
	/* Nobody will ask, since nobody expects the counts yet. */
	n->results_wanted |= sole;
	if (n->announced < (sole ? LAST_WORDS_SOLE : LAST_WORDS) &&
	    m->now - n->left < limits->linger)
		return;
	/* The others did not learn how the run ended here. */
	m->outcome.lost |= m->refused.since != 0;
	m->outcome.finished |= m->outcome.failed || sole || !last ||
			       m->now - last >= limits->linger ||
			       m->now - n->left >= limits->report;
}
