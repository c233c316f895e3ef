/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session: a whole run of the program, from the configuration to the exit status. */
#ifndef GROUP_TEST_SESSION_H
#define GROUP_TEST_SESSION_H

#include "config/options.h"

/*
 * One thread runs the transport, ticks the member and, with one lane, sends; with --threads N > 1,
 * N more threads send, all under one lock that is free while the first one sleeps. Returns the exit
 * status.
 */
int session_run(const struct options *options, const struct np_log *log);

#endif
