// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * options: parses a command line by the option table, in either grammar; checks which of the given
 * options can be combined, and refuses one by the name that the user gave it.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The rows that every program has; a value is in the result, since what they ask for is done. */
static const struct np_option everywhere[] = {
	{.name = "help",
	 .letter = 'h',
	 .lineage = "h",
	 .action = NP_OPTIONS_HELP,
	 .group = NP_GROUP_OUTPUT,
	 .help = "show this text and exit"},
	{.name = "version",
	 .letter = 'V',
	 .action = NP_OPTIONS_VERSION,
	 .group = NP_GROUP_OUTPUT,
	 .help = "show the version and exit"},
	{.name = "completion",
	 .action = NP_OPTIONS_COMPLETION,
	 .group = NP_GROUP_EXPERT,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "SHELL",
	 .bare = "bash",
	 .choices = (const char *const[]){"bash", "zsh", "fish", NULL},
	 .help = "print a completion script for bash, zsh or fish and exit"},
};
#define EVERYWHERE (sizeof(everywhere) / sizeof(everywhere[0]))

const struct np_option *option_row(const struct np_options *options, size_t index)
{
	if (index < options->count)
		return &options->table[index];
	index -= options->count;
	return index < EVERYWHERE ? &everywhere[index] : NULL;
}

/* What is known of a row after the command line; in the order of row_at. */
struct np_option_seen {
	bool given;
	char spelled;	   /* '-' by its long name, a letter by that, 0 else */
	const char *typed; /* the value's text, or NULL */
};

/* The rows of option_row, then the operands; NULL after the last. */
static const struct np_option *row_at(const struct np_options *options, size_t index)
{
	const size_t before = options->count + EVERYWHERE;

	if (index < before)
		return option_row(options, index);
	return index - before < options->operand_count ? &options->operands[index - before] : NULL;
}

static struct np_option_seen *seen(const struct np_options_result *result,
				   const struct np_option *row)
{
	size_t i = 0;

	while (row_at(result->options, i) != row)
		i++;
	return &result->seen[i];
}

static bool is_operand(const struct np_options *options, const struct np_option *row)
{
	return row >= options->operands && row < options->operands + options->operand_count;
}

/* One pass over a command line. */
struct parse {
	const struct np_options *options;
	char *const *argv;
	int argc;
	int at; /* the current argument */
	void *values;
	struct np_options_result *result;
};

/* Whether the user typed @name, which may be NULL, in @length characters. */
static bool spells(const char *name, const char *typed, size_t length)
{
	return name && strlen(name) == length && !strncmp(name, typed, length);
}

static const struct np_option *find_letter(const struct np_options *options, char letter)
{
	const struct np_option *row;

	for (size_t i = 0; (row = option_row(options, i)); i++) {
		if (row->letter == letter)
			return row;
	}
	return NULL;
}

/*
 * By its name as it was typed, without its dashes. A table row hides a built-in's letter or old
 * name when it has the same.
 */
static const struct np_option *find(const struct np_options *options, const char *name,
				    size_t length, bool single_dash)
{
	const struct np_option *row;

	for (size_t i = 0; (row = option_row(options, i)); i++) {
		if (spells(single_dash ? row->lineage : row->name, name, length) &&
		    (single_dash || !row->lineage_only))
			return row;
	}
	/* -i, -q, -v and -V are the same in all programs where no old name takes their place. */
	return single_dash && length == 1 ? find_letter(options, name[0]) : NULL;
}

/* The option or operand with this long name, which a blank may end, or NULL. */
static const struct np_option *called(const struct np_options *options, const char *name)
{
	const size_t length = strcspn(name, " ");
	const struct np_option *row;

	for (size_t i = 0; (row = row_at(options, i)); i++) {
		if (spells(row->name, name, length))
			break;
	}
	return row;
}

/*
 * The name of a row in messages: an operand by its name, an option with its dashes, as it was
 * spelled, or else as the program's lineage has it; @valued: with the value as typed, or the
 * default: "-name 'value'". Returns @out.
 */
