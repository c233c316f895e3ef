// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* link_interface: queries a network interface (netdevice(7)). */
#include "link_variant.h"

#include <errno.h>
#include <net/if_arp.h>
#include <string.h>
#include <sys/ioctl.h>

static int ask(const struct np_link *link, unsigned long request, struct ifreq *answer)
{
	memset(answer, 0, sizeof(*answer));
	memcpy(answer->ifr_name, link->interface, sizeof(answer->ifr_name));
	return ioctl(link->control_fd, request, answer) < 0 ? -errno : 0;
}

/* The MTU in bytes, or -errno. */
static int query_mtu(const struct np_link *link)
{
	struct ifreq answer;
	int error = ask(link, SIOCGIFMTU, &answer);

	return error ? error : answer.ifr_mtu;
}

int link_interface_check_up(const struct np_link *link)
{
	struct ifreq answer;

	if (ask(link, SIOCGIFFLAGS, &answer) < 0 || !(answer.ifr_flags & IFF_UP))
		return -ENETDOWN;
	return 0;
}

int link_interface_query(struct np_link *link)
{
	struct np_link_info *info = &link->info;
	struct ifreq answer;
	int error = ask(link, SIOCGIFINDEX, &answer);

	if (error)
		return error;
	info->index = (unsigned)answer.ifr_ifindex;
	error = ask(link, SIOCGIFHWADDR, &answer);
	if (error)
		return error;
	if (answer.ifr_hwaddr.sa_family != ARPHRD_ETHER &&
	    answer.ifr_hwaddr.sa_family != ARPHRD_LOOPBACK)
		return -EAFNOSUPPORT;
	memcpy(info->mac, answer.ifr_hwaddr.sa_data, sizeof(info->mac));
	error = query_mtu(link);
	if (error < 0)
		return error;
	info->mtu = (unsigned)error;
	error = ask(link, SIOCGIFFLAGS, &answer);
	if (error)
		return error;
	info->up = answer.ifr_flags & IFF_UP;
	info->running = answer.ifr_flags & IFF_RUNNING;
	return info->up ? 0 : -ENETDOWN;
}
