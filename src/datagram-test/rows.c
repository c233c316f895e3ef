// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* rows: a flow's interval records, which sum to the figures of its life. */
#include "rows.h"

#include "record.h"

/* Modulo 2^64: what comes late takes back a loss. The extent_max stays that of the life. */
static void take_off(struct flow_figures *now, const struct flow_figures *before)
{
	now->packets -= before->packets;
	now->bytes -= before->bytes;
	now->heads -= before->heads;
	now->sent -= before->sent;
	now->received -= before->received;
	now->missing -= before->missing;
	now->unsent -= before->unsent;
	now->damaged -= before->damaged;
	now->duplicates -= before->duplicates;
	now->reordered -= before->reordered;
	now->old -= before->old;
	now->late -= before->late;
	now->outside -= before->outside;
	now->offset_sum -= before->offset_sum;
	now->gaps -= before->gaps;
	now->gap_packets -= before->gap_packets;
	now->gap_time -= before->gap_time;
	now->extent_sum -= before->extent_sum;
	if (before->end)
		now->elapsed = now->end - before->end;
}

static bool is_empty(const struct flow_figures *f)
{
	return !(f->packets | f->bytes | f->sent | f->received | f->missing | f->damaged);
}

void rows_write(struct reporter *reporter, const struct np_address *listener, struct flow *flow)
{
	struct flow_figures life, span;

	flow_life(flow, &life);
	span = life;
	take_off(&span, &flow->rowed);
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
	take_off(&span, &flow->rowed);
	if (!flow->has_rows || !is_empty(&span))
		rows_write(reporter, listener, flow);
}
