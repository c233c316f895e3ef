// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* interface: reads counters by getifaddrs(3), which needs neither /sys nor a netlink parser. */
#include "interface.h"

#include <errno.h>
#include <ifaddrs.h>
#include <linux/if_link.h>
#include <string.h>
#include <sys/socket.h>

int interface_read(const char *name, struct interface_counts *counts)
{
	struct ifaddrs *all;
	int error = -ENODEV;

	if (getifaddrs(&all) < 0)
		return -errno;
	for (const struct ifaddrs *one = all; one; one = one->ifa_next) {
		const struct rtnl_link_stats *stats = one->ifa_data;

		if (!stats || !one->ifa_addr || one->ifa_addr->sa_family != AF_PACKET ||
		    strcmp(one->ifa_name, name) != 0)
			continue;
		counts->sent = stats->tx_packets;
		counts->receive_dropped = stats->rx_dropped;
		error = 0;
	}
	freeifaddrs(all);
	return error;
}
