// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * counting: messages that wait under processing_delay, the flow that counts each sender's, and the
 * result of a run as it grows.
 */
#include "state.h"

#include <limits.h>

/* Without a known end, a number further ahead than this does not belong to the flow. */
#define REACH (UINT64_C(1) << 28)

unsigned member_room(const struct member *member)
{
	const unsigned full = BACKLOG_MESSAGES - TRANSPORT_BATCH;

	if (!member->backlog.message)
		return UINT_MAX;
	return member->backlog.count < full ? full - member->backlog.count : 0;
}

bool member_delay(struct member *m, struct peer *peer, struct backlog_message message)
{
	struct backlog *b = &m->backlog;

	if (!m->plan.processing_delay)
		return false;
	message.peer = (unsigned)(peer - m->peer);
	if (b->count < BACKLOG_MESSAGES) {
		b->message[(b->first + b->count++) % BACKLOG_MESSAGES] = message;
		peer->stream.waiting++;
	} else {
		m->outcome.malformed++;
	}
	m->dirty |= m->now >= b->next;
	return true;
}

void member_process(struct member *m)
{
	struct backlog *b = &m->backlog;
	struct backlog_message message;
	struct peer *peer;

	if (b->count && m->now >= b->next) {
		message = b->message[b->first];
		b->first = (b->first + 1) % BACKLOG_MESSAGES;
		b->count--;
		peer = &m->peer[message.peer];
		peer->stream.waiting--;
		b->next = m->now + m->plan.processing_delay;
		m->protocol->process(m, peer, &message);
	}
	if (b->count)
		member_arm(m, b->next);
}

void member_result_form(struct member *m)
{
	struct result *r = &m->result;

	m->formed = m->now;
	r->members = r->senders = 0;
	for_each_peer(peer, m) {
		if (peer->role != PEER_MEMBER)
			continue;
		peer->place = (unsigned)r->members++;
		if (!peer->sender || r->senders == m->plan.senders)
			continue;
		peer->stream.column = (unsigned)r->senders;
		peer->stream.flow = m->flow[r->senders];
		r->sender[r->senders++] = *member_who(m, peer);
	}
}

static struct result_host host_now(const struct member *m)
{
	struct result_host host = {0};

	if (m->port.host)
		m->port.host(m->port.transport, &host);
	host.malformed += m->outcome.malformed;
	return host;
}

void member_result_begin(struct member *m)
{
	const struct np_flow_plan flow = {
		.first = 1, .announced = m->plan.messages, .reach = REACH};
	struct result *r = &m->result;

	r->run = m->plan.warm_up && m->run ? m->run - 1 : m->run;
	r->complete = r->interrupted = false;
	r->sent = r->sent_first = 0;
	r->sent_elapsed = 0;
	r->behind = -1;
	r->numbered = m->protocol->numbered;
	r->drop_most = m->plan.drop_most;
	m->host_begin = host_now(m);
	for (unsigned i = 0; i < r->members && i < m->plan.members; i++) {
		struct result_member *member = &r->member[i];

		member->rows = 0;
		member->host = (struct result_host){0};
		member->total = (struct result_row){0};
		member->sent_drops = member->all_drops = (struct result_drops){};
		memset(member->row, 0, r->senders * sizeof(*member->row));
	}
	if (m->port.drops)
		(void)m->port.drops(m->port.transport, r, NULL);
	for_each_peer(peer, m) {
		struct peer_stream *stream = &peer->stream;

		peer->reported = false;
		if (!stream->flow)
			continue;
		/* Without raw delays the start cannot fail. */
		(void)np_flow_start(stream->flow, &flow);
		stream->highest = stream->granted = stream->reported = stream->seen = 0;
		stream->sent = 0;
		stream->ended = false;
		stream->news = 0;
	}
}

void member_result_drops(struct member *m)
{
	m->drops_open = m->port.drops && m->port.drops(m->port.transport, &m->result,
						       &m->result.member[member_self(m)->place]);
}

