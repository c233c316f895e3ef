/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message: the messages between ttcp's ends, in one format for streams, datagrams and groups. Pure.
 * Integers are big-endian. Times are wall-clock ns since 1970: the monotonic clock plus a
 * difference that each end reads once when a session starts, so that no step of a wall clock
 * affects a run.
 *
 * Version 2 adds to START the rate in bit/s and to END what the sender used and dropped. A START_OK
 * says which version its sender reads: who is not known to read more gets version 1. All other
 * messages have version 1.
 *
 * Header: 0 magic 0x89 "TT", 3 version, 4 type, 5 flags, 6 stream u16, 8 session u32, 12 run u32,
 * 16 number u64, 24 time i64, 32 size u32, 36 check value u32. The size is that of the whole
 * message. The check value covers bytes 0..35 and, except in DATA, all bytes after 39. A DATA is
 * exactly as long as its START announced, including the header; after the header it has the fill of
 * classic ttcp: byte i of the message is 0x20 + i % 95.
 */
#pragma once

#include <netperf/netperf.h>

#define MESSAGE_VERSION	     1
#define MESSAGE_VERSION_LAST 2 /* of START, END and REVERSE */
#define MESSAGE_READS	     3 /* what START_OK says: 3: TRANSACT, too */
#define MESSAGE_HEADER_BYTES 40
#define MESSAGE_CONTROL_MAX  512 /* the most bytes of any message but DATA */
#define MESSAGE_DATA_MAX     (UINT32_C(1) << 26)
#define MESSAGE_SESSION_MAX  64 /* a session's name, including its end */
#define MESSAGE_STREAMS_MAX  64

/* How a sender repeats END: a few soon after each other, then more slowly. */
#define MESSAGE_END_FIRST_ONES 5
#define MESSAGE_END_SOON       (10 * NP_MILLISECOND)
#define MESSAGE_END_EVERY      (50 * NP_MILLISECOND)

enum message_type {
	MESSAGE_START = 1, /* sender: announces the run; repeated with the newest clock */
	MESSAGE_DATA = 2,  /* sender */
	MESSAGE_END = 3,   /* sender: number is how many there were; repeated over datagrams */
	MESSAGE_ACK = 4,   /* receiver: number and time copied from the DATA */
	/*
	 * Receiver: time copied from the START; over datagrams now and then from a DATA, to show
	 * that messages still arrive.
	 */
	MESSAGE_START_OK = 5,
	MESSAGE_REPORT = 6, /* receiver: what arrived, of all streams of the run; on stream 0 */
	/*
	 * Who wants to receive, on each connection that it has made: asks for a sender, which
	 * sends a START like this there. Refused by a START_OK. Of version 2.
	 */
	MESSAGE_REVERSE = 7,
	/*
	 * Sender, on each connection of a run that has started, and the receiver's answer: from
	 * then on it carries bare requests and responses, which begin with the fill's first byte,
	 * until the END; a receiver must have said that it reads 3. With MESSAGE_AGAIN number is a
	 * secret: who knows it may begin further connections with the same, and a request; they
	 * are closed after the response.
	 */
	MESSAGE_TRANSACT = 8,
};

enum {
	MESSAGE_ACK_WANTED = 1,
	/* END: one was sent before this one. TRANSACT: each has a connection of its own. */
	MESSAGE_AGAIN = 2,
	MESSAGE_MULTICAST = 4,
	MESSAGE_PING_PONG = 8, /* START: one message outstanding at a time */
	MESSAGE_NO_COPY = 16,  /* START: the receiver may discard the content of DATA unread */
	MESSAGE_PROBE = 32,    /* START: only asks whether somebody is there; starts nothing */
	/* DATA: not measured. The START before them has it, too; one after them begins the rest. */
	MESSAGE_WARM_UP = 64,
	MESSAGE_BOTH_WAYS = 128, /* REVERSE: its partner sends in the same session, too */
};

