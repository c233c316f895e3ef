// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* flow_record: adds the counts of flows under the names of netperf-json(5). */
#include <math.h>
#include <netperf/flow.h>
#include <netperf/report.h>
#include <netperf/units.h>
#include <stdio.h>

#define NAME_ROOM 64

static const char *name_of(const char *count, const char *noun, char out[NAME_ROOM])
{
	snprintf(out, NAME_ROOM, "%s_%s", count, noun);
	return out;
}

/* In an interval it may be negative. */
static void add(struct np_record *r, const char *name, uint64_t value)
{
	np_record_difference(r, name, (int64_t)value);
}

static void add_order(struct np_record *r, const char *noun, const struct np_flow_order *order)
{
	char name[NAME_ROOM];

	add(r, name_of("offset_sum", noun, name), order->offset_sum);
	add(r, name_of("extent_sum", noun, name), order->extent_sum);
	add(r, name_of("extent_max", noun, name), order->extent_max);
	add(r, "gaps", order->gaps);
	add(r, name_of("gaps", noun, name), order->gap_packets);
	add(r, "gaps_ns", (uint64_t)order->gap_time);
}

void np_record_rates(struct np_record *record, const char *noun, uint64_t messages, uint64_t bytes,
		     np_time elapsed, double share)
{
	const double rate = !messages || (share > 0 && elapsed > 0) ? share : NAN;
	char name[NAME_ROOM];

	np_record_count(record, "bytes", bytes);
	np_record_time(record, "elapsed_ns", elapsed);
	np_record_number(record, "rate_bytes_per_s", rate * np_units_rate(bytes, elapsed));
	snprintf(name, sizeof(name), "rate_%s_per_s", noun);
	np_record_number(record, name, rate * np_units_rate(messages, elapsed));
}

static void add_numbered(struct np_record *r, const char *noun, const struct np_flow_counts *c,
			 unsigned what)
{
	char name[NAME_ROOM];

	add(r, name_of("sent", noun, name), c->sent);
	add(r, name_of("received", noun, name), c->received);
	add(r, name_of("lost", noun, name), c->lost);
	add(r, name_of("duplicates", noun, name), c->duplicates);
	add(r, name_of("reordered", noun, name), c->reordered);
	add(r, name_of("late", noun, name), c->late);
	add(r, name_of("stray", noun, name), c->stray);
	if (what & NP_FLOW_DAMAGE) {
		add(r, name_of("damaged", noun, name), c->damaged);
		add(r, name_of("unsent", noun, name), c->unsent);
	}
	if (what & NP_FLOW_ORDER)
		add_order(r, noun, &c->order);
	if (what & NP_FLOW_WHOLE) {
		add(r, name_of("missed_before", noun, name), c->missed_before);
		np_record_flag(r, "end_known", c->sent_known);
	}
}

void np_record_flow(struct np_record *record, const char *noun, const struct np_flow_counts *counts,
		    unsigned what)
{
	char name[NAME_ROOM];

	if (what & NP_FLOW_BARE)
		add(record, name_of("received", noun, name), counts->received);
	else
		add_numbered(record, noun, counts, what);
	if (what & NP_FLOW_SUMS)
		np_record_count(record, "bytes", counts->bytes);
	else
		np_record_rates(record, noun, counts->received, counts->bytes, counts->elapsed,
				np_flow_counts_share(counts));
}

void np_record_loss(struct np_record *record, const char *noun, const struct np_loss *loss,
		    const struct np_flow_counts *counts)
{
	char name[NAME_ROOM];

	np_record_count(record, name_of("lost_path", noun, name), loss->path);
	np_record_count(record, name_of("lost_host", noun, name), loss->host);
	np_record_count(record, name_of("lost_unattributed", noun, name), loss->unattributed);
	np_record_flag(record, "exact",
		       loss->exact && (!counts->sent || np_flow_counts_exact(counts)));
}
