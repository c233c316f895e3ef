// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * spanning-peer: a node of HyperCast's spanning tree that shares no code with ours. As HyperCast's,
 * it stamps by the wall clock when it is the root, and follows a new parent only when that one's
 * stamp is newer than the newest it believed, of whatever root. It carries no payloads. Says on
 * stdout each change: "root NUMBER parent NUMBER" (parent 0: it is the root).
 *
 * usage: spanning-peer NUMBER ADDRESS AHEAD own|others
 *	AHEAD	seconds by which its wall clock is fast
 *	own	its own stamps as a root are among those that it believed; others: they are not
 */
#include <arpa/inet.h>
#include <err.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define OVERLAY	     "/Public/OverlayID=Restart"
#define REALM	     "labIPv4_UDPxIPv4_UDPMulticast"
#define GROUP	     "224.228.19.78"
#define GROUP_PORT   9472
#define PORT	     9002
#define BEACON_MS    1000
#define SILENT_MS    5000 /* NeighborTimeout, and MsgMaxAge */
#define INTERVALS    10
#define NODES_MAX    16
#define MESSAGE_ROOM 512
/* Of a beacon, behind the 6 bytes of the sender's address: where each field is. */
#define AT_HASH	   4
#define AT_ADDRESS 8
#define AT_NUMBER  19
#define AT_COUNT   43
#define AT_HEARD   47

struct heard {
	int32_t number, root, parent, cost;
	int64_t stamp, at; /* at: when, in ms */
	unsigned beacons;  /* bit i: one came i intervals ago */
	unsigned told;	   /* how many of mine it says to have heard */
};

struct peer {
	int32_t number, root, parent, cost;
	int64_t stamp, believed, advanced, next, ahead_ms;
	bool own;
	uint32_t hash;
	uint16_t realm;
	struct in_addr address;
	int group, unicast;
	struct heard node[NODES_MAX];
	unsigned nodes;
};

static int64_t clock_ms(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static uint32_t hash(const char *text)
{
	uint32_t h = 0;

	for (; *text; text++) {
		const uint32_t t = (h >> 24 ^ (uint8_t)*text) & 0xff;

		h = h << ((t & 7) + 1) ^ t;
	}
	return h;
}

static uint8_t *put(uint8_t *at, uint64_t value, unsigned bytes)
{
	while (bytes--)
		*at++ = (uint8_t)(value >> 8 * bytes);
	return at;
}

static uint64_t get(const uint8_t *at, unsigned bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static int32_t number_at(const uint8_t *at)
{
	return (int32_t)get(at, 4);
}

static void turn_to(struct peer *p, int32_t root, int32_t parent, int32_t cost)
{
	if (root != p->root || parent != p->parent)
		printf("root %d parent %d\n", root, parent);
	p->root = root;
	p->parent = parent;
	p->cost = cost;
}

static void believe(struct peer *p, const struct heard *from, int64_t now)
{
	p->stamp = p->believed = from->stamp;
	p->advanced = now;
	turn_to(p, from->root, from->number, from->cost + 1);
}

static void send_beacon(struct peer *p)
{
	const struct sockaddr_in to = {.sin_family = AF_INET,
				       .sin_port = htons(GROUP_PORT),
				       .sin_addr.s_addr = inet_addr(GROUP)};
	uint8_t message[MESSAGE_ROOM], *at = message;
	size_t bytes;

	if (!p->parent) {
		p->stamp = clock_ms(CLOCK_REALTIME) + p->ahead_ms;
		if (p->own && p->stamp > p->believed)
			p->believed = p->stamp;
	}
	at = put(put(at, ntohl(p->address.s_addr), 4), PORT, 2);
	at = put(put(put(at, 0x33, 1), 0, 3), p->hash, 4);
	at = put(put(put(at, 0xff01, 2), p->realm, 2), 6, 1);
	at = put(put(at, ntohl(p->address.s_addr), 4), PORT, 2);
	at = put(put(at, (uint32_t)p->number, 4), (uint32_t)p->root, 4);
	at = put(put(at, (uint32_t)p->parent, 4), (uint32_t)p->cost, 4);
	at = put(put(at, (uint64_t)p->stamp, 8), p->nodes, 4);
	for (unsigned i = 0; i < p->nodes; i++) {
		const struct heard *n = &p->node[i];
		const bool tree = n->number == p->parent || n->parent == p->number;

		at = put(at, (uint32_t)n->number, 4);
		at = put(at, (unsigned)__builtin_popcount(n->beacons) | (tree ? 0x80u : 0), 1);
	}
	at = put(at, (uint64_t)(10000 - p->cost), 2);
	bytes = (size_t)(at - message);
	put(message + 7, bytes - 9, 2);
	if (sendto(p->unicast, message, bytes, 0, (const void *)&to, sizeof(to)) < 0)
		warn("send");
}

/* The entry of a node, perhaps a new one. */
static struct heard *entry(struct peer *p, int32_t number)
{
	for (unsigned i = 0; i < p->nodes; i++) {
		if (p->node[i].number == number)
			return &p->node[i];
	}
	if (p->nodes == NODES_MAX)
		errx(1, "more than %d nodes", NODES_MAX);
	p->node[p->nodes] = (struct heard){.number = number};
	return &p->node[p->nodes++];
}

/* What its beacon means for the choice of the parent. */
static void choose(struct peer *p, const struct heard *from, int64_t now)
{
	const bool newer = from->stamp > p->believed;
	const bool fit = from->root < p->number && from->parent != p->number;

	if (from->number == p->parent) {
		if (fit && newer)
			believe(p, from, now);
		else if (!fit || from->root != p->root)
			turn_to(p, p->number, 0, 0);
		return;
	}
	if (fit && newer && from->beacons && from->told &&
	    (from->root < p->root || (from->root == p->root && from->cost + 1 < p->cost)))
		believe(p, from, now);
}

static void take(struct peer *p, const uint8_t *m, size_t bytes, int64_t now)
{
	struct heard *from;
	size_t count;

	if (bytes < AT_HEARD + 2 || m[0] >> 4 != 3 || m[3] || get(m + AT_HASH, 4) != p->hash ||
	    get(m + AT_ADDRESS + 2, 2) != p->realm || number_at(m + AT_NUMBER) == p->number)
		return;
	count = get(m + AT_COUNT, 4);
	if (bytes != AT_HEARD + 5 * count + 2)
		errx(1, "a beacon of %zu bytes with %zu nodes", bytes, count);
	from = entry(p, number_at(m + AT_NUMBER));
	from->root = number_at(m + AT_NUMBER + 4);
	from->parent = number_at(m + AT_NUMBER + 8);
	from->cost = number_at(m + AT_NUMBER + 12);
	from->stamp = (int64_t)get(m + AT_NUMBER + 16, 8);
	from->at = now;
	from->beacons |= 1;
	from->told = 0;
	for (size_t i = 0; i < count; i++) {
		if (number_at(m + AT_HEARD + 5 * i) == p->number)
			from->told = m[AT_HEARD + 5 * i + 4] & 0x7f;
	}
	choose(p, from, now);
}

static void tick(struct peer *p, int64_t now)
{
	if (p->parent &&
	    (now - entry(p, p->parent)->at > SILENT_MS || now - p->advanced > SILENT_MS))
		turn_to(p, p->number, 0, 0);
	if (now < p->next)
		return;
	p->next = now + BEACON_MS;
	for (unsigned i = 0; i < p->nodes; i++)
		p->node[i].beacons = p->node[i].beacons << 1 & ((1u << INTERVALS) - 1);
	send_beacon(p);
}

static int bound(struct in_addr address, uint16_t port)
{
	const struct sockaddr_in local = {
		.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = address};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0), on = 1;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(fd, (const void *)&local, sizeof(local)))
		err(1, "port %u", port);
	return fd;
}

