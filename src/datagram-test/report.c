// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * report: keeps the outputs of the threads apart, and writes the banners, the reports of both ends,
 * ticks and the table that -log asks for, with the original's arithmetic in the original's types.
 */
#include "session.h"

#include <inttypes.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MIB 1048576

FILE *report_text_begin(struct session *s)
{
	if (!s->text)
		return NULL;
	pthread_mutex_lock(&s->lock);
	return s->text;
}

void report_text_end(struct session *s)
{
	fflush(s->text);
	pthread_mutex_unlock(&s->lock);
}

void report_print(struct session *s, const char *format, ...)
{
	FILE *text = report_text_begin(s);
	va_list arguments;

	if (!text)
		return;
	va_start(arguments, format);
	vfprintf(text, format, arguments);
	va_end(arguments);
	report_text_end(s);
}

void report_ticks(struct session *s, char small, uint64_t before, uint64_t after)
{
	const uint64_t interval = s->ticks;
	FILE *text;

	if (!interval || before / interval == after / interval)
		return;
	text = report_text_begin(s);
	if (!text)
		return;
	for (uint64_t tick = before / interval + 1; tick <= after / interval; tick++)
		fputc(tick % 10 ? small : small - 'a' + 'A', text);
	report_text_end(s);
}

bool report_status_due(const struct endpoint *e, np_time now)
{
	const np_time next = np_status_next(e->session->status);

	return now >= next || (next < NP_TIME_NEVER && now >= e->shown_at + NP_SECOND);
}

void report_status(struct endpoint *e, np_time now, np_time end, const struct np_flow_counts *life)
{
	struct session *s = e->session;
	const bool publishes = s->addresses.peers.count;
	struct np_status_figures sum = {
		.begun = s->begun,
		.end = end,
		.rate_in_bytes = s->options->report.unit,
		.unit = publishes ? "packets sent" : "packets received",
		.fault = publishes ? NULL : "lost",
	};

	e->shown_at = now;
	pthread_mutex_lock(&s->lock);
	e->shown = *life;
	for (e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		sum.bytes += e->shown.bytes;
		sum.count += publishes ? e->shown.sent : e->shown.received;
		sum.faults += e->shown.lost;
	}
	pthread_mutex_unlock(&s->lock);
	np_status_show(s->status, now, &sum);
}

/* What the original shows of counts, by its arithmetic. */
struct figures {
	uint64_t elapsed_ms;
	uint64_t packet_bytes, offset, gap_packets, gap_ms; /* means; 0 of nothing */
	int32_t mib_per_s, packets_per_s;		    /* if time elapsed */
	char success[NP_DECIMAL_TEXT]; /* received / sent in 32 bits, "0.0" of nothing */
	char ack_ms[NP_DECIMAL_TEXT];  /* with the time that the partner held it; or "-1.0E-6" */
};

static uint64_t mean(uint64_t sum, uint64_t count)
{
	return count ? sum / count : 0;
}

/* Java counts whole milliseconds. */
static int32_t per_second(float amount, uint64_t ms)
{
	return np_decimal_round(amount / (float)ms * 1000.0f);
}

/* The rate is of so many @packets. */
static struct figures figures_of(const struct np_flow_counts *c, uint64_t packets)
{
	const uint64_t ms = (uint64_t)(c->elapsed / NP_MILLISECOND);
	struct figures f = {
		.elapsed_ms = ms,
		.packet_bytes = mean(c->bytes, c->received),
		.offset = mean(c->order.offset_sum, c->reordered),
		.gap_packets = mean(c->order.gap_packets, c->order.gaps),
		.gap_ms = mean((uint64_t)(c->order.gap_time / NP_MILLISECOND), c->order.gaps),
	};

	if (ms) {
		f.mib_per_s = per_second((float)c->bytes / MIB, ms);
		f.packets_per_s = per_second((float)packets, ms);
	}
	np_decimal(c->sent ? (float)c->received / (float)c->sent : 0.0f, NP_DECIMAL_FLOAT,
		   f.success, sizeof(f.success));
	/* Whole nanoseconds, as in Java; -1 without any. */
	np_decimal((c->acks ? (double)mean(c->ack_time, c->acks) : -1) / 1e6, 0, f.ack_ms,
		   sizeof(f.ack_ms));
	return f;
}

/*
 * The local time: "2026-11-21 09:01:20.62", milliseconds without trailing zeros except for the
 * first digit.
 */
static struct np_text local_time(void)
{
	struct np_text out;
	struct timespec now;
	struct tm local = {0};
	int fraction, digits = 3;
	size_t length;

