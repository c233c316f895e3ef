// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-local_address: the addresses that members are given on this host. Sends nothing. */
#include "../../src/group-test/transport/variant.h"
#include "support/unit.h"

#include <errno.h>

static struct np_address_list addresses_of(const char *text)
{
	struct np_address_list list = {};

	assert_int_equal(np_address_list_parse(&list, text, 7800, NP_ADDRESS_NUMERIC), 0);
	return list;
}

static void home_of_cluster(const char *text, struct np_address *local_address)
{
	struct np_address_list list = addresses_of(text);

	assert_int_equal(local_address_for_cluster(&list, local_address), 0);
	np_address_list_clear(&list);
}

TEST(a_member_lives_where_its_cluster_says)
{
	struct np_address_list expected = addresses_of("127.0.0.2:0");
	struct np_address local_address;

	home_of_cluster("192.0.2.1 127.0.0.2:7801 127.0.0.1", &local_address);
	assert_true(np_address_equal(&local_address, &expected.item[0]));
	np_address_list_clear(&expected);
}

TEST(without_a_word_it_lives_where_others_reach_it)
{
	struct np_address local_address, expected;

	assert_int_equal(np_address_of_this_host(&expected, AF_UNSPEC, 0), 0);
	home_of_cluster("192.0.2.1 192.0.2.2", &local_address);
	assert_true(np_address_equal(&local_address, &expected));
}

/* Whatever this host has, and whatever it is called. */
TEST(a_group_has_a_local_home)
{
	struct np_address_list groups = addresses_of("239.77.1.1:7500 [ff05::77]:7500");
	struct np_address local_address;
	unsigned found = 0;

	for (size_t i = 0; i < groups.count; i++) {
		int rc = local_address_for_group(&groups.item[i], NULL, &local_address);

		if (rc) {
			assert_int_equal(rc, -EADDRNOTAVAIL);
			continue;
		}
		assert_int_equal(local_address.any.sa_family, groups.item[i].any.sa_family);
		assert_true(np_address_is_local(&local_address));
		assert_int_equal(np_address_port(&local_address), 0);
		assert_string_equal(local_address.name, "");
		found++;
	}
	assert_true(found > 0);
	np_address_list_clear(&groups);
}

TEST(a_device_that_is_not_there_has_none)
{
	struct np_address_list groups = addresses_of("239.77.1.1:7500");
	struct np_address local_address;

	assert_int_equal(local_address_for_group(&groups.item[0], "nix0", &local_address),
			 -EADDRNOTAVAIL);
	np_address_list_clear(&groups);
}
