// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_help: writes --help, --version and the shell completion from the option table. */
#include "options.h"

#include <errno.h>
#include <string.h>

#define HELP_COLUMN 32
#define HELP_WIDTH  80

/* The old name of the row if this program's grammar has it, else NULL. */
static const char *old_name(const struct np_options *options, const struct np_option *row)
{
	return options->grammar == NP_GRAMMAR_LINEAGE ? row->lineage : NULL;
}

/*
 * The option's names as they are typed: its letter, unless an old name, even its own, is spelled
 * like that, its old name, and its long one. Returns how many.
 */
static unsigned spellings(const struct np_options *options, const struct np_option *row,
			  char name[3][64])
{
	const char letter[] = {row->letter, '\0'}, *old = old_name(options, row);
	unsigned count = row->letter && !(old && !strcmp(old, letter));

	for (size_t i = 0; i < options->count; i++) {
		old = old_name(options, &options->table[i]);
		if (old && !strcmp(old, letter))
			count = 0;
	}
	if (count)
		snprintf(name[0], 64, "-%c", row->letter);
	if (old_name(options, row))
		snprintf(name[count++], 64, "-%s", row->lineage);
	if (!row->lineage_only)
		snprintf(name[count++], 64, "--%s", row->name);
	return count;
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

static void write_row(const struct np_options *options, const struct np_option *row, FILE *out)
{
	const char *const *choice = row->kind == NP_OPTION_CHOICE ? row->choices : NULL;
	char initial[128], word[64], name[3][64] = {""};
	const unsigned count = spellings(options, row, name);
	int column = fprintf(out, name[0][1] == '-' ? "      %s" : "  %s", name[0]);

	/* "-w, --window-size PACKETS", or in the lineage's grammar "-txRate, --tx-rate RATE". */
	for (unsigned i = 1; i < count; i++)
		column += fprintf(out, ", %s", name[i]);
	if (row->argument)
		column += fprintf(out, row->bare ? "[=%s]" : " %s", row->argument);
	begin_text(column, out);
	column = write_words(row->help, HELP_COLUMN, out);
	/* A help text that explains each of the choices lists them. */
	while (choice && *choice && names(row->help, *choice))
		choice++;
	if (choice && *choice) {
		column += fprintf(out, ":");
		for (choice = row->choices; *choice; choice++) {
			snprintf(word, sizeof(word), "%s%s", *choice, choice[1] ? "," : "");
			column = write_word(word, strlen(word), column, out);
		}
	}
	/* A choice that is called so says it already. */
	if (row->initial && strcmp(row->initial, "default")) {
		snprintf(initial, sizeof(initial), "(default %s)", row->initial);
		write_word(initial, strlen(initial), column, out);
	}
	fputc('\n', out);
}

static void write_help(const struct np_options *options, FILE *out)
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

	fprintf(out, "Usage: %s [options]", options->program);
	for (size_t i = 0; i < options->operand_count; i++) {
		row = &options->operands[i];
		if (row->kind == NP_OPTION_LIST)
			fprintf(out, " [%s ...]", row->name);
		else
			fprintf(out, row->bare ? " [%s]" : " %s", row->name);
	}
	fprintf(out, "\n%s\n", options->summary);
	for (unsigned group = 0; group < NP_GROUPS; group++) {
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
	if (options->operand_count)
		fputs("\nOperands:\n", out);
	for (size_t i = 0; i < options->operand_count; i++) {
		row = &options->operands[i];
		begin_text(fprintf(out, "  %s", row->name), out);
		write_words(row->help, HELP_COLUMN, out);
		fputc('\n', out);
	}
}

static void write_list(const struct np_option *row, const char *before, const char *after,
		       FILE *out)
{
	for (size_t i = 0; row->choices[i]; i++)
		fprintf(out, "%s%s", i ? " " : before, row->choices[i]);
	fputs(after, out);
}

/* Those whose names no shell takes for more than a name: a device may be called "$(reboot)". */
#define BASH_INTERFACES "$(command ls /sys/class/net | grep -x '[[:alnum:]_.@-]*')"

/* Completes options after a dash, what an option may have after it, else files and interfaces. */
static void write_bash(const struct np_options *options, FILE *out)
{
	const char *p = options->program;
	const int length = (int)strcspn(p, "-"); /* posix mode allows no dash */
	const struct np_option *row;
	char name[3][64];

	fprintf(out, "# bash completion for %s, made from its option table\n", p);
	fprintf(out, "complete -F _netperf_%.*s -o bashdefault -o default %s\n", length, p, p);
	fprintf(out, "_netperf_%.*s()\n{\n", length, p);
	/* bash splits --name=value into three words. */
	fputs("\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
	      "\t[[ $cur == = ]] && cur=\n"
	      "\t[[ $prev == = ]] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	      "\tcase $prev in\n",
	      out);
	for (size_t i = 0; (row = option_row(options, i)); i++) {
		const unsigned count = spellings(options, row, name);

		if (row->kind != NP_OPTION_CHOICE && (!row->argument || row->bare))
			continue;
		for (unsigned j = 0; j < count; j++)
			fprintf(out, "%s%s", j ? "|" : "\t", name[j]);
		fputs(") words=", out);
		/* Without words bash itself looks for files. */
		if (row->kind == NP_OPTION_CHOICE)
			write_list(row, "'", "'", out);
		else
			fputs(strcmp(row->argument, "NETIF") ? "" : BASH_INTERFACES, out);
		fputs(" ;;\n", out);
	}
	/* The names after a dash; otherwise interfaces, if an operand is one. */
	fputs("\t*) [[ $cur == -* ]] && words='", out);
	for (size_t i = 0; (row = option_row(options, i)); i++) {
		if (!row->lineage_only)
			fprintf(out, "--%s ", row->name);
		if (old_name(options, row))
			fprintf(out, "-%s ", row->lineage);
	}
	fputs("'", out);
	for (size_t i = 0; i < options->operand_count; i++) {
		if (!strcmp(options->operands[i].name, "NETIF"))
			fputs("\n\t\t[[ $cur != -* ]] && words=" BASH_INTERFACES, out);
	}
	fputs(" ;;\n", out);
	fputs("\tesac\n\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n", out);
}

/* Text between single quotes, on one line, with a backslash before each of @special. */
static void write_quoted(const char *text, const char *special, FILE *out)
{
	for (; *text; text++) {
		if (strchr(special, *text))
			fputc('\\', out);
		fputs(*text == '\'' && !strchr(special, '\'') ? "'\\'" : "", out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
}

/* Whether @name, of @length characters, is that of a file or of a disk. */
static bool is_file(const char *name, size_t length)
{
	return memmem(name, length, "FILE", 4) || memmem(name, length, "DEVICE", 6);
}

/* ":NAME:what to offer for it", for each word of the argument or operand @name. */
static void write_zsh_values(const struct np_option *row, const char *name, FILE *out)
{
	const bool several = row->kind == NP_OPTION_WORDS;
	const uint64_t words = several ? row->max : 1;

	for (uint64_t i = 0; i < words; i++) {
		const size_t length = strcspn(name, several ? " ]" : "");
		char value[64];

		snprintf(value, sizeof(value), "%.*s", (int)length, name);
		fputs(row->bare || (several && i >= row->min) ? "::" : ":", out);
		write_quoted(value, "\\:[]", out);
		if (row->kind == NP_OPTION_CHOICE)
			write_list(row, ":(", ")", out);
		else if (!strcmp(value, "NETIF"))
			fputs(":_net_interfaces", out);
		else
			fputs(is_file(name, length) ? ":_files" : ": ", out);
		name += length;
		name += strspn(name, " []");
	}
}

/* A word of _arguments for each spelling, which excludes the others unless it may be repeated. */
static void write_zsh_row(const struct np_options *options, const struct np_option *row, FILE *out)
{
	const bool list = row->kind == NP_OPTION_LIST;
	char name[3][64];
	const unsigned count = spellings(options, row, name);

	for (unsigned i = 0; i < count; i++) {
		const bool attached = options->grammar == NP_GRAMMAR_GNU && name[i][1] != '-';

		fputs(list ? " \\\n\t\t'*" : " \\\n\t\t'(", out);
		for (unsigned j = 0; j < count && !list; j++)
			fprintf(out, "%s%s", j ? " " : "", name[j]);
		fprintf(out, "%s%s", list ? "" : ")", name[i]);
		if (row->argument)
			fputs(row->bare ? (attached ? "" : "=-") : attached ? "+" : "=", out);
		fputc('[', out);
		write_quoted(row->help, "\\:[]", out);
		fputc(']', out);
		if (row->argument && !(row->bare && attached))
			write_zsh_values(row, row->argument + strspn(row->argument, "["), out);
		fputc('\'', out);
	}
}

/* A function of $fpath, which may be sourced, too. */
static void write_zsh(const struct np_options *options, FILE *out)
{
	const char *p = options->program;
	const struct np_option *row;

	fprintf(out, "#compdef %s\n# zsh completion for %s, made from its option table\n", p, p);
	fprintf(out, "_netperf_%s()\n{\n\t_arguments %s-S :", p,
		options->grammar == NP_GRAMMAR_GNU ? "-s " : "");
	for (size_t i = 0; (row = option_row(options, i)); i++)
		write_zsh_row(options, row, out);
	for (size_t i = 0; i < options->operand_count; i++) {
		row = &options->operands[i];
		fputs(row->kind == NP_OPTION_LIST ? " \\\n\t\t'*" : " \\\n\t\t'", out);
		write_zsh_values(row, row->name, out);
		fputc('\'', out);
	}
	fprintf(out, "\n}\nif [[ $funcstack[1] == _%s ]]; then\n\t_netperf_%s \"$@\"\n", p, p);
	fprintf(out, "else\n\tcompdef _netperf_%s %s\nfi\n", p, p);
}

static void write_fish(const struct np_options *options, FILE *out)
{
	const char *p = options->program;
	const struct np_option *row;
	/* Else fish takes "-mon" for -m with an argument. */
	const bool bundled = options->grammar == NP_GRAMMAR_GNU;
	char name[3][64];
	bool files = false;

	fprintf(out, "# fish completion for %s, made from its option table\n", p);
	for (size_t i = 0; i < options->operand_count; i++) {
		row = &options->operands[i];
		files = files || is_file(row->name, strlen(row->name));
		if (!strcmp(row->name, "NETIF"))
			fprintf(out, "complete -c %s -a '(command ls /sys/class/net)'\n", p);
	}
	if (!files)
		fprintf(out, "complete -c %s -f\n", p);
	for (size_t i = 0; (row = option_row(options, i)); i++) {
		const unsigned count = spellings(options, row, name);

		fprintf(out, "complete -c %s", p);
		for (unsigned j = 0; j < count; j++) {
			if (name[j][1] == '-')
				fprintf(out, " -l %s", name[j] + 2);
			else
				fprintf(out, bundled ? " -s '%s'" : " -o '%s'", name[j] + 1);
		}
		/* What follows it: choices, interfaces, files or unknown. */
		if (row->kind == NP_OPTION_CHOICE)
			write_list(row, row->bare ? " -f -a '" : " -x -a '", "'", out);
		else if (row->argument && !strcmp(row->argument, "NETIF"))
			fputs(" -x -a '(command ls /sys/class/net)'", out);
		else if (row->argument)
			fprintf(out, "%s -%c", row->bare ? "" : " -r",
				is_file(row->argument, strlen(row->argument)) ? 'F' : 'f');
		fputs(" -d '", out);
		write_quoted(row->help, "\\'", out);
		fputs("'\n", out);
	}
}

int options_answer(const struct np_options_result *result, FILE *out)
{
	static void (*const completion[])(const struct np_options *options,
					  FILE *out) = {write_bash, write_zsh, write_fish};
	const struct np_options *options = result->options;

	switch (result->action) {
	case NP_OPTIONS_RUN: break;
	case NP_OPTIONS_HELP: write_help(options, out); break;
	case NP_OPTIONS_VERSION: fprintf(out, "%s %s\n", options->program, options->version); break;
	case NP_OPTIONS_COMPLETION: completion[result->shell](options, out); break;
	}
	errno = EIO;
	return fflush(out) || ferror(out) ? -errno : 0;
}
