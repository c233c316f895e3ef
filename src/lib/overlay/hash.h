/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * hash: the hash function of HyperCast 4, and the names that it makes: of overlays (32 bits, in
 * every protocol message) and of address realms (16 bits, in every interface address). Pure,
 * thread-safe.
 */
#ifndef OVERLAY_HASH_H
#define OVERLAY_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Empty input gives 0. */
uint32_t overlay_hash(const void *data, size_t bytes);

/*
 * The hash of the realm @realm (the configuration's AddressRealm) and of the interface's kind:
 * "IPv4_UDP", "IPv4_TCP", or "IPv4_UDPxIPv4_UDPMulticast" for the multicast and unicast pair.
 */
uint16_t overlay_hash_realm(const char *realm, const char *kind);

#endif
