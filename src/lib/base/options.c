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

const struct np_option option_builtins[OPTION_BUILTINS] = {
	{.name = "help",
	 .letter = 'h',
	 .lineage = "h",
	 .offset = offsetof(struct option_builtins, help),
	 .action = NP_OPTIONS_HELP,
	 .group = NP_GROUP_OUTPUT,
	 .help = "show this text and exit"},
	{.name = "version",
	 .letter = 'V',
	 .offset = offsetof(struct option_builtins, version),
	 .action = NP_OPTIONS_VERSION,
	 .group = NP_GROUP_OUTPUT,
	 .help = "show the version and exit"},
	{.name = "completion",
	 .offset = offsetof(struct option_builtins, completion),
	 .action = NP_OPTIONS_COMPLETION,
	 .group = NP_GROUP_EXPERT,
	 .help = "print a bash completion script and exit"},
};

/* One pass over a command line. */
struct parse {
	const struct np_options *options;
	char *const *argv;
	int argc;
	int at; /* the current argument */
	void *values;
	struct np_options_result *result;
	bool operands_only; /* after "--" */
};

/* An error is one line and leaves the terminal alone, whatever was typed. */
__attribute__((format(printf, 2, 3))) static int wrong(struct parse *p, const char *format, ...)
{
	char *error = p->result->error;
	va_list args;

	va_start(args, format);
	vsnprintf(error, sizeof(p->result->error), format, args);
	va_end(args);
	for (; *error; error++)
		*error = iscntrl((unsigned char)*error) ? '?' : *error;
	return -EINVAL;
}

static const struct np_option *row_at(const struct np_options *options, size_t index)
{
	if (index < options->count)
		return &options->table[index];
	if (index < options->count + OPTION_BUILTINS)
		return &option_builtins[index - options->count];
	return NULL;
}

/* A name of @length characters as the user typed it, without its dashes. */
struct spelling {
	const char *name;
	size_t length;
	bool single_dash;
};

static bool spells(const char *name, const struct spelling *as)
{
	return name && strlen(name) == as->length && !strncmp(name, as->name, as->length);
}

static const struct np_option *find_letter(const struct np_options *options, char letter)
{
	const struct np_option *row;

	for (size_t i = 0; (row = row_at(options, i)); i++) {
		if (row->letter == letter)
			return row;
	}
	return NULL;
}

/* A table row hides a built-in's letter or old name when it has the same. */
static const struct np_option *find(const struct np_options *options, const struct spelling *as)
{
	const struct np_option *row;

	for (size_t i = 0; (row = row_at(options, i)); i++) {
		if (spells(as->single_dash ? row->lineage : row->name, as) &&
		    (as->single_dash || !row->lineage_only))
			return row;
	}
	/* -i, -q, -v and -V are the same in all programs where no old name takes their place. */
	return as->single_dash && as->length == 1 ? find_letter(options, as->name[0]) : NULL;
}

