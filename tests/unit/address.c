// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of address: the grammar, the printed form, comparison and this host's interfaces. */
#include "support/unit.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netperf/address.h>

#define PORT 9999

/* The printed forms of a list, each followed by a blank. */
static char *print(const struct np_address_list *list)
{
	char *text = calloc(list->count + 1, NP_ADDRESS_TEXT + 1), *at = text;

	assert_non_null(text);
	for (size_t i = 0; i < list->count; i++) {
		at = stpcpy(at, np_address_format(&list->item[i]).text);
		*at++ = ' ';
	}
	return text;
}

/* How addresses are printed, as unit_next has them, each followed by a blank. */
static void prints(const char *cases)
{
	struct unit_texts all = {.rest = cases};

	while (unit_next(&all)) {
		struct np_address_list list = {0};
		char *is;

		assert_int_equal(np_address_list_parse(&list, all.text, PORT, NP_ADDRESS_NUMERIC),
				 0);
		is = print(&list);
		assert_string_equal(is, all.value);
		free(is);
		np_address_list_clear(&list);
		assert_null(list.item);
		assert_int_equal(list.count, 0);
	}
}

static struct np_address parse(const char *text)
{
	struct np_address_list list = {0};

	assert_int_equal(np_address_list_parse(&list, text, PORT, NP_ADDRESS_NUMERIC), 0);
	assert_int_equal(list.count, 1);

	const struct np_address address = list.item[0];

	np_address_list_clear(&list);
	return address;
}

TEST(literals_read_and_print_as_in_java)
{
	prints("195.0.0.1:9998=/195.0.0.1:9998 |195.0.0.1=/195.0.0.1:9999 |0.0.0.0:0=/0.0.0.0:0 |"
	       "*:9998=0.0.0.0/0.0.0.0:9998 |*=0.0.0.0/0.0.0.0:9999 |"
	       "[::1]=/[0:0:0:0:0:0:0:1]:9999 |"
	       "[2001:DB8::ff00:42:8329]:65535=/[2001:db8:0:0:0:ff00:42:8329]:65535 |"
	       "[::]:1=/[0:0:0:0:0:0:0:0]:1 |[::ffff:10.0.0.1]:7=/10.0.0.1:7 |"
	       "1.2.3.4:00080=/1.2.3.4:80 ");
}

TEST(ranges_go_up_and_down)
{
	prints("1.2.3.4:9000..9004=/1.2.3.4:9000 /1.2.3.4:9001 /1.2.3.4:9002 /1.2.3.4:9003 "
	       "/1.2.3.4:9004 |"
	       "1.2.3.4:7003..7001=/1.2.3.4:7003 /1.2.3.4:7002 /1.2.3.4:7001 |"
	       "1.2.3.4:9000..9000=/1.2.3.4:9000 |"
	       "127.0.0.1..3=/127.0.0.1:9999 /127.0.0.2:9999 /127.0.0.3:9999 |"
	       "10.1.2.255..254=/10.1.2.255:9999 /10.1.2.254:9999 |"
	       "[::1]:1..2=/[0:0:0:0:0:0:0:1]:1 /[0:0:0:0:0:0:0:1]:2 |"
	       "*:1..0=0.0.0.0/0.0.0.0:1 0.0.0.0/0.0.0.0:0 ");
}

TEST(one_argument_holds_several)
{
	prints(" 1.1.1.1:5\t2.2.2.2\n1.1.1.1:5  =/1.1.1.1:5 /2.2.2.2:9999 /1.1.1.1:5 |"
	       "9.9.9.9:2..1 [::1]:3=/9.9.9.9:2 /9.9.9.9:1 /[0:0:0:0:0:0:0:1]:3 ");
}

/* Each of the texts, between which there is a |, is refused; the list keeps what it has. */
static void refused(struct np_address_list *list, int error, const char *texts)
{
	struct unit_texts all = {.rest = texts};

	while (unit_next(&all)) {
		const int rc = np_address_list_parse(list, all.text, PORT, NP_ADDRESS_NUMERIC);

		if (rc != error)
			fail_msg("%s gives %d", all.text, rc);
		assert_int_equal(list->count, 1);
		assert_int_equal(np_address_port(&list->item[0]), 5);
	}
}

