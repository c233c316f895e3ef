// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh_report: the report of a mesh for people: matrices and the extreme pairs; and the JSON of
 * pairs, of their sums, and of what the ranks' hosts dropped.
 */
#include "mesh_state.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netperf/result.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define CELL  7
#define LABEL 12
/* Pairs that sent nothing, and ranks whose hosts dropped packets, named one by one, at most. */
#define NAMED 8

/* What np_drops_format begins with: here it is not this host. */
#define THIS_HOST "lost in this host: "

/* A mesh folded into as many rows and columns as fit on a screen. Pure. */
struct grid_cell {
	struct mesh_sum sum;
	uint64_t delays; /* pairs with a delay */
	np_time delay;	 /* the largest median of these */
};

struct grid {
	const struct np_mesh *mesh;
	uint32_t each;		 /* ranks of a row or column */
	uint32_t side;		 /* rows, and columns */
	struct grid_cell *cells; /* row by row; one more of each has the sums */
};

static struct grid_cell *cell_of(const struct grid *grid, uint32_t row, uint32_t column)
{
	return &grid->cells[(size_t)row * (grid->side + 1) + column];
}

static void add(struct grid_cell *cell, const struct np_mesh_pair *pair)
{
	mesh_sum_add(&cell->sum, pair);
	if (!pair->delay.count)
		return;
	if (!cell->delays++ || pair->delay.p50 > cell->delay)
		cell->delay = pair->delay.p50;
}

/* Of a settled mesh; at most @columns of them, at least 2. Returns 0 or -ENOMEM. */
static int grid_make(struct grid *grid, const struct np_mesh *mesh, unsigned columns)
{
	const uint32_t ranks = mesh->plan.ranks;
	const uint32_t room = columns < 2 ? 2 : columns;
	const uint32_t each = (ranks + room - 1) / room, side = (ranks + each - 1) / each;

	*grid = (struct grid){.mesh = mesh, .each = each, .side = side};
	grid->cells = calloc((size_t)(side + 1) * (side + 1), sizeof(*grid->cells));
	if (!grid->cells)
		return -ENOMEM;
	for (size_t i = 0; i < mesh->count; i++) {
		const struct np_mesh_pair *pair = &mesh->pairs[i];
		const uint32_t from = pair->from / each, to = pair->to / each;

		if (to >= side)
			continue; /* it is no rank */
		add(cell_of(grid, from, to), pair);
		add(cell_of(grid, from, side), pair);
		add(cell_of(grid, side, to), pair);
		add(cell_of(grid, side, side), pair);
	}
	return 0;
}

/* What a matrix shows of a cell. */
enum figure { RATE, LOSS, DELAY };

