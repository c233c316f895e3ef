/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * variant: what a variant of transport provides, and the state that transport.c keeps for it. A new
 * one is NAME.c with its const table, named in transport.c.
 */
#pragma once

#include "transport.h"

struct transport_variant {
	const char *name;
	const char *refusal; /* why it cannot be opened ("needs overlay"); NULL: it can */
	size_t state_bytes; /* of @t->state, zero at first, which transport.c allocates and frees */
	/*
	 * Adds what wakes it to @t->fd; sets @t->info but its variant, and @t->deadline. After a
	 * failure transport.c calls close.
	 */
	int (*open)(struct transport *t, struct np_fault *fault);
	/* @who: NULL for all. */
	int (*send)(struct transport *t, const struct identity *who, const void *message,
		    size_t bytes);
	unsigned (*reserve)(struct transport *t, unsigned wanted, struct transport_slots *slots);
	int (*commit)(struct transport *t, unsigned count);
	/*
	 * NULL: holds nothing, only its own messages come, needs no addresses, nothing to drop, one
	 * way only, always idle, nothing to read, nothing to add.
	 */
	/* Frees what @t->state holds, as far as it was opened. */
	void (*close)(struct transport *t);
	int (*turn)(struct transport *t, unsigned most, np_time now);
	int (*enlist)(struct transport *t, const struct np_address *addresses, size_t count);
	void (*drop)(struct transport *t, const struct identity *who);
	void (*trust)(struct transport *t, const struct identity *who, unsigned channel);
	bool (*idle)(const struct transport *t);
	void (*stats)(struct transport *t);
	void (*describe)(struct transport *t, struct np_record *record, bool summary);
};

/*
 * Own messages, control and DATA in order, until the next turn delivers them: a ring of cells, from
 * which they may also be sent. Each has a head of the variant, then the message. @begin and @end
 * are never reduced.
 */
struct transport_own {
	uint8_t *cells;
	size_t head_bytes, cell_bytes;
	unsigned count; /* a power of two */
	unsigned begin, end;
	struct transport_own_message {
		size_t bytes; /* without the head */
		np_time at;   /* when it was sent; 0: when it is delivered */
		bool control; /* not DATA */
	} * message;	      /* of each cell */
};

/* What this host drops of DATA; its plan has neither library nor @why: nobody asked. */
struct transport_drops {
	struct transport_drops_plan plan;
	int in, out; /* watches */
	size_t flows;
	struct transport_drops_flow {
		struct np_address sender;
		bool local;
		struct np_drops_counts before, run;
	} * flow; /* of each sender */
	uint64_t resent_before;
	struct np_drops_counts sent_before, sent; /* of this member's own */
	struct np_drops_counts all;
};

struct transport {
	const struct transport_variant *variant;
	struct transport_info info;
	struct transport_listener listener;
	/*
	 * transport.c counts sent_* and received_* of control messages, of commits and of
	 * deliveries; a variant counts the rest.
	 */
	struct transport_stats stats;
	struct transport_plan plan;
	size_t message_bytes;	   /* the longest of both kinds */
	np_time oversize_reported; /* 0: never */
	int fd;			   /* of epoll */
	np_time deadline;
	/* This host refused to send: until then a variant sends no DATA; 0: it may. */
	np_time paused;
	void *state; /* of the variant */
	struct transport_drops drops;
	struct transport_own own; /* no cells: own messages come back another way */
};

/* For variants: deliver messages, and report events. From within a turn only. */
static inline void transport_deliver(struct transport *t, const struct identity *source,
				     const struct transport_message *messages, unsigned count,
				     unsigned channel)
{
	t->stats.received_messages += count;
	for (unsigned i = 0; i < count; i++)
		t->stats.received_bytes += messages[i].length;
	t->listener.deliver(t->listener.context,
			    &(struct transport_delivery){source, messages, count, channel});
}

static inline void transport_notify(struct transport *t, enum transport_event_kind kind,
				    struct identity peer, const char *text, int error)
{
	t->listener.event(t->listener.context,
			  &(struct transport_event){
				  .kind = kind, .peer = peer, .text = text, .error = error});
}

/* How long what this host refuses is not sent again. */
#define REFUSED_PAUSE (10 * NP_MILLISECOND)

/* A datagram of @peer was too long: counts that, and reports one a second. */
void transport_oversize(struct transport *t, struct identity peer, np_time at);

/*
 * The most that a message of @bytes can take of a receive buffer: the kernel's own 768 bytes for
 * each packet or fragment of it, and its memory, which comes in powers of two (linux/skbuff.h,
 * SKB_TRUESIZE). Buffers of many messages take less.
 */
static inline size_t transport_message_cost(size_t bytes)
{
	return 768 * (1 + bytes / 1400) + 2 * bytes;
}

/* @head: what each cell of @t->own begins with. Returns 0 or -errno; transport.c frees it. */
int transport_own_create(struct transport *t, unsigned count, const void *head, size_t head_bytes);

/* The head of the cell of message @index; the message follows it. */
static inline uint8_t *transport_own_cell(const struct transport *t, unsigned index)
{
	return t->own.cells + index % t->own.count * t->own.cell_bytes;
}

/* Room for DATA from @t->own.end on; a quarter is reserved for control messages. */
unsigned transport_own_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots);

/*
 * The message in the cell of @t->own.end was sent; transport.c delivers it in the next turn. @at 0:
 * it counts as arriving then.
 */
void transport_own_keep(struct transport *t, size_t bytes, bool control, np_time at);

/* A cell for a control message is free. */
static inline bool transport_own_room(const struct transport *t)
{
	return t->own.end - t->own.begin < t->own.count;
}

extern const struct transport_variant transport_udp_variant;
extern const struct transport_variant transport_tcp_variant;
extern const struct transport_variant transport_mqtt_variant;
extern const struct transport_variant transport_overlay_variant;

/* For variants: DATA leaves from @own, and @socket receives what others send, both to @group. */
void transport_drops_watch(struct transport *transport, const struct np_address *own,
			   const struct np_address *group, int socket);
