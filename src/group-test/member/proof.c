// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* proof: native: a process that claims an address must answer there, or is ignored. */
#include "native.h"

#define ASK_EVERY (50 * NP_MILLISECOND)
/* Live members send something every STATE_EVERY. */
#define ENDED_GRACE (2 * NP_SECOND)

/* True when it was sent. */
static bool send_proof(struct member *m, const struct message_proof *proof)
{
	struct native *n = native_of(m);
	struct message_head head = native_head(m);
	const size_t bytes = message_proof_encode(n->out, &head, proof);

	return !m->port.send_to(m->port.transport, &proof->to, n->out, bytes);
}

static void ask(struct member *m, struct peer *peer)
{
	struct peer_proof *proof = &peer->proof;

	if (proof->asked && m->now - proof->asked < ASK_EVERY)
		return;
	if (!proof->cookie)
		proof->cookie = m->port.draw(m->port.transport);
	if (send_proof(m, &(struct message_proof){.to = *member_who(m, peer),
						  .cookie = proof->cookie}))
		proof->asked = m->now;
}

bool proof_ask(struct member *m, struct peer *peer, uint64_t instance,
	       const struct message_hello *hello)
{
	struct peer_proof *proof = &peer->proof;

	if (proof->proved == instance) {
		*proof = (struct peer_proof){};
		return true;
	}
	proof->instance = instance;
	proof->hello = *hello;
	ask(m, peer);
	return false;
}

void proof_again(struct member *m, struct peer *peer)
{
	if (peer->proof.instance)
		ask(m, peer);
}

/* The known instance is still there: the other is forged, or (mqtt) has the same name. */
static void keep(struct member *m, struct peer *peer)
{
	const struct message_refuse twin = {
		.to = *member_who(m, peer), .why = REFUSAL_IDENTITY, .value = peer->proof.instance};

	if (!peer->proof.instance || peer->self)
		return;
	m->malformed++;
	hello_refuse(m, &twin.to, &twin);
	peer->proof = (struct peer_proof){};
}

static void take_answer(struct member *m, struct peer *peer, uint64_t instance,
			struct proved *proved)
{
	struct peer_proof *proof = &peer->proof;
	char text[IDENTITY_TEXT];

	if (instance == peer->card.instance) {
		keep(m, peer);
	} else if (peer->self && native_of(m)->phase == PHASE_JOINING) {
		member_fail(m, identity_format(member_who(m, peer), text),
			    "another member uses this address, too");
	} else if (!peer->self && !peer->card.instance && instance == proof->instance) {
		*proved = (struct proved){peer, proof->hello};
		*proof = (struct peer_proof){};
	} else if (!peer->self) {
		/* The predecessor may still answer. */
		proof->proved = instance;
	}
}

bool proof_take(struct member *m, const struct transport_delivery *delivery,
		const struct transport_message *message, const struct message_head *head,
		struct proved *proved)
{
	const struct identity *who = delivery->source;
	struct peer *peer = member_find(m, who);
	struct message_proof proof;

	if (message_proof_decode(message->data, message->length, &proof) || !head->number)
		return false;
	if (!identity_equal(&proof.to, &m->plan.self))
		return true;
	if (!proof.answer) {
		proof.to = *who;
		proof.answer = true;
		(void)send_proof(m, &proof);
		return true;
	}
	/* A repeated answer is no error. */
	if (peer && !peer->proof.cookie && head->number == peer->card.instance)
		return true;
	if (!peer || !proof.cookie || proof.cookie != peer->proof.cookie)
		return false;
	if (m->port.trust)
		m->port.trust(m->port.transport, who, delivery->way);
	take_answer(m, peer, head->number, proved);
	return true;
}

void proof_ended(struct member *m, struct peer *peer)
{
	if (!peer->card.ended)
		peer->card.ended = m->now;
	member_arm(m, m->now + ENDED_GRACE);
}

static bool is_gone(struct member *m, struct peer *peer)
{
	struct peer_card *card = &peer->card;

	if (!card->ended)
		return false;
	if (peer->heard > card->ended) {
		card->ended = 0;
		m->malformed++;
	} else if (m->now - card->ended >= ENDED_GRACE) {
		card->ended = 0;
		return true;
	}
	return false;
}

void proof_tick(struct member *m)
{
	for (unsigned i = m->peers; i-- > 0;) {
		if (is_gone(m, &m->peer[i]))
			end_lost(m, &m->peer[i], 0);
	}
}
