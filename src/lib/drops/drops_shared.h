/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * drops_shared: what the BPF program of drops and the library share: the maps' contents. Types are
 * the compiler's, since the program is compiled without the system's headers.
 */
#pragma once

typedef __UINT8_TYPE__ drops_u8;
typedef __UINT16_TYPE__ drops_u16;
typedef __UINT32_TYPE__ drops_u32;
typedef __UINT64_TYPE__ drops_u64;

#define DROPS_RULES   64
#define DROPS_ENTRIES 4096 /* kinds of drops times partners */
#define DROPS_HOSTS   1024
#define DROPS_NAMES   1024

/* Protocols: those of IP, and AoE. */
#define DROPS_TCP	6
#define DROPS_UDP	17
#define DROPS_AOE	255

#define DROPS_ANY_LOCAL 1 /* any address of this host */
#define DROPS_ANY_PEER	2
#define DROPS_ONLY_IPV4 4 /* of any local address */

/* An IPv4 address as IPv6 (RFC 4291, 2.5.5.2), or a MAC address and zeros. */
struct drops_address {
	drops_u8 byte[16];
};

/* One kind of packet to count. Ports as on the wire; 0: any. */
struct drops_rule {
	struct drops_address local, peer;
	drops_u16 local_port, peer_port;
	drops_u8 protocol;
	drops_u8 out;
	drops_u8 flags;
	drops_u8 payload_bytes;
	drops_u8 payload_value[8], payload_mask[8]; /* the value is already masked */
	drops_u16 payload_offset;
	drops_u16 pad[3];
	drops_u64 cookie; /* of the receiving socket; 0: unknown */
};

/* Doubts: what was seen and could not be counted to the packet. */
enum drops_doubt {
	DROPS_FULL,	  /* no room for another kind */
	DROPS_FRAGMENTS,  /* fragments, perhaps of our packets */
	DROPS_UNREADABLE, /* packets whose headers are not in the linear part */
	DROPS_COPIES,	  /* packets of a group, where the kernel does not say whose copy it was */
	DROPS_TWICE,  /* segmented buffers, dropped without a reason, perhaps with their segments */
	DROPS_MISSED, /* drops within the handling of another drop: not counted */
	DROPS_UNSEEN, /* softirqs that handled packets and passed no tracepoint */
	DROPS_DOUBTS
};

/* The one element of the map "shared", in memory that both sides see. */
struct drops_shared {
	drops_u32 netns; /* inode number of the network namespace */
	drops_u32 rules; /* how many elements of @rule are complete */
	/* Set with the first drop: the kernel (6.11 or later) tells which socket dropped it. */
	drops_u32 sockets, pad;
	drops_u64 doubts[DROPS_DOUBTS];
	struct drops_rule rule[DROPS_RULES];
};

/* The softirqs that handle packets, NET_TX and NET_RX, by their numbers in the kernel. */
#define DROPS_SOFTIRQ_TX 2
#define DROPS_SOFTIRQ_RX 3

/* An element of the map "softirqs", one a processor. */
struct drops_softirqs {
	drops_u32 passed;  /* how many of them passed their tracepoint */
	drops_u32 pad[15]; /* a cache line each */
};

/*
 * The map "names": the kernel's name of a reason, or of the function that a place is in, by either,
 * as 64 bits; no place has a number as low as a reason's.
 */
struct drops_name {
	char text[64];
};

/* The map "counts": packets, by this. */
struct drops_key {
	struct drops_address peer;
	drops_u64 place;
	drops_u32 reason;
	drops_u16 peer_port;
	drops_u16 rule;
};
