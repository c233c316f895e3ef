// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram_fragments: whether packets go in fragments, and the warning about it. */
#include <netperf/datagram.h>

#include "socket.h"

#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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

/* A port that the kernel has yet to choose is left out. */
static const char *name(const struct np_address *address, char text[NP_ADDRESS_TEXT])
{
	np_address_format(address, text);
	if (!np_address_port(address))
		*strrchr(text, ':') = '\0';
	return text;
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
	np_log_warning(log, name(address, text),
		       "packets of %zu bytes do not fit its MTU of %u: each is sent in fragments; "
		       "losing one loses the packet",
		       bytes, mtu);
	return false;
}
