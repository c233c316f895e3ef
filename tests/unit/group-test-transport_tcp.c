// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group-test-transport_tcp: members of a mesh come, talk, go, and hold each other up. */
#include "group_mesh.h"
#include "support/unit.h"

TEST(everybody_hears_everybody)
{
	static const size_t sizes[] = {8, 100, 1000, 16384, 16385, 65536, 1 << 20};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint32_t messages = sizes[i] > 10000 ? 50 : 5000;
		struct transport_stats stats;
		PARTIES p = {};
		uint64_t before;

		MESH(&p, 4, 4, sizes[i]);
		parties_all_hear_all(&p);
		before = parties_stats(&p, 1).sent_messages;
		parties_stream(&p, 1, messages, messages);
		parties_stream(&p, 3, messages, messages);
		stats = parties_stats(&p, 1);
		parties_counted(&p, 1, before + messages, stats.sent_bytes);
		assert_true(stats.send_calls >= 4 && stats.receive_calls >= 4);
		assert_int_equal(p.party[2].events[TRANSPORT_LOST], 0);
		assert_int_equal(p.party[2].events[TRANSPORT_ENDED], 0);
	}
}

struct ordered {
	unsigned count;
	struct transport_event events[8];
	char text[8][64];
};

static void note_event(void *context, const struct transport_event *event)
{
	struct ordered *o = context;

	assert_true(o->count < 8);
	o->events[o->count] = *event;
	snprintf(o->text[o->count++], sizeof(o->text[0]), "%s", event->text);
}

static void ignore(void *context, const struct transport_delivery *delivery)
{
	(void)context;
	(void)delivery;
}

/* Each entry of the cluster in its order, once, as Java names it; and again when it changes. */
TEST(the_opening_tells_of_every_entry)
{
	struct ordered o = {};
	const struct transport_listener listener = {&o, ignore, note_event};
	struct transport *t, *late;
	struct np_fault fault;
	struct mesh mesh;
	char text[64];
	np_time end;

	mesh_plan(&mesh, 3, 100);
	mesh.entries[0] = mesh_address(1);
	mesh.entries[1] = mesh_address(0);
	assert_int_equal(transport_open(&t, &mesh.plan, &listener, &fault), 0);
	assert_true(transport_deadline(t) <= np_clock_now());
	for (unsigned i = 0; i < 3; i++)
		assert_true(transport_turn(t, 10, np_clock_now()) >= 0);
	assert_int_equal(o.count, 3);
	assert_int_equal(o.events[0].kind, TRANSPORT_FAILED);
	assert_int_equal(o.events[0].error, -ECONNREFUSED);
	assert_int_equal(o.events[1].kind, TRANSPORT_CONNECTED);
	assert_int_equal(o.events[2].kind, TRANSPORT_FAILED);
	assert_true(identity_equal(&o.events[1].peer, &transport_info(t)->self));
	text[0] = '/';
	identity_format(&o.events[1].peer, text + 1);
	assert_string_equal(o.text[1], text);
	assert_int_equal(transport_open(&late, &mesh.plan, &listener, &fault), 0);
	for (end = np_clock_now() + PARTIES_LIMIT; o.count < 4 && np_clock_now() < end;) {
		assert_int_equal(transport_send(t, NULL, "x", 1), 0);
		transport_turn(t, 10, np_clock_now());
	}
	assert_int_equal(o.events[3].kind, TRANSPORT_CONNECTED);
	assert_int_equal(np_address_port(&mesh.entries[0]), MESH_PORT + 1);
	transport_free(late);
	transport_free(t);
}

/*
 * Java waits for the hand-shake of a connection before it accepts another: it goes before there is
 * anything to say. It names where this member listens, not where the connection comes from.
 */
TEST(the_hand_shake_goes_at_once)
{
	const struct np_address first = mesh_address(0);
	const struct identity self = identity_of(&first);
	int listener = mesh_listen(1), fd;
	const struct timeval limit = {.tv_sec = PARTIES_LIMIT / NP_SECOND};
	uint8_t got[9], expected[8] = {4, 4};
	PARTIES p = {};
	struct mesh mesh;

	mesh_plan(&mesh, 2, 1000);
	assert_int_equal(parties_open(&p, &mesh.plan), 0);
	fd = accept(listener, NULL, NULL);
	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	memcpy(expected + 2, self.ip + 12, 4);
	memcpy(expected + 6, self.port, 2);
	assert_int_equal(recv(fd, got, 8, MSG_WAITALL), 8);
	assert_memory_equal(got, expected, 8);
	assert_int_equal(recv(fd, got, sizeof(got), MSG_DONTWAIT), -1);
	close(fd);
	close(listener);
}

