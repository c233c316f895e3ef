/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * options: one table row for each option; the parser, --help, the shell completion, the manual page
 * test and the "options" object of a JSON report all use the same row.
 *
 * Two grammars. GNU: --name=value, --name value, -n value, -nvalue, bundled flags. Lineage: the old
 * single-dash names: -name value, -name=value, -name:value, and optional words after a name; a
 * value that begins with a dash needs the "=", except for a negative number where these are
 * allowed; letters stand alone, where no old name is spelled like them. Names are exact, there are
 * no abbreviations, "--" ends the options, options may be before, between and after operands, and
 * giving an option twice is an error unless its kind is NP_OPTION_LIST or its row has @undoes.
 *
 * Every program has --help, --version and --completion.
 */
#pragma once

#include <netperf/log.h>
#include <netperf/units.h>

enum np_option_kind {
	NP_OPTION_FLAG,	     /* bool: no argument */
	NP_OPTION_COUNT,     /* uint64_t: whole number */
	NP_OPTION_SIZE,	     /* uint64_t: bytes, with k M G T (1024) */
	NP_OPTION_TIME,	     /* np_time: seconds, or with ns us ms s m */
	NP_OPTION_NUMBER,    /* double, not negative */
	NP_OPTION_UNIT_RATE, /* struct np_rate, 0 only if the default is: @choices are its units,
				see np_units_parse_rate */
	NP_OPTION_TOS,	  /* uint64_t: 0 to 255; or a DSCP << 2, by its name in either case: EF, VA,
			     LE, CS0 to CS7, AF11 to AF43 (RFC 2474, 2597, 3246, 5865, 8622) */
	NP_OPTION_CHOICE, /* unsigned: index into @choices */
	NP_OPTION_TEXT,	  /* const char *: the argument itself, not copied */
	NP_OPTION_WORDS,  /* struct np_option_words: @min to @max words, which is 1 to 4, none of
			     which begins with a dash */
	NP_OPTION_LIST,	  /* struct np_option_list: text, may be repeated */
};

/* The headings of --help, in its order; options_help.c and the manual pages have their words. */
enum np_option_group {
	NP_GROUP_MAIN,	  /* what is done, and with whom */
	NP_GROUP_LOAD,	  /* how much is sent, read or written, and how fast */
	NP_GROUP_LIMITS,  /* waits, and what ends a run or fails it */
	NP_GROUP_NETWORK, /* addresses, sockets, packets */
	NP_GROUP_DATA,	  /* what is written, checked and protected */
	NP_GROUP_OVERLAY,
	NP_GROUP_OUTPUT,
	NP_GROUP_MESH,
	NP_GROUP_EXPERT,  /* for experts and tests */
	NP_GROUP_IGNORED, /* the original ignored it, too */
	NP_GROUPS,
};

/* What the user asked for; the first one on the command line applies. */
enum np_options_action {
	NP_OPTIONS_RUN,
	NP_OPTIONS_HELP,
	NP_OPTIONS_VERSION,
	NP_OPTIONS_COMPLETION,
};

#define NP_OPTION_WORDS_MAX 4

struct np_option_words {
	bool given;
	unsigned count;
	const char *word[NP_OPTION_WORDS_MAX];
};

struct np_option_list {
	size_t count;
	const char **item; /* owned by the np_options_result */
};

/*
 * When an option has a meaning: if the run has at least one of @modes. These are bits that the
 * program defines; it tells np_options_check which of them the run has.
 */
struct np_option_scope {
	unsigned modes;
	const char *otherwise; /* the message if the run has none of them; NULL ends the scopes */
};

#define NP_OPTION_SCOPES   4
#define NP_OPTION_ANY_MODE (~0u)

/* An option, or operand, that cannot be combined with that of the row. */
struct np_option_clash {
	const char *other;   /* its long name, or several with blanks between; NULL ends the list */
	const char *why;     /* the text after "does not go with OTHER: " */
	const char *message; /* replaces the whole message; NULL: it is not replaced */
};

/*
 * A row of the table. Operands are rows, too: they have only name, kind, range, choices, offset and
 * help, and @bare, which, if not NULL, makes them optional.
 */
struct np_option {
	enum np_option_group group;
	const char *name;    /* long name without dashes: "window-size" */
	const char *lineage; /* old single-dash name without its dash, or NULL */
	size_t offset;	     /* of the value in the program's options struct */
	const char *help;    /* one or more lines, with the unit of a bare number */
	enum np_option_kind kind;
	const char *argument; /* the name of the value in the help text: "PACKETS" */
	char letter;	      /* GNU short form, or 0 */
	const char *initial;  /* default as a user would type it; NULL: zero, unset */
	const char *bare;     /* value when the argument is left out; then an argument needs "=" */
	uint64_t min, max;    /* range in the kind's unit, both included; max 0: no upper end */
	const char *const *choices;    /* NULL-terminated, for NP_OPTION_CHOICE */
	enum np_options_action action; /* a FLAG that asks for this, as --help does */
	/* A TEXT that is a number, or a COUNT where below 0 means 0: it needs no "=" then. */
	bool negative;
	/* A FLAG: the name of the FLAG that it reverts. Of both, the last one given applies. */
	const char *undoes;
	bool dashless; /* a TEXT that cannot begin with a dash, as an address cannot */
	/*
	 * When it can be used, see np_options_check. All scopes must apply; without any, those of
	 * the program apply, or none for NP_OPTION_ANY_MODE. A clash is listed in one of both rows.
	 */
	struct np_option_scope scope[NP_OPTION_SCOPES];
	const struct np_option_clash *clashes; /* NULL: none */
	/* An operand: this letter, its value, a dot and the next one's value are both in it. */
	char pair;
	/* A COUNT that may be a range, as 1..8: where its end is; 0: it may not. */
	size_t last;
	bool lineage_only; /* @name is no option: only @lineage and @letter are */
	bool unrecorded;   /* np_record_start leaves it to the program */
	/* Its names in other tools, apart by blanks, which are refused with a hint; NULL: none. */
	const char *elsewhere;
};