static struct np_text number_text(double value)
{
	return np_text_of(value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

/*
 * What stands for a figure that a cell has not: "." no pair of the pattern, "-" pairs that sent
 * nothing, "?" pairs of which it is not known; NULL: it has one.
 */
static const char *blank(const struct grid_cell *cell, enum figure figure)
{
	const struct mesh_sum *sum = &cell->sum;
	const uint64_t without = sum->unknown + sum->silent + (figure == RATE ? sum->unrated : 0);

	if (!sum->pairs)
		return ".";
	if (sum->silent == sum->pairs)
		return "-";
	return without == sum->pairs || (figure == DELAY && !cell->delays) ? "?" : NULL;
}

static struct np_text cell_text(const struct grid *grid, const struct grid_cell *cell,
				enum figure figure)
{
	const double percent = np_loss_percent(cell->sum.lost, cell->sum.received + cell->sum.lost);
	const double unit = grid->mesh->words.rates_in_bytes ? 1 : 8;
	const double ms = (double)cell->delay / (double)NP_MILLISECOND;

	if (blank(cell, figure))
		return np_text_of("%s", blank(cell, figure));
	if (figure == RATE)
		return number_text(cell->sum.pair_rates_bytes_per_s * unit / 1e6);
	if (figure == DELAY)
		return fabs(ms) < 0.1 ? np_text_of("%.3f", ms) : number_text(ms);
	if (cell->sum.lost && percent < 0.01)
		return np_text_of("<.01");
	return cell->sum.lost ? number_text(percent) : np_text_of("0");
}

static void put_matrix(FILE *out, const struct grid *grid, enum figure figure)
{
	static const char *const ends[] = {[RATE] = "sum", [LOSS] = "all", [DELAY] = "most"};

	fprintf(out, "%*s", LABEL, "from\\to");
	for (uint32_t to = 0; to < grid->side; to++)
		fprintf(out, "%*u", CELL, to * grid->each);
	fprintf(out, "%*s\n", CELL + 1, ends[figure]);
	for (uint32_t from = 0; from <= grid->side; from++) {
		const uint32_t first = from * grid->each;
		const uint64_t end = np_least(first + grid->each, grid->mesh->plan.ranks);
		struct np_text label = np_text_of("%s", ends[figure]);

		/* "7", or "32-63". */
		if (from < grid->side)
			label = np_text_of(first + 1 == end ? "%u" : "%u-%" PRIu64, first, end - 1);
		fprintf(out, "%*s", LABEL, label.text);
		for (uint32_t to = 0; to <= grid->side; to++)
			fprintf(out, "%*s", to < grid->side ? CELL : CELL + 1,
				cell_text(grid, cell_of(grid, from, to), figure).text);
		fputc('\n', out);
	}
}

static void put_rank(FILE *out, const struct np_mesh *mesh, uint32_t rank)
{
	const char *host = launch_host(mesh->launch, rank);

	fprintf(out, host ? "rank %u (%s)" : "rank %u", rank, host);
}

static void put_ranks(FILE *out, const struct np_mesh *mesh, const struct np_mesh_pair *pair)
{
	put_rank(out, mesh, pair->from);
	fputs(" to ", out);
	put_rank(out, mesh, pair->to);
}

/* Where packets came twice, one that was dropped may be the copy of one that came. */
static struct np_result lost_of_sum(const struct mesh_sum *sum)
{
	struct np_result result = {.lost = NP_COUNT_EXACT(sum->lost)};

	np_result_attribute(&result, NULL, &sum->dropped_from, &sum->dropped_to,
			    !sum->exact || sum->duplicates);
	return result;
}

static struct np_result lost_of_pair(const struct np_mesh_pair *pair)
{
	struct mesh_sum one = {.pairs = 0};

	mesh_sum_add(&one, pair);
	return lost_of_sum(&one);
}

/* Where they were lost, if that is known to the packet. */
static void put_where(FILE *out, const struct np_result *where)
{
	if (where->lost.n && where->lost_path.known == NP_EXACT)
		fprintf(out,
			"  lost: sender host %" PRIu64 ", path %" PRIu64 ", receiver host %" PRIu64
			"\n",
			where->lost_sender_host.n, where->lost_path.n, where->lost_receiver_host.n);
}

/* All bytes over the time from the first arrival to the last; a negative number: unknown. */
static double sum_rate(const struct mesh_sum *sum)
{
	if (sum->last > sum->first)
		return np_units_rate(sum->bytes, sum->last - sum->first);
	return sum->bytes || sum->unknown == sum->pairs ? -1 : 0;
}

static struct np_text rate_text(const struct np_mesh *mesh, double bytes_per_s)
{
	if (bytes_per_s < 0)
		return (struct np_text){"rate unknown"};
	return np_rate_format(bytes_per_s, mesh->words.rates_in_bytes);
}

static void put_pair(FILE *out, const struct np_mesh *mesh, const char *what,
		     const struct np_mesh_pair *pair)
{
	const struct np_result lost = lost_of_pair(pair);

	fprintf(out, "%s: ", what);
	put_ranks(out, mesh, pair);
	fprintf(out, ": %s, ",
		rate_text(mesh, pair->received && pair->elapsed <= 0 ? -1 : mesh_rate(pair)).text);
	fprintf(out, "%" PRIu64 " of %" PRIu64 " %s lost (%.4g %%)%s\n", pair->lost,
		pair->received + pair->lost, mesh->words.unit, np_mesh_loss(pair),
		pair->exact ? "" : ", at least");
	put_where(out, &lost);
}

static void put_sums(FILE *out, const struct np_mesh *mesh, const struct mesh_sum *sum)
{
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(mesh), *slowest;
	const struct np_result lost = lost_of_sum(sum);
	bool slow;

	if (sum->unknown < sum->pairs) {
		fprintf(out, "all: %s", rate_text(mesh, sum_rate(sum)).text);
		if (sum->last > sum->first)
			fprintf(out, " over %.3f s", np_clock_seconds(sum->last - sum->first));
		fprintf(out, ", %" PRIu64 " of %" PRIu64 " %s lost\n", sum->lost,
			sum->received + sum->lost, mesh->words.unit);
		put_where(out, &lost);
	}
	if (sum->unknown)
		fprintf(out,
			"unknown: %" PRIu64 " of %" PRIu64 " pairs; one end reported %" PRIu64
			" %s sent, %" PRIu64 " received\n",
			sum->unknown, sum->pairs, sum->unknown_sent, mesh->words.unit,
			sum->unknown_received);
	slowest = mesh_slowest(mesh, &slow);
	if (slow)
		put_pair(out, mesh, "slowest", slowest);
	else if (slowest && mesh->count > 1)
		fputs("no pair is slower than the others\n", out);
	if (lossiest)
		put_pair(out, mesh, "worst loss", lossiest);
	else if (sum->received)
		fputs("worst loss: none\n", out);
}

void np_mesh_print_dropped(const struct np_mesh *mesh, FILE *out)
{
	size_t named = 0, unknowns = 0;
	char text[NP_DROPS_TEXT];
	uint32_t first = 0;

	for (uint32_t i = 0; i < mesh->plan.ranks; i++) {
		const struct np_drops_counts *counts = np_mesh_dropped(mesh, i);

		if (counts && !counts->known && !unknowns++)
			first = i;
		if (!counts || !counts->known || !counts->packets || named++ >= NAMED)
			continue;
		fputs("dropped in the host of ", out);
		put_rank(out, mesh, i);
		fprintf(out, ": %s\n", np_drops_format(counts, NULL, text) + strlen(THIS_HOST));
	}
	if (named > NAMED)
		fprintf(out, "dropped in the hosts of %zu more rank%s\n", named - NAMED,
			np_plural(named - NAMED));
	/* Without a loss the drops do not matter. */
	if (!unknowns || !np_mesh_lossiest(mesh))
		return;
	fprintf(out, "of the hosts of %zu rank%s it is not known what they dropped; ", unknowns,
		np_plural(unknowns));
	put_rank(out, mesh, first);
	fprintf(out, ": %s\n",
		mesh->hosts[first]->why[0] ? mesh->hosts[first]->why : "not counted");
}

/* "ttcp: TCP mesh of 8 ranks, 56 pairs, 64 KiB messages, 10.00 s" */
static void put_title(FILE *out, const struct np_mesh *mesh, const struct mesh_sum *sum)
{
	const struct np_mesh_words *words = &mesh->words;

	fprintf(out, "%s: %s mesh of %" PRIu32 " ranks", words->program, words->transport,
		mesh->plan.ranks);
	if (mesh->plan.senders)
		fprintf(out, ", %" PRIu32 " of them send", mesh->plan.senders);
	else if (mesh->plan.pattern != NP_MESH_ALL)
		fprintf(out, ", %s", np_mesh_patterns[mesh->plan.pattern]);
	fprintf(out, ", %" PRIu64 " pair%s", sum->pairs, np_plural(sum->pairs));
	if (words->bytes && words->bytes % 1024)
		fprintf(out, ", %" PRIu64 "-byte %s", words->bytes, words->unit);
	else if (words->bytes)
		fprintf(out, ", %" PRIu64 " KiB %s", words->bytes / 1024, words->unit);
	if (sum->last > sum->first)
		fprintf(out, ", %.2f s", np_clock_seconds(sum->last - sum->first));
	fputc('\n', out);
}

void mesh_print(const struct np_mesh *mesh, unsigned columns, FILE *out)
{
	const struct mesh_sum sum = mesh_total(mesh);
	const struct np_mesh_words *words = &mesh->words;
	struct winsize size = {0};
	uint64_t silent = 0;
	char missing[2048];
	struct grid grid;

	if (!columns)
		columns = ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_col < 40 ? 100
										    : size.ws_col;
	if (columns < 40)
		columns = 40;
	put_title(out, mesh, &sum);
	if (mesh->launch && launch_missing(mesh->launch))
		fprintf(out, "missing: %s\n",
			launch_describe_missing(mesh->launch, missing, sizeof(missing)));
	if (!grid_make(&grid, mesh, (columns - LABEL - CELL - 1) / CELL)) {
		if (grid.each > 1)
			fprintf(out, "Each row and column is %u ranks.\n", grid.each);
		fprintf(out, "\nRate, %s:\n", words->rates_in_bytes ? "MB/s" : "Mbit/s");
		put_matrix(out, &grid, RATE);
		fputs("\nLoss, %:\n", out);
		put_matrix(out, &grid, LOSS);
		if (words->delay && cell_of(&grid, grid.side, grid.side)->delays) {
			fprintf(out, "\nMedian %s, ms:\n", words->delay);
			put_matrix(out, &grid, DELAY);
		}
		fputc('\n', out);
		free(grid.cells);
	}
	put_sums(out, mesh, &sum);
	np_mesh_print_dropped(mesh, out);
	for (size_t i = 0; i < mesh->count; i++) {
		if (!mesh_silent(&mesh->pairs[i]) || silent++ >= NAMED)
			continue;
		fputs("sent nothing: ", out);
		put_ranks(out, mesh, &mesh->pairs[i]);
		fputc('\n', out);
	}
	if (silent > NAMED)
		fprintf(out, "sent nothing: %" PRIu64 " more pair%s\n", silent - NAMED,
			np_plural(silent - NAMED));
}

/* "sent_packets" and the like. */
static void record_count(const struct np_mesh *mesh, struct np_record *record, const char *what,
			 uint64_t value)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", what, mesh->words.unit);
	np_record_count(record, name, value);
}

/* Where they were lost, to the packet. */
static void record_where(const struct np_mesh *mesh, const struct np_result *where,
			 struct np_record *record)
{
	if (where->lost_path.known == NP_EXACT) {
		record_count(mesh, record, "lost_sender_host", where->lost_sender_host.n);
		record_count(mesh, record, "lost_path", where->lost_path.n);
		record_count(mesh, record, "lost_receiver_host", where->lost_receiver_host.n);
	}
	record_count(mesh, record, "lost_unattributed", where->lost_unattributed.n);
}

static void record_pair(const struct np_mesh *mesh, const struct np_mesh_pair *pair,
			struct np_record *record)
{
	const struct np_result lost = lost_of_pair(pair);
	struct np_record *delay;
	char name[64];

