// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_check: checks by their rows which of the given options can be combined. */
#include "options.h"

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
