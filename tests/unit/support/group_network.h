/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * group_network: whole groups of members on a made-up network and a made-up clock. The network
 * loses, doubles, delays and cuts by its own random numbers; members start, die, stop and end when
 * a test says so. Time goes on in steps of a millisecond; a packet takes one, a late one more.
 */
#ifndef GROUP_NETWORK_H
#define GROUP_NETWORK_H

#include "../../../src/group-test/member/member.h"
#include "../../../src/group-test/wire/jgroups.h"
#include "../../../src/group-test/wire/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NETWORK_MAX 40
#define STEP	    NP_MILLISECOND
#define EPOCH	    (1000 * NP_SECOND)
#define WHEEL	    64
#define BATCH	    64
#define SLOT	    128

struct packet {
	struct packet *next;
	np_time at;
	unsigned from;
	size_t bytes;
	uint8_t data[];
};

struct queue {
	struct packet *first, *last;
};

struct host {
	struct member *member;
	struct member_plan plan;
	struct network *network;
	unsigned number;
	bool there, dead, stopped;
	int refuses; /* -errno of whatever it sends to all, DATA too; 0: it does not */
	bool deaf;   /* to its own messages */
	bool full;   /* its transport has no room for DATA, and says so by taking none */
	np_time starts, ended;
	np_time skew;	/* its clock minus the network's */
	unsigned drain; /* messages that it takes each step */
	size_t room;	/* bytes that may wait for it */
	size_t waiting;
	struct queue wheel[WHEEL]; /* under way, by the step of their arrival */
	struct queue buffer;	   /* arrived */
	uint8_t slots[BATCH * SLOT];
	unsigned reserved;
	uint64_t sent_messages, grants, answers, overflowed;
	uint64_t tries;	 /* to send to all */
	char log[16384]; /* what it told, a line each */
	unsigned results;
};

struct network {
	np_time now;
	unsigned hosts;
	struct host host[NETWORK_MAX];
	uint64_t random;
	double loss, twice, late;	    /* parts of 1, of every packet between hosts */
	bool cut[NETWORK_MAX][NETWORK_MAX]; /* from, to */
	bool connected; /* as tcp: nothing is lost or late, one's death is told to all */
	/* A test's own loss; NULL: none. */
	bool (*drop)(struct network *network, unsigned from, unsigned to, const uint8_t *data);
	unsigned dropped; /* by it */
	/* What goes to one host, whether there is one or not; NULL: nobody listens. */
	void (*heard)(struct host *from, const struct identity *who, const void *message,
		      size_t bytes);
	uint8_t seen[MESSAGE_HEADER_BYTES];	 /* the head of the latest STATE to all */
	uint64_t lost[NETWORK_MAX][NETWORK_MAX]; /* DATA, from, to */
};

struct identity host_identity(unsigned number);

double network_random(struct network *n);

void network_carry(struct network *n, unsigned from, unsigned to, const void *data, size_t bytes);

void host_tell(void *context, const struct member_event *event);

/* A plan for all: 4 members of which the first two send 1000 messages of 20 bytes. */
struct member_plan group_plan(enum member_protocol protocol);

/* The same with 32 members and 4 senders. */
struct member_plan group_plan_wide(enum member_protocol protocol);

/* One that takes so long that much can happen in it: 2000 messages in 4 seconds. */
struct member_plan group_plan_long(void);

/* Adds a host that will begin at @starts after the begin; @plan->sender says what it is. */
struct host *network_add(struct network *n, const struct member_plan *plan, np_time starts);

/* @plan's members, its senders first. */
struct network *network_of(const struct member_plan *plan, bool connected);

/* Its process is gone, and another one is started in its place at @starts after the begin. */
void host_restart(struct host *h, np_time starts);

/* Anything, as if host @from had sent it. */
void host_forge(struct host *h, unsigned from, const void *data, size_t bytes);

/* A step of time for all. */
void network_step(struct network *n);

void network_run(struct network *n, np_time until);

bool network_ended(const struct network *n);

/* Until all that are alive have ended: by @limit after the begin at the latest. */
void network_finish(struct network *n, np_time limit);

/* Its process is killed; with connections all others see them break. */
void network_kill(struct network *n, unsigned victim);

/* Between the first @side hosts and the others. */
void network_cut(struct network *n, unsigned side, bool cut);

void network_free(struct network *n);

/* What is wrong with a host is seen by what it told. */
void host_must(const struct host *h, bool holds, const char *what);

void host_status(const struct host *h, int expected);

void host_told(const struct host *h, const char *what);

/* It never formed a group: why; an empty @object is any. */
void host_failed(const struct host *h, const char *object, const char *reason);

const struct result_member *host_member(const struct host *h, unsigned number);

/* What @receiver says, by what @h knows, that it received of @sender. */
const struct result_row *host_row(const struct host *h, unsigned receiver, unsigned sender);

/* What @receiver says by what @h knows: all of every sender's messages. */
void host_row_complete(const struct host *h, unsigned receiver, uint64_t messages);

/* Of the first @count hosts. */
void network_status(const struct network *n, unsigned count, int expected);

/* All are well, and their tables are right to the message, by the network's own books. */
void network_counts(const struct network *n, uint64_t messages);

#endif
