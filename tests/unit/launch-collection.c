// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * Rank 0 of a mesh meets 64, 512 and 4096 ranks, hands out their addresses and collects their
 * made-up results, all of them, in bounded memory and traffic (netperf-exercise(7) has the
 * figures): the hub of launch in one process, all other ranks in its child, over loopback.
 */
#include "../../src/lib/mesh/launch_state.h"
#include "../../src/lib/mesh/mesh_state.h"
#include "support/unit.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <netperf/field.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define LIMIT (np_clock_now() + 100 * NP_SECOND)
#define SENT  1000
/* A sanitizer's own memory is none of rank 0's. */
#ifdef __SANITIZE_ADDRESS__
#define MEMORY 20
#else
#define MEMORY 1
#endif

struct simulation {
	struct np_mesh_plan plan;
	struct np_launch hub;
	struct np_address at;
	struct np_launch *spoke; /* in the child */
	uint32_t peers;		 /* that each rank has */
};

/* In the processes that play the ranks. */
static void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	_exit(1);
}

static void must_be_within(const char *what, uint64_t value, uint64_t least, uint64_t most)
{
	printf("%s: %llu, from %llu to %llu\n", what, (unsigned long long)value,
	       (unsigned long long)least, (unsigned long long)most);
	fflush(stdout);
	if (value < least || value > most)
		_exit(1);
}

/* Rank r loses r of what it gets from its first source. */
static uint64_t lost_at(uint32_t rank, size_t source)
{
	return source ? 0 : rank % SENT;
}

static size_t made_up(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers,
		      struct np_mesh_pair *pairs)
{
	size_t count = mesh_peers(plan, rank, false, peers), sources;

	for (size_t i = 0; i < count; i++)
		pairs[i] = (struct np_mesh_pair){
			.from = rank, .to = peers[i], .parts = NP_MESH_FROM, .sent = SENT};
	sources = mesh_peers(plan, rank, true, peers);
	for (size_t i = 0; i < sources; i++)
		pairs[count + i] = (struct np_mesh_pair){.from = peers[i],
							 .to = rank,
							 .parts = NP_MESH_TO,
							 .received = SENT - lost_at(rank, i),
							 .bytes = SENT * 1000,
							 .elapsed = NP_SECOND,
							 .delay.count = SENT};
	return count + sources;
}

static void join(struct simulation *s, uint32_t rank)
{
	struct np_launch *spoke = &s->spoke[rank];

	spoke->join = (struct wire_join){.program = "simulation", .host = "host"};
	np_field_put32(spoke->join.rank, rank);
	np_field_put32(spoke->join.size, s->plan.ranks);
	spoke->place = (struct launch_place){.rank = rank, .size = s->plan.ranks};
	must(!spoke_open(spoke, &s->at, LIMIT, -1), "join");
	must(!spoke_message(&s->spoke[rank], WIRE_BLOB, "10.100.100.100:54321", 20), "blob");
}

static void barrier(struct simulation *s)
{
	for (uint32_t r = 1; r < s->plan.ranks; r++)
		must(!spoke_enter(&s->spoke[r]), "enter");
	for (uint32_t r = 1; r < s->plan.ranks; r++)
		must(!spoke_await_release(&s->spoke[r], LIMIT, -1), "release");
}

static void fetch(struct simulation *s, uint32_t rank, uint32_t *peers)
{
	size_t count = mesh_peers(&s->plan, rank, false, peers);

	must(!launch_fetch(&s->spoke[rank], peers, count, LIMIT), "fetch");
	count = mesh_peers(&s->plan, rank, true, peers);
	must(!launch_fetch(&s->spoke[rank], peers, count, LIMIT), "fetch");
}

static void send_results(struct simulation *s, uint32_t rank, uint32_t *peers,
			 struct np_mesh_pair *pairs)
{
	static uint8_t piece[MESH_PIECE_PAIRS * MESH_PAIR_BYTES];
	const size_t count = made_up(&s->plan, rank, peers, pairs);

	for (size_t done = 0; done < count;) {
		const size_t left = count - done;
		const size_t n = left < MESH_PIECE_PAIRS ? left : MESH_PIECE_PAIRS;
		const size_t bytes = mesh_pack(pairs + done, n, piece);

		must(!spoke_message(&s->spoke[rank], WIRE_PIECE, piece, bytes), "send");
		done += n;
	}
}

static bool raise_limit(uint32_t ranks)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_max >= ranks + 512;
}