struct message_start {
	uint32_t message_bytes;
	uint64_t messages; /* of this stream; 0: unknown before END */
	uint32_t timeout_ms;
	/* Of all streams; 0: as fast as possible. In version 1 whole kbit/s, rounded up. */
	uint64_t rate_bits;
	uint16_t streams; /* 1..MESSAGE_STREAMS_MAX */
	uint32_t runs;	  /* 0: no limit */
	np_time duration; /* 0: none */
	/* The receiver's minus the sender's, as the sender estimates it; ->at is not sent. */
	struct np_offset clock;
	uint32_t proof;			   /* the challenge of the last START_OK; 0: none */
	char session[MESSAGE_SESSION_MAX]; /* printable ASCII, not empty */
};

enum message_verdict {
	MESSAGE_READY = 0,
	MESSAGE_BUSY = 1,      /* busy with another sender */
	MESSAGE_UNWILLING = 2, /* these options are not possible; the receiver itself reports why */
};

#define MESSAGE_BUSY_TEXT "is busy with another sender; try again, or raise --wait"

/* What START asks more of than the receiver allows, and the option that sets it there. */
enum message_limit { MESSAGE_LIMIT_NONE, MESSAGE_LIMIT_DURATION, MESSAGE_LIMIT_RATE };
extern const char *const message_limits[]; /* [MESSAGE_LIMIT_NONE]: NULL */

struct message_start_ok {
	uint8_t verdict;
	uint8_t reads;	    /* up to 2 the last version of START and END that it reads */
	uint8_t limit;	    /* why it is unwilling; 0: another reason, or an older receiver */
	uint8_t several;    /* 1: it serves several senders at the same time */
	uint32_t challenge; /* over datagrams: the number by which START and END prove the sender's
			       address */
	np_time start_received; /* by the receiver's clock */
	union {
		np_time replied;
		uint64_t most; /* with @limit: ns, or bits a second */
	};
};

/* What a host dropped of a run by its kernel's reasons, the most frequent ones first. */
#define MESSAGE_REASONS 4
struct message_reasons {
	unsigned count;
	uint64_t others;			      /* packets for other reasons */
	struct np_drops_entry entry[MESSAGE_REASONS]; /* places are not sent */
};

/* Of a process, during a run. */
struct message_cpu {
	bool known;	       /* not in version 1 of END */
	struct np_usage usage; /* of the other end only its times */
};

/* What an end used in a run, and what its host dropped of it. */
struct message_account {
	struct np_drops_total dropped;
	struct message_cpu cpu;
	struct message_reasons reasons;
};

struct message_end {
	struct np_offset clock; /* the last and best estimate */
	/* How many of the numbers so far never left, since this host refused them. */
	uint64_t unsent;
	uint32_t proof; /* like START's */
	bool last;	/* no run follows, whatever START announced */
	/*
	 * The sender's, of all streams: version 1 has only what was dropped, which is unknown if
	 * more than 32766.
	 */
	struct message_account account;
	struct np_marks marks; /* not in the first of version 2 */
};

struct message_ack {
	np_time received;   /* by the receiver's clock */
	uint32_t data_size; /* of the DATA */
};

enum message_drop_unit { MESSAGE_DROPS_UNKNOWN, MESSAGE_DROPS_PACKETS, MESSAGE_DROPS_BUFFERS };

enum message_status {
	MESSAGE_COMPLETE,   /* everything arrived */
	MESSAGE_SHORT,	    /* END arrived, some messages did not */
	MESSAGE_TIMED_OUT,  /* nothing arrived for the START's timeout */
	MESSAGE_INTERRUPTED /* the receiver was stopped */
};

struct message_report {
	uint8_t status;
	bool exact; /* the counts are exact; false: the end is unknown */
	uint8_t drop_unit;
	/*
	 * Arrivals are by the receiver's clock, strays among the damaged; it does not say what was
	 * sent.
	 */
	struct np_flow_counts counts;
	struct np_loss_drops drops; /* by a full receive buffer, in drop_unit; bounds are sent */
	struct np_histogram_figures delays; /* raw: received - sent, by two clocks */
	struct np_offset clock;		    /* as the receiver was last told */
	struct message_account account;	    /* the receiver's */
};

struct message_transact {
	uint32_t request_bytes, response_bytes; /* 1..MESSAGE_DATA_MAX */
};

