/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* launch_warnings: carries the warnings of all ranks to rank 0, which prints equal ones once. */
#ifndef LIB_LAUNCH_WARNINGS_H
#define LIB_LAUNCH_WARNINGS_H

#include "launch_hub.h"
#include "launch_spoke.h"

#include <netperf/launch.h>

/* Sends those that wait in @log, which may be NULL, to rank 0. Returns 0 or -errno. */
int warnings_send(struct spoke *spoke, const struct np_log *log, np_time deadline);

/* As hub_collect, and prints the warnings of all ranks, @log's among them. */
int warnings_collect(struct hub *hub, np_launch_take take, void *context, np_time deadline,
		     const struct np_log *log);

#endif
