// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* schema: walks tables of columns. */
#include <netperf/flow.h>

#include <inttypes.h>
#include <netperf/report.h>
#include <stdbool.h>
#include <stdio.h>

#define NAME_ROOM 64

const struct np_count *np_column_of(const struct np_column *column, const void *values)
{
	return (const struct np_count *)((const char *)values + column->offset);
}

static struct np_count add(const struct np_count *a, const struct np_count *b)
{
	struct np_count sum = {.known = NP_AT_LEAST};

	if (a->known == NP_EXACT && b->known == NP_EXACT)
		sum.known = NP_EXACT;
	else if (a->known == NP_UNKNOWN && b->known == NP_UNKNOWN)
		sum.known = NP_UNKNOWN;
	/* What stands in an unknown one may be no lower bound, as what somebody announced. */
	if (a->known != NP_UNKNOWN)
		sum.n += a->n;
	if (b->known != NP_UNKNOWN)
		sum.n += b->n;
	return sum;
}

void np_schema_add(const struct np_column *columns, void *sum, const void *more)
{
	for (const struct np_column *c = columns; c->name; c++) {
		void *to = (char *)sum + c->offset;
		const void *from = (const char *)more + c->offset;
		uint64_t *n = to, m = c->kind == NP_COLUMN_ALL ? 0 : *(const uint64_t *)from;

		switch (c->kind) {
		case NP_COLUMN_COUNT: *(struct np_count *)to = add(to, from); break;
		case NP_COLUMN_SUM:
		case NP_COLUMN_WHOLE: *n += m; break;
		case NP_COLUMN_MOST: *n = m > *n ? m : *n; break;
		case NP_COLUMN_FIRST:
			if (m && (!*n || (np_time)m < (np_time)*n))
				*n = m;
			break;
		case NP_COLUMN_ALL: *(bool *)to &= *(const bool *)from; break;
		}
	}
}

void np_schema_since(const struct np_column *columns, void *now, const void *before)
{
	for (const struct np_column *c = columns; c->name; c++) {
		if (c->kind == NP_COLUMN_SUM)
			*(uint64_t *)((char *)now + c->offset) -=
				*(const uint64_t *)((const char *)before + c->offset);
	}
}

void np_schema_record(struct np_record *record, const struct np_column *columns, unsigned parts,
		      const void *values, const char *unit)
{
	for (const struct np_column *c = columns; c->name; c++) {
		const void *value = (const char *)values + c->offset;
		const char *of = c->unit ? c->unit : unit;
		char name[NAME_ROOM];

		if ((c->part & parts) != c->part)
			continue;
		snprintf(name, sizeof(name), "%s%s%s", c->name, of[0] ? "_" : "", of);
		if (c->kind == NP_COLUMN_ALL)
			np_record_flag(record, name, *(const bool *)value);
		else if (c->kind != NP_COLUMN_COUNT)
			np_record_time(record, name, *(const int64_t *)value);
		else if (np_column_of(c, values)->known != NP_UNKNOWN)
			np_record_count(record, name, np_column_of(c, values)->n);
	}
}

char *np_count_format(const struct np_count *count, char out[NP_COUNT_TEXT])
{
	if (count->known == NP_UNKNOWN)
		snprintf(out, NP_COUNT_TEXT, "unknown");
	else
		snprintf(out, NP_COUNT_TEXT, "%s%" PRIu64,
			 count->known == NP_EXACT ? "" : ">= ", count->n);
	return out;
}
