/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* record: the JSON records of aoe-exercise, documented in netperf-json(5). */
#ifndef AOE_EXERCISE_RECORD_H
#define AOE_EXERCISE_RECORD_H

#include "report.h"

/* Each returns a record to be handed to np_report_write, or NULL when out of memory. */
struct np_record *record_start(const struct reporter *reporter);
struct np_record *record_interval(const struct reporter *reporter, const struct result *life,
				  const struct tally *now, np_time length);
struct np_record *record_step(const struct reporter *reporter, const struct result *result);
struct np_record *record_summary(const struct reporter *reporter, const struct result *result,
				 int knee_window);
struct np_record *record_target(const struct target *target);

/* The word for it, as in netperf-json(5). */
const char *record_ending(enum ending ending);

#endif
