// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * socket: the options that a UDP and a TCP socket have in common; joins groups and sets how packets
 * to groups are sent, for both families alike; reads both clocks once per batch, and handles steps
 * of the wall clock.
 */
#include "socket.h"

#include "../base/address_host.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netperf/socket.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>

/* The kernel doubles it in an int. */
#define SOCKET_BUFFER_MAX (INT_MAX / 2)

int socket_set(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) < 0 ? -errno : 0;
}

int socket_get(int fd, int level, int name)
{
	int value = 0;
	socklen_t length = sizeof(value);

	return getsockopt(fd, level, name, &value, &length) < 0 ? 0 : value;
}

int socket_error(int fd)
{
	int error = 0;
	socklen_t length = sizeof(error);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0 ? -errno : -error;
}

size_t socket_set_buffer(int fd, int name, int force, size_t bytes)
{
	int wanted = bytes < SOCKET_BUFFER_MAX ? (int)bytes : SOCKET_BUFFER_MAX;

	if (wanted > 0) {
		socket_set(fd, SOL_SOCKET, name, wanted);
		if (socket_get(fd, SOL_SOCKET, name) / 2 < wanted)
			socket_set(fd, SOL_SOCKET, force, wanted);
	}
	return (size_t)socket_get(fd, SOL_SOCKET, name) / 2;
}

static bool is_ipv6(int fd)
{
	return socket_get(fd, SOL_SOCKET, SO_DOMAIN) == AF_INET6;
}

int socket_set_family(int fd, int ipv4_name, int ipv6_name, int value)
{
	int error = socket_set(fd, SOL_IP, ipv4_name, value);

	return error || !is_ipv6(fd) ? error : socket_set(fd, SOL_IPV6, ipv6_name, value);
}

int socket_messages_make(struct socket_messages *messages, unsigned count)
{
	messages->message = calloc(count, sizeof(*messages->message) + sizeof(*messages->piece));
	if (!messages->message)
		return -ENOMEM;
	messages->piece = (struct iovec *)(messages->message + count);
	for (unsigned i = 0; i < count; i++) {
		messages->message[i].msg_hdr.msg_iov = &messages->piece[i];
		messages->message[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

int socket_set_device(int fd, const char *device)
{
	size_t length = strlen(device);

	if (length == 0 || length >= IF_NAMESIZE)
		return -ENODEV;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device, (socklen_t)length) < 0 ? -errno
											  : 0;
}

int socket_set_ip(int fd, const struct np_ip_options *ip)
{
	int error = ip->device ? socket_set_device(fd, ip->device) : 0;

	if (!error && ip->tos >= 0)
		error = socket_set_family(fd, IP_TOS, IPV6_TCLASS, ip->tos);
	/* Unicast has no hops of 0. */
	if (!error && ip->ttl > 0)
		error = socket_set_family(fd, IP_TTL, IPV6_UNICAST_HOPS, ip->ttl);
	return error;
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

void np_socket_settle(struct np_socket_options *socket, const struct np_options_result *result)
{
	socket->ip.tos = np_options_given(result, "tos") ? (int)socket->tos_typed : -1;
	socket->ip.ttl = np_options_given(result, "ttl") ? (int)socket->ttl_typed : -1;
}

int np_multicast_interface(const char *device, const struct np_address *group,
			   const struct np_address *local, unsigned *index)
{
	char owner[IFNAMSIZ];
	const struct sockaddr_in6 *ipv6 = group ? (const void *)&group->storage : NULL;

	*index = 0;
	if (device) {
		*index = if_nametoindex(device);
		return *index ? 0 : -ENODEV;
	}
	if (group && group->any.sa_family == AF_INET6)
		*index = ipv6->sin6_scope_id;
	if (!*index && local && !np_address_is_wildcard(local)) {
		address_interface(local, owner);
		*index = if_nametoindex(owner);
	}
	return 0;
}

int socket_send_groups_by(int fd, unsigned index)
{
	struct ip_mreqn request = {.imr_ifindex = (int)index};

	if (setsockopt(fd, SOL_IP, IP_MULTICAST_IF, &request, sizeof(request)) < 0)
		return -errno;
	return is_ipv6(fd) ? socket_set(fd, SOL_IPV6, IPV6_MULTICAST_IF, (int)index) : 0;
}

/* The kernel slews the wall clock by at most 500 ppm; its tick may add a little. */
#define SLEW_PER_TIME 1000
#define STEP_MIN      (50 * NP_MICROSECOND)

static np_time by_pair(const struct np_clock_pair *pair, np_time realtime)
{
	return realtime - pair->realtime + pair->monotonic;
}

void stamps_start(struct stamps *stamps, const char **source)
{
	stamps->source = source;
	stamps->pair = np_clock_pair_read();
	stamps->now = stamps->pair.monotonic;
	stamps->stepped = false;
	*source = "kernel";
}

void stamps_batch(struct stamps *stamps)
{
	const struct np_clock_pair *before = &stamps->pair;
	np_time apart, passed, step, tolerance;
	struct np_clock_pair pair;
	struct timespec wall;

	/* A complete pair takes fifteen clock readings, this check only two per batch. */
	stamps->now = np_clock_now();
	clock_gettime(CLOCK_REALTIME, &wall);
	apart = by_pair(before, wall.tv_sec * NP_SECOND + wall.tv_nsec) - stamps->now;
	if (apart >= -NP_MICROSECOND && apart <= NP_MICROSECOND)
		return;
	pair = np_clock_pair_read();
	passed = pair.monotonic - before->monotonic;
	step = pair.realtime - before->realtime - passed;
	tolerance = STEP_MIN + passed / SLEW_PER_TIME + before->error + pair.error;
	/* The stamps of this batch may be from either side of the step: by either pair void. */
	if (step > tolerance || step < -tolerance) {
		stamps->stepped = true;
		*stamps->source = "user";
	}
	stamps->pair = pair;
	stamps->now = pair.monotonic;
}

np_time stamps_convert(const struct stamps *stamps, np_time realtime)
{
	np_time stamp;

	if (stamps->stepped)
		return stamps->now;
	stamp = by_pair(&stamps->pair, realtime);
	return stamp < stamps->now ? stamp : stamps->now;
}
