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

/* What a member of a struct is, and with it how two of it merge. */
enum np_column_kind {
	NP_COLUMN_COUNT, /* a struct np_count; the sum is as exact as its parts */
	NP_COLUMN_SUM,	 /* a uint64_t or np_time that adds up; differences are modulo 2^64 */
	NP_COLUMN_WHOLE, /* the same, but a difference keeps it as it is */
	NP_COLUMN_MOST,	 /* a uint64_t or np_time >= 0: the largest; a difference keeps it */
	NP_COLUMN_FIRST, /* an np_time: the earliest that is not 0; a difference keeps it */
	NP_COLUMN_ALL,	 /* a bool: whether it is true of all; a difference keeps it */
};

/* A member of a struct. */
struct np_column {
	const char *name; /* in JSON, before "_" and its unit; the last column has NULL */
	size_t offset;
	enum np_column_kind kind;
	const char *unit; /* NULL: that of what is counted; "": the name has none */
	unsigned part;	  /* in records that have all these flags; NP_COLUMN_HIDDEN: in none */
};
#define NP_COLUMN_HIDDEN 0x80000000u
#define NP_COLUMN(type, member)                                                                    \
	{                                                                                          \
		.name = #member, .offset = offsetof(type, member)                                  \
	}

/* Of a column that is NP_COLUMN_COUNT. */
const struct np_count *np_column_of(const struct np_column *column, const void *values);

/*
 * Adds @more to @sum, column by column: a sum with an unknown part is a lower bound, of two unknown
 * ones unknown.
 */
void np_schema_add(const struct np_column *columns, void *sum, const void *more);

/* Subtracts what was counted @before from @now, which has no NP_COLUMN_COUNT. */
void np_schema_since(const struct np_column *columns, void *now, const void *before);

struct np_record;

/*
 * Adds the columns of @parts to @record, as "lost_path_messages" with @unit "messages". Differences
 * may be negative; unknown counts are left out, and lower bounds are written as they are.
 */
void np_schema_record(struct np_record *record, const struct np_column *columns, unsigned parts,
		      const void *values, const char *unit);

/* Writes "12", ">= 12" or "unknown". Returns @out, of NP_COUNT_TEXT bytes. */
#define NP_COUNT_TEXT 24
char *np_count_format(const struct np_count *count, char out[NP_COUNT_TEXT]);

#include <netperf/bits/end.h>
#endif
