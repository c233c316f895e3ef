// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * options_check: looks up rows and what was typed for them; checks by the rows which of the given
 * options can be combined, and refuses one by the name that the user gave it.
 */
#include "options.h"

#include <stdarg.h>
#include <string.h>

const struct np_option *option_called(const struct np_options *options, const char *name,
				      bool operands)
{
	for (size_t i = 0; i < options->count; i++) {
		if (!strcmp(options->table[i].name, name))
			return &options->table[i];
	}
	for (size_t i = 0; operands && i < options->operand_count; i++) {
		if (!strcmp(options->operands[i].name, name))
			return &options->operands[i];
	}
	return NULL;
}

const char *np_options_typed(const struct np_options *options,
			     const struct np_options_result *result, const char *name)
{
	const struct np_option *row = option_called(options, name, false);

	return row ? result->typed[row - options->table] : NULL;
}

char *option_object(const struct np_options *options, const struct np_options_result *result,
		    const struct np_option *row, char *out, size_t room)
{
	const char *typed = result->typed[row - options->table];
	const char *text = typed ? typed : row->initial;
	char what[64];

	option_title(options, result, row, what, sizeof(what));
	snprintf(out, room, text ? "%s '%s'" : "%s", what, text);
	return out;
}

int np_options_refuse(const struct np_options *options, const struct np_options_result *result,
		      const struct np_log *log, const char *name, const char *format, ...)
{
	const struct np_option *row = option_called(options, name, false);
	char reason[256], object[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (!row)
		return np_log_refuse(log, name, "%s", reason);
	return np_log_refuse(log, option_object(options, result, row, object, sizeof(object)), "%s",
			     reason);
}

int np_options_exclude(const struct np_options *options, const struct np_options_result *result,
		       const char *with, const struct np_option_clash *others,
		       const struct np_log *log)
{
	for (const struct np_option_clash *other = others; other->other; other++) {
		if (np_options_given(options, result, other->other))
			return np_options_refuse(
				options, result, log, other->other, "does not go with %s%s%s", with,
				other->why ? ": " : "", other->why ? other->why : "");
	}
	return -1;
}

const struct np_option_clash *option_clash_with_none(const struct np_options *options)
{
	for (size_t i = 0; i < options->count; i++) {
		const struct np_option_clash *clash = options->table[i].clashes;

		for (; clash && clash->other; clash++) {
			if (!option_called(options, clash->other, true))
				return clash;
		}
	}
	return NULL;
}

static bool has_scope(const struct np_option_scope *scope)
{
	return scope->modes || scope->otherwise;
}

/* The first scope of the row that does not apply, or NULL. */
static const struct np_option_scope *unmet(const struct np_options *options,
					   const struct np_option *row, unsigned modes)
{
	const struct np_option_scope *scope = has_scope(row->scope) ? row->scope : options->scope;

	for (size_t i = 0; i < NP_OPTION_SCOPES && scope[i].otherwise; i++) {
		if (!(scope[i].modes & modes))
			return &scope[i];
	}
	return NULL;
}

/* The first clash of the row with another option that was given, or NULL. */
static const struct np_option_clash *clash_of(const struct np_options *options,
					      const struct np_options_result *result,
					      const struct np_option *row)
{
	const struct np_option_clash *clash = row->clashes;

	for (; clash && clash->other; clash++) {
		if (np_options_given(options, result, clash->other))
			return clash;
	}
	return NULL;
}

static int refuse_clash(const struct np_options *options, const struct np_options_result *result,
			const struct np_option_clash *clash, const char *object,
			const struct np_log *log)
{
	char other[64];

	if (clash->message)
		return np_log_refuse(log, object, "%s", clash->message);
	option_title(options, result, option_called(options, clash->other, true), other,
		     sizeof(other));
	return np_log_refuse(log, object, "does not go with %s: %s", other, clash->why);
}

/* The name of the row in the message. */
static const char *object_of(const struct np_options *options,
			     const struct np_options_result *result, const struct np_option *row,
			     char *out, size_t room)
{
	if (!options->terse)
		return option_object(options, result, row, out, room);
	return option_title(options, result, row, out, room);
}

int np_options_check(const struct np_options *options, const struct np_options_result *result,
		     unsigned modes, const struct np_log *log)
{
	char object[512];

	for (size_t i = 0; i < options->count; i++) {
		const struct np_option *row = &options->table[i];
		const struct np_option_scope *scope = unmet(options, row, modes);

		if (result->given[i] && scope)
			return np_log_refuse(
				log, object_of(options, result, row, object, sizeof(object)), "%s",
				scope->otherwise);
	}
	for (size_t i = 0; i < options->count; i++) {
		const struct np_option *row = &options->table[i];
		const struct np_option_clash *clash = clash_of(options, result, row);

		if (result->given[i] && clash)
			return refuse_clash(options, result, clash,
					    object_of(options, result, row, object, sizeof(object)),
					    log);
	}
	return -1;
}
