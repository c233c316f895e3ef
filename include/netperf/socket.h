/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * socket: what a user asks of a program's sockets, TCP or UDP: how their packets are marked, and by
 * which interface they go. np_datagram_options and np_stream_options have members for all of it.
 */
#ifndef NETPERF_SOCKET_H
#define NETPERF_SOCKET_H

#include <netperf/options.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The rows below fill it, but for tos and ttl, which are np_socket_settle's. */
struct np_socket_options {
	uint64_t tos_typed, ttl_typed; /* 0, too, when there was nothing */
	int tos;		       /* -1: not asked for; DSCP << 2 */
	int ttl;		       /* -1: not asked for; hops */
	const char *device;	       /* NULL: any */
};

/*
 * The byte that --tos asks for: 0 to 255, or the name of a DSCP in either case (EF, VA, LE, CS0 to
 * CS7, AF11 to AF43), which is that shifted left by two (RFC 2474, 2597, 3246, 5865, 8622). Returns
 * 0, -EINVAL or -ERANGE. Pure.
 */
int np_socket_parse_tos(const char *text, uint64_t *tos);

/*
 * The rows of --tos and --ttl. @base: offset of the np_socket_options; @least: hops to ask for, 0
 * where packets may be kept in this host; @more: a literal to end the help of --ttl with.
 */
#define NP_SOCKET_MARKS(base, least, more)                                                         \
	NP_OPTION_ROW("tos", 0, NULL, NP_OPTION_TOS, "TOS", NULL, NULL, 0, 255, NULL,              \
		      (base) + offsetof(struct np_socket_options, tos_typed),                      \
		      "type of service, or traffic class, of packets sent: 0 to 255,\n"            \
		      "or a DSCP: EF, VA, LE, CS0 to CS7, AF11 to AF43"),                          \
		NP_OPTION_ROW("ttl", 0, NULL, NP_OPTION_COUNT, "HOPS", NULL, NULL, least, 255,     \
			      NULL, (base) + offsetof(struct np_socket_options, ttl_typed),        \
			      "hops that packets sent may take" more)

/* The row of --device; @base and @more as above. */
#define NP_SOCKET_DEVICE(base, more)                                                               \
	NP_OPTION_ROW("device", 0, NULL, NP_OPTION_TEXT, "NETIF", NULL, NULL, 0, 0, NULL,          \
		      (base) + offsetof(struct np_socket_options, device),                         \
		      "send and receive by this interface only" more)

/* Tells 0 that was typed from nothing typed: sets tos and ttl. @options has NP_SOCKET_MARKS. */
void np_socket_settle(struct np_socket_options *socket, const struct np_options *options,
		      const struct np_options_result *result);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
