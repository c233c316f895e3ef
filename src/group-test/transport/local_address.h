/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * local_address: which address of this host a member binds to, and is known by, when its user names
 * none. Functions return 0 or -errno, -EADDRNOTAVAIL when there is none of that family. Ports are
 * 0.
 */
#ifndef GROUP_TEST_TRANSPORT_LOCAL_ADDRESS_H
#define GROUP_TEST_TRANSPORT_LOCAL_ADDRESS_H

#include <netperf/address.h>

/*
 * For a group: the host name's address, unless that is a loopback one or @device (or NULL) says
 * where; else the one by which packets to @group leave; else the one others reach this host by.
 */
int local_address_for_group(const struct np_address *group, const char *device,
			    struct np_address *local_address);

/* For a mesh: the first in @cluster that is this host's, else the one others reach it by. */
int local_address_for_cluster(const struct np_address_list *cluster,
			      struct np_address *local_address);

#endif
