// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* aoe-exercise-channel: runs that share a network namespace have tags of their own. */

#include "page.h"
#include "src/aoe-exercise/discover.h"
#include "support/unit.h"

#include <fcntl.h>
#include <sched.h>

/* All that there are, in a namespace that no other run is in. */
TEST(each_run_has_a_number_of_its_own)
{
	struct tags tags[TAGS_RUNS], more;
	bool seen[TAGS_RUNS] = {false};
	struct page *page = page_open();
	const struct np_log log = {.program = "p", .stream = page->out};

	if (unshare(CLONE_NEWUSER | CLONE_NEWNET)) {
		page_expect(page, "");
		skip();
	}
	for (unsigned i = 0; i < TAGS_RUNS; i++) {
		tags_claim(&tags[i], &log);
		assert_true(tags[i].claim >= 0);
		assert_true(fcntl(tags[i].claim, F_GETFD) & FD_CLOEXEC);
		assert_int_equal(tags[i].run & ~TAGS_RUN, 0);
		assert_true(tags[i].run & NP_AOE_TAG_USER);
		assert_false(seen[tags[i].run >> 24 & 127]);
		seen[tags[i].run >> 24 & 127] = true;
	}
	/* One more shares the number of another, and tells so. */
	tags_claim(&more, &log);
	assert_int_equal(more.claim, -1);
	assert_true(more.run & NP_AOE_TAG_USER);
	assert_int_equal(more.run & ~TAGS_RUN, 0);
	tags_release(&more);
	/* None of the others told anything. */
	page_expect(page,
		    "p: warning: cannot tell the answers to this run from those to 128 others "
		    "here; they may count as stray\n");
	/* What is released is free again. */
	tags_release(&tags[77]);
	assert_int_equal(tags[77].claim, -1);
	tags_release(&tags[77]);
	tags_claim(&more, NULL);
	assert_true(more.claim >= 0);
	assert_int_equal(more.run, tags[77].run);
	tags_release(&more);
	for (unsigned i = 0; i < TAGS_RUNS; i++)
		tags_release(&tags[i]);
}

/* Requests, questions and the rounds of examinations have no tag in common. */
TEST(each_kind_has_tags_of_its_own)
{
	const struct tags tags = {.run = NP_AOE_TAG_USER | 5u << 24, .claim = -1};
	uint32_t all = 0, questions = 0;

	for (unsigned i = 0; i < 200; i++) {
		uint32_t tag = tags_random(&tags);

		all |= tag;
		assert_int_equal(tag & (TAGS_RUN | TAGS_QUESTION), tags.run);
		tag = tags_question(&tags);
		questions |= tag;
		assert_int_equal(tag & (TAGS_RUN | TAGS_QUESTION), tags.run | TAGS_QUESTION);
		assert_true(tag & 0x400000);
		/* 4096 can follow. */
		assert_int_equal(tag & 0xfff, 0);
	}
	assert_int_equal(all & TAGS_NUMBER, TAGS_NUMBER);
	assert_int_equal(questions, tags.run | TAGS_QUESTION | 0x7ff000);
	for (unsigned i = 0; i < 128; i++)
		assert_int_equal(tags_round(&tags, i), tags.run | TAGS_QUESTION | i * TAGS_ROUND);
	assert_int_equal(tags_round(&tags, 128), tags_round(&tags, 0));
}