void member_result_count(struct member *m)
{
	const struct result_host *before = &m->host_begin, now = host_now(m);
	const bool numbered = m->protocol->numbered;
	struct peer *self = member_self(m);
	struct result_member *own = &m->result.member[self->place];

	for_each_peer(peer, m) {
		const struct peer_stream *stream = &peer->stream;
		const struct np_histogram *delay;
		struct np_flow_counts *counts;
		struct result_row *row;

		if (!stream->flow)
			continue;
		row = &own->row[stream->column];
		*row = (struct result_row){.sender = *member_who(m, peer), .ended = stream->ended};
		counting_pace(peer, row);
		counts = &row->counts;
		np_flow_life(stream->flow, counts);
		row->exact = numbered && stream->ended && np_flow_counts_exact(counts);
		/* What the sender reported, else what it announced, else what is known of it. */
		if (stream->ended)
			counts->sent = stream->sent;
		else if (m->plan.messages)
			counts->sent = m->plan.messages;
		if (!numbered && stream->ended && counts->sent > counts->received)
			counts->lost = counts->sent - counts->received;
		delay = np_flow_delay(stream->flow);
		if (!delay)
			continue;
		np_histogram_figures(delay, &row->delay);
		row->delay_bound = np_flow_delay_bound(stream->flow);
	}
	own->rows = m->result.senders;
	own->host = (struct result_host){
		.cpu_user = now.cpu_user - before->cpu_user,
		.cpu_system = now.cpu_system - before->cpu_system,
		.dropped = now.dropped - before->dropped,
		.malformed = now.malformed - before->malformed,
	};
	self->reported = true;
}

void member_result_update(struct member *m)
{
	struct result *r = &m->result;

	r->members = 0;
	for (unsigned refused = 0; refused < 2; refused++) {
		for_each_peer(peer, m) {
			struct result_member *member = &r->member[r->members];

			if (peer->role != (refused ? PEER_REFUSED : PEER_MEMBER))
				continue;
			r->members++;
			member->who = *member_who(m, peer);
			member->sender = peer->sender;
			member->myself = peer->self;
			member->outcome = refused ? FATE_REFUSED : peer->outcome;
			member->outcome_after = peer->outcome_after;
			member->reported = peer->reported;
			snprintf(member->why, sizeof(member->why), "%s", peer->why);
		}
	}
}

static void count_sent(struct member *m)
{
	const struct sending *s = &m->sending;

	m->result.sent = s->sent;
	m->result.sent_first = s->first;
	m->result.sent_elapsed = s->last - s->begun;
	m->result.behind = m->plan.rate > 0 ? s->pacer.worst_behind : -1;
}

const struct result *member_look(struct member *m)
{
	struct peer *self = member_self(m);

	if (!m->formed || !self || self->role != PEER_MEMBER || self->reported)
		return &m->result;
	member_result_count(m);
	member_result_drops(m);
	member_result_update(m);
	self->reported = false;
	count_sent(m);
	return &m->result;
}

void member_result_notify(struct member *m, enum member_event_kind kind)
{
	struct result *r = &m->result;
	const struct peer *self = member_self(m);

	/* A receiver that had given up a sender does not know how many it sent: the others do. */
	for_each_peer(receiver, m) {
		if (!r->numbered || !is_other(receiver) || !receiver->reported)
			continue;
		for (unsigned i = 0; i < r->senders; i++) {
			const struct result_row *known = &r->member[self->place].row[i];
			struct result_row *row = &r->member[receiver->place].row[i];

			if (row->ended || !known->ended ||
			    row->counts.received > known->counts.sent)
				continue;
			row->counts.sent = known->counts.sent;
			row->counts.lost = row->counts.sent - row->counts.received;
			/* It did not count what arrived after it had given the sender up. */
			row->exact = known->exact && !row->counts.late && !row->counts.stray;
		}
	}
	member_result_update(m);
	count_sent(m);
	r->interrupted = m->outcome.interrupted;
	r->complete = true;
	for_each_peer(peer, m)
		r->complete &= !peer_counts(peer) || peer->reported;
	member_notify(m, NULL, kind, .result = r);
}
