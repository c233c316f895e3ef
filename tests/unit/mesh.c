// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of mesh: who sends to whom, how parts of pairs and what hosts dropped go together, and
 * what is printed. */
#include "../../src/lib/mesh/launch_state.h"
#include "../../src/lib/mesh/mesh_state.h"
#include "../../src/lib/tool/meet.h"
#include "page.h"
#include "support/unit.h"

static const struct np_mesh_words words = {
	.program = "p", .transport = "UDP", .unit = "packets", .delay = "delay"};

/* Each target of a rank has that rank among its sources, and the other way round. */
static void check_both_ways(const struct np_mesh_plan *plan)
{
	uint32_t targets[70], back[70];
	size_t sent = 0, heard = 0;

	for (uint32_t r = 0; r < plan->ranks; r++) {
		const size_t n = mesh_peers(plan, r, false, targets);

		sent += n;
		for (size_t i = 0; i < n; i++) {
			bool found = false;
			const size_t m = mesh_peers(plan, targets[i], true, back);

			assert_true(targets[i] < plan->ranks && targets[i] != r);
			assert_true(!i || targets[i] > targets[i - 1]);
			for (size_t j = 0; j < m; j++)
				found = found || back[j] == r;
			assert_true(found);
		}
		heard += mesh_peers(plan, r, true, back);
	}
	assert_int_equal(sent, heard);
}

static const struct np_mesh_pair *slowest(const struct np_mesh *mesh)
{
	bool slow;

	return mesh_slowest(mesh, &slow);
}

TEST(targets_and_sources_agree)
{
	for (uint32_t ranks = 1; ranks <= 70; ranks += ranks < 9 ? 1 : 7) {
		for (int pattern = NP_MESH_ALL; pattern <= NP_MESH_BISECTION; pattern++) {
			for (uint64_t sample = 0; sample < 80; sample = 2 * sample + 1) {
				const struct np_mesh_plan plan = {(enum np_mesh_pattern)pattern,
								  ranks, sample, 0};

				check_both_ways(&plan);
			}
		}
	}
}

TEST(some_of_the_ranks_send)
{
	const struct np_mesh_plan plan = {.pattern = NP_MESH_ALL, .ranks = 5, .senders = 2};
	uint32_t peers[5];

	check_both_ways(&plan);
	assert_int_equal(mesh_peers(&plan, 1, false, peers), 4);
	assert_int_equal(mesh_peers(&plan, 2, false, peers), 0);
	assert_int_equal(mesh_peers(&plan, 0, true, peers), 1);
	assert_int_equal(peers[0], 1);
	assert_int_equal(mesh_peers(&plan, 4, true, peers), 2);
}

/* What no run of tests/net shows: the one that is left over, what is drawn, and nobody else. */
TEST(odd_ranks)
{
	static const struct {
		struct np_mesh_plan plan;
		uint32_t rank, count, target;
	} cases[] = {
		{{NP_MESH_ALL, 9, 2, 0}, 7, 2, 3},   {{NP_MESH_PAIRS, 5, 0, 0}, 3, 1, 2},
		{{NP_MESH_PAIRS, 5, 0, 0}, 4, 0, 0}, {{NP_MESH_INCAST, 5, 0, 0}, 0, 0, 0},
		{{NP_MESH_ALL, 1, 0, 0}, 0, 0, 0},
	};
	uint32_t targets[9];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(mesh_peers(&cases[i].plan, cases[i].rank, false, targets),
				 cases[i].count);
		assert_true(!cases[i].count || targets[0] == cases[i].target);
	}
}

static struct np_mesh_pair sender_part(uint32_t from, uint32_t to, uint64_t sent)
{
	return (struct np_mesh_pair){
		.from = from, .to = to, .parts = NP_MESH_FROM, .exact = true, .sent = sent};
}

static struct np_mesh_pair receiver_part(uint32_t from, uint32_t to, uint64_t received)
{
	return (struct np_mesh_pair){
		.from = from,
		.to = to,
		.parts = NP_MESH_TO,
		.received = received,
		.bytes = received * 1000,
		.elapsed = NP_SECOND,
		.first = NP_SECOND,
		.last = 2 * NP_SECOND,
		.delay = {.p50 = 2 * NP_MILLISECOND, .count = received},
	};
}

