/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * result_block: the result of a run as all programs print it: what this member received, by sender,
 * and what the others confirmed of what it sent.
 */
#ifndef GROUP_TEST_REPORT_RESULT_BLOCK_H
#define GROUP_TEST_REPORT_RESULT_BLOCK_H

#include "../config/options.h"
#include "../config/settings.h"
#include "../transport/transport.h"
#include "../wire/result.h"

#include <netperf/result.h>
#include <stdio.h>

struct result_block_style {
	const struct options *options;
	const struct settings *settings;
	const struct transport_info *transport;
	struct np_block_full *full; /* --report=full: the intervals, to which it adds; else NULL */
};

/* Prints nothing of a group that did not form. */
void result_block(FILE *out, const struct result_block_style *style, const struct result *result);

#endif
