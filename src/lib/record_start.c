// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * record_start: builds the record that starts a run: program, host, time, and every option's value.
 */
#include "record.h"

#include <string.h>
#include <sys/utsname.h>

static void add_list(struct np_record *record, const char *name, const char *const *item,
		     size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++) {
		if (json_array_append_new(array, record_string(item[i])))
			record->failed = true;
	}
	if (json_object_set_new(record->json, name, array))
		record->failed = true;
}

/* Adds a member named like the option, with "_" for "-": "window_size". Unset text is left out. */
static void add_option(struct np_record *record, const struct np_option *row, const void *values)
{
	const void *value = (const char *)values + row->offset;
	const struct np_option_words *words = value;
	const struct np_option_list *list = value;
	char name[64];

	snprintf(name, sizeof(name), "%s", row->name);
	for (char *c = name; *c; c++)
		*c = *c == '-' ? '_' : *c;
	switch (row->kind) {
	case NP_OPTION_FLAG: np_record_flag(record, name, *(const bool *)value); break;
	case NP_OPTION_COUNT:
	case NP_OPTION_TOS:
	case NP_OPTION_SIZE: np_record_count(record, name, *(const uint64_t *)value); break;
	case NP_OPTION_TIME:
		strncat(name, "_ns", sizeof(name) - strlen(name) - 1);
		np_record_time(record, name, *(const np_time *)value);
		break;
	case NP_OPTION_RATE:
	case NP_OPTION_NUMBER: np_record_number(record, name, *(const double *)value); break;
	case NP_OPTION_CHOICE:
		np_record_text(record, name, row->choices[*(const unsigned *)value]);
		break;
	case NP_OPTION_TEXT: np_record_text(record, name, *(const char *const *)value); break;
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
