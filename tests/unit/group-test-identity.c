// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-identity: from addresses and text, and back; their order. */
#include "../../src/group-test/wire/identity.h"

#include "address_of.h"
#include "group_who.h"
#include "support/unit.h"

static void there_and_back(const char *text)
{
	const struct np_address written = address_of(text);
	struct identity id, again;
	struct np_address address;
	char out[IDENTITY_TEXT];

	id = identity_of(&written);
	assert_string_equal(identity_format(&id, out), text);
	assert_int_equal(identity_parse(text, &again), 0);
	assert_true(identity_equal(&id, &again));
	address = identity_address(&id);
	assert_true(np_address_equal(&address, &written));
	assert_int_equal(address.any.sa_family, written.any.sa_family);
	assert_int_equal(address.length, written.length);
}

TEST(texts_come_back)
{
	there_and_back("172.16.130.33:33415");
	there_and_back("0.0.0.0:65535");
	there_and_back("[2001:db8::7]:7800");
	there_and_back("[2001:db8:1111:2222:3333:4444:5555:6666]:65535");
}

TEST(other_texts_are_refused)
{
	static const char *const wrong[] = {
		"", ":1", "1.2.3.4", "1.2.3.4:", "1.2.3:4", "[::1]", "::1:7800", "[1.2.3.4]:5",
		"host:1", "[]:1", "1.2.3.4:65536", "1.2.3.4:-1", "[::1:80", "1.2.3.4:1 ",
		/* As long as the longest address and its end, and longer. */
		"[1111:2222:3333:4444:5555:6666:1.2.3.4000000000]:1",
		"[1111:2222:3333:4444:5555:6666:1.2.3.40000000000]:1"};
	struct identity id;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(identity_parse(wrong[i], &id), -EINVAL);
}

TEST(order_is_by_address_then_port)
{
	const struct identity a = who("9.0.0.1:7801");
	const struct identity b = who("10.0.0.1:7800"), c = who("10.0.0.1:7802");

	assert_true(memcmp(&a, &b, sizeof(a)) < 0);
	assert_true(memcmp(&b, &c, sizeof(b)) < 0);
	assert_true(identity_is_ipv4(&a));
	assert_false(identity_equal(&b, &c));
}
