// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram-test-publishers: groups of publishers in one loop, each with a listener of its own, so
 * that these receive the same stream whether it comes from one or from a thousand. Each has a port,
 * a run and its numbers; a packet is sent from one after the other, in a burst each millisecond.
 * The groups take turns of TURN bursts, so that what a machine's neighbours take from it they take
 * from all. Once all have begun it prints a line, and waits for one; then it sends for as many
 * seconds to each, and prints for each group how many datagrams its listener has received or sent
 * in them; then it waits for the end of its input. When their clocks are
 * asked, they answer. The packets are made here by the format that src/datagram-test/wire.h
 * describes: a change of the program's encoder does not change what it is measured with. All
 * leave through one raw socket: a thousand sockets would take the cache from a listener that
 * shares the processor, as publishers on other hosts do not. So it needs CAP_NET_RAW. Its headers
 * of IP are the kernel's: for each that we made it would allocate a route, and the listener would
 * free some of them. It is at 127.0.0.2, so that only what goes there is copied to the raw socket,
 * too.
 *
 * usage: datagram-test-publishers PACKETS_PER_SECOND SECONDS PORT PUBLISHERS [PORT PUBLISHERS]...
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <netperf/clock.h>
#include <netperf/field.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define PACKET_BYTES	100
#define PUBLISHERS_MAX	4096
#define BURSTS_A_SECOND 1000
#define TURN		50  /* bursts */
#define WARM_UP		500 /* bursts to each group */
#define GROUPS_MAX	2
#define PUBLISHERS	(INADDR_LOOPBACK + 1)

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
	struct group *group;
} publishers[PUBLISHERS_MAX];
static struct group {
	struct sockaddr_in listener;
	struct publisher *publisher;
	size_t count;
	unsigned long sent, datagrams;
} groups[GROUPS_MAX];
static size_t group_count;
static unsigned long rate;
static struct {
	struct udphdr udp;
	uint8_t data[PACKET_BYTES];
} datagram;
static uint8_t *const packet = datagram.data;
static int out;
static np_time begun;
static int questions; /* an epoll instance with all sockets */

static void start(struct publisher *p)
{
	struct sockaddr_in local = {.sin_family = AF_INET};
	struct epoll_event asked = {.events = EPOLLIN, .data.ptr = p};
	socklen_t length = sizeof(local);

	local.sin_addr.s_addr = htonl(PUBLISHERS);
	p->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	if (p->fd < 0 || bind(p->fd, (struct sockaddr *)&local, sizeof(local)) ||
	    getsockname(p->fd, (struct sockaddr *)&local, &length) ||
	    connect(p->fd, (struct sockaddr *)&p->group->listener, sizeof(local)) ||
	    epoll_ctl(questions, EPOLL_CTL_ADD, p->fd, &asked))
		err(1, "socket");
	p->port = ntohs(local.sin_port);
}

static void open_out(void)
{
	struct sockaddr_in local = {.sin_family = AF_INET};

	local.sin_addr.s_addr = htonl(PUBLISHERS);
	datagram.udp.len = htons(sizeof(datagram));
	out = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
	if (out < 0 || bind(out, (struct sockaddr *)&local, sizeof(local)))
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
	struct sockaddr_in to = p->group->listener;
	uint8_t checked[40];

	to.sin_port = 0; /* that of a raw socket is a protocol */

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
	datagram.udp.dest = p->group->listener.sin_port;
	if (sendto(out, &datagram, sizeof(datagram), 0, (struct sockaddr *)&to, sizeof(to)) !=
	    sizeof(datagram))
		err(1, "send");
	p->sent++;
	p->group->datagrams++;
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
		p->group->datagrams += 2;
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

/* One millisecond: a burst to @group's listener, unless that is NULL, and the answers to all. */
static void burst(struct group *group, np_time *next)
{
	for (unsigned long i = 0; group && i < rate / BURSTS_A_SECOND; i++)
		send_packet(&group->publisher[group->sent++ % group->count]);
	answer_all();
	*next += NP_MILLISECOND;
	rest_until(*next);
}

/* Until a line comes, or the end. */
static void await_word(np_time *next)
{
	struct pollfd word = {.fd = STDIN_FILENO, .events = POLLIN};
	char line[16];

	while (poll(&word, 1, 0) == 0)
		burst(NULL, next);
	if (read(word.fd, line, sizeof(line)) < 0)
		err(1, "standard input");
	*next = np_clock_now();
}

int main(int argc, char **argv)
{
	const unsigned long turns =
		argc > 2 ? strtoul(argv[2], NULL, 10) * BURSTS_A_SECOND / TURN : 0;
	struct publisher *p = publishers;
	np_time next;

	rate = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	group_count = argc > 2 ? (size_t)(argc - 3) / 2 : 0;
	if (rate < BURSTS_A_SECOND || !turns || !group_count || group_count > GROUPS_MAX)
		errx(2, "usage: %s PACKETS_PER_SECOND SECONDS PORT PUBLISHERS [PORT PUBLISHERS]...",
		     argv[0]);
	open_out();
	questions = epoll_create1(0);
	for (size_t i = 0; i < group_count; i++) {
		struct group *g = &groups[i];

		g->listener.sin_family = AF_INET;
		g->listener.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		g->listener.sin_port = htons((uint16_t)atoi(argv[3 + 2 * i]));
		g->publisher = p;
		g->count = strtoul(argv[4 + 2 * i], NULL, 10);
		if (!g->count || g->count > (size_t)(publishers + PUBLISHERS_MAX - p))
			errx(2, "too many publishers, or none");
		for (; p < g->publisher + g->count; p++) {
			p->group = g;
			p->run = (uint32_t)(p - publishers) + 1;
			start(p);
		}
	}
	begun = next = np_clock_now();
	for (unsigned long i = 0; i < WARM_UP / TURN * group_count * TURN; i++)
		burst(&groups[i / TURN % group_count], &next);
	puts("begun");
	fflush(stdout);
	await_word(&next);
	for (size_t i = 0; i < group_count; i++)
		groups[i].datagrams = 0;
	for (unsigned long i = 0; i < turns * group_count * TURN; i++)
		burst(&groups[i / TURN % group_count], &next);
	for (size_t i = 0; i < group_count; i++)
		printf("%lu%c", groups[i].datagrams, i + 1 < group_count ? ' ' : '\n');
	fflush(stdout);
	await_word(&next);
	return 0;
}
