/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* session: a whole run of the program, from the open link to the exit status. */
#ifndef AOE_EXERCISE_SESSION_H
#define AOE_EXERCISE_SESSION_H

#include "options.h"

/* Exercises the target. Returns the exit status. */
int session_exercise(const struct options *options, const struct np_log *log);

/* Lists the targets that answer on an interface. Returns the exit status. */
int session_list(const struct options *options, const struct np_log *log);

#endif
