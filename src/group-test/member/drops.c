// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops: native: tells the others what this member's host dropped, and takes what they tell. */
#include "native.h"

/* How often to look whether what was sent has left this host. */
#define DROPS_EVERY (50 * NP_MILLISECOND)

static void compose(struct member *m)
{
	struct native *n = native_of(m);
	const struct result_member *own = &m->result.member[member_self(m)->place];
	struct message_drops *drops = &n->drops_scratch;
	struct message_head head = native_head(m);

	n->drops_bytes = 0;
	n->drops_next = m->drops_open ? m->now + DROPS_EVERY : NP_TIME_NEVER;
	if (!own->sent_drops.total.known)
		return;
	drops->sent = own->sent_drops.total;
	drops->count = (uint16_t)own->rows;
	for (size_t i = 0; i < own->rows; i++)
		drops->row[i] = (struct message_drops_row){
			own->row[i].sender, own->row[i].drops.total, own->row[i].local};
	n->drops_bytes = message_drops_encode(n->drops, &head, drops);
}

void drops_count(struct member *m)
{
	compose(m);
}

void drops_say(struct member *m)
{
	const struct native *n = native_of(m);

	/* One that is lost is made up for by the next, or these drops are not known there. */
	if (n->drops_bytes)
		(void)member_send(m, n->drops, n->drops_bytes);
}

static void look_again(struct member *m)
{
	member_result_drops(m, member_self(m), DROPS_END);
	compose(m);
}

void drops_tick(struct member *m)
{
	const struct native *n = native_of(m);

	if (n->phase != PHASE_COUNTED || n->drops_next == NP_TIME_NEVER)
		return;
	if (m->now >= n->drops_next) {
		look_again(m);
		drops_say(m);
	}
	member_arm(m, n->drops_next);
}

void drops_conclude(struct member *m)
{
	if (m->drops_open)
		look_again(m);
}

void drops_take(struct member *m, const struct peer *peer, const struct message_drops *drops)
{
	struct result_member *member = &m->result.member[peer->place];

	if (peer->self || drops->count != m->result.senders)
		return;
	member->sent_drops.total = drops->sent;
	for (unsigned i = 0; i < drops->count; i++) {
		for (size_t k = 0; k < m->result.senders; k++) {
			if (!identity_equal(&m->result.sender[k], &drops->row[i].sender))
				continue;
			member->row[k].drops.total = drops->row[i].received;
			member->row[k].local = drops->row[i].local;
		}
	}
}
