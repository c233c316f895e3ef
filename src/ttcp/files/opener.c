// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* opener: receives requests of three numbers and returns descriptors. */
#include "opener.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

struct opener {
	int fd; /* one end of a socket pair */
	pid_t pid;
};

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

/* -1 for @fd: without a descriptor. */
static int put(int to, int rc, int fd)
{
	union control control = {0};
	struct iovec data = {.iov_base = &rc, .iov_len = sizeof(rc)};
	struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};

	if (fd >= 0) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control.room);
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	}
	return sendmsg(to, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The descriptor, or -errno of what was tried there, or of the way. *@made: what it was told. */
static int get(int from, uint32_t *made)
{
	union control control = {0};
	int rc = 0, fd = -EBADF;
	struct iovec data = {.iov_base = &rc, .iov_len = sizeof(rc)};
	struct msghdr m = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.room),
	};
	ssize_t got = recvmsg(from, &m, MSG_CMSG_CLOEXEC);

	if (got != sizeof(rc))
		return got < 0 ? -errno : -EPIPE;
	*made = rc > 0 ? (uint32_t)rc : 0;
	if (rc >= 0 && m.msg_controllen && control.header.cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
	return rc < 0 ? rc : fd;
}

static bool possible(const struct opener_request *request)
{
	return request->kind < OPENER_KINDS && request->part < OPENER_PARTS &&
	       request->stream < MESSAGE_STREAMS_MAX && request->run;
}

/* Runs until the other end is closed. */
static void serve(int socket, struct session *session)
{
	struct opener_request request;

	while (recv(socket, &request, sizeof(request), 0) == sizeof(request)) {
		uint32_t made = 0;
		int fd = -1, rc = -EINVAL;

		if (possible(&request))
			rc = request.unmake  ? files_unmake(session, &request)
			     : request.probe ? files_probe(session, &request)
					     : files_create(session, &request, &fd, &made);
		if (put(socket, rc ? rc : (int)made, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
}

/* Closes everything inherited from the parent but @socket. */
static int keep_only(int socket)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
	    dup2(null, STDERR_FILENO) < 0 || dup2(socket, STDERR_FILENO + 1) < 0)
		return -errno;
	return close_range(STDERR_FILENO + 2, ~0U, 0) ? -errno : 0;
}

static bool is_needed(const struct options *o)
{
	const struct file_options *files = &o->files;

	if (geteuid() != 0)
		return false;
	if (o->task == TASK_TRANSMIT)
		return (o->load.runs != 1 || files->plot) && (files->delay || files->bandwidth);
	return files->sequence || files->bandwidth;
}

int opener_start(struct opener **opener, struct session *session)
{
	struct opener *o;
	int pair[2], error;

	*opener = NULL;
	if (!is_needed(session->options))
		return 0;
	o = malloc(sizeof(*o));
	if (!o)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		goto failed;
	o->pid = fork();
	if (!o->pid) {
		free(o);
		if (!keep_only(pair[1]))
			serve(STDERR_FILENO + 1, session);
		_exit(0);
	}
	error = errno;
	close(pair[1]);
	o->fd = pair[0];
	if (o->pid < 0) {
		close(pair[0]);
		errno = error;
		goto failed;
	}
	*opener = o;
	return 0;
failed:
	error = -errno;
	free(o);
	return error;
}

int opener_ask(struct opener *opener, const struct opener_request *request, uint32_t *made)
{
	*made = 0;
	if (send(opener->fd, request, sizeof(*request), MSG_NOSIGNAL) < 0)
		return -errno;
	return get(opener->fd, made);
}

int opener_tell(struct opener *opener, const struct opener_request *request)
{
	uint32_t made;
	int rc = opener_ask(opener, request, &made);

	/* The answer carries no descriptor. */
	return rc == -EBADF ? 0 : rc;
}

void opener_free(struct opener *opener)
{
	if (!opener)
		return;
	close(opener->fd);
	while (waitpid(opener->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(opener);
}
