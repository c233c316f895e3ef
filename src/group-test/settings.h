/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settings: what config.txt, -props and the options together ask for: each key with its meaning,
 * range and default, one table row a key. Options win over properties, they over the file.
 */
#ifndef GROUP_TEST_SETTINGS_H
#define GROUP_TEST_SETTINGS_H

#include "config_file.h"
#include "fault.h"

#include <netperf/log.h>
#include <stdbool.h>
#include <stdint.h>

/* What every member must have alike. */
struct group_settings {
	uint64_t num_msgs;
	uint64_t msg_size;
	uint64_t num_members;
	uint64_t num_senders;
};

/* Where and how this member sends and receives; texts point into the configs. */
struct transport_settings {
	const char
		*transport;  /* udp, tcp, mqtt, overlay, null; Java class names have become them */
	const char *lineage; /* the Java class as it was given, or NULL */
	const char *bind_addr, *bind_interface;
	const char *mcast_addr; /* 239.3.4.5 */
	uint64_t mcast_port;	/* 7500 */
	uint64_t ttl;		/* 1 */
	const char *cluster;
	uint64_t start_port; /* 7800; srv_port wins */
	const char *broker, *topic, *user, *password_file;
	uint64_t receive_bytes, send_bytes; /* 0: the transport's choice */
};

struct settings {
	struct group_settings group;
	struct transport_settings transport;
	uint64_t log_interval; /* num_msgs / 10, at least 1 */
	uint64_t processing_delay_ms;
	const char *name; /* logical name; said to have no effect */
	bool dump_transport_stats;
};

/*
 * Fills @settings from @file and, over it, @properties (either may be NULL): defaults, ranges,
 * required keys. Lineage keys without effect are noted to @log, unknown ones warned of. Returns 0
 * or -EINVAL with @fault ("FILE:LINE", key, what would be right). The configs must outlive it.
 */
int settings_apply(struct settings *settings, const struct config_file *file,
		   const struct config_file *properties, const struct np_log *log,
		   struct fault *fault);

#endif
