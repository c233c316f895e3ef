/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * multicast: groups of IPv4 and IPv6 on a UDP socket of the caller, np_datagram_fd or any other:
 * who hears a group, and how its own packets to groups go out. See ip(7), ipv6(7), RFC 3678.
 *
 * An interface is given by its index; 0: the kernel's choice, by its routes. What is set for an
 * IPv6 socket holds for its IPv4 partners, too. Functions return 0 or -errno and keep no state.
 */
#ifndef NETPERF_MULTICAST_H
#define NETPERF_MULTICAST_H

#include <netperf/address.h>
#include <stdbool.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * *@index: the interface called @device, else the one in the scope of an IPv6 @group, else the
 * one that has the address @local, else 0. Each may be NULL, @local a wildcard or no address of
 * this host. -ENODEV: no such device.
 */
int np_multicast_interface(const char *device, const struct np_address *group,
			   const struct np_address *local, unsigned *index);

/*
 * Has the socket hear @group where it comes in by interface @index; the port is not looked at.
 * From then on the socket hears what it has joined and no group that others here have, though it
 * may be bound to a wildcard. -EADDRINUSE: joined already, -ENODEV: no such interface, or no route
 * chooses one, -ENOBUFS: more than the kernel allows (igmp_max_memberships), -EINVAL: no group.
 */
int np_multicast_join(int fd, const struct np_address *group, unsigned index);

/* With the same @index as it was joined. -EADDRNOTAVAIL: it was not. */
int np_multicast_leave(int fd, const struct np_address *group, unsigned index);

/* By which interface packets to groups go out. -EINVAL: bound to another device. */
int np_multicast_send_by(int fd, unsigned index);

/* How many hops they may take, 1 at first: 0 stays in this host, 1 in its networks. To 255. */
int np_multicast_set_hops(int fd, int hops);

/* Whether members on this host hear them, too; at first they do. */
int np_multicast_set_loop(int fd, bool loop);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
