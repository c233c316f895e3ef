// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * membership: native: who is there. A process that claims an address must answer there, or is
 * ignored. The num_members oldest with this member's settings become the group, and get ready
 * together; the others are kept out.
 */
#include "state.h"

#include <inttypes.h>
#include <stdlib.h>

#define ASK_EVERY (50 * NP_MILLISECOND)
/* Live members send something every STATE_EVERY. */
#define ENDED_GRACE (2 * NP_SECOND)
/* A refusing member repeats that with every HELLO. */
#define REFUSAL_HOLDS (2 * NP_SECOND)
/* Without a newcomer for this long, a complete group forms. */
#define QUIET (300 * NP_MILLISECOND)

static const char *const refusals[] = {
	[REFUSAL_FULL] = "the group is complete without this member",
	[REFUSAL_LATE] = "the run has started without this member",
	[REFUSAL_SETTINGS] = "this member's settings differ from those of the group",
	[REFUSAL_SENDERS] = "the number of members that send is not num_senders",
	[REFUSAL_IDENTITY] = "another member has this member's address",
	[REFUSAL_DEAD] = "the other members have given up this member",
};

/* The first setting that differs, or SETTINGS. */
static unsigned differ(const struct member *m, const struct peer *peer)
{
	unsigned i = 0;

	while (i < SETTINGS && m->native.hello.setting[i] == peer->native.hello.setting[i])
		i++;
	return i;
}

#define SETTING_TEXT 32

/* As the user writes it. */
static void setting_text(unsigned setting, uint64_t value, char out[SETTING_TEXT])
{
	if (setting == SETTING_CREDIT)
		snprintf(out, SETTING_TEXT, "%s", value ? "credit" : "none");
	else if (setting == SETTING_WARMUP && value & SETTING_WARMUP_TIME)
		snprintf(out, SETTING_TEXT, "%.3f s", (double)(value - SETTING_WARMUP_TIME) / 1e9);
	else if (setting == SETTING_DURATION)
		snprintf(out, SETTING_TEXT, "%.3f s", (double)value / 1e9);
	else
		snprintf(out, SETTING_TEXT, "%" PRIu64, value);
}

/* The setting that differs, and what it is here and at @peer. */
static const char *describe(const struct member *m, const struct peer *peer,
			    char here[SETTING_TEXT], char there[SETTING_TEXT])
{
	const unsigned setting = differ(m, peer);
	const uint64_t ours = m->native.hello.setting[setting],
		       its = peer->native.hello.setting[setting];

	setting_text(setting, ours, here);
	setting_text(setting, its, there);
	return setting == SETTING_WARMUP && (ours | its) & SETTING_WARMUP_TIME
		       ? "--warm-up"
		       : message_settings[setting];
}

static bool is_refusing(const struct member *m, const struct peer *peer)
{
	return peer->native.refusal && m->now - peer->native.denied < REFUSAL_HOLDS;
}

void join_remark(const struct member *m, char *out, size_t room)
{
	const struct peer *other = NULL, *refuser = NULL;
	char text[IDENTITY_TEXT], here[SETTING_TEXT], there[SETTING_TEXT];
	const char *name;

	for (unsigned i = m->peers; i-- > 0;) {
		const struct peer *peer = &m->peer[i];

		if (peer->role == PEER_REFUSED && peer->native.phase != PHASE_LEAVING &&
		    differ(m, peer) < SETTINGS)
			other = peer;
		if (is_refusing(m, peer))
			refuser = peer;
	}
	*out = '\0';
	if (other) {
		name = describe(m, other, here, there);
		snprintf(out, room, " (%s: %s here, %s at %s)", name, here, there,
			 identity_format(member_who(m, other), text));
	} else if (refuser) {
		snprintf(out, room, " (%s: %s)", identity_format(member_who(m, refuser), text),
			 refusals[refuser->native.refusal]);
	} else if (*m->foreign) {
		snprintf(out, room, " (%s speaks %s)", identity_format(&m->foreigner, text),
			 m->foreign);
	}
}