struct message {
	uint8_t version; /* of START and END; 0: 1 */
	uint8_t type;
	uint8_t flags;
	uint16_t stream;  /* 0.. */
	uint32_t session; /* random, for the sender's process */
	uint32_t run;	  /* 1.. */
	uint64_t number;  /* DATA: 0..; END: how many; START: as announced */
	np_time time;	  /* when it was sent; in ACK and START_OK: copied */
	uint32_t size;	  /* of the whole message; encoders of control messages set it */
	union {		  /* by type; unused for DATA */
		struct message_start start; /* and of REVERSE */
		struct message_start_ok start_ok;
		struct message_end end;
		struct message_ack ack;
		struct message_report report;
		struct message_transact transact;
	};
};

/*
 * How long a run that @start announces may be silent, in ms: 20 s, plus the time of two messages at
 * its rate.
 */
#define MESSAGE_SILENCE_MS 20000
uint32_t message_silence_ms(const struct message_start *start);

/* Fills @count bytes as classic ttcp does, from offset 0 of a message on. */
void message_fill(uint8_t *data, size_t count);

/*
 * Writes the 40 bytes of a DATA's header over a message that is already filled. Sets type, size and
 * check value itself; does not read the union. Hot.
 */
void message_encode_data(uint8_t *data, const struct message *message, uint32_t size);

/* The first bytes of each DATA, by which it is told from other messages. */
#define MESSAGE_MARK_BYTES 5

/*
 * Writes a control message (any but DATA) to @data of MESSAGE_CONTROL_MAX bytes. Returns its size.
 * Values are not checked: message_decode refuses impossible ones.
 */
size_t message_encode(uint8_t data[MESSAGE_CONTROL_MAX], const struct message *message);

/*
 * The total size of the message that starts at @data, of which @length bytes are present. Returns
 * it, 0 when fewer than 40 bytes are present, or -EPROTO, -EPROTONOSUPPORT or -EBADMSG as
 * message_decode does. Only for DATA this verifies the header's check value.
 */
int64_t message_size(const uint8_t *data, size_t length);

/* Whether it looks like what a receiver sends to a sender, and not the other way. */
bool message_is_answer(const uint8_t *data, size_t length);

/*
 * Decodes a message of exactly @length bytes; a DATA's fill is not checked. Returns 0, -EPROTO (not
 * ttcp's), -EPROTONOSUPPORT (another version), or -EBADMSG (ours, but damaged, or with impossible
 * values; then of @message only the session is set, as it stands there). Hot for DATA.
 */
int message_decode(const uint8_t *data, size_t length, struct message *message);

/*
 * Decodes the message that starts at @data, of which @length bytes are present, for streams.
 * Returns its total size; 0 when more is needed (of DATA the header, of another message
 * everything); or -errno as message_decode does. Hot for DATA.
 */
int64_t message_next(const uint8_t *data, size_t length, struct message *message);

/*
 * Writes after @what, a refusal, why @ok says so: "refuses this run: its --max-duration is 10 s";
 * @bytes: rates are in bytes. Returns @out, "" if it does not say why.
 */
#define MESSAGE_LIMIT_TEXT 96
char *message_limit_text(const struct message_start_ok *ok, const char *what, bool bytes,
			 char out[MESSAGE_LIMIT_TEXT]);

/*
 * Whether the fill after the header is as it was sent; @pattern: from message_fill, at least
 * @length bytes. For datagrams: TCP protects its bytes itself.
 */
bool message_fill_good(const uint8_t *data, size_t length, const uint8_t *pattern);

/*
 * Classic ttcp: UDP datagrams of up to 4 bytes mark the start and the end, longer ones are data; a
 * sender's markers have the first bytes of the fill, and data at least 5 bytes. One marker precedes
 * the data and 5 follow it.
 */
#define MESSAGE_CLASSIC_MARKER	    4
#define MESSAGE_CLASSIC_BYTES_MIN   5
#define MESSAGE_CLASSIC_END_MARKERS 5

/* Whether a stream (judged by its first bytes, up to 4) can be ttcp's own; else it is raw. */
bool message_is_ours(const uint8_t *data, size_t length);

/* Random; new for each receiver. */
struct message_secret {
	uint64_t word[2];
};

/*
 * Whether a sender of datagrams is at the address that it claims: a receiver gives each a number
 * that only a host which receives there can return; it stores none of them. The number for the
 * sender of @session at @from, whatever its port; never 0.
 */
uint32_t message_proof(const struct message_secret *secret, const struct np_address *from,
		       uint32_t session);
