// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * link_socket: opens, sends by and queries an AF_PACKET socket, also for the variant "ring"; frames
 * by send() and recv() on it.
 */
#include "link_variant.h"
#include "socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Fewer frames than this are sent by one send() each: over veth sendmmsg() loses at 2, breaks even
 * at 4 and gains 5 % at 8.
 */
#define BURST_MIN 8

_Static_assert(sizeof(struct np_link_filter) == sizeof(struct sock_filter) &&
		       offsetof(struct np_link_filter, operand) == offsetof(struct sock_filter, k),
	       "np_link_filter is handed to the kernel as it is");

static int allocate_burst(struct np_link *link)
{
	link->messages = calloc(link->batch, sizeof(*link->messages));
	link->parts = calloc(link->batch, sizeof(*link->parts));
	if (!link->messages || !link->parts)
		return -ENOMEM;
	for (unsigned i = 0; i < link->batch; i++) {
		link->messages[i].msg_hdr.msg_iov = &link->parts[i];
		link->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

int link_packet_open(struct np_link *link, const struct np_link_options *options)
{
	const struct sock_fprog program = {
		.len = (unsigned short)options->filter_count,
		.filter = (struct sock_filter *)(uintptr_t)options->filter,
	};

	link->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (link->fd < 0)
		return errno == EAFNOSUPPORT ? -EPROTONOSUPPORT : -errno;
	if (options->filter_count &&
	    setsockopt(link->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) < 0)
		return -errno;
	/*
	 * A socket bound to one EtherType does not receive what this host sends, and the option
	 * only saves time; one bound to all of them needs it (Linux 4.20).
	 */
	if (socket_set(link->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) && options->ethertype == 0)
		return -EPROTONOSUPPORT;
	return allocate_burst(link);
}

int link_packet_bind(struct np_link *link, uint16_t ethertype)
{
	struct sockaddr_ll address = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ethertype ? ethertype : ETH_P_ALL),
		.sll_ifindex = (int)link->info.index,
	};

	if (bind(link->fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return 0;
}

static int send_some(int fd, const struct np_frame *frames, unsigned count)
{
	unsigned sent;

	for (sent = 0; sent < count; sent++)
		if (send(fd, frames[sent].data, frames[sent].length, MSG_DONTWAIT) < 0)
			break;
	return sent > 0 ? (int)sent : -1;
}

static int send_burst(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		link->parts[i].iov_base = frames[i].data;
		link->parts[i].iov_len = frames[i].length;
	}
	return sendmmsg(link->fd, link->messages, count, MSG_DONTWAIT);
}

int link_packet_send(struct np_link *link, const struct np_frame *frames, unsigned count)
{
	unsigned sent = 0;

	/* A call cut short does not report why: the frame it stopped at is sent again, alone. */
	while (sent < count) {
		unsigned rest = count - sent;
		int taken = rest < BURST_MIN ? send_some(link->fd, frames + sent, rest)
					     : send_burst(link, frames + sent, rest);

		if (taken > 0) {
			sent += (unsigned)taken;
		} else if (errno == ENOBUFS || errno == EAGAIN) {
			link->stats.send_refused++;
			link->stats.refused_error = -errno;
			break;
		} else if (errno != EINTR) {
			return sent > 0 ? (int)sent : -errno;
		}
	}
	return (int)sent;
}

int link_packet_count_dropped(struct np_link *link)
{
	struct tpacket_stats_v3 since_last = {0};
	socklen_t length = sizeof(since_last);

	/* Reading sets the kernel's 32-bit counters to zero; the shorter struct of the plain
	 * socket has tp_drops in the same place. */
	if (getsockopt(link->fd, SOL_PACKET, PACKET_STATISTICS, &since_last, &length) < 0)
		return -errno;
	link->stats.dropped += since_last.tp_drops;
	return 0;
}

/* Asks for @bytes, by force where that is permitted, and reads what was granted. */
static int set_receive_buffer(struct np_link *link, size_t bytes)
{
	const int wanted = (int)(bytes < LINK_RECEIVE_MAX ? bytes : LINK_RECEIVE_MAX);
	int granted = 0;
	socklen_t length = sizeof(granted);

	if (wanted && socket_set(link->fd, SOL_SOCKET, SO_RCVBUFFORCE, wanted) &&
	    socket_set(link->fd, SOL_SOCKET, SO_RCVBUF, wanted))
		return -errno;
	if (getsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &granted, &length) < 0)
		return -errno;
	link->info.receive_granted = (size_t)granted;
	return 0;
}

static int socket_open(struct np_link *link, const struct np_link_options *options)
{
	int error = link_allocate(link);

	link->info.stamps = "user";
	if (!error)
		error = link_packet_open(link, options);
	if (!error)
		error = set_receive_buffer(link, options->receive_bytes);
	if (!error)
		error = link_packet_bind(link, options->ethertype);
	return error;
}

/* Handles the error at which recv() stopped after @taken good frames. */
static int receive_stopped(struct np_link *link, unsigned taken, int error)
{
	if (error == EAGAIN || error == EINTR)
		return (int)taken;
	if (error == ENODEV) /* the interface is gone, not just down */
		error = ENETDOWN;
	if (taken == 0)
		return -error;
	/* The kernel reports it only once. */
	link->pending_error = error;
	return (int)taken;
}

static int socket_receive(struct np_link *link, struct np_frame *frames, unsigned count)
{
	uint8_t *slot = link->memory;

	for (unsigned i = 0; i < count; i++, slot += link->stride) {
		ssize_t length = recv(link->fd, slot, link->frame_bytes, MSG_DONTWAIT);

		if (length < 0)
			return receive_stopped(link, i, errno);
		frames[i].data = slot;
		frames[i].length = (size_t)length;
		frames[i].stamp = np_clock_now();
	}
	return (int)count;
}

const struct link_variant link_socket_variant = {
	.name = "socket",
	.open = socket_open,
	.send = link_packet_send,
	.receive = socket_receive,
	.count_dropped = link_packet_count_dropped,
};
