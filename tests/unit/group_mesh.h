/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* group_mesh: members of a tcp mesh on a loopback address of this process' own, and strangers. */
#pragma once

#include "address_of.h"
#include "group_transports.h"

#include <sys/socket.h>
#include <unistd.h>

#define MESH_PORT 7800
/* No test waits for it: where somebody stalls, a turn is given a later clock. */
#define MESH_STALL PARTIES_LIMIT

static inline struct np_address mesh_address(unsigned index)
{
	char text[64];

	snprintf(text, sizeof(text), "127.%d.%d.77:%u", 1 + (getpid() >> 8) % 200, getpid() & 0xff,
		 MESH_PORT + index);
	return address_of(text);
}

/* A plan for a mesh of @count entries. */
struct mesh {
	struct np_address entries[PARTIES_MAX];
	struct transport_plan plan;
};

static inline void mesh_plan(struct mesh *mesh, unsigned count, size_t data_bytes)
{
	*mesh = (struct mesh){};
	for (unsigned i = 0; i < count; i++)
		mesh->entries[i] = mesh_address(i);
	mesh->plan = (struct transport_plan){
		.variant = "tcp",
		.bind = mesh->entries[0],
		.tcp = {.cluster = {mesh->entries, count},
			.first_port = MESH_PORT,
			.stall = MESH_STALL},
	};
	parties_plan(&mesh->plan, count, data_bytes);
}

/* Until all hear each other and nothing is on its way. */
static inline void mesh_greet(struct parties *p)
{
	const np_time end = np_clock_now() + PARTIES_LIMIT;

	while (!parties_all_greeted(p)) {
		assert_true(np_clock_now() < end);
		/* Who failed is tried again by sends. */
		for (unsigned i = 0; i < p->count; i++)
			parties_hello(p, i);
		parties_turn(p);
		usleep(1000);
	}
	PARTIES_AWAIT(p, parties_idle(p));
	for (unsigned i = 0; i < 10; i++)
		parties_turn(p);
}

/* The first members of the mesh, who hear each other; entries that nobody listens at stay failed.
 */
static inline void mesh_open(struct parties *p, const struct mesh *mesh, unsigned count)
{
	parties_open_all(p, mesh->plan, count);
	mesh_greet(p);
	for (unsigned i = 0; i < p->count; i++)
		memset(p->party[i].hellos, 0, sizeof(p->party[i].hellos));
}

/* The first @opened of such a mesh of @count entries, with what is changed in mesh.plan. */
#define MESH(p, opened, count, data_bytes, ...)                                                    \
	({                                                                                         \
		struct mesh mesh;                                                                  \
                                                                                                   \
		mesh_plan(&mesh, count, data_bytes);                                               \
		__VA_ARGS__;                                                                       \
		mesh_open(p, &mesh, opened);                                                       \
	})

/* A connection to member @index that comes from @from, any port. */
static inline int mesh_knock_from(unsigned index, const char *from)
{
	struct np_address to = mesh_address(index), own = mesh_address(0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (from)
		own = address_of(from);
	np_address_set_port(&own, 0);
	assert_int_equal(bind(fd, &own.any, own.length), 0);
	assert_int_equal(connect(fd, &to.any, to.length), 0);
	return fd;
}

/* Of a stranger at the members' own address. */
static inline int mesh_knock(unsigned index)
{
	return mesh_knock_from(index, NULL);
}

static inline void mesh_say(int fd, const void *data, size_t bytes)
{
	assert_int_equal(send(fd, data, bytes, MSG_NOSIGNAL), bytes);
}

/* The hand-shake of somebody at @address. */
static inline void mesh_shake_as(int fd, const struct np_address *address)
{
	const struct identity id = identity_of(address);
	uint8_t handshake[8] = {4, 4};

	memcpy(handshake + 2, id.ip + 12, 4);
	memcpy(handshake + 6, id.port, 2);
	mesh_say(fd, handshake, sizeof(handshake));
}

/* The hand-shake of entry @index of the cluster. */
static inline void mesh_shake(int fd, unsigned index)
{
	const struct np_address address = mesh_address(index);

	mesh_shake_as(fd, &address);
}

/* Somebody is there, though nobody that talks. */
static inline int mesh_listen(unsigned index)
{
	struct np_address address = mesh_address(index);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int reuse = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
	assert_int_equal(bind(fd, &address.any, address.length), 0);
	assert_int_equal(listen(fd, 1000), 0);
	return fd;
}

/*
 * Turns of the first party by a clock that is further and further ahead, until it cuts who stalls:
 * what moved before the first of them is progress.
 */
static inline void mesh_cut_stalled(struct parties *p)
{
	for (unsigned i = 1; i <= 4 && !p->party[0].events[TRANSPORT_LOST]; i++)
		transport_turn(p->party[0].transport, 1000, np_clock_now() + 2 * i * MESH_STALL);
	assert_int_equal(p->party[0].events[TRANSPORT_LOST], 1);
	assert_int_equal(p->party[0].last_error, -ETIMEDOUT);
}
