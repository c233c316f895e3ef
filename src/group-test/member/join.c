// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* join: native: admits members while a group forms, and keeps others out. */
#include "native.h"

#include <stdio.h>
#include <stdlib.h>

/* Each tells the other; the one with fewer members on its side ends. */
static void settings_differ(struct member *m, struct peer *peer)
{
	const unsigned setting = votes_differ(m, peer->card.setting);
	const uint64_t ours = native_of(m)->setting[setting];
	const struct message_refuse body = {.to = *member_who(m, peer),
					    .why = REFUSAL_SETTINGS,
					    .setting = (uint16_t)setting,
					    .value = ours};
	char here[32], there[32], why[96];

	snprintf(why, sizeof(why), "its %s is %s, ours is %s",
		 message_setting_name((enum message_setting)setting),
		 votes_setting_text(setting, peer->card.setting[setting], there),
		 votes_setting_text(setting, ours, here));
	hello_keep_out(m, peer, &body, why);
	votes_count_settings(m, peer);
}

static void take_card(struct peer *peer, uint64_t instance, const struct message_hello *hello)
{
	peer->known = true;
	peer->sender = hello->sender;
	peer->paced = hello->paced;
	peer->card = (struct peer_card){
		.instance = instance,
		.former = peer->card.instance,
		.begun = hello->begun,
	};
	memcpy(peer->card.host, hello->host, sizeof(hello->host));
	memcpy(peer->card.setting, hello->setting, sizeof(hello->setting));
	if (peer->role == PEER_REFUSED)
		peer->role = PEER_HEARD;
}

/* Admits a newcomer, or one that was restarted, while there is no group yet. */
static void welcome(struct member *m, struct peer *peer, uint64_t instance,
		    const struct message_hello *hello)
{
	const struct message_refuse twin = {
		.to = *member_who(m, peer), .why = REFUSAL_IDENTITY, .value = instance};
	const bool there = join_is_heard(peer);

	if (peer->known && instance == peer->card.former) {
		hello_keep_out(m, peer, &twin, "two members have this address");
		return;
	}
	take_card(peer, instance, hello);
	if (votes_differ(m, hello->setting) < SETTINGS) {
		settings_differ(m, peer);
		return;
	}
	native_of(m)->newest = m->now;
	hello_soon(m);
	if (!there)
		member_tell(m,
			    (struct member_event){.kind = MEMBER_JOINED, .number = join_count(m)},
			    peer);
}

/* Reports to the user, once, another process at the address of a member that is gone. */
static void name_newcomer(struct member *m, struct peer *peer, uint64_t instance)
{
	if (peer->card.newcomer == instance)
		return;
	peer->card.newcomer = instance;
	member_tell(m,
		    (struct member_event){
			    .kind = MEMBER_REFUSED,
			    .text = "it restarted too late: its former instance was in the group"},
		    peer);
}

/* There is a group: others stay out. */
static void too_late(struct member *m, struct peer *peer, uint64_t instance,
		     const struct message_hello *hello)
{
	const bool ready = native_of(m)->phase == PHASE_READY && !m->run;
	const struct message_refuse body = {.to = *member_who(m, peer), .why = REFUSAL_LATE};

	if (peer->role == PEER_MEMBER) {
		member_give_up(m, peer, FATE_QUIT, "it was restarted");
		name_newcomer(m, peer, instance);
		hello_refuse(m, &body.to, &body);
		return;
	}
	if (peer->card.instance != instance)
		take_card(peer, instance, hello);
	if (votes_differ(m, hello->setting) < SETTINGS)
		settings_differ(m, peer);
	else if (!ready)
		hello_keep_out(m, peer, &body, "too late: the run has started");
	/* Before all are ready, a member of the group may still turn out to be dead. */
}

void join_admit(struct member *m, struct peer *peer, uint64_t instance,
		const struct message_hello *hello)
{
	const enum message_phase phase = native_of(m)->phase;

	if (phase == PHASE_JOINING)
		welcome(m, peer, instance, hello);
	else if (phase < PHASE_LEAVING)
		too_late(m, peer, instance, hello);
}

/* Who has no group yet may not have heard of us; or it goes on although it is refused. */
static void hear_again(struct member *m, struct peer *peer, const struct message_head *head,
		       const struct message_hello *hello)
{
	const bool joining = native_of(m)->phase == PHASE_JOINING;

	if (peer->self)
		return;
	if (peer->role != PEER_REFUSED) {
		if (!joining && !head->tag)
			hello_soon(m);
		return;
	}
	/* A refusal contains a HELLO: two that refuse each other must not answer each answer. */
	if (m->now - peer->card.refused < HELLO_EVERY / 2)
		return;
	peer->card.refused = m->now;
	if (!joining)
		too_late(m, peer, peer->card.instance, hello);
	else if (votes_differ(m, peer->card.setting) < SETTINGS)
		settings_differ(m, peer);
}

void join_hello(struct member *m, const struct identity *who, const struct message_head *head,
		const struct message_hello *hello)
{
	struct peer *peer = member_find(m, who);

	if (native_of(m)->phase == PHASE_LEAVING)
		return;
	if (!head->number || !message_hello_is_possible(hello)) {
		m->malformed++;
		return;
	}
	if (!peer)
		peer = member_add(m, who);
	if (!peer)
		m->malformed++;
	else if (head->number == peer->card.instance)
		hear_again(m, peer, head, hello);
	else if ((peer->self && head->number == m->plan.instance) ||
		 proof_ask(m, peer, head->number, hello))
		join_admit(m, peer, head->number, hello);
}
