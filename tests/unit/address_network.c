// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Unit tests of address_of_network and its like on a made-up host: networks of IPv4 and IPv6,
 * names of interfaces, several addresses that match, and none.
 */
#include "address_of.h"
#include "src/lib/base/address_host.h"
#include "support/unit.h"

#include <ifaddrs.h>
#include <sys/ioctl.h>

static char lo[] = "lo", eth0[] = "eth0", eth1[] = "eth1", down[] = "eth2", empty[] = "eth3",
	    idle[] = "eth4", tunnel[] = "tun0";

/* Its interfaces, as getifaddrs(3) lists them: the loopback, then first all of IPv4. */
static const struct {
	char *name;
	unsigned flags;
	const char *address; /* NULL: an entry of the link layer */
} host[] = {
	{lo, IFF_UP | IFF_RUNNING | IFF_LOOPBACK, NULL},
	{eth0, IFF_UP | IFF_RUNNING, NULL},
	{empty, IFF_UP | IFF_RUNNING, NULL},
	{lo, IFF_UP | IFF_RUNNING | IFF_LOOPBACK, "127.0.0.1"},
	{eth0, IFF_UP | IFF_RUNNING, "169.254.3.4"},
	{eth0, IFF_UP | IFF_RUNNING, "10.1.2.3"},
	{eth0, IFF_UP | IFF_RUNNING, "10.1.200.3"},
	{eth1, IFF_UP | IFF_RUNNING, "10.2.0.1"},
	{down, 0, "10.3.0.1"},
	{idle, IFF_UP, "11.5.0.1"},
	{tunnel, IFF_UP | IFF_RUNNING, "127.6.0.1"},
	{lo, IFF_UP | IFF_RUNNING | IFF_LOOPBACK, "[::1]"},
	{eth1, IFF_UP | IFF_RUNNING, "[fe80::1]"},
	{eth1, IFF_UP | IFF_RUNNING, "[fd00::1:5]"},
	{eth1, IFF_UP | IFF_RUNNING, "[fd00:0:0:1::5]"},
};
#define ENTRIES (sizeof(host) / sizeof(*host))

static struct ifaddrs list[ENTRIES];
static struct np_address addresses[ENTRIES];

/* Instead of the C library's. */
int getifaddrs(struct ifaddrs **first)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		list[i] = (struct ifaddrs){.ifa_name = host[i].name, .ifa_flags = host[i].flags};
		if (host[i].address) {
			addresses[i] = address_of(host[i].address);
			list[i].ifa_addr = &addresses[i].any;
		}
		list[i].ifa_next = i + 1 < ENTRIES ? &list[i + 1] : NULL;
	}
	*first = list;
	return 0;
}

void freeifaddrs(struct ifaddrs *first)
{
	assert_ptr_equal(first, list);
}

static const char *jumbo; /* the interface with the highest MTU */

/* For SIOCGIFMTU. */
int ioctl(int fd, unsigned long request, ...)
{
	struct ifreq *asked;
	va_list arguments;

	(void)fd;
	(void)request;
	va_start(arguments, request);
	asked = va_arg(arguments, struct ifreq *);
	va_end(arguments);
	asked->ifr_mtu = jumbo && !strcmp(asked->ifr_name, jumbo) ? 9000 : 1500;
	return 0;
}

static unsigned interfaces;

static int of_network(struct np_address *found, const char *text, int family, uint16_t port)
{
	return address_of_network(found, text, family, port, &interfaces);
}

static void check(const char *text, const char *wanted)
{
	const struct np_address expected = address_of(wanted);
	struct np_address found;

	memset(&found, 0xff, sizeof(found));
	assert_int_equal(of_network(&found, text, AF_UNSPEC, 77), 0);
	assert_true(np_address_same_host(&found, &expected));
	assert_int_equal(np_address_port(&found), 77);
	assert_string_equal(found.name, "");
}

TEST(networks_select)
{
	check("10.1.0.0/16", "10.1.2.3");
	check("10.1.128.0/17", "10.1.200.3");
	check("10.1.200.0/24", "10.1.200.3");
	check("10.2.0.0/23", "10.2.0.1");
	check("10.2.0.1/32", "10.2.0.1");
	check("10.2.0.1", "10.2.0.1");
	/* The bits behind the prefix do not count. */
	check("10.2.1.255/16", "10.2.0.1");
	check("fd00::/64", "[fd00::1:5]");
	check("fd00:0:0:1::/64", "[fd00:0:0:1::5]");
	check("fd00::1:4/127", "[fd00::1:5]");
	check("fd00:0:0:1::5", "[fd00:0:0:1::5]");
}

/* The first one, in the order of the list; a network of one family has none of the other. */
TEST(of_several_the_first)
{
	check("10.0.0.0/8", "10.1.2.3");
	check("fd00::/16", "[fd00::1:5]");
	check("0.0.0.0/1", "10.1.2.3");
	check("::/0", "[fd00::1:5]");
	check("fe80::/10", "[fe80::1]");
}

