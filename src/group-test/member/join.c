// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * join: native: admits members while a group forms, and keeps others out; looks at refusals by
 * others. A process that claims an address must answer there, or is ignored.
 */
#include "state.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ASK_EVERY (50 * NP_MILLISECOND)
/* Live members send something every STATE_EVERY. */
#define ENDED_GRACE (2 * NP_SECOND)

void proof_ended(struct member *m, struct peer *peer)
{
	if (!peer->native.ended)
		peer->native.ended = m->now;
	member_arm(m, m->now + ENDED_GRACE);
}

/* Whoever was heard since then is alive. */
void proof_tick(struct member *m)
{
	for (unsigned i = m->peers; i-- > 0;) {
		struct peer *peer = &m->peer[i];
		struct peer_native *native = &peer->native;

		if (native->ended && peer->heard > native->ended) {
			native->ended = 0;
			m->malformed++;
		} else if (native->ended && m->now - native->ended >= ENDED_GRACE) {
			native->ended = 0;
			end_lost(m, peer, 0);
		}
	}
}

/* A refusing member repeats that with every HELLO. */
#define REFUSAL_HOLDS (2 * NP_SECOND)

static const char *const refusals[] = {
	[REFUSAL_FULL] = "the group is complete without this member",
	[REFUSAL_LATE] = "the run has started without this member",
	[REFUSAL_SETTINGS] = "this member's settings differ from those of the group",
	[REFUSAL_SENDERS] = "the number of members that send is not num_senders",
	[REFUSAL_IDENTITY] = "another member has this member's address",
	[REFUSAL_DEAD] = "the other members have given up this member",
};

/* The first setting that differs, or SETTINGS. */
static unsigned differ(const struct member *m, const uint64_t setting[SETTINGS])
{
	unsigned i = 0;

	while (i < SETTINGS && m->native.setting[i] == setting[i])
		i++;
	return i;
}

static char *setting_text(unsigned setting, uint64_t value, char out[32])
{
	if (setting == SETTING_CREDIT)
		snprintf(out, 32, "%s", value ? "credit" : "none");
	else if (setting == SETTING_WARMUP && value & SETTING_WARMUP_TIME)
		snprintf(out, 32, "%.3f s", (double)(value - SETTING_WARMUP_TIME) / 1e9);
	else if (setting == SETTING_DURATION)
		snprintf(out, 32, "%.3f s", (double)value / 1e9);
	else
		snprintf(out, 32, "%" PRIu64, value);
	return out;
}

static const char *setting_name(unsigned setting, uint64_t here, uint64_t there)
{
	if (setting == SETTING_WARMUP && (here | there) & SETTING_WARMUP_TIME)
		return "--warm-up";
	return message_setting_name((enum message_setting)setting);
}

bool join_is_refusing(const struct member *m, const struct peer *peer)
{
	return peer->native.refusal && m->now - peer->native.denied < REFUSAL_HOLDS;
}

void join_refused(struct member *m, struct peer *peer, enum message_refusal why)
{
	char text[IDENTITY_TEXT];

	/* Whose settings are the same has no reason to refuse for other ones. */
	if (!peer->known || why == REFUSAL_SETTINGS || differ(m, peer->native.setting) < SETTINGS)
		return;
	peer->native.refusal = why;
	peer->native.denied = m->now;
	/* This member can count the senders itself. */
	if (why == REFUSAL_SENDERS)
		form_count_senders(m);
	else if (peer->native.phase < PHASE_COUNTED)
		member_fail(m, identity_format(member_who(m, peer), text), "%s", refusals[why]);
}

static bool has_other_settings(const struct member *m, const struct peer *peer)
{
	return peer->role == PEER_REFUSED && peer->known && peer->native.phase != PHASE_LEAVING &&
	       differ(m, peer->native.setting) < SETTINGS;
}

void join_remark(const struct member *m, char *out, size_t room)
{
	const struct native *n = &m->native;
	const struct peer *other = NULL, *refuser = NULL;
	char here[32], there[32], text[IDENTITY_TEXT];
	unsigned setting;

	for (unsigned i = m->peers; i-- > 0;) {
		if (has_other_settings(m, &m->peer[i]))
			other = &m->peer[i];
		if (join_is_refusing(m, &m->peer[i]))
			refuser = &m->peer[i];
	}
	*out = '\0';
	if (other) {
		setting = differ(m, other->native.setting);
		snprintf(out, room, " (%s: %s here, %s at %s)",
			 setting_name(setting, n->setting[setting], other->native.setting[setting]),
			 setting_text(setting, n->setting[setting], here),
			 setting_text(setting, other->native.setting[setting], there),
			 identity_format(member_who(m, other), text));
	} else if (refuser) {
		snprintf(out, room, " (%s: %s)", identity_format(member_who(m, refuser), text),
			 refusals[refuser->native.refusal]);
	} else if (*m->foreign) {
		snprintf(out, room, " (%s speaks %s)", identity_format(&m->foreigner, text),
			 m->foreign);
	}
}

