/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * fault: why a request of the user cannot be met: the object as it was typed (an option, a key,
 * FILE:LINE, an address) and the reason, with what would be right. A function that can refuse for
 * many reasons fills one in for its caller, who prints it with np_log_error.
 *
 * A struct np_fault is plain data: nothing to free, one thread at a time.
 */
#ifndef NETPERF_FAULT_H
#define NETPERF_FAULT_H

#include <netperf/bits/begin.h>

/* Both NUL-terminated. */
struct np_fault {
	char object[200];
	char reason[300];
};

/*
 * Sets both texts, truncated to fit, and returns @error (-errno), so that the caller can return it.
 */
__attribute__((format(printf, 4, 5))) int np_fault_set(struct np_fault *fault, int error,
						       const char *object, const char *format, ...);

/* The same with strerror(3) of @error as the reason. */
int np_fault_errno(struct np_fault *fault, int error, const char *object);

#include <netperf/bits/end.h>
#endif
