// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * udp-forge: sends a UDP datagram again and again, each from another source that does not exist.
 *
 * usage: udp-forge SOURCES EACH same|random FILE ADDRESS PORT
 *	SOURCES	addresses and ports of the network of ADDRESS, an IPv4 /24, in turn
 *	EACH	datagrams of each
 *	random	the number in it, a big-endian int32 at byte 24, is another one every time
 *	FILE	what is in the datagram
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NUMBER_AT  24
#define BODY_MAX   1472
#define FIRST_HOST 3 /* lower ones are real */
#define HOSTS	   250
#define FIRST_PORT 1024
#define PAUSE_EACH 100
#define PAUSE_NS   1000000

struct datagram {
	struct iphdr ip;
	struct udphdr udp;
	uint8_t body[BODY_MAX];
};

struct flood {
	struct datagram datagram;
	struct sockaddr_in to;
	size_t bytes;
	uint64_t sources, each, state;
	bool random;
};

static uint64_t number(const char *text, uint64_t max)
{
	uint64_t value;

	if (np_units_parse_count(text, 1, max, &value))
		errx(2, "%s: no number up to %llu", text, (unsigned long long)max);
	return value;
}

static void read_body(struct flood *flood, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		err(2, "%s", path);
	flood->bytes = fread(flood->datagram.body, 1, BODY_MAX, file);
	if (flood->random && flood->bytes < NUMBER_AT + 4)
		errx(2, "%s: too short", path);
	fclose(file);
}

/* The kernel fills in length, identification and checksum of the IP header; UDP's may be none. */
static void prepare(struct flood *flood, const char *address, uint16_t port)
{
	flood->to.sin_family = AF_INET;
	if (inet_pton(AF_INET, address, &flood->to.sin_addr) != 1)
		errx(2, "%s: no address", address);
	flood->datagram.ip = (struct iphdr){
		.version = 4,
		.ihl = sizeof(struct iphdr) / 4,
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.daddr = flood->to.sin_addr.s_addr,
	};
	flood->datagram.udp.dest = htons(port);
	flood->datagram.udp.len = htons((uint16_t)(sizeof(struct udphdr) + flood->bytes));
}

/* xorshift64 */
static void scatter_number(struct flood *flood)
{
	flood->state ^= flood->state << 13;
	flood->state ^= flood->state >> 7;
	flood->state ^= flood->state << 17;
	memcpy(flood->datagram.body + NUMBER_AT, &flood->state, 4);
}

static void send_from(struct flood *flood, int out, uint64_t source)
{
	uint32_t network = ntohl(flood->to.sin_addr.s_addr) & 0xffffff00;
	size_t bytes = sizeof(struct iphdr) + sizeof(struct udphdr) + flood->bytes;

	flood->datagram.ip.saddr = htonl(network + FIRST_HOST + (uint32_t)(source % HOSTS));
	flood->datagram.udp.source = htons((uint16_t)(FIRST_PORT + source / HOSTS));
	if (flood->random)
		scatter_number(flood);
	while (sendto(out, &flood->datagram, bytes, 0, (struct sockaddr *)&flood->to,
		      sizeof(flood->to)) < 0) {
		if (errno != ENOBUFS && errno != EINTR)
			err(1, "sendto");
	}
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = PAUSE_NS};
	struct flood flood = {.state = 88172645463325252};
	int out;

	if (argc != 7)
		errx(2, "usage: udp-forge SOURCES EACH same|random FILE ADDRESS PORT");
	flood.sources = number(argv[1], UINT64_C(64000) * HOSTS);
	flood.each = number(argv[2], 1000000);
	flood.random = !strcmp(argv[3], "random");
	read_body(&flood, argv[4]);
	prepare(&flood, argv[5], (uint16_t)number(argv[6], UINT16_MAX));
	out = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (out < 0)
		err(2, "raw socket");
	for (uint64_t i = 0; i < flood.sources * flood.each; i++) {
		send_from(&flood, out, i % flood.sources);
		if (i % PAUSE_EACH == 0)
			nanosleep(&pause, NULL);
	}
	return 0;
}
