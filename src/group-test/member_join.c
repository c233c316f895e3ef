// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* member_join: native: how a group forms, and who is kept out of it. */
#include "member_native.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define HELLO_SOON (50 * NP_MILLISECOND)

static size_t hello_write(struct member *m)
{
	struct native *n = native_of(m);
	struct message_head head = native_head(m);
	struct message_hello hello = {.sender = m->plan.sender,
				      .paced = m->plan.pace.pause ? (uint8_t)m->plan.lanes : 0,
				      .begun = m->begun + m->plan.realtime};

	memcpy(hello.host, m->plan.host, sizeof(hello.host));
	memcpy(hello.setting, n->setting, sizeof(hello.setting));
	return message_hello_encode(n->out, &head, &hello);
}

static void hello_send(struct member *m)
{
	struct native *n = native_of(m);
	const size_t bytes = hello_write(m);

	n->hello_next = m->now + MEMBER_LOOK;
	if (member_send(m, n->out, bytes))
		return;
	n->hello_last = m->now;
	n->hello_next = n->phase == PHASE_JOINING ? m->now + HELLO_EVERY : NP_TIME_NEVER;
}

void join_introduce(struct member *m)
{
	if (!native_of(m)->hello_last)
		hello_send(m);
}

void join_newcomer(struct member *m)
{
	struct native *n = native_of(m);
	const np_time soon = n->hello_last + HELLO_SOON;

	if (soon < n->hello_next)
		n->hello_next = soon;
	m->dirty = true;
}

void join_hello_tick(struct member *m)
{
	struct native *n = native_of(m);

	if (n->phase == PHASE_LEAVING)
		return;
	if (m->now >= n->hello_next)
		hello_send(m);
	member_arm(m, n->hello_next);
}

/* Who has never heard of us does not listen to our refusal: a HELLO goes before it, to it alone. */
void join_refuse(struct member *m, const struct identity *who, const struct message_refuse *body)
{
	struct native *n = native_of(m);
	struct message_head head = native_head(m);
	size_t bytes;

	bytes = hello_write(m);
	m->port.send_to(m->port.context, who, n->out, bytes);
	bytes = message_refuse_encode(n->out, &head, body);
	m->port.send_to(m->port.context, who, n->out, bytes);
}

static char *setting_text(unsigned setting, uint64_t value, char out[32])
{
	if (setting == SETTING_CREDIT)
		snprintf(out, 32, "%s", value ? "credit" : "none");
	else if (setting == SETTING_DURATION)
		snprintf(out, 32, "%.3f s", (double)value / 1e9);
	else
		snprintf(out, 32, "%" PRIu64, value);
	return out;
}

/* The first setting that is another, or SETTINGS. */
static unsigned differs(const struct member *m, const struct message_hello *hello)
{
	unsigned i = 0;

	while (i < SETTINGS && native_of(m)->setting[i] == hello->setting[i])
		i++;
	return i;
}

/* @peer (NULL: no room for it in the table) is told each time, our user once. */
void join_keep_out(struct member *m, const struct identity *who, struct peer *peer,
		   const struct message_refuse *body, const char *why)
{
	join_refuse(m, who, body);
	if (!peer || peer->role == PEER_REFUSED)
		return;
	peer->role = PEER_REFUSED;
	snprintf(peer->why, sizeof(peer->why), "%s", why);
	member_tell(m, (struct member_event){.kind = MEMBER_REFUSED, .text = peer->why}, peer);
}

/* The younger of two that differ goes: it may be this one. */
static void settings_differ(struct member *m, const struct identity *who, struct peer *peer,
			    const struct message_head *head, const struct message_hello *hello)
{
	const unsigned setting = differs(m, hello);
	const char *name = message_setting_name((enum message_setting)setting);
	const uint64_t ours = native_of(m)->setting[setting];
	const struct message_refuse body = {
		.to = *who, .why = REFUSAL_SETTINGS, .setting = (uint16_t)setting, .value = ours};
	char here[32], there[32], why[96], text[IDENTITY_TEXT];

	setting_text(setting, ours, here);
	setting_text(setting, hello->setting[setting], there);
	if (native_of(m)->phase == PHASE_JOINING &&
	    join_is_older(hello->begun, head->number, m->begun + m->plan.realtime,
			  m->plan.instance)) {
		member_fail(m, name, "%s here, %s at %s, which was there first", here, there,
			    identity_format(who, text));
		return;
	}
	snprintf(why, sizeof(why), "its %s is %s, ours is %s", name, there, here);
	join_keep_out(m, who, peer, &body, why);
}

static void take_card(struct peer *peer, const struct message_head *head,
		      const struct message_hello *hello)
{
	peer->sender = hello->sender;
	peer->paced = hello->paced;
	peer->card = (struct peer_card){
		.instance = head->number,
		.former = peer->card.instance,
		.begun = hello->begun,
	};
	memcpy(peer->card.host, hello->host, sizeof(hello->host));
	if (peer->role == PEER_REFUSED)
		peer->role = PEER_HEARD;
}

