/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message: the messages of HyperCast 4 to the byte: those of the protocols Delaunay triangulation
 * (DT) and spanning tree (SPT), and the overlay messages (OL) that carry payloads. Integers are
 * big-endian.
 *
 * A decoded message encodes to the same bytes again. Every length is checked against the bytes
 * present before it is used. Pure, thread-safe.
 */
#pragma once

#include "../net/buffer.h"
#include "addresses.h"

#include <sys/types.h>

/* The high nibble of a message's first byte. */
enum overlay_message_kind {
	OVERLAY_MESSAGE_DT = 0x2,
	OVERLAY_MESSAGE_SPT = 0x3,
	OVERLAY_MESSAGE_OL = 0xd,
};

/*
 * The length of the message whose first @bytes are at @data, for streams: messages contain their
 * length. Returns it (even if not all bytes are present), 0 when more bytes are needed to know,
 * -EBADMSG when it is no message. It may be up to 2^32: limit it before waiting for the rest.
 */
int64_t overlay_message_bytes(const void *data, size_t bytes);

/*
 * A message in the bytes of a TCP connection, where each is preceded by two bytes, the sender's
 * listening port.
 */
#define OVERLAY_PORT_BYTES 2

struct overlay_delimited {
	uint16_t port;
	const uint8_t *message; /* in the buffer */
	size_t bytes;
};

/*
 * Takes the next message from @in. Returns 1, 0 when more bytes are needed, -EBADMSG when it is no
 * message, or -EMSGSIZE when it is longer than @most: then nothing after it can be found.
 */
int overlay_delimited_next(struct buffer *in, size_t most, struct overlay_delimited *out);

/* DT. */
#define OVERLAY_DT_MIN 40
/* Two pairs with the longest addresses. */
#define OVERLAY_DT_MAX (24 + 2 * (5 + OVERLAY_ADDRESS_BYTES + OVERLAY_POINT_BYTES))

enum overlay_dt_type {
	OVERLAY_DT_HELLO,	  /* heartbeat, and offer to become a neighbour */
	OVERLAY_DT_NOT_NEIGHBOUR, /* the answer to a Hello of a node that is no neighbour */
	OVERLAY_DT_GOODBYE,
	OVERLAY_DT_SERVER_REQUEST,
	OVERLAY_DT_SERVER_REPLY,
	OVERLAY_DT_NEW_NODE,
	OVERLAY_DT_PING,
	OVERLAY_DT_PONG,
	OVERLAY_DT_I_AM_HERE,
	OVERLAY_DT_I_AM_LEADER,
	OVERLAY_DT_BEACON,
	OVERLAY_DT_TEST,
};

/* How nodes find the overlay, in the low nibble of the first byte. Receivers ignore it. */
enum overlay_rendezvous {
	OVERLAY_RENDEZVOUS_BUDDIES = 2,
	OVERLAY_RENDEZVOUS_MULTICAST = 3,
};

/* A node and its address; without a node (point 0,0) it is null, and the address is ignored. */
struct overlay_pair {
	struct overlay_point point;
	struct overlay_address address;
};

struct overlay_dt {
	uint8_t rendezvous;			  /* enum overlay_rendezvous, or as received */
	uint8_t type;				  /* enum overlay_dt_type, or as received */
	uint32_t hash;				  /* of the overlay */
	struct overlay_point source, destination; /* 0,0: none */
	struct overlay_pair a, b; /* Hello: the sender's neighbours next to the receiver, CW, CCW */
};

/* Encodes the message; returns its length. */
size_t overlay_dt_encode(uint8_t out[OVERLAY_DT_MAX], const struct overlay_dt *dt);

/* Decodes the message of exactly @bytes at @data. Returns 0 or -EBADMSG. */
int overlay_dt_decode(const void *data, size_t bytes, struct overlay_dt *dt);

/* SPT. All of its messages go to the multicast group. */
enum overlay_spt_type {
	OVERLAY_SPT_BEACON,
	OVERLAY_SPT_GOODBYE,
	OVERLAY_SPT_ROUTE_REQUEST,
	OVERLAY_SPT_ROUTE_REPLY,
};

/* The length of a beacon without its senders, with the longest address; and of each sender. */
#define OVERLAY_SPT_BEACON_MAX	 (38 + 5 + OVERLAY_ADDRESS_BYTES)
#define OVERLAY_SPT_SENDER_BYTES 5
/*
 * What a beacon contains about a sender: how many of its latest 10 beacons arrived; whether it is
 * in the tree.
 */
