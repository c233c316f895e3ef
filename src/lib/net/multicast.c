// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* multicast: joins groups and sets how packets to groups are sent, for both families alike. */
#include <netperf/socket.h>

#include "../base/address_host.h"
#include "socket.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static bool is_ipv6(int fd)
{
	int domain = AF_UNSPEC;
	socklen_t length = sizeof(domain);

	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 && domain == AF_INET6;
}

static int set_both(int fd, int ipv4_name, int ipv6_name, int value)
{
	return socket_set_family(fd, is_ipv6(fd), ipv4_name, ipv6_name, value);
}

static unsigned scope_of(const struct np_address *address)
{
	struct sockaddr_in6 ipv6;

	if (!address || address->any.sa_family != AF_INET6)
		return 0;
	memcpy(&ipv6, &address->storage, sizeof(ipv6));
	return ipv6.sin6_scope_id;
}

int np_multicast_interface(const char *device, const struct np_address *group,
			   const struct np_address *local, unsigned *index)
{
	char owner[IFNAMSIZ];

	*index = 0;
	if (device) {
		*index = if_nametoindex(device);
		return *index ? 0 : -ENODEV;
	}
	*index = scope_of(group);
	if (!*index && local && !np_address_is_wildcard(local)) {
		np_address_interface(local, owner);
		*index = if_nametoindex(owner);
	}
	return 0;
}

static int change(int fd, int name, const struct np_address *group, unsigned index)
{
	struct group_req request = {.gr_interface = index};
	int level = group->any.sa_family == AF_INET6 ? SOL_IPV6 : SOL_IP;

	memcpy(&request.gr_group, &group->storage, sizeof(request.gr_group));
	return setsockopt(fd, level, name, &request, sizeof(request)) < 0 ? -errno : 0;
}

int np_multicast_join(int fd, const struct np_address *group, unsigned index)
{
	int error;

	if (!np_address_is_multicast(group))
		return -EINVAL;
	/* Otherwise it would receive the group on interfaces where other sockets have joined it. */
	error = set_both(fd, IP_MULTICAST_ALL, IPV6_MULTICAST_ALL, 0);
	return error ? error : change(fd, MCAST_JOIN_GROUP, group, index);
}

int np_multicast_leave(int fd, const struct np_address *group, unsigned index)
{
	return change(fd, MCAST_LEAVE_GROUP, group, index);
}

int np_multicast_send_by(int fd, unsigned index)
{
	struct ip_mreqn request = {.imr_ifindex = (int)index};

	if (setsockopt(fd, SOL_IP, IP_MULTICAST_IF, &request, sizeof(request)) < 0)
		return -errno;
	return is_ipv6(fd) ? socket_set(fd, SOL_IPV6, IPV6_MULTICAST_IF, (int)index) : 0;
}

int np_multicast_set_hops(int fd, int hops)
{
	/* -1 would select the kernel's default. */
	if (hops < 0)
		return -EINVAL;
	return set_both(fd, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS, hops);
}

int np_multicast_set_loop(int fd, bool loop)
{
	return set_both(fd, IP_MULTICAST_LOOP, IPV6_MULTICAST_LOOP, loop);
}
