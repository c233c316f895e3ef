/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * jgroups: the messages of perf.Test of JGroups 3.0.x, both ways, to the byte (spec 5.1). Pure. All
 * integers are big-endian, booleans a byte.
 */
#pragma once

#include "identity.h"

#define JGROUPS_DATA_LEAD   1 /* of DATA, whose length may be any; others have 0 to 5 */
#define JGROUPS_ROWS_MAX    256
#define JGROUPS_CONTROL_MAX (18 + JGROUPS_ROWS_MAX * 73)

/* The UDP port of every version, whatever mcast_port is. */
#define JGROUPS_UDP_PORT 7500

/* Type bytes; the lead byte is numbered differently, which the encoder knows. */
enum jgroups_type {
	JGROUPS_DISCOVERY_REQ = 1,
	JGROUPS_DISCOVERY_RSP,
	JGROUPS_DATA,
	JGROUPS_RESULTS,
	JGROUPS_FINAL_RESULTS,
	JGROUPS_FINAL_RESULTS_OK,
	JGROUPS_START,
	JGROUPS_WARMUP,
};

/* MemberInfo: what one member received from all senders. */
struct jgroups_info {
	int64_t start_ms, stop_ms; /* since 1970, by the member's clock; 0: not yet */
	int64_t expected, received;
	bool done;
	int64_t bytes; /* Java's UdpTransport counts 65534 for each message */
};

struct jgroups_row {
	struct identity who;
	struct jgroups_info info;
};

struct jgroups_message {
	enum jgroups_type type;
	bool sender;	  /* DISCOVERY_RSP: it will send @num_msgs messages */
	int64_t num_msgs; /* not negative */
	bool has_result;
	struct jgroups_info result; /* RESULTS */
	unsigned count;
	struct jgroups_row row[JGROUPS_ROWS_MAX]; /* FINAL_RESULTS */
};

/* Returns the length, at most JGROUPS_CONTROL_MAX. Not for DATA and WARMUP. */
size_t jgroups_encode(uint8_t *out, const struct jgroups_message *message);

/* Writes the bytes of a WARMUP message, @msg_size + 18; @out has room for them. */
size_t jgroups_warmup_encode(uint8_t *out, size_t msg_size);

/*
 * Decodes a control message of @length bytes, of which @bytes are present (a long payload may be
 * truncated). Bytes after the message are ignored, since Java's receive buffer is longer. Returns
 * 0, -EPROTO for what is too short or impossible (negative counts, more rows than
 * JGROUPS_ROWS_MAX), -ENOTSUP for an unknown type, or for keys that are not an IP address with that
 * magic (older versions; UUIDs).
 */
int jgroups_decode(const uint8_t *data, size_t bytes, size_t length,
		   struct jgroups_message *message);

/* The TCP handshake: 8 bytes (IPv4) or 24 (IPv6), spec 5.3. */
#define JGROUPS_HANDSHAKE_MAX 24
size_t jgroups_handshake_encode(uint8_t out[JGROUPS_HANDSHAKE_MAX], const struct identity *self);

/*
 * Returns its length, 0 when more bytes are needed to know, -EPROTO when it is none, -ENOTSUP for
 * JGroups 2.7 or older (first byte 01). More bytes never contradict an earlier result. (2.12 sends
 * a further 00: a first frame that begins with it has length 0.)
 */
int jgroups_handshake_decode(const uint8_t *data, size_t bytes, struct identity *peer);
