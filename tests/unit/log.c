// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of log: the form of each line, who is silent, that a line stays one; and faults. */
#include "src/lib/base/log.h"
#include "page.h"
#include "support/unit.h"

#include <netperf/log.h>

static struct memory_log {
	struct np_log log;
	struct page *page;
} memory;

static int open_log(void **state)
{
	(void)state;
	memory.page = page_open();
	memory.log = (struct np_log){.program = "prog", .stream = memory.page->out};
	return 0;
}

TEST_WITH(open_log, NULL, errors_name_program_object_and_reason)
{
	np_log_error(&memory.log, "eth9", "%s", "No such device");
	np_log_error(&memory.log, NULL, "%d of %d", 1, 2);
	page_expect(memory.page, "prog: eth9: No such device\nprog: 1 of 2\n");
}

TEST_WITH(open_log, NULL, the_last_error_is_kept)
{
	struct np_log_reason reason = {.error = false};

	memory.log.reason = &reason;
	np_log_info(&memory.log, "hello");
	assert_string_equal(reason.text, "");
	np_log_warning(&memory.log, "eth9", "slow");
	assert_string_equal(reason.text, "eth9: slow");
	np_log_error(&memory.log, NULL, "%d of %d", 1, 2);
	np_log_warning(&memory.log, "eth9", "slow");
	assert_string_equal(reason.text, "1 of 2");
	np_log_refuse(&memory.log, "eth9", "%s", "No such device");
	assert_string_equal(reason.text, "eth9: No such device");
	page_expect(memory.page, "prog: hello\nprog: warning: eth9: slow\nprog: 1 of 2\n"
				 "prog: warning: eth9: slow\nprog: eth9: No such device\n");
}

TEST_WITH(open_log, NULL, warnings_of_a_mesh_wait)
{
	struct np_log_reason reason = {.holds = true};
	const char held[] = "prog\0eth9: slow\0prog: rank 3\0slower";
	char long_text[NP_LOG_HELD];

	memory.log.reason = &reason;
	np_log_warning(&memory.log, "eth9", "slow");
	memory.log.program = "prog: rank 3";
	np_log_warning(&memory.log, NULL, "slower");
	assert_int_equal(reason.held_bytes, sizeof(held));
	assert_memory_equal(reason.held, held, sizeof(held));
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	np_log_warning(&memory.log, NULL, "%s", long_text + NP_LOG_HELD - 40);
	assert_int_equal(reason.held_bytes, sizeof(held) + strlen("prog: rank 3") + 1 + 40);
	np_log_error(&memory.log, NULL, "gone");
	log_end(&memory.log, false);
	np_log_warning(&memory.log, NULL, "last");
	page_expect(memory.page, "prog: rank 3: gone\nprog: warning: eth9: slow\n"
				 "prog: rank 3: warning: slower\n"
				 "prog: rank 3: warning: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n"
				 "prog: rank 3: warning: last\n");
}

TEST_WITH(open_log, NULL, refusing_is_an_error_and_its_status)
{
	memory.log.quiet = true;
	assert_int_equal(np_log_refuse(&memory.log, "--ttl", "%d is not %s", 0, "valid"), 2);
	page_expect(memory.page, "prog: --ttl: 0 is not valid\n");
}

TEST_WITH(open_log, NULL, warnings_say_so)
{
	memory.log.quiet = true;
	np_log_warning(&memory.log, "e4.1", "window %u", 25U);
	np_log_warning(&memory.log, NULL, "late");
	page_expect(memory.page, "prog: warning: e4.1: window 25\nprog: warning: late\n");
}

TEST_WITH(open_log, NULL, quiet_and_verbose_choose)
{
	np_log_info(&memory.log, "seen");
	np_log_detail(&memory.log, "unseen");
	memory.log.quiet = true;
	memory.log.verbose = true;
	np_log_info(&memory.log, "unseen");
	np_log_detail(&memory.log, "detail");
	page_expect(memory.page, "prog: seen\nprog: detail\n");
}

TEST_WITH(open_log, NULL, control_characters_do_not_pass)
{
	np_log_error(&memory.log, "a\nb", "\033[2J%s\x7f", "Gr\xc3\xbc\xc3\x9f");
	page_expect(memory.page, "prog: a?b: ?[2JGr\xc3\xbc\xc3\x9f?\n");
}

TEST_WITH(open_log, NULL, long_lines_are_not_cut)
{
	char wanted[5009];
	char object[5001];

	memset(object, 'x', sizeof(object) - 1);
	object[sizeof(object) - 1] = '\0';
	snprintf(wanted, sizeof(wanted), "prog: %s\n", object);
	np_log_info(&memory.log, "%s", object);
	page_expect(memory.page, wanted);
}

TEST(object_reason_and_error_are_as_given)
{
	struct np_fault fault;

	assert_int_equal(np_fault_set(&fault, -EPERM, "--ttl", "'%s'; expected 1 to %d", "x", 255),
			 -EPERM);
	assert_string_equal(fault.object, "--ttl");
	assert_string_equal(fault.reason, "'x'; expected 1 to 255");
	assert_int_equal(np_fault_errno(&fault, -ENOENT, "config.txt"), -ENOENT);
	assert_string_equal(fault.object, "config.txt");
	assert_string_equal(fault.reason, strerror(ENOENT));
}

TEST(what_is_too_long_is_cut)
{
	struct np_fault fault;
	char longer[1000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(np_fault_set(&fault, -EINVAL, longer, "%s", longer), -EINVAL);
	assert_int_equal(strlen(fault.object), sizeof(fault.object) - 1);
	assert_int_equal(strlen(fault.reason), sizeof(fault.reason) - 1);
}