	clock_gettime(CLOCK_REALTIME, &now);
	fraction = (int)(now.tv_nsec / NP_MILLISECOND);
	localtime_r(&now.tv_sec, &local);
	length = strftime(out.text, NP_TEXT, "%Y-%m-%d %H:%M:%S", &local);
	for (; digits > 1 && fraction % 10 == 0; digits--)
		fraction /= 10;
	snprintf(out.text + length, NP_TEXT - length, ".%0*d", digits, fraction);
	return out;
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

void report_banners(const struct endpoint *e)
{
	struct session *s = e->session;
	const struct options *o = e->options;
	const double rate = e->publisher.rate_bytes_per_s;
	FILE *out = report_text_begin(s);

	if (!out)
		return;
	fprintf(out, "starting listener: at %s\n", e->name);
	put_sizes(out, o, o->listen.buffer_packets);
	/* The empty line at the end is the original's. */
	fprintf(out, "        log: %s\n     log on: %" PRIu64 " MBs\n\n",
		e->listener.log.file ? e->listener.log.name : "null",
		whole_mib(o->listen.log_packets, o->packet.packet_bytes));
	if (e->publisher.socket) {
		fprintf(out, "starting publisher: at %s sending to ", e->name);
		for (size_t i = 0; i < e->peer_count; i++)
			fprintf(out, "%s%s", i ? ", " : "", e->peer[i].name);
		fputc('\n', out);
		put_sizes(out, o, o->publish.buffer_packets);
		fprintf(out, "      peers: %zu\n", e->peer_count);
		/* Java's burst is pps / 100, of its share. */
		if (rate > 0)
			fprintf(out, "       rate: %.10g\nsetting packet burst to %" PRIu64 "\n",
				o->publish.rate_bytes_per_s / MIB,
				(uint64_t)(rate / options_mean_bytes(&o->packet) + 0.5) / 100);
		else
			fputs("       rate: no limit\nno packet burst limit\n", out);
	}
	report_text_end(s);
}

static void put_tx_rate(FILE *out, const char *span, const struct np_flow_counts *c)
{
	const struct figures f = figures_of(c, c->sent);

	if (f.elapsed_ms)
		fprintf(out, "%7s: %" PRId32 " MB/sec, %" PRId32 " packets/sec\n", span,
			f.mib_per_s, f.packets_per_s);
	else
		fprintf(out, "%7s: NaN, NaN\n", span);
}

void console_tx_summary(FILE *out, const struct endpoint *e, const struct np_flow_counts *life,
			const struct np_flow_counts *now)
{
	fputs("\nTx summary ", out);
	if (e->session->newest)
		fprintf(out, "for %s to ", e->name);
	fprintf(out, "%zu peers:\n", e->peer_count);
	put_tx_rate(out, "life", life);
	put_tx_rate(out, "now", now);
	if (e->session->newest)
		fprintf(out, "     duration: %" PRId64 "ms\n    completed: %s\n",
			life->elapsed / NP_MILLISECOND, local_time().text);
}

/* @one: a single flow, which has a packet size; else the sum of several. */
static void put_figures(FILE *out, bool newest, const struct np_flow_counts *c, bool one)
{
	const struct figures f = figures_of(c, c->received);

	fprintf(out, "\t     elapsed: %" PRIu64 "ms\n", f.elapsed_ms);
	if (one)
		fprintf(out, "\t packet size: %" PRIu64 "\n", f.packet_bytes);
	if (f.elapsed_ms)
		fprintf(out,
			"\t  throughput: %" PRId32 " MB/sec\n"
			"\t              %" PRId32 " packets/sec\n",
			f.mib_per_s, f.packets_per_s);
	else
		fputs("\t  throughput: NaN\n\t              NaN\n", out);
	fprintf(out,
		"\t    received: %" PRIu64 " of %" PRIu64 "\n"
		"\t     missing: %" PRIu64 "\n"
		"\tsuccess rate: %s\n"
		"\tout of order: %" PRIu64 "\n"
		"\t  avg offset: %" PRIu64 "\n",
		c->received, c->sent, c->lost, f.success, c->reordered, f.offset);
	if (newest)
		fprintf(out,
			"\t        gaps: %" PRIu64 "\n"
			"\tavg gap size: %" PRIu64 "\n"
			"\tavg gap time: %" PRIu64 "ms\n"
			"\tavg ack time: %sms; acks %" PRIu64 "\n",
			c->order.gaps, f.gap_packets, f.gap_ms, f.ack_ms, c->acks);
}

void console_rx_report(FILE *out, const struct endpoint *e, const struct flows *flows, bool life)
{
	const size_t publishers = flows_count(flows);
	const bool newest = e->session->newest;
	struct np_flow_counts sum = {0}, counts;
	struct np_text completed;

	if (life || newest)
		fputc('\n', out);
	fputs(life ? "Lifetime:\n" : "Now:\n", out);
	for (const struct flow *flow = flows->first; flow; flow = flow->next) {
		if (flow->past)
			continue;
		if (life)
			flow_life(flow, &counts);
		else
			np_flow_now(flow->account, &counts);
		np_flow_counts_add(&sum, &counts);
		fprintf(out, "Rx from publisher: %s\n", flow->name);
		if (newest)
			fprintf(out, "\t to listener: %s\n", e->name);
		put_figures(out, newest, &counts, true);
		if (newest)
			fputc('\n', out);
	}
	if (!newest)
		return;
	completed = local_time();
	if (publishers > 1) {
		fprintf(out, "Rx Summary from %zu publisher(s): \n", publishers);
		put_figures(out, newest, &sum, false);
		fprintf(out, "\t   completed: %s\n", completed.text);
	}
	fprintf(out, "\n completed: %s\n", completed.text);
}

static const char heading[] =
	"publisher\tduration ms\tpacket size\tthroughput mb/sec\tthroughput packets/sec\t"
	"sent packets\treceived packets\tmissing packets\tsuccess rate\tout of order\t"
	"avg out of order offset\tgaps\tavg gap size\tavg gap time ms\tavg ack ms\t"
	"kind\tduplicates\tdamaged\tlost before\tdelay p50 ns\tdelay p99 ns\n";

void console_log_row(FILE *out, const struct flow *flow, const struct np_flow_counts *c,
		     const char *kind)
{
	const struct figures f = figures_of(c, c->received);
	struct np_histogram_figures delay;

	fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t", flow->name, f.elapsed_ms, f.packet_bytes);
	fprintf(out, "%" PRId32 "\t%" PRId32 "\t", f.elapsed_ms ? f.mib_per_s : -1,
		f.elapsed_ms ? f.packets_per_s : -1);
	fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t", c->sent, c->received, c->lost,
		f.success);
	fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%s\t",
		c->reordered, f.offset, c->order.gaps, f.gap_packets, f.gap_ms, f.ack_ms);
	fprintf(out, "%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t", kind, c->duplicates, c->damaged,
		c->missed_before);
	np_histogram_figures(np_flow_delay(flow->account), &delay);
	if (delay.count)
		fprintf(out, "%" PRId64 "\t%" PRId64 "\n", delay.p50, delay.p99);
	else
		fputs("unknown\tunknown\n", out);
}

