/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transports: what the settings say to each transport, a row each: its names, its addresses, what
 * it cannot carry. A new one has a row here and its variant in ../transport/. Pure, but for names
 * of hosts that are resolved.
 */
#ifndef GROUP_TEST_CONFIG_TRANSPORTS_H
#define GROUP_TEST_CONFIG_TRANSPORTS_H

#include "../transport/transport.h"
#include "settings.h"

/* What a JGroups stack leaves to JGroups. */
struct transports_default {
	const char *key, *value;
};

struct transports_row {
	const char *name; /* of a variant of transport_open */
	const char *const
		*classes; /* of perf.Test, without package, NULL-terminated; may be NULL */
	/* Ends with a key of NULL; may be NULL. */
	const struct transports_default *stack_defaults;
	bool java; /* members of the protocol jgroups3 may speak over it */
	/*
	 * Fills what is this transport's own in @plan, whose common fields are there: addresses,
	 * and whether the sizes can be had. 0, or -errno with @fault; NULL: there is nothing.
	 */
	int (*plan)(struct transport_plan *plan, const struct settings *settings,
		    struct np_fault *fault);
	/* What Java members of it cannot do, and what they all do; NULL: nothing. */
	int (*plan_java)(struct settings *settings, const struct np_log *log,
			 struct np_fault *fault);
};

/* By its name or, with *@class set, by a class of perf.Test; NULL: there is none. */
const struct transports_row *transports_find(const char *text, const char **class);

#endif
