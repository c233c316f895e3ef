/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh: many clients at one target, the ranks that a launcher starts: one report, by rank 0. */
#ifndef AOE_EXERCISE_MESH_H
#define AOE_EXERCISE_MESH_H

#include "session_state.h"

/* Runs it, with all opened and without privileges. Returns the exit status. */
int mesh_run(struct session *s);

#endif
