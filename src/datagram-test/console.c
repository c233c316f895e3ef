// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * console: the banners, the reports of both ends, the table that -log asks for, ticks and short
 * messages, with the original's arithmetic in the original's types.
 */
#include "console.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MIB	  1048576
#define TIME_TEXT 40

struct rate {
	bool known; /* false when no time elapsed */
	int32_t mib_per_s;
	int32_t packets_per_s;
};

/* Java counts whole milliseconds. */
static int32_t per_second(float amount, np_time elapsed)
{
	np_time ms = elapsed / NP_MILLISECOND;

	return np_decimal_round(amount / (float)ms * 1000.0f);
}

static struct rate rate_of(np_time elapsed, uint64_t bytes, uint64_t packets)
{
	if (elapsed < NP_MILLISECOND)
		return (struct rate){.known = false};
	return (struct rate){
		.known = true,
		.mib_per_s = per_second((float)bytes / MIB, elapsed),
		.packets_per_s = per_second((float)packets, elapsed),
	};
}

uint64_t console_average(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

/* received / sent in 32 bits, "0.0" when nothing was sent. */
static char *success(const struct np_flow_counts *counts, char out[NP_DECIMAL_TEXT])
{
	float rate = counts->sent ? (float)counts->received / (float)counts->sent : 0.0f;

	return np_decimal_float(rate, out, NP_DECIMAL_TEXT);
}

/* Mean round trip in ms, including the time that the partner held an ack; "-1.0E-6" without any. */
static char *ack_ms(const struct np_flow_counts *c, char out[NP_DECIMAL_TEXT])
{
	/* Whole nanoseconds, as in Java; -1 without any. */
	double ns = c->acks ? (double)console_average(c->ack_time, c->acks) : -1;

	return np_decimal_double(ns / 1e6, out, NP_DECIMAL_TEXT);
}

/*
 * @realtime (CLOCK_REALTIME, ns) in local time: "2026-11-21 09:01:20.62", milliseconds without
 * trailing zeros except for the first digit. Returns @out.
 */
static char *local_time(np_time realtime, char out[TIME_TEXT])
{
	time_t seconds = realtime / NP_SECOND;
	int fraction = (int)(realtime % NP_SECOND / NP_MILLISECOND), digits = 3;
	struct tm local = {0};
	size_t length;

	localtime_r(&seconds, &local);
	length = strftime(out, TIME_TEXT, "%Y-%m-%d %H:%M:%S", &local);
	for (; digits > 1 && fraction % 10 == 0; digits--)
		fraction /= 10;
	snprintf(out + length, TIME_TEXT - length, ".%0*d", digits, fraction);
	return out;
}

static void put_address(FILE *out, const struct np_address *address)
{
	char text[NP_ADDRESS_TEXT];

	fputs(np_address_format(address, text), out);
}

static uint64_t whole_mib(uint64_t packets, uint64_t packet_bytes)
{
	return (uint64_t)((unsigned __int128)packets * packet_bytes / MIB);
}

static void put_sizes(FILE *out, const struct options *o, uint64_t buffer_packets)
{
	const uint64_t packet_bytes = o->packet.packet_bytes;

	fprintf(out,
		"packet size: %" PRIu64 " bytes\n"
		"buffer size: %" PRIu64 " packets\n"
		"  report on: %" PRIu64 " packets, %" PRIu64 " MBs\n"
		"    process: %" PRIu64 " bytes/packet\n",
		packet_bytes, buffer_packets, o->report_packets,
		whole_mib(o->report_packets, packet_bytes), o->packet.process_bytes);
}

void console_listener_banner(FILE *out, const struct options *options,
			     const struct np_address *local, const char *log)
{
	fputs("starting listener: at ", out);
	put_address(out, local);
	fputc('\n', out);
	put_sizes(out, options, options->listen.buffer_packets);
	fprintf(out, "        log: %s\n     log on: %" PRIu64 " MBs\n\n", log ? log : "null",
		whole_mib(options->listen.log_packets, options->packet.packet_bytes));
}

void console_publisher_banner(FILE *out, const struct options *options, const struct np_address *at,
			      const struct np_address_list *peers, double rate_bytes_per_s)
{
	const double packets_per_s = rate_bytes_per_s / options_mean_bytes(&options->packet);

	fputs("starting publisher: at ", out);
	put_address(out, at);
	fputs(" sending to ", out);
	for (size_t i = 0; i < peers->count; i++) {
		fputs(i ? ", " : "", out);
		put_address(out, &peers->item[i]);
	}
	fputc('\n', out);
	put_sizes(out, options, options->publish.buffer_packets);
	fprintf(out, "      peers: %zu\n", peers->count);
	if (options->publish.rate_bytes_per_s > 0)
		fprintf(out, "       rate: %.10g\nsetting packet burst to %" PRIu64 "\n",
			options->publish.rate_bytes_per_s / MIB,
			(uint64_t)(packets_per_s + 0.5) / 100);
	else
		fputs("       rate: no limit\nno packet burst limit\n", out);
}

static void put_tx_rate(FILE *out, const char *span, const struct np_flow_counts *c)
{
	struct rate rate = rate_of(c->elapsed, c->bytes, c->sent);

	if (rate.known)
		fprintf(out, "%7s: %" PRId32 " MB/sec, %" PRId32 " packets/sec\n", span,
			rate.mib_per_s, rate.packets_per_s);
	else
		fprintf(out, "%7s: NaN, NaN\n", span);
}

void console_tx_summary(FILE *out, const struct console_style *style, const struct np_address *at,
			size_t peers, const struct np_flow_counts *life,
			const struct np_flow_counts *now)
{
	char completed[TIME_TEXT];

	fputs("\nTx summary ", out);
	if (style->newest) {
		fputs("for ", out);
		put_address(out, at);
		fputs(" to ", out);
	}
	fprintf(out, "%zu peers:\n", peers);
	put_tx_rate(out, "life", life);
	put_tx_rate(out, "now", now);
	if (style->newest)
		fprintf(out, "     duration: %" PRId64 "ms\n    completed: %s\n",
			life->elapsed / NP_MILLISECOND, local_time(style->completed, completed));
}

void console_receiving(FILE *out, const struct np_address *local, size_t publishers)
{
	fputc('\n', out);
	put_address(out, local);
	fprintf(out, " receiving data from %zu publisher(s).\n", publishers);
}

void console_stopped(FILE *out)
{
	fputs("\nClients have stopped.\n", out);
}

size_t console_ticks(char small, uint64_t before, uint64_t after, uint64_t interval, char *out,
		     size_t room)
{
	char capital = (char)(small - 'a' + 'A');
	uint64_t tick, last;
	size_t count = 0;

	if (!interval)
		return 0;
	last = after / interval;
	for (tick = before / interval + 1; tick <= last && count < room; tick++)
		out[count++] = tick % 10 ? small : capital;
	return count;
}

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
	struct rate rate = rate_of(c->elapsed, c->bytes, c->received);

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
	fprintf(out, "%s\n", success(c, text));
	put_count(out, "out of order", c->reordered);
	put_count(out, "avg offset", console_average(c->order.offset_sum, c->reordered));
}