TEST(interfaces_select)
{
	check("eth0", "10.1.2.3");
	/* IPv4 before IPv6. */
	check("eth1", "10.2.0.1");
	check("lo", "127.0.0.1");
}

static void of_family(int family, const char *interface, const char *wanted)
{
	const struct np_address expected = address_of(wanted);
	struct np_address found;

	assert_int_equal(of_network(&found, interface, family, 0), 0);
	assert_true(np_address_same_host(&found, &expected));
}

TEST(families_select)
{
	struct np_address found;

	of_family(AF_INET6, "eth1", "[fd00::1:5]");
	of_family(AF_INET, "eth1", "10.2.0.1");
	of_family(AF_INET6, NULL, "[fd00::1:5]");
	assert_int_equal(np_address_of_this_host(&found, AF_INET, 0), 0);
	assert_int_equal(found.any.sa_family, AF_INET);
	assert_int_equal(of_network(&found, "eth0", AF_INET6, 0), -ENODEV);
	assert_int_equal(of_network(&found, "10.1.0.0/16", AF_INET6, 0), -EADDRNOTAVAIL);
}

/* Which others reach, of the highest MTU, IPv4 before IPv6. */
TEST(this_host_is_reached_by_the_best)
{
	static char *const unfit[] = {down, idle, tunnel, lo};

	of_family(AF_UNSPEC, NULL, "10.1.2.3");
	jumbo = eth1;
	of_family(AF_UNSPEC, NULL, "10.2.0.1");
	for (size_t i = 0; i < sizeof(unfit) / sizeof(*unfit); i++) {
		jumbo = unfit[i];
		of_family(AF_UNSPEC, NULL, "10.1.2.3");
	}
	jumbo = NULL;
	of_family(AF_UNSPEC, NULL, "10.1.2.3");
	assert_int_equal(interfaces, 2);
}

TEST(the_loopback_only_if_asked_for)
{
	check("127.0.0.0/8", "127.0.0.1");
	check("::1", "[::1]");
	check("::1/128", "[::1]");
}

TEST(none_and_nonsense_are_told_apart)
{
	/* Of 10.3 the interface is down. */
	static const struct {
		const char *texts;
		int error;
	} cases[] = {
		{"10.4.0.0/16|10.1.3.0/24|fd01::/16|10.3.0.0/16", -EADDRNOTAVAIL},
		{"eth2|eth3|eth|", -ENODEV},
		{"10.1.0.0/33|fd00::/129|10.1.0.0/|10.1.0.0/x|eth0/24|/24", -EINVAL},
	};
	struct np_address found;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct unit_texts all = {.rest = cases[i].texts};

		while (unit_next(&all))
			assert_int_equal(of_network(&found, all.text, AF_UNSPEC, 0),
					 cases[i].error);
	}
}

static bool have(const char *networks, const char *address)
{
	const struct np_address a = address_of(address);
	struct np_address_networks *n;
	bool found;

	assert_int_equal(np_address_networks_parse(&n, networks), 0);
	found = np_address_networks_have(n, &a);
	np_address_networks_free(n);
	return found;
}

TEST(lists_of_networks)
{
	static const char *const bad[] = {
		"",	      ",",     "10.0.0.0/33", "10.0.0.0/8,", "host", "10.0.0.0/8,eth0",
		"fd00::/129", "::/0 ", "1.2.3/8"};
	const struct np_address a = address_of("10.1.2.3");
	struct np_address_networks *n;

	assert_true(have("10.0.0.0/8", "10.1.2.3"));
	assert_false(have("10.0.0.0/16", "10.1.2.3"));
	assert_true(have("fd00::/8,10.1.2.3", "10.1.2.3"));
	assert_false(have("fd00::/8,10.1.2.3", "10.1.2.4"));
	assert_true(have("fd00::/8,10.1.2.3", "[fd12::1]"));
	assert_true(have("0.0.0.0/0", "255.1.2.3"));
	assert_false(have("0.0.0.0/0", "[::1]"));
	assert_false(have("::/0", "10.1.2.3"));
	assert_true(have("10.1.2.0/25", "[::ffff:10.1.2.3]"));
	assert_false(have("10.1.2.128/25", "[::ffff:10.1.2.3]"));
	assert_true(np_address_networks_have(NULL, &a));
	np_address_networks_free(NULL);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(np_address_networks_parse(&n, bad[i]), -EINVAL);
		assert_null(n);
	}
}

TEST(interfaces_are_counted_once)
{
	struct np_address found = address_of("10.1.200.3");
	char name[IFNAMSIZ];

	address_interface(&found, name);
	assert_string_equal(name, "eth0");
	found = address_of("127.3.2.1");
	address_interface(&found, name);
	assert_string_equal(name, "lo");
	found = address_of("10.9.9.9");
	address_interface(&found, name);
	assert_string_equal(name, "");
}
