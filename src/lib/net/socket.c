// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* socket: the options that a UDP and a TCP socket have in common. */
#include "socket.h"

#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netperf/address.h>
#include <netperf/log.h>
#include <netperf/socket.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

/* The kernel doubles it in an int. */
#define SOCKET_BUFFER_MAX (INT_MAX / 2)

int socket_set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0 ? -errno : 0;
}

static size_t buffer_granted(int fd, int name)
{
	int granted = 0;
	socklen_t length = sizeof(granted);

	getsockopt(fd, SOL_SOCKET, name, &granted, &length);
	return (size_t)granted / 2;
}

size_t socket_set_buffer(int fd, int name, int force, size_t bytes)
{
	int wanted = bytes < SOCKET_BUFFER_MAX ? (int)bytes : SOCKET_BUFFER_MAX;

	if (wanted > 0) {
		socket_set(fd, SOL_SOCKET, name, wanted);
		if (buffer_granted(fd, name) < (size_t)wanted)
			socket_set(fd, SOL_SOCKET, force, wanted);
	}
	return buffer_granted(fd, name);
}

int socket_set_family(int fd, bool ipv6, int ipv4_name, int ipv6_name, int value)
{
	int error = socket_set(fd, SOL_IP, ipv4_name, value);

	return error || !ipv6 ? error : socket_set(fd, SOL_IPV6, ipv6_name, value);
}

int socket_set_device(int fd, const char *device)
{
	size_t length = strlen(device);

	if (length == 0 || length >= IF_NAMESIZE)
		return -ENODEV;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)length) < 0 ? -errno
											  : 0;
}

int socket_set_timeout(int fd, int name, np_time limit)
{
	const struct timeval time = {
		.tv_sec = limit / NP_SECOND,
		.tv_usec = limit % NP_SECOND / NP_MICROSECOND,
	};

	return setsockopt(fd, SOL_SOCKET, name, &time, sizeof(time)) < 0 ? -errno : 0;
}

int np_socket_family(const struct np_socket_options *socket)
{
	if (socket->ipv4)
		return AF_INET;
	return socket->ipv6 ? AF_INET6 : AF_UNSPEC;
}

int np_socket_allowed(struct np_address_networks **networks, const char *text,
		      const struct np_log *log)
{
	*networks = NULL;
	if (!text || !np_address_networks_parse(networks, text))
		return 0;
	return np_log_refuse(log, "--allow",
			     "'%.80s' is not valid; expected networks such as "
			     "10.1.0.0/16,fd00::/64",
			     text);
}

void np_socket_settle(struct np_socket_options *socket, const struct np_options *options,
		      const struct np_options_result *result)
{
	const bool tos = np_options_given(options, result, "tos");
	const bool ttl = np_options_given(options, result, "ttl");

	socket->tos = tos ? (int)socket->tos_typed : -1;
	socket->ttl = ttl ? (int)socket->ttl_typed : -1;
}
