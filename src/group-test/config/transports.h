/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transports: what the settings mean to each transport, a row for each: its names, its addresses,
 * what it cannot carry. A new transport has a row here and its variant in ../transport/. Pure,
 * except that host names are resolved.
 */
#ifndef GROUP_TEST_CONFIG_TRANSPORTS_H
#define GROUP_TEST_CONFIG_TRANSPORTS_H

#include "../transport/transport.h"
#include "settings.h"

/* A default of JGroups for what a stack leaves out. */
struct transports_default {
	const char *key, *value;
};

struct transports_row {
	const char *name; /* the name of a variant of transport_open */
	const char *const
		*classes; /* of perf.Test, without their package, NULL-terminated; may be NULL */
	/* ends with a key of NULL; may be NULL */
	const struct transports_default *stack_defaults;
	bool java; /* members with --protocol=jgroups3 can use it */
	/*
	 * Fills this transport's own part of @plan, whose common fields are set: addresses, and
	 * checks the sizes. Returns 0, or -errno with @fault; NULL: nothing to do.
	 */
	int (*plan)(struct transport_plan *plan, const struct settings *settings,
		    struct np_fault *fault);
	/* Refuses what Java members cannot do over it, and sets what they all do; NULL: nothing. */
	int (*plan_java)(struct settings *settings, const struct np_log *log,
			 struct np_fault *fault);
};

/* Finds it by its name or, setting *@class, by a class of perf.Test; NULL: there is none. */
const struct transports_row *transports_find(const char *text, const char **class);

/*
 * Fills bind; the option @bind overrides the settings; NULL: not given. Checks that the device
 * exists, too. Returns 0, or -errno with @fault, which names the line or option at fault.
 */
int transports_resolve_own(struct transport_plan *plan, const char *bind,
			   const struct settings *settings, struct np_fault *fault);

#endif
