// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* loss: whose loss it was, exactly or within bounds. */
#include <netperf/loss.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void expect(uint64_t missing, uint64_t dropped, uint64_t damaged, uint64_t most,
		   const struct np_loss *want)
{
	struct np_loss loss = np_loss_attribute(missing, dropped, damaged, most);

	assert_int_equal(loss.path, want->path);
	assert_int_equal(loss.host, want->host);
	assert_int_equal(loss.unattributed, want->unattributed);
	assert_int_equal(loss.exact, want->exact);
	assert_int_equal(loss.path + loss.host + loss.unattributed, missing);
}

static void test_nothing_dropped(void **state)
{
	(void)state;
	expect(0, 0, 0, 1, &(struct np_loss){.exact = true});
	expect(7, 0, 0, 1, &(struct np_loss){.path = 7, .exact = true});
	expect(7, 0, 0, 44, &(struct np_loss){.path = 7, .exact = true});
}

static void test_packets_dropped(void **state)
{
	(void)state;
	expect(7, 5, 0, 1, &(struct np_loss){.path = 2, .host = 5, .exact = true});
	expect(7, 7, 0, 1, &(struct np_loss){.host = 7, .exact = true});
	/* More than anybody misses: others' packets, or control datagrams. */
	expect(7, 9, 0, 1, &(struct np_loss){.host = 7});
}

static void test_buffers_dropped(void **state)
{
	(void)state;
	expect(100, 2, 0, 44, &(struct np_loss){.path = 12, .host = 2, .unattributed = 86});
	expect(88, 2, 0, 44, &(struct np_loss){.host = 2, .unattributed = 86});
	expect(80, 2, 0, 44, &(struct np_loss){.host = 2, .unattributed = 78});
	expect(1, 2, 0, 44, &(struct np_loss){.host = 1});
	expect(5, UINT64_MAX, 0, 44, &(struct np_loss){.host = 5});
}

/* A wrong checksum is the network's, but all sockets' are counted together. */
static void test_damaged(void **state)
{
	(void)state;
	expect(7, 5, 2, 1, &(struct np_loss){.path = 2, .host = 3, .unattributed = 2});
	expect(7, 5, 9, 1, &(struct np_loss){.path = 2, .unattributed = 5});
	expect(7, 0, 9, 1, &(struct np_loss){.path = 7, .exact = true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_dropped),
		cmocka_unit_test(test_packets_dropped),
		cmocka_unit_test(test_buffers_dropped),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