/*
 * Converts @text as the row says, and stores it in @values: for a FLAG true. Returns 0, -EINVAL or
 * -ERANGE. Not for WORDS and LIST, which take several texts.
 */
int np_option_convert(const struct np_option *row, const char *text, void *values);

/* Describes valid values of this row: "1 to 4096", "read, write". Returns @out. */
char *np_option_expected(const struct np_option *row, char *out, size_t room);

/*
 * A row: what all rows have, then the rest by name, such as .min = 1, in the order of the struct if
 * it is for C++, too (C++20). @member is where the value is in the program's struct options;
 * groups and kinds are written without NP_GROUP_ and NP_OPTION_.
 */
#define NP_FLAG(group_, name_, lineage_, member, help_, ...)                                       \
	{                                                                                          \
		.group = NP_GROUP_##group_, .name = name_, .lineage = lineage_,                    \
		.offset = offsetof(struct options, member), .help = help_, __VA_ARGS__             \
	}
#define NP_VALUE(group, kind_, name, lineage, argument_, member, help, ...)                        \
	NP_FLAG(group, name, lineage, member, help, .kind = NP_OPTION_##kind_,                     \
		.argument = argument_, __VA_ARGS__)

/* Of a row's rest: what excludes the option, as {"rates", "give one of them", NULL}, ... */
#define NP_CLASHES(...)                                                                            \
	.clashes = (const struct np_option_clash[])                                                \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

enum np_grammar { NP_GRAMMAR_GNU, NP_GRAMMAR_LINEAGE };

struct np_options {
	const char *program;
	const char *version;
	const char *summary; /* one sentence: the question the program answers */
	enum np_grammar grammar;
	const struct np_option *table;
	size_t count;
	const struct np_option *operands; /* in order; the last may be a LIST */
	size_t operand_count;
	struct np_option_scope scope[NP_OPTION_SCOPES]; /* for rows without a scope */
	bool terse; /* what np_options_check refuses is named without its value */
};

struct np_options_result {
	enum np_options_action action;
	unsigned shell; /* whose completion script: 0 bash, 1 zsh, 2 fish */
	size_t operands_given;
	char error[256]; /* after a failure: "the thing: what is wrong; what would be right" */
	/* The rest is for the functions below: what was parsed by which table. */
	const struct np_options *options;
	const struct np_log *log; /* of np_options_read */
	struct np_option_seen *seen;
	const char **items;
};

/*
 * The first call of a program: sets the struct at @values, zeros, to the rows' defaults, then
 * parses the command line into it; its strings point into @argv or the table. Logs errors, answers
 * --help and the like on stdout, and sets @log to quiet or verbose when rows of these names are
 * given; with that of --mesh its warnings wait for those of other ranks. Returns -1 when the run
 * may start, else the program's exit status: 0 answered, 1 the answer could not be written, 2 wrong
 * usage. A missing operand is no error here, since options may make it unnecessary: see
 * np_options_missing. Free @result with np_options_result_free in every case.
 */
int np_options_read(const struct np_options *options, int argc, char *const argv[], void *values,
		    struct np_options_result *result, struct np_log *log);

/* Frees what @result owns, including lists in the values. NULL is allowed. */
void np_options_result_free(struct np_options_result *result);

/*
 * Whether the option or operand called @name (its long name) was given; its value as it was typed,
 * or NULL.
 */
bool np_options_given(const struct np_options_result *result, const char *name);
const char *np_options_typed(const struct np_options_result *result, const char *name);

/*
 * Refuses the first of @others that was given: it "does not go with @with: why", or no more than
 * that if why is NULL. For an option that excludes many. Returns -1: none was given, or 2.
 */
int np_options_exclude(const struct np_options_result *result, const char *with,
		       const struct np_option_clash *others);

/*
 * Logs what is wrong with the value of the option called @name, as the parser does: "-name 'value':
 * reason", with the value as typed, or the default. Returns 2, like np_log_refuse.
 */
__attribute__((format(printf, 3, 4))) int np_options_refuse(const struct np_options_result *result,
							    const char *name, const char *format,
							    ...);

/* Warns if the option called "rate" was given and lets through less than one @what a second. */
void np_options_warn_slow(const struct np_options_result *result, double per_s, const char *what);
/*
 * Refuses the option called "burst" if at this rate the time of one is longer than that of a run,
 * which would then have no rate. -1, or 2 after a message.
 */
int np_options_check_burst(const struct np_options_result *result, double per_s, uint64_t burst,
			   np_time duration);

/*
 * Whether everything that was given can be combined in a run of these modes: checks the scopes of
 * each row, in the order of the table, then the clashes. Returns -1, or 2 after a message about the
 * first error: "-name 'value': goes with -t".
 */
int np_options_check(const struct np_options_result *result, unsigned modes);

/* The name of the first missing operand, or NULL. A LIST may be empty. */
const char *np_options_missing(const struct np_options_result *result);
