/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_peers: what stands before each message of a group in an overlay, and by which logical
 * address each member is reached. A member's identity is the address and port of its node, which
 * stay the same, whereas its logical address may change. Pure.
 */
#pragma once

#include "../wire/identity.h"

/*
 * The name of the group as a hash of 8 bytes, then the identity of the sender: IPv4 address and
 * port. All big endian. Who is in the overlay, but in another group or program, has another hash.
 */
#define OVERLAY_HEAD_BYTES 14

void overlay_head_encode(uint8_t head[OVERLAY_HEAD_BYTES], const char *group,
			 const struct identity *who);

/* True, and *@who: @bytes at @data are a message of the group of @own, a head. */
bool overlay_head_decode(const uint8_t own[OVERLAY_HEAD_BYTES], const uint8_t *data, size_t bytes,
			 struct identity *who);

#define OVERLAY_PEERS 1024 /* a power of two */

/* A member whose messages come from elsewhere is believed if its old place is silent for so long.
 */
#define OVERLAY_PEER_SILENT (2 * NP_SECOND)

struct overlay_peer {
	struct identity who;
	struct np_overlay_logical logical; /* size 0: the entry is free */
	np_time heard;
};

/* Of strangers, too: who was silent for longest makes room. */
struct overlay_peers {
	struct overlay_peer peer[OVERLAY_PEERS];
};

/* A message of @who came from @logical. */
void overlay_peers_note(struct overlay_peers *peers, const struct identity *who,
			const struct np_overlay_logical *logical, np_time at);

/* NULL: not heard yet. */
const struct np_overlay_logical *overlay_peers_find(const struct overlay_peers *peers,
						    const struct identity *who);
