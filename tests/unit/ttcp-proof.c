// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* proof: the same for a host and a session, another one for others, nobody's without the secret. */
#include "../../src/ttcp/wire/message.h"

#include "address_of.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void whose(void **state)
{
	const struct np_address a = address_of("10.9.0.1:5001"), same = address_of("10.9.0.1:9"),
				b = address_of("10.9.0.2:5001"), c = address_of("[fd00::1]:1"),
				d = address_of("[fd00::2]:1");
	const struct message_secret one = {{1, 2}}, other = {{1, 3}};
	const uint32_t proof = message_proof(&one, &a, 7);

	(void)state;
	assert_int_not_equal(proof, 0);
	assert_int_equal(message_proof(&one, &same, 7), proof);
	assert_int_not_equal(message_proof(&one, &b, 7), proof);
	assert_int_not_equal(message_proof(&one, &a, 8), proof);
	assert_int_not_equal(message_proof(&other, &a, 7), proof);
	assert_int_not_equal(message_proof(&one, &c, 7), message_proof(&one, &d, 7));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(whose)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
