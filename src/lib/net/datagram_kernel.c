// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_kernel: reads the UDP counters of this network namespace; and what the backlog and the
 * interfaces dropped before, by getifaddrs(3), which reports on this namespace whatever is mounted
 * on /sys.
 */
#include "../base/address_host.h"
#include "../base/sysfs.h"
#include "datagram_variant.h"

#include <errno.h>
#include <ifaddrs.h>
#include <inttypes.h>
#include <linux/if_link.h>
#include <netperf/report.h>
#include <stdlib.h>
#include <string.h>

#define SNMP_BYTES 32768
#define BLANKS	   " \t"

struct field {
	const char *name;
	size_t offset;
};

static const struct field fields[] = {
	{"InDatagrams", offsetof(struct np_datagram_kernel, received)},
	{"OutDatagrams", offsetof(struct np_datagram_kernel, sent)},
	{"RcvbufErrors", offsetof(struct np_datagram_kernel, receive_buffer_errors)},
	{"MemErrors", offsetof(struct np_datagram_kernel, receive_buffer_errors)},
	{"SndbufErrors", offsetof(struct np_datagram_kernel, send_buffer_errors)},
	{"InCsumErrors", offsetof(struct np_datagram_kernel, checksum_errors)},
};

/* True when @name is a known counter and @value a number. */
static bool add(struct np_datagram_kernel *counts, const char *name, const char *value)
{
	uint64_t number;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (strcmp(fields[i].name, name))
			continue;
		if (np_units_parse_count(value, 0, UINT64_MAX, &number))
			return false;
		*(uint64_t *)(void *)((char *)counts + fields[i].offset) += number;
		return true;
	}
	return false;
}

int datagram_kernel_add_snmp(char *text, struct np_datagram_kernel *counts)
{
	static const char key[] = "Udp:";
	char *rest, *names = NULL, *values, *name, *value;
	int error = -ENODATA;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (strncmp(line, key, strlen(key)))
			continue;
		if (!names) {
			names = line + strlen(key);
			continue;
		}
		values = line + strlen(key);
		while ((name = strtok_r(NULL, BLANKS, &names)) &&
		       (value = strtok_r(NULL, BLANKS, &values)))
			if (add(counts, name, value))
				error = 0;
		break;
	}
	return error;
}

int datagram_kernel_add_snmp6(char *text, struct np_datagram_kernel *counts)
{
	static const char key[] = "Udp6";
	const char *name, *value;
	int error = -ENODATA;
	char *rest;

	for (char *line = text; (name = strtok_r(line, BLANKS "\n", &rest)); line = NULL) {
		value = strtok_r(NULL, BLANKS "\n", &rest);
		if (value && !strncmp(name, key, strlen(key)) &&
		    add(counts, name + strlen(key), value))
			error = 0;
	}
	return error;
}

int np_datagram_kernel_counts(struct np_datagram_kernel *counts)
{
	char text[SNMP_BYTES];
	ssize_t got;
	int error;

	memset(counts, 0, sizeof(*counts));
	/* thread-self: another thread may be in another namespace. */
	got = sysfs_read_text("/proc/thread-self/net/snmp", text, sizeof(text));
	error = got < 0 ? (int)got : datagram_kernel_add_snmp(text, counts);
	if (error)
		return error;
	got = sysfs_read_text("/proc/thread-self/net/snmp6", text, sizeof(text));
	if (got == -ENOENT) /* no IPv6 here */
		return 0;
	return got < 0 ? (int)got : datagram_kernel_add_snmp6(text, counts);
}

/* One line for each processor, of up to 15 columns. */
#define SOFTNET_BYTES 65536

void np_path_read(struct np_path_drops *drops, const char *device, const struct np_address *local)
{
	char owner[IFNAMSIZ] = "", text[SOFTNET_BYTES];
	const ssize_t bytes = sysfs_read_text("/proc/net/softnet_stat", text, sizeof(text));
	struct ifaddrs *list;
	const char *only;

	*drops = (struct np_path_drops){0};
	/* Some lines may be missing in a text that fills it. */
	drops->softnet_known = bytes >= 0 && (size_t)bytes < sizeof(text) - 1 &&
			       !path_softnet_parse(text, &drops->softnet_dropped);
	if (local && !device)
		address_interface(local, owner);
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
	snprintf(out, NP_PATH_TEXT, "backlog unknown");
	if (drops->softnet_known)
		snprintf(out, NP_PATH_TEXT, "backlog %" PRIu64, drops->softnet_dropped);
	if (drops->interfaces_known)
		np_text_append(out, NP_PATH_TEXT,
			       ", interface %" PRIu64 ", missed %" PRIu64 ", fifo %" PRIu64,
			       drops->rx_dropped, drops->rx_missed, drops->rx_fifo);
	else
		np_text_append(out, NP_PATH_TEXT, ", interface unknown");
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
