// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of mesh: what the ranks' hosts dropped crosses as bytes, and is printed. */
#include "support/unit.h"

#include <netperf/mesh.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define WORDS_AT 16
#define ENTRY_AT (WORDS_AT + NP_DROPS_WHY)

static struct np_mesh *make(void)
{
	const struct np_mesh_plan plan = {.pattern = NP_MESH_PAIRS, .ranks = 16};
	const struct np_mesh_words words = {.unit = "packets"};
	struct np_mesh *mesh;

	assert_int_equal(np_mesh_create(&mesh, &plan, &words), 0);
	return mesh;
}

static const struct np_drops_counts filtered = {
	.known = true,
	.doubt = "not all",
	.packets = 12,
	.others = 2,
	.entries = 2,
	.entry = {{NP_DROPS_IN, 7, "NETFILTER_DROP", "nft_do_chain"},
		  {NP_DROPS_OUT, 3, "QDISC_DROP", ""}},
};
static const struct np_drops_counts unknown = {.why = "not permitted"};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void expect_same(const struct np_drops_counts *a, const struct np_drops_counts *b)
{
	assert_true(a->known == b->known && a->exact == b->exact);
	assert_true(same_text(a->doubt, b->doubt) && same_text(a->why, b->why));
	assert_int_equal(a->packets, b->packets);
	assert_int_equal(a->others, b->others);
	assert_int_equal(a->entries, b->entries);
	for (unsigned i = 0; i < a->entries; i++) {
		assert_int_equal(a->entry[i].direction, b->entry[i].direction);
		assert_int_equal(a->entry[i].packets, b->entry[i].packets);
		assert_string_equal(a->entry[i].reason, b->entry[i].reason);
		assert_string_equal(a->entry[i].place, b->entry[i].place);
	}
}

/* Each rank tells once, in any order. */
TEST(reasons_cross_as_bytes)
{
	uint8_t piece[NP_MESH_DROPPED_BYTES];
	struct np_mesh *mesh = make();
	struct np_drops_counts counts;
	size_t bytes = np_mesh_pack_dropped(&filtered, piece);

	assert_int_equal(np_mesh_take(mesh, 5, piece, bytes), 0);
	assert_int_equal(np_mesh_take(mesh, 5, piece, bytes), -EBADMSG);
	assert_int_equal(np_mesh_take(mesh, 16, piece, bytes), -EBADMSG);
	bytes = np_mesh_pack_dropped(&unknown, piece);
	assert_int_equal(np_mesh_take(mesh, 2, piece, bytes), 0);
	for (int settled = 0; settled < 2; settled++) {
		assert_true(np_mesh_dropped(mesh, 5, &counts));
		expect_same(&counts, &filtered);
		assert_true(np_mesh_dropped(mesh, 2, &counts));
		expect_same(&counts, &unknown);
		assert_false(np_mesh_dropped(mesh, 0, &counts));
		assert_int_equal(np_mesh_settle(mesh), 0);
	}
	np_mesh_free(mesh);
}

/* All that a host can tell fits, and crosses whole. */
TEST(the_longest_crosses)
{
	uint8_t piece[NP_MESH_DROPPED_BYTES];
	struct np_drops_counts counts = {.known = true, .exact = true}, back;
	struct np_mesh *mesh = make();

	for (unsigned i = 0; i < NP_DROPS_ENTRIES; i++) {
		struct np_drops_entry *entry = &counts.entry[counts.entries++];

		entry->packets = i + 1;
		counts.packets += i + 1;
		memset(entry->reason, 'a' + (int)i, sizeof(entry->reason) - 1);
		memset(entry->place, 'A' + (int)i, sizeof(entry->place) - 1);
	}
	assert_int_equal(np_mesh_pack_dropped(&counts, piece), sizeof(piece));
	assert_int_equal(np_mesh_take(mesh, 0, piece, sizeof(piece)), 0);
	assert_true(np_mesh_dropped(mesh, 0, &back));
	expect_same(&back, &counts);
	np_mesh_free(mesh);
}

