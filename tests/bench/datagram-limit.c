// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram-limit: the bare UDP loop that datagram-test is measured against. Over loopback one
 * thread sends, one receives, nobody looks; prints packets sent and received per second.
 *
 * usage: datagram-limit gso|mmsg|plain BYTES SECONDS
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BATCH	 64
#define SEGMENTS 64 /* what every kernel with UDP_SEGMENT takes in one send */
#define PAYLOAD	 65507UL
#define ROOM	 65536

struct loop {
	char mode; /* its first letter */
	size_t bytes, per_call;
	int from, to;
	atomic_int done;
	uint64_t sent, received;
};

static void make_messages(struct mmsghdr messages[BATCH], struct iovec vectors[BATCH], size_t bytes)
{
	uint8_t *memory = malloc((size_t)BATCH * ROOM);

	if (!memory)
		err(2, "memory");
	/* Untouched it would be one page of zeros again and again, and quicker to read. */
	memset(memory, '.', (size_t)BATCH * ROOM);
	memset(messages, 0, BATCH * sizeof(messages[0]));
	for (size_t i = 0; i < BATCH; i++) {
		vectors[i] = (struct iovec){.iov_base = memory + i * ROOM, .iov_len = bytes};
		messages[i].msg_hdr.msg_iov = &vectors[i];
		messages[i].msg_hdr.msg_iovlen = 1;
	}
}

static void *send_all(void *argument)
{
	struct loop *loop = argument;
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];

	make_messages(messages, vectors, loop->bytes * loop->per_call);
	while (!loop->done) {
		int count = loop->mode == 'm'
				    ? sendmmsg(loop->to, messages, BATCH, 0)
				    : send(loop->to, vectors->iov_base, vectors->iov_len, 0) > 0;
		loop->sent += count > 0 ? (size_t)count * loop->per_call : 0;
	}
	return NULL;
}

static void *receive_all(void *argument)
{
	struct loop *loop = argument;
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];

	make_messages(messages, vectors, ROOM);
	while (!loop->done) {
		ssize_t got = loop->mode == 'm'
				      ? recvmmsg(loop->from, messages, BATCH, MSG_WAITFORONE, NULL)
				      : recv(loop->from, vectors->iov_base, ROOM, 0);
		if (got > 0)
			loop->received += (size_t)got / (loop->mode == 'm' ? 1 : loop->bytes);
	}
	return NULL;
}

static void open_sockets(struct loop *loop)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(to);
	int buffer = 4 << 20, segment = (int)loop->bytes, on = 1;

	loop->from = socket(AF_INET, SOCK_DGRAM, 0);
	loop->to = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(loop->from, (void *)&to, length) < 0 ||
	    getsockname(loop->from, (void *)&to, &length) < 0 ||
	    connect(loop->to, (void *)&to, length) < 0 ||
	    setsockopt(loop->from, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)) < 0)
		err(2, "socket");
	if (loop->mode == 'g' &&
	    (setsockopt(loop->to, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)) < 0 ||
	     setsockopt(loop->from, SOL_UDP, UDP_GRO, &on, sizeof(on)) < 0))
		err(2, "UDP_SEGMENT, UDP_GRO");
}

int main(int argc, char **argv)
{
	struct loop loop = {.mode = argc == 4 ? argv[1][0] : 0,
			    .per_call = 1,
			    .bytes = argc == 4 ? strtoul(argv[2], NULL, 10) : 0};
	unsigned seconds = argc == 4 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
	pthread_t sender, receiver;
	if (seconds < 1 || loop.bytes < 1 || loop.bytes > PAYLOAD || !strchr("gmp", loop.mode))
		errx(2, "usage: datagram-limit gso|mmsg|plain BYTES SECONDS");
	if (loop.mode == 'g')
		loop.per_call = PAYLOAD / loop.bytes < SEGMENTS ? PAYLOAD / loop.bytes : SEGMENTS;
	open_sockets(&loop);
	pthread_create(&receiver, NULL, receive_all, &loop);
	pthread_create(&sender, NULL, send_all, &loop);
	sleep(seconds);
	loop.done = 1;
	pthread_join(sender, NULL);
	shutdown(loop.from, SHUT_RD);
	pthread_join(receiver, NULL);
	printf("sent=%lu received=%lu\n", loop.sent / seconds, loop.received / seconds);
	return 0;
}
