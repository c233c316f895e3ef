/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* rows: the interval records of flows. To be called by the flow's listener only. */
#ifndef DATAGRAM_TEST_ROWS_H
#define DATAGRAM_TEST_ROWS_H

#include "flow.h"
#include "report.h"

/*
 * Writes what was counted since the flow's last row; a count may be negative: see netperf-json(5).
 */
void rows_write(struct reporter *reporter, const struct np_address *listener, struct flow *flow);

/* The flow is over: writes the last row, if rows are wanted and anything is left. */
void rows_write_rest(struct reporter *reporter, const struct np_address *listener,
		     struct flow *flow);

#endif
