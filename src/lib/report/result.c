// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * result: where the lost messages were lost; the block of a result as people read it, the same in
 * all programs, and its lines and tables.
 */
#include "block.h"

#include <ctype.h>
#include <inttypes.h>
#include <netperf/result.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/*
 * Both kernels reported what they dropped: what neither did was lost on the path. That is known if
 * both totals are exact; or if they are lower bounds that add up to what was lost, so that nothing
 * is left. If they add up to more, duplicates or copies were among them.
 */
static bool by_reasons(struct np_result *result, const struct np_drops_total *sender_host,
		       const struct np_drops_total *receiver_host)
{
	const uint64_t lost = result->lost.n, here = sender_host->packets;
	uint64_t path;

	if (!sender_host->known || !receiver_host->known || here > lost ||
	    receiver_host->packets > lost - here)
		return false;
	path = lost - here - receiver_host->packets;
	if (path && !(sender_host->exact && receiver_host->exact))
		return false;
	result->lost_sender_host = NP_COUNT_EXACT(here);
	result->lost_path = NP_COUNT_EXACT(path);
	result->lost_receiver_host = NP_COUNT_EXACT(receiver_host->packets);
	result->lost_unattributed = NP_COUNT_EXACT(0);
	return true;
}

void np_result_attribute(struct np_result *r, const struct np_loss *loss,
			 const struct np_drops_total *sender_host,
			 const struct np_drops_total *receiver_host, bool doubtful)
{
	const uint64_t host = receiver_host->known ? receiver_host->packets : 0;
	struct np_loss rest = {.unattributed = r->lost.n};
	enum np_known known;
	uint64_t sender;

	if (!doubtful && by_reasons(r, sender_host, receiver_host))
		return;
	/*
	 * The end is unknown, and more may be lost than is missed: each that the receiver's host
	 * dropped is, unless copies came.
	 */
	if (r->lost.known == NP_AT_LEAST && !r->duplicates.n && host > (loss ? loss->host : 0)) {
		if (r->lost.n < host)
			r->lost.n = host;
		if (r->sent.known == NP_AT_LEAST && r->sent.n < r->received.n + r->lost.n)
			r->sent.n = r->received.n + r->lost.n;
		r->lost_receiver_host = NP_COUNT_AT_LEAST(host);
		r->lost_path = NP_COUNT_AT_LEAST(loss ? np_least(loss->path, r->lost.n - host) : 0);
		r->lost_unattributed = NP_COUNT_EXACT(r->lost.n - host - r->lost_path.n);
		return;
	}
	if (loss)
		rest = *loss;
	known = (rest.exact || !r->lost.n) && r->lost.known == NP_EXACT ? NP_EXACT : NP_AT_LEAST;
	if (!doubtful && sender_host->known) {
		sender = np_least(sender_host->packets, rest.path);
		rest.path -= sender;
		r->lost_sender_host = (struct np_count){
			.n = sender,
			.known = sender_host->exact || !r->lost.n ? known : NP_AT_LEAST,
		};
	}
	r->lost_path = (struct np_count){.n = rest.path, .known = known};
	r->lost_receiver_host = (struct np_count){.n = rest.host, .known = known};
	r->lost_unattributed = NP_COUNT_EXACT(rest.unattributed);
}

#define LINE_ROOM 1024

/* The length of what must stay in one line: up to a comma, a colon or more than one blank. */
static size_t piece_length(const char *text, size_t room)
{
	size_t length = strcspn(text, " ");

	while (text[length] && text[length + 1] != ' ' && !strchr(",:", text[length - 1]))
		length += 1 + strcspn(text + length + 1, " ");
	return length <= room ? length : strcspn(text, " ");
}

void block_write(FILE *out, size_t indent, enum block_break at, const char *text)
{
	size_t column = 0;

	while (*text) {
		const size_t blanks = strspn(text, " ");
		const char *rest = text + blanks;
		const size_t piece = at == BLOCK_WORDS ? strcspn(rest, " ")
						       : piece_length(rest, BLOCK_COLUMNS - indent);
		const bool spare = at == BLOCK_WORDS || (at == BLOCK_PHRASES && !rest[piece]);

		if (column + blanks + piece + spare > BLOCK_COLUMNS && column > indent) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		} else {
			fprintf(out, "%*s", (int)blanks, "");
			column += blanks;
		}
		/* A name that the user or another host gave may hold newlines and commands. */
		for (text = rest; text < rest + piece; text++)
			fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
		column += piece;
	}
	fputc('\n', out);
}

