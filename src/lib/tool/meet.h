/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* meet: the end of a run of ranks, which a test has without its beginning. */
#pragma once

#include <netperf/tool.h>

/*
 * The last step: creates ->mesh, lets the program measure, and gathers the results until
 * ->deadline. Then rank 0 reports on all: text, records and, on the log, missing ranks, and pairs
 * that sent nothing or whose results are incomplete; the other ranks report nothing. If rank 0 is
 * gone (@connected is false, or it turns out here), each rank prints its own results as text.
 * Returns the exit status: 0, or 1 if something was logged or rank 0 is gone, or for a loss above
 * the limit.
 */
int meet_end(struct np_meet *meet, bool connected);

/* Leaves the launch, after the summary of a run of that exit status, and frees what is in @meet. */
void meet_close(struct np_meet *meet, int status);
