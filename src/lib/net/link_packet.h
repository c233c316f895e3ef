/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* link_packet: the AF_PACKET socket that the variants "socket" and "ring" share, see packet(7). */
#ifndef LINK_PACKET_H
#define LINK_PACKET_H

#include "link_variant.h"

#include <sys/socket.h>

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
