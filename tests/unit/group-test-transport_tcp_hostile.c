// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * group-test-transport_tcp_hostile: strangers at a mesh's doors: each costs a count and its own
 * connection, and the members go on.
 */
#include "group_mesh.h"
#include "support/unit.h"

#include <sys/resource.h>

#define LATER (10 * NP_SECOND)

#define THIRD 2 /* an entry of the cluster that is no member */

/* Two members of a cluster of three, to be disturbed. */
static void begin_as(struct parties *p, bool strict)
{
	MESH(p, 2, 3, 1000, mesh.plan.tcp.strict = strict);
}

/* And still they hear each other; @third has gone, if it is one. */
static void end_without(struct parties *p, int third)
{
	if (third >= 0)
		close(third);
	parties_all_hear_all(p);
	parties_stream(p, 0, 1000, 1000);
	parties_stream(p, 1, 1000, 1000);
	for (unsigned i = 0; i < p->count; i++)
		assert_in_range(p->party[i].events[TRANSPORT_LOST], 0, third >= 0);
	parties_close(p);
}

static void end(struct parties *p)
{
	end_without(p, -1);
}

/* The member has closed the stranger's connection. */
static void await_end(struct parties *p, int fd)
{
	char byte;
	ssize_t got;

	PARTIES_AWAIT(p, (got = recv(fd, &byte, 1, MSG_DONTWAIT)) >= 0 || errno != EAGAIN);
	assert_true(got <= 0);
	close(fd);
}

#define STATS(member) offsetof(struct transport_stats, member)

/* A connection that says something, and what that costs. */
static const struct visit {
	const char *from; /* NULL: the address of all */
	const char *as;	  /* whom it announces; NULL: nobody; "third", "self": an entry */
	const char *says; /* after that, and after a good message of one byte where @hears is 1 */
	size_t bytes;
	bool stops;				 /* then it sends no more */
	size_t count;				 /* in the stats, which rises by one */
	unsigned hears, ended, foreign, refused; /* messages and events */
} visits[] = {
	/* Bad lengths end it. */
	{NULL, "third", "\x00\x00\x03\xe9", 4, false, STATS(oversize), 1, 1, 0, 0},
	{NULL, "third", "\x7f\xff\xff\xff", 4, false, STATS(oversize), 1, 1, 0, 0},
	{NULL, "third", "\x80\x00\x00\x00", 4, false, STATS(bad_lengths), 1, 1, 0, 0},
	{NULL, "third", "\xff\xff\xff\xff", 4, false, STATS(bad_lengths), 1, 1, 0, 0},
	{NULL, "third", "\x00\x00\x00\x00", 4, false, STATS(bad_lengths), 1, 1, 0, 0},
	/* Wrong hand-shakes; those of older generations are named. */
	{NULL, NULL, "GET / HTTP/1.0\r\n\r\n", 18, false, STATS(bad_handshakes), 0, 0, 0, 0},
	{NULL, NULL, "\4\5\1\2\3\4\5\6\7\x08", 10, false, STATS(bad_handshakes), 0, 0, 0, 0},
	{NULL, NULL, "\1\1\4\x7f\0\0\1\x1e\x78\0", 10, false, STATS(bad_handshakes), 0, 0, 1, 0},
	{NULL, "third", "\0\0\0\0\x0e", 5, false, STATS(bad_handshakes), 0, 1, 1, 0},
	/* Those that stop in the middle. */
	{NULL, NULL, "", 0, true, STATS(truncated), 0, 0, 0, 0},
	{NULL, "third", "\0\0\0", 3, true, STATS(truncated), 0, 1, 0, 0},
	{NULL, "third", "\0\0\0\7tr", 6, true, STATS(truncated), 0, 1, 0, 0},
	{NULL, "third", "\0\0\0\7trunc", 9, true, STATS(truncated), 0, 1, 0, 0},
	/* Not in the cluster, from elsewhere than announced, and in the member's own name. */
	{NULL, "10.0.0.1:1000", "\0\0\0\1!", 5, false, STATS(refused), 0, 0, 0, 1},
	{NULL, "127.0.0.9:7800", "\0\0\0\1!", 5, false, STATS(refused), 0, 0, 0, 1},
	{"127.0.0.9:1", "third", "\0\0\0\1!", 5, false, STATS(refused), 0, 0, 0, 1},
	{NULL, "self", "\0\0\0\1!", 5, false, STATS(refused), 0, 0, 0, 1},
};

