/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* interface: the kernel's own counters of a network interface. */
#pragma once

#include <stdint.h>

/* They wrap: only differences modulo 2^32 are meaningful. */
struct interface_counts {
	uint32_t sent;
	uint32_t receive_dropped; /* before a socket could receive them */
};

/* Returns 0, -ENODEV or -errno. */
int interface_read(const char *name, struct interface_counts *counts);
