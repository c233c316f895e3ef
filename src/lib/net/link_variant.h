/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* link_variant: what a variant of link provides, and the state that link.c keeps for it. */
#pragma once

#include "socket.h"

#include <net/if.h>
#include <netperf/link.h>

#define LINK_BATCH_MAX	 1024
#define LINK_FRAME_MAX	 (256 * 1024)
#define LINK_RECEIVE_MAX ((size_t)1 << 28)

struct link_variant {
	const char *name;
	size_t state_bytes; /* of link->state, which begins as zeros; 0: there is none */
	/* See np_link_lacks; NULL: nothing is ever missing. */
	const char *(*lacks)(void);
	/*
	 * Sets link->fd, what follows it as it needs, and receive_granted of link->info, and its
	 * stamps unless they are the user's; the rest of it is already set. NULL: there is nothing.
	 */
	int (*open)(struct np_link *link, const struct np_link_options *options);
	/*
	 * Releases what link.c does not: that closes fd and frees the memory below. Called after a
	 * failed open, too; NULL: there is nothing.
	 */
	void (*close)(struct np_link *link);
	/*
	 * Like np_link_send and np_link_receive; count is 1..batch. send counts send_refused. NULL
	 * in place of receive: nothing ever arrives.
	 */
	int (*send)(struct np_link *link, const struct np_frame *frames, unsigned count);
	int (*receive)(struct np_link *link, struct np_frame *frames, unsigned count);
	/* Updates link->stats.dropped. NULL: nothing is ever dropped. */
	int (*count_dropped)(struct np_link *link);
};

struct np_link {
	const struct link_variant *variant;
	struct np_link_info info;
	struct np_link_stats stats;
	char interface[IF_NAMESIZE];
	size_t frame_bytes;
	unsigned batch;
	int control_fd;	   /* for ioctls about the interface */
	int pending_error; /* received from the kernel after good frames; for the next receive */
	int fd;		   /* readable when a frame has arrived; -1: never */
	uint8_t *memory;   /* batch frames of stride bytes */
	size_t stride;
	struct socket_messages burst; /* batch of them, for sendmmsg */
	void *state;		      /* of the variant */
};

extern const struct link_variant link_socket_variant;
extern const struct link_variant link_ring_variant;
extern const struct link_variant link_pcap_variant;

/* Allocates link->memory, touched. Returns 0 or -ENOMEM. */
int link_allocate(struct np_link *link);

/* 0 when the interface is up, -ENETDOWN when it is down or gone. */
int link_interface_check_up(const struct np_link *link);