/* The option, or with @operands also the operand, with this long name, or NULL. */
static const struct np_option *called(const struct np_options *options, const char *name,
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

static bool is_builtin(const struct np_option *row)
{
	return row >= option_builtins && row < option_builtins + OPTION_BUILTINS;
}

static bool is_option(const struct np_options *o, const struct np_option *row)
{
	return row >= o->table && row < o->table + o->count;
}

/*
 * The name of a row in messages: an operand by its name, an option with its dashes, as it was
 * spelled, or else as the program's lineage has it. Returns @out.
 */
static const char *title_of(const struct np_options *o, const struct np_options_result *result,
			    const struct np_option *row, char *out, size_t room)
{
	const bool operand = row >= o->operands && row < o->operands + o->operand_count;
	const char spelled = is_option(o, row) ? result->spelled[row - o->table] : 0;

	if (operand)
		snprintf(out, room, "%s", row->name);
	else if (spelled && spelled != '-')
		snprintf(out, room, "-%c", spelled);
	else if (!spelled && o->grammar == NP_GRAMMAR_LINEAGE && row->lineage)
		snprintf(out, room, "-%s", row->lineage);
	else
		snprintf(out, room, "--%s", row->name);
	return out;
}

static const char *title(const struct parse *p, const struct np_option *row, char *out, size_t room)
{
	return title_of(p->options, p->result, row, out, room);
}

static void note_spelling(struct parse *p, const struct np_option *row, char spelled)
{
	if (is_option(p->options, row))
		p->result->spelled[row - p->options->table] = spelled;
}

static int convert(struct parse *p, const struct np_option *row, const char *text)
{
	char what[64], expected[160];
	int rc = option_convert(row, text, p->values);

	if (is_option(p->options, row))
		p->result->typed[row - p->options->table] = text;
	if (!rc)
		return 0;
	title(p, row, what, sizeof(what));
	option_expected(row, expected, sizeof(expected));
	if (rc == -ERANGE)
		return wrong(p, "%s '%s': out of range; expected %s", what, text, expected);
	return wrong(p, "%s '%s': not valid; expected %s", what, text, expected);
}

static int append(struct parse *p, const struct np_option *row, const char *text)
{
	struct np_option_list *list = (void *)((char *)p->values + row->offset);

	list->item[list->count++] = text;
	return 0;
}

static bool is_word(const struct parse *p, int at)
{
	return at < p->argc && p->argv[at][0] != '-';
}

/*
 * Whether an argument that begins with a dash, and was not accepted, may have been meant as the
 * value. Words are checked once all are read; a negative number would have been accepted.
 */
static bool may_be_value(const struct parse *p, const struct np_option *row, const char *text)
{
	if (row->negative || row->dashless)
		return false;
	return row->kind == NP_OPTION_WORDS || row->kind == NP_OPTION_LIST ||
	       !option_convert(row, text, p->values);
}

/*
 * Nothing after the option can be its value, though an argument that begins with a dash may have
 * been meant.
 */
static int no_value(struct parse *p, const struct np_option *row, const char *needs)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : "";
	const bool dash = next[0] == '-' && next[1];
	const char *name = !dash ? next : next[1] == '-' ? next + 2 : next + 1;
	const struct spelling as = {name, strcspn(name, "=:"), dash && next[1] != '-'};
	char what[64], expected[160];

	title(p, row, what, sizeof(what));
	if (dash && !find(p->options, &as) && !may_be_value(p, row, next)) {
		option_expected(row, expected, sizeof(expected));
		return wrong(p, "%s: needs %s; '%s' cannot be it, expected %s", what, needs, next,
			     expected);
	}
	if (dash && !find(p->options, &as))
		return wrong(p, "%s: needs %s; if '%s' is it, type %s=%s", what, needs, next, what,
			     next);
	return wrong(p, "%s: needs %s", what, needs);
}

static int take_words(struct parse *p, const struct np_option *row, const char *first)
{
	struct np_option_words *words = (void *)((char *)p->values + row->offset);
	char what[64], needs[64];

	words->given = true;
	if (first)
		words->word[words->count++] = first;
	while (words->count < option_words_max(row) && is_word(p, p->at + 1))
		words->word[words->count++] = p->argv[++p->at];
	if (words->count >= row->min)
		return 0;
	snprintf(needs, sizeof(needs), "%llu words after it, %u given",
		 (unsigned long long)row->min, words->count);
	if (!words->count)
		return no_value(p, row, needs);
	return wrong(p, "%s: needs %s", title(p, row, what, sizeof(what)), needs);
}

/* Reverts the flag of that name, as if it had not been given. */
static void take_back(struct parse *p, const char *name)
{
	const struct np_option *row = called(p->options, name, false);

	if (!row)
		return;
	p->result->given[row - p->options->table] = false;
	*(bool *)((char *)p->values + row->offset) = false;
}

/*
 * Giving an option twice is an error, except for lists, and for flags of which the last one
 * applies.
 */
static int mark_given(struct parse *p, const struct np_option *row)
{
	bool *given = &p->result->given[row - p->options->table];
	char what[64];

	if (row->undoes)
		take_back(p, row->undoes);
	else if (*given && row->kind != NP_OPTION_LIST)
		return wrong(p, "%s: given twice", title(p, row, what, sizeof(what)));
	*given = true;
	return 0;
}

/* "-1", "-.5" */
static bool is_below_zero(const char *text)
{
	return text[0] == '-' && (isdigit((unsigned char)text[1]) || text[1] == '.');
}

/*
 * The next argument as a value, or NULL. In the lineages' grammar one that begins with a dash is an
 * option, except for a negative number where the row allows it; others need "=".
 */
static const char *next_value(struct parse *p, const struct np_option *row)
{
	const char *next = p->at + 1 < p->argc ? p->argv[p->at + 1] : NULL;

	if (next && p->options->grammar == NP_GRAMMAR_LINEAGE && next[0] == '-' && next[1] &&
	    !(row->negative && is_below_zero(next)))
		return NULL;
	p->at += next != NULL;
	return next;
}

