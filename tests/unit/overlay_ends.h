/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay_ends: addresses and sockets of a test, beside an overlay's node. */
#pragma once

#include "../../src/lib/overlay/substrate.h"
#include "support/unit.h"

#include <netperf/clock.h>

#define LIMIT (60 * NP_SECOND)
#define REALM 0x1234

static inline struct np_address loopback(uint16_t port)
{
	struct np_address address;

	assert_int_equal(np_address_parse(&address, "127.0.0.1", port, AF_UNSPEC), 0);
	return address;
}

/* A socket, and where what is for it arrives, as the substrate has it; receives wait a minute. */
static inline int bound(int type, struct overlay_address *at)
{
	const struct timeval limit = {.tv_sec = 60};
	const int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);
	struct np_address address = loopback(0);
	const struct sockaddr_in *ipv4 = (const void *)&address.storage;

	assert_int_equal(bind(fd, &address.any, address.length), 0);
	assert_int_equal(getsockname(fd, &address.any, &address.length), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), 0);
	*at = overlay_address_ipv4(ntohl(ipv4->sin_addr.s_addr), ntohs(ipv4->sin_port), REALM);
	return fd;
}
