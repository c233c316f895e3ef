/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* socket: the options that a UDP and a TCP socket have in common; the stamps of what arrives. */
#pragma once

#include <netperf/socket.h>
#include <sys/socket.h>

/* An int option; 0 or -errno. */
int socket_set(int fd, int level, int name, int value);

/* The value of one; 0 also where the kernel does not tell. */
int socket_get(int fd, int level, int name);

/* Returns 0, or as -errno the pending error of the socket, which the kernel reports only once. */
int socket_error(int fd);

/*
 * Sets SO_RCVBUF (or SO_SNDBUF) to @bytes, by option @force where @name grants less and it is
 * permitted; 0: unchanged. Returns the usable bytes granted, half of what the kernel reports, which
 * includes its overhead. Getting less is no error.
 */
size_t socket_set_buffer(int fd, int name, int force, size_t bytes);

/*
 * Sets an option that both families have; on an IPv6 socket for both, since it may have IPv4
 * partners.
 */
int socket_set_family(int fd, int ipv4_name, int ipv6_name, int value);

/* SO_RCVTIMEO, SO_SNDTIMEO: how long such a call may sleep; 0: no limit. Returns 0 or -errno. */
int socket_set_timeout(int fd, int name, np_time limit);

/* Of either family; of the hops those of unicast. -ENODEV: no such device. */
int socket_set_ip(int fd, const struct np_ip_options *ip);

/* Of sendmmsg and recvmmsg: messages of one piece each. */
struct socket_messages {
	struct mmsghdr *message;
	struct iovec *piece;
};

/* Allocates @count of them, one freed by free(messages->message). Returns 0 or -ENOMEM. */
int socket_messages_make(struct socket_messages *messages, unsigned count);

/* SO_BINDTODEVICE; -ENODEV: no such device. */
int socket_set_device(int fd, const char *device);

/*
 * Selects the interface by which packets to groups are sent, of IPv4 also on an IPv6 socket: its
 * index, 0: the kernel chooses. -EINVAL: bound to another device.
 */
int socket_send_groups_by(int fd, unsigned index);

/* Converts the stamps of the kernel, which are of the wall clock, to monotonic time. */
struct stamps {
	const char **source;	   /* owned by the caller: "kernel", or "user" after a step */
	struct np_clock_pair pair; /* converts the stamps of this batch */
	np_time now;		   /* when this batch was received */
	bool stepped;		   /* the wall clock was stepped: user stamps from then on */
};

/* Starts, and sets *@source, which the caller owns, to "kernel". */
void stamps_start(struct stamps *stamps, const char **source);

/*
 * Called before the stamps of a batch are converted: reads both clocks and pairs them again if they
 * have drifted apart by more than a microsecond; a step of the wall clock changes the source to
 * "user".
 */
void stamps_batch(struct stamps *stamps);

/* Converts the kernel's stamp @realtime to monotonic time; never later than the batch. */
np_time stamps_convert(const struct stamps *stamps, np_time realtime);