TEST(each_stranger_costs_a_count)
{
	for (unsigned strict = 0; strict < 2; strict++) {
		struct parties p = {};
		struct party *first = &p.party[0];
		int third = mesh_listen(THIRD);

		begin_as(&p, strict);
		for (size_t i = 0; i < sizeof(visits) / sizeof(*visits); i++) {
			const struct visit *v = &visits[i];
			const struct transport_stats before = parties_stats(&p, 0);
			struct transport_stats after;
			struct np_address other;
			int fd = v->from ? mesh_knock_from(0, v->from) : mesh_knock(0);

			memset(first->events, 0, sizeof(first->events));
			first->strange = 0;
			if (v->as && strchr(v->as, ':')) {
				other = address_of(v->as);
				mesh_shake_as(fd, &other);
			} else if (v->as) {
				mesh_shake(fd, !strcmp(v->as, "self") ? 0 : THIRD);
			}
			if (v->hears)
				mesh_say(fd, "\0\0\0\1!", 5);
			mesh_say(fd, v->says, v->bytes);
			if (v->stops)
				shutdown(fd, SHUT_WR);
			await_end(&p, fd);
			after = parties_stats(&p, 0);
			assert_int_equal(*(uint64_t *)((char *)&after + v->count),
					 *(const uint64_t *)((const char *)&before + v->count) + 1);
			assert_int_equal(first->strange, v->hears);
			assert_int_equal(first->events[TRANSPORT_ENDED], v->ended);
			assert_int_equal(first->events[TRANSPORT_FOREIGN], v->foreign);
			assert_int_equal(first->events[TRANSPORT_REFUSED], v->refused);
		}
		first->strange = 0;
		end_without(&p, third);
	}
}

/* They keep nobody waiting, and go when their time is over, here by a clock that is ahead. */
TEST(who_says_nothing_is_not_waited_for)
{
	np_time later = 0;
	struct parties p = {};
	int fd, half;

	begin_as(&p, true);
	fd = mesh_knock(0);
	half = mesh_knock(0);
	mesh_say(half, "\4\4\x7f", 3);
	parties_stream(&p, 1, 1000, 1000);
	assert_int_equal(parties_stats(&p, 0).silent, 0);
	assert_true(transport_deadline(p.party[0].transport) < np_clock_now() + LATER);
	AWAIT(parties_stats(&p, 0).silent == 2,
	      transport_turn(p.party[0].transport, 10, np_clock_now() + (later += LATER)));
	assert_int_equal(transport_deadline(p.party[0].transport), NP_TIME_NEVER);
	await_end(&p, fd);
	await_end(&p, half);
	p.party[0].next[1] = p.party[1].next[1] = 0;
	end(&p);
}

static unsigned count_open(const int *fds, unsigned count)
{
	unsigned open = 0;
	char byte;

	for (unsigned i = 0; i < count; i++)
		open += recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
	return open;
}

/* They all announce an address of the cluster at which nobody is: none stays, and it comes in. */
TEST(a_table_of_forgers_is_emptied)
{
	PARTIES p = {};
	struct mesh mesh;
	int fds[100];

	mesh_plan(&mesh, 3, 1000);
	mesh.plan.tcp.strict = true;
	mesh_open(&p, &mesh, 2);
	for (unsigned i = 0; i < 100; i++) {
		fds[i] = mesh_knock(0);
		mesh_shake(fds[i], THIRD);
		parties_turn(&p);
		parties_turn(&p);
	}
	for (unsigned i = 0; i < 100; i++)
		await_end(&p, fds[i]);
	assert_int_equal(parties_stats(&p, 0).refused, 100);
	/* A flood is not worth a line each. */
	assert_int_equal(p.party[0].events[TRANSPORT_REFUSED], 1);
	mesh_open(&p, &mesh, 1);
	parties_all_hear_all(&p);
}

/* An attempt to reach the announced address may still run when the forger is heard. */
TEST(a_forger_ends_with_the_attempt_to_reach_it)
{
	int third = mesh_listen(THIRD), waiting = mesh_knock(THIRD), fd;
	struct parties p = {};

	/* It answers no more attempts. */
	assert_int_equal(listen(third, 0), 0);
	MESH(&p, 2, 3, 1000, mesh.plan.tcp.strict = true, mesh.plan.connect_limit = NP_MILLISECOND);
	fd = mesh_knock(0);
	mesh_shake(fd, THIRD);
	for (unsigned i = 0; i < 10; i++)
		parties_turn(&p);
	assert_int_equal(count_open(&fd, 1), 1);
	close(third);
	close(waiting);
	await_end(&p, fd);
	assert_int_equal(parties_stats(&p, 0).refused, 1);
	assert_int_equal(p.party[0].events[TRANSPORT_REFUSED], 1);
	assert_int_equal(p.party[0].events[TRANSPORT_ENDED], 1);
	end(&p);
}

/* So many of 100 at most are open still; that the others are closed may take a while to come. */
static void await_open(struct parties *p, const int *fds, unsigned most)
{
	AWAIT(count_open(fds, 100) <= most,
	      transport_turn(p->party[2].transport, 100, np_clock_now()));
}

