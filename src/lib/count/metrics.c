// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * metrics: adds up the rows of intervals for each flow, and writes the sums in Prometheus' text
 * format, into a file that is replaced as a whole.
 */
#include "../base/record.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/interval.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Flows with a label of their own; what does not fit is put together. */
#define FLOWS_MAX 64
/* Intervals without a row, after which a flow is over, if another one needs its place. */
#define OVER_INTERVALS 10

struct series {
	char *flow;
	struct np_result counts;
	uint64_t bytes;
	uint64_t row; /* the number of its last row */
	np_time seen; /* when that came */
	/* What follows is of that row. */
	double rate_bytes_per_s; /* < 0: unknown */
	const char *time;	 /* what the percentiles are of: "delay_ns"; NULL: there are none */
	double p50, p99;	 /* seconds */
};

struct metrics {
	char *path, *temporary;
	FILE *current; /* the file as it is, locked against other outputs */
	char prefix[32];
	const char *unit; /* of the counts */
	double started;
	np_time over;			     /* how long the places of silent flows are kept */
	np_time wrote;			     /* when the last write was */
	uint64_t rows, written;		     /* so far; by the last write */
	struct series series[FLOWS_MAX + 1]; /* the last one: those that were put together */
	size_t count;			     /* of those with a label of their own */
};

static const bool never_began = true; /* what is locked is not written to */

int metrics_open(struct metrics **metrics, const struct np_report_options *options)
{
	const struct np_output how = {.inputs = options->inputs, .never_began = &never_began};
	const char *path = options->metrics;
	struct metrics *m = calloc(1, sizeof(*m));
	struct stat found;
	uint32_t random;
	int rc = -ENOMEM;

	*metrics = m;
	if (!m)
		return rc;
	m->over = OVER_INTERVALS *
		  (options->interval ? options->interval : NP_REPORT_METRICS_INTERVAL);
	m->path = strdup(path);
	/* A name that nobody else has. */
	if (getrandom(&random, sizeof(random), 0) < 0)
		rc = -errno;
	else if (!m->path || asprintf(&m->temporary, "%s.%08x.tmp", path, random) < 0)
		m->temporary = NULL;
	else if (!lstat(m->temporary, &found))
		rc = -EEXIST;
	else if (!lstat(path, &found) && !S_ISREG(found.st_mode))
		rc = -EMEDIUMTYPE;
	else
		rc = np_output_stream(path, &how, &m->current);
	return rc;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	np_output_close(m->current);
	for (size_t i = 0; i < FLOWS_MAX; i++)
		free(m->series[i].flow);
	free(m->temporary);
	free(m->path);
	free(m);
}

/* The place for @flow: its own, a free one, that of one that is over, or all others'. */
static struct series *place_for(struct metrics *m, const char *flow)
{
	struct series *oldest = m->series, *others = &m->series[FLOWS_MAX];
	char *name;

	for (struct series *s = m->series; s < m->series + m->count; s++) {
		if (!strcmp(s->flow, flow))
			return s;
		oldest = s->row < oldest->row ? s : oldest;
	}
	/* By the last write, so that none seems over because this process was held up. */
	if (m->count == FLOWS_MAX && m->wrote - oldest->seen < m->over) {
		others->flow = "other";
		return others;
	}
	name = strdup(flow);
	if (!name)
		return NULL;
	if (m->count < FLOWS_MAX) {
		oldest = &m->series[m->count++];
	} else {
		np_schema_add(np_result_columns, &others->counts, &oldest->counts);
		others->bytes += oldest->bytes;
		others->flow = "other";
		free(oldest->flow);
	}
	*oldest = (struct series){.flow = name};
	return oldest;
}

static uint64_t whole_of(const json_t *value)
{
	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10)
				     : (uint64_t)json_integer_value(value);
}

static int add_row(struct metrics *m, const struct np_record *record)
{
	struct series *s = place_for(m, record->flow);
	const json_t *rate = json_object_get(record->json, "rate_bytes_per_s"), *times = NULL;
	char name[64];

	if (!s)
		return -ENOMEM;
	for (const struct np_column *c = np_result_columns; c->name; c++) {
		struct np_count *sum = (void *)((char *)&s->counts + c->offset);
		const json_t *count;

		snprintf(name, sizeof(name), "%s_%s", c->name, record->unit);
		count = json_object_get(record->json, name);
		if (!count)
			continue;
		sum->known = NP_EXACT;
		sum->n += whole_of(count);
	}
	s->row = ++m->rows;
	s->seen = np_clock_now();
	s->bytes += whole_of(json_object_get(record->json, "bytes"));
	s->rate_bytes_per_s = json_is_number(rate) ? json_number_value(rate) : -1;
	s->time = interval_times(record->json, &times);
	s->p50 = (double)(int64_t)whole_of(json_object_get(times, "p50")) / 1e9;
	s->p99 = (double)(int64_t)whole_of(json_object_get(times, "p99")) / 1e9;
	m->unit = record->unit;
	return 0;
}