	np_record_count(record, "from", pair->from);
	np_record_text(record, "from_host", launch_host(mesh->launch, pair->from));
	if (pair->to == NP_MESH_OUTSIDE) {
		np_record_text(record, "to", mesh->words.outside);
	} else {
		np_record_count(record, "to", pair->to);
		np_record_text(record, "to_host", launch_host(mesh->launch, pair->to));
	}
	if (pair->parts & NP_MESH_FROM) {
		record_count(mesh, record, "sent", pair->sent);
		record_count(mesh, record, "unsent", pair->unsent);
	}
	if (pair->parts & NP_MESH_TO) {
		record_count(mesh, record, "received", pair->received);
		record_count(mesh, record, "lost", pair->lost);
		record_count(mesh, record, "duplicates", pair->duplicates);
		record_count(mesh, record, "reordered", pair->reordered);
		np_record_count(record, "bytes", pair->bytes);
		if (pair->elapsed > 0) {
			np_record_time(record, "elapsed_ns", pair->elapsed);
			np_record_number(record, "rate_bytes_per_s", mesh_rate(pair));
		}
		if (pair->delay.count && mesh->words.delay) {
			snprintf(name, sizeof(name), "%s_ns", mesh->words.delay);
			delay = np_record_object(record, name);
			np_record_time(delay, "p50", pair->delay.p50);
			np_record_time(delay, "p99", pair->delay.p99);
			np_record_time(delay, "max", pair->delay.max);
			np_record_count(delay, "count", pair->delay.count);
			if (pair->delay_bound)
				np_record_time(delay, "bound", pair->delay_bound);
		}
		record_where(mesh, &lost, record);
	}
	np_record_flag(record, "exact", pair->parts & NP_MESH_TO && pair->exact);
}

void np_mesh_record(const struct np_mesh *mesh, struct np_record *record)
{
	bool slow;
	const struct np_mesh_pair *slowest = mesh_slowest(mesh, &slow);
	const struct np_mesh_pair *lossiest = np_mesh_lossiest(mesh);
	const struct mesh_sum sum = mesh_total(mesh);
	const struct np_result lost = lost_of_sum(&sum);
	const double fairness = np_mesh_fairness(mesh);
	const struct np_launch *launch = mesh->launch;
	struct np_record *of = np_record_object(record, "mesh");

	if (!mesh->words.outside)
		np_record_text(of, "pattern", np_mesh_patterns[mesh->plan.pattern]);
	if (mesh->plan.senders)
		np_record_count(of, "senders", mesh->plan.senders);
	if (launch) {
		np_record_count(of, "ranks", launch->place.size);
		np_record_count(of, "ranks_missing", launch_missing(launch));
	}
	for (uint32_t i = 0; launch && i < launch->place.size; i++) {
		const char *why = launch_state_text((enum launch_state)launch->state[i]);
		struct np_record *one = why ? np_record_append(of, "missing") : NULL;

		np_record_count(one, "rank", i);
		np_record_text(one, "host", launch_host(launch, i));
		np_record_text(one, "why", why);
	}
	np_record_count(of, "pairs", sum.pairs);
	np_record_count(of, "pairs_unknown", sum.unknown);
	np_record_count(of, "pairs_silent", sum.silent);
	record_count(mesh, of, "sent", sum.sent);
	record_count(mesh, of, "received", sum.received);
	record_count(mesh, of, "lost", sum.lost);
	record_where(mesh, &lost, of);
	record_count(mesh, of, "unknown_sent", sum.unknown_sent);
	record_count(mesh, of, "unknown_received", sum.unknown_received);
	np_record_count(of, "bytes", sum.bytes);
	if (sum_rate(&sum) >= 0) {
		np_record_time(of, "elapsed_ns", sum.last - sum.first);
		np_record_number(of, "rate_bytes_per_s", sum_rate(&sum));
	}
	np_record_number(of, "pair_rates_bytes_per_s", sum.pair_rates_bytes_per_s);
	np_record_number(of, "fairness", fairness < 0 ? (double)NAN : fairness);
	np_record_flag(of, "exact", sum.exact);
	if (slowest)
		record_pair(mesh, slowest, np_record_object(of, "slowest"));
	if (lossiest)
		record_pair(mesh, lossiest, np_record_object(of, "lossiest"));
}

void mesh_write_records(const struct np_mesh *mesh, struct np_report *report,
			const struct np_usage *begun, bool interrupted)
{
	const struct mesh_sum sum = mesh_total(mesh);
	const struct np_usage usage = np_usage_since(begun);
	struct np_record *record;

	for (size_t i = 0; i < mesh->count; i++) {
		record = np_record_new("pair");
		record_pair(mesh, &mesh->pairs[i], record);
		(void)np_report_write(report, record);
	}
	for (uint32_t i = 0; i < mesh->plan.ranks; i++) {
		if (!mesh->hosts[i])
			continue;
		record = np_record_new("rank");
		np_record_count(record, "rank", i);
		np_record_text(record, "host", launch_host(mesh->launch, i));
		np_record_drops(record, &mesh->hosts[i]->counts);
		(void)np_report_write(report, record);
	}
	record = np_record_new("summary");
	record_count(mesh, record, "sent", sum.sent);
	record_count(mesh, record, "received", sum.received);
	record_count(mesh, record, "lost", sum.lost);
	record_count(mesh, record, "duplicates", sum.duplicates);
	np_record_count(record, "bytes", sum.bytes);
	np_record_flag(record, "exact", sum.exact);
	np_mesh_record(mesh, record);
	np_record_usage(record, &usage);
	np_record_flag(record, "interrupted", interrupted);
	(void)np_report_write(report, record);
}