static const char *title_of(const struct np_options_result *result, const struct np_option *row,
			    bool valued, char *out, size_t room)
{
	const struct np_options *o = result->options;
	const struct np_option_seen *of = seen(result, row);
	const char *text = of->typed ? of->typed : row->initial;

	if (is_operand(o, row))
		snprintf(out, room, "%s", row->name);
	else if (of->spelled && of->spelled != '-')
		snprintf(out, room, "-%c", of->spelled);
	else if (!of->spelled && o->grammar == NP_GRAMMAR_LINEAGE && row->lineage)
		snprintf(out, room, "-%s", row->lineage);
	else
		snprintf(out, room, "--%s", row->name);
	if (valued && text)
		np_text_append(out, room, " '%s'", text);
	return out;
}

/*
 * Begins with the title of @row, unless that is NULL. An error is one line and leaves the terminal
 * alone, whatever was typed.
 */
__attribute__((format(printf, 3, 4))) static int wrong(struct parse *p, const struct np_option *row,
						       const char *format, ...)
{
	char *error = p->result->error;
	const size_t room = sizeof(p->result->error);
	size_t length = 0;
	va_list args;

	if (row)
		length = strlen(title_of(p->result, row, false, error, room));
	va_start(args, format);
	vsnprintf(error + length, room - length, format, args);
	va_end(args);
	for (; *error; error++)
		*error = iscntrl((unsigned char)*error) ? '?' : *error;
	return -EINVAL;
}

static int convert(struct parse *p, const struct np_option *row, const char *text)
{
	struct np_option_list *list = (void *)((char *)p->values + row->offset);
	char expected[160];
	int rc;

	if (row->kind == NP_OPTION_LIST && *text) {
		list->item[list->count++] = text;
		return 0;
	}
	seen(p->result, row)->typed = text;
	rc = np_option_convert(row, text, p->values);
	if (!rc)
		return 0;
	return wrong(p, row, " '%s': %s; expected %s", text,
		     rc == -ERANGE ? "out of range" : "not valid",
		     np_option_expected(row, expected, sizeof(expected)));
}

/*
 * Nothing after the option can be its value, though an argument that begins with a dash may have
 * been meant.
 */
static int no_value(struct parse *p, const struct np_option *row, const char *needs)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "";
	const bool dash = next[0] == '-' && next[1], two = dash && next[1] == '-';
	const char *name = next + dash + two;
	char what[64], expected[160];

	if (!dash || find(p->options, name, strcspn(name, "=:"), !two))
		return wrong(p, row, ": needs %s", needs);
	/* Words are checked once all are read; a negative number would have been accepted. */
	if (!row->negative && !row->dashless &&
	    (row->kind == NP_OPTION_WORDS || row->kind == NP_OPTION_LIST ||
	     !np_option_convert(row, next, p->values)))
		return wrong(p, row, ": needs %s; if '%s' is it, type %s=%s", needs, next,
			     title_of(p->result, row, false, what, sizeof(what)), next);
	return wrong(p, row, ": needs %s; '%s' cannot be it, expected %s", needs, next,
		     np_option_expected(row, expected, sizeof(expected)));
}

static int take_words(struct parse *p, const struct np_option *row, const char *first)
{
	struct np_option_words *words = (void *)((char *)p->values + row->offset);
	char needs[96];

	words->given = true;
	if (first)
		words->word[words->count++] = first;
	while (words->count < row->max && p->at + 1 < p->argc && p->argv[p->at + 1][0] != '-')
		words->word[words->count++] = p->argv[++p->at];
	for (unsigned i = 0; i < words->count; i++) {
		if (!*words->word[i])
			return wrong(p, row, ": '' is not valid; expected %s", row->argument);
	}
	if (words->count >= row->min)
		return 0;
	snprintf(needs, sizeof(needs), "%s after it, %u given",
		 row->argument ? row->argument : row->name, words->count);
	if (!words->count)
		return no_value(p, row, needs);
	return wrong(p, row, ": needs %s", needs);
}

/*
 * Takes the option @row, which was @spelled so, with its argument @text, which is NULL when none
 * was attached.
 */
