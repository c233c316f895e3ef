// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* home: asks the host name, the routes and the interfaces for a member's address. */
#include "home.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool is_home(const struct np_address *address, int family)
{
	return address->any.sa_family == family && np_address_is_local(address);
}

/* Debian gives a host without a fixed address the name of 127.0.1.1: nobody else hears that. */
static bool ask_name(int family, struct np_address *home)
{
	struct np_address_list list = {};
	char name[256] = "";
	bool found = false;

	if (gethostname(name, sizeof(name) - 1) == 0 &&
	    np_address_list_parse(&list, name, 0) == 0 && list.count == 1) {
		*home = list.item[0];
		home->name[0] = '\0';
		found = is_home(home, family) && !np_address_is_loopback(home);
	}
	np_address_list_clear(&list);
	return found;
}

/* A UDP socket that is connected sends nothing, but has an address. */
static bool ask_routes(const struct np_address *group, const char *device, struct np_address *home)
{
	int fd = socket(group->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	*home = (struct np_address){.length = sizeof(home->storage)};
	found = fd >= 0 &&
		(!device || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device,
				       (socklen_t)strlen(device)) == 0) &&
		connect(fd, &group->any, group->length) == 0 &&
		getsockname(fd, &home->any, &home->length) == 0 && !np_address_is_wildcard(home);
	if (fd >= 0)
		close(fd);
	np_address_set_port(home, 0);
	return found;
}

int home_for_group(const struct np_address *group, const char *device, struct np_address *home)
{
	int family = group->any.sa_family;

	if (!device && ask_name(family, home))
		return 0;
	if (ask_routes(group, device, home))
		return 0;
	if (device || np_address_of_this_host(home, 0) || home->any.sa_family != family)
		return -EADDRNOTAVAIL;
	return 0;
}

int home_for_cluster(const struct np_address_list *cluster, struct np_address *home)
{
	for (size_t i = 0; i < cluster->count; i++) {
		if (!np_address_is_local(&cluster->item[i]))
			continue;
		*home = cluster->item[i];
		home->name[0] = '\0';
		np_address_set_port(home, 0);
		return 0;
	}
	return np_address_of_this_host(home, 0);
}