TEST(what_is_refused_leaves_the_list_alone)
{
	struct np_address_list list = {0};

	assert_int_equal(np_address_list_parse(&list, "5.5.5.5:5", PORT, NP_ADDRESS_NUMERIC), 0);
	refused(&list, -EINVAL,
		"| \t|:9999|1.2.3.4:|1.2.3.4:abc|1.2.3.4:-1|1.2.3.4:+1|1.2.3.4:1:2|1.2.3.4:1..|"
		"1.2.3.4:..3|1.2.3.4:1...3|1.2.3.4:1..2..3|1.2.3.4..6:9999|..|1..3|*..3|::1:2:|"
		"1:2:3|[::1|[::1]9999|[::1]..3|[]:1|[1.2.3.4]:1|[host]:1|[::1%]:1|127.1|9999|"
		"1.2.3.4.5|300.1.1.1|010.0.0.1|0x7f000001|a/b|\033[1m|1.1.1.1 2.2.2.2:1..2 x:");
	refused(&list, -ERANGE,
		"1.2.3.4:65536|1.2.3.4:99999999999999999999|1.2.3.4:1..65536|1.2.3.4:0..4096|"
		"1.2.3.4..256|1.2.3.256..4");
	refused(&list, -ENOENT, "servera:9999|1.1.1.1 servera");
	refused(&list, -ENODEV, "[::1%no-such-if]:1");
	np_address_list_clear(&list);
}

TEST(a_list_has_an_end)
{
	struct np_address_list list = {0};

	assert_int_equal(np_address_list_parse(&list, "1.2.3.4:1..4096", PORT, NP_ADDRESS_NUMERIC),
			 0);
	assert_int_equal(list.count, NP_ADDRESS_LIST_MAX);
	assert_int_equal(np_address_port(&list.item[4095]), 4096);
	assert_int_equal(np_address_list_parse(&list, "1.2.3.4", PORT, NP_ADDRESS_NUMERIC),
			 -ERANGE);
	assert_int_equal(list.count, NP_ADDRESS_LIST_MAX);
	np_address_list_clear(&list);
}

TEST(too_long_a_name_is_refused)
{
	char text[600];
	struct np_address_list list = {0};

	memset(text, 'a', sizeof(text));
	text[255] = '\0';
	assert_int_equal(np_address_list_parse(&list, text, PORT, NP_ADDRESS_NUMERIC), -ENOENT);
	text[255] = 'a';
	text[256] = '\0';
	assert_int_equal(np_address_list_parse(&list, text, PORT, NP_ADDRESS_NUMERIC), -EINVAL);
	snprintf(text + 300, 100, ".1..3");
	memset(text, 'a', 300);
	assert_int_equal(np_address_list_parse(&list, text, PORT, NP_ADDRESS_NUMERIC), -EINVAL);
	np_address_list_clear(&list);
}

TEST(names_are_kept_beside_what_they_mean)
{
	struct np_address_list list = {0};

	assert_int_equal(
		np_address_list_parse(&list, "localhost:7003..7002 127.0.0.9", PORT, AF_UNSPEC), 0);

	char *text = print(&list);

	assert_int_equal(list.count, 3);
	assert_string_equal(list.item[0].name, "localhost");
	assert_true(np_address_is_loopback(&list.item[0]));
	assert_string_equal(text, list.item[0].any.sa_family == AF_INET
					  ? "localhost/127.0.0.1:7003 localhost/127.0.0.1:7002 "
					    "/127.0.0.9:9999 "
					  : "localhost/[0:0:0:0:0:0:0:1]:7003 "
					    "localhost/[0:0:0:0:0:0:0:1]:7002 /127.0.0.9:9999 ");
	free(text);
	np_address_list_clear(&list);
}

TEST(the_longest_text_fits)
{
	struct np_address_text text;
	struct np_address address = parse("[fe80:1111:2222:3333:4444:5555:6666:7777]:65535");
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&address.storage;

	v6->sin6_scope_id = UINT32_MAX;
	memset(address.name, 'n', sizeof(address.name) - 1);
	text = np_address_format(&address);
	assert_string_equal(text.text + 255,
			    "/[fe80:1111:2222:3333:4444:5555:6666:7777%4294967295]:65535");
}

