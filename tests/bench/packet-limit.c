// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * packet-limit: the bare send/recv loop that aoe-exercise is measured against. Reads the disk of
 * an AoE target with a window of requests, counts answers, looks at nothing, prints answers/s.
 *
 * usage: packet-limit INTERFACE SHELF SLOT WINDOW SECTORS COUNT
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

struct request { /* of AoE ATA, spec AoEr11 */
	uint8_t target[6], source[6];
	uint16_t type;
	uint8_t version, error;
	uint16_t shelf;
	uint8_t slot, command;
	uint32_t tag;
	uint8_t flags, feature, sectors, ata, lba[6], reserved[2];
} __attribute__((packed));

static uint8_t answer[65536];

static int open_socket(const char *interface, uint8_t mac[6])
{
	struct sockaddr_ll address = {.sll_family = AF_PACKET,
				      .sll_protocol = htons(ETH_P_AOE),
				      .sll_ifindex = (int)if_nametoindex(interface)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	int buffer = 4 << 20;

	if (!address.sll_ifindex || fd < 0 || bind(fd, (void *)&address, sizeof(address)) < 0)
		err(2, "%s", interface);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer));
	getsockname(fd, (void *)&address, &length);
	memcpy(mac, address.sll_addr, 6);
	return fd;
}

/* Sleeps only when nothing is there: measured to be no slower than a recv() that blocks. */
static ssize_t receive(int fd)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	ssize_t length;

	while ((length = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) < 0)
		if (errno != EAGAIN || poll(&wait, 1, 1000) <= 0)
			err(1, "no answer");
	return length;
}

/* On loopback the requests come back, too: only what has the response flag counts. */
static void take_answer(int fd)
{
	while (receive(fd) < (ssize_t)sizeof(struct request) || !(answer[14] & 8))
		;
}

static void send_request(int fd, struct request *request, uint64_t lba)
{
	uint64_t little = htole64(lba);

	memcpy(request->lba, &little, sizeof(request->lba));
	request->tag++;
	if (send(fd, request, sizeof(*request), 0) < 0)
		err(1, "send");
}

/* Asks who it is and how many sectors it has, by IDENTIFY. */
static uint64_t identify(int fd, struct request *request)
{
	uint64_t sectors;

	send_request(fd, request, 0);
	take_answer(fd);
	memcpy(request->target, answer + 6, sizeof(request->target));
	memcpy(&sectors, answer + sizeof(*request) + 200, sizeof(sectors));
	return le64toh(sectors);
}

int main(int argc, char **argv)
{
	long number[5];

	for (int i = 0; argc == 7 && i < 5; i++)
		number[i] = strtol(argv[i + 2], NULL, 10);
	if (argc != 7 || number[2] < 1 || number[3] < 1 || number[3] > 255)
		errx(2, "usage: packet-limit INTERFACE SHELF SLOT WINDOW SECTORS COUNT");

	const long window = number[2], sectors = number[3], count = number[4];
	struct request request = {.target = {255, 255, 255, 255, 255, 255},
				  .type = htons(ETH_P_AOE),
				  .version = 0x10,
				  .shelf = htons((uint16_t)number[0]),
				  .slot = (uint8_t)number[1],
				  .tag = 0x80000000,
				  .flags = 0x40,
				  .sectors = 1,
				  .ata = 0xec};
	int fd = open_socket(argv[1], request.source);
	uint64_t per_pass = identify(fd, &request) / (uint64_t)sectors;
	struct timespec begin, end;

	if (per_pass == 0)
		errx(1, "the disk is too small");
	request.sectors = (uint8_t)sectors;
	request.ata = 0x24;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (long sent = 0, received = 0; received < count; received++) {
		for (; sent < count && sent < received + window; sent++)
			send_request(fd, &request, (uint64_t)sent % per_pass * (uint64_t)sectors);
		take_answer(fd);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.0f\n", (double)count / ((double)(end.tv_sec - begin.tv_sec) +
					  (double)(end.tv_nsec - begin.tv_nsec) / 1e9));
	return 0;
}