/* Turns so far apart that the windows are looked at in each, with something said before. */
static void look_often(struct parties *p, unsigned times)
{
	static np_time later;

	while (times--) {
		later += NP_SECOND;
		assert_int_equal(transport_send(p->party[0].transport, NULL, "?", 1), 0);
		assert_true(transport_turn(p->party[0].transport, 1000, np_clock_now() + later) >=
			    0);
		usleep(1000);
	}
}

/* Who reads what it had left unread lives, although it says nothing; who does not may be dead. */
TEST(a_window_that_grows_is_a_sign_of_life)
{
	static uint8_t data[130000];
	const int room = 32768;
	int listener = mesh_listen(1), fd;
	np_time end = np_clock_now() + PARTIES_LIMIT;
	PARTIES p = {};
	struct mesh mesh;

	/* A buffer that the kernel enlarges by itself may take all, and its window need not close.
	 */
	assert_int_equal(setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)), 0);
	mesh_plan(&mesh, 2, 1000);
	mesh.plan.tcp.stall = 1000000 * NP_SECOND;
	mesh.plan.send_bytes = 200000;
	assert_int_equal(parties_open(&p, &mesh.plan), 0);
	fd = accept(listener, NULL, NULL);
	assert_true(fd >= 0);
	for (uint32_t sent = 0; sent < 150;)
		sent += parties_data(&p, 0, sent, TRANSPORT_BATCH);
	/*
	 * The kernel's own tries may bring it some more; then nothing moves. A packet that found
	 * the buffer full is tried again after 200 ms, and only the answer to that may close the
	 * window.
	 */
	do {
		assert_true(np_clock_now() < end);
		p.party[0].events[TRANSPORT_MOVED] = 0;
		look_often(&p, 500);
	} while (p.party[0].events[TRANSPORT_MOVED]);
	assert_int_equal(recv(fd, data, sizeof(data), MSG_WAITALL), sizeof(data));
	/* The kernel opens the window again once half of its buffer is free: the rest is read, too.
	 */
	while (!p.party[0].events[TRANSPORT_MOVED]) {
		assert_true(np_clock_now() < end);
		(void)recv(fd, data, sizeof(data), MSG_DONTWAIT);
		look_often(&p, 1);
	}
	close(fd);
	close(listener);
}

/* What was sent before somebody was there does not reach him. */
TEST(who_comes_late_hears_what_follows)
{
	const struct identity nobody = {.port = {1, 2}};
	PARTIES p = {};
	struct mesh mesh;

	mesh_plan(&mesh, 2, 1000);
	assert_int_equal(parties_open(&p, &mesh.plan), 0);
	parties_turn(&p);
	assert_int_equal(p.party[0].events[TRANSPORT_FAILED], 1);
	assert_int_equal(p.party[0].last_error, -ECONNREFUSED);
	assert_int_equal(parties_data(&p, 0, 0, 5), 5);
	PARTIES_AWAIT(&p, p.party[0].next[0] == 5);
	assert_int_equal(transport_send(p.party[0].transport, &nobody, "x", 1), -ENOENT);
	mesh_open(&p, &mesh, 1);
	assert_int_equal(p.party[0].events[TRANSPORT_CONNECTED], 2);
	assert_int_equal(p.party[1].next[0] + p.party[1].strange, 0);
	parties_all_hear_all(&p);
}

/* Started anew at the same address: reached again; if the caller has dropped it, for itself alone.
 */
TEST(who_comes_back_is_reached_again)
{
	PARTIES p = {};
	struct identity second;
	struct mesh mesh;
	uint32_t came;

	mesh_plan(&mesh, 2, 1000);
	mesh_open(&p, &mesh, 2);
	second = transport_info(p.party[1].transport)->self;
	for (unsigned i = 0; i < 2; i++) {
		transport_free(p.party[1].transport);
		p.count = 1;
		PARTIES_AWAIT(&p, p.party[0].events[TRANSPORT_LOST] == i + 1);
		PARTIES_AWAIT(&p, p.party[0].events[TRANSPORT_ENDED] == i + 1);
		assert_int_equal(parties_stats(&p, 0).truncated, 0);
		if (i == 1)
			transport_drop(p.party[0].transport, &second);
		assert_int_equal(parties_open(&p, &mesh.plan), 0);
		assert_true(identity_equal(&transport_info(p.party[1].transport)->self, &second));
		if (i == 0) {
			PARTIES_AWAIT(&p, p.party[0].events[TRANSPORT_CONNECTED] == 3);
			parties_all_hear_all(&p);
		}
	}
	/* It can be told that it is out, and hears nothing of what is for the group. */
	came = p.party[1].next[0];
	assert_true(parties_data(&p, 0, came, 10) > 0);
	PARTIES_AWAIT(&p, !transport_send(p.party[0].transport, &second, "x", 1));
	assert_true(parties_data(&p, 0, came + 10, 10) > 0);
	PARTIES_AWAIT(&p, p.party[1].strange > 0);
	for (unsigned i = 0; i < 100; i++)
		parties_turn(&p);
	assert_int_equal(p.party[0].events[TRANSPORT_CONNECTED], 3);
	assert_int_equal(p.party[1].next[0], came);
	assert_int_equal(p.party[1].strange, 1);
}

