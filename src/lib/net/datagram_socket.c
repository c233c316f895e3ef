// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_socket: creates a UDP socket with the buffers, marks, device, group and address asked
 * for.
 */
#include "datagram_variant.h"
#include "socket.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netperf/socket.h>
#include <string.h>

static int set_marks(int fd, const struct np_datagram_options *options, bool ipv6)
{
	int error = 0;

	if (options->tos >= 0)
		error = socket_set_family(fd, ipv6, IP_TOS, IPV6_TCLASS, options->tos);
	/* 0 keeps multicast in this host; unicast has no such setting. */
	if (!error && options->ttl > 0)
		error = socket_set_family(fd, ipv6, IP_TTL, IPV6_UNICAST_HOPS, options->ttl);
	if (!error && options->ttl >= 0)
		error = np_multicast_set_hops(fd, options->ttl);
	return error;
}

/* Sends packets to groups by the interface on which this socket's own group is received. */
static int set_multicast(int fd, const struct np_datagram_options *options)
{
	unsigned index;
	int error = np_multicast_interface(options->device, options->group, options->local, &index);

	if (!error && index)
		error = np_multicast_send_by(fd, index);
	if (!error && options->group)
		error = np_multicast_join(fd, options->group, index);
	return error;
}

int datagram_socket_make(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	int family = options->local->any.sa_family;
	bool ipv6 = family == AF_INET6;
	int fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int error = 0;

	if (fd < 0)
		return -errno;
	datagram->fd = fd;
	datagram->info.receive_granted =
		socket_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, options->receive_bytes);
	datagram->info.send_granted =
		socket_set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, options->send_bytes);
	if (options->send_timeout)
		error = socket_set_timeout(fd, SO_SNDTIMEO, options->send_timeout);
	if (!error)
		error = socket_set_family(fd, ipv6, IP_RECVERR, IPV6_RECVERR, 1);
	if (!error)
		error = set_marks(fd, options, ipv6);
	if (!error && options->device)
		error = socket_set_device(fd, options->device);
	if (!error && options->reuse)
		error = socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (!error)
		error = set_multicast(fd, options);
	return error;
}

/* Refuses port 0, which the kernel would accept: it would connect, and send without an error. */
static bool connect_to(int fd, const struct np_address *peer)
{
	return np_address_port(peer) && connect(fd, &peer->any, peer->length) == 0;
}

int datagram_socket_bind(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	struct np_address *local = &datagram->info.local;
	struct np_address address = options->group ? *options->group : *options->local;

	np_address_set_port(&address, np_address_port(options->local));
	if (bind(datagram->fd, &address.any, address.length) < 0)
		return -errno;
	local->length = sizeof(local->storage);
	if (getsockname(datagram->fd, &local->any, &local->length) < 0)
		return -errno;
	datagram->connected = options->peer && connect_to(datagram->fd, options->peer);
	return 0;
}

int datagram_socket_stamp(struct np_datagram *datagram)
{
	stamps_start(&datagram->stamps, &datagram->info.stamps);
	return socket_set(datagram->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
}