static void open_sockets(struct peer *p)
{
	const struct ip_mreq join = {{inet_addr(GROUP)}, p->address};

	p->unicast = bound(p->address, PORT);
	p->group = bound(join.imr_multiaddr, GROUP_PORT);
	if (setsockopt(p->group, IPPROTO_IP, IP_ADD_MEMBERSHIP, &join, sizeof(join)) ||
	    setsockopt(p->unicast, IPPROTO_IP, IP_MULTICAST_IF, &p->address, sizeof(p->address)))
		err(1, "%s", GROUP);
}

int main(int argc, char **argv)
{
	struct peer p = {0};
	uint32_t realm = hash(REALM);

	if (argc != 5 || !inet_aton(argv[2], &p.address))
		errx(2, "usage: spanning-peer NUMBER ADDRESS AHEAD own|others");
	setvbuf(stdout, NULL, _IOLBF, 0);
	p.number = p.root = (int32_t)strtol(argv[1], NULL, 10);
	p.ahead_ms = strtol(argv[3], NULL, 10) * 1000;
	p.own = !strcmp(argv[4], "own");
	p.hash = hash(OVERLAY);
	realm ^= realm >> 8; /* b0^b1 and b2^b3, in its bytes 2 and 0 */
	p.realm = (uint16_t)((realm >> 8 & 0xff00) | (realm & 0xff));
	open_sockets(&p);
	printf("root %d parent 0\n", p.number);
	for (;;) {
		struct pollfd group = {.fd = p.group, .events = POLLIN};
		uint8_t message[MESSAGE_ROOM];

		if (poll(&group, 1, 50) > 0) {
			const ssize_t got = recv(p.group, message, sizeof(message), 0);

			if (got > 6)
				take(&p, message + 6, (size_t)got - 6, clock_ms(CLOCK_MONOTONIC));
		}
		tick(&p, clock_ms(CLOCK_MONOTONIC));
	}
}
