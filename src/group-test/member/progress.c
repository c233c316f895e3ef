// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* progress: counts each sender's messages, and builds the result of a run as it grows. */
#include "state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Without a known end, a number further ahead than this does not belong to the flow. */
#define REACH (UINT64_C(1) << 28)

int tally_open(struct tally *tally, bool numbered, uint64_t expected)
{
	int rc = np_flow_create(&tally->flow, numbered ? NP_FLOW_WINDOW : 0);

	if (rc)
		return rc;
	tally->numbered = numbered;
	tally->expected = expected;
	tally_clear(tally);
	return 0;
}

void tally_clear(struct tally *tally)
{
	const struct np_flow_plan plan = {
		.first = 1,
		.announced = tally->expected,
		.reach = REACH,
	};

	tally->ended = false;
	tally->sent = 0;
	/* Without raw delays the start cannot fail. */
	(void)np_flow_start(tally->flow, &plan);
}

void tally_count(struct tally *tally, uint64_t number, np_time sent, np_time at, uint64_t payload)
{
	if (tally->numbered)
		(void)np_flow_add(tally->flow, number, 1, payload, sent, at);
	else
		np_flow_add_unnumbered(tally->flow, 1, payload, at);
}

void tally_end(struct tally *tally, uint64_t sent)
{
	if (tally->ended)
		return;
	if (tally->numbered && (sent == UINT64_MAX || !np_flow_end(tally->flow, sent + 1, 0)))
		return;
	tally->ended = true;
	tally->sent = sent;
}

bool tally_complete(const struct tally *tally)
{
	if (tally->numbered)
		return tally->ended && np_flow_received(tally->flow) >= tally->sent;
	return tally->expected && np_flow_received(tally->flow) >= tally->expected;
}

/* What the sender reported, else what it announced, else what is known of it. */
static uint64_t sent_of(const struct tally *t, const struct np_flow_counts *counts)
{
	if (t->ended)
		return t->sent;
	return t->expected || !t->numbered ? t->expected : counts->sent;
}

static void fill_delay(const struct tally *t, struct result_row *row)
{
	const struct np_delay *delay = np_flow_delay(t->flow);

	if (!delay)
		return;
	np_delay_figures(delay, &row->delay);
	row->delay_bound = np_flow_delay_bound(t->flow);
}

void tally_row(const struct tally *tally, struct result_row *row)
{
	struct np_flow_counts *counts = &row->counts;

	*row = (struct result_row){.sender = row->sender, .ended = tally->ended};
	np_flow_life(tally->flow, counts);
	row->exact = tally->numbered && tally->ended && np_flow_counts_exact(counts);
	counts->sent = sent_of(tally, counts);
	if (!tally->numbered && tally->ended && counts->sent > counts->received)
		counts->lost = counts->sent - counts->received;
	fill_delay(tally, row);
}

void member_result_form(struct member *m)
{
	struct result *r = &m->result;

	m->formed = m->now;
	r->formed = true;
	r->members = r->senders = 0;
	for (unsigned i = 0; i < m->peers; i++) {
		struct peer *peer = &m->peer[i];

		if (peer->role != PEER_MEMBER)
			continue;
		peer->place = (unsigned)r->members++;
		if (!peer->sender || r->senders == m->plan.senders)
			continue;
		peer->flow.column = (unsigned)r->senders;
		peer->flow.tally = &m->tally[r->senders];
		r->sender[r->senders++] = m->who[i];
	}
}

static struct result_host host_now(const struct member *m)
{
	struct result_host host = {0};

	if (m->port.host)
		m->port.host(m->port.transport, &host);
	return host;
}

void member_result_begin(struct member *m)
{
	struct result *r = &m->result;

	r->run = m->plan.warm_up && m->run ? m->run - 1 : m->run;
	r->complete = r->interrupted = false;
	r->ended_at = 0;
	r->sent = r->sent_first = 0;
	r->sent_elapsed = 0;
	r->behind = -1;
	r->numbered = m->protocol->numbered;
	r->drop_most = m->plan.drop_most;
	m->host_begin = host_now(m);
	m->host_begin.malformed += m->malformed;
	for (unsigned i = 0; i < r->members && i < m->plan.members; i++) {
		struct result_member *member = &r->member[i];

		member->rows = 0;
		member->host = (struct result_host){0};
		member->total = (struct result_row){0};
		member->sent_drops = member->all_drops = (struct result_drops){};
		for (size_t k = 0; k < r->senders; k++) {
			member->row[k].drops = (struct result_drops){};
			member->row[k].local = false;
		}
	}
	if (m->port.drops)
		(void)m->port.drops(m->port.transport, DROPS_BEGIN, r, NULL);
	for_each_peer(peer, m) {
		struct peer_flow *flow = &peer->flow;

		peer->reported = false;
		if (!flow->tally)
			continue;
		tally_clear(flow->tally);
		flow->highest = flow->granted = flow->reported = flow->seen = 0;
		flow->news = 0;
	}
}