int log_file_open(struct log_file *log, const char *name, uint16_t port, bool several)
{
	const struct np_output how = {
		.append = true, .heading = true, .never_began = &log->never_began};
	const char *base = strrchr(name, '/');
	const int standard = !strcmp(name, "stdout")   ? STDOUT_FILENO
			     : !strcmp(name, "stderr") ? STDERR_FILENO
						       : -1;
	struct stat found;
	bool fresh;
	int rc;

	base = base ? base + 1 : name;
	if (several && standard < 0)
		snprintf(log->name, sizeof(log->name), "%.*s%u-%s", (int)(base - name), name, port,
			 base);
	else
		snprintf(log->name, sizeof(log->name), "%s", name);
	log->never_began = true;
	fresh = standard >= 0 || stat(log->name, &found) ||
		(S_ISREG(found.st_mode) && !found.st_size);
	rc = standard < 0 ? np_output_stream(log->name, &how, &log->file)
			  : np_output_judge(standard);
	if (!rc && standard >= 0)
		rc = np_output_standard(standard, log->status, &log->file);
	/* In a file it stays in the buffer until the first row. */
	if (!rc && fresh)
		fputs(heading, log->file);
	if (!rc && standard >= 0)
		(void)np_output_flush(log->file);
	return rc;
}

void log_file_row(struct log_file *log, const struct flow *flow, bool life)
{
	struct np_flow_counts counts;

	log->never_began = false;
	if (life)
		flow_life(flow, &counts);
	else
		np_flow_now(flow->account, &counts);
	console_log_row(log->file, flow, &counts, life ? "lifetime" : "interval");
	(void)np_output_flush(log->file);
}

int log_file_close(struct log_file *log, bool never_began)
{
	log->never_began &= never_began;
	return np_output_close(log->file);
}
