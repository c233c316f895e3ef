// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* loss: whose loss it was, exactly or within bounds. */
#include "page.h"
#include "support/unit.h"

#include <netperf/flow.h>

/* @dropped times, @damaged of them at most for a wrong checksum, as far as that is known. */
static void expect(uint64_t missing, uint64_t dropped, uint64_t damaged, uint64_t most,
		   const struct np_loss *want)
{
	struct np_loss_drops drops = {.most = most};
	struct np_loss loss;

	np_loss_drops_full(&drops, dropped, UINT64_MAX, damaged);
	loss = np_loss_attribute(missing, &drops);
	assert_int_equal(loss.path, want->path);
	assert_int_equal(loss.host, want->host);
	assert_int_equal(loss.unattributed, want->unattributed);
	assert_int_equal(loss.exact, want->exact);
	assert_int_equal(loss.path + loss.host + loss.unattributed, missing);
}

TEST(test_nothing_dropped)
{
	expect(0, 0, 0, 1, &(struct np_loss){.exact = true});
	expect(7, 0, 0, 1, &(struct np_loss){.path = 7, .exact = true});
	expect(7, 0, 0, 44, &(struct np_loss){.path = 7, .exact = true});
}

TEST(test_packets_dropped)
{
	expect(7, 5, 0, 1, &(struct np_loss){.path = 2, .host = 5, .exact = true});
	expect(7, 7, 0, 1, &(struct np_loss){.host = 7, .exact = true});
	/* More than anybody misses: others' packets, or control datagrams. */
	expect(7, 9, 0, 1, &(struct np_loss){.host = 7});
}

TEST(test_buffers_dropped)
{
	expect(100, 2, 0, 44, &(struct np_loss){.path = 12, .host = 2, .unattributed = 86});
	expect(88, 2, 0, 44, &(struct np_loss){.host = 2, .unattributed = 86});
	expect(80, 2, 0, 44, &(struct np_loss){.host = 2, .unattributed = 78});
	expect(1, 2, 0, 44, &(struct np_loss){.host = 1});
	expect(5, UINT64_MAX, 0, 44, &(struct np_loss){.host = 5});
}

/* A wrong checksum is the network's, but all sockets' are counted together. */
TEST(test_damaged)
{
	expect(7, 5, 2, 1, &(struct np_loss){.path = 2, .host = 3, .unattributed = 2});
	expect(7, 5, 9, 1, &(struct np_loss){.path = 2, .unattributed = 5});
	expect(7, 0, 9, 1, &(struct np_loss){.path = 7, .exact = true});
}

/* The kernel's two counters together tell the socket's drops apart, unless others' are in them. */
TEST(test_full_and_damaged)
{
	static const struct {
		uint64_t dropped, full, damaged, least, upmost;
	} rows[] = {
		{.dropped = 5, .full = 3, .damaged = 2, .least = 3, .upmost = 3},
		{.dropped = 5, .full = 5, .least = 5, .upmost = 5},
		{.dropped = 5, .damaged = 5},
		{.dropped = 5, .full = 4, .damaged = 2, .least = 3, .upmost = 4},
		{.dropped = 5, .full = 90, .damaged = 90, .upmost = 5},
		/* A packet more was dropped between the two readings. */
		{.dropped = 5, .full = 4, .least = 5, .upmost = 5},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct np_loss_drops drops = {.most = 1};

		np_loss_drops_full(&drops, rows[i].dropped, rows[i].full, rows[i].damaged);
		assert_int_equal(drops.least, rows[i].least);
		assert_int_equal(drops.upmost, rows[i].upmost);
	}
}

/* Of what was dropped, some would have been duplicates, control datagrams or strangers'. */
TEST(test_others_among_the_dropped)
{
	struct np_loss_drops drops = {.least = 10, .upmost = 10, .most = 1, .others = 4};
	struct np_loss loss = np_loss_attribute(30, &drops);

	assert_true(loss.host == 6 && loss.path == 20 && loss.unattributed == 4 && !loss.exact);
	drops.others = NP_LOSS_UNKNOWN;
	loss = np_loss_attribute(30, &drops);
	assert_true(loss.host == 0 && loss.path == 20 && loss.unattributed == 10 && !loss.exact);
	/* Without drops there is nothing to be unsure of. */
	drops.least = drops.upmost = 0;
	loss = np_loss_attribute(30, &drops);
	assert_true(loss.path == 30 && loss.exact);
}

/* A buffer of short packets holds more of them, but no more than the kernel puts in one. */
TEST(test_most_in_a_drop)
{
	assert_int_equal(np_loss_most("packet", 100), 1);
	assert_int_equal(np_loss_most("buffer", 1468), 44);
	assert_int_equal(np_loss_most("buffer", 512), 127);
	assert_int_equal(np_loss_most("buffer", 100), 128);
	assert_int_equal(np_loss_most("buffer", 0), 128);
	assert_int_equal(np_loss_most("buffer", 65507), 1);
	assert_int_equal(np_loss_most("buffer", 100000), 1);
}

TEST(test_sum)
{
	const struct np_loss sure = {1, 2, 3, true}, unsure = {10, 20, 30, false};
	struct np_loss sum = {.exact = true};

	np_loss_add(&sum, &sure);
	assert_true(sum.exact);
	np_loss_add(&sum, &unsure);
	np_loss_add(&sum, &sure);
	assert_true(sum.path == 12 && sum.host == 24 && sum.unattributed == 36 && !sum.exact);
}

TEST(test_percent)
{
	assert_true(np_loss_percent(0, 0) == 0 && np_loss_percent(1, 0) == 0);
	assert_true(np_loss_percent(1, 8) == 12.5 && np_loss_percent(8, 8) == 100);
}

/* The limit itself is allowed; a loss that only looks like it when it is rounded is not. */
TEST(test_limit)
{
	struct page *page = page_open();
	const struct np_log log = {.program = "test", .stream = page->out};

	assert_false(np_loss_exceeds(0, 0, NULL, &log));
	assert_false(np_loss_exceeds(12.5, 12.5, NULL, &log));
	assert_true(np_loss_exceeds(12.500001, 12.5, NULL, &log));
	page_expect(page, "test: 12.500001 % lost, more than --max-loss 12.5\n");
}