/* An empty mesh. The one made before is freed. */
static struct np_mesh *make_empty(enum np_mesh_pattern pattern, uint32_t ranks)
{
	static struct np_mesh *latest;
	const struct np_mesh_plan plan = {.pattern = pattern, .ranks = ranks};

	mesh_free(latest);
	assert_int_equal(mesh_create(&latest, &plan, &words, NULL), 0);
	return latest;
}

/* Of @ranks, all to all: each rank sends 1000 to each other one, of which @lost are lost on 1 to 2.
 */
static struct np_mesh *make(uint32_t ranks, uint64_t lost)
{
	struct np_mesh *mesh = make_empty(NP_MESH_ALL, ranks);

	for (uint32_t from = 0; from < ranks; from++) {
		for (uint32_t to = 0; to < ranks; to++) {
			const struct np_mesh_pair sent = sender_part(from, to, 1000);
			const struct np_mesh_pair got =
				receiver_part(from, to, 1000 - (from == 1 && to == 2 ? lost : 0));

			if (from == to)
				continue;
			assert_int_equal(np_mesh_add(mesh, &sent), 0);
			assert_int_equal(np_mesh_add(mesh, &got), 0);
		}
	}
	assert_int_equal(mesh_settle(mesh), 0);
	return mesh;
}

/* A settled mesh of these parts. */
static struct np_mesh *make_of(enum np_mesh_pattern pattern, uint32_t ranks,
			       const struct np_mesh_pair *parts, size_t count)
{
	struct np_mesh *mesh = make_empty(pattern, ranks);

	for (size_t i = 0; i < count; i++)
		assert_int_equal(np_mesh_add(mesh, &parts[i]), 0);
	assert_int_equal(mesh_settle(mesh), 0);
	return mesh;
}

TEST(what_nobody_tells_is_unknown)
{
	const struct np_mesh_pair parts[] = {sender_part(0, 1, 10), receiver_part(1, 2, 7)};
	struct np_mesh *mesh = make_of(NP_MESH_RING, 4, parts, 2);
	const struct np_mesh_pair *pairs = mesh->pairs;

	assert_int_equal(mesh->count, 4);
	assert_int_equal(pairs[0].parts, NP_MESH_FROM);
	assert_true(np_mesh_loss(&pairs[0]) < 0);
	assert_int_equal(pairs[1].parts, NP_MESH_TO);
	assert_false(pairs[1].exact);
	assert_int_equal(pairs[2].parts, 0);
	assert_int_equal(mesh_total(mesh).unknown, 4);
	assert_false(mesh_total(mesh).exact);
	assert_null(np_mesh_lossiest(mesh));
	assert_int_equal(slowest(mesh)->from, 1);
	mesh_free(NULL);
}

TEST(a_part_told_twice_counts_once)
{
	const struct np_mesh_pair parts[] = {receiver_part(0, 1, 12), sender_part(0, 1, 10),
					     receiver_part(0, 1, 12), sender_part(0, 1, 10)};
	struct np_mesh *mesh = make_of(NP_MESH_RING, 2, parts, 4);
	const struct np_mesh_pair *pairs;

	assert_int_equal(np_mesh_add(mesh, &parts[0]), 0);
	assert_int_equal(mesh_settle(mesh), 0);
	pairs = mesh->pairs;
	assert_int_equal(mesh->count, 2);
	assert_int_equal(pairs[0].received, 12);
	/* More received than sent: the counts contradict each other. */
	assert_false(pairs[0].exact);
	assert_int_equal(pairs[0].lost, 0);
}

/* Not as bytes: there is padding. */
static bool same_drops(const struct np_drops_total *a, const struct np_drops_total *b)
{
	return a->packets == b->packets && a->known == b->known && a->exact == b->exact;
}

/* What rank 0 answers when @rank tells it of the pair. */
static int cross(struct np_mesh *mesh, uint32_t rank, const struct np_mesh_pair *pair)
{
	uint8_t piece[MESH_PAIR_BYTES];

	assert_int_equal(mesh_pack(pair, 1, piece), sizeof(piece));
	assert_int_equal(mesh_take(mesh, rank, piece, sizeof(piece) - 1), -EBADMSG);
	return mesh_take(mesh, rank, piece, sizeof(piece));
}

