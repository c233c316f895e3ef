// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block: the result as people read it, the same in all programs. */
#include "block_text.h"

#include <inttypes.h>
#include <netperf/result.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

/* What begins the time is worth a word if the rate would be this much higher with it. */
#define HEAD_SHARE 0.01

const char *const block_ends[] = {"sender", "receiver", "this process"};

struct np_block np_block_init(const char *title, const char *unit, bool bytes)
{
	return (struct np_block){
		.title = title,
		.unit = unit,
		.bytes = bytes,
		.sent_bytes_per_s = -1,
		.received_bytes_per_s = -1,
	};
}

struct np_text np_block_time(np_time elapsed)
{
	if (elapsed < NP_SECOND)
		return np_units_format_latency(elapsed);
	return np_text_of("%.2f s", np_clock_seconds(elapsed));
}

double np_block_rate_sum(const struct np_block *block)
{
	double sum = 0;

	for (size_t i = 0; i < block->rows; i++) {
		if (!block->row[i].confirmed)
			continue;
		if (block->row[i].received_bytes_per_s < 0)
			return -1;
		sum += block->row[i].received_bytes_per_s;
	}
	return sum;
}

static void put_amount(FILE *out, const struct np_block *block, const char *word,
		       const struct np_count *count, double bytes_per_s)
{
	const int one = count->n == 1; /* without the "s" of the unit */
	struct block_line line;

	if (count->known == NP_UNKNOWN)
		return;
	line = block_begin(out, word, np_count_format(count).text);
	block_put(&line, "", "%.*s", (int)strlen(block->unit) - one, block->unit);
	if (bytes_per_s >= 0)
		fprintf(out, " %*s", 16 + one, np_rate_format(bytes_per_s, block->bytes).text);
	/* Else it looks wrong beside the count and the time. */
	if (count == &block->result.received && bytes_per_s >= 0 && block->head_share > HEAD_SHARE)
		fputs(" after the first", out);
	if (count == &block->result.sent && block->sent_each && block->rows > 1)
		fprintf(out, ", %" PRIu64 " to each", block->sent_each);
	fputc('\n', out);
}

static void put_place(struct block_line *line, const char *separator, const char *place,
		      const struct np_count *count)
{
	block_put(line, separator, "%s %s", place, np_count_format(count).text);
}

static void put_lost(FILE *out, const struct np_result *r)
{
	const struct np_count *none = &r->lost_unattributed;
	struct block_line line;

	if (r->lost.known == NP_UNKNOWN)
		return;
	line = block_begin(out, "lost", np_count_format(&r->lost).text);
	if (r->lost.n) {
		block_put(&line, "", "(%.3g %%):", np_loss_percent(r->lost.n, r->sent.n));
		put_place(&line, "", "sender host", &r->lost_sender_host);
		put_place(&line, ",", "path", &r->lost_path);
		put_place(&line, ",", "receiver host", &r->lost_receiver_host);
		if (none->n)
			put_place(&line, ",", "unattributed", none);
	}
	fputc('\n', out);
}

/* How many packets that the sender's host dropped are not lost: it told the program, which sent
 * them again. */
static uint64_t retried(const struct np_block *block)
{
	const struct np_drops_counts *dropped = block->dropped_sender;
	const struct np_result *r = &block->result;

	if (block->unconfirmed || block->repaired || !dropped)
		return 0;
	if (r->lost.known == NP_EXACT && !r->lost.n)
		return dropped->packets;
	if (!dropped->exact || r->lost_sender_host.known != NP_EXACT)
		return 0;
	return dropped->packets - np_least(dropped->packets, r->lost_sender_host.n);
}

/* Adds the phrases of @text, which is cut where commas part them. */
static void put_phrases(struct block_line *line, char *text)
{
	const char *separator = "";

	for (char *phrase; (phrase = strsep(&text, ",")); separator = ",")
		block_put(line, separator, "%s", phrase + strspn(phrase, " "));
}

