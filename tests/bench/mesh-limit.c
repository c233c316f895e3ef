// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh-limit: the bare mesh that group-test's tcp is measured against. Members, a process each, are
 * joined over loopback by a TCP connection from every sender to every member, itself included; a
 * sender sends a buffer to one after the other, a member takes what is there and looks at nothing.
 * Prints messages/s that arrived at a member, the mean of all.
 *
 * usage: mesh-limit MEMBERS SENDERS MESSAGE-BYTES MESSAGES-A-SEND SECONDS
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMBERS_MAX  64
#define BUFFER_BYTES (256 << 10)

struct mesh {
	long members, senders, message_bytes, messages, seconds;
	struct sockaddr_in address[MEMBERS_MAX];
	int listener[MEMBERS_MAX];
	double *rate; /* of each member, in memory that all share */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void listen_here(struct mesh *mesh, long member)
{
	struct sockaddr_in *address = &mesh->address[member];
	socklen_t length = sizeof(*address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	*address = (struct sockaddr_in){.sin_family = AF_INET,
					.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	if (fd < 0 || bind(fd, (void *)address, length) < 0 || listen(fd, MEMBERS_MAX) < 0 ||
	    getsockname(fd, (void *)address, &length) < 0)
		err(1, "listen");
	mesh->listener[member] = fd;
}

static void *send_all(void *shared)
{
	const struct mesh *mesh = shared;
	size_t bytes = (size_t)(mesh->message_bytes * mesh->messages);
	uint8_t *buffer = malloc(bytes);
	int to[MEMBERS_MAX];
	double end;

	/* Untouched it would be one page of zeros again and again, and quicker to read. */
	if (buffer)
		memset(buffer, '.', bytes);
	for (long i = 0; buffer && i < mesh->members; i++) {
		to[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (connect(to[i], (const void *)&mesh->address[i], sizeof(mesh->address[i])) < 0)
			err(1, "connect");
	}
	for (end = now() + (double)mesh->seconds; buffer && now() < end;) {
		for (long i = 0; i < mesh->members; i++)
			if (send(to[i], buffer, bytes, 0) < 0)
				err(1, "send");
	}
	for (long i = 0; i < mesh->members; i++)
		close(to[i]);
	free(buffer);
	return NULL;
}

/* Takes what every sender sends until they have closed; returns bytes a second. */
static double receive_all(const struct mesh *mesh, int listener)
{
	static uint8_t buffer[BUFFER_BYTES];
	struct pollfd from[MEMBERS_MAX] = {0};
	double begin = 0, end = 0;
	uint64_t total = 0;

	for (long i = 0; i < mesh->senders; i++)
		from[i] = (struct pollfd){.fd = accept(listener, NULL, NULL), .events = POLLIN};
	for (long open = mesh->senders; open > 0;) {
		if (poll(from, (nfds_t)mesh->senders, -1) < 0)
			err(1, "poll");
		for (long i = 0; i < mesh->senders; i++) {
			ssize_t got =
				from[i].revents ? recv(from[i].fd, buffer, BUFFER_BYTES, 0) : -1;

			if (got == 0) {
				from[i].fd = -1;
				open--;
			} else if (got > 0) {
				end = now();
				begin = total ? begin : end;
				total += (uint64_t)got;
			}
		}
	}
	return (double)total / (end - begin);
}

static void be_member(struct mesh *mesh, long number)
{
	pthread_t sender;

	if (number < mesh->senders && pthread_create(&sender, NULL, send_all, mesh))
		errx(1, "no thread");
	mesh->rate[number] = receive_all(mesh, mesh->listener[number]);
	if (number < mesh->senders)
		pthread_join(sender, NULL);
}

int main(int argc, char **argv)
{
	struct mesh mesh;
	double sum = 0;
	long number[5];
	int status;

	for (int i = 0; argc == 6 && i < 5; i++)
		number[i] = strtol(argv[i + 1], NULL, 10);
	if (argc != 6 || number[0] < 1 || number[0] > MEMBERS_MAX || number[1] < 1 ||
	    number[1] > number[0] || number[2] < 1 || number[3] < 1 || number[4] < 1)
		errx(2, "usage: mesh-limit MEMBERS SENDERS MESSAGE-BYTES MESSAGES-A-SEND SECONDS");
	mesh = (struct mesh){
		.members = number[0],
		.senders = number[1],
		.message_bytes = number[2],
		.messages = number[3],
		.seconds = number[4],
	};
	mesh.rate = mmap(NULL, sizeof(*mesh.rate) * MEMBERS_MAX, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (mesh.rate == MAP_FAILED)
		err(1, "memory");
	for (long i = 0; i < mesh.members; i++)
		listen_here(&mesh, i);
	for (long i = 0; i < mesh.members; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (pid == 0) {
			be_member(&mesh, i);
			return 0;
		}
	}
	while (wait(&status) > 0)
		if (status)
			errx(1, "a member failed");
	for (long i = 0; i < mesh.members; i++)
		sum += mesh.rate[i];
	printf("%.0f\n", sum / (double)mesh.members / (double)mesh.message_bytes);
	return 0;
}
