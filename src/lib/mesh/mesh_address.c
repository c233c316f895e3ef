// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_address: by which of a host's addresses its rank is reached. */
#include <netperf/mesh.h>

#include <errno.h>
#include <string.h>

/* Without the slash and the port. */
static void write_host(const struct np_address *address, char text[NP_ADDRESS_TEXT])
{
	const char *literal = strrchr(np_address_format(address, text), '/') + 1;

	memmove(text, literal, strlen(literal) + 1);
	*strrchr(text, ':') = '\0';
}

/* The user has not said which: the wrong network is measured unless somebody looks. */
static void tell_choice(const struct np_address *address, uint32_t rank, const struct np_log *log)
{
	const unsigned interfaces = np_address_interfaces();
	char text[NP_ADDRESS_TEXT], name[NP_ADDRESS_INTERFACE], what[NP_ADDRESS_TEXT + 128];

	if (interfaces < 2)
		return;
	write_host(address, text);
	np_address_interface(address, name);
	snprintf(what, sizeof(what),
		 "rank %u: takes %s of %s, one of %u interfaces; --interface selects another",
		 (unsigned)rank, text, name, interfaces);
	if (rank)
		np_log_detail(log, "mesh: %s", what);
	else
		np_log_info(log, "mesh: %s", what);
}

int np_mesh_address(const struct np_mesh_options *options, int family, uint32_t rank,
		    struct np_address *address, const struct np_log *log)
{
	const char *text = options->interface;
	const int rc = text ? np_address_of_network(address, text, family, 0)
			    : np_address_of_family(address, family, 0);

	if (rc)
		return np_log_refuse(log, text ? text : "mesh", "%s",
				     rc == -ENODEV && family == AF_INET6
					     ? "no such interface, or it has no IPv6 address"
				     : rc == -ENODEV && family == AF_INET
					     ? "no such interface, or it has no IPv4 address"
				     : rc == -ENODEV ? "no such interface, or it has no address"
				     : rc == -EADDRNOTAVAIL ? "this host has no such address"
							    : strerror(-rc));
	address->name[0] = '\0';
	if (!text)
		tell_choice(address, rank, log);
	return 0;
}
