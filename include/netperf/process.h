/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * process: what every program does before anything else, so that neither a descriptor nor a signal
 * that it was started with does harm later.
 */
#ifndef NETPERF_PROCESS_H
#define NETPERF_PROCESS_H

#include <stddef.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Call it first in main. Descriptors 0 to 2 that are closed are opened on /dev/null, or the first
 * socket or disk would get their number, and the text with it. They are opened so that reading the
 * first and writing the others still fails (-EBADF): a result that goes nowhere is an error.
 * SIGXFSZ is ignored: a file at its limit is told by the write that fails (-EFBIG), and the summary
 * is still printed. Returns 0 or -errno: /dev/null is not to be had, and it is not safe to go on.
 */
int np_process_begin(void);

/*
 * From now on blocks of @bytes and more are taken from the kernel, and given back, one by one.
 * Large ones that are hardly written cost only what is written then, however often they come and
 * go; the C library would keep them from the first one on that is freed. Call it before there are
 * threads.
 */
void np_process_give_back(size_t bytes);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
