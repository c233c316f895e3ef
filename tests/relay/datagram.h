/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * datagram: finds the UDP datagram in an Ethernet frame, damages it, verifies its checksum. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both ends; an IPv4 address is in the first four bytes, the rest is zero. */
struct datagram_ends {
	uint8_t source[16], destination[16];
	uint16_t source_port, destination_port;
	uint8_t version;   /* 4 or 6 */
	uint8_t unused[3]; /* zero: ends are compared as bytes */
};

struct datagram {
	struct datagram_ends ends;
	uint8_t *udp; /* its header, in the frame */
	uint8_t *payload;
	size_t payload_bytes;
};

/*
 * False when the frame has no complete UDP datagram: another protocol, a fragment, IPv6 extension
 * headers, inconsistent lengths.
 */
bool datagram_find(struct datagram *datagram, uint8_t *frame, size_t length);

/* True also without a checksum, which IPv4 allows. */
bool datagram_checksum_right(const struct datagram *datagram);

/* The datagram has a checksum. */
bool datagram_has_checksum(const struct datagram *datagram);

/* Inverts all bits of a payload byte (@at beyond the end: the last one); false without payload. */
bool datagram_damage(struct datagram *datagram, size_t at);

/* Stores the correct checksum, if the datagram has one. */
void datagram_mend_checksum(struct datagram *datagram);

/* Reads @bytes (1..8) of payload at @at as a big-endian number; false when they are missing. */
bool datagram_number(const struct datagram *datagram, size_t at, unsigned bytes, uint64_t *number);
