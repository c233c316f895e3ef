/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * plan: turns options and settings into what a transport and a member are opened with. Pure, except
 * that host names are resolved.
 */
#ifndef GROUP_TEST_CONFIG_PLAN_H
#define GROUP_TEST_CONFIG_PLAN_H

#include "../member/member.h"
#include "../transport/transport.h"
#include "options.h"
#include "settings.h"

/*
 * What the settings mean to a transport: its names, its addresses, what it cannot carry. A new
 * transport has a row of this in plan.c and its variant in ../transport/.
 */

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

struct plan {
	struct transport_plan transport; /* its cluster is owned by the plan */
	struct member_plan member;
};

/*
 * Resolves names and checks what depends on the transport and the protocol. Returns 0, or -errno
 * with @fault. Call plan_free in any case. The plan's texts belong to the options and the settings.
 */
int plan_make(struct plan *plan, const struct options *options, const struct settings *settings,
	      const struct np_log *log, struct np_fault *fault);

/*
 * The flow control in use, "credit" or "none"; NULL where none is needed: a transport without loss,
 * or jgroups3.
 */
const char *plan_flow_control(const struct options *options, const struct transport_info *info);

/*
 * Completes the plan with what only the open transport knows. Returns 0, or -EINVAL with @fault
 * when it has no room for a message of each sender, so that no flow control can prevent loss.
 */
int plan_complete(struct plan *plan, const struct options *options, const struct settings *settings,
		  const struct transport_info *info, struct np_fault *fault);

/* Fills in how to know DATA among what is dropped, or why that is not possible. */
void plan_drops(struct plan *plan, const struct options *options, const struct settings *settings);

void plan_free(struct plan *plan);

#endif
