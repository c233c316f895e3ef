// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* rows: a flow's interval records, which sum to the figures of its life. */
#include "rows.h"

#include "record.h"

void rows_write(struct reporter *reporter, const struct np_address *listener, struct flow *flow)
{
	struct flow_figures life, span;

	flow_life(flow, &life);
	span = life;
	flow_figures_since(&span, &flow->rowed);
	flow->rowed = life;
	flow->has_rows = true;
	report_record(reporter, record_interval(listener, flow, &span));
}

void rows_write_rest(struct reporter *reporter, const struct np_address *listener,
		     struct flow *flow)
{
	struct flow_figures span;

	if (!report_wants_rest(reporter))
		return;
	flow_life(flow, &span);
	flow_figures_since(&span, &flow->rowed);
	if (!flow->has_rows || !np_flow_counts_empty(&span.counts))
		rows_write(reporter, listener, flow);
}
