/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report_log: a log for reports that keeps the reason of a failure and prints nothing. */
#pragma once

#include "src/lib/base/log.h"
#include <stdio.h>

static inline const struct np_log *report_log(void)
{
	static struct np_log_reason reason;
	static struct np_log log = {.program = "test", .reason = &reason};

	if (!log.stream)
		log.stream = fopen("/dev/null", "we");
	return &log;
}
