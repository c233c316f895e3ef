// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_help: writes --help, --version and the shell completion from the option table. */
#include "options.h"

#include <errno.h>
#include <string.h>

#define HELP_COLUMN 32
#define HELP_WIDTH  80

static void write_usage(const struct np_options *options, FILE *out)
{
	fprintf(out, "Usage: %s [options]", options->program);
	for (size_t i = 0; i < options->operand_count; i++) {
		const struct np_option *row = &options->operands[i];

		if (row->kind == NP_OPTION_LIST)
			fprintf(out, " [%s ...]", row->name);
		else
			fprintf(out, row->bare ? " [%s]" : " %s", row->name);
	}
	fprintf(out, "\n%s\n", options->summary);
}

/* The old name of the row if this program's grammar has it, else NULL. */
static const char *old_name(const struct np_options *options, const struct np_option *row)
{
	return options->grammar == NP_GRAMMAR_LINEAGE ? row->lineage : NULL;
}

/* The row's letter, unless an old name, even its own, is spelled like it. */
static char letter_of(const struct np_options *options, const struct np_option *row)
{
	const char letter[] = {row->letter, '\0'};

	if (old_name(options, row) && !strcmp(old_name(options, row), letter))
		return '\0';
	for (size_t i = 0; i < options->count; i++) {
		const char *old = old_name(options, &options->table[i]);

		if (old && !strcmp(old, letter))
			return '\0';
	}
	return row->letter;
}

/* "-w, --window-size PACKETS", or in the lineage's grammar "-txRate, --tx-rate RATE". */
static int write_names(const struct np_options *options, const struct np_option *row, FILE *out)
{
	const char letter = letter_of(options, row);
	int width = fprintf(out, letter || old_name(options, row) ? "  " : "      ");

	if (letter)
		width += fprintf(out, "-%c, ", letter);
	if (old_name(options, row))
		width += fprintf(out, row->lineage_only ? "-%s" : "-%s, ", row->lineage);
	if (!row->lineage_only)
		width += fprintf(out, "--%s", row->name);
	if (row->bare)
		width += fprintf(out, "[=%s]", row->argument);
	else if (row->argument)
		width += fprintf(out, " %s", row->argument);
	return width;
}

/* Goes to the column of the text, from the column @width. */
static void begin_text(int width, FILE *out)
{
	/* Two blanks at least: an argument may consist of words. */
	if (width > HELP_COLUMN - 2) {
		fputc('\n', out);
		width = 0;
	}
	fprintf(out, "%*s", HELP_COLUMN - width, "");
}

/* Writes a word, or what must not be broken; returns the column after it, as @column was. */
static int write_word(const char *word, size_t length, int column, FILE *out)
{
	if (column > HELP_COLUMN && column + 1 + (int)length > HELP_WIDTH) {
		fputc('\n', out);
		begin_text(0, out);
		column = HELP_COLUMN;
	} else if (column > HELP_COLUMN) {
		column += fprintf(out, " ");
	}
	return column + fprintf(out, "%.*s", (int)length, word);
}

static int write_words(const char *text, int column, FILE *out)
{
	for (; *text; text += strspn(text, " \n")) {
		const size_t length = strcspn(text, " \n");

		column = write_word(text, length, column, out);
		text += length;
	}
	return column;
}

/* Whether @text has @word as a word of its own. */
static bool names(const char *text, const char *word)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz-_0123456789";
	const size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
		if ((at == text || !strchr(letters, at[-1])) &&
		    (!at[length] || !strchr(letters, at[length])))
			return true;
	}
	return false;
}

/* A help text that explains each of the choices lists them. */
static bool names_all(const char *text, const char *const *choice)
{
	while (*choice && names(text, *choice))
		choice++;
	return !*choice;
}

static int write_choices(const char *const *choice, int column, FILE *out)
{
	char word[64];

	column += fprintf(out, ":");
	for (; *choice; choice++) {
		const int length =
			snprintf(word, sizeof(word), "%s%s", *choice, choice[1] ? "," : "");

		column = write_word(word, (size_t)length, column, out);
	}
	return column;
}

static void write_row(const struct np_options *options, const struct np_option *row, FILE *out)
{
	char initial[128];
	int column;

	begin_text(write_names(options, row, out), out);
	column = write_words(row->help, HELP_COLUMN, out);
	if (row->kind == NP_OPTION_CHOICE && !names_all(row->help, row->choices))
		column = write_choices(row->choices, column, out);
	/* A choice that is called so says it already. */
	if (row->initial && strcmp(row->initial, "default")) {
		snprintf(initial, sizeof(initial), "(default %s)", row->initial);
		write_word(initial, strlen(initial), column, out);
	}
	fputc('\n', out);
}

