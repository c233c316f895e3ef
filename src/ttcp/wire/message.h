/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message: what ttcp's ends say to each other, one format for streams, datagrams and groups.
 * Pure. Integers are big-endian. Times are wall-clock ns since 1970: the monotonic clock plus a
 * difference that each end reads once when a session begins, so that no step of a wall clock
 * touches a run.
 *
 * Header: 0 magic 0x89 "TT", 3 version, 4 type, 5 flags, 6 stream u16, 8 session u32, 12 run u32,
 * 16 number u64, 24 time i64, 32 size u32, 36 check value u32. The size is that of the whole
 * message. The check value covers bytes 0..35 and, but for DATA, all behind 39. A DATA is exactly
 * as long as its START said, header included; behind the header it has the fill of classic ttcp:
 * byte i of the message is 0x20 + i % 95.
 */
#ifndef TTCP_WIRE_MESSAGE_H
#define TTCP_WIRE_MESSAGE_H

#include <netperf/clock.h>
#include <netperf/histogram.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_VERSION	     1
#define MESSAGE_HEADER_BYTES 40
#define MESSAGE_CONTROL_MAX  512 /* bytes of any message but DATA, at most */
#define MESSAGE_DATA_MAX     (UINT32_C(1) << 26)
#define MESSAGE_SESSION_MAX  64 /* a session's name, with its end */
#define MESSAGE_STREAMS_MAX  64

enum message_type {
	MESSAGE_START = 1, /* sender: what will come; repeated with the newest clock */
	MESSAGE_DATA = 2,  /* sender */
	MESSAGE_END = 3,   /* sender: number is how many there were; repeated over datagrams */
	MESSAGE_ACK = 4,   /* receiver: number and time copied from the DATA */
	/* Receiver: time copied from the START; over datagrams now and then from a DATA, as a sign
	   that messages still come. */
	MESSAGE_START_OK = 5,
	MESSAGE_REPORT = 6, /* receiver: what arrived, of all streams of the run; on stream 0 */
};

enum {
	MESSAGE_ACK_WANTED = 1,
	MESSAGE_AGAIN = 2, /* END: one was sent before this one */
	MESSAGE_MULTICAST = 4,
	MESSAGE_PING_PONG = 8, /* START: one message outstanding at a time */
	MESSAGE_NO_COPY = 16,  /* START: the receiver may drop what DATA carries unread */
	MESSAGE_PROBE = 32,    /* START: only asks whether somebody is there; nothing begins */
};

/* The receiver's clock against the sender's, as the sender estimates it. */
struct message_clock {
	bool known;
	int64_t offset; /* receiver's minus sender's */
	np_time bound;	/* at most so wrong; the offset is within it, either side */
};

struct message_start {
	uint32_t message_bytes;
	uint64_t messages; /* of this stream; 0: not known before END */
	uint32_t timeout_ms;
	uint32_t rate_kbps; /* of all streams; 0: greedy; UINT32_MAX: that and more */
	uint16_t streams;   /* 1..MESSAGE_STREAMS_MAX */
	uint32_t runs;	    /* 0: for ever */
	np_time duration;   /* 0: none */
	struct message_clock clock;
	uint32_t proof;			   /* the challenge of the START_OK before, 0: none */
	char session[MESSAGE_SESSION_MAX]; /* printable ASCII, not empty */
};

enum message_verdict {
	MESSAGE_READY = 0,
	MESSAGE_BUSY = 1,      /* with another sender */
	MESSAGE_UNWILLING = 2, /* these options cannot be served; the receiver says why itself */
};

struct message_start_ok {
	uint8_t verdict;
	uint32_t challenge; /* over datagrams: what START and END are to prove themselves by */
	np_time start_received, replied; /* by the receiver's clock */
};

struct message_end {
	struct message_clock clock; /* the last and best estimate */
	/* Of the messages numbered so far: never left, since this host refused them. */
	uint64_t unsent;
	uint32_t proof; /* as START's */
	bool last;	/* no run follows, whatever START said */
};

struct message_ack {
	np_time received;   /* by the receiver's clock */
	uint32_t data_size; /* of the DATA */
};

enum message_drop_unit { MESSAGE_DROPS_UNKNOWN, MESSAGE_DROPS_PACKETS, MESSAGE_DROPS_BUFFERS };

enum message_status {
	MESSAGE_COMPLETE,   /* all there was to come came */
	MESSAGE_SHORT,	    /* END came, some messages did not */
	MESSAGE_TIMED_OUT,  /* nothing came for the START's timeout */
	MESSAGE_INTERRUPTED /* the receiver was stopped */
};

