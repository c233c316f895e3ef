// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* peer_name: formats the name of a partner. */
#include "peer_name.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>

static const void *ip_of(const struct np_address *address, uint32_t *scope)
{
	const struct sockaddr_in6 *six = (const void *)&address->storage;
	const struct sockaddr_in *four = (const void *)&address->storage;

	*scope = 0;
	if (address->any.sa_family != AF_INET6)
		return &four->sin_addr;
	*scope = six->sin6_scope_id;
	return &six->sin6_addr;
}

char *peer_name(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	char ip[INET6_ADDRSTRLEN] = "?", interface[IF_NAMESIZE];
	const unsigned port = np_address_port(address);
	uint32_t scope;
	const void *bytes = ip_of(address, &scope);
	const bool six = address->any.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(bytes);

	if (!six && address->any.sa_family == AF_INET6)
		bytes = (const char *)bytes + 12; /* IPv4 ends its mapped form */
	inet_ntop(six ? AF_INET6 : AF_INET, bytes, ip, sizeof(ip));
	if (!six)
		snprintf(out, NP_ADDRESS_TEXT, "%s:%u", ip, port);
	else if (scope && if_indextoname(scope, interface))
		snprintf(out, NP_ADDRESS_TEXT, "[%s%%%s]:%u", ip, interface, port);
	else
		snprintf(out, NP_ADDRESS_TEXT, "[%s]:%u", ip, port);
	return out;
}
