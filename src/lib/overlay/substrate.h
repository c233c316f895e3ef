/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * substrate: how messages travel between nodes: UDP, TCP, or UDP with a multicast group. It moves
 * bytes, and knows only where a message ends. One thread at a time; nothing blocks.
 */
#pragma once

#include "addresses.h"

#include <net/if.h>
#include <sys/uio.h>

/* What kind of message it is for this node, for the counts: np_overlay_copies. */
enum overlay_class { OVERLAY_OWN, OVERLAY_FORWARDED, OVERLAY_PROTOCOL };

struct overlay_substrate_plan {
	enum overlay_kind kind;
	struct np_address local; /* IPv4, not the wildcard; port 0: any */
	bool any_port;		 /* use another one if that is in use */
	uint16_t realm;		 /* of the addresses that messages come from */
	unsigned message_max;
	unsigned message_buffer;
	struct np_address group;		      /* pair */
	char group_device[IF_NAMESIZE];		      /* pair: "": the routes decide */
	unsigned group_max;			      /* bytes of a message to the group */
	np_time connect_timeout, idle_max, stall_max; /* TCP */
	unsigned backlog;			      /* TCP */
	struct np_overlay_options options;
};

struct overlay_substrate;

struct overlay_substrate_face {
	/* Binds. Returns 0 or -errno; overlay_substrate_close closes what it opened. */
	int (*open)(struct overlay_substrate *s);
	void (*close)(struct overlay_substrate *s);
	/*
	 * Sends a message to a node, @to NULL: to the group. OVERLAY_OWN is accepted if there was
	 * room before its first copy. Returns 0, -EAGAIN (no room) or -errno; counts the message.
	 */
	int (*send)(struct overlay_substrate *s, const struct overlay_address *to,
		    const void *message, size_t bytes, enum overlay_class class);
	/* Whether nothing waits that must be sent to that node first; @to NULL: to any. NULL:
	 * never. */
	bool (*room)(const struct overlay_substrate *s, const struct overlay_address *to);
	/* From true to false, messages to one node may be gathered for one call; false makes it. */
	void (*gather)(struct overlay_substrate *s, bool on);
	/* Like np_overlay_turn. */
	int (*turn)(struct overlay_substrate *s, unsigned most, np_time now);
	np_time (*deadline)(const struct overlay_substrate *s);
	bool (*idle)(const struct overlay_substrate *s);
	/* Updates the counts that the kernel keeps. Returns 0 or -errno. */
	int (*count)(struct overlay_substrate *s);
};

struct overlay_substrate {
	const struct overlay_substrate_face *face;
	struct overlay_substrate_plan plan;
	void *state; /* of the variant */
	int epoll;   /* readable when a turn has something to do */
	/*
	 * What is to be polled now: epoll, or until overlay_substrate_fd the only descriptor in it,
	 * since epoll costs a call for each message that arrives.
	 */
	struct pollfd poll;
	struct np_overlay_info info; /* local: as bound; the node adds what it knows */
	struct np_overlay_substrate_counts counts;
	void *context;
	/* A complete message arrived. It may send. */
	void (*take)(void *context, const struct overlay_address *from, const void *message,
		     size_t bytes, np_time at);
};

/*
 * Call it with context and take set. Returns 0 or -errno; call overlay_substrate_close in any case.
 */
int overlay_substrate_open(struct overlay_substrate *s, const struct overlay_substrate_plan *plan);
void overlay_substrate_close(struct overlay_substrate *s);

/* Makes epoll watch @fd for @events from now on; may be called again. Returns 0 or -errno. */
int overlay_substrate_watch(const struct overlay_substrate *s, int fd, uint32_t events,
			    void *pointer);

/* The descriptor of np_overlay_fd. */
int overlay_substrate_fd(struct overlay_substrate *s);

void overlay_substrate_add(struct np_overlay_copies *copies, enum overlay_class class);
/* Counts a message of @bytes as sent, or as refused with the error @rc, which it returns. */
int overlay_substrate_done(struct overlay_substrate *s, int rc, size_t bytes,
			   enum overlay_class class);

/* Messages that wait until the kernel accepts them, in order. Pure. */
struct overlay_queued {
	struct overlay_queued *next;
	struct sockaddr_in to;
	enum overlay_class class;
	size_t bytes;
	uint8_t data[];
};

struct overlay_queue {
	struct overlay_queued *first, *last;
	size_t count, bytes;
	size_t count_max, bytes_max; /* set by the owner */
	bool strict;		     /* set by the owner: OVERLAY_OWN is limited, too */
};

/*
 * Appends a message of @count pieces. OVERLAY_OWN always has room, since its sender asks before,
 * unless @strict; so does the first message. Returns 0, -EAGAIN or -ENOMEM.
 */
int overlay_queue_put(struct overlay_queue *queue, const struct sockaddr_in *to,
		      enum overlay_class class, const struct iovec *piece, unsigned count);

/* Removes the first one. */
void overlay_queue_pop(struct overlay_queue *queue);

/* Adds the messages in it to @copies. */
void overlay_queue_count(const struct overlay_queue *queue, struct np_overlay_copies *copies);

/* Empties it, and adds its messages to @copies. */
void overlay_queue_drop(struct overlay_queue *queue, struct np_overlay_copies *copies);

extern const struct overlay_substrate_face overlay_udp, overlay_tcp;