void np_block_line(FILE *out, size_t indent, const char *format, ...)
{
	char text[LINE_ROOM];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	block_write(out, indent, BLOCK_LINE, text);
}

/* The widths of the columns; 0: left out. */
struct widths {
	size_t name, cell[BLOCK_COLUMNS_MAX], gap;
};

static size_t higher(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Returns the row's name. */
static const char *read_row(const struct block_table *table, size_t row, struct np_text cell[])
{
	for (size_t c = 0; c < table->columns; c++)
		cell[c].text[0] = '\0';
	return table->fill(table->context, row, cell);
}

static struct widths measure(const struct block_table *table)
{
	struct np_text cell[BLOCK_COLUMNS_MAX];
	struct widths w = {.name = strlen(table->heading[0]), .gap = 2};
	size_t figures = 0, columns = 0, room;

	for (size_t row = 0; row < table->rows; row++) {
		w.name = higher(w.name, strlen(read_row(table, row, cell)));
		for (size_t c = 1; c < table->columns; c++)
			w.cell[c] = higher(w.cell[c], strlen(cell[c].text));
	}
	for (size_t c = 1; c < table->columns; c++) {
		if (w.cell[c])
			w.cell[c] = higher(w.cell[c], strlen(table->heading[c]));
		figures += w.cell[c];
		columns += w.cell[c] > 0;
	}
	if (table->blanks + strlen(table->heading[0]) + figures + 2 * columns > BLOCK_COLUMNS)
		w.gap = 1;
	room = table->blanks + figures + w.gap * columns;
	room = room < BLOCK_COLUMNS ? BLOCK_COLUMNS - room : 0;
	if (w.name > room)
		w.name = higher(room, strlen(table->heading[0]));
	return w;
}

static void put_cells(FILE *out, const struct block_table *table, const struct widths *w,
		      struct np_text cell[])
{
	size_t gap = w->gap;

	/* No blanks at the end of a line. */
	for (size_t c = 1; c < table->columns; c++) {
		if (!w->cell[c])
			continue;
		if (cell[c].text[0]) {
			fprintf(out, "%*s%*s", (int)gap, "", (int)w->cell[c], cell[c].text);
			gap = w->gap;
		} else {
			gap += w->cell[c] + w->gap;
		}
	}
	fputc('\n', out);
}

void block_put_table(FILE *out, const struct block_table *table)
{
	const struct widths w = measure(table);
	struct np_text cell[BLOCK_COLUMNS_MAX];

	for (size_t c = 0; c < table->columns; c++)
		snprintf(cell[c].text, NP_TEXT, "%s", table->heading[c]);
	fprintf(out, "%*s%-*s", (int)table->blanks, "", (int)w.name, table->heading[0]);
	put_cells(out, table, &w, cell);
	for (size_t row = 0; row < table->rows; row++) {
		const char *name = read_row(table, row, cell);
		bool any = false;

		for (size_t c = 1; c < table->columns; c++)
			any |= cell[c].text[0] != '\0';
		fprintf(out, "%*s%-*s", (int)table->blanks, "",
			any || table->empty ? (int)w.name : 0, name);
		if (strlen(name) > w.name)
			fprintf(out, "\n%*s", (int)(table->blanks + w.name), "");
		if (!any && table->empty)
			fprintf(out, "  %s\n", table->empty);
		else
			put_cells(out, table, &w, cell);
	}
}

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
	const struct np_drops_counts *dropped = block->dropped[NP_BLOCK_SENDER];
	const struct np_result *r = &block->result;

	if (block->unconfirmed || block->repaired || !dropped)
		return 0;
	if (r->lost.known == NP_EXACT && !r->lost.n)
		return dropped->packets;
	if (!dropped->exact || r->lost_sender_host.known != NP_EXACT)
		return 0;
	return dropped->packets - np_least(dropped->packets, r->lost_sender_host.n);
}

