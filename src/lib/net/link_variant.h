/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* link_variant: what a variant of link provides, and the state that link.c keeps for it. */
#ifndef LINK_VARIANT_H
#define LINK_VARIANT_H

#include <net/if.h>
#include <netperf/link.h>

#define LINK_BATCH_MAX	 1024
#define LINK_FRAME_MAX	 (256 * 1024)
#define LINK_RECEIVE_MAX ((size_t)1 << 28)

struct link_variant {
	const char *name;
	/* See np_link_lacks; NULL: nothing is ever missing. */
	const char *(*lacks)(void);
	/*
	 * Sets link->fd, ->state, and the stamps and receive_granted of link->info; the rest of
	 * link->info is already set. close is called after a failed open, too.
	 */
	int (*open)(struct np_link *link, const struct np_link_options *options);
	void (*close)(struct np_link *link);
	/* Like np_link_send and np_link_receive; count is 1..batch. send counts send_refused. */
	int (*send)(struct np_link *link, const struct np_frame *frames, unsigned count);
	int (*receive)(struct np_link *link, struct np_frame *frames, unsigned count);
	/* Updates link->stats.dropped. */
	int (*count_dropped)(struct np_link *link);
	bool dropped_known;
};

struct np_link {
	const struct link_variant *variant;
	struct np_link_info info;
	struct np_link_stats stats;
	char interface[IF_NAMESIZE];
	size_t frame_bytes;
	unsigned batch;
	int control_fd;	   /* for ioctls about the interface */
	int fd;		   /* readable when a frame has arrived; -1: never */
	int pending_error; /* received from the kernel after good frames; for the next receive */
	void *state;	   /* of the variant */
};

extern const struct link_variant link_socket_variant;
extern const struct link_variant link_ring_variant;
extern const struct link_variant link_pcap_variant;
extern const struct link_variant link_null_variant;

/* Returns 0, or as -errno the pending error of link->fd, which the kernel reports only once. */
int link_take_error(const struct np_link *link);

/*
 * Queries link->interface: fills in index, mac, mtu, up and running. Returns 0, -ENODEV,
 * -EAFNOSUPPORT or -ENETDOWN.
 */
int link_interface_query(struct np_link *link);

/* 0 when the interface is up, -ENETDOWN when it is down or gone. */
int link_interface_check_up(const struct np_link *link);

#endif
