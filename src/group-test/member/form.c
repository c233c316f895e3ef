// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* form: native: the num_members oldest become the group, and get ready together. */
#include "state.h"

#include <stdlib.h>

/* Without a newcomer for this long, a complete group forms. */
#define QUIET (300 * NP_MILLISECOND)

static bool has_left(const struct peer *peer)
{
	return peer->role == PEER_HEARD && peer->native.phase == PHASE_LEAVING;
}

static bool is_sending(const struct peer *peer)
{
	return peer->role == PEER_MEMBER && peer->sender;
}

/* Older members are preferred; of those that started at the same moment, the lower instance. */
static bool join_is_older(np_time begun, uint64_t instance, np_time other, uint64_t other_instance)
{
	return begun < other || (begun == other && instance < other_instance);
}

/* Oldest first; of two that seem to be one process, every member chooses the same one. */
static int compare_age(const void *a, const void *b, void *member)
{
	const struct peer *left = *(const struct peer *const *)a,
			  *right = *(const struct peer *const *)b;

	if (left->native.begun == right->native.begun &&
	    left->native.instance == right->native.instance)
		return identity_compare(member_who(member, left), member_who(member, right));
	return join_is_older(left->native.begun, left->native.instance, right->native.begun,
			     right->native.instance)
		       ? -1
		       : 1;
}

static bool is_willing(const struct member *m, const struct peer *peer)
{
	return peer_present(peer) && !join_is_refusing(m, peer);
}

/* A member that found too many or too few senders has left because of it. */
static bool is_heard_or_refused(const struct member *m, const struct peer *peer)
{
	return is_willing(m, peer) ||
	       (peer->known && peer->role == PEER_HEARD && peer->native.refusal == REFUSAL_SENDERS);
}

/* Chooses the num_members oldest of those present. Returns how many. */
static unsigned choose(struct member *m,
		       bool (*counts)(const struct member *m, const struct peer *peer),
		       struct peer *chosen[MEMBERS_MAX])
{
	unsigned count = 0;

	for_each_peer(peer, m) {
		if (counts(m, peer))
			chosen[count++] = peer;
	}
	qsort_r(chosen, count, sizeof(void *), compare_age, m);
	return count < m->plan.members ? count : m->plan.members;
}

static uint32_t tag_of(const struct member *m, struct peer *const *chosen)
{
	struct message_instance instance[MEMBERS_MAX];

	for (unsigned i = 0; i < m->plan.members; i++)
		instance[i] = (struct message_instance){*member_who(m, chosen[i]),
							chosen[i]->native.instance};
	return message_group_tag(instance, m->plan.members);
}

bool form_has_senders(struct member *m)
{
	const unsigned senders = member_count(m, is_sending);
	char list[200];

	if (senders == m->plan.senders)
		return true;
	member_list(m, is_sending, list, sizeof(list));
	member_fail(m, "num_senders", "%u, but %u of the %u members send%s%s", m->plan.senders,
		    senders, m->plan.members, senders ? ": " : "", list);
	return false;
}

/* Every member can notice it; one report is enough. */
static void refuse_senders(struct member *m)
{
	for_each_peer(peer, m) {
		if (peer->role == PEER_MEMBER && !peer->self)
			hello_refuse(m, peer, (struct message_refuse){.why = REFUSAL_SENDERS});
	}
}

void form_count_senders(struct member *m)
{
	struct peer *chosen[MEMBERS_MAX];
	unsigned senders = 0;

	if (choose(m, is_heard_or_refused, chosen) < m->plan.members)
		return;
	for (unsigned i = 0; i < m->plan.members; i++)
		senders += chosen[i]->sender;
	if (senders == m->plan.senders)
		return;
	for (unsigned i = 0; i < m->plan.members; i++)
		chosen[i]->role = PEER_MEMBER;
	if (!form_has_senders(m))
		refuse_senders(m);
}

static void keep_out_others(struct member *m)
{
	for_each_peer(peer, m) {
		if (peer_present(peer))
			hello_keep_out(m, peer, (struct message_refuse){.why = REFUSAL_FULL},
				       "the group already has num_members members");
	}
}

static void form(struct member *m, struct peer *const *chosen, uint32_t tag)
{
	for (unsigned i = 0; i < m->plan.members; i++)
		chosen[i]->role = PEER_MEMBER;
	if (!form_has_senders(m)) {
		refuse_senders(m);
		return;
	}
	m->native.tag = tag;
	member_result_form(m);
	for (unsigned i = 0; i < m->plan.members; i++)
		clock_form(m, chosen[i]);
	phase_begin_run(m);
	keep_out_others(m);
}

/*
 * A member fell silent before all were ready: it died after it was chosen. Nobody runs yet, so
 * another one, which may have arrived meanwhile, can take its place.
 */
static void fall_apart(struct member *m)
{
	struct native *n = &m->native;

	for_each_peer(peer, m) {
		if (peer->role != PEER_MEMBER)
			continue;
		peer->role = PEER_HEARD;
		peer->flow = (struct peer_flow){0};
	}
	m->formed = 0;
	m->result.formed = false;
	m->result.members = m->result.senders = 0;
	n->tag = 0;
	m->phase = PHASE_JOINING;
	m->moved = n->newest = n->hello_next = m->now;
	m->dirty = true;
}

