// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * clock: native: compares the clocks of senders on other hosts, for the delays of their messages.
 */
#include "native.h"

#define CLOCK_EVERY   NP_SECOND
#define CLOCK_QUICKLY (50 * NP_MILLISECOND)
#define CLOCK_FIRST   8 /* the first ones, sent in quick succession */

/* Hosts with the same boot id share a clock. */
static bool is_same_clock(const struct member *m, const struct peer *peer)
{
	return peer->self || !memcmp(peer->card.host, m->plan.host, sizeof(m->plan.host));
}

void clock_take(struct member *m, struct peer *peer, const struct message_clock *clock, np_time at)
{
	struct message_head head = native_head(m);
	struct native *n = native_of(m);
	struct message_clock answer = *clock;
	size_t bytes;

	if (!identity_equal(&clock->to, &m->plan.self) || peer->self)
		return;
	if (clock->answer) {
		if (np_offset_add(&peer->flow.clock, clock->t1, clock->t2, clock->t3, at) &&
		    peer->flow.tally)
			tally_set_clock(peer->flow.tally, &peer->flow.clock);
		return;
	}
	answer.to = *member_who(m, peer);
	answer.answer = true;
	answer.t2 = answer.t3 = at;
	bytes = message_clock_encode(n->out, &head, &answer);
	m->port.send_to(m->port.transport, &answer.to, n->out, bytes);
}

void clock_form(const struct member *m, struct peer *peer)
{
	const struct np_offset same = {.known = true};

	if (!peer->flow.tally)
		return;
	if (is_same_clock(m, peer))
		peer->flow.clock = same;
	tally_set_clock(peer->flow.tally, &peer->flow.clock);
}

static void clock_ask(struct member *m, struct peer *peer)
{
	struct message_head head = native_head(m);
	const struct message_clock ask = {.to = *member_who(m, peer), .t1 = m->now};
	struct native *n = native_of(m);
	size_t bytes = message_clock_encode(n->out, &head, &ask);

	if (!m->port.send_to(m->port.transport, &ask.to, n->out, bytes))
		peer->flow.asked++;
	peer->flow.ask = m->now + (peer->flow.asked < CLOCK_FIRST ? CLOCK_QUICKLY : CLOCK_EVERY);
}

/* Asks senders on other hosts for their clocks. */
void clock_tick(struct member *m)
{
	for (unsigned i = 0; i < m->peers; i++) {
		struct peer *peer = &m->peer[i];

		if (!peer->sender || peer->gone || peer->role == PEER_REFUSED ||
		    is_same_clock(m, peer))
			continue;
		if (m->now >= peer->flow.ask)
			clock_ask(m, peer);
		member_arm(m, peer->flow.ask);
	}
}
