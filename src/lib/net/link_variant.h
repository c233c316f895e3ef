/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* link_variant: what a variant of link provides, and the state that link.c keeps for it. */
#ifndef LINK_VARIANT_H
#define LINK_VARIANT_H

#include <net/if.h>
#include <netperf/link.h>
#include <sys/socket.h>

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

/* 0 when the interface is up, -ENETDOWN when it is down or gone. */
int link_interface_check_up(const struct np_link *link);

/* The AF_PACKET socket that the variants "socket" and "ring" share, see packet(7). */
struct link_packet {
	struct mmsghdr *messages; /* batch of them, for sendmmsg */
	struct iovec *parts;
};

/*
 * Opens link->fd with its filter but does not bind it: no frame is queued before link_packet_bind.
 * Returns 0, -EPERM or another -errno; link_packet_close in any case.
 */
int link_packet_open(struct np_link *link, struct link_packet *packet,
		     const struct np_link_options *options);

/* From now on frames of @ethertype, or all if it is 0, are queued. */
int link_packet_bind(struct np_link *link, uint16_t ethertype);

void link_packet_close(struct np_link *link, struct link_packet *packet);

/* Implements send of struct link_variant. */
int link_packet_send(struct np_link *link, struct link_packet *packet,
		     const struct np_frame *frames, unsigned count);

/* Implements count_dropped of struct link_variant. */
int link_packet_count_dropped(struct np_link *link);

#endif
