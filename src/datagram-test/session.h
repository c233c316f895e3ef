/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session: a whole run of the program, from resolving addresses to the exit status. */
#ifndef DATAGRAM_TEST_SESSION_H
#define DATAGRAM_TEST_SESSION_H

#include "options.h"

/* Returns the exit status. */
int session_run(const struct options *options, const struct np_log *log);

#endif
