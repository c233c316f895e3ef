// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * pace-limit: what it costs this machine to sleep to a moment and send one packet, again and again,
 * without anything else: the least that a paced publisher can take of a CPU. Prints that share.
 * usage: pace-limit ADDRESS PORT PACKETS NANOSECONDS BYTES
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	uint8_t packet[65507] = "test"; /* the magic of datagram-test: a foreign publisher */
	struct rusage used;
	struct timespec at;
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (argc != 6 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1 || fd < 0)
		errx(2, "usage: pace-limit ADDRESS PORT PACKETS NANOSECONDS BYTES");

	const long packets = strtol(argv[3], NULL, 10), gap = strtol(argv[4], NULL, 10);
	const size_t bytes = strtoul(argv[5], NULL, 10);

	if (packets < 1 || gap < 1 || gap >= 1000000000 || bytes < 28 || bytes > sizeof(packet))
		errx(2, "a number is out of range");
	to.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	clock_gettime(CLOCK_MONOTONIC, &at);
	for (uint32_t i = 1; i <= (uint32_t)packets; i++) {
		uint32_t number = htonl(i);

		memcpy(packet + 24, &number, sizeof(number));
		at.tv_nsec += gap;
		at.tv_sec += at.tv_nsec / 1000000000;
		at.tv_nsec %= 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		if (sendto(fd, packet, bytes, 0, (struct sockaddr *)&to, sizeof(to)) < 0)
			err(1, "sendto");
	}
	getrusage(RUSAGE_SELF, &used);
	printf("%.3f\n", (seconds(used.ru_utime) + seconds(used.ru_stime)) /
				 ((double)packets * (double)gap / 1e9));
	return 0;
}
