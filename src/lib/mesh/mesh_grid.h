/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mesh_grid: a mesh folded into as many rows and columns as fit on a screen. Pure. */
#ifndef MESH_GRID_H
#define MESH_GRID_H

#include <netperf/mesh.h>

struct grid_cell {
	struct np_mesh_sum sum;
	uint64_t delays; /* pairs with a delay */
	np_time delay;	 /* the largest median of these */
};

struct grid {
	uint32_t ranks;
	bool rates_in_bytes;
	uint32_t each;		     /* ranks of a row or column */
	uint32_t rows, columns;	     /* columns: and one for the outside */
	const char *outside;	     /* its name, or NULL */
	struct grid_cell *cells;     /* row by row */
	struct grid_cell *from, *to; /* the sums of rows, of columns */
	struct grid_cell all;
};

/* Of a settled mesh; at most @columns of them, at least 2. Returns 0 or -ENOMEM. */
int grid_make(struct grid *grid, const struct np_mesh *mesh, unsigned columns);
void grid_free(struct grid *grid);

/* "7", or "32-63". Returns @text. */
const char *grid_label(const struct grid *grid, uint32_t row, char *text, size_t room);

#endif