TEST(a_message_to_one_reaches_one)
{
	PARTIES p = {};

	MESH(&p, 3, 3, 1000);
	parties_one_hears_one(&p);
}

/* The mesh's policy is the caller's to overrule. */
TEST(who_is_dropped_holds_nobody_up)
{
	PARTIES p = {};
	struct identity second;
	struct transport *t;
	uint32_t sent = 0;
	unsigned went;

	MESH(&p, 2, 2, 1000);
	t = p.party[0].transport;
	second = transport_info(p.party[1].transport)->self;
	do { /* without turns of the other, so that nobody reads it */
		went = parties_data(&p, 0, sent, TRANSPORT_BATCH);
		sent += went;
		transport_turn(t, TRANSPORT_BATCH, np_clock_now());
	} while (went || p.party[0].next[0] < sent);
	assert_false(transport_idle(t));
	transport_drop(t, &second);
	assert_true(parties_data(&p, 0, sent, 100) > 0);
	assert_int_equal(transport_send(t, &second, "x", 1), -ENOENT);
	parties_turn(&p);
	parties_turn(&p);
	assert_int_equal(p.party[0].events[TRANSPORT_LOST], 0);
	assert_int_equal(p.party[0].events[TRANSPORT_ENDED], 0);
	transport_drop(t, &(struct identity){});
}

/* Without a first port any will do. */
TEST(any_port)
{
	PARTIES p = {};
	struct mesh mesh;

	mesh_plan(&mesh, 2, 100);
	mesh.plan.tcp.first_port = 0;
	assert_int_equal(parties_open(&p, &mesh.plan), 0);
	parties_hello(&p, 0);
	PARTIES_AWAIT(&p, parties_all_greeted(&p));
}

/* Without an address: the first of the cluster that this host has, else that which others reach. */
TEST(a_member_lives_where_its_cluster_says)
{
	struct np_address lives;
	struct mesh mesh;

	mesh_plan(&mesh, 2, 100);
	lives = mesh.entries[1];
	for (unsigned i = 0; i < 2; i++) {
		PARTIES p = {};

		mesh.plan.bind = (struct np_address){};
		mesh.plan.tcp.first_port = 0;
		mesh.plan.connect_limit = NP_MILLISECOND;
		mesh.entries[i] = address_of("192.0.2.1:7800");
		assert_int_equal(parties_open(&p, &mesh.plan), 0);
		assert_memory_equal(transport_info(p.party[0].transport)->self.ip,
				    identity_of(&lives).ip, 16);
		assert_int_equal(np_address_of_this_host(&lives, AF_UNSPEC, 0), 0);
	}
}

static const char *name_of(const struct np_address *address, char text[IDENTITY_TEXT])
{
	const struct identity id = identity_of(address);

	return identity_format(&id, text);
}

TEST(faults_say_what_would_be_right)
{
	const struct np_address first = mesh_address(0), third = mesh_address(2);
	char text[IDENTITY_TEXT];
	struct mesh mesh;

	mesh_plan(&mesh, 2, 100);
	mesh.plan.tcp.first_port = MESH_PORT + 2;
	parties_refused(&mesh.plan, -EINVAL, name_of(&third, text),
			"this member's own address is not in the cluster");
	mesh_plan(&mesh, 2, 100);
	mesh.plan.ip.device = "nix0";
	parties_refused(&mesh.plan, -ENODEV, "nix0", "No such device");
	mesh.plan.ip.device = NULL;
	mesh.plan.ip.ttl = 256;
	parties_refused(&mesh.plan, -EINVAL, name_of(&first, text), "Invalid argument");
	mesh.plan.ip.ttl = 0;
	parties_refused(&mesh.plan, -EINVAL, "--ttl",
			"0 (this host only) is for udp; tcp needs at least 1");
}
