/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * meet_place: where a rank receives, as others read it: its address, and a port for each slot of
 * the ranks that it hears, or one for all. Pure.
 */
#pragma once

#include <netperf/meet.h>

#define MEET_PLACE_BYTES_MAX (2 + 2 * NP_MEET_PORTS_MAX + NP_ADDRESS_TEXT)

/* Writes it to @out of MEET_PLACE_BYTES_MAX; returns the bytes. */
size_t meet_place_write(const struct np_address *address, const uint16_t *ports, size_t count,
			uint8_t *out);

/*
 * The address with the port of @slot, out of what another rank wrote. Returns 0, -EBADMSG, or
 * -ENOENT: no port is for that slot.
 */
int meet_place_read(const void *data, size_t bytes, size_t slot, struct np_address *address);
