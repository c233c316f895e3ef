/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* output_hold: keeps in memory what is not to be in a file before the run begins. */
#ifndef OUTPUT_HOLD_H
#define OUTPUT_HOLD_H

#include <stddef.h>

struct output_hold;

/* Each returns 0 or -errno. */
int output_hold_create(struct output_hold **hold);
int output_hold_keep(struct output_hold *hold, const char *data, size_t bytes);

/* Writes all that is held to @fd. */
int output_hold_pour(struct output_hold *hold, int fd);

/* NULL is allowed. */
void output_hold_free(struct output_hold *hold);

/* write(2), all of it. */
int output_hold_write(int fd, const char *data, size_t bytes);

#endif