/*
 * The third one comes, and before the others have reached it strangers speak for the first. They
 * are heard beside it until it is known which one it is; then none can displace it.
 */
TEST(who_is_trusted_stays)
{
	const struct identity nobody = {};
	PARTIES p = {};
	struct transport *t;
	struct mesh mesh;
	int fds[100], late[100];

	mesh_plan(&mesh, 3, 1000);
	mesh.plan.tcp.strict = true;
	parties_open_all(&p, mesh.plan, 3);
	t = p.party[2].transport;
	for (unsigned i = 0; i < 100; i++) {
		fds[i] = mesh_knock(2);
		mesh_shake(fds[i], 0);
		for (unsigned k = 0; k < 3; k++)
			transport_turn(t, 100, np_clock_now());
	}
	/* The table has room for twice the cluster, and 64 more. */
	await_open(&p, fds, 72);
	assert_in_range(count_open(fds, 100), 60, 72);
	mesh_greet(&p);
	assert_in_range(count_open(fds, 100), 50, 72);
	/* Of nobody: no harm. Then what a caller does who has found out how the others spoke. */
	for (unsigned channel = 0; channel < 100; channel++)
		transport_trust(t, &nobody, channel);
	for (unsigned i = 0; i < 2; i++)
		transport_trust(t, &transport_info(p.party[i].transport)->self,
				p.party[2].channel[i]);
	await_open(&p, fds, 0);
	for (unsigned i = 0; i < 100; i++) {
		late[i] = mesh_knock(2);
		mesh_shake(late[i], 0);
		parties_turn(&p);
		parties_turn(&p);
	}
	parties_stream(&p, 0, 1000, 1000);
	for (unsigned i = 0; i < 100; i++) {
		close(fds[i]);
		close(late[i]);
	}
	parties_stream(&p, 1, 1000, 1000);
	assert_int_equal(p.party[2].events[TRANSPORT_ENDED], 0);
	assert_int_equal(p.party[2].events[TRANSPORT_LOST], 0);
}

/* All that party 0 has sent so far is with the members, and it can send no more. */
static bool third_holds_all_up(const struct parties *p)
{
	struct transport_slots slots;

	return p->party[0].next[0] == p->party[1].next[0] &&
	       !transport_reserve(p->party[0].transport, 1, &slots);
}

/* At an entry of the cluster there may be anybody: one who talks, one who never reads. */
TEST(an_entry_that_is_no_member_harms_nobody)
{
	const np_time end = np_clock_now() + PARTIES_LIMIT;
	PARTIES p = {};
	static const char talk[4096];
	int listener = mesh_listen(THIRD), fd;
	uint32_t sent = 0;

	MESH(&p, 2, 3, 1000, mesh.plan.send_bytes = 100000);
	fd = accept(listener, NULL, NULL);
	for (unsigned i = 0; i < 10; i++) {
		mesh_say(fd, talk, sizeof(talk));
		parties_turn(&p);
	}
	while (p.party[1].next[0] < sent || !third_holds_all_up(&p)) {
		assert_true(np_clock_now() < end);
		sent += parties_data(&p, 0, sent, TRANSPORT_BATCH);
		parties_turn(&p);
	}
	assert_int_equal(p.party[0].events[TRANSPORT_LOST], 0);
	assert_true(transport_deadline(p.party[0].transport) < np_clock_now() + MESH_STALL);
	mesh_cut_stalled(&p);
	for (const uint32_t all = sent + 20000; p.party[1].next[0] < all;) {
		assert_true(np_clock_now() < end);
		if (sent < all)
			sent += parties_data(&p, 0, sent, all - sent);
		parties_turn(&p);
	}
	assert_int_equal(p.party[0].events[TRANSPORT_LOST], 1);
	close(fd);
	close(listener);
	assert_int_equal(p.party[1].strange, 0);
}

/* Without descriptors nobody is accepted, and nothing spins; with them again they are. */
TEST(want_of_descriptors_passes)
{
	struct parties p = {};
	struct rlimit limit, none;
	int fd, free_fd, third = mesh_listen(THIRD);

	begin_as(&p, false);
	fd = mesh_knock(0);
	free_fd = dup(fd);
	close(free_fd);
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = (rlim_t)free_fd;
	setrlimit(RLIMIT_NOFILE, &none);
	PARTIES_AWAIT(&p, parties_stats(&p, 0).refused > 0);
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(parties_stats(&p, 0).refused, 1);
	assert_true(transport_deadline(p.party[0].transport) < np_clock_now() + NP_SECOND);
	mesh_shake(fd, THIRD);
	mesh_say(fd, "\0\0\0\1!", 5);
	PARTIES_AWAIT(&p, p.party[0].strange > 0);
	p.party[0].strange = 0;
	close(fd);
	end_without(&p, third);
}