TEST(pairs_cross_as_bytes)
{
	struct np_mesh *mesh = make_of(NP_MESH_ALL, 4, NULL, 0);
	struct np_mesh_pair pair = receiver_part(3, 1, 77);
	const struct np_mesh_pair *got;
	size_t before;

	pair.delay.p50 = -5;
	pair.dropped_to = (struct np_drops_total){true, false, 3};
	before = mesh->count;
	assert_int_equal(cross(mesh, 1, &pair), 0);
	got = mesh->pairs + before;
	assert_int_equal(mesh->count, before + 1);
	assert_int_equal(got->from, 3);
	assert_int_equal(got->to, 1);
	assert_int_equal(got->parts, NP_MESH_TO);
	assert_false(got->exact);
	assert_memory_equal(&got->sent, &pair.sent,
			    offsetof(struct np_mesh_pair, dropped_from) -
				    offsetof(struct np_mesh_pair, sent));
	assert_true(same_drops(&got->dropped_from, &pair.dropped_from));
	assert_true(same_drops(&got->dropped_to, &pair.dropped_to));
	/* A rank tells its own part only, of ranks that exist, and within limits. */
	assert_int_equal(cross(mesh, 2, &pair), -EBADMSG);
	for (unsigned i = 0; i < 4; i++) {
		pair = i < 2 ? receiver_part(i ? 3 : 4, 1, i ? UINT64_MAX : 77)
			     : sender_part(1, i == 2 ? NP_MESH_OUTSIDE : 4, 5);
		assert_int_equal(cross(mesh, 1, &pair), -EBADMSG);
	}
}

/* Who did not count to the end does not know that the rest was lost; only a receiver can say so. */
TEST(what_came_after_the_end_is_not_lost)
{
	struct np_mesh_pair sent = sender_part(0, 1, 1000), got = receiver_part(0, 1, 700);
	struct np_mesh *mesh = make_of(NP_MESH_RING, 2, &sent, 1);
	const struct np_mesh_pair *pairs;

	got.lost = 2;
	got.exact = true;
	got.parts |= NP_MESH_CUT;
	assert_int_equal(cross(mesh, 1, &got), 0);
	assert_int_equal(mesh_settle(mesh), 0);
	pairs = mesh->pairs;
	assert_int_equal(mesh->count, 2);
	assert_int_equal(pairs[0].sent, 1000);
	assert_int_equal(pairs[0].received, 700);
	assert_int_equal(pairs[0].lost, 2);
	assert_false(pairs[0].exact);
	sent.parts |= NP_MESH_CUT;
	assert_int_equal(cross(mesh, 0, &sent), -EBADMSG);
}

/* The report of @mesh. Requires that no line is longer than @columns. */
static struct page *print(const struct np_mesh *mesh, unsigned columns)
{
	struct page *page = page_open();
	size_t line = 0;

	mesh_print(mesh, columns, page->out);
	assert_int_equal(fflush(page->out), 0);
	for (size_t i = 0; i < page->length; i++) {
		line = page->text[i] == '\n' ? 0 : line + 1;
		assert_true(line <= columns);
	}
	return page;
}

TEST(too_many_ranks_are_folded)
{
	struct np_mesh *mesh = make(67, 250);
	struct page *page = print(mesh, 80);

	page_holds(page, "Each row and column is 9 ranks.\n");
	page_holds(page, "\n       63-66");
	page_holds(page, "\nworst loss: rank 1 to rank 2: ");
	page_close(page);
}

/* Of three pairs that a ring has: one sent nothing, one message of another one arrived. */
static struct np_mesh *make_uneven(void)
{
	struct np_mesh_pair parts[] = {
		sender_part(0, 1, 0),	receiver_part(0, 1, 0), sender_part(1, 2, 5),
		receiver_part(1, 2, 1), sender_part(2, 3, 10),	receiver_part(2, 3, 10),
		sender_part(3, 0, 10),	receiver_part(3, 0, 8),
	};

	parts[1].elapsed = 0;
	parts[3].elapsed = 0;
	return make_of(NP_MESH_RING, 4, parts, sizeof(parts) / sizeof(*parts));
}

