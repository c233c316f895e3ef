/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * inflight: the places of a disk that have an I/O in flight, so that no second one goes to the same
 * place beside it: what is read there would depend on which of the two comes first. Pure.
 *
 * A set belongs to one thread.
 */
#ifndef NETPERF_INFLIGHT_H
#define NETPERF_INFLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_inflight;

/* Room for @count places at a time, not 0. Returns 0 or -ENOMEM; *@set is NULL then. */
int np_inflight_create(struct np_inflight **set, unsigned count);

/* NULL is allowed. */
void np_inflight_free(struct np_inflight *set);

/* Notes @place. Returns false when it is noted already, or when @count places are. */
bool np_inflight_add(struct np_inflight *set, uint64_t place);

/* Forgets @place; it need not be noted. */
void np_inflight_remove(struct np_inflight *set, uint64_t place);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