/* False when they are the same; else each tells the other, and names it. */
static bool settings_differ(struct member *m, struct peer *peer)
{
	const unsigned setting = differ(m, peer);
	char why[96], here[SETTING_TEXT], there[SETTING_TEXT];
	const char *name;

	if (setting == SETTINGS)
		return false;
	hello_refuse(m, peer, REFUSAL_SETTINGS, .setting = (uint16_t)setting,
		     .value = m->native.hello.setting[setting]);
	name = describe(m, peer, here, there);
	snprintf(why, sizeof(why), "its %s is %s, ours is %s", name, there, here);
	member_refuse(m, peer, why);
	return true;
}

static void take_hello(struct peer *peer, uint64_t instance, const struct message_hello *hello)
{
	peer->role = PEER_HEARD;
	peer->sender = hello->sender;
	peer->paced = hello->paced;
	peer->native = (struct peer_native){
		.instance = instance,
		.former = peer->native.instance,
		.hello = *hello,
	};
}

/* There is a group: others stay out, also another process at the address of a member. */
static void too_late(struct member *m, struct peer *peer, uint64_t instance,
		     const struct message_hello *hello)
{
	if (peer->role == PEER_MEMBER) {
		member_give_up(m, peer, FATE_QUIT, "it was restarted");
		if (peer->native.newcomer != instance)
			member_notify(
				m, peer, MEMBER_REFUSED,
				.text = "it restarted too late: its former instance was in the "
					"group");
		peer->native.newcomer = instance;
		hello_refuse(m, peer, REFUSAL_LATE);
		return;
	}
	if (peer->native.instance != instance)
		take_hello(peer, instance, hello);
	/* Before all are ready, a member of the group may still turn out to be dead. */
	if (settings_differ(m, peer) || (m->phase == PHASE_READY && !m->run))
		return;
	hello_refuse(m, peer, REFUSAL_LATE);
	member_refuse(m, peer, "too late: the run has started");
}

/* An instance with a proved address: a newcomer, or one that was restarted. */
static void admit(struct member *m, struct peer *peer, uint64_t instance,
		  const struct message_hello *hello)
{
	const bool there = peer_present(peer);

	if (m->phase == PHASE_LEAVING)
		return;
	if (m->phase != PHASE_JOINING) {
		too_late(m, peer, instance, hello);
		return;
	}
	if (peer->role != PEER_STRANGER && instance == peer->native.former) {
		hello_refuse(m, peer, REFUSAL_IDENTITY, .value = instance);
		member_refuse(m, peer, "two members have this address");
		return;
	}
	take_hello(peer, instance, hello);
	if (settings_differ(m, peer))
		return;
	m->native.newest = m->now;
	hello_soon(m);
	if (!there)
		member_notify(m, peer, MEMBER_JOINED, .number = member_count(m, peer_present));
}

void proof_ask(struct member *m, struct peer *peer)
{
	struct peer_proof *proof = &peer->proof;
	struct message_proof question = {.to = *member_who(m, peer)};

	if (!proof->instance || (proof->asked && m->now - proof->asked < ASK_EVERY))
		return;
	if (!proof->cookie)
		proof->cookie = m->port.draw(m->port.transport);
	question.cookie = proof->cookie;
	if (!native_send(m, &question.to, MESSAGE_PROOF, &question))
		proof->asked = m->now;
}

