// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mesh_grid: folds a mesh into rows and columns of several ranks each. */
#include "mesh_grid.h"

#include "mesh_state.h"
#include "mesh_sum.h"

#include <errno.h>
#include <stdlib.h>

static void add(struct grid_cell *cell, const struct np_mesh_pair *pair)
{
	mesh_sum_add(&cell->sum, pair);
	if (!pair->delay_count)
		return;
	if (!cell->delays++ || pair->delay_p50 > cell->delay)
		cell->delay = pair->delay_p50;
}

int grid_make(struct grid *grid, const struct np_mesh *mesh, unsigned columns)
{
	const uint32_t ranks = mesh->plan.ranks;
	const uint32_t room = columns < 2 ? 2 : columns - (mesh->words.outside ? 1 : 0);
	const uint32_t each = (ranks + room - 1) / room;

	*grid = (struct grid){.ranks = ranks,
			      .each = each,
			      .outside = mesh->words.outside,
			      .rates_in_bytes = mesh->words.rates_in_bytes};
	grid->rows = (ranks + each - 1) / each;
	/* With an outside, that is all that ranks talk to. */
	grid->columns = mesh->words.outside ? 1 : grid->rows;
	grid->cells = calloc((size_t)grid->rows * grid->columns, sizeof(*grid->cells));
	grid->from = calloc(grid->rows, sizeof(*grid->from));
	grid->to = calloc(grid->columns, sizeof(*grid->to));
	if (!grid->cells || !grid->from || !grid->to) {
		grid_free(grid);
		return -ENOMEM;
	}
	for (size_t i = 0; i < mesh->count; i++) {
		const struct np_mesh_pair *pair = &mesh->pairs[i];
		const uint32_t from = pair->from / each;
		const uint32_t to =
			pair->to == NP_MESH_OUTSIDE ? grid->columns - 1 : pair->to / each;

		if (to >= grid->columns)
			continue;
		add(&grid->cells[(size_t)from * grid->columns + to], pair);
		add(&grid->from[from], pair);
		add(&grid->to[to], pair);
		add(&grid->all, pair);
	}
	return 0;
}

void grid_free(struct grid *grid)
{
	free(grid->cells);
	free(grid->from);
	free(grid->to);
	*grid = (struct grid){.ranks = 0};
}

const char *grid_label(const struct grid *grid, uint32_t row, char *text, size_t room)
{
	const uint32_t first = row * grid->each, next = first + grid->each;
	const uint32_t last = (next < grid->ranks ? next : grid->ranks) - 1;

	if (first == last)
		snprintf(text, room, "%u", first);
	else
		snprintf(text, room, "%u-%u", first, last);
	return text;
}