TEST(foreign_bytes_are_refused)
{
	static const struct {
		size_t at;
		uint8_t value;
	} wrong[] = {
		{7, 4},			   /* flags */
		{7, 3},			   /* exact, and in doubt */
		{7, 0},			   /* unknown, and counted */
		{8, 1},			   /* too many others */
		{WORDS_AT, 0},		   /* text behind the end */
		{WORDS_AT + 1, '\n'},	   /* no text */
		{WORDS_AT + 2, 0x80},	   /* not ASCII */
		{ENTRY_AT + 3, 2},	   /* direction */
		{ENTRY_AT + 4, 1},	   /* too many */
		{ENTRY_AT + 11, 0},	   /* none */
		{ENTRY_AT + 12 + 3, 27},   /* reason: an escape */
		{ENTRY_AT + 60 + 63, 'x'}, /* place: without an end */
	};
	uint8_t piece[NP_MESH_DROPPED_BYTES];
	const size_t bytes = np_mesh_pack_dropped(&filtered, piece);
	struct np_drops_counts counts;
	struct np_mesh *mesh = make();

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		np_mesh_pack_dropped(&filtered, piece);
		piece[wrong[i].at] = wrong[i].value;
		assert_int_equal(np_mesh_take(mesh, 1, piece, bytes), -EBADMSG);
	}
	np_mesh_pack_dropped(&filtered, piece);
	assert_int_equal(np_mesh_take(mesh, 1, piece, bytes - 1), -EBADMSG);
	assert_int_equal(np_mesh_take(mesh, 1, piece, ENTRY_AT - 1), -EBADMSG);
	assert_int_equal(np_mesh_take(mesh, 1, piece, 8), -EBADMSG);
	assert_false(np_mesh_dropped(mesh, 1, &counts));
	np_mesh_free(mesh);
}

static void print(const struct np_mesh *mesh, char text[4096])
{
	FILE *out = fmemopen(text, 4096, "w");

	assert_non_null(out);
	text[0] = '\0';
	np_mesh_print_dropped(mesh, NULL, out);
	fclose(out);
}

static void add_loss(struct np_mesh *mesh)
{
	const struct np_mesh_pair pair = {
		.from = 0, .to = 1, .parts = NP_MESH_TO, .received = 9, .lost = 1};

	assert_int_equal(np_mesh_add(mesh, &pair), 0);
}

TEST(hosts_that_dropped_are_named)
{
	static const char one[] = "7 packet filter (NETFILTER_DROP, nft_do_chain), "
				  "3 queueing discipline, outgoing (QDISC_DROP), "
				  "2 for other reasons\n";
	const struct np_drops_counts none = {.known = true, .exact = true};
	struct np_mesh *mesh = make();
	char text[4096], *last;

	/* Nothing lost: nobody asks. */
	assert_int_equal(np_mesh_add_dropped(mesh, 15, &unknown), 0);
	assert_int_equal(np_mesh_add_dropped(mesh, 14, &none), 0);
	print(mesh, text);
	assert_string_equal(text, "");
	add_loss(mesh);
	for (uint32_t rank = 10; rank--;)
		assert_int_equal(np_mesh_add_dropped(mesh, rank, &filtered), 0);
	assert_int_equal(np_mesh_settle(mesh), 0);
	print(mesh, text);
	assert_memory_equal(text, "dropped in the host of rank 0: >= ", 34);
	assert_memory_equal(text + 34, one, strlen(one));
	assert_null(strstr(text, "rank 8"));
	last = strstr(text, "dropped in the hosts of 2 more ranks\n");
	assert_non_null(last);
	assert_string_equal(strchr(last, '\n') + 1, "of the hosts of 1 rank it is not known what "
						    "they dropped; rank 15: not permitted\n");
	np_mesh_free(mesh);
}
