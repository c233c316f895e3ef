// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_plot: a mesh as a heat map by gnuplot: a file of data, a script, a picture. */
#include "mesh_state.h"

#include <errno.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>

/* Rows and columns of the picture at most: beyond, ranks are grouped. */
#define MOST 256

static void put_cell(FILE *out, const struct grid *grid, uint32_t from, uint32_t to)
{
	const struct grid_cell *cell = &grid->cells[(size_t)from * grid->columns + to];
	const uint64_t all = cell->sum.received + cell->sum.lost;
	const bool known = cell->sum.pairs > cell->sum.unknown;

	fprintf(out, "%u %u", from * grid->each, to * grid->each);
	if (known)
		fprintf(out, " %.6f", cell->sum.pair_rates_bytes_per_s / 1e6);
	else
		fputs(" NaN", out);
	if (known && all)
		fprintf(out, " %.6f", 100 * (double)cell->sum.lost / (double)all);
	else
		fputs(" NaN", out);
	if (cell->delays)
		fprintf(out, " %.6f\n", (double)cell->delay / (double)NP_MILLISECOND);
	else
		fputs(" NaN\n", out);
}

static int write_data(const struct np_mesh *mesh, const char *path)
{
	struct grid grid;
	FILE *out;
	int rc = np_output_stream(path, NULL, &out);

	if (rc)
		return rc;
	rc = grid_make(&grid, mesh, MOST);
	if (!rc)
		fputs("# from to rate_MB/s loss_% delay_ms\n", out);
	for (uint32_t from = 0; !rc && from < grid.rows; from++) {
		for (uint32_t to = 0; to < grid.columns; to++)
			put_cell(out, &grid, from, to);
		fputc('\n', out);
	}
	if (!rc)
		grid_free(&grid);
	else
		np_output_close(out);
	return rc ? rc : np_output_close(out);
}

static void write_script(FILE *out, const char *path, const void *context)
{
	(void)context;
	fputs("set terminal png size 1500,700\nset output ", out);
	np_gnuplot_quote(out, path, ".png");
	fputs("\nset multiplot layout 1,2\nset xlabel 'to rank'\nset ylabel 'from rank'\n"
	      "set key off\nset yrange [*:*] reverse\nset cbrange [0:*]\n"
	      "set title 'rate, MB/s'\nplot ",
	      out);
	np_gnuplot_quote(out, path, "");
	fputs(" using 2:1:3 with image\nset cbrange [0:*]\nset title 'loss, %'\nplot ", out);
	np_gnuplot_quote(out, path, "");
	fputs(" using 2:1:4 with image\nunset multiplot\n", out);
}

int np_mesh_plot(const struct np_mesh *mesh, const char *path, const struct np_log *log)
{
	const int rc = np_gnuplot_nameable(path) ? write_data(mesh, path) : -EINVAL;

	if (!rc)
		return np_gnuplot_plot(path, write_script, NULL, log);
	np_log_error(log, path, "%s", np_output_reason(rc));
	return rc;
}

int np_mesh_probe_plot(const struct np_mesh_options *options, uint32_t rank,
		       const struct np_log *log)
{
	const char *path = rank ? NULL : options->plot;
	const int rc = path ? np_output_probe(path) : 0;

	if (rc)
		return np_log_refuse(log, path, "%s", np_output_reason(rc));
	return path && np_gnuplot_probe(path, log) ? 2 : 0;
}
