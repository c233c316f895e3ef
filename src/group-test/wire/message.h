/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * message: the native protocol's messages, both ways. Pure. All integers are big-endian.
 *
 * Every message begins with 28 bytes: 0 MESSAGE_MAGIC, 1 type (0x40 + enum message_type), 2 zero, 3
 * run (u8, counts --repeat from 0), 4 number u64, 12 zero u16, 14 version u16, 16 time i64 (ns,
 * sender's CLOCK_MONOTONIC when it was written), 24 tag u32. A member of JGroups 3.0 reads this as
 * a message of unknown type without payload, result and results (the zeros at 2, 12 and 13; spec
 * 5.1), logs a line and ignores it; its own messages begin with 0 to 5.
 *
 * HELLO introduces a member; it is sent every 250 ms while the member joins, and to answer a
 * newcomer. STATE is the heartbeat, sent every 500 ms and at each change of phase; START, DONE and
 * LEAVE are STATEs of a later phase, so that the next one makes up for a lost one.
 *
 * The sender of a HELLO is not known yet: a PROOF with a random number goes to the address that it
 * came from, and the instance that returns the number is the one at that address. If the address
 * belongs to a member already, that member is asked, too: if it answers, it stays.
 *
 * The group consists of the num_members oldest (by begun, then instance) of those heard. A member
 * that has heard them all, and no other for 300 ms, is READY with their tag, and does not change
 * its mind; one that sees all of them READY or later with its own tag is RUNNING. Others are
 * refused, with the reason. A member that does not get there in time leaves and reports who was
 * missing. Without a tag no DATA is sent.
 *
 * The end of a run: a sender repeats PHASE_SENT with its count. A member that has all messages of
 * every live sender, or received nothing new for the settle time, freezes its counts, and sends
 * RESULTS at once, every 500 ms, and to members whose STATE shows that they still wait. All leave,
 * or go on to the next run, when they have the RESULTS of all live members, or after the report
 * time; a leaving member stays until all leave, or for the linger time after the last message of
 * one that does not. An interrupted member sends the RESULTS it has, and leaves.
 *
 * DROPS precedes each RESULTS of a member whose kernel tells what it drops. A table is frozen, this
 * is not: what waits in the sender's queues may be dropped yet, and a later DROPS replaces the
 * earlier. Members of an older version count it as a bad message.
 *
 * A time of warm-up (SETTING_WARMUP_TIME) is run 0: like any other, but all that is sent in it is
 * WARMUP, so that the senders' counts are 0. The measured runs follow from 1 on.
 *
 * Credit: a receiver may be sent messages up to the number in its last GRANT: the highest number
 * that it has received, or that a PROBE named (a PROBE follows the data, so what is missing below
 * is lost), plus its window. It sends a new GRANT for every quarter of the window. A sender that
 * has waited 20 ms for credit sends a PROBE, and further ones after ever longer times, up to half a
 * second; a receiver that grants nothing for the grant time is given up.
 */
#pragma once

#include "result.h"

#define MESSAGE_MAGIC	     0xe7
#define MESSAGE_VERSION	     1
#define MESSAGE_HEADER_BYTES 28

/* The longest control message: RESULTS with a row for each of MESSAGE_ROWS_MAX senders. */
#define MESSAGE_CONTROL_MAX 60000
#define MESSAGE_ROWS_MAX    256

enum message_type {
	MESSAGE_HELLO = 1,
	MESSAGE_STATE,
	MESSAGE_DATA,
	MESSAGE_WARMUP,
	MESSAGE_RESULTS,
	MESSAGE_GRANT,	/* receiver to one sender: how far it may send */
	MESSAGE_PROBE,	/* sender to all: I have no credit, grant me more; carries how far it has
			   sent */
	MESSAGE_CLOCK,	/* asks a sender for its clock; and the answer */
	MESSAGE_REFUSE, /* to a member that is too many, too late, or has other settings */
	MESSAGE_PROOF,	/* asks who is at an address; and the answer */
	MESSAGE_DROPS,	/* what a member's host dropped of the run's DATA */
};

/* What a received message can be. */
enum message_kind {
	MESSAGE_NATIVE,	 /* the header is valid; the body is not decoded yet */
	MESSAGE_JGROUPS, /* from a JGroups 3.0 perf.Test: lead byte 0 to 5 */
	MESSAGE_OTHER,	 /* another version of this protocol */
	MESSAGE_BAD,	 /* neither */
};

struct message_head {
	enum message_type type;
	uint8_t run;
	/*
	 * WARMUP, DATA: sequence number, from 1 on in each run, warm-up first; GRANT: the highest
	 * number that may be sent; PROBE: the highest that was; HELLO, STATE, RESULTS, CLOCK,
	 * REFUSE, PROOF, DROPS: instance, the random number that a member drew when it started.
	 */
	uint64_t number;
	np_time time;
	uint32_t tag; /* of the group (message_group_tag); 0 before there is one */
};

/* Hot: writes the 28 bytes. */
void message_head_encode(uint8_t *out, const struct message_head *head);

/* Hot. Fills @head for MESSAGE_NATIVE. @bytes may be 0. */
enum message_kind message_head_decode(const uint8_t *data, size_t bytes, struct message_head *head);

/*
 * What must be the same at every member, in this order in messages; message_settings has the
 * names.
 */
enum message_setting {
	SETTING_NUM_MSGS,
	SETTING_MSG_SIZE,
	SETTING_NUM_MEMBERS,
	SETTING_NUM_SENDERS,
	SETTING_DURATION, /* ns */
	SETTING_REPEAT,
	SETTING_WARMUP, /* messages, or SETTING_WARMUP_TIME + ns */
	SETTING_CREDIT, /* flow control: 1 credit, 0 none */
	SETTINGS,
};

#define SETTING_WARMUP_TIME (UINT64_C(1) << 63)

/* The key or option as the user writes it: "num_msgs", "--duration". */
extern const char *const message_settings[SETTINGS];

struct message_hello {
	bool sender;
	uint8_t paced;	  /* how many of its lanes pause after each message */
	uint8_t host[16]; /* the kernel's boot id: equal for all who share a clock */
	np_time begun;	  /* CLOCK_REALTIME when it started: the oldest are chosen */
	uint64_t setting[SETTINGS];
};

/* How far a member has got; later phases include the earlier ones. */
enum message_phase {
	PHASE_JOINING,
	PHASE_READY,   /* has heard all members; head->tag is their group: START */
	PHASE_RUNNING, /* knows that all are ready */
	PHASE_SENT,    /* a sender has sent its last message: DONE, with the count */
	PHASE_COUNTED, /* has frozen its counts of this run; RESULTS follow */
	PHASE_LEAVING, /* is leaving */
};

struct message_state {
	enum message_phase phase;
	bool interrupted; /* by its user */
	uint64_t sent;	  /* DATA in this run so far */
	uint16_t members; /* members that it has heard */
	uint16_t unready; /* of those, how many it waits for in this phase */
	uint64_t moves;	  /* rises while anything of this run still arrives there */
};

/*
 * What a member has counted, a row for each sender, as decoded; what is encoded may be a struct
 * result_member alone. RESULTS: host, and of the rows all but drops and local, which DROPS has,
 * beside the total of sent_drops.
 */
struct message_table {
	struct result_member member;
	struct result_row row[MESSAGE_ROWS_MAX]; /* where @member has its rows */
};

/* The length of a RESULTS, and the longest DROPS. */
#define MESSAGE_RESULTS_BYTES(rows) (MESSAGE_HEADER_BYTES + 34 + (size_t)(rows)*171)
#define MESSAGE_DROPS_MAX	    (MESSAGE_HEADER_BYTES + 10 + MESSAGE_ROWS_MAX * 27)

struct message_clock {
	struct identity to; /* the addressee */
	bool answer;
	np_time t1, t2, t3; /* as in NTP: asked, arrived, answered */
};

enum message_refusal {
	REFUSAL_FULL = 1, /* one member too many */
	REFUSAL_LATE,	  /* the run has begun */
	REFUSAL_SETTINGS, /* @setting differs; the sender's is @value */
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
	struct identity to; /* the addressee */
	bool answer;
	uint64_t cookie; /* random; the answer repeats the question's */
};

/*
 * The body after the head is, by @type, a struct message_hello, _state, _clock, _refuse, _proof, or
 * _table of RESULTS and DROPS; GRANT and PROBE have none (NULL). Encodes head and body and returns
 * the length, at most MESSAGE_CONTROL_MAX, for which @out must have room; sets @head->type. Decodes
 * the body and returns 0, or -EPROTO for what is too short, too long or out of range; enums, counts
 * and booleans are checked, numbers are returned as received.
 */
size_t message_encode(uint8_t *out, struct message_head *head, enum message_type type,
		      const void *body);
int message_decode(const uint8_t *data, size_t bytes, enum message_type type, void *body);

/* A member as it enters the tag. */
struct message_instance {
	struct identity who;
	uint64_t instance;
};

/*
 * The tag of a group: equal for all who know the same members, in whatever order; never 0. Sorts
 * @members.
 */
uint32_t message_group_tag(struct message_instance *members, size_t count);