int metrics_add(struct metrics *m, const struct np_record *record)
{
	const char *program = json_string_value(json_object_get(record->json, "program"));

	if (record->unit)
		return add_row(m, record);
	if (*m->prefix || !program)
		return 0;
	snprintf(m->prefix, sizeof(m->prefix), "%s", program);
	for (char *c = m->prefix; *c; c++)
		*c = *c == '-' ? '_' : *c;
	m->started = (double)record->made.tv_sec + (double)record->made.tv_nsec / 1e9;
	return metrics_write(m, true);
}

/* "name_" with what is counted, in the program's name space; @help ends with a full stop. */
static void put_head(FILE *out, const struct metrics *m, const char *name, const char *type,
		     const char *help)
{
	fprintf(out, "# HELP %s_%s %s\n# TYPE %s_%s %s\n", m->prefix, name, help, m->prefix, name,
		type);
}

static void put_sample(FILE *out, const struct metrics *m, const char *name, const char *flow,
		       const char *more)
{
	fprintf(out, "%s_%s{flow=\"", m->prefix, name);
	for (; *flow; flow++) {
		if (*flow == '\\' || *flow == '"' || *flow == '\n')
			fputc('\\', out);
		fputc(*flow == '\n' ? 'n' : *flow, out);
	}
	fprintf(out, "\"%s} ", more);
}

/* A loss may be taken back by a late message, so it is no counter. */
static void put_counts(FILE *out, const struct metrics *m)
{
	const struct series *const end = &m->series[FLOWS_MAX + 1];
	char name[64], help[96];

	for (const struct np_column *c = np_result_columns; c->name; c++) {
		const bool lost = !strncmp(c->name, "lost", 4);
		bool any = false;

		snprintf(name, sizeof(name), "%s_%s%s", c->name, m->unit, lost ? "" : "_total");
		snprintf(help, sizeof(help), "%s_%s of netperf-json(5).", c->name, m->unit);
		for (const struct series *s = m->series; s < end; s++) {
			const struct np_count *count = np_column_of(c, &s->counts);

			if (count->known == NP_UNKNOWN)
				continue;
			if (!any)
				put_head(out, m, name, lost ? "gauge" : "counter", help);
			any = true;
			put_sample(out, m, name, s->flow, "");
			fprintf(out, "%" PRIu64 "\n", count->n);
		}
	}
	put_head(out, m, "bytes_total", "counter", "bytes of netperf-json(5).");
	for (const struct series *s = m->series; s < end; s++) {
		if (!s->flow)
			continue;
		put_sample(out, m, "bytes_total", s->flow, "");
		fprintf(out, "%" PRIu64 "\n", s->bytes);
	}
}

/* Of the last interval of the flows that had one since the last write. */
static void put_latest(FILE *out, struct metrics *m)
{
	static const char rate[] = "rate_bytes_per_second";
	char name[32] = "";

	put_head(out, m, rate, "gauge", "rate_bytes_per_s of the last interval.");
	for (const struct series *s = m->series; s < m->series + m->count; s++) {
		if (s->row <= m->written || s->rate_bytes_per_s < 0)
			continue;
		put_sample(out, m, rate, s->flow, "");
		fprintf(out, "%.15g\n", s->rate_bytes_per_s);
	}
	for (const struct series *s = m->series; s < m->series + m->count; s++) {
		if (s->row <= m->written || !s->time)
			continue;
		/* A program has times of one kind only. */
		if (!*name) {
			snprintf(name, sizeof(name), "%.*s_seconds", (int)strcspn(s->time, "_"),
				 s->time);
			put_head(out, m, name, "gauge", "Percentiles of the last interval.");
		}
		put_sample(out, m, name, s->flow, ",percentile=\"50\"");
		fprintf(out, "%.9g\n", s->p50);
		put_sample(out, m, name, s->flow, ",percentile=\"99\"");
		fprintf(out, "%.9g\n", s->p99);
	}
	m->written = m->rows;
}

int metrics_write(struct metrics *m, bool running)
{
	FILE *out;
	int rc;

	if (!*m->prefix)
		return 0;
	m->wrote = np_clock_now();
	rc = np_output_stream(m->temporary, NULL, &out);
	if (rc)
		return rc;
	put_head(out, m, "running", "gauge", "1 until the run has ended, then 0.");
	fprintf(out, "%s_running %d\n", m->prefix, running);
	put_head(out, m, "start_time_seconds", "gauge", "When the run began, since 1970.");
	fprintf(out, "%s_start_time_seconds %.3f\n", m->prefix, m->started);
	if (m->count)
		put_counts(out, m);
	if (m->count && running)
		put_latest(out, m);
	rc = np_output_flush(out);
	if (!rc && rename(m->temporary, m->path))
		rc = -errno;
	if (rc)
		(void)unlink(m->temporary);
	/* The new one is locked in place of the old one. */
	np_output_close(rc ? out : m->current);
	m->current = rc ? m->current : out;
	return rc;
}