/* All ranks but 0. Twice 152 bytes a pair go to rank 0, and a little for each rank. */
static void play(struct simulation *s)
{
	const uint32_t ranks = s->plan.ranks;
	uint32_t *peers = calloc(ranks, sizeof(*peers));
	struct np_mesh_pair *pairs = calloc(2 * (size_t)ranks, sizeof(*pairs));
	const uint64_t count = s->plan.ranks * (uint64_t)s->peers;
	uint64_t sent = 0;

	s->spoke = calloc(ranks, sizeof(*s->spoke));
	must(peers && pairs && s->spoke, "memory");
	for (uint32_t r = 1; r < ranks; r++)
		join(s, r);
	barrier(s);
	for (uint32_t r = 1; r < ranks; r++)
		fetch(s, r, peers);
	barrier(s);
	for (uint32_t r = 1; r < ranks; r++)
		send_results(s, r, peers, pairs);
	barrier(s);
	for (uint32_t r = 1; r < ranks; r++) {
		struct tcp_info info = {0};
		socklen_t bytes = sizeof(info);

		must(!getsockopt(np_stream_fd(s->spoke[r].channel.stream), IPPROTO_TCP, TCP_INFO,
				 &info, &bytes),
		     "TCP_INFO");
		sent += info.tcpi_bytes_sent - info.tcpi_bytes_retrans;
	}
	must_be_within("bytes to rank 0", sent, count * 294, count * 328 + ranks * 300);
	_exit(0);
}

static void add_own(struct simulation *s, struct np_mesh *mesh)
{
	uint32_t *peers = calloc(s->plan.ranks, sizeof(*peers));
	struct np_mesh_pair *pairs = calloc(2 * (size_t)s->plan.ranks, sizeof(*pairs));
	const size_t count = made_up(&s->plan, 0, peers, pairs);

	for (size_t i = 0; i < count; i++)
		must(!np_mesh_add(mesh, &pairs[i]), "add");
	free(peers);
	free(pairs);
}

/* Rank r loses r of what it gets, modulo what was sent. */
static uint64_t all_lost(uint32_t ranks)
{
	uint64_t lost = 0;

	for (uint32_t r = 0; r < ranks; r++)
		lost += r % SENT;
	return lost;
}

static void collect(struct simulation *s, pid_t child)
{
	const struct np_mesh_words words = {
		.program = "p", .transport = "UDP", .unit = "packets", .delay = "delay"};
	const uint64_t ranks = s->plan.ranks;
	FILE *out = fopen("/dev/null", "w");
	struct mesh_sum sum;
	struct np_mesh *mesh;
	struct rusage usage;
	int status;

	must(!hub_barrier(&s->hub, LIMIT, -1), "barrier");
	must(!hub_barrier(&s->hub, LIMIT, -1), "barrier");
	must(!mesh_create(&mesh, &s->plan, &words, NULL), "mesh");
	add_own(s, mesh);
	s->hub.take = mesh_take;
	s->hub.context = mesh;
	must(!hub_barrier(&s->hub, LIMIT, -1), "collect");
	must(!mesh_settle(mesh), "settle");
	mesh_print(mesh, 100, out);
	must(waitpid(child, &status, 0) == child && !status, "the ranks");
	for (uint32_t r = 1; r < s->plan.ranks; r++)
		must(s->hub.ranks[r].joined, "a rank");
	sum = mesh_total(mesh);
	must(sum.pairs == ranks * s->peers && sum.sent == sum.pairs * SENT && sum.exact &&
		     sum.lost == all_lost(s->plan.ranks),
	     "the sums");
	getrusage(RUSAGE_SELF, &usage);
	must_be_within("memory", (uint64_t)usage.ru_maxrss * 1024, 1,
		       MEMORY * (16000000 + ranks * (8000 + s->peers * 800)));
	mesh_free(mesh);
	fclose(out);
}

static void play_all(struct simulation *s)
{
	struct np_address local;
	pid_t child;

	must(!np_address_parse(&local, "127.0.0.1", 0, AF_UNSPEC), "address");
	s->hub.place.size = s->plan.ranks;
	strcpy(s->hub.join.program, "simulation");
	must(!hub_open(&s->hub, &local), "listen");
	s->at = np_stream_info(s->hub.listener)->local;
	child = fork();
	must(child >= 0, "fork");
	if (!child)
		play(s);
	collect(s, child);
	launch_discard(&s->hub);
	_exit(0);
}

/* In a process of its own, whose memory is that of one mesh. */
static void costs(uint32_t ranks, uint64_t sample, uint32_t peers)
{
	struct simulation s = {.plan = {.pattern = NP_MESH_ALL, .ranks = ranks, .sample = sample},
			       .peers = peers};
	pid_t child;
	int status;

	if (!raise_limit(ranks)) {
		puts("SKIP: fewer descriptors are permitted");
		skip();
	}
	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (!child)
		play_all(&s);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

TEST(of_64_ranks)
{
	costs(64, 0, 63);
}

TEST(of_512_ranks)
{
	costs(512, 0, 511);
}

TEST(of_4096_ranks)
{
	costs(4096, 16, 16);
}
