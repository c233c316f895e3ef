// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram_errors: reads what the kernel keeps about a socket beside its packets: ICMP errors,
 * drops.
 */
#include "datagram_variant.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>

static bool is_icmp(const struct cmsghdr *at, struct sock_extended_err *error)
{
	if (!(at->cmsg_level == SOL_IP && at->cmsg_type == IP_RECVERR) &&
	    !(at->cmsg_level == SOL_IPV6 && at->cmsg_type == IPV6_RECVERR))
		return false;
	memcpy(error, CMSG_DATA(at), sizeof(*error));
	return error->ee_origin == SO_EE_ORIGIN_ICMP || error->ee_origin == SO_EE_ORIGIN_ICMP6;
}

/* Stores a refusal; the oldest is dropped if the list is full. */
static void keep_refusal(struct np_datagram *datagram, const struct np_address *to)
{
	unsigned at = (datagram->refused_first + datagram->refused_count) % DATAGRAM_REFUSED_KEPT;

	datagram->refused[at] = *to;
	if (datagram->refused_count < DATAGRAM_REFUSED_KEPT)
		datagram->refused_count++;
	else
		datagram->refused_first = (at + 1) % DATAGRAM_REFUSED_KEPT;
}

bool np_datagram_refused(struct np_datagram *datagram, struct np_address *to)
{
	if (!datagram->refused_count)
		return false;
	*to = datagram->refused[datagram->refused_first];
	datagram->refused_first = (datagram->refused_first + 1) % DATAGRAM_REFUSED_KEPT;
	datagram->refused_count--;
	return true;
}

unsigned datagram_errors_drain(struct np_datagram *datagram)
{
	union {
		struct cmsghdr header;
		uint8_t room[256];
	} control;
	struct sock_extended_err error;
	unsigned count = 0;

	for (;;) {
		struct np_address to = {0};
		struct msghdr message = {
			.msg_control = &control,
			.msg_controllen = sizeof(control),
			.msg_name = &to.storage,
			.msg_namelen = sizeof(to.storage),
		};

		if (recvmsg(datagram->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			break;
		for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at;
		     at = CMSG_NXTHDR(&message, at)) {
			if (!is_icmp(at, &error))
				continue;
			datagram->stats.last_error = -(int)error.ee_errno;
			to.length = message.msg_namelen;
			if (error.ee_errno == ECONNREFUSED && to.length)
				keep_refusal(datagram, &to);
			count++;
		}
	}
	datagram->stats.icmp_errors += count;
	return count;
}

int datagram_drops_count(struct np_datagram *datagram)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(info);

	if (getsockopt(datagram->fd, SOL_SOCKET, SO_MEMINFO, info, &length) < 0)
		return -errno;
	datagram->stats.dropped += info[SK_MEMINFO_DROPS] - datagram->drops_seen;
	datagram->drops_seen = info[SK_MEMINFO_DROPS];
	return 0;
}
