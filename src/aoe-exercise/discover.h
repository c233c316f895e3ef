/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * discover: the way to the targets, and what a run must know of them.
 *
 * The channel is the link to them, with what is sent and received copied to the capture file, and
 * the tags by which an answer is known. Runs that share an interface share its MAC address, so that
 * a target's answers to one reach all of them; each run therefore has tags of its own.
 *
 * Targets are found by broadcast questions; each MAC address that answers is one.
 */
#pragma once

#include "options.h"

/*
 * A tag from its highest bit: 1 for programs (0: the kernel's driver), seven for the run, one for
 * questions that are no requests, and 23 that count.
 */
#define TAGS_RUN      0xff000000u
#define TAGS_QUESTION 0x00800000u
#define TAGS_NUMBER   0x007fffffu

/* How many runs can be told apart. */
#define TAGS_RUNS 128

struct tags {
	uint32_t run; /* NP_AOE_TAG_USER and the run's bits */
	int claim;    /* a socket whose name is the run's; -1: none */
};

/*
 * Takes a run's number that no other run of this network namespace has; if all are taken, one of
 * theirs after a warning.
 */
void tags_claim(struct tags *tags, const struct np_log *log);
void tags_release(struct tags *tags);

/* The tag that is @number after @tag, of the same kind and run. */
static inline uint32_t tags_after(uint32_t tag, uint32_t number)
{
	return (tag & ~TAGS_NUMBER) | ((tag + number) & TAGS_NUMBER);
}

/* How far @tag is after @first; UINT32_MAX: of another kind or run. */
static inline uint32_t tags_distance(uint32_t tag, uint32_t first)
{
	return (tag ^ first) & ~TAGS_NUMBER ? UINT32_MAX : (tag - first) & TAGS_NUMBER;
}

/* A random tag for requests. Without entropy the first one: then answers to an earlier run may be
 * counted as ours.
 */
uint32_t tags_random(const struct tags *tags);

/* A random tag for questions, which 4096 others can follow. */
uint32_t tags_question(const struct tags *tags);

/*
 * The first tag of an examination's round @number, for TAGS_ROUND questions. No two of 128 rounds
 * share one, and none shares one with tags_question.
 */
#define TAGS_ROUND 0x8000u
uint32_t tags_round(const struct tags *tags, uint32_t number);

/* Most frames in one batch. */
#define CHANNEL_BATCH 64

struct channel {
	struct np_link *link;
	struct np_capture *capture; /* NULL: none */
	struct np_signals *signals; /* wakes channel_wait; lent, set once they are open */
	struct tags tags;	    /* of this run */
	unsigned pending;	    /* NP_SIGNALS_ bits that were raised so far */
	uint64_t sent;		    /* frames that this host has accepted so far */
};

/* Targets that --list finds, at most. */
#define LIST_TARGETS_MAX 4096

/*
 * Opens link and capture. Returns 0, or the exit status after a message. Needs
 * CAP_NET_RAW; nothing privileged is opened later.
 */
int channel_open(struct channel *channel, const struct options *options, const struct np_log *log);

/*
 * Closes all. The first frame written replaces the old content of the capture file; @begun: a run
 * that began replaces it in any case. Returns 0 or -errno of a failed write to it.
 */
int channel_close(struct channel *channel, bool begun);

/* Like np_link_send and np_link_receive. */
int channel_send(struct channel *channel, struct np_frame *frames, unsigned count);
int channel_receive(struct channel *channel, struct np_frame *frames, unsigned count);

/* Like np_link_wait; also returns 0 when a signal came, which @pending then shows. */
int channel_wait(struct channel *channel, np_time deadline);

/* Reads signals; returns true when one asks to stop. */
bool channel_stopped(struct channel *channel);

/* What to do with an answer. Returns 0 to go on listening, 1 to end, or -errno. */
typedef int ask_take(void *owner, const struct np_aoe_header *header, const struct np_frame *frame);

/*
 * Sends a question under @header: the command @ata, or, if that is NULL, one for the configuration.
 * Returns 0 or -errno.
 */
int ask_send(struct channel *channel, const struct np_aoe_header *header,
	     const struct np_aoe_ata *ata);

/*
 * Hands each answer (flag R) to @take until that returns other than 0 or *@deadline, which @take
 * may move, has passed. Returns take's result, 0 at the deadline, -EINTR when a signal asks to
 * stop, or -errno.
 */
int ask_listen(struct channel *channel, ask_take *take, void *owner, const np_time *deadline);

/* Who answers for a target in its place. */
struct other_host {
	uint64_t answers;
	uint8_t mac[6]; /* of the first one */
};

