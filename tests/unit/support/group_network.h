/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * group_network: whole groups of members on a simulated network with a simulated clock. The network
 * loses, duplicates, delays and blocks messages by its own random numbers; members start, die, stop
 * and end when a test says so. Time passes in steps of a millisecond; a packet takes one, a late
 * one more.
 */
#pragma once

#include "../../../src/group-test/member/member.h"
#include "../../../src/group-test/transport/variant.h"
#include "../../../src/group-test/wire/jgroups.h"
#include "../../../src/group-test/wire/message.h"
#include "unit.h"

#include <limits.h>
#include <sys/queue.h>

#define NETWORK_MAX 40
#define STEP	    NP_MILLISECOND
#define EPOCH	    (1000 * NP_SECOND)
#define WHEEL	    64
#define BATCH	    64
#define SLOT	    128

struct packet {
	STAILQ_ENTRY(packet) next;
	unsigned from;
	size_t bytes;
	uint8_t data[];
};

STAILQ_HEAD(queue, packet);

struct host {
	struct transport transport; /* a simulated one */
	struct member *member;
	struct member_plan plan;
	struct network *network;
	unsigned number;
	bool there, dead, stopped;
	int refuses; /* -errno of everything that it sends to all, including DATA; 0: none */
	bool deaf;   /* it does not receive its own messages */
	bool full;   /* its transport has no room for DATA, and accepts none */
	np_time starts, ended;
	np_time skew;	/* its clock minus the network's clock */
	unsigned drain; /* messages that it handles in each step */
	size_t room;	/* bytes that can wait for it */
	size_t waiting;
	struct queue wheel[WHEEL]; /* on their way, by the step of their arrival */
	struct queue buffer;	   /* arrived */
	uint8_t slots[BATCH * SLOT];
	unsigned reserved;
	uint64_t sent_messages, grants, overflowed;
	unsigned looks;	 /* how often its drops were asked for at the end of a run */
	uint64_t tries;	 /* attempts to send to all */
	char log[16384]; /* the events it reported, a line each */
	unsigned results;
	unsigned parted;  /* how many it has told its transport to drop */
	uint64_t dropped; /* DATA, by its transport, so far */
};

/* Packets between hosts to lose: those that fit in all that is set. */
#define HOST(number) (UINT64_C(1) << (number))
struct loss {
	enum message_type type;
	uint64_t from, to; /* HOST()s; 0: any */
	unsigned phases;   /* that a STATE announces, a bit each; 0: any */
	bool second;	   /* only in the second run */
	np_time after;	   /* the start of the network */
	bool noted;	   /* only count them */
	unsigned met;	   /* so many were lost, or counted */
};
#define LOSSES_MAX   4
#define LOSE(n, ...) ((n)->lose[(n)->losses++] = (struct loss){__VA_ARGS__})

struct network {
	np_time now;
	unsigned hosts;
	struct host host[NETWORK_MAX];
	uint64_t random;
	double loss, twice, late;	    /* as fractions, of every packet between hosts */
	bool cut[NETWORK_MAX][NETWORK_MAX]; /* from, to */
	bool connected; /* like tcp: nothing is lost or late, and the death of a host is reported to
			   all */
	/* Chosen by a test: which packets to lose; NULL: none. */
	bool (*drop)(struct network *network, unsigned from, unsigned to, const uint8_t *data);
	struct loss lose[LOSSES_MAX]; /* or by these, which LOSE adds; 0 @losses: none */
	unsigned losses;
	unsigned dropped; /* by either */
	/* What a host says that it dropped, as member_port's drops; NULL: no host knows. */
	bool (*drops)(struct host *host, struct result_member *own);
	/* Called for what is sent to one host, whether it exists or not; NULL: not called. */
	void (*heard)(struct host *from, const struct identity *who, const void *message,
		      size_t bytes);
	uint8_t seen[MESSAGE_HEADER_BYTES];	 /* the head of the latest STATE to all */
	uint64_t lost[NETWORK_MAX][NETWORK_MAX]; /* DATA, from, to */
};

struct identity host_identity(unsigned number);

double network_random(struct network *n);

/* Whether @data is a native message of @type. */
bool is_type(const uint8_t *data, enum message_type type);

void host_tell(void *context, const struct member_event *event);

/* A plan for most tests: 4 members, of which the first two send 1000 messages of 20 bytes. */
struct member_plan group_plan(enum member_protocol protocol);

