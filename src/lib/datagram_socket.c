// SPDX-License-Identifier: GPL-2.0-or-later
/* datagram_socket: makes a UDP socket as asked for: buffers, marks, device, group, address. */
#include "datagram_variant.h"

#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netperf/multicast.h>
#include <string.h>

/* What the kernel doubles in an int. */
#define SOCKET_BUFFER_MAX (INT_MAX / 2)

int datagram_socket_set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0 ? -errno : 0;
}

/* The kernel counts its own needs, too, and doubles what was asked for. */
static size_t buffer_granted(int fd, int name)
{
	int granted = 0;
	socklen_t length = sizeof(granted);

	getsockopt(fd, SOL_SOCKET, name, &granted, &length);
	return (size_t)granted / 2;
}

/* Being granted less is no error here; np_datagram_info tells. */
static size_t set_buffer(int fd, int name, int force, size_t bytes)
{
	int wanted = bytes < SOCKET_BUFFER_MAX ? (int)bytes : SOCKET_BUFFER_MAX;

	if (wanted > 0) {
		datagram_socket_set(fd, SOL_SOCKET, name, wanted);
		if (buffer_granted(fd, name) < (size_t)wanted)
			datagram_socket_set(fd, SOL_SOCKET, force, wanted);
	}
	return buffer_granted(fd, name);
}

/* An IPv6 socket may have IPv4 partners, too. */
static int set_both(int fd, int value, int ipv4_name, int ipv6_name, bool ipv6)
{
	int error = datagram_socket_set(fd, SOL_IP, ipv4_name, value);

	return !error && ipv6 ? datagram_socket_set(fd, SOL_IPV6, ipv6_name, value) : error;
}

static int set_marks(int fd, const struct np_datagram_options *options, bool ipv6)
{
	int error = 0;

	if (options->tos >= 0)
		error = set_both(fd, options->tos, IP_TOS, IPV6_TCLASS, ipv6);
	if (!error && options->ttl >= 0)
		error = set_both(fd, options->ttl, IP_TTL, IPV6_UNICAST_HOPS, ipv6);
	if (!error && options->ttl >= 0)
		error = np_multicast_set_hops(fd, options->ttl);
	return error;
}

static int set_errors(int fd, bool ipv6)
{
	return set_both(fd, 1, IP_RECVERR, IPV6_RECVERR, ipv6);
}

static int set_device(int fd, const char *device)
{
	size_t length = strlen(device);

	if (length == 0 || length >= IF_NAMESIZE)
		return -ENODEV;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)length) < 0 ? -errno
											  : 0;
}

/* Packets to groups leave where this socket's own group would come in. */
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
	int error;

	if (fd < 0)
		return -errno;
	datagram->fd = fd;
	datagram->info.receive_granted =
		set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, options->receive_bytes);
	datagram->info.send_granted =
		set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, options->send_bytes);
	error = set_errors(fd, ipv6);
	if (!error)
		error = set_marks(fd, options, ipv6);
	if (!error && options->device)
		error = set_device(fd, options->device);
	if (!error && options->reuse)
		error = datagram_socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (!error)
		error = set_multicast(fd, options);
	return error;
}

int datagram_socket_bind(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	struct np_address *local = &datagram->info.local;
	struct np_address address = options->group ? *options->group : *options->local;

	np_address_set_port(&address, np_address_port(options->local));
	if (bind(datagram->fd, &address.any, address.length) < 0)
		return -errno;
	local->length = sizeof(local->storage);
	return getsockname(datagram->fd, &local->any, &local->length) < 0 ? -errno : 0;
}

int datagram_socket_stamp(struct np_datagram *datagram)
{
	stamps_start(&datagram->stamps, &datagram->info.stamps);
	return datagram_socket_set(datagram->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
}