/* Counts an answer whose @source is not @mac; true when it is not. */
static inline bool other_host_answers(struct other_host *other, const uint8_t source[6],
				      const uint8_t mac[6])
{
	if (!memcmp(source, mac, 6))
		return false;
	if (!other->answers++)
		memcpy(other->mac, source, 6);
	return true;
}

/* Room for "e65535.255", for a MAC address, and for target_describe. */
#define TARGET_NAME_BYTES	 16
#define TARGET_MAC_BYTES	 18
#define TARGET_DESCRIPTION_BYTES 160

struct target {
	char name[TARGET_NAME_BYTES];
	uint16_t shelf;
	uint8_t slot;
	uint8_t mac[6];
	bool configured;       /* the next four are known */
	uint16_t buffer_count; /* requests that it can queue, by its own account */
	uint16_t firmware;
	uint8_t sector_count; /* most sectors in one request */
	uint64_t string_mark; /* differs between config strings, see target_mark_string */
	bool identified;      /* @identity is known */
	struct np_ata_identity identity;
	int identity_error;	 /* of discover_identities */
	bool ambiguous;		 /* more than one host answers for it, or one in two ways */
	np_time discovered;	 /* when the discovery began */
	struct other_host other; /* who else than @mac answers for it after the discovery */
};

char *target_mac(const uint8_t mac[6], char out[TARGET_MAC_BYTES]);

/* What distinguishes it from others: its MAC address, and what it reports of itself. */
char *target_describe(const struct target *target, char out[TARGET_DESCRIPTION_BYTES]);

/* Whether both name the same disk: another size, serial number, model or firmware is another one.
 */
bool target_same_identity(const struct np_ata_identity *a, const struct np_ata_identity *b);

/* A number that tells the config string of one target from that of another. */
uint64_t target_mark_string(const struct np_aoe_config *config);

/*
 * Decodes the answer to an ATA command that is to bring @sectors sectors. Returns 1; -EIO: the
 * target refuses, by the header's error, with zeros in @ata, or by its status; 0: it is no such
 * answer.
 */
int target_decode(const struct np_aoe_header *header, const struct np_frame *frame, size_t sectors,
		  struct np_aoe_ata *ata);

/* Fills in a header to send to @target from the channel's interface. */
void target_header(const struct channel *channel, const struct target *target,
		   struct np_aoe_header *header);

/* Who answered the questions of one discovery. The functions that take it are pure. */
struct answerers {
	uint16_t shelf; /* NP_AOE_SHELF_ALL: of any address */
	uint8_t slot;
	uint32_t tag;	/* of the first question; the others' follow */
	uint32_t asked; /* questions */
	struct target *list;
	unsigned room;
	unsigned count;
	bool to_the_first; /* the discovery ends soon after the first usable answer */
	bool found;	   /* that has come */
	np_time deadline;
};

/*
 * Takes an answer, and marks those that share their address with another. When a single address is
 * asked, a sender whose answer carries an error or does not parse is an answerer, too. Answerers
 * beyond the capacity are dropped: a full list is ambiguous in any case.
 */
void answerers_take(struct answerers *answerers, const struct np_aoe_header *header,
		    const struct np_frame *frame);

/* Enough entries to name all who answer for one address. */
#define DISCOVER_ONE_ROOM 8

enum discover_mode {
	DISCOVER_FIRST, /* ends 0.1 s after the first answer; asks again for up to 1.5 s without one
			 */
	DISCOVER_ALL,	/* asks three times and listens for a full second, whoever answers */
	DISCOVER_LIST,	/* asks for the configuration alone, three times half a second apart */
};

/*
 * Finds the hosts that answer for @shelf and @slot, which may be those of all targets: asks for
 * configuration and identity. Fills in @targets, which has @room entries, of different addresses:
 * for DISCOVER_LIST in their order, else usable ones first. Returns the number of entries, or
 * -errno (-EINTR: a signal asks to stop).
 */
int discover(struct channel *channel, uint16_t shelf, uint8_t slot, enum discover_mode mode,
	     struct target *targets, unsigned room);

/* True when the target has a valid host address and has reported its limits. */
bool discover_is_usable(const struct target *target);

/*
 * Sends IDENTIFY to each of the @count targets and repeats it to silent ones, for 1.5 s at most.
 * Stores in each the answer, and the answers of other hosts, or in @identity_error why there is
 * none: -ETIMEDOUT, -EIO (it refused). Returns 0, or -errno (-EINTR: a signal asks to stop) with
 * what was answered by then.
 */
int discover_identities(struct channel *channel, struct target *targets, unsigned count);
