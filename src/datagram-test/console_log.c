// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_log: the table that -log asks for. */
#include "console.h"

#include "console_figures.h"

#include <inttypes.h>

void console_log_heading(FILE *out)
{
	fputs("publisher\tduration ms\tpacket size\tthroughput mb/sec\tthroughput packets/sec\t"
	      "sent packets\treceived packets\tmissing packets\tsuccess rate\tout of order\t"
	      "avg out of order offset\tgaps\tavg gap size\tavg gap time ms\tavg ack ms\t"
	      "kind\tduplicates\tdamaged\tlost before\tdelay p50 ns\tdelay p99 ns\n",
	      out);
}

static void put_counts(FILE *out, const uint64_t *counts, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fprintf(out, "%" PRIu64 "\t", counts[i]);
}

static void put_rate(FILE *out, const struct np_flow_counts *c)
{
	struct console_rate rate = console_rate(c->elapsed, c->bytes, c->received);

	if (rate.known)
		fprintf(out, "%" PRId32 "\t%" PRId32 "\t", rate.mib_per_s, rate.packets_per_s);
	else
		fputs("-1\t-1\t", out);
}

static void put_original(FILE *out, const struct np_flow_counts *c, const struct flow_acks *acks)
{
	uint64_t gap_ms = (uint64_t)(c->order.gap_time / NP_MILLISECOND);
	const uint64_t size[] = {
		(uint64_t)(c->elapsed / NP_MILLISECOND),
		console_average(c->bytes, c->received),
	};
	const uint64_t loss[] = {c->sent, c->received, c->lost};
	const uint64_t order[] = {
		c->reordered,
		console_average(c->order.offset_sum, c->reordered),
		c->order.gaps,
		console_average(c->order.gap_packets, c->order.gaps),
		console_average(gap_ms, c->order.gaps),
	};
	char text[NP_DECIMAL_TEXT];

	put_counts(out, size, 2);
	put_rate(out, c);
	put_counts(out, loss, 3);
	fprintf(out, "%s\t", console_success(c, text));
	put_counts(out, order, 5);
	fprintf(out, "%s\t", console_ack_ms(acks, text));
}

static void put_ours(FILE *out, const struct flow *flow, const struct np_flow_counts *c)
{
	const uint64_t counts[] = {c->duplicates, c->damaged, c->missed_before};
	struct np_histogram_figures delay;

	put_counts(out, counts, 3);
	if (flow_delay(flow, &delay))
		fprintf(out, "%" PRId64 "\t%" PRId64 "\n", delay.p50, delay.p99);
	else
		fputs("unknown\tunknown\n", out);
}

void console_log_row(FILE *out, const struct flow *flow, const struct flow_figures *figures,
		     const char *kind)
{
	char text[NP_ADDRESS_TEXT];

	fprintf(out, "%s\t", np_address_format(&flow->printed, text));
	put_original(out, &figures->counts, &figures->acks);
	fprintf(out, "%s\t", kind);
	put_ours(out, flow, &figures->counts);
}
