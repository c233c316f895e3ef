/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * substrate: how messages travel between nodes: UDP, TCP, UDP with a multicast group, nothing. It
 * moves bytes and knows nothing of what they mean but where a message ends. One thread at a time;
 * nothing blocks.
 */
#ifndef OVERLAY_SUBSTRATE_H
#define OVERLAY_SUBSTRATE_H

#include "addresses.h"

#include <net/if.h>
#include <netinet/in.h>
#include <netperf/overlay.h>

/* What a message is to this node, for the counts: np_overlay_copies. */
enum overlay_class { OVERLAY_OWN, OVERLAY_FORWARDED, OVERLAY_PROTOCOL };

struct overlay_substrate_plan {
	struct np_address local; /* IPv4, not the wildcard; port 0: any */
	bool any_port;		 /* another one if that is in use */
	uint16_t realm;		 /* of the addresses that messages come from */
	size_t message_max;
	unsigned message_buffer;
	struct np_address group; /* pair */
	const char *group_device;
	size_t group_max;			      /* bytes of a message to the group */
	np_time connect_timeout, idle_max, stall_max; /* TCP */
	unsigned backlog;			      /* TCP */
	struct np_overlay_options options;
};

struct overlay_substrate;

struct overlay_substrate_face {
	const char *name;
	/* Binds. 0 or -errno; what it opened overlay_substrate_close closes. */
	int (*open)(struct overlay_substrate *s);
	void (*close)(struct overlay_substrate *s);
	/*
	 * Takes a message to a node, @to NULL: to the group. OVERLAY_OWN is taken where there was
	 * room before the first copy. 0, -EAGAIN (no room) or -errno; counted here.
	 */
	int (*send)(struct overlay_substrate *s, const struct overlay_address *to,
		    const void *message, size_t bytes, enum overlay_class class);
	/* Whether nothing waits that would go to that node first. */
	bool (*room)(const struct overlay_substrate *s, const struct overlay_address *to);
	/* As np_overlay_turn. */
	int (*turn)(struct overlay_substrate *s, unsigned most, np_time now);
	np_time (*deadline)(const struct overlay_substrate *s);
	bool (*idle)(const struct overlay_substrate *s);
	/* Brings the counts up to date that the kernel keeps. 0 or -errno. */
	int (*count)(struct overlay_substrate *s);
};

struct overlay_substrate {
	const struct overlay_substrate_face *face;
	struct overlay_substrate_plan
		plan; /* strings: while it is opened only, but options.device */
	char device[IF_NAMESIZE];
	void *state;		 /* the face's */
	int epoll;		 /* readable when a turn has something to do */
	struct np_address local; /* as bound */
	size_t receive_granted, send_granted;
	const char *stamps, *drop_unit;
	struct np_overlay_substrate_counts counts;
	void *context;
	/* A message came, whole. May send. */
	void (*take)(void *context, const struct overlay_address *from, const void *message,
		     size_t bytes, np_time at);
};

/* With context and take set before. 0 or -errno; overlay_substrate_close in any case. */
int overlay_substrate_open(struct overlay_substrate *s, enum np_overlay_substrate kind,
			   const struct overlay_substrate_plan *plan);
void overlay_substrate_close(struct overlay_substrate *s);

/* Has epoll watch @fd for @events from now on; again for other ones. 0 or -errno. */
int overlay_substrate_watch(const struct overlay_substrate *s, int fd, uint32_t events,
			    void *pointer);

void overlay_substrate_add(struct np_overlay_copies *copies, enum overlay_class class);

/* Of an IPv4 endpoint, and the way back: false where it is no address to send to. */
struct overlay_address overlay_substrate_address(const struct overlay_substrate *s,
						 const struct np_address *address);
bool overlay_substrate_endpoint(const struct overlay_address *address, struct sockaddr_in *to);

extern const struct overlay_substrate_face overlay_udp, overlay_pair, overlay_tcp, overlay_null;

#endif
