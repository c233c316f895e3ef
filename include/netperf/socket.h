/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * socket: the user's options for a program's sockets, TCP or UDP: how their packets are marked, and
 * which interface they use. np_datagram_options,
 * np_stream_options and np_overlay_options have np_ip_options as a member.
 */
#pragma once

#include <netperf/address.h>
#include <netperf/options.h>

/*
 * What a socket asks of the IP layer; {-1, -1, NULL}: nothing. Many callers set only tos to -1: a
 * ttl of 0 changes nothing for unicast. So 0 must mean "unchanged" in a member that is added.
 */
struct np_ip_options {
	int tos;	    /* DSCP << 2; -1: unchanged */
	int ttl;	    /* hops; 0: multicast stays in this host; -1: unchanged */
	const char *device; /* SO_BINDTODEVICE, NULL: any */
};

/* Filled by the rows below, except tos and ttl of @ip, which np_socket_settle sets. */
struct np_socket_options {
	uint64_t tos_typed, ttl_typed; /* also 0 when nothing was typed */
	struct np_ip_options ip;
	bool ipv4, ipv6; /* one or none */
};

/*
 * The rows of --tos and --ttl. @member: the np_socket_options; @least: the lowest ttl, 0 where
 * packets may be kept in this host; @more: a literal that ends the help of --ttl.
 */
#define NP_SOCKET_MARKS(member, least, more)                                                       \
	NP_VALUE(NETWORK, TOS, "tos", NULL, "TOS", member.tos_typed,                               \
		 "type of service, or traffic class, of packets sent: 0 to 255,\n"                 \
		 "or a DSCP: EF, VA, LE, CS0 to CS7, AF11 to AF43",                                \
		 .max = 255),                                                                      \
		NP_VALUE(NETWORK, COUNT, "ttl", NULL, "HOPS", member.ttl_typed,                    \
			 "hops that packets sent may take" more, .min = least, .max = 255)

/* The row of --device; @member and @more as above. */
#define NP_SOCKET_DEVICE(member, more)                                                             \
	NP_VALUE(NETWORK, TEXT, "device", NULL, "NETIF", member.ip.device,                         \
		 "send and receive on this interface only" more)

/* The rows of -4 and -6. */
#define NP_SOCKET_FAMILY(member)                                                                   \
	NP_FLAG(NETWORK, "ipv4", NULL, member.ipv4, "use IPv4 only", .letter = '4',                \
		NP_CLASHES({"ipv6", "give one of them", NULL})),                                   \
		NP_FLAG(NETWORK, "ipv6", NULL, member.ipv6, "use IPv6 only", .letter = '6')

/* AF_INET, AF_INET6, or AF_UNSPEC if neither was asked for. */
int np_socket_family(const struct np_socket_options *socket);

/* The row of --allow. @member: the text, for np_address_networks_parse; then what else it has. */
#define NP_SOCKET_ALLOW(member, ...)                                                               \
	NP_VALUE(NETWORK, TEXT, "allow", NULL, "CIDR,...", member,                                 \
		 "receive only from these networks, as 10.1.0.0/16", ##__VA_ARGS__)

/*
 * Reads what --allow named; NULL: no networks, which allow everybody. Returns 0, or the exit status
 * 2 after a message.
 */
int np_socket_allowed(struct np_address_networks **networks, const char *text,
		      const struct np_log *log);

/* Sets tos and ttl, for which a typed 0 must be told from none, in a table with NP_SOCKET_MARKS. */
void np_socket_settle(struct np_socket_options *socket, const struct np_options_result *result);

/*
 * The interface by which a group is received, and packets to groups are sent. *@index: the
 * interface called @device, else the one in the scope of an IPv6 @group, else the one that has the
 * address @local, else 0: the kernel chooses by its routes. Each may be NULL; @local may be a
 * wildcard or an address that this host does not have. -ENODEV: no such device.
 */
int np_multicast_interface(const char *device, const struct np_address *group,
			   const struct np_address *local, unsigned *index);
