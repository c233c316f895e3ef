// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of multicast: interfaces found, groups joined and left on loopback, what is set. */
#include <netperf/socket.h>

#include "address_of.h"
#include "support/unit.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define GROUP	    "239.77.1.2"
#define ARRIVAL_MS  2000
#define SILENCE_MS  50
#define NO_SUCH_ONE 2147483647U

/* A socket bound to the wildcard; skips the test where the family is missing. */
static int open_socket(int family)
{
	struct np_address any = address_of(family == AF_INET ? "0.0.0.0:0" : "[::]:0");
	int fd = socket(family, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, &any.any, any.length) < 0)
		skip();
	return fd;
}

static uint16_t port_of(int fd)
{
	struct np_address local = {.length = sizeof(local.storage)};

	assert_int_equal(getsockname(fd, &local.any, &local.length), 0);
	return np_address_port(&local);
}

static int read_option(int fd, int level, int name)
{
	int value = -1;
	socklen_t length = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &length), 0);
	return value;
}

static void send_to(int from, const struct np_address *group, uint16_t port)
{
	struct np_address to = *group;

	np_address_set_port(&to, port);
	assert_int_equal(sendto(from, "x", 1, 0, &to.any, to.length), 1);
}

/* Takes one packet if it comes in time. */
static bool hears(int fd, int timeout_ms)
{
	struct pollfd waiting = {.fd = fd, .events = POLLIN};
	char packet[4];

	return poll(&waiting, 1, timeout_ms) == 1 && recv(fd, packet, sizeof(packet), 0) == 1;
}

TEST(interfaces_are_found)
{
	struct np_address loopback = address_of("127.0.0.1"), any = address_of("0.0.0.0");
	struct np_address elsewhere = address_of("192.0.2.1"), other = address_of("127.7.7.7");
	struct np_address group = address_of(GROUP), scoped = address_of("[ff02::1%lo]");
	const struct {
		const char *device;
		const struct np_address *group, *local;
		bool is_lo;
	} found[] = {
		{"lo", &group, &elsewhere, true}, {NULL, &group, &loopback, true},
		{NULL, NULL, &other, true},	  {NULL, &scoped, NULL, true},
		{NULL, NULL, &elsewhere, false},  {NULL, NULL, &any, false},
		{NULL, NULL, NULL, false},
	};
	unsigned index;

	for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
		assert_int_equal(np_multicast_interface(found[i].device, found[i].group,
							found[i].local, &index),
				 0);
		assert_int_equal(index, found[i].is_lo ? if_nametoindex("lo") : 0);
	}
	assert_int_equal(np_multicast_interface("nix0", NULL, &loopback, &index), -ENODEV);
	assert_int_equal(np_multicast_interface("", NULL, &loopback, &index), -ENODEV);
}

/* A member hears its group; one of another group never does. */
TEST(members_hear_their_group)
{
	struct np_address group = address_of(GROUP), another = address_of("239.77.1.3");
	unsigned lo = if_nametoindex("lo");
	int sender = open_socket(AF_INET), member = open_socket(AF_INET);
	int other = open_socket(AF_INET);

	assert_int_equal(np_multicast_send_by(sender, lo), 0);
	assert_int_equal(np_multicast_join(member, &group, lo), 0);
	assert_int_equal(np_multicast_join(member, &group, lo), -EADDRINUSE);
	send_to(sender, &group, port_of(member));
	assert_true(hears(member, ARRIVAL_MS));

	assert_int_equal(np_multicast_join(other, &another, lo), 0);
	send_to(sender, &group, port_of(other));
	assert_false(hears(other, SILENCE_MS));

	close(sender);
	close(member);
	close(other);
}

/* Loopback has no route for these: tests/net/datagram-multicast sends to them. */
TEST(ipv6_groups_are_joined)
{
	struct np_address group = address_of("[ff02::7701:2]");
	unsigned lo = if_nametoindex("lo");
	int member = open_socket(AF_INET6);

	assert_int_equal(np_multicast_join(member, &group, lo), 0);
	assert_int_equal(np_multicast_join(member, &group, lo), -EADDRINUSE);
	assert_int_equal(read_option(member, SOL_IPV6, IPV6_MULTICAST_ALL), 0);
	assert_int_equal(np_multicast_join(member, &group, NO_SUCH_ONE), -ENODEV);
	close(member);
}

TEST(an_ipv6_socket_joins_ipv4_groups)
{
	struct np_address group = address_of(GROUP);
	unsigned lo = if_nametoindex("lo");
	int member = open_socket(AF_INET6), sender = open_socket(AF_INET);

	assert_int_equal(np_multicast_send_by(sender, lo), 0);
	assert_int_equal(np_multicast_join(member, &group, lo), 0);
	send_to(sender, &group, port_of(member));
	assert_true(hears(member, ARRIVAL_MS));
	close(member);
	close(sender);
}

TEST(what_is_wrong_is_told)
{
	struct np_address group = address_of(GROUP), host = address_of("127.0.0.1");
	int fd = open_socket(AF_INET);

	assert_int_equal(np_multicast_join(fd, &host, 0), -EINVAL);
	assert_int_equal(np_multicast_join(fd, &group, NO_SUCH_ONE), -ENODEV);
	assert_true(np_multicast_send_by(fd, NO_SUCH_ONE) < 0);
	assert_int_equal(np_multicast_set_hops(fd, -1), -EINVAL);
	assert_int_equal(np_multicast_set_hops(fd, 256), -EINVAL);
	assert_int_equal(np_multicast_join(-1, &group, 0), -EBADF);
	close(fd);
}

TEST(the_senders_side_is_set)
{
	int ipv4 = open_socket(AF_INET), ipv6;

	assert_int_equal(read_option(ipv4, SOL_IP, IP_MULTICAST_TTL), 1);
	assert_int_equal(np_multicast_set_hops(ipv4, 0), 0);
	assert_int_equal(read_option(ipv4, SOL_IP, IP_MULTICAST_TTL), 0);
	close(ipv4);
	ipv6 = open_socket(AF_INET6);
	assert_int_equal(np_multicast_set_hops(ipv6, 255), 0);
	assert_int_equal(read_option(ipv6, SOL_IPV6, IPV6_MULTICAST_HOPS), 255);
	assert_int_equal(read_option(ipv6, SOL_IP, IP_MULTICAST_TTL), 255);
	assert_int_equal(np_multicast_send_by(ipv6, if_nametoindex("lo")), 0);
	assert_int_equal(read_option(ipv6, SOL_IPV6, IPV6_MULTICAST_IF), if_nametoindex("lo"));
	close(ipv6);
}
