// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* address_host: the addresses of this host's own interfaces. */
#include "address_host.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define MTU_UNKNOWN 1500

/* False when the interface's address is not an IP address. */
static bool take_address(const struct ifaddrs *interface, struct np_address *address)
{
	const struct sockaddr *from = interface->ifa_addr;

	memset(address, 0, sizeof(*address));
	if (from && from->sa_family == AF_INET)
		address->length = sizeof(struct sockaddr_in);
	else if (from && from->sa_family == AF_INET6)
		address->length = sizeof(struct sockaddr_in6);
	else
		return false;
	memcpy(&address->storage, from, address->length);
	return true;
}

static unsigned mtu_of(const char *interface)
{
	struct ifreq request = {.ifr_mtu = 0};
	const size_t length = strnlen(interface, IFNAMSIZ - 1);
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return MTU_UNKNOWN;
	memcpy(request.ifr_name, interface, length);

	const int rc = ioctl(fd, SIOCGIFMTU, &request);

	close(fd);
	return rc || request.ifr_mtu <= 0 ? MTU_UNKNOWN : (unsigned)request.ifr_mtu;
}

static bool is_link_local(const struct np_address *address)
{
	if (address->any.sa_family == AF_INET) {
		const struct sockaddr_in *v4 = (const void *)&address->storage;

		return ntohl(v4->sin_addr.s_addr) >> 16 == 0xA9FE; /* 169.254/16, RFC 3927 */
	}

	const struct sockaddr_in6 *v6 = (const void *)&address->storage;

	return IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

/* True when other hosts can reach this one by the address. */
static bool is_reachable(const struct ifaddrs *interface, const struct np_address *address)
{
	const unsigned needed = IFF_UP | IFF_RUNNING;

	return (interface->ifa_flags & needed) == needed &&
	       !(interface->ifa_flags & IFF_LOOPBACK) && !np_address_is_loopback(address) &&
	       !is_link_local(address);
}

/* What an address must be like: of an interface, in a network, or else reachable. */
struct wanted_address {
	const char *interface;		/* or NULL */
	struct address_network network; /* its length 0: none */
	int family;			/* AF_UNSPEC: any */
};

static bool is_wanted(const struct wanted_address *wanted, const struct ifaddrs *interface,
		      const struct np_address *address)
{
	const struct np_address *of = &wanted->network.first;

	if (wanted->family != AF_UNSPEC && address->any.sa_family != wanted->family)
		return false;
	if (!wanted->interface && !of->length)
		return is_reachable(interface, address);
	if (!(interface->ifa_flags & IFF_UP))
		return false;
	if (wanted->interface)
		return !strcmp(interface->ifa_name, wanted->interface) && !is_link_local(address);
	/* A network such as 0.0.0.0/0 has them, but nobody means them. */
	if (np_address_is_loopback(address) && !np_address_is_loopback(of))
		return false;
	if (is_link_local(address) && !is_link_local(of))
		return false;
	return address_network_has(&wanted->network, address);
}

static bool fits(const struct wanted_address *wanted, const struct ifaddrs *interface,
		 struct np_address *address)
{
	return take_address(interface, address) && is_wanted(wanted, interface, address);
}

/*
 * Of several ones, where any will do that of the highest MTU, then IPv4; @interfaces: how many have
 * one. Returns 0, -errno or -ENODEV.
 */
static int choose(const struct wanted_address *wanted, struct np_address *best,
		  unsigned *interfaces)
{
	const bool any = !wanted->interface && !wanted->network.first.length;
	unsigned mtu, best_mtu = 0;
	struct np_address address, other;
	struct ifaddrs *list;

	*best = (struct np_address){.length = 0};
	*interfaces = 0;
	if (getifaddrs(&list))
		return -errno;
	for (const struct ifaddrs *at = list, *first = list; at; at = at->ifa_next, first = list) {
		if (!fits(wanted, at, &address))
			continue;
		/* The list has an entry for each address: the first of an interface counts. */
		while (first != at &&
		       (strcmp(first->ifa_name, at->ifa_name) || !fits(wanted, first, &other)))
			first = first->ifa_next;
		*interfaces += first == at;
		mtu = any ? mtu_of(at->ifa_name) : 0;
		if (!best->length || mtu > best_mtu ||
		    (mtu == best_mtu && best->any.sa_family == AF_INET6 &&
		     address.any.sa_family == AF_INET)) {
			*best = address;
			best_mtu = mtu;
		}
	}
	freeifaddrs(list);
	return best->length ? 0 : -ENODEV;
}

int np_address_of_this_host(struct np_address *address, int family, uint16_t port)
{
	unsigned interfaces;

	return address_of_network(address, NULL, family, port, &interfaces);
}

int address_of_network(struct np_address *address, const char *text, int family, uint16_t port,
		       unsigned *interfaces)
{
	struct wanted_address wanted = {.family = family};
	struct np_address found;
	int rc = text ? address_network_read(&wanted.network, text) : 0;

	if (rc == -ENOENT && !strchr(text, '/'))
		wanted.interface = text;
	else if (rc)
		return -EINVAL;
	rc = choose(&wanted, &found, interfaces);
	if (rc == -ENODEV && !text)
		return np_address_parse(address, family == AF_INET6 ? "::1" : "127.0.0.1", port,
					AF_UNSPEC);
	if (rc)
		return rc == -ENODEV && !wanted.interface ? -EADDRNOTAVAIL : rc;
	*address = found;
	np_address_set_port(address, port);
	return 0;
}

void address_interface(const struct np_address *address, char name[IFNAMSIZ])
{
	const bool loopback = address->any.sa_family == AF_INET && np_address_is_loopback(address);
	struct np_address own;
	struct ifaddrs *interfaces;

	name[0] = '\0';
	if (getifaddrs(&interfaces))
		return;
	for (const struct ifaddrs *at = interfaces; at && !name[0]; at = at->ifa_next) {
		if (!take_address(at, &own))
			continue;
		/* 127.0.0.1 covers all of 127/8. */
		if (np_address_same_host(&own, address) ||
		    (loopback && own.any.sa_family == AF_INET && np_address_is_loopback(&own)))
			memccpy(name, at->ifa_name, '\0', IFNAMSIZ);
	}
	freeifaddrs(interfaces);
}

bool np_address_is_local(const struct np_address *address)
{
	char owner[IFNAMSIZ];

	address_interface(address, owner);
	return owner[0];
}

/* The kernel refuses a connection to a broadcast address unless SO_BROADCAST is set. */
bool np_address_is_broadcast(const struct np_address *address)
{
	const struct sockaddr *to = &address->any;
	const int one = 1;
	const struct sockaddr_in *in = (const void *)to;
	bool is = to->sa_family == AF_INET && in->sin_addr.s_addr == INADDR_BROADCAST;
	int fd;

	if (is || to->sa_family != AF_INET)
		return is;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	is = connect(fd, to, address->length) < 0 && errno == EACCES &&
	     !setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &one, sizeof(one)) &&
	     !connect(fd, to, address->length);
	close(fd);
	return is;
}

int np_address_toward(const struct np_address *to, const char *device, struct np_address *local)
{
	const int fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = 0;

	if (fd < 0)
		return -errno;
	*local = (struct np_address){.length = sizeof(local->storage)};
	if ((device &&
	     setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)strlen(device))) ||
	    connect(fd, &to->any, to->length) || getsockname(fd, &local->any, &local->length))
		rc = -errno;
	else
		np_address_set_port(local, 0);
	close(fd);
	return rc;
}
