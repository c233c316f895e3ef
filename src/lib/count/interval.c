// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * interval: keeps reports on the grid that starts with the run, and paced events on the schedule
 * begin + k / rate, computed from k each time; writes the rows of intervals as CSV, in one layout
 * for all programs; netperf-json(5) has it.
 */
#include "../base/record.h"

#include <netperf/interval.h>
#include <string.h>

void np_interval_start(struct np_interval *interval, np_time now, np_time period)
{
	*interval = (struct np_interval){.begin = now, .mark = now, .period = period};
	np_interval_next(interval, now);
}

np_time np_interval_next(struct np_interval *interval, np_time now)
{
	const np_time length = now - interval->mark;
	const np_time passed = now > interval->begin ? now - interval->begin : 0;
	const np_time period = interval->period;

	interval->mark = now;
	/* The first moment of the grid after @now. */
	interval->due =
		period > 0 ? interval->begin + (passed / period + 1) * period : NP_TIME_NEVER;
	return length;
}

#define JITTER (10 * NP_MILLISECOND)

/* The moment of event @k: the first whole ns at which k/rate seconds have passed. */
static np_time moment_of(const struct np_pacer *pacer, uint64_t k)
{
	if (pacer->rate_per_s <= 0)
		return pacer->begin;

	/* 64 bits of mantissa represent every ns of 290 years. */
	const long double offset = (long double)k * 1e9L / (long double)pacer->rate_per_s;

	if (offset >= (long double)(NP_TIME_NEVER - pacer->begin))
		return NP_TIME_NEVER;

	const np_time whole = (np_time)offset;

	return pacer->begin + whole + ((long double)whole < offset);
}

void np_pacer_start(struct np_pacer *pacer, double rate_per_s, np_time now)
{
	*pacer = (struct np_pacer){.rate_per_s = rate_per_s, .begin = now};
}

np_time np_pacer_next(const struct np_pacer *pacer)
{
	return moment_of(pacer, pacer->count);
}

uint64_t np_pacer_allowed(const struct np_pacer *pacer, np_time now, uint64_t limit)
{
	if (pacer->rate_per_s <= 0)
		return limit;
	if (!limit || now < np_pacer_next(pacer))
		return 0;

	const long double per_ns = (long double)pacer->rate_per_s / 1e9L;
	const long double due =
		(long double)(now - pacer->begin) * per_ns + 1 - (long double)pacer->count;

	if (due >= (long double)limit)
		return limit;

	/* The product may be rounded across a whole number; the schedule decides. */
	uint64_t events = (uint64_t)due;

	while (events < limit && moment_of(pacer, pacer->count + events) <= now)
		events++;
	while (events && moment_of(pacer, pacer->count + events - 1) > now)
		events--;
	return events;
}

void np_pacer_took(struct np_pacer *pacer, np_time now, uint64_t events)
{
	const np_time behind = now - np_pacer_next(pacer);

	if (events && pacer->rate_per_s > 0 && behind > pacer->worst_behind)
		pacer->worst_behind = behind;
	pacer->count += events;
}

void np_pacer_missed(struct np_pacer *pacer, np_time end, np_time now)
{
	const np_time due = np_pacer_next(pacer);

	if (pacer->rate_per_s > 0 && due < end && end <= now && now - due > pacer->worst_behind)
		pacer->worst_behind = now - due;
}

bool np_pacer_fell_behind(np_time behind, double rate_per_s)
{
	return rate_per_s > 0 && behind > JITTER && (double)behind * rate_per_s > 1e9;
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

void np_record_interval(struct np_record *record, np_time from, np_time to, const char *flow,
			const char *unit)
{
	np_record_time(record, "from_ns", from);
	np_record_time(record, "to_ns", to);
	if (!record)
		return;
	record->unit = unit;
	record->flow = strdup(flow ? flow : "");
	record->failed |= !record->flow;
}

const char *interval_times(const json_t *record, const json_t **times)
{
	static const char *const names[] = {"delay_ns", "rtt_ns", "latency_ns"};
	size_t i = 0;

	while (i < COUNT(names) && !(*times = json_object_get(record, names[i])))
		i++;
	return i < COUNT(names) ? names[i] : NULL;
}

/* Quoted when it must be (RFC 4180). */
static void write_text(FILE *out, const char *text)
{
	const bool quote = strpbrk(text, ",\"\r\n");

	if (quote)
		fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	if (quote)
		fputc('"', out);
}

/* The next field: the member @name of @object. An unknown value leaves it empty. */
static void write_member(FILE *out, const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	fputc(',', out);
	if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.15g", json_real_value(value));
	else if (json_is_string(value))
		write_text(out, json_string_value(value));
}

void csv_write(FILE *out, const struct np_record *record, bool heading)
{
	const json_t *r = record->json, *times = NULL;
	char name[64];

	(void)interval_times(r, &times);
	if (heading) {
		fputs("time,from_ns,to_ns,flow", out);
		for (const struct np_column *c = np_result_columns; c->name; c++)
			fprintf(out, ",%s_%s", c->name, record->unit);
		fputs(",errors_sectors,bytes,rate_bytes_per_s,p50_ns,p99_ns\n", out);
	}
	write_text(out, json_string_value(json_object_get(r, "time")));
	write_member(out, r, "from_ns");
	write_member(out, r, "to_ns");
	fputc(',', out);
	write_text(out, record->flow);
	for (const struct np_column *c = np_result_columns; c->name; c++) {
		snprintf(name, sizeof(name), "%s_%s", c->name, record->unit);
		write_member(out, r, name);
	}
	write_member(out, r, "errors_sectors");
	write_member(out, r, "bytes");
	write_member(out, r, "rate_bytes_per_s");
	write_member(out, times, "p50");
	write_member(out, times, "p99");
	fputc('\n', out);
}
