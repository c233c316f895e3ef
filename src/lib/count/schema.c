// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* schema: walks tables of columns. */
#include <netperf/schema.h>

#include <inttypes.h>
#include <netperf/report.h>
#include <stdio.h>

#define NAME_ROOM 64

const struct np_count *np_column_of(const struct np_column *column, const void *values)
{
	return (const struct np_count *)((const char *)values + column->offset);
}

static struct np_count add(const struct np_count *a, const struct np_count *b)
{
	struct np_count sum = {.n = a->n + b->n, .known = NP_AT_LEAST};

	if (a->known == NP_EXACT && b->known == NP_EXACT)
		sum.known = NP_EXACT;
	else if (a->known == NP_UNKNOWN && b->known == NP_UNKNOWN)
		sum = (struct np_count){.known = NP_UNKNOWN};
	return sum;
}

void np_schema_add(const struct np_column *columns, void *sum, const void *more)
{
	for (const struct np_column *c = columns; c->name; c++) {
		struct np_count *to = (struct np_count *)((char *)sum + c->offset);

		*to = add(to, np_column_of(c, more));
	}
}

void np_schema_record(struct np_record *record, const struct np_column *columns, const void *values,
		      const char *unit)
{
	char name[NAME_ROOM];

	for (const struct np_column *c = columns; c->name; c++) {
		const struct np_count *count = np_column_of(c, values);

		if (count->known != NP_EXACT)
			continue;
		snprintf(name, sizeof(name), "%s_%s", c->name, unit);
		np_record_count(record, name, count->n);
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