/* Takes the option @row with its argument @text, which is NULL when none was attached. */
static int take_option(struct parse *p, const struct np_option *row, const char *text)
{
	char what[64], needs[96];
	int rc;

	title(p, row, what, sizeof(what));
	if (text && row->kind == NP_OPTION_FLAG)
		return wrong(p, "%s: takes no value, '%s' given", what, text);
	if (p->result->action == NP_OPTIONS_RUN)
		p->result->action = row->action;
	if (is_builtin(row))
		return 0;
	rc = mark_given(p, row);
	if (rc)
		return rc;
	if (row->kind == NP_OPTION_WORDS)
		return take_words(p, row, text);
	if (!text && row->bare)
		text = row->bare;
	if (!text && row->kind != NP_OPTION_FLAG) {
		text = next_value(p, row);
		if (!text) {
			snprintf(needs, sizeof(needs), "a value: %s",
				 row->argument ? row->argument : row->name);
			return no_value(p, row, needs);
		}
	}
	return row->kind == NP_OPTION_LIST ? append(p, row, text) : convert(p, row, text);
}

static int unknown(struct parse *p, const char *argument)
{
	const struct np_option_gone *gone = p->options->gone;

	for (; gone && gone->name && !strncmp(argument, "--", 2); gone++) {
		const struct spelling as = {argument + 2, strcspn(argument + 2, "="), false};

		if (spells(gone->name, &as))
			return wrong(p, "--%s: no longer an option; use %s", gone->name,
				     gone->instead);
	}
	return wrong(p, "%s: unknown option; '%s --help' lists them", argument,
		     p->options->program);
}

/* Takes --name, --name=value; in the lineage's grammar also -name, -name=value, -name:value. */
static int take_name(struct parse *p, const char *argument, bool single_dash)
{
	const char *name = argument + (single_dash ? 1 : 2);
	size_t length = strcspn(name, single_dash ? "=:" : "=");
	const struct spelling as = {name, length, single_dash};
	const struct np_option *row = find(p->options, &as);

	if (!row)
		return unknown(p, argument);
	if (!single_dash)
		note_spelling(p, row, '-');
	else
		note_spelling(p, row, spells(row->lineage, &as) ? 0 : row->letter);
	return take_option(p, row, name[length] ? name + length + 1 : NULL);
}

/* Takes -abc, -n5, -n 5: bundled flags, the last of which may have an argument. */
static int take_bundle(struct parse *p, const char *argument)
{
	for (const char *letter = argument + 1; *letter; letter++) {
		const struct np_option *row = find_letter(p->options, *letter);
		const char *rest = letter[1] ? letter + 1 : NULL;
		int rc;

		if (!row)
			return unknown(p, argument);
		note_spelling(p, row, *letter);
		if (row->kind != NP_OPTION_FLAG && !row->bare)
			return take_option(p, row, rest);
		rc = take_option(p, row, NULL);
		if (rc)
			return rc;
	}
	return 0;
}

static int take_value(struct parse *p, const char *argument)
{
	const struct np_options *o = p->options;
	size_t at = p->result->operands_given;
	const struct np_option *row;

	if (at >= o->operand_count && o->operand_count &&
	    o->operands[o->operand_count - 1].kind == NP_OPTION_LIST)
		at = o->operand_count - 1;
	if (at >= o->operand_count)
		return wrong(p, "%s: one operand too many; '%s --help' shows the usage", argument,
			     o->program);
	row = &o->operands[at];
	p->result->given[o->count + at] = true;
	p->result->operands_given++;
	return row->kind == NP_OPTION_LIST ? append(p, row, argument) : convert(p, row, argument);
}

/* "e4.1" where the row's pair is 'e': the values 4 and 1, of this operand and the next one. */
static int take_operand(struct parse *p, const char *argument)
{
	const struct np_options *o = p->options;
	const size_t at = p->result->operands_given;
	const char *dot = strchr(argument, '.');
	char first[16];
	int rc;

	if (at + 1 >= o->operand_count || !o->operands[at].pair || !dot ||
	    argument[0] != o->operands[at].pair || dot - argument > (ptrdiff_t)sizeof(first))
		return take_value(p, argument);
	snprintf(first, sizeof(first), "%.*s", (int)(dot - argument - 1), argument + 1);
	rc = take_value(p, first);
	return rc ? rc : take_value(p, dot + 1);
}

static int take_argument(struct parse *p, const char *argument)
{
	if (p->operands_only || argument[0] != '-' || !argument[1])
		return take_operand(p, argument);
	if (!strcmp(argument, "--")) {
		p->operands_only = true;
		return 0;
	}
	if (argument[1] == '-')
		return take_name(p, argument, false);
	if (p->options->grammar == NP_GRAMMAR_LINEAGE)
		return take_name(p, argument, true);
	return take_bundle(p, argument);
}

static const struct np_option *any_row(const struct np_options *options, size_t index)
{
	return index < options->count ? &options->table[index]
				      : &options->operands[index - options->count];
}

