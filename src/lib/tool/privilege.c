// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* privilege: drops all capabilities and the bounding set, irreversibly. */
#include <netperf/process.h>

#include <cap-ng.h>
#include <errno.h>
#include <sys/prctl.h>

int np_privilege_drop(void)
{
	/*
	 * Done first, since it needs no privilege: after it even root regains nothing by an exec.
	 */
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	capng_clear(CAPNG_SELECT_BOTH);
	/* Without CAP_SETPCAP the bounding set cannot be reduced, but grants nothing any more. */
	if (capng_apply(CAPNG_SELECT_BOTH) < 0 && capng_apply(CAPNG_SELECT_CAPS) < 0)
		return -EPERM;
	if (capng_get_caps_process() < 0 ||
	    capng_have_capabilities(CAPNG_SELECT_CAPS) != CAPNG_NONE)
		return -EPERM;
	return 0;
}