static int take_option(struct parse *p, const struct np_option *row, char spelled, const char *text)
{
	struct np_option_seen *of = seen(p->result, row);
	const struct np_option *other = row->undoes ? called(p->options, row->undoes) : NULL;
	const bool last = p->at + 1 >= p->argc;
	const char *next = last ? "" : p->argv[p->at + 1];
	char needs[96];

	of->spelled = spelled;
	if (text && row->kind == NP_OPTION_FLAG)
		return wrong(p, row, ": takes no value, '%s' given", text);
	if (p->result->action == NP_OPTIONS_RUN)
		p->result->action = row->action;
	if (row >= everywhere && row < everywhere + EVERYWHERE) {
		struct parse own = *p;

		own.values = &p->result->shell;
		return text ? convert(&own, row, text) : 0;
	}
	/* Of flags that revert each other the last one applies, as if the other were not given. */
	if (other) {
		seen(p->result, other)->given = false;
		*(bool *)((char *)p->values + other->offset) = false;
	}
	if (of->given && !row->undoes && row->kind != NP_OPTION_LIST)
		return wrong(p, row, ": given twice");
	of->given = true;
	if (row->kind == NP_OPTION_WORDS)
		return take_words(p, row, text);
	if (!text && row->bare)
		text = row->bare;
	if (text || row->kind == NP_OPTION_FLAG)
		return convert(p, row, text);
	/*
	 * In the lineages' grammar an argument that begins with a dash is an option, except for a
	 * negative number ("-1", "-.5") where the row allows it; others need "=".
	 */
	if (last || (p->options->grammar == NP_GRAMMAR_LINEAGE && next[0] == '-' && next[1] &&
		     !(row->negative && (isdigit((unsigned char)next[1]) || next[1] == '.')))) {
		snprintf(needs, sizeof(needs), "a value: %s",
			 row->argument ? row->argument : row->name);
		return no_value(p, row, needs);
	}
	p->at++;
	return convert(p, row, next);
}

/* Whether @name is that of @length bytes at @typed but for dashes and capitals. */
static bool resembles(const char *name, const char *typed, size_t length)
{
	for (const char *end = typed + length;; name++, typed++) {
		name += strspn(name, "-");
		while (typed < end && *typed == '-')
			typed++;
		if (typed == end || tolower((unsigned char)*name) != tolower((unsigned char)*typed))
			return typed == end && !*name;
	}
}

/* Whether one of the words of @names, which may be NULL, is what was typed. */
static bool is_among(const char *names, const char *typed, size_t length)
{
	size_t word;

	for (; names && *names; names += word + strspn(names + word, " ")) {
		word = strcspn(names, " ");
		if (word == length && !strncmp(names, typed, length))
			return true;
	}
	return false;
}

/*
 * Names the option that differs in its dashes or capitals only, as -local from --local, or that
 * another tool calls so.
 */
static int unknown(struct parse *p, const char *argument)
{
	const char *name = argument + strspn(argument, "-");
	const size_t length = strcspn(name, "=:");
	const struct np_option *row;

	for (size_t i = 0; length > 1 && (row = option_row(p->options, i)); i++) {
		const char *const names[] = {row->lineage_only ? NULL : row->name, row->lineage};
		bool found = is_among(row->elsewhere, name, length);

		for (size_t old = 0; old < 2; old++) {
			if (names[old] && (found || resembles(names[old], name, length)))
				return wrong(p, NULL, "%s: unknown option; there is %s%s", argument,
					     old ? "-" : "--", names[old]);
		}
	}
	return wrong(p, NULL, "%s: unknown option; '%s --help' lists them", argument,
		     p->options->program);
}

/* Takes --name, --name=value; in the lineage's grammar also -name, -name=value, -name:value. */
static int take_name(struct parse *p, const char *argument, bool single_dash)
{
	const char *name = argument + (single_dash ? 1 : 2);
	const size_t length = strcspn(name, single_dash ? "=:" : "=");
	const struct np_option *row = find(p->options, name, length, single_dash);
	char spelled = '-';

	if (!row)
		return unknown(p, argument);
	if (single_dash)
		spelled = spells(row->lineage, name, length) ? 0 : row->letter;
	return take_option(p, row, spelled, name[length] ? name + length + 1 : NULL);
}

