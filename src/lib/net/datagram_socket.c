// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_socket: creates a UDP socket with the buffers, marks, device, group and address asked
 * for, reads what the kernel keeps about it beside its packets, and whether packets fit
 * unfragmented.
 */
#include "datagram_variant.h"
#include "socket.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <netperf/datagram.h>
#include <netperf/socket.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
	/* Not to port 0, which the kernel would accept: it would send without an error. */
	datagram->connected =
		options->peer && np_address_port(options->peer) &&
		connect(datagram->fd, &options->peer->any, options->peer->length) == 0;
	return 0;
}

int datagram_socket_stamp(struct np_datagram *datagram)
{
	stamps_start(&datagram->stamps, &datagram->info.stamps);
	return socket_set(datagram->fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
}

static bool is_icmp(const struct cmsghdr *at, struct sock_extended_err *error)
{
	if (!(at->cmsg_level == SOL_IP && at->cmsg_type == IP_RECVERR) &&
	    !(at->cmsg_level == SOL_IPV6 && at->cmsg_type == IPV6_RECVERR))
		return false;
	memcpy(error, CMSG_DATA(at), sizeof(*error));
	return error->ee_origin == SO_EE_ORIGIN_ICMP || error->ee_origin == SO_EE_ORIGIN_ICMP6;
}

/* Stores a refusal; the oldest is dropped if the list is full. */
static void keep_refusal(struct np_datagram *datagram, const struct np_address *to)
{
	unsigned at = (datagram->refused_first + datagram->refused_count) % DATAGRAM_REFUSED_KEPT;

	datagram->refused[at] = *to;
	if (datagram->refused_count < DATAGRAM_REFUSED_KEPT)
		datagram->refused_count++;
	else
		datagram->refused_first = (at + 1) % DATAGRAM_REFUSED_KEPT;
}

bool np_datagram_refused(struct np_datagram *datagram, struct np_address *to)
{
	if (!datagram->refused_count)
		return false;
	*to = datagram->refused[datagram->refused_first];
	datagram->refused_first = (datagram->refused_first + 1) % DATAGRAM_REFUSED_KEPT;
	datagram->refused_count--;
	return true;
}

unsigned datagram_errors_drain(struct np_datagram *datagram)
{
	union {
		struct cmsghdr header;
		uint8_t room[256];
	} control;
	struct sock_extended_err error;
	unsigned count = 0;

	for (;;) {
		struct np_address to = {0};
		struct msghdr message = {
			.msg_control = &control,
			.msg_controllen = sizeof(control),
			.msg_name = &to.storage,
			.msg_namelen = sizeof(to.storage),
		};

		if (recvmsg(datagram->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			break;
		for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at;
		     at = CMSG_NXTHDR(&message, at)) {
			if (!is_icmp(at, &error))
				continue;
			datagram->stats.last_error = -(int)error.ee_errno;
			to.length = message.msg_namelen;
			if (error.ee_errno == ECONNREFUSED && to.length)
				keep_refusal(datagram, &to);
			count++;
		}
	}
	datagram->stats.icmp_errors += count;
	return count;
}

int datagram_drops_count(struct np_datagram *datagram)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(info);

	if (getsockopt(datagram->fd, SOL_SOCKET, SO_MEMINFO, info, &length) < 0)
		return -errno;
	datagram->stats.dropped += info[SK_MEMINFO_DROPS] - datagram->drops_seen;
	datagram->drops_seen = info[SK_MEMINFO_DROPS];
	return 0;
}

/* The kernel reports the MTU of a route only for a connected socket. */
static unsigned mtu_by(int fd, const struct np_datagram_options *how, const struct np_address *to)
{
	const bool ipv6 = to->any.sa_family == AF_INET6;
	struct np_address local = *how->local;
	socklen_t length = sizeof(int);
	int mtu = 0;

	np_address_set_port(&local, 0);
	if ((how->device && socket_set_device(fd, how->device)) ||
	    bind(fd, &local.any, local.length) || connect(fd, &to->any, to->length) ||
	    getsockopt(fd, ipv6 ? IPPROTO_IPV6 : IPPROTO_IP, ipv6 ? IPV6_MTU : IP_MTU, &mtu,
		       &length))
		return 0;
	return mtu > 0 ? (unsigned)mtu : 0;
}

unsigned np_datagram_mtu(const struct np_datagram_options *how, const struct np_address *to)
{
	int fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	unsigned mtu = fd < 0 ? 0 : mtu_by(fd, how, to);

	if (fd >= 0)
		close(fd);
	return mtu;
}

bool np_datagram_fits(size_t bytes, unsigned mtu, const struct np_address *address,
		      const struct np_log *log)
{
	const size_t headers =
		sizeof(struct udphdr) + (address->any.sa_family == AF_INET6 ? sizeof(struct ip6_hdr)
									    : sizeof(struct iphdr));
	char text[NP_ADDRESS_TEXT];

	if (!mtu || bytes + headers <= mtu)
		return true;
	/* A port that the kernel has yet to choose is left out. */
	np_address_format(address, text);
	if (!np_address_port(address))
		*strrchr(text, ':') = '\0';
	np_log_warning(log, text,
		       "packets of %zu bytes do not fit its MTU of %u: each is sent in fragments; "
		       "losing one loses the packet",
		       bytes, mtu);
	return false;
}
