// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_log: the tabular report that -log asks for. */
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

static void put_rate(FILE *out, const struct flow_figures *f)
{
	struct console_rate rate = console_rate(f->elapsed, f->bytes, f->received);

	if (rate.known)
		fprintf(out, "%" PRId32 "\t%" PRId32 "\t", rate.mib_per_s, rate.packets_per_s);
	else
		fputs("-1\t-1\t", out);
}

static void put_original(FILE *out, const struct flow_figures *f)
{
	uint64_t gap_ms = (uint64_t)(f->gap_time / NP_MILLISECOND);
	const uint64_t size[] = {
		(uint64_t)(f->elapsed / NP_MILLISECOND),
		console_average(f->bytes, f->received),
	};
	const uint64_t loss[] = {f->sent, f->received, f->missing};
	const uint64_t order[] = {
		f->reordered,
		console_average(f->offset_sum, f->reordered),
		f->gaps,
		console_average(f->gap_packets, f->gaps),
		console_average(gap_ms, f->gaps),
	};
	char text[NP_DECIMAL_TEXT];

	put_counts(out, size, 2);
	put_rate(out, f);
	put_counts(out, loss, 3);
	fprintf(out, "%s\t", console_success(f, text));
	put_counts(out, order, 5);
	fprintf(out, "%s\t", console_ack_ms(f, text));
}

static void put_ours(FILE *out, const struct flow *flow, const struct flow_figures *f)
{
	const uint64_t counts[] = {f->duplicates, f->damaged, f->missing_before};

	put_counts(out, counts, 3);
	if (flow->delay && np_histogram_count(flow->delay))
		fprintf(out, "%" PRId64 "\t%" PRId64 "\n", np_histogram_percentile(flow->delay, 50),
			np_histogram_percentile(flow->delay, 99));
	else
		fputs("unknown\tunknown\n", out);
}

void console_log_row(FILE *out, const struct flow *flow, const struct flow_figures *figures,
		     const char *kind)
{
	char text[NP_ADDRESS_TEXT];

	fprintf(out, "%s\t", np_address_format(&flow->printed, text));
	put_original(out, figures);
	fprintf(out, "%s\t", kind);
	put_ours(out, flow, figures);
}
