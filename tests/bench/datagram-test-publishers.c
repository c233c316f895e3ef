// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram-test-publishers: many publishers in one loop, so that a listener receives the same
 * stream whether it comes from one or from a thousand. Each has a socket, a run and its numbers; a
 * packet is sent from one after the other, in a burst each millisecond. When their clocks are
 * asked, they answer.
 *
 * usage: datagram-test-publishers PORT PUBLISHERS PACKETS_PER_SECOND SECONDS
 */
#include "../../src/datagram-test/wire.h"

#include <arpa/inet.h>
#include <err.h>
#include <netperf/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

#define PACKET_BYTES	100
#define PUBLISHERS_MAX	4096
#define BURSTS_A_SECOND 1000

static const struct wire_layout layout = {
	.packet_bytes = PACKET_BYTES, .sequence_width = 32, .trailer = true};
static struct publisher {
	int fd;
	uint16_t port;
	uint32_t run;
	uint64_t sent;
} publishers[PUBLISHERS_MAX];
static uint8_t packet[PACKET_BYTES];
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

static void send_packet(struct publisher *p)
{
	const struct wire_packet head = {
		.send_time = np_clock_now(), .ack = WIRE_NO_ACK, .number = p->sent + 1};
	const struct wire_trailer trailer = {
		.run = p->run,
		.age = (uint16_t)((head.send_time - begun) / (10 * NP_MILLISECOND)),
		.confirmed = true,
		.held_us = WIRE_HELD_UNKNOWN};

	wire_prepare(&layout, packet, p->port);
	wire_encode(&layout, packet, &head, &trailer);
	if (send(p->fd, packet, sizeof(packet), 0) == sizeof(packet))
		p->sent++;
}

static void answer(const struct publisher *p)
{
	struct wire_control message;
	uint8_t data[WIRE_CONTROL_BYTES];
	ssize_t got;

	while ((got = recv(p->fd, data, sizeof(data), 0)) > 0) {
		if (wire_control_decode(data, (size_t)got, &message) ||
		    message.type != WIRE_TIME_REQUEST)
			continue;
		message.type = WIRE_TIME_REPLY;
		message.t2 = message.t3 = np_clock_now();
		(void)send(p->fd, data, wire_control_encode(data, &message), 0);
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
