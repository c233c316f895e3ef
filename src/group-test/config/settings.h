/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * settings: what config.txt, -props and the options together ask for: each key with its meaning,
 * range and default, one table row a key. Options win over properties, they over the file.
 */
#ifndef GROUP_TEST_CONFIG_SETTINGS_H
#define GROUP_TEST_CONFIG_SETTINGS_H

#include "config_file.h"

#include <netperf/fault.h>
#include <netperf/log.h>
#include <stdbool.h>
#include <stdint.h>

/* What every member must have alike. */
struct group_settings {
	uint64_t num_msgs; /* 0: as many as --duration lets */
	uint64_t msg_size; /* bytes */
	uint64_t num_members;
	uint64_t num_senders;
};

/* Where and how this member sends and receives; texts point into the configs, NULL: not given. */
struct transport_settings {
	const char *transport; /* udp, tcp, mqtt, overlay, null; Java classes have become them */
	const char *lineage;   /* the Java class without its package, or NULL */
	const char *bind_addr, *bind_interface;
	const char *mcast_addr; /* 239.3.4.5; 228.8.8.8 with JGroupsTransport and a stack of UDP */
	uint64_t mcast_port;	/* 7500; then 7600 */
	uint64_t ttl;		/* 1; then 8 */
	const char *cluster;
	uint64_t start_port; /* 7800; srv_port wins */
	const char *broker, *topic, *user, *password_file;
	uint64_t receive_bytes, send_bytes; /* 0: the transport's choice */
};

/* What the settings came from, and what the options say to them. */
struct settings_sources {
	const struct config_file *file;
	const struct config_file *properties; /* -props; may be NULL */
	const char *properties_transport;     /* "udp", "tcp": the stack's; may be NULL */
	bool duration;			      /* --duration: num_msgs may be left out */
};

struct settings {
	struct settings_sources sources;
	struct group_settings group;
	struct transport_settings transport;
	uint64_t log_interval; /* num_msgs / 10, at least 1; 0: no lines */
	uint64_t processing_delay_ms;
	bool log_doubling; /* no log_interval, and no number of messages to take a tenth of */
	const char *props; /* what the file says; the option wins */
	const char *name;  /* logical name; said to have no effect */
	bool dump_transport_stats;
};

/*
 * Fills @settings from the file and, over it, the properties: defaults, ranges, required keys.
 * Lineage keys without effect are noted to @log, unknown ones warned of. Returns 0 or -EINVAL with
 * @fault ("FILE:LINE", key, what would be right). The sources must outlive it.
 */
int settings_apply(struct settings *settings, const struct settings_sources *sources,
		   const struct np_log *log, struct np_fault *fault);

/* A fault of the line that gave @key its value: "FILE:LINE", "KEY 'VALUE': ...". Returns -EINVAL.
 */
__attribute__((format(printf, 4, 5))) int settings_wrong(const struct settings *settings,
							 struct np_fault *fault, const char *key,
							 const char *format, ...);

/* True for the Java transports whose addresses are those of a JGroups stack. */
bool settings_is_jgroups(const struct settings *settings);

#endif
