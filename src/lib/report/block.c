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
#define HEAD_SHARE     0.01

#define BLOCK_ROOM     256 /* of a line's text, but for lists */
#define REASONS_INDENT (BLOCK_INDENT + 3)

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

	if (count->known == NP_UNKNOWN)
		return;
	fprintf(out, "  %-10s%10s %.*s", word, np_count_format(count).text,
		(int)strlen(block->unit) - one, block->unit);
	if (bytes_per_s >= 0)
		fprintf(out, " %*s", 16 + one, np_rate_format(bytes_per_s, block->bytes).text);
	/* Else it looks wrong beside the count and the time. */
	if (count == &block->result.received && bytes_per_s >= 0 && block->head_share > HEAD_SHARE)
		fputs(" after the first", out);
	if (count == &block->result.sent && block->sent_each && block->rows > 1)
		fprintf(out, ", %" PRIu64 " to each", block->sent_each);
	fputc('\n', out);
}

static void put_lost(FILE *out, const struct np_result *r)
{
	char text[BLOCK_ROOM];

	if (r->lost.known == NP_UNKNOWN)
		return;
	snprintf(text, sizeof(text), "  lost      %10s", np_count_format(&r->lost).text);
	if (r->lost.n)
		np_text_append(text, sizeof(text),
			       " (%.3g %%): sender host %s, path %s, receiver host %s",
			       np_loss_percent(r->lost.n, r->sent.n),
			       np_count_format(&r->lost_sender_host).text,
			       np_count_format(&r->lost_path).text,
			       np_count_format(&r->lost_receiver_host).text);
	if (r->lost.n && r->lost_unattributed.n)
		np_text_append(text, sizeof(text), ", unattributed %s",
			       np_count_format(&r->lost_unattributed).text);
	block_write(out, BLOCK_INDENT, BLOCK_PHRASES, text);
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

/* "638 SOCKET_RCVBUFF, 50 NETFILTER_DROP (nft_do_chain)" */
static void put_reasons(FILE *out, const struct np_block *block, bool sender)
{
	const struct np_drops_counts *dropped =
		sender ? block->dropped_sender : block->dropped_receiver;
	const uint64_t again = sender ? retried(block) : 0;
	char list[NP_DROPS_TEXT], text[NP_DROPS_TEXT + BLOCK_ROOM];

	if (!dropped || !dropped->known || !dropped->packets || dropped->copies)
		return;
	/* Below what was lost the word is not needed. */
	snprintf(text, sizeof(text), "    %-*s%s%s", REASONS_INDENT - 4,
		 sender ? "sender host" : "receiver host",
		 block->unconfirmed || block->repaired ? "dropped " : "",
		 np_drops_list(dropped, list));
	if (again == dropped->packets)
		np_text_append(text, sizeof(text), ", all retried");
	else if (again)
		np_text_append(text, sizeof(text), ", %" PRIu64 " of them retried", again);
	block_write(out, REASONS_INDENT, BLOCK_PHRASES, text);
}

static void put_both_reasons(FILE *out, const struct np_block *block)
{
	put_reasons(out, block, true);
	put_reasons(out, block, false);
}

static void put_order(FILE *out, const struct np_result *r)
{
	char text[BLOCK_ROOM];

	if (r->duplicates.known == NP_UNKNOWN)
		return;
	snprintf(text, sizeof(text), "  duplicates%10s, reordered %s",
		 np_count_format(&r->duplicates).text, np_count_format(&r->reordered).text);
	if (r->late.n)
		np_text_append(text, sizeof(text), ", late %s", np_count_format(&r->late).text);
	if (r->damaged.known != NP_UNKNOWN)
		np_text_append(text, sizeof(text), ", damaged %s",
			       np_count_format(&r->damaged).text);
	block_write(out, BLOCK_INDENT, BLOCK_PHRASES, text);
}

static void put_times(FILE *out, const char *name, const struct np_histogram_figures *times,
		      const char *remark)
{
	if (times->count)
		np_block_line(out, BLOCK_INDENT, "%sp50 %s, p99 %s, max %s%s", name,
			      np_units_format_latency(times->p50).text,
			      np_units_format_latency(times->p99).text,
			      np_units_format_latency(times->max).text, remark);
}

void np_block_times(FILE *out, const char *name, const struct np_histogram *times)
{
	struct np_histogram_figures f;

	np_histogram_figures(times, &f);
	put_times(out, name, &f, "");
}

static void put_delay(FILE *out, const struct np_block *block)
{
	char remark[64] = " (one clock)";

	if (block->delay_bound >= 0)
		snprintf(remark, sizeof(remark), " (clocks within %s)",
			 np_units_format_latency(block->delay_bound).text);
	put_times(out, "  delay         ", &block->delay, remark);
}

static void put_tcp(FILE *out, const struct np_block_tcp *tcp)
{
	const struct np_stream_tcp *figures = &tcp->figures;
	char text[BLOCK_ROOM];

	if (!tcp->known)
		return;
	snprintf(text, sizeof(text), "  tcp           %" PRIu64 " segment%s retransmitted",
		 figures->retransmitted, np_plural(figures->retransmitted));
	if (figures->srtt)
		np_text_append(text, sizeof(text), ", rtt %s",
			       np_units_format_latency(figures->srtt).text);
	if (figures->srtt && figures->rtt_min)
		np_text_append(text, sizeof(text), " (min %s)",
			       np_units_format_latency(figures->rtt_min).text);
	if (tcp->congestion[0])
		np_text_append(text, sizeof(text), ", %s", tcp->congestion);
	block_write(out, BLOCK_INDENT, BLOCK_PHRASES, text);
}

static void put_cpu(FILE *out, const struct np_block *block)
{
	char text[BLOCK_ROOM] = "";

	for (unsigned i = 0; i < NP_BLOCK_ENDS; i++) {
		const struct np_block_cpu *cpu = &block->cpu[i];
		const double share = cpu->usage ? np_usage_share(cpu->usage, cpu->elapsed) : -1;

		if (share >= 0)
			np_text_append(text, sizeof(text), "%s %s %.0f %%",
				       text[0] ? "," : "  cpu          ", block_ends[i],
				       100 * share);
	}
	if (text[0])
		block_write(out, BLOCK_INDENT, BLOCK_PHRASES, text);
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

static void put_headers(FILE *out, const struct np_block_row *row, bool several)
{
	char text[BLOCK_ROOM + NP_BLOCK_HEADERS];

	if (!row->headers[0])
		return;
	snprintf(text, sizeof(text), "  headers       %.99s%s%s", several ? row->name : "",
		 several ? ": " : "", row->headers);
	block_write(out, BLOCK_INDENT, BLOCK_PHRASES, text);
}

void np_block_print(FILE *out, struct np_block *block)
{
	const struct np_result *r = &block->result;

	/* In further lines where it is too long, as between two IPv6 addresses. */
	block_write(out, 4, BLOCK_WORDS, block->title);
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
	put_times(out, "  round trip    ", &block->rtt, "");
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
