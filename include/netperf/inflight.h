/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * inflight: the places of a disk that have an I/O in flight, so that no second I/O is started on
 * the same place: what a read returned would depend on which of the two came first. Pure.
 *
 * A set belongs to one thread.
 */
#ifndef NETPERF_INFLIGHT_H
#define NETPERF_INFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

struct np_inflight;

/*
 * Creates a set with room for @count places, at least 1. Returns 0 or -ENOMEM; then *@set is NULL.
 */
int np_inflight_create(struct np_inflight **set, unsigned count);

/* NULL is allowed. */
void np_inflight_free(struct np_inflight *set);

/* True when @place is in the set. */
bool np_inflight_has(const struct np_inflight *set, uint64_t place);

/* Adds @place. Returns false when it is in the set already, or the set is full. */
bool np_inflight_add(struct np_inflight *set, uint64_t place);

/* Removes @place, if it is in the set. */
void np_inflight_remove(struct np_inflight *set, uint64_t place);

#include <netperf/bits/end.h>
#endif