/* The same with 32 members and 4 senders. */
struct member_plan group_plan_wide(enum member_protocol protocol);

/* A plan whose run is long enough for events during it: 2000 messages in 4 seconds. */
struct member_plan group_plan_long(enum member_protocol protocol);

/* Adds a host that starts @starts after the network does; @plan->sender tells its role. */
struct host *network_add(struct network *n, const struct member_plan *plan, np_time starts);

/* @plan's members, its senders first. The network made before is freed. */
struct network *network_of(const struct member_plan *plan, bool connected);

/*
 * A network by such a plan, and what is changed in it, as in NETWORK(plan.runs = 2, plan.senders =
 * 1); connected = true, too.
 */
#define NETWORK_BY(made, ...)                                                                      \
	({                                                                                         \
		struct member_plan plan = made;                                                    \
		bool streams = false;                                                              \
		__VA_ARGS__;                                                                       \
		network_of(&plan, streams);                                                        \
	})
#define NETWORK(...)	  NETWORK_BY(group_plan(PROTOCOL_NATIVE), __VA_ARGS__)
#define NETWORK_LONG(...) NETWORK_BY(group_plan_long(PROTOCOL_NATIVE), __VA_ARGS__)

/* Its process is gone, and another one starts in its place @starts after the network does. */
void host_restart(struct host *h, np_time starts);

/* Delivers @data as if host @from had sent it. */
void host_forge(struct host *h, unsigned from, const void *data, size_t bytes);

/* Its transport tells it of host @whose: a kind of event, and what else there is of it. */
#define HOST_EVENT(h, whose, ...)                                                                  \
	member_transport_event(                                                                    \
		(h)->member,                                                                       \
		&(struct transport_event){.peer = host_identity(whose), .kind = __VA_ARGS__},      \
		(h)->network->now + (h)->skew)

/* The head of a message that host @from may have sent just now, in the run of the others. */
struct message_head network_head(const struct network *n, unsigned from);

/* A native message, as if host @from had sent it; @body: of message_encode. */
void host_says(struct host *h, unsigned from, struct message_head head, enum message_type type,
	       const void *body);

/* Until host 0 has sent something. */
void network_until_sending(struct network *n);

/* A HELLO that is older than all, with the settings of group_plan. */
extern const struct message_hello hello_of_ours;

/* At host @h, as if from @instance at the address of host @from: a HELLO; that it refuses @h. */
void say_hello(struct host *h, unsigned from, uint64_t instance, const struct message_hello *hello);
void say_refuse(struct host *h, unsigned from, uint64_t instance, enum message_refusal why);

/* One step of time for all. */
void network_step(struct network *n);

void network_run(struct network *n, np_time until);

/* Runs for @time; or until host @number has reported @what, which must be within 30 s. */
void network_pass(struct network *n, np_time time);
void network_until(struct network *n, unsigned number, const char *what);

bool network_ended(const struct network *n);

/* Runs until all live members have ended; fails if that takes longer than @limit. */
void network_finish(struct network *n, np_time limit);

/* Kills its process; with connections all others see them break. */
void network_kill(struct network *n, unsigned victim);

/* Blocks messages between the first @side hosts and the others. */
void network_cut(struct network *n, unsigned side, bool cut);

/* Fails with the events that the host reported. */
void host_must(const struct host *h, bool holds, const char *what);

void host_status(const struct host *h, int expected);

void host_told(const struct host *h, const char *what);

/* How many of the lines that it reported begin so. */
unsigned host_times_told(const struct host *h, const char *begin);

/* Requires that it never formed a group, and the reason; an empty @object matches any. */
void host_failed(const struct host *h, const char *object, const char *reason);

const struct result_member *host_member(const struct host *h, unsigned number);

/* What @receiver reports to have received from @sender, as @h knows it. */
const struct result_row *host_row(const struct host *h, unsigned receiver, unsigned sender);

/* Requires that @receiver reports all of every sender's messages, as @h knows it. */
void host_row_complete(const struct host *h, unsigned receiver, uint64_t messages);

/* Requires this status of the first @count hosts; at their end, as network_finish. */
void network_status(const struct network *n, unsigned count, int expected);
void network_ends(struct network *n, np_time limit, unsigned count, int expected);

/*
 * Requires that all succeeded, and that their tables match the network's own records to the
 * message; at their end, as network_finish.
 */
void network_counts(const struct network *n, uint64_t messages);
void network_succeeds(struct network *n, np_time limit, uint64_t messages);
