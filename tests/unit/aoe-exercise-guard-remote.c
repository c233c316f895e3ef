// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-guard-remote: what a simulated disk holds decides whether it is written. */
#include "support/aoe_disk.h"

#include <errno.h>
#include <string.h>

#include "page.h"
#include "src/aoe-exercise/guard.h"

static char named[] = "e4.1";

/* Has the disk of the scene examined, and expects @status and @text of a write to it. */
static void expect(struct scene *s, char *destroy, int status, const char *text)
{
	const struct np_guard_place region = guard_region(&s->options, &s->target);
	struct page *page = page_open();
	const struct np_log log = {.program = "prog", .stream = page->out};

	s->options.target.destroy = destroy;
	s->target.other.answers = 0;
	assert_int_equal(examination_create(&s->examination, &s->channel, &s->target, &region,
					    s->options.traffic.give_up),
			 0);
	assert_int_equal(guard_remote(s->examination, &s->options, &s->target, &log), status);
	page_expect(page, text);
	examination_free(s->examination);
	s->examination = NULL;
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

#define WRITING(sectors, signatures)                                                               \
	"prog: writing to e4.1: model '', serial 'S1', " sectors                                   \
	" sectors, signatures: " signatures "; mounts on other hosts cannot be seen from here\n"
#define TEXT_AT(byte) "has content at byte " byte " that is no test pattern"

static void a_blank_disk_is_written(void **state)
{
	expect(*state, NULL, 0, WRITING("200", "none"));
	expect(*state, named, 0, WRITING("200", "none"));
}

/* So is one that holds test data. */
static void what_a_run_wrote_is_written_again(void **state)
{
	struct scene *s = *state;

	for (unsigned lba = 0; lba < DISK; lba += SECTORS)
		np_pattern_write(&(struct np_pattern){.fill = NP_PATTERN_LBA},
				 s->link.content + lba * NP_AOE_SECTOR_BYTES, lba, SECTORS);
	expect(s, NULL, 0, WRITING("200", "none"));
}

static void content_is_kept_unless_it_is_to_be_destroyed(void **state)
{
	struct scene *s = *state;

	s->link.foreign = 199;
	expect(s, NULL, 2, "prog: e4.1: " TEXT_AT("101888") "; --destroy=e4.1 overwrites it\n");
	expect(s, named, 0,
	       "prog: warning: e4.1: " TEXT_AT(
		       "101888") "; overwriting it, as --destroy says\n" WRITING("200", "none"));
}

static void a_signature_is_named(void **state)
{
	struct scene *s = *state;

	/* The magic number of swap space, at the end of the first page. */
	memcpy(s->link.content + 4096 - 10, "SWAPSPACE2", 10);
	s->link.content[1024] = 1;
	s->link.content[1028] = 20;
	expect(s, NULL, 2, "prog: e4.1: carries swap; --destroy=e4.1 overwrites it\n");
	expect(s, named, 0,
	       "prog: warning: e4.1: carries swap; overwriting it, as --destroy says\n" WRITING(
		       "200", "swap"));
}

/* A region in the middle of a large disk has a beginning of its own, which is read as a whole. */
static void the_region_is_read_besides_the_disk(void **state)
{
	struct scene *s = *state;
	const uint64_t sectors = UINT64_C(1) << 17;

	s->target.identity.sectors = s->link.identity.sectors = sectors;
	s->link.foreign = sectors / 2 + 21;
	expect(s, NULL, 0, WRITING("131072", "none"));
	s->options.data.offset_bytes = sectors / 2 * NP_AOE_SECTOR_BYTES;
	expect(s, NULL, 2, "prog: e4.1: " TEXT_AT("33565184") "; --destroy=e4.1 overwrites it\n");
	/* Beyond the region nothing is looked for but signatures and samples. */
	s->options.data.size_bytes = (uint64_t)20 * NP_AOE_SECTOR_BYTES;
	expect(s, NULL, 0, WRITING("131072", "none"));
	/* Its first sectors are those of the disk, wherever the region is. */
	s->link.foreign = 3;
	expect(s, NULL, 2, "prog: e4.1: " TEXT_AT("1536") "; --destroy=e4.1 overwrites it\n");
}

/* What was not read may be anything; only who is told may overwrite it. */
static void what_cannot_be_read_is_not_blank(void **state)
{
	struct scene *s = *state;

	s->link.unreadable = true;
	expect(s, NULL, 2,
	       "prog: e4.1: cannot be examined: it refuses reads; --destroy=e4.1 overwrites it\n");
	expect(s, named, 0,
	       "prog: warning: e4.1: cannot be examined: it refuses reads; overwriting it, as "
	       "--destroy says\n" WRITING("200", "none"));
	s->link.unreadable = false;
	s->link.deaf = s->link.questions;
	expect(s, NULL, 2,
	       "prog: e4.1: cannot be examined: reads are not answered; --destroy=e4.1 "
	       "overwrites it\n");
	expect(s, named, 0,
	       "prog: warning: e4.1: cannot be examined: reads are not answered; "
	       "overwriting it, as --destroy says\n" WRITING("200", "none"));
}

/* Another identity than a moment ago, a signal, a link that breaks: nothing to be overridden. */
static void what_is_in_doubt_is_not_written_at_all(void **state)
{
	struct scene *s = *state;

	memcpy(s->link.identity.serial, "S2", 3);
	expect(s, named, 2,
	       "prog: e4.1: cannot be examined: its identity has changed; two "
	       "targets, or another one now\n");
	memcpy(s->link.identity.serial, "S1", 3);
	s->link.breaks = -ENETDOWN;
	expect(s, named, 2, "prog: e4.1: cannot be examined: Network is down\n");
	s->link.breaks = 0;
	s->link.deaf = s->link.questions;
	np_signals_tell(s->channel.signals, NP_SIGNALS_STOP);
	expect(s, named, 2, "prog: e4.1: cannot be examined: interrupted\n");
}

/* Who else answers meanwhile may have another disk. */
static void another_host_is_refused(void **state)
{
	struct scene *s = *state;

	s->link.strange = true;
	expect(s, named, 2, "prog: e4.1: 02:00:00:00:00:ee answers for it, too\n");
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, strike)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_blank_disk_is_written),
		test(what_a_run_wrote_is_written_again),
		test(content_is_kept_unless_it_is_to_be_destroyed),
		test(a_signature_is_named),
		test(the_region_is_read_besides_the_disk),
		test(what_cannot_be_read_is_not_blank),
		test(what_is_in_doubt_is_not_written_at_all),
		test(another_host_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
