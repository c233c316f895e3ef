/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * settings: what config.txt, -props and the options together ask for: each key with its meaning,
 * range and default, a table row for each. Options override properties, and these override the
 * file.
 */
#ifndef GROUP_TEST_CONFIG_SETTINGS_H
#define GROUP_TEST_CONFIG_SETTINGS_H

#include "config_file.h"
#include "options.h"

#include <netperf/log.h>
#include <stdbool.h>
#include <stdint.h>

/* What must be the same for every member. */
struct group_settings {
	uint64_t num_msgs; /* 0: --duration decides */
	uint64_t msg_size; /* bytes */
	uint64_t num_members;
	uint64_t num_senders;
};

/*
 * Where and how this member sends and receives; the texts belong to the configurations, NULL: not
 * given.
 */
struct transport_settings {
	const char
		*transport;  /* udp, tcp, mqtt, overlay or null; Java classes have been replaced */
	const char *lineage; /* the Java class without its package, or NULL */
	const char *bind_addr, *bind_interface;
	const char *mcast_addr; /* 239.3.4.5; 228.8.8.8 with JGroupsTransport and a stack of UDP */
	uint64_t mcast_port;	/* 7500; then 7600 */
	uint64_t ttl;		/* 1; then 8 */
	const char *cluster;
	uint64_t start_port; /* 7800; srv_port overrides it */
	const char *broker, *topic, *user, *password_file;
	const char *overlay_file;	    /* RunServerSocket.xml, as HyperCast */
	const char *overlay_group;	    /* group-test */
	uint64_t receive_bytes, send_bytes; /* 0: the transport's choice */
};

struct settings {
	struct config_file file;       /* -config */
	struct config_file properties; /* -props, lines, or what a JGroups stack says */
	const char *stack;	       /* "udp" or "tcp": the stack's transport; NULL: none */
	bool duration;		       /* --duration was given: num_msgs may be missing */
	/* The members are the ranks of a launcher: num_members, num_senders may be missing (0) */
	bool mesh;
	struct group_settings group;
	struct transport_settings transport;
	uint64_t log_interval; /* num_msgs / 10, at least 1; 0: no lines */
	uint64_t processing_delay_ms;
	bool log_doubling; /* neither log_interval nor a number of messages was given: lines at
			      doubling counts */
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

#endif
