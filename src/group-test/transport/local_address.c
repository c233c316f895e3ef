// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* local_address: asks the host name, the routes and the interfaces for a member's address. */
#include "local_address.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool is_local_address(const struct np_address *address, int family)
{
	return address->any.sa_family == family && np_address_is_local(address);
}

/*
 * Debian maps the name of a host without a fixed address to 127.0.1.1, which other hosts cannot
 * reach.
 */
static bool ask_name(int family, struct np_address *local_address)
{
	char name[256] = "";
	bool found = false;

	if (gethostname(name, sizeof(name) - 1) == 0 &&
	    np_address_parse(local_address, name, 0) == 0) {
		local_address->name[0] = '\0';
		found = is_local_address(local_address, family) &&
			!np_address_is_loopback(local_address);
	}
	return found;
}

/* A connected UDP socket sends nothing, but has a local address. */
static bool ask_routes(const struct np_address *group, const char *device,
		       struct np_address *local_address)
{
	int fd = socket(group->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool found;

	*local_address = (struct np_address){.length = sizeof(local_address->storage)};
	found = fd >= 0 &&
		(!device || setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, device,
				       (socklen_t)strlen(device)) == 0) &&
		connect(fd, &group->any, group->length) == 0 &&
		getsockname(fd, &local_address->any, &local_address->length) == 0 &&
		!np_address_is_wildcard(local_address);
	if (fd >= 0)
		close(fd);
	np_address_set_port(local_address, 0);
	return found;
}

int local_address_for_group(const struct np_address *group, const char *device,
			    struct np_address *local_address)
{
	int family = group->any.sa_family;

	if (!device && ask_name(family, local_address))
		return 0;
	if (ask_routes(group, device, local_address))
		return 0;
	if (device || np_address_of_this_host(local_address, 0) ||
	    local_address->any.sa_family != family)
		return -EADDRNOTAVAIL;
	return 0;
}

int local_address_for_cluster(const struct np_address_list *cluster,
			      struct np_address *local_address)
{
	for (size_t i = 0; i < cluster->count; i++) {
		if (!np_address_is_local(&cluster->item[i]))
			continue;
		*local_address = cluster->item[i];
		local_address->name[0] = '\0';
		np_address_set_port(local_address, 0);
		return 0;
	}
	return np_address_of_this_host(local_address, 0);
}