TEST(a_pair_that_sent_nothing_is_not_the_slowest)
{
	struct np_mesh *mesh = make_uneven();
	const struct mesh_sum sum = mesh_total(mesh);
	struct page *page = print(mesh, 80);

	assert_int_equal(slowest(mesh)->from, 3);
	assert_int_equal(np_mesh_lossiest(mesh)->from, 1);
	assert_int_equal(sum.silent, 1);
	assert_int_equal(sum.unrated, 1);
	assert_int_equal(sum.unknown, 0);
	page_holds(page, "\nsent nothing: rank 0 to rank 1\n");
	page_holds(page, "\nworst loss: rank 1 to rank 2: rate unknown, 4 of 5 packets");
	page_holds(page, "\n           0      .      -      .      .       -\n");
	page_holds(page, "\n           1      .      .      ?      .       ?\n");
	page_close(page);
}

/* Everything that was sent is lost: its rate is 0, and known. */
TEST(a_pair_that_lost_all_is_the_slowest)
{
	const struct np_mesh_pair nothing = {.from = 1, .to = 0, .parts = NP_MESH_TO};
	const struct np_mesh_pair parts[] = {sender_part(0, 1, 10), receiver_part(0, 1, 10),
					     sender_part(1, 0, 10), nothing};
	struct np_mesh *mesh = make_of(NP_MESH_RING, 2, parts, 4);

	assert_int_equal(slowest(mesh)->from, 1);
	assert_int_equal(np_mesh_lossiest(mesh)->from, 1);
	assert_int_equal(mesh_total(mesh).silent, 0);
}

/* In place of libpmix: this process is the only rank. */
static int open_alone(struct launch_place *place, np_time deadline)
{
	(void)deadline;
	place->size = 1;
	return 0;
}

static void leave_alone(struct launch_place *place)
{
	(void)place;
}

const struct launch_pmix launch_pmix = {
	.open = open_alone, .leave = leave_alone, .close = leave_alone};

struct ending {
	struct np_meet meet;
	struct np_mesh_pair pair;
};

static int add_pair(struct np_meet *meet)
{
	return np_mesh_add(meet->mesh, &((struct ending *)meet)->pair);
}

/* The exit status of a rank that sent @sent to another one, @lost of it lost. */
static int end_with(uint64_t sent, uint64_t lost, bool lossless, char **messages)
{
	static const struct np_meet_steps steps = {.measure = add_pair};
	static const struct np_options none = {.program = "test"};
	static const struct np_tool tool = {.options = &none};
	const struct np_launch alone = {.join.program = "test"};
	size_t bytes;
	int status;
	struct np_log log = {.program = "test", .stream = open_memstream(messages, &bytes)};
	struct np_run run = {.tool = &tool, .log = &log};
	struct ending e = {
		.meet = {.run = &run,
			 .steps = &steps,
			 .words = words,
			 .plan = {.pattern = NP_MESH_OUTCAST, .ranks = 2},
			 .max_loss_percent = 50,
			 .lossless = lossless,
			 .deadline = INT64_MAX},
		.pair = receiver_part(0, 1, sent - lost),
	};

	e.pair.parts |= NP_MESH_FROM;
	e.pair.sent = sent;
	assert_int_equal(launch_open(&e.meet.launch, &alone, NULL, INT64_MAX, -1), 0);
	/* The other one is here. */
	free(e.meet.launch->state);
	e.meet.launch->state = calloc(2, 1);
	status = meet_end(&e.meet, true);
	fclose(log.stream);
	meet_close(&e.meet, status);
	return status;
}

TEST(the_end_judges_each_pair)
{
	static const struct {
		uint64_t sent, lost;
		bool lossless;
		int status;
		const char *message;
	} cases[] = {
		{10, 5, false, 0, ""},
		{10, 6, false, 1, "test: mesh: 60 % lost, more than --max-loss 50\n"},
		{10, 0, true, 0, ""},
		{10, 1, true, 1, "test: mesh: rank 0 to rank 1: the connection was lost\n"},
		{0, 0, false, 1, "test: mesh: rank 0 to rank 1: nothing was sent\n"},
	};
	char *messages;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(
			end_with(cases[i].sent, cases[i].lost, cases[i].lossless, &messages),
			cases[i].status);
		assert_string_equal(messages, cases[i].message);
		free(messages);
	}
}

/* What the ranks' hosts dropped crosses as bytes, too, and is printed. */
#define WORDS_AT 16
#define ENTRY_AT (WORDS_AT + NP_DROPS_WHY)

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

