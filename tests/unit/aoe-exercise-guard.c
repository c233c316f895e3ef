// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * aoe-exercise-guard: who answers for a target, and what its disk holds, decides whether it is
 * written; to which bytes; what fits a frame, and on which interfaces the kernel's driver listens.
 */
#include "page.h"
#include "src/aoe-exercise/session.h"
#include "support/aoe_disk.h"
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

static char named[] = "e4.1";

/* Has the disk of the scene examined, and expects @status and @text of a write to it. */
static void expect_examined(struct scene *s, char *destroy, int status, const char *text)
{
	struct page *page = page_open();
	const struct np_log log = {.program = "prog", .stream = page->out};

	s->session.log = &log;
	s->options.target.destroy = destroy;
	s->session.target.other.answers = 0;
	assert_int_equal(examination_create(&s->session), 0);
	assert_int_equal(guard_remote(&s->session), status);
	page_expect(page, text);
	examination_free(s->session.examination);
	s->session.examination = NULL;
	s->link.count = 0;
}

static int begin(void **state)
{
	int rc = set(state);
	struct scene *s = *state;

	s->options.operation = OPERATION_WRITE;
	s->link.write = true;
	return rc;
}

#define GUARD_TEST(name) TEST_OF(struct scene *s, begin, strike, name)

/* The first sectors are those of the disk, wherever the region is. */
GUARD_TEST(the_region_is_read_besides_the_disk)
{
	s->session.target.identity.sectors = s->link.identity.sectors = UINT64_C(1) << 17;
	s->options.data.offset_bytes = (UINT64_C(1) << 16) * NP_AOE_SECTOR_BYTES;
	s->link.foreign = 3;
	expect_examined(
		s, NULL, 2,
		"prog: e4.1: has content at byte 1536 that is no test pattern; --destroy=e4.1 "
		"overwrites it\n");
}

/* Another identity than a moment ago, a signal, a link that breaks: nothing to be overridden. */
GUARD_TEST(what_is_in_doubt_is_not_written_at_all)
{
	memcpy(s->link.identity.serial, "S2", 3);
	expect_examined(s, named, 2,
			"prog: e4.1: cannot be examined: its identity has changed; two "
			"targets, or another one now\n");
	memcpy(s->link.identity.serial, "S1", 3);
	s->link.breaks = -ENETDOWN;
	expect_examined(s, named, 2, "prog: e4.1: cannot be examined: Network is down\n");
	s->link.breaks = 0;
	s->link.deaf = s->link.questions;
	np_signals_tell(s->channel.signals, NP_SIGNALS_STOP);
	expect_examined(s, named, 2, "prog: e4.1: cannot be examined: interrupted\n");
}

/* Who else answers meanwhile may have another disk. */
GUARD_TEST(another_host_is_refused)
{
	s->link.strange = true;
	expect_examined(s, named, 2, "prog: e4.1: 02:00:00:00:00:ee answers for it, too\n");
}