/* "638 SOCKET_RCVBUFF, 50 NETFILTER_DROP (nft_do_chain)" */
static void put_reasons(FILE *out, const char *host, const struct np_drops_counts *dropped,
			uint64_t again)
{
	char text[NP_DROPS_TEXT];
	struct block_line line;

	if (!dropped || !dropped->known || !dropped->packets || dropped->copies)
		return;
	line = block_begin_at(out, 4, host, BLOCK_INDENT + 3);
	put_phrases(&line, np_drops_list(dropped, text));
	if (again == dropped->packets)
		block_put(&line, ",", "all retried");
	else if (again)
		block_put(&line, ",", "%" PRIu64 " of them retried", again);
	fputc('\n', out);
}

static void put_both_reasons(FILE *out, const struct np_block *block)
{
	put_reasons(out, "sender host", block->dropped_sender, retried(block));
	put_reasons(out, "receiver host", block->dropped_receiver, 0);
}

static void put_order(FILE *out, const struct np_result *r)
{
	struct block_line line;

	if (r->duplicates.known == NP_UNKNOWN)
		return;
	line = block_begin(out, "duplicates", np_count_format(&r->duplicates).text);
	put_place(&line, ",", "reordered", &r->reordered);
	if (r->late.n)
		put_place(&line, ",", "late", &r->late);
	if (r->damaged.known != NP_UNKNOWN)
		put_place(&line, ",", "damaged", &r->damaged);
	fputc('\n', out);
}

static void put_times(FILE *out, const char *word, const struct np_histogram_figures *times,
		      const char *remark)
{
	struct block_line line;

	if (!times->count)
		return;
	line = block_begin(out, word, NULL);
	block_put(&line, "", "p50 %s", np_units_format_latency(times->p50).text);
	block_put(&line, ",", "p99 %s", np_units_format_latency(times->p99).text);
	block_put(&line, ",", "max %s", np_units_format_latency(times->max).text);
	if (remark[0])
		block_put(&line, "", "%s", remark);
	fputc('\n', out);
}

void np_block_times(FILE *out, const char *name, const struct np_histogram *times)
{
	struct np_histogram_figures f;

	np_histogram_figures(times, &f);
	if (f.count)
		fprintf(out, "%sp50 %s, p99 %s, max %s\n", name,
			np_units_format_latency(f.p50).text, np_units_format_latency(f.p99).text,
			np_units_format_latency(f.max).text);
}

static void put_delay(FILE *out, const struct np_block *block)
{
	char remark[64] = "";

	if (block->delay_bound < 0)
		snprintf(remark, sizeof(remark), "(one clock)");
	else
		snprintf(remark, sizeof(remark), "(clocks within %s)",
			 np_units_format_latency(block->delay_bound).text);
	put_times(out, "delay", &block->delay, remark);
}

static void put_tcp(FILE *out, const struct np_block_tcp *tcp)
{
	const struct np_stream_tcp *figures = &tcp->figures;
	struct block_line line;

	if (!tcp->known)
		return;
	line = block_begin(out, "tcp", NULL);
	block_put(&line, ",", "%" PRIu64 " segment%s retransmitted", figures->retransmitted,
		  np_plural(figures->retransmitted));
	if (figures->srtt && figures->rtt_min)
		block_put(&line, ",", "rtt %s (min %s)",
			  np_units_format_latency(figures->srtt).text,
			  np_units_format_latency(figures->rtt_min).text);
	else if (figures->srtt)
		block_put(&line, ",", "rtt %s", np_units_format_latency(figures->srtt).text);
	if (tcp->congestion[0])
		block_put(&line, ",", "%s", tcp->congestion);
	fputc('\n', out);
}

static void put_cpu(FILE *out, const struct np_block *block)
{
	struct block_line line = {.out = NULL};

	for (unsigned i = 0; i < NP_BLOCK_ENDS; i++) {
		const struct np_block_cpu *cpu = &block->cpu[i];
		const double share = cpu->usage ? np_usage_share(cpu->usage, cpu->elapsed) : -1;

		if (share < 0)
			continue;
		if (!line.out)
			line = block_begin(out, "cpu", NULL);
		block_put(&line, ",", "%s %.0f %%", block_ends[i], 100 * share);
	}
	if (line.out)
		fputc('\n', out);
}

