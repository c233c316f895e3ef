/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* rows: the interval records of flows. Only the flow's listener calls. */
#ifndef DATAGRAM_TEST_ROWS_H
#define DATAGRAM_TEST_ROWS_H

#include "flow.h"
#include "report.h"

/* What was counted since the flow's last row, though it be fewer: see netperf-json(5). */
void rows_write(struct reporter *reporter, const struct np_address *listener, struct flow *flow);

/* The flow is over: a row of what is left, where rows are wanted and there is any. */
void rows_write_rest(struct reporter *reporter, const struct np_address *listener,
		     struct flow *flow);

#endif
