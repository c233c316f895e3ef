/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message: the native protocol's messages, both ways. Pure. All integers are big-endian.
 *
 * Every message begins with 28 bytes: 0 MESSAGE_MAGIC, 1 type (0x40 + enum message_type), 2 zero,
 * 3 run (u8, counts --repeat from 0), 4 number u64, 12 zero u16, 14 version u16, 16 time i64 (ns,
 * sender's CLOCK_MONOTONIC when it was written), 24 tag u32. A member of JGroups 3.0 reads this as
 * a message of unknown type without payload, result and results (the zeros at 2, 12 and 13; spec
 * 5.1), logs a line and forgets it; its own begin with 0 to 5.
 *
 * HELLO is a member's card, sent every 250 ms while it joins and to answer a newcomer. STATE is its
 * heartbeat, every 500 ms and at each change of phase; START, DONE and LEAVE are STATEs of a later
 * phase, so that a lost one is made good by the next. DATA and WARMUP are this header and msg_size
 * bytes of payload.
 *
 * Who says HELLO is nobody yet: a PROOF with a random number goes to the address that it comes
 * from, and the instance that sends the number back is the one that is there. One that comes to an
 * address which is taken waits whether the former instance answers, too: then that one stays.
 *
 * The group: the num_members oldest (begun, then instance) of those heard. Who has them all, and
 * heard of no other for 300 ms, is READY with their tag and stands by it; who sees all of them
 * READY or later with his own tag is RUNNING. Others are refused by name. Who does not get there in
 * time leaves and says who was missing; no tag, no DATA.
 *
 * The end of a run: a sender repeats PHASE_SENT with its count. Who has all of it, or nothing new
 * since the settle time, from every sender that is alive, freezes its counts, and sends RESULTS
 * now, every 500 ms, and to who says by its STATE that it still waits. All leave, or go on to the
 * next run, when they have all RESULTS of those that are alive, or after the report time; who
 * leaves stays until all do, or the linger time after the last word of one that does not. Who is
 * interrupted sends the RESULTS it has, and leaves.
 *
 * Credit: a receiver may be sent up to the number in its last GRANT: the highest number it has
 * taken, or that a PROBE named (which came behind the data, so what is missing below is lost), and
 * its window. It grants anew for every quarter of the window. A sender without credit probes every
 * 20 ms; who grants nothing for the grant time is given up.
 */
#ifndef GROUP_TEST_WIRE_MESSAGE_H
#define GROUP_TEST_WIRE_MESSAGE_H

#include "identity.h"
#include "result.h"

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MESSAGE_MAGIC	     0xe7
#define MESSAGE_VERSION	     1
#define MESSAGE_HEADER_BYTES 28

/* Longest control message: RESULTS with a row for each of MESSAGE_ROWS_MAX senders. */
#define MESSAGE_CONTROL_MAX 60000
#define MESSAGE_ROWS_MAX    256

enum message_type {
	MESSAGE_HELLO = 1,
	MESSAGE_STATE,
	MESSAGE_DATA,
	MESSAGE_WARMUP,
	MESSAGE_RESULTS,
	MESSAGE_GRANT, /* receiver to one sender: how far it may send */
	MESSAGE_PROBE, /* sender to all: I am held up, grant me more; carries how far it has sent */
	MESSAGE_CLOCK, /* asks a sender for its clock, and the answer */
	MESSAGE_REFUSE, /* to one who is too many, too late, or of another configuration */
	MESSAGE_PROOF,	/* asks who is at an address, and the answer */
};

/* What a received message is. */
enum message_kind {
	MESSAGE_NATIVE,	 /* the header is sound; the body is yet to be decoded */
	MESSAGE_JGROUPS, /* a JGroups 3.0 perf.Test is here: lead byte 0 to 5 */
	MESSAGE_OTHER,	 /* another version of ours: head->version says which */
	MESSAGE_BAD,	 /* neither */
};

struct message_head {
	enum message_type type;
	uint8_t run;
	uint16_t version;
	/*
	 * WARMUP, DATA: sequence number, from 1 on in each run, the warm-up's first; GRANT: the
	 * highest number that may be sent; PROBE: the highest that was; HELLO, STATE, RESULTS,
	 * CLOCK, REFUSE, PROOF: instance, the random number that a member drew when it began.
	 */
	uint64_t number;
	np_time time;
	uint32_t tag; /* of the group (message_group_tag), 0 while there is none */
};

/* Hot: writes the 28 bytes. */
void message_head_encode(uint8_t *out, const struct message_head *head);

/* Hot. @head is filled for MESSAGE_NATIVE and MESSAGE_OTHER. @bytes may be 0. */
enum message_kind message_head_decode(const uint8_t *data, size_t bytes, struct message_head *head);

/* What must be the same everywhere, in this order on the wire; names for text by message_key. */
enum message_setting {
	SETTING_NUM_MSGS,
	SETTING_MSG_SIZE,
	SETTING_NUM_MEMBERS,
	SETTING_NUM_SENDERS,
	SETTING_DURATION, /* ns */
	SETTING_REPEAT,
	SETTING_WARMUP,
	SETTING_CREDIT, /* flow control: 1 credit, 0 none */
	SETTINGS,
};

/* The key or option as the user writes it: "num_msgs", "--duration". */
const char *message_setting_name(enum message_setting setting);

struct message_hello {
	bool sender;
	uint8_t paced;	  /* how many of its lanes pause behind each message */
	uint8_t host[16]; /* the kernel's boot id: one clock for all who share it */
	np_time begun;	  /* CLOCK_REALTIME when it began: the oldest have the right of way */
	uint64_t setting[SETTINGS];
};

/* How far a member is; later ones include the earlier. */
enum message_phase {
	PHASE_JOINING,
	PHASE_READY,   /* has all members, head->tag is their group: START */
	PHASE_RUNNING, /* knows all to be ready */
	PHASE_SENT,    /* a sender has sent its last: DONE, with how many */
	PHASE_COUNTED, /* has frozen its counts of this run, RESULTS follow */
	PHASE_LEAVING, /* has what it wants and goes */
};

struct message_state {
	enum message_phase phase;
	bool interrupted; /* by its user */
	uint64_t sent;	  /* DATA in this run so far */
	uint16_t members; /* that it has found */
	uint16_t unready; /* of those, how many it waits for in this phase */
	uint64_t moves;	  /* rises while anything of this run still comes to it */
};

/* A frozen table: a row for each sender. */
struct message_results {
	uint16_t count;
	struct result_row row[MESSAGE_ROWS_MAX];
	struct result_host host; /* what the run took of the reporting member's machine */
};

struct message_clock {
	struct identity to; /* whom it is for */
	bool answer;
	np_time t1, t2, t3; /* as in NTP: asked, arrived, answered */
};

enum message_refusal {
	REFUSAL_FULL = 1, /* one member too many */
	REFUSAL_LATE,	  /* the run has begun */
	REFUSAL_SETTINGS, /* @setting differs, ours is @value */
	REFUSAL_SENDERS,  /* more senders than num_senders */
	REFUSAL_IDENTITY, /* two members with one identity */
	REFUSAL_DEAD,	  /* it was silent too long and has been given up */
};

struct message_refuse {
	struct identity to;
	enum message_refusal why;
	uint16_t setting; /* enum message_setting */
	uint64_t value;	  /* REFUSAL_IDENTITY, REFUSAL_DEAD: of the instance that is refused */
};

struct message_proof {
	struct identity to; /* whom it is for */
	bool answer;
	uint64_t cookie; /* random; the answer's is the question's */
};

/*
 * Bodies behind the head. Encoders write head and body and return the length, at most @room, which
 * must be MESSAGE_CONTROL_MAX; @head->type is set by them. Decoders return 0, or -EPROTO for what
 * is too short, too long or out of range; enums, counts and booleans are checked, numbers are as
 * they came. GRANT and PROBE have no body.
 */
size_t message_hello_encode(uint8_t *out, struct message_head *head, const struct message_hello *m);
int message_hello_decode(const uint8_t *data, size_t bytes, struct message_hello *m);
size_t message_state_encode(uint8_t *out, struct message_head *head, const struct message_state *m);
int message_state_decode(const uint8_t *data, size_t bytes, struct message_state *m);
size_t message_results_bytes(unsigned rows);
size_t message_results_encode(uint8_t *out, struct message_head *head,
			      const struct message_results *m);
int message_results_decode(const uint8_t *data, size_t bytes, struct message_results *m);
size_t message_clock_encode(uint8_t *out, struct message_head *head, const struct message_clock *m);
int message_clock_decode(const uint8_t *data, size_t bytes, struct message_clock *m);
size_t message_refuse_encode(uint8_t *out, struct message_head *head,
			     const struct message_refuse *m);
int message_refuse_decode(const uint8_t *data, size_t bytes, struct message_refuse *m);
size_t message_proof_encode(uint8_t *out, struct message_head *head, const struct message_proof *m);
int message_proof_decode(const uint8_t *data, size_t bytes, struct message_proof *m);

/* True when a group with such settings could run. */
bool message_hello_is_possible(const struct message_hello *m);

/* A member as the tag sees it. */
struct message_instance {
	struct identity who;
	uint64_t instance;
};

/*
 * The tag of a group: the same for all who know the same members, whatever order they came in;
 * never 0. Sorts @members.
 */
uint32_t message_group_tag(struct message_instance *members, size_t count);

#endif
