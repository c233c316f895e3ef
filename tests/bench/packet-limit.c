// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * packet-limit: the bare send/recv loop that aoe-exercise is measured against. Reads the disk of
 * an AoE target with a window of requests, counts answers, looks at nothing, prints answers/s.
 *
 * usage: packet-limit INTERFACE SHELF SLOT WINDOW SECTORS COUNT [IMAGE]
 *
 * With IMAGE it writes zeros instead, and only to the disk whose image that file is: it has IMAGE's
 * size, and in its last sector the same bytes, which are to be random. The last MiB is not written.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECTOR_BYTES  512
#define PROOF_SECTORS 2048 /* at the end, of which the last one is the proof */

struct request { /* of AoE ATA, spec AoEr11 */
	uint8_t target[6], source[6];
	uint16_t type;
	uint8_t version, error;
	uint16_t shelf;
	uint8_t slot, command;
	uint32_t tag;
	uint8_t flags, feature, sectors, ata, lba[6], reserved[2];
} __attribute__((packed));

struct frame {
	struct request request;
	uint8_t data[255 * SECTOR_BYTES];
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

static void send_frame(int fd, struct frame *frame, size_t data_bytes, uint64_t lba)
{
	uint64_t little = htole64(lba);

	memcpy(frame->request.lba, &little, sizeof(frame->request.lba));
	frame->request.tag++;
	if (send(fd, frame, sizeof(frame->request) + data_bytes, 0) < 0)
		err(1, "send");
}

/* Asks who it is and how many sectors it has, by IDENTIFY. */
static uint64_t identify(int fd, struct frame *frame)
{
	uint64_t sectors;

	frame->request.ata = 0xec;
	frame->request.sectors = 1;
	send_frame(fd, frame, 0, 0);
	take_answer(fd);
	memcpy(frame->request.target, answer + 6, sizeof(frame->request.target));
	memcpy(&sectors, answer + sizeof(struct request) + 200, sizeof(sectors));
	return le64toh(sectors);
}

/* Ends the program unless the target's disk is the one in the file @image. */
static void prove(int fd, struct frame *frame, uint64_t sectors, const char *image)
{
	uint8_t proof[SECTOR_BYTES];
	struct stat status;
	int file = open(image, O_RDONLY);

	if (file < 0 || fstat(file, &status) < 0)
		err(2, "%s", image);
	if (!S_ISREG(status.st_mode) || sectors <= PROOF_SECTORS ||
	    (uint64_t)status.st_size != sectors * SECTOR_BYTES)
		errx(2, "%s: is not the disk of that target", image);
	if (pread(file, proof, sizeof(proof), status.st_size - SECTOR_BYTES) != sizeof(proof))
		err(2, "%s", image);
	close(file);
	if (memcmp(proof, proof + 1, sizeof(proof) - 1) == 0)
		errx(2, "%s: its last sector proves nothing", image);
	frame->request.ata = 0x24;
	send_frame(fd, frame, 0, sectors - 1);
	take_answer(fd);
	if (memcmp(proof, answer + sizeof(struct request), sizeof(proof)) != 0)
		errx(2, "%s: is not the disk of that target", image);
}

/* Seconds for @count requests, each of @sectors, on the first @room sectors. */
static double exchange(int fd, struct frame *frame, uint64_t room, const long count, long window)
{
	const uint64_t sectors = frame->request.sectors, per_pass = room / sectors;
	const size_t data = frame->request.flags & 1 ? sectors * SECTOR_BYTES : 0;
	struct timespec begin, end;

	if (per_pass == 0)
		errx(1, "the disk is too small");
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (long sent = 0, received = 0; received < count; received++) {
		for (; sent < count && sent < received + window; sent++)
			send_frame(fd, frame, data, (uint64_t)sent % per_pass * sectors);
		take_answer(fd);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

int main(int argc, char **argv)
{
	static struct frame frame;
	const char *image = argc == 8 ? argv[7] : NULL;
	uint64_t room;
	long number[5];
	int fd;

	for (int i = 0; argc >= 7 && i < 5; i++)
		number[i] = strtol(argv[i + 2], NULL, 10);
	if (argc < 7 || argc > 8 || number[2] < 1 || number[3] < 1 || number[3] > 255)
		errx(2, "usage: packet-limit INTERFACE SHELF SLOT WINDOW SECTORS COUNT [IMAGE]");
	frame.request = (struct request){.target = {255, 255, 255, 255, 255, 255},
					 .type = htons(ETH_P_AOE),
					 .version = 0x10,
					 .shelf = htons((uint16_t)number[0]),
					 .slot = (uint8_t)number[1],
					 .tag = 0x80000000,
					 .flags = 0x40};
	fd = open_socket(argv[1], frame.request.source);
	room = identify(fd, &frame);
	if (image) {
		prove(fd, &frame, room, image);
		room -= PROOF_SECTORS;
		frame.request.flags |= 1;
	}
	frame.request.ata = image ? 0x34 : 0x24;
	frame.request.sectors = (uint8_t)number[3];
	printf("%.0f\n", (double)number[4] / exchange(fd, &frame, room, number[4], number[2]));
	return 0;
}