/* Takes -abc, -n5, -n 5: bundled flags, the last of which may have an argument. */
static int take_bundle(struct parse *p, const char *argument)
{
	for (const char *letter = argument + 1; *letter; letter++) {
		const struct np_option *row = find_letter(p->options, *letter);
		const bool last = row && row->kind != NP_OPTION_FLAG && !row->bare;
		int rc;

		if (!row)
			return unknown(p, argument);
		rc = take_option(p, row, *letter, last && letter[1] ? letter + 1 : NULL);
		if (rc || last)
			return rc;
	}
	return 0;
}

/* "e4.1" where the row's pair is 'e': the values 4 and 1, of this operand and the next one. */
static int take_operand(struct parse *p, const char *argument)
{
	const struct np_options *o = p->options;
	const size_t count = o->operands ? o->operand_count : 0;
	size_t at = p->result->operands_given;
	const char *dot = strchr(argument, '.');
	const struct np_option *row;
	char first[16];
	int rc;

	if (at >= count && count && o->operands[count - 1].kind == NP_OPTION_LIST)
		at = count - 1;
	if (at >= count)
		return wrong(p, NULL, "%s: one operand too many; '%s --help' shows the usage",
			     *argument ? argument : "''", o->program);
	row = &o->operands[at];
	if (at + 1 < count && row->pair && dot && argument[0] == row->pair &&
	    dot - argument <= (ptrdiff_t)sizeof(first)) {
		snprintf(first, sizeof(first), "%.*s", (int)(dot - argument - 1), argument + 1);
		rc = take_operand(p, first);
		return rc ? rc : take_operand(p, dot + 1);
	}
	seen(p->result, row)->given = true;
	p->result->operands_given++;
	return convert(p, row, argument);
}

int options_parse(const struct np_options *options, int argc, char *const argv[], void *values,
		  struct np_options_result *result)
{
	struct parse p = {
		.options = options,
		.argv = argv,
		.argc = argc,
		.values = values,
		.result = result,
	};
	const size_t rows = options->count + EVERYWHERE + options->operand_count;
	const size_t room = (size_t)argc + 1; /* of each list */
	bool operands_only = false;	      /* after "--" */
	const struct np_option *row;
	int rc = 0;

	*result = (struct np_options_result){.action = NP_OPTIONS_RUN, .options = options};
	result->seen = calloc(rows, sizeof(*result->seen));
	result->items = calloc(rows * room, sizeof(*result->items));
	if (!result->seen || !result->items)
		return -ENOMEM;
	for (size_t i = 0; (row = row_at(options, i)); i++) {
		if (row->kind == NP_OPTION_LIST)
			((struct np_option_list *)(void *)((char *)values + row->offset))->item =
				result->items + room * i;
		else if (row->initial && np_option_convert(row, row->initial, values))
			return wrong(&p, NULL, "the option table: a default is not valid");
	}
	for (p.at = 1; p.at < argc && !rc; p.at++) {
		const char *argument = argv[p.at];
		const bool single_dash = argument[0] == '-' && argument[1] != '-';

		if (operands_only || argument[0] != '-' || !argument[1])
			rc = take_operand(&p, argument);
		else if (!strcmp(argument, "--"))
			operands_only = true;
		else if (single_dash && options->grammar == NP_GRAMMAR_GNU)
			rc = take_bundle(&p, argument);
		else
			rc = take_name(&p, argument, single_dash);
	}
	return rc;
}

void np_options_result_free(struct np_options_result *result)
{
	if (!result)
		return;
	free(result->seen);
	free(result->items);
	*result = (struct np_options_result){0};
}

bool np_options_given(const struct np_options_result *result, const char *name)
{
	const struct np_option *row = called(result->options, name);

	return row && seen(result, row)->given;
}