/* True when a member was silent for too long; then there is no group any more. */
static bool lost_somebody(struct member *m)
{
	const np_time limit = m->plan.limits.silent;
	bool lost = false;

	for_each_peer(peer, m) {
		if (!is_other(peer) || peer->native.phase == PHASE_LEAVING ||
		    m->now - peer->heard < limit)
			continue;
		member_notify_text(m, MEMBER_GIVEN_UP, "silent before all were ready", peer);
		lost = true;
	}
	if (lost)
		fall_apart(m);
	return lost;
}

static void try_to_form(struct member *m)
{
	const struct native *n = &m->native;
	struct peer *chosen[MEMBERS_MAX];
	bool agreed = false, here = false, alive = true;
	uint32_t tag;

	if (choose(m, is_willing, chosen) < m->plan.members)
		return;
	tag = tag_of(m, chosen);
	for (unsigned i = 0; i < m->plan.members; i++) {
		here |= chosen[i]->self;
		agreed |= chosen[i]->native.tag == tag && chosen[i]->native.phase >= PHASE_READY;
		/* A live member has answered the newcomer. */
		alive &= chosen[i]->self || chosen[i]->heard >= n->newest;
	}
	/*
	 * Surplus members are refused by the others; if nothing else distinguishes them, the
	 * youngest is.
	 */
	if (here && (agreed || (alive && m->now - n->newest >= QUIET)))
		form(m, chosen, tag);
}

void form_forget_silent(struct member *m)
{
	for (unsigned i = m->peers; i-- > 0;) {
		if (m->peer[i].self || m->now - m->peer[i].heard < m->plan.limits.silent)
			continue;
		m->malformed += !m->peer[i].known;
		member_remove(m, &m->peer[i]);
	}
}

void form_fail(struct member *m, const char *remark)
{
	const unsigned there = member_count(m, peer_present), members = m->plan.members;
	const double seconds = np_clock_seconds(m->plan.limits.join);
	char list[160], left[100];

	member_list(m, peer_present, list, sizeof(list));
	member_list(m, has_left, left, sizeof(left));
	if (!there)
		member_fail(m, "group",
			    "no message arrived within %g s, not even this member's own", seconds);
	else if (there < members)
		member_fail(m, "group",
			    "did not form in %g s: %u of %u members present, %u missing%s; "
			    "present: %s%s%s",
			    seconds, there, members, members - there, remark, list,
			    *left ? "; left: " : "", left);
	else
		member_fail(m, "group",
			    "the members did not agree on the group within %g s%s; present: %s",
			    seconds, remark, list);
}

void join_tick(struct member *m)
{
	const np_time limit = m->plan.limits.join;
	char remark[160];

	form_forget_silent(m);
	try_to_form(m);
	if (m->phase == PHASE_JOINING && limit && m->now - m->begun >= limit) {
		join_remark(m, remark, sizeof(remark));
		form_fail(m, remark);
	}
	m->dirty |= m->outcome.failed;
}

static bool is_missing(const struct peer *peer)
{
	return is_other(peer) && peer->native.phase < PHASE_READY;
}

/*
 * Before the first run everybody must be present; before later ones the group goes on without the
 * missing.
 */
static void not_ready(struct member *m)
{
	char list[200];

	if (m->run) {
		for_each_peer(peer, m) {
			if (is_other(peer) && !has_reached(m, peer, PHASE_READY))
				member_give_up(m, peer, FATE_NEVER, "it was not ready within %g s",
					       np_clock_seconds(m->plan.limits.ready));
		}
		return;
	}
	member_list(m, is_missing, list, sizeof(list));
	member_fail(m, "group", "not all members were ready within %g s: %s",
		    np_clock_seconds(m->plan.limits.ready),
		    *list ? list : "they disagree about who is in the group");
}

static bool is_given_up(const struct peer *peer)
{
	return peer->role == PEER_MEMBER &&
	       (peer->gone || (!peer->self && peer->native.phase == PHASE_LEAVING));
}

/* The first run needs all of them. A member may have left because another one is not ready. */
static void look_for_leavers(struct member *m)
{
	char lost[130], unready[130];

	if (m->run)
		return;
	member_list(m, is_given_up, lost, sizeof(lost));
	member_list(m, is_missing, unready, sizeof(unready));
	if (*lost)
		member_fail(m, "group", "members were lost before all were ready: %s%s%s", lost,
			    *unready ? "; not ready: " : "", unready);
}

void ready_tick(struct member *m)
{
	bool ready = true, running = false;

	if (m->run)
		end_silence(m);
	look_for_leavers(m);
	if (m->outcome.failed)
		return;
	for_each_peer(peer, m) {
		if (!is_other(peer))
			continue;
		ready &= has_reached(m, peer, PHASE_READY);
		running |= has_reached(m, peer, PHASE_RUNNING);
	}
	if (!ready && !running && !m->run && lost_somebody(m))
		return;
	/* A running member has seen all ready. */
	if (ready || running) {
		if (!m->run)
			keep_out_others(m);
		phase_enter(m, PHASE_RUNNING);
		if (member_warms(m))
			member_notify(m,
				      (struct member_event){.kind = MEMBER_WARMING,
							    .elapsed = m->plan.warm_up},
				      NULL);
		else
			member_notify_number(m, MEMBER_READY, member_count(m, peer_counts), NULL);
		credit_begin(m);
	} else if (m->now - m->moved >= m->plan.limits.ready) {
		not_ready(m);
	}
}