static double percent_of(const struct np_block_row *row)
{
	return np_loss_percent(row->result.lost.n, row->result.sent.n);
}

/* Worst loss first; those who did not report before all, since nothing is known of theirs. */
static int by_loss(const void *left, const void *right)
{
	const struct np_block_row *a = left, *b = right;

	if (a->confirmed != b->confirmed)
		return a->confirmed ? 1 : -1;
	if (percent_of(a) > percent_of(b))
		return -1;
	return percent_of(a) < percent_of(b);
}

/* The columns of the table by number, as its heading has them. */
enum { NAME, RECEIVED, LOST, PERCENT, COPIES, ORDER, RATE, P50, COLUMNS };

static const char *fill_cells(const void *context, size_t row, struct np_text cell[])
{
	const struct np_block *block = context;
	const struct np_block_row *r = &block->row[row];
	const double rate = r->received_bytes_per_s * (block->bytes ? 1 : 8) / 1e6;

	if (!r->confirmed)
		return r->name;
	cell[RECEIVED] = np_count_format(&r->result.received);
	cell[LOST] = np_count_format(&r->result.lost);
	cell[PERCENT] = np_text_of("%.3g", percent_of(r));
	cell[COPIES] = np_count_format(&r->result.duplicates);
	cell[ORDER] = np_count_format(&r->result.reordered);
	if (r->received_bytes_per_s >= 0)
		cell[RATE] = np_text_of("%.*f", rate < 100 ? 2 : 1, rate);
	if (r->delay.count)
		cell[P50] = np_units_format_latency(r->delay.p50);
	return r->name;
}

static void put_rows(FILE *out, struct np_block *block)
{
	const char *const heading[COLUMNS] = {
		block->noun,
		"received",
		"lost",
		"%",
		"dup",
		"reord",
		block->bytes ? "MB/s" : "Mbit/s",
		"p50",
	};
	const struct block_table table = {
		.heading = heading,
		.columns = COLUMNS,
		.rows = block->rows,
		.blanks = 2,
		.empty = "not confirmed",
		.fill = fill_cells,
		.context = block,
	};

	if (block->rows < 2)
		return;
	qsort(block->row, block->rows, sizeof(*block->row), by_loss);
	block_put_table(out, &table);
}

static void put_headers(FILE *out, struct np_block_row *row, bool several)
{
	struct block_line line;

	if (!row->headers[0])
		return;
	line = block_begin(out, "headers", NULL);
	if (several)
		block_put(&line, "", "%s:", row->name);
	put_phrases(&line, row->headers);
	fputc('\n', out);
}

void np_block_print(FILE *out, struct np_block *block)
{
	const struct np_result *r = &block->result;
	struct block_line title = {.out = out, .indent = 4};

	/* In further lines where it is too long, as between two IPv6 addresses. */
	block_put_words(&title, block->title);
	fputc('\n', out);
	if (block->interrupted)
		fprintf(out, "  %-*sby a signal\n", BLOCK_INDENT - 2, "interrupted");
	put_amount(out, block, "sent", &r->sent, block->sent_bytes_per_s);
	if (block->unconfirmed)
		fprintf(out, "  %-*snot confirmed: %s\n", BLOCK_INDENT - 2, "received",
			block->unconfirmed);
	else
		put_amount(out, block, "received", &r->received, block->received_bytes_per_s);
	if (!block->unconfirmed && !block->repaired) {
		put_lost(out, r);
		put_both_reasons(out, block);
		put_order(out, r);
	}
	put_delay(out, block);
	put_times(out, "round trip", &block->rtt, "");
	put_tcp(out, &block->tcp);
	if (block->unconfirmed || block->repaired)
		put_both_reasons(out, block);
	put_cpu(out, block);
	put_rows(out, block);
	for (size_t i = 0; i < block->rows; i++)
		put_headers(out, &block->row[i], block->rows > 1);
	if (block->full)
		np_block_print_full(out, block);
}
