// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* record: builds one result as a JSON object, member by member. */
#include "record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX ((UINT64_C(1) << 53) - 1) /* doubles represent every integer up to this */

/* Names from a disk or a command line need not be UTF-8; invalid bytes become '?'. */
json_t *record_string(const char *value)
{
	json_t *text = json_string(value);
	char *plain;

	if (text)
		return text;
	plain = strdup(value);
	for (char *c = plain; c && *c; c++)
		*c = (unsigned char)*c < 128 ? *c : '?';
	text = plain ? json_string(plain) : NULL;
	free(plain);
	return text;
}

struct np_record *np_record_new(const char *type)
{
	struct np_record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->json = json_object();
	clock_gettime(CLOCK_REALTIME, &record->made);
	np_record_text(record, "type", type);
	return record;
}

void np_record_free(struct np_record *record)
{
	if (!record)
		return;
	json_decref(record->json);
	csv_row_free(record->row);
	while (record) {
		struct np_record *next = record->next;

		free(record);
		record = next;
	}
}

static void set(struct np_record *record, const char *name, json_t *value)
{
	if (record && json_object_set_new(record->json, name, value))
		record->failed = true;
	else if (!record)
		json_decref(value);
}

void record_stamp(struct np_record *record)
{
	char day[24], text[48];
	struct tm tm;

	if (!gmtime_r(&record->made.tv_sec, &tm) ||
	    !strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	snprintf(text, sizeof(text), "%s.%09ldZ", day, record->made.tv_nsec);
	np_record_text(record, "time", text);
}

/* Readers such as jq use doubles for numbers: larger integers become strings to stay exact. */
void np_record_count(struct np_record *record, const char *name, uint64_t value)
{
	char text[24];

	if (value <= EXACT_MAX) {
		set(record, name, json_integer((json_int_t)value));
		return;
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	set(record, name, json_string(text));
}

void np_record_difference(struct np_record *record, const char *name, int64_t value)
{
	char text[24];

	if (value >= -(int64_t)EXACT_MAX && value <= (int64_t)EXACT_MAX) {
		set(record, name, json_integer(value));
		return;
	}
	snprintf(text, sizeof(text), "%lld", (long long)value);
	set(record, name, json_string(text));
}

void np_record_time(struct np_record *record, const char *name, np_time value)
{
	np_record_difference(record, name, value);
}

void np_record_number(struct np_record *record, const char *name, double value)
{
	if (isfinite(value))
		set(record, name, json_real(value));
}

void np_record_text(struct np_record *record, const char *name, const char *value)
{
	if (value)
		set(record, name, record_string(value));
}

void np_record_error(struct np_record *record, const char *name, int error)
{
	struct np_record *object = np_record_object(record, name);

	np_record_count(object, "errno", (uint64_t)-error);
	np_record_text(object, "text", strerror(-error));
}

void np_record_flag(struct np_record *record, const char *name, bool value)
{
	set(record, name, json_boolean(value));
}

/* A record for @json, which its parent in the JSON tree owns. */
static struct np_record *attach(struct np_record *record, json_t *json)
{
	struct np_record *child = calloc(1, sizeof(*child));

	if (!child || !json) {
		record->failed = true;
		free(child);
		return NULL;
	}
	child->json = json;
	child->next = record->next;
	record->next = child;
	return child;
}

struct np_record *np_record_object(struct np_record *record, const char *name)
{
	if (!record)
		return NULL;
	if (!json_is_object(json_object_get(record->json, name)))
		set(record, name, json_object());
	return attach(record, json_object_get(record->json, name));
}

struct np_record *np_record_append(struct np_record *record, const char *name)
{
	json_t *array, *item = json_object();

	if (!record || !item)
		goto no_item;
	array = json_object_get(record->json, name);
	if (!array) {
		set(record, name, json_array());
		array = json_object_get(record->json, name);
	}
	if (json_array_append(array, item))
		goto no_item;
	json_decref(item);
	return attach(record, item);
no_item:
	json_decref(item);
	if (record)
		record->failed = true;
	return NULL;
}
