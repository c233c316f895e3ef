/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh: a run between the ranks that a launcher starts: one report, by rank 0. */
#ifndef TTCP_MESH_MESH_H
#define TTCP_MESH_MESH_H

#include "../session/session_state.h"

#include <netperf/tool.h>

/* Runs it; privileges are dropped. Returns the exit status. */
int mesh_run(struct np_run *run, struct session *s);

#endif