/* Each tells the other, and names it. */
static void settings_differ(struct member *m, struct peer *peer)
{
	const unsigned setting = differ(m, peer->native.setting);
	const uint64_t ours = m->native.setting[setting];
	const struct message_refuse body = {
		.why = REFUSAL_SETTINGS, .setting = (uint16_t)setting, .value = ours};
	char here[32], there[32], why[96];

	snprintf(why, sizeof(why), "its %s is %s, ours is %s",
		 setting_name(setting, ours, peer->native.setting[setting]),
		 setting_text(setting, peer->native.setting[setting], there),
		 setting_text(setting, ours, here));
	hello_keep_out(m, peer, body, why);
}

static void take_hello(struct peer *peer, uint64_t instance, const struct message_hello *hello)
{
	peer->known = true;
	peer->sender = hello->sender;
	peer->paced = hello->paced;
	peer->native = (struct peer_native){
		.instance = instance,
		.former = peer->native.instance,
		.begun = hello->begun,
	};
	memcpy(peer->native.host, hello->host, sizeof(hello->host));
	memcpy(peer->native.setting, hello->setting, sizeof(hello->setting));
	if (peer->role == PEER_REFUSED)
		peer->role = PEER_HEARD;
}

/* Admits a newcomer, or one that was restarted, while there is no group yet. */
static void welcome(struct member *m, struct peer *peer, uint64_t instance,
		    const struct message_hello *hello)
{
	const struct message_refuse duplicate = {.why = REFUSAL_IDENTITY, .value = instance};
	const bool there = peer_present(peer);

	if (peer->known && instance == peer->native.former) {
		hello_keep_out(m, peer, duplicate, "two members have this address");
		return;
	}
	take_hello(peer, instance, hello);
	if (differ(m, hello->setting) < SETTINGS) {
		settings_differ(m, peer);
		return;
	}
	m->native.newest = m->now;
	hello_soon(m);
	if (!there)
		member_notify_number(m, MEMBER_JOINED, member_count(m, peer_present), peer);
}

/* Reports to the user, once, another process at the address of a member that is gone. */
static void name_newcomer(struct member *m, struct peer *peer, uint64_t instance)
{
	if (peer->native.newcomer == instance)
		return;
	peer->native.newcomer = instance;
	member_notify_text(m, MEMBER_REFUSED,
			   "it restarted too late: its former instance was in the group", peer);
}

/* There is a group: others stay out. */
static void too_late(struct member *m, struct peer *peer, uint64_t instance,
		     const struct message_hello *hello)
{
	const bool ready = m->phase == PHASE_READY && !m->run;
	const struct message_refuse late = {.why = REFUSAL_LATE};

	if (peer->role == PEER_MEMBER) {
		member_give_up(m, peer, FATE_QUIT, "it was restarted");
		name_newcomer(m, peer, instance);
		hello_refuse(m, peer, late);
		return;
	}
	if (peer->native.instance != instance)
		take_hello(peer, instance, hello);
	if (differ(m, hello->setting) < SETTINGS)
		settings_differ(m, peer);
	else if (!ready)
		hello_keep_out(m, peer, late, "too late: the run has started");
	/* Before all are ready, a member of the group may still turn out to be dead. */
}

/* Of an instance with a proved address. */
static void join_admit(struct member *m, struct peer *peer, uint64_t instance,
		       const struct message_hello *hello)
{
	const enum message_phase phase = m->phase;

	if (phase == PHASE_JOINING)
		welcome(m, peer, instance, hello);
	else if (phase < PHASE_LEAVING)
		too_late(m, peer, instance, hello);
}

