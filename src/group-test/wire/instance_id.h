/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * instance_id: distinguishes this process from all other members, and its clock from other
 * machines'.
 */
#ifndef GROUP_TEST_WIRE_INSTANCE_ID_H
#define GROUP_TEST_WIRE_INSTANCE_ID_H

#include <stdint.h>

/* Draws a random number, never 0. Returns 0 or -errno. */
int instance_id_draw(uint64_t *instance);

/*
 * The same for all processes that share one CLOCK_MONOTONIC: the kernel's boot id and the time
 * namespace; random where the kernel does not tell. Returns 0 or -errno.
 */
int instance_id_clock(uint8_t id[16]);

#endif