/* Makes room in each list for as many items as there are arguments, and for each option's text. */
static int allocate(struct parse *p)
{
	size_t rows = p->options->count + p->options->operand_count;
	size_t room = (size_t)p->argc + 1, lists = 0;
	const char **items;

	for (size_t i = 0; i < rows; i++)
		lists += any_row(p->options, i)->kind == NP_OPTION_LIST;
	p->result->given = calloc(rows + 1, sizeof(bool));
	p->result->spelled = calloc(p->options->count + 1, 1);
	p->result->storage = items = calloc(p->options->count + lists * room + 1, sizeof(*items));
	if (!p->result->given || !p->result->spelled || !items)
		return -ENOMEM;
	p->result->typed = items;
	items += p->options->count;
	for (size_t i = 0; i < rows; i++) {
		const struct np_option *row = any_row(p->options, i);

		if (row->kind == NP_OPTION_LIST) {
			((struct np_option_list *)(void *)((char *)p->values + row->offset))->item =
				items;
			items += room;
		}
	}
	return 0;
}

/* The first clash in the table with something that is neither option nor operand, or NULL. */
static const struct np_option_clash *clash_with_none(const struct np_options *options)
{
	for (size_t i = 0; i < options->count; i++) {
		const struct np_option_clash *clash = options->table[i].clashes;

		for (; clash && clash->other; clash++) {
			if (!called(options, clash->other, true))
				return clash;
		}
	}
	return NULL;
}

int np_options_parse(const struct np_options *options, int argc, char *const argv[], void *values,
		     struct np_options_result *result)
{
	struct parse p = {
		.options = options,
		.argv = argv,
		.argc = argc,
		.values = values,
		.result = result,
	};
	const struct np_option_clash *none = clash_with_none(options);
	int rc;

	*result = (struct np_options_result){.action = NP_OPTIONS_RUN};
	if (option_defaults(options->table, options->count, values) ||
	    option_defaults(options->operands, options->operand_count, values))
		return wrong(&p, "the option table: a default is not valid");
	if (none)
		return wrong(&p, "the option table: no option %s", none->other);
	rc = allocate(&p);
	for (p.at = 1; p.at < argc && !rc; p.at++)
		rc = take_argument(&p, argv[p.at]);
	return rc;
}

void np_options_result_free(struct np_options_result *result)
{
	if (!result)
		return;
	free(result->storage);
	free(result->given);
	free(result->spelled);
	*result = (struct np_options_result){0};
}

bool np_options_given(const struct np_options *options, const struct np_options_result *result,
		      const char *name)
{
	const struct np_option *row = called(options, name, true);

	if (!row)
		return false;
	return is_option(options, row)
		       ? result->given[row - options->table]
		       : result->given[options->count + (size_t)(row - options->operands)];
}

const char *np_options_missing(const struct np_options *options,
			       const struct np_options_result *result)
{
	for (size_t i = 0; i < options->operand_count; i++) {
		const struct np_option *row = &options->operands[i];

		if (!result->given[options->count + i] && !row->bare && row->kind != NP_OPTION_LIST)
			return row->name;
	}
	return NULL;
}

const char *np_options_typed(const struct np_options *options,
			     const struct np_options_result *result, const char *name)
{
	const struct np_option *row = called(options, name, false);

	return row ? result->typed[row - options->table] : NULL;
}

/* The same with the value as typed, or the default: "-name 'value'". Returns @out. */
static char *object_named(const struct np_options *options, const struct np_options_result *result,
			  const struct np_option *row, char *out, size_t room)
{
	const char *typed = result->typed[row - options->table];
	const char *text = typed ? typed : row->initial;
	char what[64];

	title_of(options, result, row, what, sizeof(what));
	snprintf(out, room, text ? "%s '%s'" : "%s", what, text);
	return out;
}

int np_options_refuse(const struct np_options *options, const struct np_options_result *result,
		      const struct np_log *log, const char *name, const char *format, ...)
{
	const struct np_option *row = called(options, name, false);
	char reason[256], object[512];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	if (!row)
		return np_log_refuse(log, name, "%s", reason);
	return np_log_refuse(log, object_named(options, result, row, object, sizeof(object)), "%s",
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
	const struct np_option *row = called(options, clash->other, true);
	char other[64] = "";

	if (clash->message)
		return np_log_refuse(log, object, "%s", clash->message);
	if (row)
		title_of(options, result, row, other, sizeof(other));
	return np_log_refuse(log, object, "does not go with %s: %s", other, clash->why);
}

/* The name of the row in the message. */
static const char *object_of(const struct np_options *options,
			     const struct np_options_result *result, const struct np_option *row,
			     char *out, size_t room)
{
	if (!options->terse)
		return object_named(options, result, row, out, room);
	return title_of(options, result, row, out, room);
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