/* Each rank tells once, in any order; all that a host can tell fits. */
TEST(reasons_cross_as_bytes)
{
	struct np_drops_counts longest = {.known = true, .exact = true};
	const struct np_drops_counts *const told[] = {&longest, &unknown, &filtered};
	struct np_mesh *mesh = make_of(NP_MESH_PAIRS, 16, NULL, 0);
	uint8_t piece[MESH_DROPPED_BYTES];
	size_t bytes = 0;

	for (unsigned i = 0; i < NP_DROPS_ENTRIES; i++) {
		struct np_drops_entry *entry = &longest.entry[longest.entries++];

		entry->packets = i + 1;
		longest.packets += i + 1;
		memset(entry->reason, 'a' + (int)i, sizeof(entry->reason) - 1);
		memset(entry->place, 'A' + (int)i, sizeof(entry->place) - 1);
	}
	for (uint32_t rank = 3; rank--;) {
		bytes = mesh_pack_dropped(told[rank], piece);
		assert_int_equal(mesh_take(mesh, rank, piece, bytes), 0);
		assert_int_equal(mesh_take(mesh, rank, piece, bytes), -EBADMSG);
	}
	assert_int_equal(bytes, sizeof(piece));
	assert_int_equal(mesh_take(mesh, 16, piece, bytes), -EBADMSG);
	for (int settled = 0; settled < 2; settled++) {
		for (uint32_t rank = 0; rank < 3; rank++) {
			assert_non_null(np_mesh_dropped(mesh, rank));
			expect_same(np_mesh_dropped(mesh, rank), told[rank]);
		}
		assert_null(np_mesh_dropped(mesh, 3));
		assert_int_equal(mesh_settle(mesh), 0);
	}
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
	uint8_t piece[MESH_DROPPED_BYTES];
	const size_t bytes = mesh_pack_dropped(&filtered, piece);
	struct np_mesh *mesh = make_of(NP_MESH_PAIRS, 16, NULL, 0);

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		mesh_pack_dropped(&filtered, piece);
		piece[wrong[i].at] = wrong[i].value;
		assert_int_equal(mesh_take(mesh, 1, piece, bytes), -EBADMSG);
	}
	mesh_pack_dropped(&filtered, piece);
	assert_int_equal(mesh_take(mesh, 1, piece, bytes - 1), -EBADMSG);
	assert_int_equal(mesh_take(mesh, 1, piece, ENTRY_AT - 1), -EBADMSG);
	assert_int_equal(mesh_take(mesh, 1, piece, 8), -EBADMSG);
	assert_null(np_mesh_dropped(mesh, 1));
}

TEST(hosts_that_dropped_are_named)
{
	static const char one[] = "7 packet filter (NETFILTER_DROP, nft_do_chain), "
				  "3 queueing discipline, outgoing (QDISC_DROP), "
				  "2 for other reasons\n";
	const struct np_drops_counts none = {.known = true, .exact = true};
	const struct np_mesh_pair pair = {
		.from = 0, .to = 1, .parts = NP_MESH_TO, .received = 9, .lost = 1};
	struct np_mesh *mesh = make_of(NP_MESH_PAIRS, 16, NULL, 0);
	struct page *page = page_open();
	const char *last;

	/* Nothing lost: nobody asks. */
	assert_int_equal(np_mesh_add_dropped(mesh, 15, &unknown), 0);
	assert_int_equal(np_mesh_add_dropped(mesh, 14, &none), 0);
	np_mesh_print_dropped(mesh, page->out);
	page_expect(page, "");
	assert_int_equal(np_mesh_add(mesh, &pair), 0);
	for (uint32_t rank = 10; rank--;)
		assert_int_equal(np_mesh_add_dropped(mesh, rank, &filtered), 0);
	assert_int_equal(mesh_settle(mesh), 0);
	page = page_open();
	np_mesh_print_dropped(mesh, page->out);
	page_holds(page, "dropped in the hosts of 2 more ranks\n");
	assert_memory_equal(page->text, "dropped in the host of rank 0: >= ", 34);
	assert_memory_equal(page->text + 34, one, strlen(one));
	assert_null(strstr(page->text, "rank 8"));
	last = strstr(page->text, "dropped in the hosts of 2 more ranks\n");
	assert_string_equal(strchr(last, '\n') + 1, "of the hosts of 1 rank it is not known what "
						    "they dropped; rank 15: not permitted\n");
	page_close(page);
}