TEST(kinds_are_told)
{
	static const char *const kinds[] = {"10.0.0.1|[fe80::1]|[::1:0]|240.0.0.1",
					    "*|0.0.0.0|[::]", "127.0.0.1|127.255.255.254|[::1]",
					    "224.0.0.1|239.255.255.255|[ff02::1]",
					    "255.255.255.255"};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct unit_texts all = {.rest = kinds[i]};

		while (unit_next(&all)) {
			const struct np_address address = parse(all.text);

			assert_int_equal(np_address_is_wildcard(&address), i == 1);
			assert_int_equal(np_address_is_loopback(&address), i == 2);
			assert_int_equal(np_address_is_multicast(&address), i == 3);
			assert_int_equal(np_address_is_broadcast(&address), i == 4);
		}
	}
}

/* As the kernel gives the source of a datagram on an IPv6 socket. */
static struct np_address mapped(const char *text)
{
	struct np_address address = {.length = sizeof(struct sockaddr_in6)};
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)(void *)&address.storage;

	v6->sin6_family = AF_INET6;
	assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
	np_address_set_port(&address, PORT);
	return address;
}

TEST(equal_ones_hash_alike)
{
	struct np_address a = parse("10.77.0.1:9999"), b = mapped("::ffff:10.77.0.1");

	assert_string_equal(np_address_format(&b).text, "/10.77.0.1:9999");
	assert_true(np_address_equal(&a, &b));
	assert_true(np_address_hash(&a, 7) == np_address_hash(&b, 7));
	snprintf(a.name, sizeof(a.name), "servera");
	assert_true(np_address_equal(&a, &b));
	assert_true(np_address_hash(&a, 7) == np_address_hash(&b, 7));
	assert_true(np_address_hash(&a, 7) != np_address_hash(&a, 8));
	np_address_set_port(&b, 9998);
	assert_int_equal(np_address_port(&b), 9998);
	assert_false(np_address_equal(&a, &b));
	assert_true(np_address_same_host(&a, &b));
	assert_true(np_address_hash(&a, 7) != np_address_hash(&b, 7));
	b = parse("10.77.0.2:9999");
	assert_false(np_address_same_host(&a, &b));

	/* An empty one is 0.0.0.0:0. */
	a = parse("0.0.0.0:0");
	assert_true(np_address_equal(&a, &(struct np_address){0}));
	assert_true(np_address_hash(&a, 7) == np_address_hash(&(struct np_address){0}, 7));
	a = parse("10.77.0.1:9999");

	/* ::ffff:10.77.0.1 is IPv4, ::10.77.0.1 is not. */
	b = mapped("::10.77.0.1");
	assert_false(np_address_equal(&a, &b));
}

TEST(link_local_ones_differ_by_interface)
{
	struct np_address a = parse("[fe80::1]"), b = a, c = parse("[2001:db8::1]"), d = c;

	((struct sockaddr_in6 *)(void *)&b.storage)->sin6_scope_id = 3;
	((struct sockaddr_in6 *)(void *)&d.storage)->sin6_scope_id = 3;
	assert_false(np_address_equal(&a, &b));
	assert_true(np_address_equal(&c, &d));
	assert_true(np_address_hash(&c, 1) == np_address_hash(&d, 1));
}

/* Worked out by another SipHash that agrees with the vectors of its paper. */
TEST(the_hash_is_siphash)
{
	const struct np_address v4 = parse("10.77.0.1:9999"), v6 = parse("[2001:db8::1]:65535");

	assert_true(np_address_hash(&v4, UINT64_C(0x0123456789abcdef)) ==
		    UINT64_C(0x4597f80bb4517785));
	assert_true(np_address_hash(&v6, 0) == UINT64_C(0x511ff1c8160df470));
}

TEST(this_host_has_an_address)
{
	struct np_address address;

	assert_int_equal(np_address_of_this_host(&address, AF_UNSPEC, 1234), 0);
	assert_int_equal(np_address_port(&address), 1234);
	assert_string_equal(address.name, "");
	assert_true(np_address_is_local(&address));
	assert_false(np_address_is_wildcard(&address));
	assert_false(np_address_is_multicast(&address));
}

