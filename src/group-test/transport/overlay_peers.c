// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* overlay_peers: heads of messages, and a table of members by identity, bounded. */
#include "overlay_peers.h"

#define PROBES 8 /* entries where an identity may be */

/* FNV-1a: it keeps groups apart by accident, not against intent. */
static uint64_t hash_of(const void *data, size_t bytes, uint64_t hash)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

void overlay_head_encode(uint8_t head[OVERLAY_HEAD_BYTES], const char *group,
			 const struct identity *who)
{
	static const char program[] = "netperf-exercise group-test 1\n";
	const uint64_t hash = hash_of(program, sizeof(program) - 1, UINT64_C(0xcbf29ce484222325));

	np_field_put64(head, hash_of(group, strlen(group), hash));
	memcpy(head + 8, who->ip + 12, 4);
	memcpy(head + 12, who->port, 2);
}

bool overlay_head_decode(const uint8_t own[OVERLAY_HEAD_BYTES], const uint8_t *data, size_t bytes,
			 struct identity *who)
{
	if (bytes < OVERLAY_HEAD_BYTES || memcmp(own, data, 8) != 0)
		return false;
	*who = (struct identity){.ip = {[10] = 0xff, [11] = 0xff}};
	memcpy(who->ip + 12, data + 8, 4);
	memcpy(who->port, data + 12, 2);
	return true;
}

static bool is_of(const struct overlay_peer *peer, const struct identity *who)
{
	return peer->logical.size && identity_equal(&peer->who, who);
}

/* The entry of @who, else the one that it can have: a free one, or that of who is silent longest.
 */
static struct overlay_peer *place_of(const struct overlay_peers *peers, const struct identity *who)
{
	const uint64_t hash = hash_of(who, sizeof(*who), UINT64_C(0xcbf29ce484222325));
	const struct overlay_peer *place = NULL;

	for (unsigned i = 0; i < PROBES; i++) {
		const struct overlay_peer *peer =
			&peers->peer[((unsigned)(hash ^ hash >> 32) + i) % OVERLAY_PEERS];

		if (is_of(peer, who))
			return (struct overlay_peer *)peer;
		if (!place ||
		    (place->logical.size && (!peer->logical.size || peer->heard < place->heard)))
			place = peer;
	}
	return (struct overlay_peer *)place;
}

void overlay_peers_note(struct overlay_peers *peers, const struct identity *who,
			const struct np_overlay_logical *logical, np_time at)
{
	struct overlay_peer *place = place_of(peers, who);

	if (!is_of(place, who) || np_overlay_equal(&place->logical, logical) ||
	    at - place->heard >= OVERLAY_PEER_SILENT)
		*place = (struct overlay_peer){*who, *logical, at};
}

const struct np_overlay_logical *overlay_peers_find(const struct overlay_peers *peers,
						    const struct identity *who)
{
	const struct overlay_peer *peer = place_of(peers, who);

	return is_of(peer, who) ? &peer->logical : NULL;
}
