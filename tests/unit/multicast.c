// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of multicast: interfaces found, groups joined on loopback, what is set. */
#include <netperf/datagram.h>

#include "address_of.h"
#include "src/lib/net/socket.h"
#include "support/unit.h"

#include <net/if.h>
#include <netinet/in.h>

#define GROUP	    "239.77.1.2"
#define ARRIVAL	    (2 * NP_SECOND)
#define SILENCE	    (50 * NP_MILLISECOND)
#define NO_SUCH_ONE 2147483647U

static int read_option(int fd, int level, int name)
{
	int value = -1;
	socklen_t length = sizeof(value);

	assert_int_equal(getsockopt(fd, level, name, &value, &length), 0);
	return value;
}

/* A socket on loopback, in @group unless that is NULL; skips the test where the family is missing.
 */
static struct np_datagram *open_socket(const char *local, const struct np_address *group, int ttl)
{
	const struct np_address address = address_of(local);
	const struct np_datagram_options options = {
		.local = &address,
		.group = group,
		.packet_bytes = 1,
		.batch = 1,
		.ip = {-1, ttl, "lo"},
		.reuse = true,
	};
	struct np_datagram *socket;

	if (np_datagram_open(&socket, &options))
		skip();
	return socket;
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
	struct np_datagram *sender = open_socket("127.0.0.1:0", NULL, -1);
	struct np_datagram *member = open_socket("127.0.0.1:0", &group, -1), *other;
	const uint16_t port = np_address_port(&np_datagram_info(member)->local);
	char local[32];

	snprintf(local, sizeof(local), "127.0.0.1:%u", port);
	other = open_socket(local, &another, -1);
	np_address_set_port(&group, port);
	assert_int_equal(np_datagram_send(sender, &group, 0, 1, 1, true), 1);
	assert_int_equal(np_datagram_wait(member, -1, np_clock_now() + ARRIVAL), 1);
	assert_int_equal(np_datagram_wait(other, -1, np_clock_now() + SILENCE), 0);
	np_datagram_free(sender);
	np_datagram_free(member);
	np_datagram_free(other);
}

/* Loopback has no route for these: tests/net/datagram-multicast sends to them. */
TEST(ipv6_groups_are_joined)
{
	struct np_address group = address_of("[ff02::7701:2%lo]");
	struct np_datagram *member = open_socket("[::1]:0", &group, 255);
	const int fd = np_datagram_fd(member);

	assert_int_equal(read_option(fd, SOL_IPV6, IPV6_MULTICAST_ALL), 0);
	assert_int_equal(read_option(fd, SOL_IPV6, IPV6_MULTICAST_HOPS), 255);
	assert_int_equal(read_option(fd, SOL_IP, IP_MULTICAST_TTL), 255);
	assert_int_equal(read_option(fd, SOL_IPV6, IPV6_MULTICAST_IF), if_nametoindex("lo"));
	np_datagram_free(member);
}

TEST(hops_may_be_none)
{
	struct np_datagram *sender = open_socket("127.0.0.1:0", NULL, 0);

	assert_int_equal(read_option(np_datagram_fd(sender), SOL_IP, IP_MULTICAST_TTL), 0);
	assert_true(socket_send_groups_by(np_datagram_fd(sender), NO_SUCH_ONE) < 0);
	np_datagram_free(sender);
}
