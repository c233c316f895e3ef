// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-guard-remote: what a simulated disk holds decides whether it is written. */
#include "support/aoe_disk.h"

#include "page.h"
#include "src/aoe-exercise/session.h"
#include "support/unit.h"

static char named[] = "e4.1";

/* Has the disk of the scene examined, and expects @status and @text of a write to it. */
static void expect(struct scene *s, char *destroy, int status, const char *text)
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

/* The first sectors are those of the disk, wherever the region is. */
TEST_WITH(begin, strike, the_region_is_read_besides_the_disk)
{
	struct scene *s = *state;

	s->session.target.identity.sectors = s->link.identity.sectors = UINT64_C(1) << 17;
	s->options.data.offset_bytes = (UINT64_C(1) << 16) * NP_AOE_SECTOR_BYTES;
	s->link.foreign = 3;
	expect(s, NULL, 2,
	       "prog: e4.1: has content at byte 1536 that is no test pattern; --destroy=e4.1 "
	       "overwrites it\n");
}

/* Another identity than a moment ago, a signal, a link that breaks: nothing to be overridden. */
TEST_WITH(begin, strike, what_is_in_doubt_is_not_written_at_all)
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
TEST_WITH(begin, strike, another_host_is_refused)
{
	struct scene *s = *state;

	s->link.strange = true;
	expect(s, named, 2, "prog: e4.1: 02:00:00:00:00:ee answers for it, too\n");
}
