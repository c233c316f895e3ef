/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * session: a whole run of the program over a network, from resolving addresses to the exit status.
 */
#ifndef TTCP_SESSION_H
#define TTCP_SESSION_H

#include "config/options.h"

/* TASK_RECEIVE, TASK_TRANSMIT and TASK_MONITOR. Returns the exit status. */
int session_run(const struct options *options, const struct np_log *log);

#endif
