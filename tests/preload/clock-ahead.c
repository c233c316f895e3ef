// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * clock-ahead: preloaded, it puts the wall clock of one program, and the kernel's stamps on what it
 * receives, CLOCK_AHEAD seconds ahead of the others'. For tests of differing clocks: network
 * namespaces share one wall clock.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

typedef int clock_gettime_function(clockid_t clock, struct timespec *time);
typedef int recvmmsg_function(int fd, struct mmsghdr *messages, unsigned count, int flags,
			      struct timespec *timeout);
typedef ssize_t recvmsg_function(int fd, struct msghdr *message, int flags);

static time_t ahead(void)
{
	const char *text = getenv("CLOCK_AHEAD");

	return text ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	static clock_gettime_function *real;
	int rc;

	if (!real)
		real = (clock_gettime_function *)dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(clock, time);
	if (clock == CLOCK_REALTIME)
		time->tv_sec += ahead();
	return rc;
}

static void shift_stamps(struct msghdr *message)
{
	struct timespec stamp;

	for (struct cmsghdr *at = CMSG_FIRSTHDR(message); at; at = CMSG_NXTHDR(message, at)) {
		if (at->cmsg_level != SOL_SOCKET || at->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(at), sizeof(stamp));
		stamp.tv_sec += ahead();
		memcpy(CMSG_DATA(at), &stamp, sizeof(stamp));
	}
}

int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout)
{
	static recvmmsg_function *real;
	int got;

	if (!real)
		real = (recvmmsg_function *)dlsym(RTLD_NEXT, "recvmmsg");
	got = real(fd, messages, count, flags, timeout);
	for (int i = 0; i < got; i++)
		shift_stamps(&messages[i].msg_hdr);
	return got;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	static recvmsg_function *real;
	ssize_t got;

	if (!real)
		real = (recvmsg_function *)dlsym(RTLD_NEXT, "recvmsg");
	got = real(fd, message, flags);
	if (got >= 0)
		shift_stamps(message);
	return got;
}
