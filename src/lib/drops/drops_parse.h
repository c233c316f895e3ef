/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * drops_parse: reads the headers of a packet wherever they start: IPv4, IPv6 with its extension
 * headers, VLAN tags, UDP, TCP, AoE. Compiled for BPF and, for the tests, for this host: the file
 * that includes it defines drops_fetch(). All offsets are from the start of the buffer.
 */
#pragma once

#include "drops_shared.h"

#define DROPS_ETHERTYPE_IPV4 0x0800
#define DROPS_ETHERTYPE_IPV6 0x86dd
#define DROPS_ETHERTYPE_AOE  0x88a2

/* The linear part of a packet. */
struct drops_buffer {
	const drops_u8 *head;
	drops_u32 bytes; /* from head on, that hold the packet */
};

enum drops_fragment { DROPS_WHOLE, DROPS_FIRST, DROPS_LATER };

struct drops_packet {
	struct drops_address source, destination;
	drops_u16 source_port, destination_port; /* as on the wire */
	drops_u8 protocol;
	drops_u8 fragment;
	drops_u8 ipv4;
	drops_u32 payload;	 /* its offset */
	drops_u32 payload_bytes; /* as the headers say; 0: they do not */
};

enum drops_parsed {
	DROPS_OTHER,	 /* something else */
	DROPS_PARSED,	 /* a packet, perhaps one of ours */
	DROPS_CUT_SHORT, /* the headers go on beyond the linear part */
};

/* Copies @bytes at @from, which are in the buffer; returns 0 when it could. */
static inline int drops_fetch(void *to, drops_u32 bytes, const drops_u8 *from);

#define DROPS_READ(buffer, at, to)                                                                 \
	((at) + sizeof(to) <= (buffer)->bytes &&                                                   \
	 !drops_fetch(&(to), sizeof(to), (buffer)->head + (at)))

static inline drops_u32 drops_big16(const drops_u8 *at)
{
	return (drops_u32)at[0] << 8 | at[1];
}

static inline enum drops_parsed drops_parse_ports(const struct drops_buffer *buffer, drops_u32 at,
						  drops_u32 end, struct drops_packet *packet)
{
	drops_u8 ports[4], words;
	drops_u32 header = 8;

	if (packet->protocol != DROPS_UDP && packet->protocol != DROPS_TCP)
		return DROPS_OTHER;
	if (packet->fragment == DROPS_LATER)
		return DROPS_PARSED;
	if (!DROPS_READ(buffer, at, ports))
		return DROPS_CUT_SHORT;
	__builtin_memcpy(&packet->source_port, ports, 2);
	__builtin_memcpy(&packet->destination_port, ports + 2, 2);
	if (packet->protocol == DROPS_TCP) {
		if (!DROPS_READ(buffer, at + 12, words))
			return DROPS_CUT_SHORT;
		header = (drops_u32)(words >> 4) * 4;
	}
	packet->payload = at + header;
	packet->payload_bytes = end > packet->payload ? end - packet->payload : 0;
	return DROPS_PARSED;
}

static inline void drops_map_ipv4(struct drops_address *address, const drops_u8 *ipv4)
{
	__builtin_memset(address, 0, sizeof(*address));
	address->byte[10] = 0xff;
	address->byte[11] = 0xff;
	__builtin_memcpy(address->byte + 12, ipv4, 4);
}

static inline enum drops_parsed drops_parse_ipv4(const struct drops_buffer *buffer, drops_u32 at,
						 struct drops_packet *packet)
{
	drops_u8 ip[20];
	drops_u32 header, length, offset;

	if (!DROPS_READ(buffer, at, ip))
		return DROPS_CUT_SHORT;
	header = (drops_u32)(ip[0] & 15) * 4;
	if (ip[0] >> 4 != 4 || header < sizeof(ip))
		return DROPS_OTHER;
	length = drops_big16(ip + 2);
	offset = drops_big16(ip + 6);
	packet->ipv4 = 1;
	packet->protocol = ip[9];
	packet->fragment = offset & 0x1fff   ? DROPS_LATER
			   : offset & 0x2000 ? DROPS_FIRST
					     : DROPS_WHOLE;
	drops_map_ipv4(&packet->source, ip + 12);
	drops_map_ipv4(&packet->destination, ip + 16);
	return drops_parse_ports(buffer, at + header, length ? at + length : 0, packet);
}

#define DROPS_EXTENSIONS 6 /* the most extension headers that are read */