struct message_report {
	uint8_t status;
	bool exact; /* counts are what happened; false: the end is not known */
	uint8_t drop_unit;
	uint64_t received; /* different ones */
	uint64_t lost, duplicates, reordered, late, damaged;
	/* In drop_unit: the receiver's buffer was full, at least and at most so often. */
	uint64_t host_drops, host_drops_most;
	/* It came in mid-run: lost, or sent before; not in lost. 0 of versions that do not tell. */
	uint64_t missed_before;
	uint64_t bytes;	     /* of the different ones */
	uint64_t head_bytes; /* of them, at @first; of versions that do not tell: a message's */
	np_time first, last; /* arrivals; by the receiver's clock */
	struct np_histogram_figures delays; /* raw: received - sent, by two clocks */
	struct message_clock clock;	    /* what the receiver was told at last */
};

struct message {
	uint8_t type;
	uint8_t flags;
	uint16_t stream;  /* 0.. */
	uint32_t session; /* random, of the sender's process */
	uint32_t run;	  /* 1.. */
	uint64_t number;  /* DATA: 0..; END: how many; START: announced */
	np_time time;	  /* when it was sent, but ACK and START_OK: copied */
	uint32_t size; /* of the whole message; encoders of control messages find it themselves */
	union {	       /* by type; nothing for DATA */
		struct message_start start;
		struct message_start_ok start_ok;
		struct message_end end;
		struct message_ack ack;
		struct message_report report;
	};
};

/*
 * How long nothing may come of a run as @start says it is, ms: 20 s, and two messages' time at its
 * rate.
 */
#define MESSAGE_SILENCE_MS 20000
uint32_t message_silence_ms(const struct message_start *start);

/* Fills @count bytes as classic ttcp does, from offset 0 of a message on. */
void message_fill(uint8_t *data, size_t count);

/*
 * Writes the 40 bytes of a DATA's header over a message that is filled already: type, size and
 * check value are set here, the union is not read. Hot.
 */
void message_encode_data(uint8_t *data, const struct message *message, uint32_t size);

/*
 * Writes a control message (any but DATA) into @data of MESSAGE_CONTROL_MAX bytes. Returns its
 * size. Values are written as they are: message_decode refuses those that cannot be.
 */
size_t message_encode(uint8_t data[MESSAGE_CONTROL_MAX], const struct message *message);

/*
 * The whole size of the message that begins at @data, of which @length bytes are there. Returns it,
 * 0 when fewer than 40 bytes are there, -EPROTO, -EPROTONOSUPPORT or -EBADMSG as message_decode.
 * The header's check value is known to be right then only for DATA.
 */
int64_t message_size(const uint8_t *data, size_t length);

/*
 * Reads a message of exactly @length bytes; a DATA's fill is not looked at. Returns 0, -EPROTO (not
 * ttcp's), -EPROTONOSUPPORT (another version), or -EBADMSG (ours, but damaged, or its values cannot
 * be; then @message is not to be used). Hot for DATA.
 */
int message_decode(const uint8_t *data, size_t length, struct message *message);

/*
 * Reads the message that begins at @data, of which @length bytes are there: for streams. Returns
 * its whole size; 0 when more of it is needed, of a DATA the header, of another all; or -errno as
 * message_decode. Hot for DATA.
 */
int64_t message_next(const uint8_t *data, size_t length, struct message *message);

/*
 * Whether the fill behind the header is as it was sent; @pattern: from message_fill, at least
 * @length bytes. For datagrams: TCP guards its bytes itself.
 */
bool message_fill_good(const uint8_t *data, size_t length, const uint8_t *pattern);

/*
 * Classic ttcp: UDP datagrams of 4 bytes and fewer mark the begin and the end, longer ones are
 * data; a sender's has the first bytes of the fill and data of at least 5 bytes. One marker comes
 * before the data and 5 behind it.
 */
#define MESSAGE_CLASSIC_MARKER	    4
#define MESSAGE_CLASSIC_BYTES_MIN   5
#define MESSAGE_CLASSIC_END_MARKERS 5

static inline bool message_classic_marker(size_t length)
{
	return length <= MESSAGE_CLASSIC_MARKER;
}

/* Whether a stream (its first bytes, up to 4 are looked at) can be ttcp's own; else it is raw. */
bool message_is_ours(const uint8_t *data, size_t length);

#endif
