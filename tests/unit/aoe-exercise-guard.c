// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-guard: who answers for a target decides whether it is written; to which bytes; what
 * fits a frame, and on which interfaces the kernel's driver listens.
 */

#include "page.h"
#include "src/aoe-exercise/session.h"
#include "support/unit.h"

static const struct target answerers[] = {
	{.name = "e4.1", .shelf = 4, .slot = 1, .mac = {2, 0, 0, 0, 0, 1}, .ambiguous = true},
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
	const struct session session = {.options = &options, .log = &log};

	assert_int_equal(guard_alone(&session, answerers, count), status);
	page_expect(page, text);
}

#define ONE   "02:00:00:00:00:01 (firmware unknown, no identity)"
#define TWO   "02:00:00:00:00:02 (firmware 4019, 2048 sectors, serial 'abc')"
#define THREE "02:00:00:00:00:03 (firmware unknown, no identity)"

/* More may answer than there is room for. */
TEST(more_than_are_kept_are_counted_as_at_least_so_many)
{
	static const char one[] = "00:00:00:00:00:00 (firmware unknown, no identity)";
	char text[2048];

	snprintf(
		text, sizeof(text),
		"prog: warning: e4.1: at least 8 targets answer for it: %s, %s, %s, %s, %s, %s, %s "
		"and %s; going on with 02:00:00:00:00:01\n",
		ONE, TWO, THREE, one, one, one, one, one);
	expect(false, 8, 0, text);
}

TEST(sectors_fit_the_mtu)
{
	assert_int_equal(limits_sectors(35), 0);
	assert_int_equal(limits_sectors(36 + 511), 0);
	assert_int_equal(limits_sectors(36 + 512), 1);
}

TEST(an_empty_list_is_every_interface_and_a_name_a_whole_name)
{
	assert_true(limits_listed("", "eth0"));
	assert_true(limits_listed("\n", "eth0"));
	assert_true(limits_listed("eth0", "eth0"));
	assert_true(limits_listed("eth0\n", "eth0"));
	assert_true(limits_listed("eth1,eth0", "eth0"));
	assert_true(limits_listed(" eth1\t eth0 ,lo", "lo"));
	assert_false(limits_listed("eth10", "eth1"));
	assert_false(limits_listed("veth1", "eth1"));
	assert_false(limits_listed("eth", "eth1"));
	assert_false(limits_listed("eth1:eth2", "eth2"));
}
