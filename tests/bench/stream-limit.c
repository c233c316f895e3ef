// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stream-limit: the bare TCP loop that ttcp is measured against: over loopback, send() of so many
 * bytes as fast as it returns; the other end takes what is there and looks at nothing, or with
 * "truncate" lets the kernel throw it away. Prints what arrived, bytes/s. With CPU the sender runs
 * on that processor, and as much is read at a time as is best when the receiver has its own.
 *
 * usage: stream-limit BYTES SECONDS [truncate] [CPU]
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES (1 << 20)
/* More pushes the sender's data out of a cache that both share; less is slower, too. */
#define READ_BYTES (256 << 10)
#define CLOCK_EACH 64 /* sends between two looks at the clock */

static uint8_t buffer[BUFFER_BYTES];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int listen_here(struct sockaddr_in *address)
{
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (void *)address, length) < 0 || listen(fd, 1) < 0 ||
	    getsockname(fd, (void *)address, &length) < 0)
		err(1, "listen");
	return fd;
}

static void send_for(const struct sockaddr_in *to, size_t bytes, double seconds)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	double end;

	if (fd < 0 || connect(fd, (const void *)to, sizeof(*to)) < 0)
		err(1, "connect");
	for (end = now() + seconds; now() < end;) {
		for (int i = 0; i < CLOCK_EACH; i++)
			if (send(fd, buffer, bytes, 0) < 0)
				err(1, "send");
	}
	close(fd);
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) < 0)
		err(1, "processor %d", cpu);
}

/* From the first bytes to the last. */
static double receive_all(int fd, size_t each, int flags)
{
	double begin = 0, end = 0;
	uint64_t total = 0;
	ssize_t got;

	while ((got = recv(fd, buffer, each, flags)) > 0) {
		end = now();
		if (!total)
			begin = end;
		total += (uint64_t)got;
	}
	if (got < 0 || end <= begin)
		err(1, "recv");
	return (double)total / (end - begin);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	double seconds = argc > 2 ? strtod(argv[2], NULL) : 0;
	int flags = argc > 3 && !strcmp(argv[3], "truncate") ? MSG_TRUNC : 0;
	int cpu = argc > 3 + !!flags ? atoi(argv[3 + !!flags]) : -1;
	struct sockaddr_in address;
	int listener, status;
	pid_t sender;

	if (bytes < 1 || bytes > BUFFER_BYTES || seconds <= 0 || cpu >= CPU_SETSIZE)
		errx(2, "usage: stream-limit BYTES SECONDS [truncate] [CPU]");
	/* Untouched it would be one page of zeros again and again, and quicker to read. */
	memset(buffer, '.', sizeof(buffer));
	listener = listen_here(&address);
	sender = fork();
	if (sender < 0)
		err(1, "fork");
	if (sender == 0) {
		if (cpu >= 0)
			run_on(cpu);
		send_for(&address, bytes, seconds);
		return 0;
	}
	printf("%.0f\n", receive_all(accept(listener, NULL, NULL),
				     cpu < 0 ? READ_BYTES : BUFFER_BYTES, flags));
	if (waitpid(sender, &status, 0) != sender || status)
		errx(1, "the sender failed");
	return 0;
}