/* A newcomer, or one that has been started anew, while there is no group yet. */
static void welcome(struct member *m, const struct identity *who, struct peer *peer,
		    const struct message_head *head, const struct message_hello *hello)
{
	const struct message_refuse twin = {.to = *who, .why = REFUSAL_IDENTITY};
	const bool known = peer, there = known && join_is_heard(peer);

	if (!known)
		peer = member_add(m, who);
	if (!peer) {
		m->hostile++;
		return;
	}
	if (known && head->number == peer->card.former) {
		join_keep_out(m, who, peer, &twin, "two members have this address");
		return;
	}
	take_card(peer, head, hello);
	if (differs(m, hello) < SETTINGS) {
		settings_differ(m, who, peer, head, hello);
		return;
	}
	native_of(m)->newest = m->now;
	join_newcomer(m);
	if (!there)
		member_tell(m,
			    (struct member_event){.kind = MEMBER_JOINED, .number = join_count(m)},
			    peer);
}

/* Another process at the address of a member that is gone: our user hears of it once. */
static void name_newcomer(struct member *m, struct peer *peer, const struct message_head *head)
{
	if (peer->card.newcomer == head->number)
		return;
	peer->card.newcomer = head->number;
	member_tell(m,
		    (struct member_event){.kind = MEMBER_REFUSED,
					  .text = "too late, its former self was of the group"},
		    peer);
}

/* There is a group: who is not of it stays out. */
static void too_late(struct member *m, const struct identity *who, struct peer *peer,
		     const struct message_head *head, const struct message_hello *hello)
{
	const bool ready = native_of(m)->phase == PHASE_READY && !m->run;
	const struct message_refuse body = {.to = *who, .why = REFUSAL_LATE};

	if (peer && peer->role == PEER_MEMBER) {
		member_give_up(m, peer, FATE_QUIT, "it was started anew");
		name_newcomer(m, peer, head);
		join_refuse(m, who, &body);
		return;
	}
	if (!peer) {
		peer = member_add(m, who);
		if (peer)
			take_card(peer, head, hello);
	}
	if (differs(m, hello) < SETTINGS)
		settings_differ(m, who, peer, head, hello);
	else if (!ready)
		join_keep_out(m, who, peer, &body, "too late, the run has begun");
	/* Before all are ready one of the group may yet turn out to be dead. */
}

void join_hello(struct member *m, const struct identity *who, const struct message_head *head,
		const struct message_hello *hello)
{
	const enum message_phase phase = native_of(m)->phase;
	struct peer *peer = member_find(m, who);
	char text[IDENTITY_TEXT];

	if (phase == PHASE_LEAVING)
		return;
	if (identity_equal(who, &m->plan.self) && head->number != m->plan.instance) {
		m->hostile++;
		if (phase == PHASE_JOINING)
			member_fail(m, identity_format(who, text),
				    "another member has this address, too");
		return;
	}
	if (peer && peer->role != PEER_REFUSED && head->number == peer->card.instance) {
		/* It is joining still, and may not have heard of us. */
		if (phase > PHASE_JOINING && !peer->self)
			join_newcomer(m);
		return;
	}
	if (phase == PHASE_JOINING && (!peer || head->number != peer->card.instance))
		welcome(m, who, peer, head, hello);
	else if (phase == PHASE_JOINING && differs(m, hello) < SETTINGS)
		settings_differ(m, who, peer, head, hello);
	else if (phase > PHASE_JOINING)
		too_late(m, who, peer, head, hello);
}

void join_refused(struct member *m, struct peer *peer, const struct message_refuse *refuse)
{
	static const char *const reasons[] = {
		[REFUSAL_FULL] = "the group is complete without this member",
		[REFUSAL_LATE] = "the run has begun without this member",
		[REFUSAL_SENDERS] = "the members that send are not as many as num_senders",
		[REFUSAL_IDENTITY] = "another member has this member's address",
		[REFUSAL_DEAD] = "this member has been given up",
	};
	const struct native *n = native_of(m);
	char text[IDENTITY_TEXT], here[32], there[32];

	if (!identity_equal(&refuse->to, &m->plan.self) || peer->self)
		return;
	identity_format(member_who(m, peer), text);
	if (n->phase > PHASE_READY || m->run) {
		if (refuse->why == REFUSAL_DEAD && n->phase < PHASE_LEAVING)
			member_give_up(m, peer, FATE_CUT, "it has given this member up");
		return;
	}
	if (refuse->why != REFUSAL_SETTINGS) {
		member_fail(m, text, "%s", reasons[refuse->why]);
		return;
	}
	member_fail(m, message_setting_name((enum message_setting)refuse->setting),
		    "%s here, %s at %s",
		    setting_text(refuse->setting, n->setting[refuse->setting], here),
		    setting_text(refuse->setting, refuse->value, there), text);
}
