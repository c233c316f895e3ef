// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh-simulation: what a mesh costs rank 0: the hub of launch in this process, all other ranks in
 * one child, over loopback, with made-up results; prints JSON. usage: mesh-simulation RANKS SAMPLE
 */
#include "../../src/lib/mesh/launch_hub.h"
#include "../../src/lib/mesh/launch_spoke.h"

#include <netperf/mesh.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT (np_clock_now() + 100 * NP_SECOND)
#define SENT  1000

struct simulation {
	struct np_mesh_plan plan;
	struct hub *hub;
	struct np_address at;
	struct spoke *spoke; /* in the child */
};

static void must(bool holds, const char *what)
{
	if (holds)
		return;
	perror(what);
	exit(1);
}

/* Rank r loses r of what it gets from its first source. */
static uint64_t lost_at(uint32_t rank, size_t source)
{
	return source ? 0 : rank % SENT;
}

static size_t made_up(const struct np_mesh_plan *plan, uint32_t rank, uint32_t *peers,
		      struct np_mesh_pair *pairs)
{
	size_t count = np_mesh_targets(plan, rank, peers), sources;

	for (size_t i = 0; i < count; i++)
		pairs[i] = (struct np_mesh_pair){
			.from = rank, .to = peers[i], .parts = NP_MESH_FROM, .sent = SENT};
	sources = np_mesh_sources(plan, rank, peers);
	for (size_t i = 0; i < sources; i++)
		pairs[count + i] = (struct np_mesh_pair){.from = peers[i],
							 .to = rank,
							 .parts = NP_MESH_TO,
							 .received = SENT - lost_at(rank, i),
							 .bytes = SENT * 1000,
							 .elapsed = NP_SECOND,
							 .delay_count = SENT};
	return count + sources;
}

static void join(struct simulation *s, uint32_t rank)
{
	static const char blob[] = "10.100.100.100:54321";
	struct wire_join join = {.rank = rank,
				 .size = s->plan.ranks,
				 .program = "simulation",
				 .host = "host",
				 .blob = (const uint8_t *)blob,
				 .blob_bytes = sizeof(blob) - 1};

	must(!spoke_open(&s->spoke[rank], &s->at, &join, LIMIT, -1), "join");
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
	size_t count = np_mesh_targets(&s->plan, rank, peers);

	must(!spoke_fetch(&s->spoke[rank], peers, count, LIMIT), "fetch");
	count = np_mesh_sources(&s->plan, rank, peers);
	must(!spoke_fetch(&s->spoke[rank], peers, count, LIMIT), "fetch");
}

static void send_results(struct simulation *s, uint32_t rank, uint32_t *peers,
			 struct np_mesh_pair *pairs)
{
	static uint8_t piece[NP_MESH_PIECE_PAIRS * NP_MESH_PAIR_BYTES];
	const size_t count = made_up(&s->plan, rank, peers, pairs);

	for (size_t done = 0; done < count;) {
		const size_t left = count - done;
		const size_t n = left < NP_MESH_PIECE_PAIRS ? left : NP_MESH_PIECE_PAIRS;
		const size_t bytes = np_mesh_pack(pairs + done, n, piece);

		must(!spoke_send(&s->spoke[rank], piece, bytes, LIMIT), "send");
		done += n;
	}
	must(!spoke_finish(&s->spoke[rank]), "finish");
}

static void raise_limit(uint32_t ranks)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max >= ranks + 512)
		return;
	printf("SKIP: %u descriptors are permitted at most\n", (unsigned)limit.rlim_max);
	exit(77);
}

/* All ranks but 0; prints what they sent and received. */
static void play(struct simulation *s)
{
	const uint32_t ranks = s->plan.ranks;
	uint32_t *peers = calloc(ranks, sizeof(*peers));
	struct np_mesh_pair *pairs = calloc(2 * (size_t)ranks, sizeof(*pairs));
	uint64_t sent = 0, received = 0;

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
	for (uint32_t r = 1; r < ranks; r++)
		must(!spoke_await_finished(&s->spoke[r], LIMIT), "finished");
	for (uint32_t r = 1; r < ranks; r++) {
		struct np_stream_stats stats;

		np_stream_stats(s->spoke[r].channel.stream, &stats);
		sent += stats.sent_bytes;
		received += stats.received_bytes;
	}
	printf("\"to_rank0_bytes\": %llu, \"from_rank0_bytes\": %llu, ", (unsigned long long)sent,
	       (unsigned long long)received);
	fflush(stdout);
	_exit(0);
}

static double seconds_since(np_time *then)
{
	const np_time now = np_clock_now(), before = *then;

	*then = now;
	return np_clock_seconds(now - before);
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

static void collect(struct simulation *s, pid_t child)
{
	const struct np_mesh_words words = {.unit = "packets", .delay = "delay"};
	np_time then = np_clock_now();
	FILE *out = fopen("/dev/null", "w");
	struct np_mesh_sum sum;
	struct np_mesh *mesh;
	struct rusage usage;
	int status;

	must(!hub_barrier(s->hub, LIMIT, -1), "barrier");
	printf("\"join_s\": %.3f, ", seconds_since(&then));
	must(!hub_barrier(s->hub, LIMIT, -1), "barrier");
	printf("\"exchange_s\": %.3f, ", seconds_since(&then));
	must(!np_mesh_create(&mesh, &s->plan, &words), "mesh");
	add_own(s, mesh);
	must(!hub_collect(s->hub, np_mesh_take, mesh, LIMIT), "collect");
	printf("\"collect_s\": %.3f, ", seconds_since(&then));
	must(!np_mesh_settle(mesh), "settle");
	np_mesh_print(mesh, NULL, 100, out);
	printf("\"report_s\": %.3f, ", seconds_since(&then));
	fflush(stdout);
	must(waitpid(child, &status, 0) == child && !status, "the ranks");
	for (uint32_t r = 1; r < s->plan.ranks; r++)
		must(hub_ranks(s->hub)[r].joined, "a rank");
	sum = np_mesh_total(mesh);
	getrusage(RUSAGE_SELF, &usage);
	printf("\"pairs\": %llu, \"sent\": %llu, \"lost\": %llu, \"exact\": %s, \"memory_bytes\": "
	       "%lld}\n",
	       (unsigned long long)sum.pairs, (unsigned long long)sum.sent,
	       (unsigned long long)sum.lost, sum.exact ? "true" : "false",
	       1024LL * usage.ru_maxrss);
	np_mesh_free(mesh);
	fclose(out);
}

int main(int argc, char **argv)
{
	struct simulation s = {.plan.pattern = NP_MESH_ALL};
	struct hub_plan plan = {.program = "simulation", .host = "host"};
	struct np_address local;
	uint64_t ranks;
	pid_t child;

	if (argc != 3 || np_units_parse_count(argv[1], 2, NP_LAUNCH_RANKS_MAX, &ranks) ||
	    np_units_parse_count(argv[2], 0, NP_LAUNCH_RANKS_MAX, &s.plan.sample))
		return 2;
	s.plan.ranks = plan.size = (uint32_t)ranks;
	raise_limit(s.plan.ranks);
	must(!np_address_parse(&local, "127.0.0.1", 0), "address");
	plan.local = &local;
	must(!hub_open(&s.hub, &plan), "listen");
	s.at = *hub_address(s.hub);
	printf("{\"ranks\": %u, ", s.plan.ranks);
	fflush(stdout);
	child = fork();
	must(child >= 0, "fork");
	if (!child)
		play(&s);
	collect(&s, child);
	hub_free(s.hub);
	return 0;
}
