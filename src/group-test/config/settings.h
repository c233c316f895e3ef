/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * settings: what config.txt, -props and the options together ask for: each key with its meaning,
 * range and default, a table row for each. Options override properties, and these override the
 * file.
 */
#pragma once

#include "../member/member.h"
#include "../transport/transport.h"
#include "config_file.h"
#include "options.h"

/*
 * Options and keys are read into the plans of the member and the transport, where these have a
 * place for them; plan_make completes both. The texts belong to the configurations and the options,
 * NULL: not given.
 */
struct settings {
	struct config_file lines; /* of -config, then of -props, or what a JGroups stack says */
	const char *config;	  /* the name of the former */
	const char *stack;	  /* "udp" or "tcp": the stack's transport; NULL: none */
	/* The members are the ranks of a launcher: num_members, num_senders may be missing (0) */
	bool mesh;
	struct member_plan member;
	struct transport_plan transport; /* its variant: as given, then the name of @row */
	const struct transports_row *row;
	/* In use: "credit" or "none"; NULL: a transport without loss, and jgroups3, need none */
	const char *flow_control;
	const char *lineage; /* the Java class without its package, or NULL */
	const char *bind_addr;
	const char *mcast_addr; /* 239.3.4.5; 228.8.8.8 with JGroupsTransport and a stack of UDP */
	uint64_t mcast_port;	/* 7500; then 7600 */
	uint64_t ttl;		/* 1; then 8 */
	const char *cluster;
	uint64_t processing_delay_ms;
	const char *props; /* from the file; the option overrides it */
	const char *name;  /* logical name; reported as without effect */
	bool dump_transport_stats;
	char example[PATH_MAX]; /* the path of such a file that the file's own props names */
};

/*
 * Reads -config, and -props, a stack or lines (with a Java JGroupsTransport also the file's own key
 * props), and applies them. Returns 0, or -errno with @fault. Call settings_free in any case.
 */
int settings_load(struct settings *settings, const struct options *options,
		  const struct np_log *log, struct np_fault *fault);
void settings_free(struct settings *settings);

enum settings_source {
	SETTINGS_CONFIG, /* lines */
	SETTINGS_PROPS,	 /* lines or an XML stack */
	SETTINGS_STACK,	 /* a stack as one string */
};

/*
 * A part of settings_load: reads @bytes of @text, NUL-terminated for SETTINGS_STACK, from the file
 * @name, which is not copied; logs what of a stack is not used. Returns 0, or -errno with @fault.
 */
int settings_read(struct settings *settings, enum settings_source source, const char *name,
		  const char *text, size_t bytes, const struct np_log *log, struct np_fault *fault);

/*
 * Its last part: sets all else from the file and the properties or the stack, which override it:
 * defaults, ranges, required keys. Logs lineage keys without effect and warns of unknown ones.
 * Returns 0, or -EINVAL with @fault ("FILE:LINE", the key, what would be right).
 */
int settings_apply(struct settings *settings, const struct np_log *log, struct np_fault *fault);

/* Whether the file or the properties have @key. */
bool settings_given(const struct settings *settings, const char *key);

/*
 * Sets the fault of the line that gave @key its value: "FILE:LINE", "KEY 'VALUE': ...". Returns
 * -EINVAL.
 */
__attribute__((format(printf, 4, 5))) int settings_wrong(const struct settings *settings,
							 struct np_fault *fault, const char *key,
							 const char *format, ...);

/* True for the Java transports that take their addresses from a JGroups stack. */
bool settings_is_jgroups(const struct settings *settings);

/*
 * plan.c: completes what a transport and a member are opened with. Pure, except that host names are
 * resolved.
 */

/*
 * What the settings mean to a transport: its names, its addresses, what it cannot carry. A new
 * transport has a row of this in plan.c and its variant in ../transport/.
 */

struct transports_row {
	const char *name;	/* the name of a variant of transport_open */
	const char *classes[2]; /* of perf.Test, without their package */
	bool java;		/* members with --protocol=jgroups3 can use it */
	bool mesh;		/* ranks can use it */
	/*
	 * Fills this transport's own part of its plan, whose common fields are set: addresses, and
	 * checks the sizes, also for Java members. Returns 0, or -errno with @fault; NULL: nothing
	 * to do.
	 */
	int (*plan)(struct settings *settings, const struct np_log *log, struct np_fault *fault);
};

/* Finds it by its name or, setting *@class, by a class of perf.Test; NULL: there is none. */
const struct transports_row *transports_find(const char *text, const char **class);

/*
 * Completes the plans: resolves names and checks what depends on the transport and the protocol.
 * Returns 0, or -errno with @fault.
 */
int plan_make(struct settings *settings, const struct options *options, const struct np_log *log,
	      struct np_fault *fault);

/*
 * Completes the member's plan with what only the open transport knows. Returns 0, or -EINVAL with
 * @fault when it has no room for a message of each sender, so that no flow control can prevent
 * loss.
 */
int plan_complete(struct settings *settings, const struct options *options,
		  const struct transport_info *info, struct np_fault *fault);
