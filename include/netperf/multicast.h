/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * multicast: groups of IPv4 and IPv6 on a UDP socket of the caller, np_datagram_fd or any other:
 * which groups it receives, and how its own packets to groups are sent. See ip(7), ipv6(7), RFC
 * 3678.
 *
 * An interface is given by its index; 0: the kernel chooses by its routes. A setting of an IPv6
 * socket applies to its IPv4 partners, too. Functions return 0 or -errno and keep no state.
 */
#ifndef NETPERF_MULTICAST_H
#define NETPERF_MULTICAST_H

#include <netperf/address.h>
#include <stdbool.h>

#include <netperf/bits/begin.h>

/*
 * *@index: the interface called @device, else the one in the scope of an IPv6 @group, else the one
 * that has the address @local, else 0. Each may be NULL; @local may be a wildcard or an address
 * that this host does not have. -ENODEV: no such device.
 */
int np_multicast_interface(const char *device, const struct np_address *group,
			   const struct np_address *local, unsigned *index);

/*
 * Makes the socket receive @group by interface @index; the port is ignored. From then on the socket
 * receives only the groups that it has joined, not those of other sockets, even if it is bound to a
 * wildcard. -EADDRINUSE: joined already, -ENODEV: no such interface, or no route chooses one,
 * -ENOBUFS: more than the kernel allows (igmp_max_memberships), -EINVAL: not a group.
 */
int np_multicast_join(int fd, const struct np_address *group, unsigned index);

/* @index as in the join. -EADDRNOTAVAIL: the group was not joined. */
int np_multicast_leave(int fd, const struct np_address *group, unsigned index);

/* Selects the interface by which packets to groups are sent. -EINVAL: bound to another device. */
int np_multicast_send_by(int fd, unsigned index);

/* Limits their hops, 1 by default: 0 stays in this host, 1 in its networks; up to 255. */
int np_multicast_set_hops(int fd, int hops);

/* Whether members on this host receive them, too; by default they do. */
int np_multicast_set_loop(int fd, bool loop);

#include <netperf/bits/end.h>
#endif