const char *np_options_missing(const struct np_options_result *result)
{
	const struct np_options *options = result->options;

	for (size_t i = 0; i < options->operand_count; i++) {
		const struct np_option *row = &options->operands[i];

		if (!seen(result, row)->given && !row->bare && row->kind != NP_OPTION_LIST)
			return row->name;
	}
	return NULL;
}

const char *np_options_typed(const struct np_options_result *result, const char *name)
{
	const struct np_option *row = called(result->options, name);

	return row ? seen(result, row)->typed : NULL;
}

int np_options_refuse(const struct np_options_result *result, const char *name, const char *format,
		      ...)
{
	const struct np_option *row = called(result->options, name);
	char reason[256], object[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (row && !is_operand(result->options, row))
		name = title_of(result, row, true, object, sizeof(object));
	return np_log_refuse(result->log, name, "%s", reason);
}

void np_options_warn_slow(const struct np_options_result *result, double per_s, const char *what)
{
	char object[512];

	if (np_options_given(result, "rate") && per_s < 1)
		np_log_warning(result->log,
			       title_of(result, called(result->options, "rate"), true, object,
					sizeof(object)),
			       "is one %s in %.4g s; a unit may follow the number, as 20M", what,
			       1 / per_s);
}

int np_options_check_burst(const struct np_options_result *result, double per_s, uint64_t burst,
			   np_time duration)
{
	const double interval_s = (double)burst / per_s, span_s = (double)duration / NP_SECOND;

	if (!burst || !duration || interval_s <= span_s)
		return -1;
	return np_options_refuse(result, "burst",
				 "takes %.4g s at this rate, longer than the %.4g s of a run; give "
				 "a smaller one, a higher rate or a longer --duration",
				 interval_s, span_s);
}

/* The name of the first of *@others that was given, which becomes *@others; or NULL. */
static const char *first_given(const struct np_options_result *result,
			       const struct np_option_clash **others)
{
	for (; *others && (*others)->other; ++*others) {
		const char *name = (*others)->other;

		for (; *name; name += strspn(name, " ")) {
			if (np_options_given(result, name))
				return name;
			name += strcspn(name, " ");
		}
	}
	return NULL;
}

int np_options_exclude(const struct np_options_result *result, const char *with,
		       const struct np_option_clash *others)
{
	const char *name = first_given(result, &others);

	if (!name)
		return -1;
	return np_options_refuse(result, name, "does not go with %s%s%s", with,
				 others->why ? ": " : "", others->why ? others->why : "");
}

/* Refuses @row for @reason; NULL: for @why it does not go with @other. */
static int refuse(const struct np_options_result *result, const struct np_option *row,
		  const char *reason, const char *other, const char *why)
{
	const struct np_options *options = result->options;
	char text[512], title[64];
	const char *object = title_of(result, row, !options->terse, text, sizeof(text));
	const struct np_option *with = other ? called(options, other) : NULL;

	if (reason || !with)
		return np_log_refuse(result->log, object, "%s", reason ? reason : "");
	return np_log_refuse(result->log, object, "does not go with %s: %s",
			     title_of(result, with, false, title, sizeof(title)), why);
}

int np_options_check(const struct np_options_result *result, unsigned modes)
{
	const struct np_options *options = result->options;

	for (size_t i = 0; i < options->count; i++) {
		const struct np_option *row = &options->table[i];
		const bool own = row->scope->modes || row->scope->otherwise;
		const struct np_option_scope *scope = own ? row->scope : options->scope;
		const struct np_option_scope *end = scope + NP_OPTION_SCOPES;

		for (; result->seen[i].given && scope < end && scope->otherwise; scope++) {
			if (!(scope->modes & modes))
				return refuse(result, row, scope->otherwise, NULL, NULL);
		}
	}
	for (size_t i = 0; i < options->count; i++) {
		const struct np_option *row = &options->table[i];
		const struct np_option_clash *clash = row->clashes;
		const char *other = first_given(result, &clash);

		if (result->seen[i].given && other)
			return refuse(result, row, clash->message, other, clash->why);
	}
	return -1;
}
