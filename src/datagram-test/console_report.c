// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_report: the listener's Lifetime and Now blocks. */
#include "console.h"

#include "console_figures.h"
#include "console_time.h"

#include <inttypes.h>

static void put_label(FILE *out, const char *label)
{
	fprintf(out, "\t%12s: ", label);
}

static void put_count(FILE *out, const char *label, uint64_t count)
{
	put_label(out, label);
	fprintf(out, "%" PRIu64 "\n", count);
}

static void put_ms(FILE *out, const char *label, uint64_t ms)
{
	put_label(out, label);
	fprintf(out, "%" PRIu64 "ms\n", ms);
}

static void put_throughput(FILE *out, const struct np_flow_counts *c)
{
	struct console_rate rate = console_rate(c->elapsed, c->bytes, c->received);

	put_label(out, "throughput");
	if (rate.known)
		fprintf(out, "%" PRId32 " MB/sec\n\t%14s%" PRId32 " packets/sec\n", rate.mib_per_s,
			"", rate.packets_per_s);
	else
		fprintf(out, "NaN\n\t%14sNaN\n", "");
}

/* @one: a single flow, which has a packet size; else the sum of several. */
static void put_figures(FILE *out, const struct np_flow_counts *c, bool one)
{
	char text[NP_DECIMAL_TEXT];

	put_ms(out, "elapsed", (uint64_t)(c->elapsed / NP_MILLISECOND));
	if (one)
		put_count(out, "packet size", console_average(c->bytes, c->received));
	put_throughput(out, c);
	put_label(out, "received");
	fprintf(out, "%" PRIu64 " of %" PRIu64 "\n", c->received, c->sent);
	put_count(out, "missing", c->lost);
	put_label(out, "success rate");
	fprintf(out, "%s\n", console_success(c, text));
	put_count(out, "out of order", c->reordered);
	put_count(out, "avg offset", console_average(c->order.offset_sum, c->reordered));
}

static void put_more(FILE *out, const struct flow_figures *f)
{
	const struct np_flow_order *o = &f->counts.order;
	uint64_t gap_ms = (uint64_t)(o->gap_time / NP_MILLISECOND);
	char text[NP_DECIMAL_TEXT];

	put_count(out, "gaps", o->gaps);
	put_count(out, "avg gap size", console_average(o->gap_packets, o->gaps));
	put_ms(out, "avg gap time", console_average(gap_ms, o->gaps));
	put_label(out, "avg ack time");
	fprintf(out, "%sms; acks %" PRIu64 "\n", console_ack_ms(&f->acks, text), f->acks.count);
}

static void put_flow(FILE *out, const struct console_style *style, const struct flow *flow,
		     const struct flow_figures *figures)
{
	char text[NP_ADDRESS_TEXT];

	fprintf(out, "Rx from publisher: %s\n", np_address_format(&flow->printed, text));
	if (style->newest) {
		put_label(out, "to listener");
		fprintf(out, "%s\n", np_address_format(style->listener, text));
	}
	put_figures(out, &figures->counts, true);
	if (!style->newest)
		return;
	put_more(out, figures);
	fputc('\n', out);
}

static void put_summary(FILE *out, size_t publishers, const struct flow_figures *sum,
			const char *completed)
{
	fprintf(out, "Rx Summary from %zu publisher(s): \n", publishers);
	put_figures(out, &sum->counts, false);
	put_more(out, sum);
	put_label(out, "completed");
	fprintf(out, "%s\n", completed);
}

static void put_end(FILE *out, const struct console_style *style, size_t publishers,
		    const struct flow_figures *sum)
{
	char completed[CONSOLE_TIME_TEXT];

	console_time(style->completed, completed);
	if (publishers > 1)
		put_summary(out, publishers, sum, completed);
	fprintf(out, "\n completed: %s\n", completed);
}

void console_rx_report(FILE *out, const struct console_style *style, const struct flows *flows,
		       bool life)
{
	struct flow_figures sum = {0}, figures;
	const struct flow *flow;

	if (life || style->newest)
		fputc('\n', out);
	fputs(life ? "Lifetime:\n" : "Now:\n", out);
	for (flow = flows_first(flows); flow; flow = flow->next) {
		if (flow->past)
			continue;
		if (life)
			flow_life(flow, &figures);
		else
			flow_now(flow, &figures);
		flow_figures_add(&sum, &figures);
		put_flow(out, style, flow, &figures);
	}
	if (style->newest)
		put_end(out, style, flows_count(flows), &sum);
}
