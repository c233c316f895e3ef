// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* late: loads a shared library when it is needed, and looks its functions up. */
#include "late.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

int late_load(const struct late_library *library, void *calls)
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
