/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record: the figures as JSON, under the names of netperf-json(5). */
#ifndef GROUP_TEST_REPORT_RECORD_H
#define GROUP_TEST_REPORT_RECORD_H

#include "../config/options.h"
#include "../config/settings.h"
#include "../transport/transport.h"
#include "../wire/result.h"

#include <netperf/process.h>
#include <netperf/report.h>

/* The "start" record: options, settings, transport. */
struct np_record *record_start(const struct options *options, const struct settings *settings,
			       const struct transport *transport);

/* An "interval": what this member received from all senders since the last one. */
struct np_record *record_interval(unsigned run, np_time at, const struct np_flow_counts *counts,
				  bool numbered);

/*
 * A "result": one run, with the matrix of receivers and senders. Unless @numbered (not with
 * jgroups3), only the sum over all senders is known, without duplicates and order.
 */
struct np_record *record_result(const struct result *result, bool numbered);

/* The "summary": the latest run's sums and averages, and what disturbed it. */
struct np_record *record_summary(const struct result *result, bool numbered,
				 const struct transport_info *info,
				 const struct transport_stats *stats, const struct np_usage *usage);

#endif