static void count_host(const struct member *m, struct result_host *host)
{
	const struct result_host *before = &m->host_begin, now = host_now(m);

	*host = (struct result_host){
		.cpu_user = now.cpu_user - before->cpu_user,
		.cpu_system = now.cpu_system - before->cpu_system,
		.dropped = now.dropped - before->dropped,
		.malformed = now.malformed + m->malformed - before->malformed,
	};
}

void member_result_drops(struct member *m, struct peer *self, enum drops_moment moment)
{
	m->drops_open = m->port.drops && m->port.drops(m->port.transport, moment, &m->result,
						       &m->result.member[self->place]);
}

void member_result_count(struct member *m, struct peer *self, enum drops_moment moment)
{
	struct result_member *own = &m->result.member[self->place];

	for_each_peer(peer, m) {
		const struct peer_flow *flow = &peer->flow;

		if (!flow->tally)
			continue;
		own->row[flow->column].sender = *member_who(m, peer);
		tally_row(flow->tally, &own->row[flow->column]);
	}
	own->rows = m->result.senders;
	count_host(m, &own->host);
	member_result_drops(m, self, moment);
	self->reported = true;
}

static void update(const struct peer *peer, const struct identity *who,
		   struct result_member *member)
{
	member->who = *who;
	member->sender = peer->sender;
	member->myself = peer->self;
	member->outcome = peer->role == PEER_REFUSED ? FATE_REFUSED : peer->outcome;
	member->outcome_after = peer->outcome_after;
	member->reported = peer->reported;
	snprintf(member->why, sizeof(member->why), "%s", peer->why);
}

/* A member with a pause announced it when it joined. */
static void mark_paced(struct member *m)
{
	for_each_peer(sender, m) {
		for (size_t j = 0; sender->flow.tally && j < m->result.members; j++) {
			struct result_member *member = &m->result.member[j];

			if (sender->flow.column >= member->rows)
				continue;
			member->row[sender->flow.column].paced = sender->paced;
			member->row[sender->flow.column].streams =
				sender->paced ? sender->paced : 1;
		}
	}
}

void member_result_update(struct member *m)
{
	struct result *r = &m->result;
	unsigned behind;

	r->members = 0;
	for_each_peer(peer, m) {
		if (peer->role != PEER_REFUSED && peer->known &&
		    (!m->formed || peer->role == PEER_MEMBER))
			update(peer, member_who(m, peer), &r->member[r->members++]);
	}
	mark_paced(m);
	behind = (unsigned)r->members;
	for_each_peer(peer, m) {
		if (peer->role == PEER_REFUSED)
			update(peer, member_who(m, peer), &r->member[behind++]);
	}
	r->members = behind;
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
	member_result_count(m, self, DROPS_LOOK);
	member_result_update(m);
	self->reported = false;
	count_sent(m);
	return &m->result;
}

/* A receiver that had given up a sender does not know how many messages it sent: the others do. */
static void fill_in(struct member *m, const struct peer *receiver, const struct peer *sender)
{
	const struct peer *self = member_self(m);
	const unsigned column = sender->flow.column;
	const struct result_row *known = &m->result.member[self->place].row[column];
	struct result_row *row = &m->result.member[receiver->place].row[column];

	if (row->ended || !known->ended || row->counts.received > known->counts.sent)
		return;
	row->counts.sent = known->counts.sent;
	row->counts.lost = row->counts.sent - row->counts.received;
	/* It did not count what arrived after it had given the sender up. */
	row->exact = known->exact && !row->counts.late && !row->counts.stray;
}

static void fill_in_all(struct member *m)
{
	for_each_peer(receiver, m) {
		for (unsigned j = 0; j < m->peers; j++) {
			if (is_other(receiver) && receiver->reported && m->peer[j].flow.tally)
				fill_in(m, receiver, &m->peer[j]);
		}
	}
}

void member_result_notify(struct member *m, enum member_event_kind kind)
{
	struct result *r = &m->result;

	if (r->numbered)
		fill_in_all(m);
	member_result_update(m);
	count_sent(m);
	r->interrupted = m->outcome.interrupted;
	if (kind == MEMBER_RESULT)
		r->ended_at = m->now;
	r->complete = true;
	for_each_peer(peer, m)
		r->complete &= !peer_counts(peer) || peer->reported;
	member_notify(m, (struct member_event){kind, .result = r}, NULL);
}
