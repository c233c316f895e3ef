// SPDX-License-Identifier: GPL-2.0-or-later
/* datagram_socket: makes a UDP socket as asked for: buffers, marks, device, group, address. */
#include "datagram_variant.h"

#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
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

static int set_both(int fd, int value, const int ipv4_name[2], const int ipv6_name[2], bool ipv6)
{
	int error = 0;

	/* An IPv6 socket may have IPv4 partners, too. */
	for (unsigned i = 0; i < 2 && !error; i++)
		error = datagram_socket_set(fd, SOL_IP, ipv4_name[i], value);
	for (unsigned i = 0; i < 2 && !error && ipv6; i++)
		error = datagram_socket_set(fd, SOL_IPV6, ipv6_name[i], value);
	return error;
}

static int set_marks(int fd, const struct np_datagram_options *options, bool ipv6)
{
	static const int ttl[] = {IP_TTL, IP_MULTICAST_TTL}, tos[] = {IP_TOS, IP_TOS};
	static const int hops[] = {IPV6_UNICAST_HOPS, IPV6_MULTICAST_HOPS};
	static const int class[] = {IPV6_TCLASS, IPV6_TCLASS};
	int error = 0;

	if (options->tos >= 0)
		error = set_both(fd, options->tos, tos, class, ipv6);
	if (!error && options->ttl >= 0)
		error = set_both(fd, options->ttl, ttl, hops, ipv6);
	return error;
}

static int set_errors(int fd, bool ipv6)
{
	static const int ipv4_name[] = {IP_RECVERR, IP_RECVERR};
	static const int ipv6_name[] = {IPV6_RECVERR, IPV6_RECVERR};

	return set_both(fd, 1, ipv4_name, ipv6_name, ipv6);
}

static int set_device(int fd, const char *device)
{
	size_t length = strlen(device);

	if (length == 0 || length >= IF_NAMESIZE)
		return -ENODEV;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)length) < 0 ? -errno
											  : 0;
}

/* The interface that has @address, 0: none has. */
static unsigned interface_of(const struct np_address *address)
{
	struct ifaddrs *list;
	struct np_address other = {.name = ""};
	unsigned index = 0;

	if (np_address_is_wildcard(address) || getifaddrs(&list) < 0)
		return 0;
	for (const struct ifaddrs *at = list; at && index == 0; at = at->ifa_next) {
		if (!at->ifa_addr || at->ifa_addr->sa_family != address->any.sa_family)
			continue;
		other.length = address->length;
		memcpy(&other.storage, at->ifa_addr, other.length);
		if (np_address_same_host(&other, address))
			index = if_nametoindex(at->ifa_name);
	}
	freeifaddrs(list);
	return index;
}

static unsigned multicast_interface(const struct np_datagram_options *options)
{
	struct sockaddr_in6 group = {.sin6_family = AF_UNSPEC};

	if (options->device)
		return if_nametoindex(options->device);
	if (options->group)
		memcpy(&group, &options->group->storage, sizeof(group));
	if (group.sin6_family == AF_INET6 && group.sin6_scope_id)
		return group.sin6_scope_id;
	return interface_of(options->local);
}

/* Where multicast packets go out; what this host's own members hear is the kernel's default, all.
 */
static int set_multicast_interface(int fd, unsigned index, bool ipv6)
{
	struct ip_mreqn request = {.imr_ifindex = (int)index};

	if (index == 0)
		return 0;
	if (ipv6)
		return datagram_socket_set(fd, SOL_IPV6, IPV6_MULTICAST_IF, (int)index);
	return setsockopt(fd, SOL_IP, IP_MULTICAST_IF, &request, sizeof(request)) < 0 ? -errno : 0;
}

static int join(int fd, const struct np_address *group, unsigned index)
{
	bool ipv6 = group->any.sa_family == AF_INET6;
	int level = ipv6 ? SOL_IPV6 : SOL_IP;
	struct group_req request = {.gr_interface = index};
	int error;

	/* Else it would hear the group on interfaces that others here have joined it on. */
	error = datagram_socket_set(fd, level, ipv6 ? IPV6_MULTICAST_ALL : IP_MULTICAST_ALL, 0);
	if (error)
		return error;
	memcpy(&request.gr_group, &group->storage, sizeof(request.gr_group));
	return setsockopt(fd, level, MCAST_JOIN_GROUP, &request, sizeof(request)) < 0 ? -errno : 0;
}

static int set_multicast(int fd, const struct np_datagram_options *options, bool ipv6)
{
	unsigned index = multicast_interface(options);
	int error = set_multicast_interface(fd, index, ipv6);

	if (!error && options->group)
		error = join(fd, options->group, index);
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
		error = set_multicast(fd, options, ipv6);
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