bool join_hello(struct member *m, const struct identity *who, const struct message_head *head,
		const struct message_hello *hello)
{
	const uint64_t instance = head->number;
	struct peer *peer = member_find(m, who);

	if (m->phase == PHASE_LEAVING)
		return true;
	if (!instance)
		return false;
	if (!peer)
		peer = member_add(m, who);
	if (!peer)
		return false;
	if (instance == peer->native.instance) {
		/*
		 * Who has no group yet may not have heard of us; or it goes on although it is
		 * refused. A refusal contains a HELLO: two that refuse each other must not answer
		 * each answer.
		 */
		if (peer->self ||
		    (peer->role == PEER_REFUSED && m->now - peer->native.refused < HELLO_EVERY / 2))
			return true;
		if (peer->role == PEER_REFUSED)
			peer->native.refused = m->now;
		if (peer->role != PEER_REFUSED && m->phase != PHASE_JOINING && !head->tag)
			hello_soon(m);
		else if (peer->role == PEER_REFUSED && m->phase == PHASE_JOINING)
			(void)settings_differ(m, peer);
		else if (peer->role == PEER_REFUSED)
			too_late(m, peer, instance, hello);
	} else if (peer->self && instance == m->plan.instance) {
		admit(m, peer, instance, hello);
		/* It answered before, and nobody else at that address did. */
	} else if (peer->proof.proved == instance) {
		peer->proof = (struct peer_proof){};
		admit(m, peer, instance, hello);
	} else {
		peer->proof.instance = instance;
		peer->proof.hello = *hello;
		proof_ask(m, peer);
	}
	return true;
}

bool join_proof(struct member *m, const struct transport_delivery *delivery,
		const struct message_head *head, const struct message_proof *proof)
{
	const struct identity *who = delivery->source;
	struct message_proof answer = {.to = *who, .answer = true, .cookie = proof->cookie};
	const uint64_t instance = head->number;
	struct peer *peer = member_find(m, who);
	struct peer_proof asked;
	char text[IDENTITY_TEXT];

	if (!instance)
		return false;
	if (!identity_equal(&proof->to, &m->plan.self))
		return true;
	if (!proof->answer) {
		(void)native_send(m, &answer.to, MESSAGE_PROOF, &answer);
		return true;
	}
	/* A repeated answer is no error. */
	if (peer && !peer->proof.cookie && instance == peer->native.instance)
		return true;
	if (!peer || !proof->cookie || proof->cookie != peer->proof.cookie)
		return false;
	transport_trust(m->port.transport, who, delivery->channel);
	asked = peer->proof;
	if (instance == peer->native.instance) {
		if (!asked.instance || peer->self)
			return true;
		/* It is still there: the other is forged, or (mqtt) has the same name. */
		m->outcome.malformed++;
		hello_refuse(m, peer, REFUSAL_IDENTITY, .value = asked.instance);
		peer->proof = (struct peer_proof){};
	} else if (peer->self && m->phase == PHASE_JOINING) {
		member_fail(m, identity_format(who, text), "another member uses this address, too");
	} else if (!peer->self && !peer->native.instance && instance == asked.instance) {
		peer->proof = (struct peer_proof){};
		admit(m, peer, instance, &asked.hello);
	} else if (!peer->self) {
		/* The predecessor may still answer. */
		peer->proof.proved = instance;
	}
	return true;
}

/* Whoever was heard since then is alive. */
void proof_tick(struct member *m)
{
	for (unsigned i = m->peers; i-- > 0;) {
		struct peer *peer = &m->peer[i];
		np_time *ended = &peer->native.ended;

		if (*ended && peer->heard > *ended) {
			*ended = 0;
			m->outcome.malformed++;
		} else if (*ended && m->now - *ended >= ENDED_GRACE) {
			*ended = 0;
			member_lost(m, peer, 0);
		}
	}
}

/*
 * Oldest first; of those that started at the same moment, the lower instance; of two that seem to
 * be one process, every member chooses the same one.
 */
static int compare_age(const void *a, const void *b, void *member)
{
	const struct peer *left = *(const struct peer *const *)a,
			  *right = *(const struct peer *const *)b;
	const struct peer_native *l = &left->native, *r = &right->native;

	if (l->hello.begun != r->hello.begun)
		return l->hello.begun < r->hello.begun ? -1 : 1;
	if (l->instance != r->instance)
		return l->instance < r->instance ? -1 : 1;
	return memcmp(member_who(member, left), member_who(member, right), sizeof(struct identity));
}