static void put_more(FILE *out, const struct np_flow_counts *c)
{
	const struct np_flow_order *o = &c->order;
	uint64_t gap_ms = (uint64_t)(o->gap_time / NP_MILLISECOND);
	char text[NP_DECIMAL_TEXT];

	put_count(out, "gaps", o->gaps);
	put_count(out, "avg gap size", console_average(o->gap_packets, o->gaps));
	put_ms(out, "avg gap time", console_average(gap_ms, o->gaps));
	put_label(out, "avg ack time");
	fprintf(out, "%sms; acks %" PRIu64 "\n", ack_ms(c, text), c->acks);
}

static void put_flow(FILE *out, const struct console_style *style, const struct flow *flow,
		     const struct np_flow_counts *counts)
{
	char text[NP_ADDRESS_TEXT];

	fprintf(out, "Rx from publisher: %s\n", np_address_format(&flow->printed, text));
	if (style->newest) {
		put_label(out, "to listener");
		fprintf(out, "%s\n", np_address_format(style->listener, text));
	}
	put_figures(out, counts, true);
	if (!style->newest)
		return;
	put_more(out, counts);
	fputc('\n', out);
}

void console_rx_report(FILE *out, const struct console_style *style, const struct flows *flows,
		       bool life)
{
	const size_t publishers = flows_count(flows);
	struct np_flow_counts sum = {0}, counts;
	char completed[TIME_TEXT];
	const struct flow *flow;

	if (life || style->newest)
		fputc('\n', out);
	fputs(life ? "Lifetime:\n" : "Now:\n", out);
	for (flow = flows_first(flows); flow; flow = flow->next) {
		if (flow->past)
			continue;
		if (life)
			flow_life(flow, &counts);
		else
			flow_now(flow, &counts);
		np_flow_counts_add(&sum, &counts);
		put_flow(out, style, flow, &counts);
	}
	if (!style->newest)
		return;
	local_time(style->completed, completed);
	if (publishers > 1) {
		fprintf(out, "Rx Summary from %zu publisher(s): \n", publishers);
		put_figures(out, &sum, false);
		put_more(out, &sum);
		put_label(out, "completed");
		fprintf(out, "%s\n", completed);
	}
	fprintf(out, "\n completed: %s\n", completed);
}

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