#define OVERLAY_SPT_HEARD 0x7f
#define OVERLAY_SPT_TREE  0x80

struct overlay_spt {
	uint8_t rendezvous; /* OVERLAY_RENDEZVOUS_MULTICAST, or as received */
	uint8_t type;	    /* enum overlay_spt_type */
	uint32_t hash;	    /* of the overlay */
	int32_t source;	    /* logical addresses are not 0 unless stated */
	/*
	 * Route request and reply: the node that is asked for; reply: the source's next hop to it.
	 */
	int32_t wanted, next_hop;
	/* Beacon. */
	struct overlay_address address; /* the source's */
	int32_t root, parent;		/* parent 0: the source is the root */
	int32_t cost;			/* hops to the root, or as received */
	int64_t timestamp;		/* ms, by the root's clock */
	uint16_t metric;
	/* The nodes that it hears; not owned: when decoded, they are in the message. */
	unsigned senders;
	const uint8_t *sender;
};

/* Encodes one sender for a beacon: @told is OVERLAY_SPT_HEARD and _TREE. */
void overlay_spt_put_sender(uint8_t out[OVERLAY_SPT_SENDER_BYTES], int32_t logical, uint8_t told);
/* What a beacon contains about @logical; 0: nothing. */
uint8_t overlay_spt_told(const struct overlay_spt *spt, int32_t logical);

/* Encodes the message to @room bytes; returns its length, or -EMSGSIZE. */
ssize_t overlay_spt_encode(void *out, size_t room, const struct overlay_spt *spt);

/*
 * Decodes the message of exactly @bytes at @data. Returns 0 or -EBADMSG: inconsistent lengths, an
 * unknown type, logical addresses of 0.
 */
int overlay_spt_decode(const void *data, size_t bytes, struct overlay_spt *spt);

/* OL. */
enum overlay_mode { OVERLAY_MULTICAST = 1, OVERLAY_FLOOD = 2, OVERLAY_UNICAST = 3 };

enum overlay_extension_type {
	OVERLAY_EXTENSION_FSM = 1,
	OVERLAY_EXTENSION_DATA = 2,
	OVERLAY_EXTENSION_ROUTE = 3,
	OVERLAY_EXTENSION_LONG = 4,
};

/* The most extensions of a message, except the one that makes it long. */
#define OVERLAY_EXTENSIONS_MAX 4

struct overlay_extension {
	uint8_t type;
	uint8_t width; /* bytes of its length field, 1..4; 0: for encoding, as few as possible */
	size_t bytes;
	const uint8_t *data; /* not owned: points into the decoded message */
};

struct overlay_ol {
	uint8_t mode; /* enum overlay_mode */
	uint8_t traffic_class;
	uint16_t flow_label;
	uint16_t hop_limit;
	struct np_overlay_logical source, previous; /* of equal size, not null */
	struct np_overlay_logical destination;	    /* of unicast; not null */
	uint8_t long_width; /* long form: bytes of the total's length field; 0: short, or, for
			       encoding, long when the extensions exceed 65535 bytes */
	unsigned extensions;
	struct overlay_extension extension[OVERLAY_EXTENSIONS_MAX];
};

/* The fewest bytes for the length of an extension. */
unsigned overlay_ol_width(uint64_t length);

/* The first extension of @type, or NULL. */
const struct overlay_extension *overlay_ol_find(const struct overlay_ol *ol, uint8_t type);

/*
 * Encodes the message to @room bytes at @out, which must not overlap the data of its extensions.
 * Returns its length, or -EMSGSIZE when @room or a width is too small.
 */
ssize_t overlay_ol_encode(void *out, size_t room, const struct overlay_ol *ol);

/*
 * Decodes the message of exactly @bytes at @data; the extensions point into it. Returns 0 or
 * -EBADMSG: inconsistent lengths, another version, an unknown mode, logical addresses that are null
 * or of unknown size, more than OVERLAY_EXTENSIONS_MAX extensions, more than one DATA or ROUTE, a
 * ROUTE that does not consist of whole addresses.
 */
int overlay_ol_decode(const void *data, size_t bytes, struct overlay_ol *ol);
