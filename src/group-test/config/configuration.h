/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* configuration: the files the options name, read, and what they ask for together. */
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
 * Reads -config, and -props (with a Java JGroupsTransport also the file's own key of that name), a
 * stack or lines. What has no effect is said to @log. Returns 0 or -errno with @fault.
 * configuration_free in any case.
 */
int configuration_load(struct configuration *configuration, const struct options *options,
		       const struct np_log *log, struct np_fault *fault);
void configuration_free(struct configuration *configuration);

#endif
