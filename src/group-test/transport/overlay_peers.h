/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_peers: what stands before each message of a group in an overlay, and by which logical
 * address each member is reached. A member's identity is the address and port of its node, which
 * stay the same, whereas its logical address may change. Pure.
 */
#pragma once

#include "../wire/identity.h"

#define OVERLAY_PEERS	     1024 /* a power of two */
#define OVERLAY_PEERS_PROBES 8	  /* entries where an identity may be */

/* A member whose messages come from elsewhere is believed if its old place is silent for so long.
 */
#define OVERLAY_PEER_SILENT (2 * NP_SECOND)

struct overlay_peer {
	struct identity who;
	struct np_overlay_logical logical; /* size 0: the entry is free */
	np_time heard;
};

/* FNV-1a: it keeps groups apart by accident, not against intent. */
#define OVERLAY_HASH UINT64_C(0xcbf29ce484222325) /* of nothing */
static inline uint64_t overlay_hash(const void *data, size_t bytes, uint64_t hash)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

/*
 * The name of the group as a hash of 8 bytes, then the identity of the sender: IPv4 address and
 * port. All big endian. Who is in the overlay, but in another group or program, has another hash.
 */
#define OVERLAY_HEAD_BYTES 14

static inline void overlay_head_encode(uint8_t head[OVERLAY_HEAD_BYTES], const char *group,
				       const struct identity *who)
{
	static const char program[] = "netperf-exercise group-test 1\n";
	const uint64_t hash = overlay_hash(program, sizeof(program) - 1, OVERLAY_HASH);

	np_field_put64(head, overlay_hash(group, strlen(group), hash));
	memcpy(head + 8, who->ip + 12, 4);
	memcpy(head + 12, who->port, 2);
}

/* True, and *@who: @bytes at @data are a message of the group of @own, a head. */
static inline bool overlay_head_decode(const uint8_t own[OVERLAY_HEAD_BYTES], const uint8_t *data,
				       size_t bytes, struct identity *who)
{
	if (bytes < OVERLAY_HEAD_BYTES || memcmp(own, data, 8) != 0)
		return false;
	*who = (struct identity){.ip = {[10] = 0xff, [11] = 0xff}};
	memcpy(who->ip + 12, data + 8, 4);
	memcpy(who->port, data + 12, 2);
	return true;
}

static inline bool overlay_peer_is(const struct overlay_peer *peer, const struct identity *who)
{
	return peer->logical.size && identity_equal(&peer->who, who);
}

/*
 * The entry of @who in a table of OVERLAY_PEERS, which has strangers, too; else the one that it can
 * have: a free one, or that of who is silent longest.
 */
static inline struct overlay_peer *overlay_peer_of(struct overlay_peer *peers,
						   const struct identity *who)
{
	const uint64_t hash = overlay_hash(who, sizeof(*who), OVERLAY_HASH);
	struct overlay_peer *place = NULL;

	for (unsigned i = 0; i < OVERLAY_PEERS_PROBES; i++) {
		struct overlay_peer *peer =
			&peers[((unsigned)(hash ^ hash >> 32) + i) % OVERLAY_PEERS];

		if (overlay_peer_is(peer, who))
			return peer;
		if (!place ||
		    (place->logical.size && (!peer->logical.size || peer->heard < place->heard)))
			place = peer;
	}
	return place;
}

/* A message of @who came from @logical. */
static inline void overlay_peers_note(struct overlay_peer *peers, const struct identity *who,
				      const struct np_overlay_logical *logical, np_time at)
{
	struct overlay_peer *place = overlay_peer_of(peers, who);

	if (!overlay_peer_is(place, who) || np_overlay_equal(&place->logical, logical) ||
	    at - place->heard >= OVERLAY_PEER_SILENT)
		*place = (struct overlay_peer){*who, *logical, at};
}