/* Who has no group yet may not have heard of us; or it goes on although it is refused. */
static void hear_again(struct member *m, struct peer *peer, const struct message_head *head,
		       const struct message_hello *hello)
{
	const bool joining = m->phase == PHASE_JOINING;

	if (peer->self)
		return;
	if (peer->role != PEER_REFUSED) {
		if (!joining && !head->tag)
			hello_soon(m);
		return;
	}
	/* A refusal contains a HELLO: two that refuse each other must not answer each answer. */
	if (m->now - peer->native.refused < HELLO_EVERY / 2)
		return;
	peer->native.refused = m->now;
	if (!joining)
		too_late(m, peer, peer->native.instance, hello);
	else if (differ(m, peer->native.setting) < SETTINGS)
		settings_differ(m, peer);
}

static void ask(struct member *m, struct peer *peer)
{
	struct peer_proof *proof = &peer->proof;
	struct message_proof question = {.to = *member_who(m, peer)};

	if (proof->asked && m->now - proof->asked < ASK_EVERY)
		return;
	if (!proof->cookie)
		proof->cookie = m->port.draw(m->port.transport);
	question.cookie = proof->cookie;
	if (!native_send(m, &question.to, MESSAGE_PROOF, &question))
		proof->asked = m->now;
}

void proof_again(struct member *m, struct peer *peer)
{
	if (peer->proof.instance)
		ask(m, peer);
}

/* @instance is admitted if it answered before, and nobody else at that address did. */
static void take_claim(struct member *m, struct peer *peer, uint64_t instance,
		       const struct message_hello *hello)
{
	struct peer_proof *proof = &peer->proof;

	if (proof->proved == instance) {
		*proof = (struct peer_proof){};
		join_admit(m, peer, instance, hello);
		return;
	}
	proof->instance = instance;
	proof->hello = *hello;
	ask(m, peer);
}

void join_hello(struct member *m, const struct identity *who, const struct message_head *head,
		const struct message_hello *hello)
{
	struct peer *peer = member_find(m, who);

	if (m->phase == PHASE_LEAVING)
		return;
	if (!head->number || !message_hello_is_possible(hello)) {
		m->malformed++;
		return;
	}
	if (!peer)
		peer = member_add(m, who);
	if (!peer)
		m->malformed++;
	else if (head->number == peer->native.instance)
		hear_again(m, peer, head, hello);
	else if (peer->self && head->number == m->plan.instance)
		join_admit(m, peer, head->number, hello);
	else
		take_claim(m, peer, head->number, hello);
}

/* The known instance is still there: the other is forged, or (mqtt) has the same name. */
static void keep(struct member *m, struct peer *peer)
{
	const struct message_refuse duplicate = {.why = REFUSAL_IDENTITY,
						 .value = peer->proof.instance};

	if (!peer->proof.instance || peer->self)
		return;
	m->malformed++;
	hello_refuse(m, peer, duplicate);
	peer->proof = (struct peer_proof){};
}

/* @instance is at the address of @peer. */
static void take_answer(struct member *m, struct peer *peer, uint64_t instance)
{
	const struct peer_proof proof = peer->proof;
	char text[IDENTITY_TEXT];

	if (instance == peer->native.instance) {
		keep(m, peer);
	} else if (peer->self && m->phase == PHASE_JOINING) {
		member_fail(m, identity_format(member_who(m, peer), text),
			    "another member uses this address, too");
	} else if (!peer->self && !peer->native.instance && instance == proof.instance) {
		peer->proof = (struct peer_proof){};
		join_admit(m, peer, instance, &proof.hello);
	} else if (!peer->self) {
		/* The predecessor may still answer. */
		peer->proof.proved = instance;
	}
}

bool join_proof(struct member *m, const struct transport_delivery *delivery,
		const struct transport_message *message, const struct message_head *head)
{
	const struct identity *who = delivery->source;
	struct peer *peer = member_find(m, who);
	struct message_proof proof;

	if (message_decode(message->data, message->length, MESSAGE_PROOF, &proof) || !head->number)
		return false;
	if (!identity_equal(&proof.to, &m->plan.self))
		return true;
	if (!proof.answer) {
		proof.to = *who;
		proof.answer = true;
		(void)native_send(m, &proof.to, MESSAGE_PROOF, &proof);
		return true;
	}
	/* A repeated answer is no error. */
	if (peer && !peer->proof.cookie && head->number == peer->native.instance)
		return true;
	if (!peer || !proof.cookie || proof.cookie != peer->proof.cookie)
		return false;
	transport_trust(m->port.transport, who, delivery->channel);
	take_answer(m, peer, head->number);
	return true;
}
