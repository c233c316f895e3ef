// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * transaction-limit: the bare loop that ttcp --rr and --crr are measured against, over loopback:
 * one byte there and one byte back by one send() and one recv(), on one connection or with
 * "connect" on a new one each time, which the other end closes. Prints how many a second.
 *
 * usage: transaction-limit SECONDS [connect]
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int make(void)
{
	const int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
		err(1, "socket");
	return fd;
}

static void answer(int listener, bool connects)
{
	char byte;
	int fd = -1;

	for (;;) {
		if (fd < 0)
			fd = accept(listener, NULL, NULL);
		if (recv(fd, &byte, 1, 0) != 1)
			return;
		if (send(fd, &byte, 1, 0) != 1)
			err(1, "send");
		if (connects) {
			close(fd);
			fd = -1;
		}
	}
}

/* With @connects the end of the connection comes after the byte, too. */
static void ask(const struct sockaddr_in *to, int *fd, bool connects)
{
	char bytes[2] = "";

	if (*fd < 0) {
		*fd = make();
		if (connect(*fd, (const void *)to, sizeof(*to)) < 0)
			err(1, "connect");
	}
	if (send(*fd, bytes, 1, 0) != 1 ||
	    recv(*fd, bytes, connects ? 2 : 1, connects ? MSG_WAITALL : 0) != 1)
		err(1, "transaction");
	if (connects) {
		close(*fd);
		*fd = -1;
	}
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
	const bool connects = argc > 2 && !strcmp(argv[2], "connect");
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(to);
	const int listener = make();
	unsigned long count = 0;
	double begin, end;
	int fd = -1;
	pid_t other;

	if (seconds <= 0)
		errx(2, "usage: transaction-limit SECONDS [connect]");
	if (bind(listener, (void *)&to, length) < 0 || listen(listener, 16) < 0 ||
	    getsockname(listener, (void *)&to, &length) < 0)
		err(1, "listen");
	other = fork();
	if (other == 0) {
		answer(listener, connects);
		return 0;
	}
	begin = end = now();
	for (; end - begin < seconds; end = now(), count++)
		ask(&to, &fd, connects);
	printf("%.0f\n", (double)count / (end - begin));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return 0;
}
