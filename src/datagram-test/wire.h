/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * wire: the packets of datagram-test as they are on the wire: the format of Coherence DatagramTest,
 * the trailer that marks packets of this program, and the control datagrams that its two ends
 * exchange. Pure. All integers are big-endian.
 *
 * A packet: 0 magic "test", 4 return port, 8 send time (sender's CLOCK_MONOTONIC, ns), 16 ack
 * (newest send time received from that peer, all ones: none), 24 iteration (int32, first 1), 28
 * filler: the words 7, 8, 9 ...; with process bytes P the iteration again up to offset 8 + P. A
 * 64-bit number (sequence_width) is at 24..31, and its copies every 8 bytes.
 */
#pragma once

#include <netperf/netperf.h>

#define WIRE_MAGIC	   0x74657374u
#define WIRE_CONTROL_MAGIC 0x6e706474u /* "npdt" */
#define WIRE_HEADER_BYTES  28
#define WIRE_PORT	   4 /* where the return port of a packet is, */
#define WIRE_CONTROL_PORT  6 /* and of a control datagram */
#define WIRE_TRAILER_BYTES 16
#define WIRE_CONTROL_BYTES 128
#define WIRE_BRIEF_BYTES   48 /* a brief control datagram: not longer than any packet of ours */
#define WIRE_NO_ACK	   INT64_C(-1)
#define WIRE_HELD_UNKNOWN  0xffffffu
#define WIRE_AGE_MORE	   0xffffu
#define WIRE_UNKNOWN	   UINT64_MAX /* a count */

/*
 * A packet. The last 16 bytes of one of ours are its trailer: 0 magic u16, 2 age of the run in 10
 * ms u16 (65535: more), 4 run id u32, 8 flags u8 (1 confirmed, 2 the number has 64 bits), 9
 * microseconds the ack was held u24 (WIRE_HELD_UNKNOWN), 12 check value u32 over bytes 0..31 of the
 * packet and 0..11 of the trailer.
 */
struct wire_packet {
	uint32_t return_port; /* as received: may be out of range */
	int64_t send_time;
	int64_t ack;
	uint64_t number; /* the iteration; decoded from 32 bits unless @wide */
	bool wide;	 /* when decoded: the number had 64 bits, as the trailer shows */
	/* Of ours, from the trailer: */
	uint32_t run;	  /* random; 0: none that checks */
	uint16_t age;	  /* since the run's first packet, in 10 ms; WIRE_AGE_MORE */
	bool confirmed;	  /* the sender has heard a control datagram for this run */
	uint32_t held_us; /* larger ones are sent as WIRE_HELD_UNKNOWN */
};

/* What a datagram can be. */
enum wire_kind {
	WIRE_FOREIGN, /* a packet without our trailer: Java's, or a short one of ours */
	WIRE_OURS,    /* a packet with a trailer that checks */
	WIRE_DAMAGED, /* our trailer's magic, but the check value is wrong */
	WIRE_CONTROL, /* a control datagram by its magic; wire_control_decode says if it is whole */
	WIRE_CORRUPT, /* another magic: "corrupted header" */
	WIRE_SHORT,   /* under 28 bytes */
};

/* Layout of the packets of one publisher. */
struct wire_layout {
	size_t packet_bytes;
	size_t process_bytes;
	unsigned sequence_width; /* 32, or 64 for partners like 22.06.10 */
	bool trailer;		 /* the packet has room for the trailer */
};

/* Whether the trailer fits after the processed bytes and after a 64-bit number (offset 32). */
bool wire_has_trailer(size_t packet_bytes, size_t process_bytes);

/* Fills in, once, all that stays the same from packet to packet. */
void wire_prepare(const struct wire_layout *layout, uint8_t *packet, uint16_t return_port);

/* Writes what changes: the number and its copies, the times, and the trailer if any. Hot. */
void wire_encode(const struct wire_layout *layout, uint8_t *packet, const struct wire_packet *head);

/*
 * Classifies a received datagram of @length bytes; the trailer is expected at its end. Fills @head
 * for all packets. Hot.
 */
enum wire_kind wire_decode(const uint8_t *data, size_t length, struct wire_packet *head);

/*
 * Checks the copies of the number: words 7 .. min(process_bytes, length)/4 - 1 (the original's
 * rule: it checks 8 bytes less than it writes). @head as decoded from the same data. Returns 0 when
 * all are right, else the index of the first wrong word, its value in *@found.
 */
size_t wire_check_content(const uint8_t *data, size_t length, size_t process_bytes,
			  const struct wire_packet *head, uint32_t *found);

enum wire_control_type {
	WIRE_TIME_REQUEST = 1, /* listener -> return port: I run this program; what is your time? */
	WIRE_TIME_REPLY = 2,   /* back to where the request came from */
	WIRE_END = 3,	       /* publisher -> listener: the run's last number */
	WIRE_END_ACK = 4,      /* listener -> return port: what arrived */
};

/* What a listener reports about a run that ended. */
struct wire_counts {
	/*
	 * Received, lost, duplicates, reordered, damaged, missed_before; and, or 0 if not stated,
	 * elapsed and the bytes of the packets after the first moment.
	 */
	struct np_flow_counts flow;
	uint64_t lost_host; /* dropped because its buffer was full: a lower bound; WIRE_UNKNOWN */
	bool lost_exact;    /* the others of those lost were lost before they reached it */
	struct np_drops_total host; /* what the reporting host dropped of it, by its kernel */
	/* One-way: p50, p99 and max to 11 bits, rounded up; count 0: unknown. */
	struct np_histogram_figures delay;
	np_time delay_bound; /* how well the clocks were compared */
};

/* How often END is repeated until it is acknowledged. */
#define WIRE_END_EVERY (50 * NP_MILLISECOND)

/*
 * Control datagrams of one type from one partner: how many it claims to have sent, how many
 * arrived.
 */
struct wire_copies {
	uint64_t sent, came;
};

static inline void wire_copies_count(struct wire_copies *copies, uint64_t sent)
{
	if (sent > copies->sent)
		copies->sent = sent;
	copies->came += sent > 0;
}

static inline uint64_t wire_copies_missing(const struct wire_copies *copies)
{
	return copies->sent > copies->came ? copies->sent - copies->came : 0;
}

/*
 * One control datagram of 128 bytes: 0 magic "npdt", 4 version 1, 5 type, 6 return port u16, 8 run
 * u32, 12 of END: 1, the TOS and the hops of packets sent, a byte each (in the first version zero),
 * 16 t1, 24 t2, 32 t3 (of END_ACK: ns elapsed, bytes, and delays p50, p99, max and their bound
 * as u16: 11 bits << 5 bits, ns; all zero in the first version), 40 last, 48 the first six counts
 * (with bit 63 of lost_host: lost_exact), 96 unsent, 104 copies, 112 the count before, 120 what the
 * sender's host dropped u32 (0: not known; else bit 31: exact, and one more than the packets), 124
 * check value u32 over all bytes before it. The other bytes are zero; in the first version so were
 * those from 96 to 123. A brief one, used for TIME only, has 48 bytes: the same up to t3 except for
 * copies, u32 at 12, and the check value at 44.
 */
struct wire_control {
	uint8_t type;
	struct np_marks marks; /* END */
	bool brief;	       /* TIME only: to a partner whose address is not proved yet */
	uint32_t run;
	uint16_t return_port; /* of the sender's listener */
	int64_t t1, t2,
		t3; /* TIME: as in NTP; @t1 is the requester's clock, @t2 and @t3 the replier's */
	uint64_t last;		   /* END, END_ACK: the last number sent */
	struct wire_counts counts; /* END_ACK */
	uint64_t unsent; /* END: how many of the numbers up to @last never left the sender */
	uint64_t copies; /* how many of this type were sent to this partner, including this one; 0:
			    not stated */
};

/* Returns how many bytes it has. */
size_t wire_control_encode(uint8_t data[WIRE_CONTROL_BYTES], const struct wire_control *control);

/* Returns 0, or -EPROTO if it is not a control datagram, or damaged. */
int wire_control_decode(const uint8_t *data, size_t length, struct wire_control *control);
