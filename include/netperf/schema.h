/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * schema: tables of the columns of a counted struct. A column's row says where it is, what it is
 * called and how two of it add up; sums, JSON records and the result block walk the table, so that
 * a new figure is one row. Pure; not for hot loops.
 */
#ifndef NETPERF_SCHEMA_H
#define NETPERF_SCHEMA_H

#include <stddef.h>
#include <stdint.h>

#include <netperf/bits/begin.h>

/* How much is known of a count. */
enum np_known {
	NP_UNKNOWN = 0,
	NP_AT_LEAST, /* a lower bound */
	NP_EXACT,
};

struct np_count {
	uint64_t n;
	enum np_known known;
};

#define NP_COUNT_EXACT(count)	 ((struct np_count){.n = (count), .known = NP_EXACT})
#define NP_COUNT_AT_LEAST(count) ((struct np_count){.n = (count), .known = NP_AT_LEAST})

/* One struct np_count of a struct. */
struct np_column {
	const char *name; /* in JSON, before "_" and the unit of what is counted; the last NULL */
	size_t offset;
};
#define NP_COLUMN(type, member)                                                                    \
	{                                                                                          \
		.name = #member, .offset = offsetof(type, member)                                  \
	}

const struct np_count *np_column_of(const struct np_column *column, const void *values);

/*
 * Adds @more to @sum, column by column: a sum with an unknown part is a lower bound, of two unknown
 * ones unknown.
 */
void np_schema_add(const struct np_column *columns, void *sum, const void *more);

struct np_record;

/* Adds what is exact to @record, as "lost_path_messages" with @unit "messages". */
void np_schema_record(struct np_record *record, const struct np_column *columns, const void *values,
		      const char *unit);

/* Writes "12", ">= 12" or "unknown". Returns @out, of NP_COUNT_TEXT bytes. */
#define NP_COUNT_TEXT 24
char *np_count_format(const struct np_count *count, char out[NP_COUNT_TEXT]);

#include <netperf/bits/end.h>
#endif
