// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * group-test-ledger: which of group-test's numbered messages pass an interface by UDP, whatever its
 * members make of them. Until SIGTERM; then a line of JSON a source: its address and port, and how
 * many different numbers there were.
 *
 * usage: group-test-ledger INTERFACE BYTES
 *	BYTES	of a message's payload
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netperf/units.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* A native message's head, written down once more: the ledger shares no code with the program. */
#define HEAD_BYTES 28
#define MAGIC	   0xe7
#define DATA	   0x43
#define NUMBER_AT  4
#define VERSION_AT 14
#define VERSION	   1

#define SOURCES	   64
#define NUMBERS	   (1u << 20)
#define BUFFER	   (32 << 20)

struct source {
	struct in_addr address;
	uint16_t port;
	uint64_t distinct;
	uint8_t seen[NUMBERS / 8];
};

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static int listen_on(const char *name)
{
	const struct sockaddr_ll at = {.sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_IP),
				       .sll_ifindex = (int)if_nametoindex(name)};
	const struct timeval look = {.tv_usec = 100000};
	const int bytes = BUFFER, fd = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP));

	if (fd < 0 || !at.sll_ifindex || bind(fd, (const struct sockaddr *)&at, sizeof(at)))
		err(2, "%s", name);
	/* Not to sleep behind a signal that came before. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &look, sizeof(look)))
		err(2, "time-out");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) &&
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)))
		err(2, "receive buffer");
	return fd;
}

static struct source *find(struct source **sources, struct in_addr address, uint16_t port)
{
	unsigned i = 0;

	while (i < SOURCES && sources[i] &&
	       (sources[i]->address.s_addr != address.s_addr || sources[i]->port != port))
		i++;
	if (i == SOURCES)
		errx(1, "too many sources");
	if (!sources[i]) {
		sources[i] = calloc(1, sizeof(**sources));
		if (!sources[i])
			err(1, "memory");
		sources[i]->address = address;
		sources[i]->port = port;
	}
	return sources[i];
}

/* The number of a message to be counted; 0: it is none. */
static uint64_t number_of(const uint8_t *head)
{
	uint16_t version;
	uint64_t number;

	memcpy(&version, head + VERSION_AT, sizeof(version));
	memcpy(&number, head + NUMBER_AT, sizeof(number));
	if (head[0] != MAGIC || head[1] != DATA || be16toh(version) != VERSION)
		return 0;
	return be64toh(number);
}

/* A frame that is still to be cut into datagrams (UDP_SEGMENT) holds many. */
static void count(struct source **sources, const struct ip *ip, const uint8_t *udp, size_t bytes,
		  size_t each)
{
	struct udphdr header;
	struct source *source;

	memcpy(&header, udp, sizeof(header));
	for (size_t at = sizeof(header); at + each <= bytes; at += each) {
		const uint64_t number = number_of(udp + at);

		if (!number || number >= NUMBERS)
			continue;
		source = find(sources, ip->ip_src, ntohs(header.source));
		source->distinct += !(source->seen[number / 8] >> number % 8 & 1);
		source->seen[number / 8] |= (uint8_t)(1u << number % 8);
	}
}

static void take(struct source **sources, const uint8_t *data, size_t bytes, size_t each)
{
	struct ip ip;
	size_t head;

	if (bytes < sizeof(ip))
		return;
	memcpy(&ip, data, sizeof(ip));
	head = (size_t)ip.ip_hl * 4;
	if (ip.ip_v == 4 && ip.ip_p == IPPROTO_UDP && bytes >= head + sizeof(struct udphdr))
		count(sources, &ip, data + head, bytes - head, each);
}

int main(int argc, char **argv)
{
	static uint8_t data[1 << 16];
	struct source *sources[SOURCES] = {NULL};
	struct sigaction action = {.sa_handler = on_signal};
	struct tpacket_stats stats = {0};
	socklen_t length = sizeof(stats);
	uint64_t payload;
	ssize_t got;
	int fd;

	if (argc != 3 || np_units_parse_count(argv[2], 0, 60000, &payload))
		errx(2, "usage: group-test-ledger INTERFACE BYTES");
	sigaction(SIGTERM, &action, NULL);
	fd = listen_on(argv[1]);
	do {
		got = recv(fd, data, sizeof(data), 0);
		if (got < 0 && errno != EAGAIN && errno != EINTR && errno != ENETDOWN)
			err(1, "%s", argv[1]);
		if (got > 0)
			take(sources, data, (size_t)got, HEAD_BYTES + (size_t)payload);
	} while (!stop || got > 0);
	if (getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length) || stats.tp_drops)
		errx(1, "%u frames dropped: the ledger is void", stats.tp_drops);
	for (unsigned i = 0; i < SOURCES && sources[i]; i++)
		printf("{\"source\":\"%s:%u\",\"distinct\":%llu}\n", inet_ntoa(sources[i]->address),
		       sources[i]->port, (unsigned long long)sources[i]->distinct);
	return 0;
}