/* "638 SOCKET_RCVBUFF, 50 NETFILTER_DROP (nft_do_chain)" of both hosts. */
static void put_reasons(FILE *out, const struct np_block *block)
{
	char list[NP_DROPS_TEXT], text[NP_DROPS_TEXT + BLOCK_ROOM];

	for (unsigned i = NP_BLOCK_SENDER; i <= NP_BLOCK_RECEIVER; i++) {
		const bool sender = i == NP_BLOCK_SENDER;
		const struct np_drops_counts *dropped = block->dropped[i];
		const uint64_t again = sender ? retried(block) : 0;

		if (!dropped || !dropped->known || !dropped->packets || dropped->copies)
			continue;
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

void np_block_figures(FILE *out, const char *name, const struct np_histogram_figures *times,
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
	np_block_figures(out, name, &f, "");
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

void np_block_print(FILE *out, struct np_block *block)
{
	const struct np_result *r = &block->result;
	const bool several = block->rows > 1;
	char remark[64] = " (one clock)", text[BLOCK_ROOM + NP_BLOCK_HEADERS] = "";

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
		put_reasons(out, block);
		put_order(out, r);
	}
	if (block->delay_bound >= 0)
		snprintf(remark, sizeof(remark), " (clocks within %s)",
			 np_units_format_latency(block->delay_bound).text);
	np_block_figures(out, "  delay         ", &block->delay, remark);
	np_block_figures(out, "  round trip    ", &block->rtt, "");
	put_tcp(out, &block->tcp);
	if (block->unconfirmed || block->repaired)
		put_reasons(out, block);
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
	put_rows(out, block);
	for (size_t i = 0; i < block->rows; i++) {
		const struct np_block_row *row = &block->row[i];

		if (!row->headers[0])
			continue;
		snprintf(text, sizeof(text), "  headers       %.99s%s%s", several ? row->name : "",
			 several ? ": " : "", row->headers);
		block_write(out, BLOCK_INDENT, BLOCK_PHRASES, text);
	}
	if (block->full)
		np_block_print_full(out, block);
}

#define DAMAGE_INDENT 15
#define RUNS_SHOWN    8

void np_block_damage(FILE *out, const char *head, int width, const struct np_damage *damage,
		     unsigned layout)
{
	const size_t most = layout == NP_REPORT_FULL ? damage->runs : RUNS_SHOWN;
	const size_t shown = np_least(damage->runs, most);
	const uint64_t others = damage->runs - shown + damage->runs_unlisted;
	char text[256] = "";

	for (int class = NP_PATTERN_GOOD + 1; class < NP_PATTERN_CLASSES; class ++) {
		if (damage->sectors[class])
			np_text_append(text, sizeof(text), "%s %" PRIu64 " %s", text[0] ? "," : ":",
				       damage->sectors[class],
				       np_pattern_class_name((enum np_pattern_class) class));
	}
	np_block_line(out, DAMAGE_INDENT, "%s%*" PRIu64 " sector%s%s", head, width, damage->total,
		      np_plural(damage->total), text);
	if (layout == NP_REPORT_ORIGINAL)
		return;
	for (const struct np_damage_run *bad = damage->run; bad < damage->run + shown; bad++) {
		snprintf(text, sizeof(text), "%*sLBA %" PRIu64, DAMAGE_INDENT, "", bad->lba);
		if (bad->sectors > 1)
			np_text_append(text, sizeof(text), " to %" PRIu64 " (%" PRIu64 " sectors)",
				       bad->lba + bad->sectors - 1, bad->sectors);
		np_text_append(text, sizeof(text), ": %s", np_pattern_class_name(bad->kind));
		if (bad->kind == NP_PATTERN_MISPLACED)
			np_text_append(text, sizeof(text), ", begins with number %" PRIu64,
				       bad->found);
		block_write(out, DAMAGE_INDENT + 2, BLOCK_LINE, text);
	}
	if (others)
		fprintf(out, "%*sand %" PRIu64 " more run%s\n", DAMAGE_INDENT, "", others,
			np_plural(others));
}

#define TARGET_INDENT  12
#define KNEE_TOLERANCE 0.97

int np_block_knee(const double *rate, size_t count)
{
	double best = 0;

	for (size_t i = 0; i < count; i++)
		best = rate[i] > best ? rate[i] : best;
	for (size_t i = 0; i < count; i++) {
		if (rate[i] > 0 && rate[i] >= best * KNEE_TOLERANCE)
			return (int)i;
	}
	return -1;
}

void np_block_target_heading(FILE *out, const char *noun, const char *unit, const char *per_s,
			     const char *count, const char *lost)
{
	fprintf(out, "%-17s %8s %9s %10s %7s %.4s %%     p50     p99\n", noun, unit, per_s, count,
		lost, lost);
}

void np_block_target(FILE *out, const struct np_block_target *t)
{
	struct np_text p50 = {"-"}, p99 = {"-"};

	if (t->delay.count) {
		p50 = np_units_format_latency(t->delay.p50);
		p99 = np_units_format_latency(t->delay.p99);
	}
	np_block_line(out, TARGET_INDENT,
		      "%-17.17s %8s %9s %10" PRIu64 " %7" PRIu64 " %6.2f %7s %7s%s", t->name,
		      t->rate, t->per_s, t->count, t->lost, np_loss_percent(t->lost, t->count),
		      p50.text, p99.text, t->rest);
}