static inline enum drops_parsed drops_parse_ipv6(const struct drops_buffer *buffer, drops_u32 at,
						 struct drops_packet *packet)
{
	drops_u8 ip[40], next[4];
	drops_u32 length, l4 = at + 40;

	if (!DROPS_READ(buffer, at, ip))
		return DROPS_CUT_SHORT;
	if (ip[0] >> 4 != 6)
		return DROPS_OTHER;
	length = drops_big16(ip + 4);
	packet->ipv4 = 0;
	packet->protocol = ip[6];
	packet->fragment = DROPS_WHOLE;
	__builtin_memcpy(&packet->source, ip + 8, 16);
	__builtin_memcpy(&packet->destination, ip + 24, 16);
	for (int i = 0; i < DROPS_EXTENSIONS && packet->fragment != DROPS_LATER; i++) {
		drops_u8 kind = packet->protocol;

		/* Hop-by-hop and destination options, routing, fragment, authentication. */
		if (kind != 0 && kind != 43 && kind != 44 && kind != 51 && kind != 60)
			break;
		if (!DROPS_READ(buffer, l4, next))
			return DROPS_CUT_SHORT;
		packet->protocol = next[0];
		if (kind == 44) {
			drops_u32 offset = drops_big16(next + 2);

			packet->fragment = offset & 0xfff8 ? DROPS_LATER
					   : offset & 1	   ? DROPS_FIRST
							   : DROPS_WHOLE;
			l4 += 8;
		} else {
			l4 += kind == 51 ? (next[1] + 2u) * 4 : (next[1] + 1u) * 8;
		}
	}
	return drops_parse_ports(buffer, l4, length ? at + 40 + length : 0, packet);
}

/* The packet that starts at @at with its IP header. */
static inline enum drops_parsed drops_parse_ip(const struct drops_buffer *buffer, drops_u32 at,
					       struct drops_packet *packet)
{
	drops_u8 version;

	if (!DROPS_READ(buffer, at, version))
		return DROPS_CUT_SHORT;
	if (version >> 4 == 4)
		return drops_parse_ipv4(buffer, at, packet);
	if (version >> 4 == 6)
		return drops_parse_ipv6(buffer, at, packet);
	return DROPS_OTHER;
}

/*
 * Reads the Ethernet header at @at. Returns the EtherType after up to two VLAN tags, with
 * *@payload, or 0: cut short, or more tags.
 */
static inline drops_u32 drops_parse_ethernet(const struct drops_buffer *buffer, drops_u32 at,
					     drops_u32 *payload)
{
	drops_u8 type[2];
	drops_u32 value = 0;

	at += 12;
	for (int tags = 0; tags < 3; tags++) {
		if (!DROPS_READ(buffer, at, type))
			return 0;
		value = drops_big16(type);
		if (value != 0x8100 && value != 0x88a8) {
			*payload = at + 2;
			return value;
		}
		at += 4;
	}
	return 0;
}

/* The AoE packet in the frame that starts at @at. */
static inline enum drops_parsed drops_parse_aoe(const struct drops_buffer *buffer, drops_u32 at,
						struct drops_packet *packet)
{
	drops_u8 macs[12];
	drops_u32 payload, type = drops_parse_ethernet(buffer, at, &payload);

	if (!type || !DROPS_READ(buffer, at, macs))
		return DROPS_CUT_SHORT;
	if (type != DROPS_ETHERTYPE_AOE)
		return DROPS_OTHER;
	__builtin_memset(packet, 0, sizeof(*packet));
	packet->protocol = DROPS_AOE;
	__builtin_memcpy(packet->destination.byte, macs, 6);
	__builtin_memcpy(packet->source.byte, macs + 6, 6);
	packet->payload = payload;
	return DROPS_PARSED;
}

/* Whether @data, the payload from the rule's offset on, is as the rule has it. */
static inline int drops_payload_fits(const struct drops_rule *rule, const drops_u8 *data)
{
	for (int i = 0; i < 8; i++)
		if ((data[i] & rule->payload_mask[i]) != rule->payload_value[i])
			return 0;
	return 1;
}

static inline int drops_same(const struct drops_address *a, const struct drops_address *b)
{
	drops_u64 x[2], y[2];

	__builtin_memcpy(x, a, sizeof(x));
	__builtin_memcpy(y, b, sizeof(y));
	return x[0] == y[0] && x[1] == y[1];
}
