/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh: a run between the ranks that a launcher starts: one report, by rank 0. */
#ifndef DATAGRAM_TEST_MESH_H
#define DATAGRAM_TEST_MESH_H

#include "session_state.h"

/* Runs it, with all listeners open. Returns the exit status. */
int mesh_run(struct session *s);

#endif