TEST(foreign_addresses_are_not_local)
{
	static const char *const foreign[] = {"192.0.2.1", "*", "224.0.0.1", "[2001:db8::1]",
					      "[::]"};

	for (size_t i = 0; i < COUNT(foreign); i++) {
		const struct np_address address = parse(foreign[i]);

		assert_false(np_address_is_local(&address));
	}

	const struct np_address loopback = parse("127.0.0.1"), other = parse("127.3.2.1");

	assert_true(np_address_is_local(&loopback));
	assert_true(np_address_is_local(&other));
}

static void assert_one(const char *text, const char *wanted)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, text, PORT, AF_UNSPEC), 0);
	assert_string_equal(np_address_format(&address).text, wanted);
}

TEST(one_address_is_neither_a_range_nor_a_list)
{
	static const char *const bad[] = {"",		" ",	 "1.2.3.4:1..2", "1.2.3.4 5.6.7.8",
					  "1.2.3.4..5", "1:2:3", "fe80::1]",	 "[::1"};
	struct np_address address;
	char longer[NP_ADDRESS_TEXT + 1];

	assert_one("1.2.3.4", "/1.2.3.4:9999");
	assert_one("1.2.3.4:5", "/1.2.3.4:5");
	assert_one("[::1]:5", "/[0:0:0:0:0:0:0:1]:5");
	assert_one("[::1]", "/[0:0:0:0:0:0:0:1]:9999");
	/* Without brackets all of it is the address. */
	assert_one("::1", "/[0:0:0:0:0:0:0:1]:9999");
	assert_one("fd00::2:5", "/[fd00:0:0:0:0:0:2:5]:9999");
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(np_address_parse(&address, bad[i], PORT, AF_UNSPEC), -EINVAL);
	assert_int_equal(np_address_parse(&address, "1.2.3.4:65536", PORT, AF_UNSPEC), -ERANGE);
	assert_int_equal(np_address_parse(&address, "fe80::1%none", PORT, AF_UNSPEC), -ENODEV);
	assert_int_equal(np_address_parse(&address, "fe80:::1%none", PORT, AF_UNSPEC), -EINVAL);
	memset(longer, ':', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(np_address_parse(&address, longer, PORT, AF_UNSPEC), -EINVAL);
}

TEST(a_family_can_be_asked_for)
{
	static const struct {
		const char *text;
		int family, rc;
		const char *wanted;
	} cases[] = {
		{"1.2.3.4", AF_INET, 0, "/1.2.3.4:9999"},
		{"1.2.3.4", AF_INET6, -EAFNOSUPPORT, NULL},
		{"[::1]:5", AF_INET6, 0, "/[0:0:0:0:0:0:0:1]:5"},
		{"::1", AF_INET, -EAFNOSUPPORT, NULL},
		{"*", AF_INET, 0, "0.0.0.0/0.0.0.0:9999"},
		{"*:7", AF_INET6, 0, "::/[0:0:0:0:0:0:0:0]:7"},
		{"localhost", AF_INET, 0, "localhost/127.0.0.1:9999"},
		{"localhost", AF_INET6, 0, "localhost/[0:0:0:0:0:0:0:1]:9999"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct np_address address;
		int rc = np_address_parse(&address, cases[i].text, PORT, cases[i].family);

		assert_int_equal(rc, cases[i].rc);
		if (!rc)
			assert_string_equal(np_address_format(&address).text, cases[i].wanted);
	}
}

TEST(an_ipv6_address_needs_no_brackets_in_a_list)
{
	struct np_address_list list = {0};

	assert_int_equal(
		np_address_list_parse(&list, "fd00::1 1.2.3.4:5 [::1]:6", PORT, NP_ADDRESS_NUMERIC),
		0);
	assert_int_equal(list.count, 3);
	assert_string_equal(np_address_format(&list.item[0]).text, "/[fd00:0:0:0:0:0:0:1]:9999");
	assert_int_equal(np_address_port(&list.item[2]), 6);
	np_address_list_clear(&list);
}
