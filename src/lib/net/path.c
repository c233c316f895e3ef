// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * path: reads what the backlog and the interfaces dropped, by getifaddrs(3), which reports on this
 * network namespace whatever is mounted on /sys.
 */
#include "path.h"

#include "../base/sysfs.h"

#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <linux/if_link.h>
#include <net/if.h>
#include <netperf/datagram.h>
#include <netperf/report.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line for each processor, of up to 15 columns. */
#define SOFTNET_BYTES 65536

static bool read_softnet(uint64_t *dropped)
{
	char text[SOFTNET_BYTES];
	const ssize_t bytes = sysfs_read_text("/proc/net/softnet_stat", text, sizeof(text));

	/* Some may be missing in one that fills it. */
	return bytes >= 0 && (size_t)bytes < sizeof(text) - 1 && !path_softnet_parse(text, dropped);
}

void np_path_read(struct np_path_drops *drops, const char *device, const struct np_address *local)
{
	char owner[NP_ADDRESS_INTERFACE] = "";
	struct ifaddrs *list;
	const char *only;

	*drops = (struct np_path_drops){0};
	drops->softnet_known = read_softnet(&drops->softnet_dropped);
	if (local && !device)
		np_address_interface(local, owner);
	only = device || !owner[0] ? device : owner;
	if (getifaddrs(&list))
		return;
	for (const struct ifaddrs *i = list; i; i = i->ifa_next) {
		const struct rtnl_link_stats *stats = i->ifa_data;

		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_PACKET || !stats ||
		    (only && strcmp(i->ifa_name, only) &&
		     (device || !(i->ifa_flags & IFF_LOOPBACK))))
			continue;
		drops->interfaces++;
		drops->rx_dropped += stats->rx_dropped;
		drops->rx_missed += stats->rx_missed_errors;
		drops->rx_fifo += stats->rx_fifo_errors;
	}
	drops->interfaces_known = drops->interfaces > 0;
	freeifaddrs(list);
}

static bool since(uint64_t *now, uint64_t begin)
{
	*now = (uint32_t)(*now - begin);
	return *now <= INT32_MAX; /* a larger difference means that the counter was reset */
}

void np_path_since(struct np_path_drops *drops, const struct np_path_drops *begin)
{
	bool dropped = since(&drops->rx_dropped, begin->rx_dropped);
	bool missed = since(&drops->rx_missed, begin->rx_missed);
	bool fifo = since(&drops->rx_fifo, begin->rx_fifo);

	drops->softnet_known &=
		begin->softnet_known && since(&drops->softnet_dropped, begin->softnet_dropped);
	drops->interfaces_known &= begin->interfaces_known && dropped && missed && fifo &&
				   drops->interfaces == begin->interfaces;
}

void np_path_add(struct np_path_drops *sum, const struct np_path_drops *more)
{
	sum->softnet_dropped += more->softnet_dropped;
	sum->rx_dropped += more->rx_dropped;
	sum->rx_missed += more->rx_missed;
	sum->rx_fifo += more->rx_fifo;
	sum->softnet_known &= more->softnet_known;
	sum->interfaces_known &= more->interfaces_known;
}

char *np_path_format(const struct np_path_drops *drops, char out[NP_PATH_TEXT])
{
	int length = drops->softnet_known ? snprintf(out, NP_PATH_TEXT, "backlog %" PRIu64,
						     drops->softnet_dropped)
					  : snprintf(out, NP_PATH_TEXT, "backlog unknown");

	if (drops->interfaces_known)
		snprintf(out + length, (size_t)(NP_PATH_TEXT - length),
			 ", interface %" PRIu64 ", missed %" PRIu64 ", fifo %" PRIu64,
			 drops->rx_dropped, drops->rx_missed, drops->rx_fifo);
	else
		snprintf(out + length, (size_t)(NP_PATH_TEXT - length), ", interface unknown");
	return out;
}

void np_record_path(struct np_record *record, const struct np_path_drops *drops)
{
	struct np_record *r = np_record_object(record, "path_bounds");

	if (drops->softnet_known)
		np_record_count(r, "softnet_dropped", drops->softnet_dropped);
	if (!drops->interfaces_known)
		return;
	np_record_count(r, "rx_dropped", drops->rx_dropped);
	np_record_count(r, "rx_missed", drops->rx_missed);
	np_record_count(r, "rx_fifo", drops->rx_fifo);
}

int path_softnet_parse(const char *text, uint64_t *dropped)
{
	uint64_t sum = 0;

	if (!*text)
		return -ENODATA;
	while (*text) {
		const char *second = text + strcspn(text, " \n");
		char *end;
		const uint32_t lost = (uint32_t)strtoul(second, &end, 16);

		if (*second != ' ' || end == second)
			return -ENODATA;
		sum += lost;
		text = strchrnul(end, '\n');
		text += *text == '\n';
	}
	*dropped = sum;
	return 0;
}
