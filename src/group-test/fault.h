/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * fault: why something the user asked for cannot be: the object as they typed it (an option, a
 * key, FILE:LINE, an address) and the reason with what would be right. What np_log_error prints.
 */
#ifndef GROUP_TEST_FAULT_H
#define GROUP_TEST_FAULT_H

struct fault {
	char object[200];
	char reason[300];
};

/* Sets both, cut to their room, and returns @error (-errno) for the caller to return. */
__attribute__((format(printf, 4, 5))) int fault_set(struct fault *fault, int error,
						    const char *object, const char *format, ...);

/* The same with @error's own words for a reason. */
int fault_errno(struct fault *fault, int error, const char *object);

#endif
