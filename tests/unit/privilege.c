// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of privilege: each in a child, since there is no way back. */
#include "support/unit.h"

#include <linux/capability.h>
#include <netperf/link.h>
#include <netperf/process.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum {
	DROPPED = 0,
	DROP_FAILED,
	CAPABLE,
	PACKET_SOCKET_OPENED,
	LINK_OPENED,
	FLAG_MISSING,
	OLD_SOCKET_BROKEN,
	COMPLAINED,
};

static bool complained;

/* In place of the C library's, for libcap-ng: nothing of it belongs into the system's log. */
void __syslog_chk(int priority, int flag, const char *format, ...);
void __syslog_chk(int priority, int flag, const char *format, ...)
{
	(void)priority, (void)flag, (void)format;
	complained = true;
}

/* The exit status of a child that runs @body. */
static int in_child(int (*body)(void))
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
		_exit(body());
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int drop_and_try(void)
{
	const struct np_link_options options = {
		.variant = "socket", .ethertype = 0x88b5, .frame_bytes = 1514, .batch = 1};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	struct np_link *link;
	int error;

	if (np_privilege_drop() != 0)
		return DROP_FAILED;
	if (syscall(SYS_capget, &header, data) != 0 || data[0].effective || data[0].permitted ||
	    data[0].inheritable || data[1].effective || data[1].permitted || data[1].inheritable)
		return CAPABLE;
	if (socket(AF_PACKET, SOCK_RAW, 0) >= 0 || errno != EPERM)
		return PACKET_SOCKET_OPENED;
	error = np_link_open(&link, "lo", &options);
	if (error != -EPERM && error != -ENETDOWN)
		return LINK_OPENED;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? DROPPED : FLAG_MISSING;
}

static int drop_twice(void)
{
	return np_privilege_drop() == 0 ? drop_and_try() : DROP_FAILED;
}

static int drop_without_setpcap(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}};
	int status;

	if (syscall(SYS_capget, &header, data) != 0)
		return DROP_FAILED;
	data[0].effective &= ~(1U << CAP_SETPCAP);
	data[0].permitted &= ~(1U << CAP_SETPCAP);
	if (syscall(SYS_capset, &header, data) != 0)
		return DROP_FAILED;
	status = drop_and_try();
	return complained ? COMPLAINED : status;
}

static int drop_with_open_socket(void)
{
	char byte = 'x';
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) < 0)
		return OLD_SOCKET_BROKEN;
	if (np_privilege_drop() != 0)
		return DROP_FAILED;
	if (send(ends[0], &byte, 1, 0) != 1 || recv(ends[1], &byte, 1, 0) != 1)
		return OLD_SOCKET_BROKEN;
	return DROPPED;
}

TEST(nothing_privileged_can_be_opened_afterwards)
{
	assert_int_equal(in_child(drop_and_try), DROPPED);
}

TEST(dropping_twice_is_allowed)
{
	assert_int_equal(in_child(drop_twice), DROPPED);
}

TEST(it_works_without_the_right_to_shrink_the_bounding_set)
{
	assert_int_equal(in_child(drop_without_setpcap), DROPPED);
}

TEST(open_sockets_keep_working)
{
	assert_int_equal(in_child(drop_with_open_socket), DROPPED);
}
