/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * local_address: which address of this host a member binds to, and is known by, when its user gives
 * none. Functions return 0 or -errno, -EADDRNOTAVAIL when there is none of that family. Ports are
 * 0.
 */
#ifndef GROUP_TEST_TRANSPORT_LOCAL_ADDRESS_H
#define GROUP_TEST_TRANSPORT_LOCAL_ADDRESS_H

#include <netperf/address.h>

/*
 * For a group: the address of the host name, unless that is a loopback address or @device (may be
 * NULL) is given; else the address from which packets to @group are sent; else the one by which
 * others reach this host.
 */
int local_address_for_group(const struct np_address *group, const char *device,
			    struct np_address *local_address);

/*
 * For a mesh: the first in @cluster that belongs to this host, else the one by which others reach
 * it.
 */
int local_address_for_cluster(const struct np_address_list *cluster,
			      struct np_address *local_address);

#endif
