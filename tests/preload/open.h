/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * open: the C library's functions that open a file, for a preloaded library: each calls
 * open_really(), which the including file defines, with the name of the C library's function.
 */
#pragma once

#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>

typedef int open_function(const char *path, int flags, mode_t mode);

static int open_really(const char *name, const char *path, int flags, mode_t mode);

int open(const char *path, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	return open_really("open", path, flags, mode);
}

/* The same function where offsets have 64 bits anyway; no offset is used here. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
	return open_really("open", path, flags, 0);
}