static void write_group(const struct np_options *options, enum np_option_group group, FILE *out)
{
	static const char *const titles[NP_GROUPS] = {
		[NP_GROUP_MAIN] = "What is done",
		[NP_GROUP_LOAD] = "Load",
		[NP_GROUP_LIMITS] = "Waits and limits",
		[NP_GROUP_NETWORK] = "Network",
		[NP_GROUP_DATA] = "Data and protection",
		[NP_GROUP_OVERLAY] = "Overlay",
		[NP_GROUP_OUTPUT] = "Output",
		[NP_GROUP_MESH] = "Mesh",
		[NP_GROUP_EXPERT] = "For experts and tests",
		[NP_GROUP_IGNORED] = "Accepted and ignored, as the original does",
	};
	const struct np_option *row;
	bool any = false;

	for (size_t i = 0; (row = option_row(options, i)); i++) {
		if (row->group != group)
			continue;
		if (!any)
			fprintf(out, "\n%s:\n", titles[group]);
		any = true;
		write_row(options, row, out);
	}
}

static void write_help(const struct np_options *options, FILE *out)
{
	write_usage(options, out);
	for (int group = 0; group < NP_GROUPS; group++)
		write_group(options, (enum np_option_group)group, out);
	if (options->operand_count)
		fputs("\nOperands:\n", out);
	for (size_t i = 0; i < options->operand_count; i++) {
		const struct np_option *row = &options->operands[i];

		begin_text(fprintf(out, "  %s", row->name), out);
		write_words(row->help, HELP_COLUMN, out);
		fputc('\n', out);
	}
}

static void write_completion_case(const struct np_options *options, const struct np_option *row,
				  FILE *out)
{
	fprintf(out, row->lineage_only ? "\t-%s" : "\t--%s",
		row->lineage_only ? row->lineage : row->name);
	if (letter_of(options, row))
		fprintf(out, "|-%c", row->letter);
	if (old_name(options, row) && !row->lineage_only)
		fprintf(out, "|-%s", row->lineage);
	fputs(") words='", out);
	for (size_t i = 0; row->choices[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", row->choices[i]);
	fputs("' ;;\n", out);
}

/* Completes the names after a dash; otherwise interfaces, if an operand is one. */
static void write_completion_words(const struct np_options *options, FILE *out)
{
	fputs("\t*) [[ $cur == -* ]] && words='", out);
	for (size_t i = 0; i < options->count; i++) {
		if (!options->table[i].lineage_only)
			fprintf(out, "--%s ", options->table[i].name);
		if (old_name(options, &options->table[i]))
			fprintf(out, "-%s ", options->table[i].lineage);
	}
	for (size_t i = options->count; option_row(options, i); i++)
		fprintf(out, "%s--%s", i > options->count ? " " : "", option_row(options, i)->name);
	fputs("'", out);
	for (size_t i = 0; i < options->operand_count; i++) {
		if (!strcmp(options->operands[i].name, "NETIF"))
			fputs("\n\t\t[[ $cur != -* ]] && words=$(command ls /sys/class/net)", out);
	}
	fputs(" ;;\n", out);
}

/*
 * Completes options after a dash, the choices of an option that has some, else files and
 * interfaces.
 */
static void write_completion(const struct np_options *options, FILE *out)
{
	const char *p = options->program;
	const int length = (int)strcspn(p, "-"); /* posix mode allows no dash */

	fprintf(out, "# bash completion for %s, made from its option table\n", p);
	fprintf(out, "complete -F _netperf_%.*s -o bashdefault -o default %s\n", length, p, p);
	fprintf(out, "_netperf_%.*s()\n{\n", length, p);
	/* bash splits --name=value into three words. */
	fputs("\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	      "\t[[ $cur == = ]] && cur=\n"
	      "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tcase $prev in\n",
	      out);
	for (size_t i = 0; i < options->count; i++) {
		if (options->table[i].kind == NP_OPTION_CHOICE)
			write_completion_case(options, &options->table[i], out);
	}
	write_completion_words(options, out);
	fputs("\tesac\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n", out);
}

int np_options_answer(const struct np_options_result *result, FILE *out)
{
	const struct np_options *options = result->options;

	switch (result->action) {
	case NP_OPTIONS_RUN: break;
	case NP_OPTIONS_HELP: write_help(options, out); break;
	case NP_OPTIONS_VERSION: fprintf(out, "%s %s\n", options->program, options->version); break;
	case NP_OPTIONS_COMPLETION: write_completion(options, out); break;
	}
	errno = EIO;
	return fflush(out) || ferror(out) ? -errno : 0;
}
