/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* place: where a rank of a mesh receives: its address, and a port for each rank it hears. Pure. */
#ifndef TTCP_MESH_PLACE_H
#define TTCP_MESH_PLACE_H

#include <netperf/address.h>
#include <stddef.h>
#include <stdint.h>

/* Ranks that one rank hears, or sends to, at most. */
#define PLACE_PORTS_MAX 256
#define PLACE_BYTES_MAX (2 + 2 * PLACE_PORTS_MAX + NP_ADDRESS_TEXT)

/* Writes what other ranks must know to @out of PLACE_BYTES_MAX; returns the bytes. */
size_t place_write(const struct np_address *address, const uint16_t *ports, size_t count,
		   uint8_t *out);

/*
 * The address with the port of index @index, out of what another rank wrote. Returns 0, -EBADMSG,
 * or -ENOENT: no port is for that rank.
 */
int place_read(const void *data, size_t bytes, size_t index, struct np_address *address);

#endif
