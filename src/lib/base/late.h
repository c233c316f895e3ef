/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * late: a shared library that is loaded only when an option needs it, so that a program starts
 * without it and an installation need not have it.
 */
#pragma once

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct late_library {
	const char *soname;
	const char *const *names; /* of its functions; ends with NULL */
};

/* Of a list of functions, LIST(ENTRY) with each as ENTRY(name): a struct's pointers to them, ... */
#define LATE_POINTER(name) __typeof__(name) *(name);
/* ... and the names, in the same order. */
#define LATE_NAME(name) #name,

/* What a user is told without it: its file, and Debian's package. */
#define LATE_LACKS(soname, package)                                                                \
	soname " is not installed: install it (Debian's package " package ")"

/*
 * Loads @library for as long as the process lives and fills @calls, such a struct. Returns 0, or
 * -EPROTONOSUPPORT if the library, or a function of it, is not there. Loading it again is cheap.
 */
static inline int late_load(const struct late_library *library, void *calls)
{
	/* A library may have started threads or kept addresses of its own: it is never unloaded. */
	void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	int status = handle ? 0 : -EPROTONOSUPPORT;

	for (size_t i = 0; !status && library->names[i]; i++) {
		void *found = dlsym(handle, library->names[i]);

		memcpy((char *)calls + i * sizeof(found), &found, sizeof(found));
		if (!found)
			status = -EPROTONOSUPPORT;
	}
	if (handle)
		dlclose(handle);
	return status;
}