/*
 * Chooses the num_members oldest of those present that do not refuse this member. @left: also those
 * that have left because they found another number of senders. Returns how many.
 */
static unsigned choose(struct member *m, bool left, struct peer *chosen[MEMBERS_MAX])
{
	unsigned count = 0;

	for_each_peer(peer, m) {
		if ((peer_present(peer) && !is_refusing(m, peer)) ||
		    (left && peer->role == PEER_HEARD && peer->native.refusal == REFUSAL_SENDERS))
			chosen[count++] = peer;
	}
	qsort_r(chosen, count, sizeof(void *), compare_age, m);
	return count < m->plan.members ? count : m->plan.members;
}

static bool is_sending(const struct peer *peer)
{
	return peer->role == PEER_MEMBER && peer->sender;
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

/* Makes them the members. False: their senders are too many or too few, as each of them is told. */
static bool appoint(struct member *m, struct peer *const *chosen)
{
	for (unsigned i = 0; i < m->plan.members; i++)
		chosen[i]->role = PEER_MEMBER;
	if (form_has_senders(m))
		return true;
	for_each_peer(peer, m) {
		if (peer->role == PEER_MEMBER && !peer->self)
			hello_refuse(m, peer, REFUSAL_SENDERS);
	}
	return false;
}

void join_refused(struct member *m, struct peer *peer, enum message_refusal why)
{
	struct peer *chosen[MEMBERS_MAX];
	char text[IDENTITY_TEXT];
	unsigned senders = 0;

	/* Whose settings are the same has no reason to refuse for other ones. */
	if (peer->role == PEER_STRANGER || why == REFUSAL_SETTINGS || differ(m, peer) < SETTINGS)
		return;
	peer->native.refusal = why;
	peer->native.denied = m->now;
	if (why != REFUSAL_SENDERS) {
		if (peer->native.phase < PHASE_COUNTED)
			member_fail(m, identity_format(member_who(m, peer), text), "%s",
				    refusals[why]);
		return;
	}
	/* This member can count the senders itself. */
	if (choose(m, true, chosen) < m->plan.members)
		return;
	for (unsigned i = 0; i < m->plan.members; i++)
		senders += chosen[i]->sender;
	if (senders != m->plan.senders)
		(void)appoint(m, chosen);
}

static void keep_out_others(struct member *m)
{
	for_each_peer(peer, m) {
		if (!peer_present(peer))
			continue;
		hello_refuse(m, peer, REFUSAL_FULL);
		member_refuse(m, peer, "the group already has num_members members");
	}
}

void join_tick(struct member *m)
{
	const np_time newest = m->native.newest;
	struct message_instance instance[MEMBERS_MAX];
	struct peer *chosen[MEMBERS_MAX];
	bool agreed = false, here = false, alive = true;
	uint32_t tag;

	if (choose(m, false, chosen) < m->plan.members)
		return;
	for (unsigned i = 0; i < m->plan.members; i++)
		instance[i] = (struct message_instance){*member_who(m, chosen[i]),
							chosen[i]->native.instance};
	tag = message_group_tag(instance, m->plan.members);
	for (unsigned i = 0; i < m->plan.members; i++) {
		const struct peer *peer = chosen[i];

		here |= peer->self;
		agreed |= peer->native.tag == tag && peer->native.phase >= PHASE_READY;
		/* A live member has answered the newcomer. */
		alive &= peer->self || peer->heard >= newest;
	}
	/*
	 * Surplus members are refused by the others; if nothing else distinguishes them, the
	 * youngest is.
	 */
	if (!here || !(agreed || (alive && m->now - newest >= QUIET)) || !appoint(m, chosen))
		return;
	m->native.tag = tag;
	member_result_form(m);
	for (unsigned i = 0; i < m->plan.members; i++)
		clock_form(m, chosen[i]);
	phase_begin_run(m);
	keep_out_others(m);
}

static bool has_left(const struct peer *peer)
{
	return peer->role == PEER_HEARD && peer->native.phase == PHASE_LEAVING;
}

void form_forget_silent(struct member *m)
{
	for (unsigned i = m->peers; i-- > 0;) {
		if (m->peer[i].self || m->now - m->peer[i].heard < m->plan.limits.silent)
			continue;
		m->outcome.malformed += m->peer[i].role == PEER_STRANGER;
		member_remove(m, &m->peer[i]);
	}
}

void form_limit(struct member *m)
{
	const unsigned members = m->plan.members;
	const np_time limit = m->plan.limits.join;
	const double seconds = np_clock_seconds(limit);
	char list[160], left[100], remark[160];
	unsigned there;

	if (m->phase != PHASE_JOINING || !limit || m->now - m->begun < limit)
		return;
	there = member_count(m, peer_present);
	m->protocol->remark(m, remark, sizeof(remark));
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

/*
 * A member that fell silent before all were ready died after it was chosen. Nobody runs yet, so
 * there is no group any more, and another one, which may have arrived meanwhile, can take its
 * place. True: that is so.
 */
static bool falls_apart(struct member *m)
{
	struct native *n = &m->native;
	bool lost = false;

	for_each_peer(peer, m) {
		if (!is_other(peer) || peer->native.phase == PHASE_LEAVING ||
		    m->now - peer->heard < m->plan.limits.silent)
			continue;
		member_notify(m, peer, MEMBER_GIVEN_UP, .text = "silent before all were ready");
		lost = true;
	}
	if (!lost)
		return false;
	for_each_peer(peer, m) {
		if (peer->role != PEER_MEMBER)
			continue;
		peer->role = PEER_HEARD;
		peer->stream = (struct peer_stream){};
	}
	m->formed = 0;
	m->result.members = m->result.senders = 0;
	n->tag = 0;
	member_enter(m, PHASE_JOINING);
	n->newest = n->hello_next = m->now;
	return true;
}

static bool is_missing(const struct peer *peer)
{
	return is_other(peer) && peer->native.phase < PHASE_READY;
}

static bool is_given_up(const struct peer *peer)
{
	return peer->role == PEER_MEMBER &&
	       (peer->gone || (!peer->self && peer->native.phase == PHASE_LEAVING));
}

void ready_tick(struct member *m)
{
	const double seconds = np_clock_seconds(m->plan.limits.ready);
	bool ready = true, running = false;
	char lost[130], unready[200];

	if (m->run)
		end_silence(m);
	/* The first run needs all of them. A member may have left because another is not ready. */
	member_list(m, is_given_up, lost, sizeof(lost));
	member_list(m, is_missing, unready, sizeof(unready));
	if (!m->run && *lost)
		member_fail(m, "group", "members were lost before all were ready: %s%s%s", lost,
			    *unready ? "; not ready: " : "", unready);
	if (m->outcome.failed)
		return;
	for_each_peer(peer, m) {
		if (!is_other(peer))
			continue;
		ready &= has_reached(m, peer, PHASE_READY);
		running |= has_reached(m, peer, PHASE_RUNNING);
	}
	/* A running member has seen all ready. */
	if (!ready && !running) {
		if ((!m->run && falls_apart(m)) || m->now - m->moved < m->plan.limits.ready)
			return;
		/* Before later runs the group goes on without the missing. */
		if (!m->run)
			member_fail(m, "group", "not all members were ready within %g s: %s",
				    seconds,
				    *unready ? unready : "they disagree about who is in the group");
		for_each_peer(peer, m) {
			if (m->run && is_other(peer) && !has_reached(m, peer, PHASE_READY))
				member_give_up(m, peer, FATE_NEVER, "it was not ready within %g s",
					       seconds);
		}
		return;
	}
	if (!m->run)
		keep_out_others(m);
	phase_enter(m, PHASE_RUNNING);
	if (member_warms(m))
		member_notify(m, NULL, MEMBER_WARMING, .elapsed = m->plan.warm_up);
	else
		member_notify(m, NULL, MEMBER_READY, .number = member_count(m, peer_counts));
	credit_begin(m);
}
