/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * late: a shared library that is loaded only when an option needs it, so that a program starts
 * without it and an installation need not have it.
 */
#pragma once

#include <stddef.h>

struct late_symbol {
	const char *name;
	size_t offset; /* of its pointer in the user's struct */
};

struct late_library {
	const char *soname;
	const struct late_symbol *symbols; /* ends with a NULL name */
};

/* The row of function @name, whose pointer is the member of that name in struct @calls. */
#define LATE_SYMBOL(calls, name)                                                                   \
	{                                                                                          \
#name, offsetof(struct calls, name)                                                \
	}

/* What a user is told without it: its file, and Debian's package. */
#define LATE_LACKS(soname, package)                                                                \
	soname " is not installed: install it (Debian's package " package ")"

/*
 * Loads @library for as long as the process lives and fills @calls. Returns 0, or -EPROTONOSUPPORT
 * if the library, or a function of it, is not there. Loading it again is cheap.
 */
int late_load(const struct late_library *library, void *calls);
