// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_rule: which packets are meant, as the BPF program compares them. */
#include "drops_variant.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static void map_ipv4(struct drops_address *out, const struct in_addr *address)
{
	*out = (struct drops_address){.byte = {[10] = 0xff, [11] = 0xff}};
	memcpy(out->byte + 12, address, 4);
}

bool drops_address_of(const struct np_address *address, struct drops_address *out, uint16_t *port)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address->any;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address->any;

	switch (address->any.sa_family) {
	case AF_INET:
		map_ipv4(out, &v4->sin_addr);
		*port = v4->sin_port;
		return true;
	case AF_INET6:
		memcpy(out, &v6->sin6_addr, sizeof(*out));
		*port = v6->sin6_port;
		return true;
	default: return false;
	}
}

static int rule_of_addresses(struct drops_rule *rule, const struct np_drops_packets *packets)
{
	const struct np_address *local = packets->local, *peer = packets->peer;

	rule->protocol = packets->protocol == NP_DROPS_TCP ? DROPS_TCP : DROPS_UDP;
	if (!local || !drops_address_of(local, &rule->local, &rule->local_port))
		return -EINVAL;
	if (np_address_is_wildcard(local))
		rule->flags |=
			(unsigned char)(DROPS_ANY_LOCAL |
					(local->any.sa_family == AF_INET ? DROPS_ONLY_IPV4 : 0));
	if (peer && !drops_address_of(peer, &rule->peer, &rule->peer_port))
		return -EINVAL;
	if (!peer || np_address_is_wildcard(peer))
		rule->flags |= DROPS_ANY_PEER;
	return 0;
}

static void rule_of_macs(struct drops_rule *rule, const struct np_drops_packets *packets)
{
	rule->protocol = DROPS_AOE;
	if (packets->local_mac)
		memcpy(rule->local.byte, packets->local_mac, 6);
	else
		rule->flags |= DROPS_ANY_LOCAL;
	if (packets->peer_mac)
		memcpy(rule->peer.byte, packets->peer_mac, 6);
	else
		rule->flags |= DROPS_ANY_PEER;
}

int drops_rule_of(struct drops_rule *rule, const struct np_drops_packets *packets)
{
	socklen_t length = sizeof(rule->cookie);

	*rule = (struct drops_rule){.out = packets->direction == NP_DROPS_OUT,
				    .payload_bytes = packets->payload_bytes,
				    .payload_offset = packets->payload_offset};
	if (packets->payload_bytes > NP_DROPS_PAYLOAD_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < packets->payload_bytes; i++) {
		rule->payload_mask[i] = packets->payload_mask[i];
		rule->payload_value[i] = packets->payload_value[i] & packets->payload_mask[i];
	}
	/* Without a cookie, as from an old kernel, the socket is known by its port. */
	if (!rule->out && packets->socket >= 0 &&
	    getsockopt(packets->socket, SOL_SOCKET, SO_COOKIE, &rule->cookie, &length))
		rule->cookie = 0;
	if (packets->protocol != NP_DROPS_AOE)
		return rule_of_addresses(rule, packets);
	rule_of_macs(rule, packets);
	return 0;
}
