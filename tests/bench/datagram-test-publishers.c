// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram-test-publishers: many publishers in one loop, so that a listener receives the same
 * stream whether it comes from one or from a thousand. Each has a port, a run and its numbers; a
 * packet is sent from one after the other, in a burst each millisecond. When their clocks are
 * asked, they answer. The packets are made here by the format that src/datagram-test/wire.h
 * describes: a change of the program's encoder does not change what it is measured with. All
 * leave through one raw socket: a thousand sockets would take the cache from a listener that
 * shares the processor, as publishers on other hosts do not. So it needs CAP_NET_RAW.
 *
 * usage: datagram-test-publishers PORT PUBLISHERS PACKETS_PER_SECOND SECONDS
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <netperf/clock.h>
#include <netperf/field.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#define PACKET_BYTES	100
#define PUBLISHERS_MAX	4096
#define BURSTS_A_SECOND 1000

/* The trailer, the last 16 bytes of a packet. */
#define TRAILER		  (PACKET_BYTES - 16)

#define CONTROL_MAGIC	  0x6e706474u
#define CONTROL_BYTES_MAX 128
#define CONTROL_TYPE	  5
#define TIME_REQUEST	  1
#define TIME_REPLY	  2
#define TIME_OF_REPLIER	  24 /* when the request came, and when the reply left */

static struct publisher {
	int fd;
	uint16_t port;
	uint32_t run;
	uint64_t sent;
} publishers[PUBLISHERS_MAX];
static struct {
	struct iphdr ip;
	struct udphdr udp;
	uint8_t data[PACKET_BYTES];
} datagram = {
	.ip = {.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP},
};
static uint8_t *const packet = datagram.data;
static int out;
static np_time begun;
static int questions; /* an epoll instance with all sockets */

static void start(struct publisher *p, uint16_t listener_port)
{
	struct sockaddr_in local = {.sin_family = AF_INET}, to = local;
	struct epoll_event asked = {.events = EPOLLIN, .data.ptr = p};
	socklen_t length = sizeof(local);

	local.sin_addr.s_addr = to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(listener_port);
	p->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (p->fd < 0 || bind(p->fd, (struct sockaddr *)&local, sizeof(local)) ||
	    getsockname(p->fd, (struct sockaddr *)&local, &length) ||
	    connect(p->fd, (struct sockaddr *)&to, sizeof(to)) ||
	    epoll_ctl(questions, EPOLL_CTL_ADD, p->fd, &asked))
		err(1, "socket");
	p->port = ntohs(local.sin_port);
}

static void open_out(uint16_t listener_port)
{
	struct sockaddr_in to = {.sin_family = AF_INET};

	to.sin_addr.s_addr = datagram.ip.saddr = datagram.ip.daddr = htonl(INADDR_LOOPBACK);
	datagram.udp.dest = htons(listener_port);
	datagram.udp.len = htons(sizeof(datagram) - sizeof(datagram.ip));
	out = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
	if (out < 0 || connect(out, (struct sockaddr *)&to, sizeof(to)))
		err(1, "raw socket");
}

static uint32_t check_value(const uint8_t *at, size_t words, const uint8_t *last)
{
	const uint64_t sum = np_field_sum(NP_FIELD_SUM_BEGIN, at, words);

	return np_field_sum_end(np_field_sum_word(sum, np_field_get32(last)));
}

static void send_packet(struct publisher *p)
{
	const np_time now = np_clock_now();
	uint8_t checked[40];

	for (uint32_t word = 7; word < PACKET_BYTES / 4; word++)
		np_field_put32(packet + 4 * word, word);
	np_field_put32(packet, 0x74657374u);
	np_field_put32(packet + 4, p->port);
	np_field_put64(packet + 8, (uint64_t)now);
	np_field_put64(packet + 16, UINT64_MAX); /* acknowledges nothing */
	np_field_put32(packet + 24, (uint32_t)(p->sent + 1));
	np_field_put16(packet + TRAILER, 0xd7e5);
	np_field_put16(packet + TRAILER + 2, (uint16_t)((now - begun) / (10 * NP_MILLISECOND)));
	np_field_put32(packet + TRAILER + 4, p->run);
	np_field_put32(packet + TRAILER + 8, 0x01ffffff); /* confirmed */
	memcpy(checked, packet, 32);
	memcpy(checked + 32, packet + TRAILER, 8);
	np_field_put32(packet + TRAILER + 12, check_value(checked, 5, packet + TRAILER + 8));
	datagram.udp.source = htons(p->port);
	if (send(out, &datagram, sizeof(datagram), 0) == sizeof(datagram))
		p->sent++;
}

static void answer(const struct publisher *p)
{
	uint8_t data[CONTROL_BYTES_MAX];
	ssize_t got;

	while ((got = recv(p->fd, data, sizeof(data), 0)) > 0) {
		const size_t words = ((size_t)got - 4) / 8;
		uint8_t *const end = data + got;

		if (got < TIME_OF_REPLIER + 24 || got % 8 ||
		    np_field_get32(data) != CONTROL_MAGIC || data[CONTROL_TYPE] != TIME_REQUEST)
			continue;
		data[CONTROL_TYPE] = TIME_REPLY;
		np_field_put64(data + TIME_OF_REPLIER, (uint64_t)np_clock_now());
		np_field_put64(data + TIME_OF_REPLIER + 8, (uint64_t)np_clock_now());
		np_field_put32(end - 4, check_value(data, words, end - 8));
		(void)send(p->fd, data, (size_t)got, 0);
	}
}

static void answer_all(void)
{
	struct epoll_event asked[64];
	int count;

	do {
		count = epoll_wait(questions, asked, 64, 0);
		for (int i = 0; i < count; i++)
			answer(asked[i].data.ptr);
	} while (count == 64);
}

static void rest_until(np_time when)
{
	const struct timespec until = {when / NP_SECOND, when % NP_SECOND};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv)
{
	const size_t count = argc == 5 ? (size_t)atoi(argv[2]) : 0;
	const unsigned long rate = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
	const unsigned long bursts = argc == 5 ? strtoul(argv[4], NULL, 10) * BURSTS_A_SECOND : 0;
	unsigned long sent = 0;

	if (!count || count > PUBLISHERS_MAX || !rate)
		errx(2, "usage: %s PORT PUBLISHERS PACKETS_PER_SECOND SECONDS", argv[0]);
	open_out((uint16_t)atoi(argv[1]));
	questions = epoll_create1(0);
	for (size_t i = 0; i < count; i++) {
		publishers[i].run = (uint32_t)i + 1;
		start(&publishers[i], (uint16_t)atoi(argv[1]));
	}
	begun = np_clock_now();
	for (unsigned long burst = 0; burst < bursts; burst++) {
		for (; sent < (burst + 1) * rate / BURSTS_A_SECOND; sent++)
			send_packet(&publishers[sent % count]);
		answer_all();
		rest_until(begun + (np_time)(burst + 1) * NP_MILLISECOND);
	}
	printf("%lu\n", sent);
	return 0;
}
