// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* peers: the table of all members that were heard. */
#include "state.h"

#include <stdio.h>
#include <string.h>

struct peer *member_find(struct member *m, const struct identity *who)
{
	if (m->hint < m->peers && identity_equal(&m->who[m->hint], who))
		return &m->peer[m->hint];
	for (unsigned i = 0; i < m->peers; i++) {
		if (identity_equal(&m->who[i], who)) {
			m->hint = i;
			return &m->peer[i];
		}
	}
	return NULL;
}

/* Chooses strangers before refused members. */
static struct peer *find_stranger(struct member *m)
{
	struct peer *found = NULL;

	for (unsigned i = 0; i < m->peers; i++) {
		struct peer *peer = &m->peer[i];

		if (peer->self || peer->role == PEER_MEMBER ||
		    (peer->known && peer->role != PEER_REFUSED))
			continue;
		if (!found || peer->known < found->known ||
		    (peer->known == found->known && peer->heard < found->heard))
			found = peer;
	}
	return found;
}

struct peer *member_add(struct member *m, const struct identity *who)
{
	const bool full = m->peers == MEMBERS_MAX;
	struct peer *peer = full ? find_stranger(m) : &m->peer[m->peers++];

	if (!peer)
		return NULL;
	/* In a free place there may be remains of a member that was removed. */
	m->malformed += full && !peer->known;
	m->who[peer - m->peer] = *who;
	*peer = (struct peer){.self = identity_equal(who, &m->plan.self), .heard = m->now};
	return peer;
}

void member_remove(struct member *m, struct peer *peer)
{
	const size_t at = (size_t)(peer - m->peer), behind = m->peers - at - 1;

	memmove(peer, peer + 1, behind * sizeof(*peer));
	memmove(&m->who[at], &m->who[at + 1], behind * sizeof(*m->who));
	m->peers--;
}

const struct identity *member_who(const struct member *m, const struct peer *peer)
{
	return &m->who[peer - m->peer];
}

struct peer *member_self(struct member *m)
{
	for (unsigned i = 0; i < m->peers; i++) {
		if (m->peer[i].self)
			return &m->peer[i];
	}
	return NULL;
}

unsigned member_alive(const struct member *m)
{
	unsigned count = 0;

	for (unsigned i = 0; i < m->peers; i++)
		count += peer_counts(&m->peer[i]);
	return count;
}

void member_list(const struct member *m, bool (*chosen)(const struct peer *peer), char *out,
		 size_t room)
{
	unsigned count = 0, left = 0;
	char text[IDENTITY_TEXT];
	size_t used = 0;

	out[0] = '\0';
	for (unsigned i = 0; i < m->peers; i++) {
		if (!chosen(&m->peer[i]))
			continue;
		identity_format(&m->who[i], text);
		/* Keeps room for the remark below. */
		if (used + strlen(text) + 24 > room) {
			left++;
			continue;
		}
		used += (size_t)snprintf(out + used, room - used, "%s%s", count++ ? ", " : "",
					 text);
	}
	if (left)
		snprintf(out + used, room - used, " and %u more", left);
}
