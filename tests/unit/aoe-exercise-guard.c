// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-guard: who answers for a target decides whether it is written; to which bytes; what
 * fits a frame, and on which interfaces the kernel's driver listens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "page.h"
#include "src/aoe-exercise/guard.h"

static const struct target answerers[] = {
	{.shelf = 4, .slot = 1, .mac = {2, 0, 0, 0, 0, 1}, .ambiguous = true},
	{.shelf = 4,
	 .slot = 1,
	 .mac = {2, 0, 0, 0, 0, 2},
	 .configured = true,
	 .firmware = 0x4019,
	 .identified = true,
	 .identity = {.sectors = 2048, .serial = "abc"}},
	{.shelf = 4, .slot = 1, .mac = {2, 0, 0, 0, 0, 3}},
	{.shelf = 4, .slot = 1},
	{.shelf = 4, .slot = 1},
	{.shelf = 4, .slot = 1},
	{.shelf = 4, .slot = 1},
	{.shelf = 4, .slot = 1},
};

/* Expects @status and @text of a run that writes or reads, when @count answer. */
static void expect(bool write, unsigned count, int status, const char *text)
{
	const struct options options = {.operation = write ? OPERATION_WRITE : OPERATION_READ};
	struct page *page = page_open();
	const struct np_log log = {.program = "prog", .stream = page->out};

	assert_int_equal(guard_alone(&options, answerers, count, &log), status);
	page_expect(page, text);
}

#define ONE   "02:00:00:00:00:01 (firmware unknown, no identity)"
#define TWO   "02:00:00:00:00:02 (firmware 4019, 2048 sectors, serial 'abc')"
#define THREE "02:00:00:00:00:03 (firmware unknown, no identity)"

static void a_target_that_is_not_alone_is_not_written(void **state)
{
	(void)state;
	expect(true, 2, 2,
	       "prog: e4.1: 2 targets answer for it: " ONE " and " TWO
	       "; either might be overwritten\n");
	expect(true, 1, 2,
	       "prog: e4.1: two targets, or a path that doubles every frame: " ONE
	       "; either might be overwritten\n");
	expect(false, 3, 0,
	       "prog: warning: e4.1: 3 targets answer for it: " ONE ", " TWO " and " THREE
	       "; going on with 02:00:00:00:00:01\n");
}

/* More may answer than there is room for. */
static void more_than_are_kept_are_counted_as_at_least_so_many(void **state)
{
	static const char one[] = "00:00:00:00:00:00 (firmware unknown, no identity)";
	char text[2048];

	(void)state;
	snprintf(
		text, sizeof(text),
		"prog: warning: e4.1: at least 8 targets answer for it: %s, %s, %s, %s, %s, %s, %s "
		"and %s; going on with 02:00:00:00:00:01\n",
		ONE, TWO, THREE, one, one, one, one, one);
	expect(false, 8, 0, text);
}

static void one_that_is_alone_is_used(void **state)
{
	const struct options options = {.operation = OPERATION_WRITE};
	struct target alone = answerers[0];
	struct page *page = page_open();
	const struct np_log log = {.program = "prog", .stream = page->out};

	(void)state;
	alone.ambiguous = false;
	assert_int_equal(guard_alone(&options, &alone, 1, &log), 0);
	page_expect(page, "");
}

/* What was confirmed for another target holds for that one only: nothing is asked of this one. */
static void to_destroy_another_one_is_refused(void **state)
{
	const struct options options = {.operation = OPERATION_WRITE, .target.destroy = "e4.10"};
	struct target target = answerers[1];
	struct page *page = page_open();
	const struct np_log log = {.program = "prog", .stream = page->out};

	(void)state;
	assert_int_equal(guard_remote(NULL, &options, &target, &log), 2);
	page_expect(page, "prog: --destroy: 'e4.10' is not the target; expected e4.1\n");
}

static void the_region_is_what_the_options_allow(void **state)
{
	struct options options = {.traffic.sector_count = 2};
	struct np_guard_place region = guard_region(&options, &answerers[1]);

	(void)state;
	assert_int_equal(region.offset, 0);
	assert_int_equal(region.bytes, 2048 * 512);
	options.data.offset_bytes = 3 * 512;
	region = guard_region(&options, &answerers[1]);
	assert_int_equal(region.offset, 3 * 512);
	assert_int_equal(region.bytes, 2045 * 512);
	options.data.size_bytes = 5 * 512;
	region = guard_region(&options, &answerers[1]);
	assert_int_equal(region.offset, 3 * 512);
	assert_int_equal(region.bytes, 5 * 512);
}

static void sectors_fit_the_mtu(void **state)
{
	(void)state;
	assert_int_equal(limits_sectors(0), 0);
	assert_int_equal(limits_sectors(35), 0);
	assert_int_equal(limits_sectors(36 + 511), 0);
	assert_int_equal(limits_sectors(36 + 512), 1);
	assert_int_equal(limits_sectors(1500), 2);
	assert_int_equal(limits_sectors(9000), 17);
}

static void an_empty_list_is_every_interface(void **state)
{
	(void)state;
	assert_true(limits_listed("", "eth0"));
	assert_true(limits_listed("\n", "eth0"));
}

static void a_name_is_a_whole_name(void **state)
{
	(void)state;
	assert_true(limits_listed("eth0", "eth0"));
	assert_true(limits_listed("eth0\n", "eth0"));
	assert_true(limits_listed("eth1,eth0", "eth0"));
	assert_true(limits_listed(" eth1\t eth0 ,lo", "lo"));
	assert_false(limits_listed("eth10", "eth1"));
	assert_false(limits_listed("veth1", "eth1"));
	assert_false(limits_listed("eth", "eth1"));
	assert_false(limits_listed("eth1:eth2", "eth2"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sectors_fit_the_mtu),
		cmocka_unit_test(an_empty_list_is_every_interface),
		cmocka_unit_test(a_name_is_a_whole_name),
		cmocka_unit_test(a_target_that_is_not_alone_is_not_written),
		cmocka_unit_test(more_than_are_kept_are_counted_as_at_least_so_many),
		cmocka_unit_test(one_that_is_alone_is_used),
		cmocka_unit_test(to_destroy_another_one_is_refused),
		cmocka_unit_test(the_region_is_what_the_options_allow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