static void put_original(FILE *out, const struct np_flow_counts *c)
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
	const struct rate rate = rate_of(c->elapsed, c->bytes, c->received);
	char text[NP_DECIMAL_TEXT];

	put_counts(out, size, 2);
	if (rate.known)
		fprintf(out, "%" PRId32 "\t%" PRId32 "\t", rate.mib_per_s, rate.packets_per_s);
	else
		fputs("-1\t-1\t", out);
	put_counts(out, loss, 3);
	fprintf(out, "%s\t", success(c, text));
	put_counts(out, order, 5);
	fprintf(out, "%s\t", ack_ms(c, text));
}

void console_log_row(FILE *out, const struct flow *flow, const struct np_flow_counts *counts,
		     const char *kind)
{
	const uint64_t ours[] = {counts->duplicates, counts->damaged, counts->missed_before};
	struct np_histogram_figures delay;
	char text[NP_ADDRESS_TEXT];

	fprintf(out, "%s\t", np_address_format(&flow->printed, text));
	put_original(out, counts);
	fprintf(out, "%s\t", kind);
	put_counts(out, ours, 3);
	if (flow_delay(flow, &delay))
		fprintf(out, "%" PRId64 "\t%" PRId64 "\n", delay.p50, delay.p99);
	else
		fputs("unknown\tunknown\n", out);
}

static bool is_stream(const char *name)
{
	return !strcmp(name, "stdout") || !strcmp(name, "stderr");
}

const char *log_file_name(const char *name, uint16_t port, bool several,
			  char out[LOG_FILE_NAME_BYTES])
{
	const char *base = strrchr(name, '/');

	if (!several || is_stream(name))
		return name;
	base = base ? base + 1 : name;
	snprintf(out, LOG_FILE_NAME_BYTES, "%.*s%u-%s", (int)(base - name), name, port, base);
	return out;
}

struct log_file {
	FILE *file;
	int error;  /* -errno of the first row that could not be written */
	bool waits; /* there is no row yet */
	bool empty; /* nor a heading */
};

static void put_out(struct log_file *log_file)
{
	int rc = np_output_flush(log_file->file);

	if (!log_file->error)
		log_file->error = rc;
}

static int open_file(struct log_file *log_file, const char *name)
{
	const struct np_output how = {.append = true, .never_began = &log_file->waits};
	const int standard = strcmp(name, "stdout") ? STDERR_FILENO : STDOUT_FILENO;
	int rc;

	if (is_stream(name)) {
		rc = np_output_judge(standard);
		return rc ? rc : np_output_standard(standard, &log_file->file);
	}
	rc = np_output_stream(name, &how, &log_file->file);
	if (!rc)
		setvbuf(log_file->file, NULL, _IOLBF, BUFSIZ);
	return rc;
}

static void begin(struct log_file *log_file)
{
	log_file->waits = false;
	if (log_file->empty)
		console_log_heading(log_file->file);
	log_file->empty = false;
}

int log_file_open(struct log_file **log_file, const char *name)
{
	struct log_file *opened = calloc(1, sizeof(*opened));
	int rc = -ENOMEM;

	*log_file = NULL;
	if (opened) {
		opened->waits = true;
		rc = open_file(opened, name);
	}
	if (rc) {
		free(opened);
		return rc;
	}
	opened->empty =
		is_stream(name) || (!fseek(opened->file, 0, SEEK_END) && ftell(opened->file) == 0);
	if (is_stream(name)) {
		begin(opened);
		put_out(opened);
	}
	*log_file = opened;
	return 0;
}

void log_file_interval(struct log_file *log_file, const struct flows *flows)
{
	struct np_flow_counts counts;

	begin(log_file);
	for (struct flow *flow = flows_first(flows); flow; flow = flow->next) {
		if (flow->past)
			continue;
		flow_now(flow, &counts);
		console_log_row(log_file->file, flow, &counts, "interval");
	}
	put_out(log_file);
}

void log_file_life(struct log_file *log_file, const struct flow *flow)
{
	struct np_flow_counts counts;

	begin(log_file);
	flow_life(flow, &counts);
	console_log_row(log_file->file, flow, &counts, "lifetime");
	put_out(log_file);
}

int log_file_close(struct log_file *log_file, bool never_began)
{
	int rc;

	if (!log_file)
		return 0;
	if (!never_began)
		begin(log_file);
	put_out(log_file);
	rc = np_output_close(log_file->file);
	if (log_file->error)
		rc = log_file->error;
	free(log_file);
	return rc;
}
