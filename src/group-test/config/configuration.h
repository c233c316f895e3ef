/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* configuration: reads the files that the options name, and combines what they ask for. */
#ifndef GROUP_TEST_CONFIG_CONFIGURATION_H
#define GROUP_TEST_CONFIG_CONFIGURATION_H

#include "options.h"
#include "settings.h"
#include "stack.h"

struct configuration {
	struct config_file file;       /* -config */
	struct config_file properties; /* -props, lines */
	struct stack stack;	       /* -props, XML */
	struct settings settings;      /* points into these */
};

/*
 * Reads -config, and -props, a stack or lines (with a Java JGroupsTransport also the file's own key
 * props). Logs to @log what has no effect. Returns 0, or -errno with @fault. Call
 * configuration_free in any case.
 */
int configuration_load(struct configuration *configuration, const struct options *options,
		       const struct np_log *log, struct np_fault *fault);
void configuration_free(struct configuration *configuration);

#endif
