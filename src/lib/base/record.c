// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * record: builds one result as a JSON object, member by member; and the one that starts a run:
 * program, host, time, and every option's value.
 */
#include "record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define EXACT_MAX ((UINT64_C(1) << 53) - 1) /* doubles represent every integer up to this */

/* Names from a disk or a command line need not be UTF-8; invalid bytes become '?'. */
static json_t *record_string(const char *value)
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
	char day[24], text[48];
	struct tm tm;

	if (!record)
		return NULL;
	record->json = json_object();
	np_record_text(record, "type", type);
	clock_gettime(CLOCK_REALTIME, &record->made);
	if (gmtime_r(&record->made.tv_sec, &tm) &&
	    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &tm)) {
		snprintf(text, sizeof(text), "%s.%09ldZ", day, record->made.tv_nsec);
		np_record_text(record, "time", text);
	}
	return record;
}

void np_record_free(struct np_record *record)
{
	if (!record)
		return;
	json_decref(record->json);
	free(record->flow);
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

/* Readers such as jq use doubles for numbers: larger integers become strings to stay exact. */
void np_record_count(struct np_record *record, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	set(record, name, value <= EXACT_MAX ? json_integer((json_int_t)value) : json_string(text));
}

void np_record_time(struct np_record *record, const char *name, np_time value)
{
	const bool exact = value >= -(int64_t)EXACT_MAX && value <= (int64_t)EXACT_MAX;
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	set(record, name, exact ? json_integer(value) : json_string(text));
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

void np_record_adopt(struct np_record *record, const char *name, struct np_record *member)
{
	if (!member)
		return;
	(void)json_object_del(member->json, "type");
	(void)json_object_del(member->json, "time");
	if (record)
		set(record, name, json_incref(member->json));
	np_record_free(member);
}

struct np_record *np_record_append(struct np_record *record, const char *name)
{
	json_t *item;

	if (!record)
		return NULL;
	if (!json_object_get(record->json, name))
		set(record, name, json_array());
	item = json_object();
	if (json_array_append_new(json_object_get(record->json, name), item))
		item = NULL;
	return attach(record, item);
}

static void add_list(struct np_record *record, const char *name, const char *const *item,
		     size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		record->failed |= json_array_append_new(array, record_string(item[i])) != 0;
	set(record, name, array);
}

static const char *unit_of(const struct np_option *row)
{
	static const char *const units[][2] = {
		{"BYTES", "bytes"},	{"PACKETS", "packets"}, {"MESSAGES", "messages"},
		{"PERCENT", "percent"}, {"IOS", "ios"},		{"MS", "ms"},
		{"NS", "ns"},		{"BITS", "bits"},	{"RUNS", "runs"},
	};

	if (row->kind == NP_OPTION_TIME)
		return "ns";
	if (row->kind == NP_OPTION_WORDS || row->kind == NP_OPTION_LIST || !row->argument)
		return NULL;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (!strcmp(row->argument, units[i][0]))
			return units[i][1];
	}
	return NULL;
}

/* A number as one; a range, or a word, as text. */
static void add_text(struct np_record *record, const char *name, const char *text)
{
	char *end = NULL;
	const double value = text ? strtod(text, &end) : 0;

	if (text && end != text && !*end)
		np_record_number(record, name, value);
	else
		np_record_text(record, name, text);
}

/* Adds a member named like the option. Unset text is left out. */
static void add_option(struct np_record *record, const struct np_option *row, const void *values)
{
	static const char *const rate_units[] = {"bits", "bytes", "packets", "ios"};
	const void *value = (const char *)values + row->offset;
	const struct np_rate *rate = value;
	const struct np_option_words *words = value;
	const struct np_option_list *list = value;
	const uint64_t *last = (const void *)((const char *)values + row->last);
	const char *unit = unit_of(row);
	const size_t length = strlen(row->name), ending = unit ? strlen(unit) : 0;
	char name[64], range[48];

	if (row->unrecorded)
		return;
	snprintf(name, sizeof(name), "%s", row->name);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	/* "chunk_size_bytes"; a unit that is in the option's name is not repeated: "packet_count".
	 */
	if (unit && !(ending > 2 && !strncmp(name, unit, ending - 1)) &&
	    (length <= ending || strcmp(name + length - ending, unit)))
		np_text_append(name, sizeof(name), "_%s", unit);
	switch (row->kind) {
	case NP_OPTION_FLAG: np_record_flag(record, name, *(const bool *)value); break;
	case NP_OPTION_COUNT:
		if (row->last && *last != *(const uint64_t *)value) {
			snprintf(range, sizeof(range), "%" PRIu64 "..%" PRIu64,
				 *(const uint64_t *)value, *last);
			np_record_text(record, name, range);
			break;
		}
		/* fallthrough */
	case NP_OPTION_TOS:
	case NP_OPTION_SIZE: np_record_count(record, name, *(const uint64_t *)value); break;
	case NP_OPTION_TIME: np_record_time(record, name, *(const np_time *)value); break;
	case NP_OPTION_UNIT_RATE:
		/* "rate_bits_per_s"; a rate that was not given is left out. */
		if (rate->per_s <= 0)
			break;
		np_text_append(name, sizeof(name), "_%s_per_s", rate_units[rate->unit]);
		np_record_number(record, name, rate->per_s);
		break;
	case NP_OPTION_NUMBER: np_record_number(record, name, *(const double *)value); break;
	case NP_OPTION_CHOICE:
		add_text(record, name, row->choices[*(const unsigned *)value]);
		break;
	case NP_OPTION_TEXT:
		if (row->negative || unit)
			add_text(record, name, *(const char *const *)value);
		else
			np_record_text(record, name, *(const char *const *)value);
		break;
	case NP_OPTION_WORDS:
		if (words->given)
			add_list(record, name, words->word, words->count);
		break;
	case NP_OPTION_LIST: add_list(record, name, list->item, list->count); break;
	}
}

struct np_record *np_record_start(const struct np_options *options, const void *values)
{
	struct np_record *record = np_record_new("start"), *given;
	struct utsname system;

	if (!record)
		return NULL;
	np_record_count(record, "schema", NP_RECORD_SCHEMA);
	np_record_text(record, "program", options->program);
	np_record_text(record, "version", options->version);
	if (!uname(&system)) {
		np_record_text(record, "host", system.nodename);
		np_record_text(record, "kernel", system.release);
		np_record_text(record, "machine", system.machine);
	}
	given = np_record_object(record, "options");
	for (size_t i = 0; given && i < options->count; i++)
		add_option(given, &options->table[i], values);
	given = np_record_object(record, "operands");
	for (size_t i = 0; given && i < options->operand_count; i++)
		add_option(given, &options->operands[i], values);
	return record;
}
