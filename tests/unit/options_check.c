// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_check: options beside others and in runs that they do not go with, by their rows. */
#include "support/unit.h"

#include <errno.h>
#include <netperf/options.h>
#include <netperf/report.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BY_SEA = 1, BY_LAND = 2, BY_NIGHT = 4 };

struct journey {
	bool sail, swim, lamp, plain;
	const char *horse;
	const char *port;
	struct np_report_options report;
};

#define AT(member) .offset = offsetof(struct journey, member), .help = #member
#define TEXT	   .kind = NP_OPTION_TEXT, .argument = "NAME"

static const struct np_option_clash of_sail[] = {
	{"horse", "it is afraid", NULL},
	{"PORT", NULL, "knows where it goes"},
	{0},
};
static const struct np_option_clash of_horse[] = {{"swim", "it would drown", NULL}, {0}};
static const struct np_option table[] = {
	{.name = "swim", AT(swim), .scope = {{BY_SEA, "is for the sea"}}},
	{.name = "sail", AT(sail), .scope = {{NP_OPTION_ANY_MODE, NULL}}, .clashes = of_sail},
	{.name = "horse", .lineage = "h", TEXT, AT(horse), .clashes = of_horse},
	{.name = "lamp",
	 AT(lamp),
	 .scope = {{BY_SEA | BY_LAND, "hangs in the air"}, {BY_NIGHT, "is for the night"}}},
	{.name = "plain", AT(plain), .scope = {{0, "is never for anything"}}},
	NP_REPORT_OPTIONS(offsetof(struct journey, report), "0"),
};
static const struct np_option port = {.name = "PORT", TEXT, .bare = "", AT(port)};

static const struct np_options journeys = {
	.program = "journey",
	.grammar = NP_GRAMMAR_LINEAGE,
	.table = table,
	.count = sizeof(table) / sizeof(*table),
	.operands = &port,
	.operand_count = 1,
	.scope = {{BY_LAND, "is for the land"}},
};

/* The message about the words of @line in a run of these modes; "" for none. */
static const char *refused_by(const struct np_options *options, const char *line, unsigned modes)
{
	static char message[512];
	char words[256], *argv[8], *save = NULL;
	struct np_options_result result;
	struct journey journey;
	FILE *stream = fmemopen(message, sizeof(message), "w");
	const struct np_log log = {.program = "journey", .stream = stream};
	int argc = 1, status;

	assert_non_null(stream);
	message[0] = '\0';
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	assert_int_equal(np_options_parse(options, argc, argv, &journey, &result), 0);
	status = np_options_check(options, &result, modes, &log);
	fclose(stream);
	np_options_result_free(&result);
	assert_int_equal(status, *message ? 2 : -1);
	return *message ? message + strlen("journey: ") : message;
}

static const char *refused(const char *line, unsigned modes)
{
	return refused_by(&journeys, line, modes);
}

TEST(what_was_not_given_is_nobodys_business)
{
	assert_string_equal(refused("", 0), "");
	assert_string_equal(refused("harbour", 0), "");
}

TEST(a_scope_wants_one_of_its_modes)
{
	assert_string_equal(refused("--swim", BY_SEA), "");
	assert_string_equal(refused("--swim", BY_SEA | BY_NIGHT), "");
	assert_string_equal(refused("--swim", BY_LAND), "--swim: is for the sea\n");
	assert_string_equal(refused("--swim", 0), "--swim: is for the sea\n");
}

TEST(all_scopes_are_to_hold)
{
	assert_string_equal(refused("--lamp", BY_LAND | BY_NIGHT), "");
	assert_string_equal(refused("--lamp", BY_SEA), "--lamp: is for the night\n");
	assert_string_equal(refused("--lamp", BY_NIGHT), "--lamp: hangs in the air\n");
	assert_string_equal(refused("--lamp", 0), "--lamp: hangs in the air\n");
}

TEST(a_row_without_scopes_has_those_of_the_program)
{
	assert_string_equal(refused("-h max", BY_LAND), "");
	assert_string_equal(refused("-h max", BY_SEA), "-h 'max': is for the land\n");
	assert_string_equal(refused("--json=f", BY_SEA), "--json 'f': is for the land\n");
	assert_string_equal(refused("--interval 5", BY_SEA), "--interval '5': is for the land\n");
}

TEST(some_go_with_everything)
{
	assert_string_equal(refused("--sail", 0), "");
	assert_string_equal(refused("--quiet --verbose", 0), "");
}

TEST(some_go_with_nothing)
{
	assert_string_equal(refused("--plain", NP_OPTION_ANY_MODE),
			    "--plain: is never for anything\n");
}

TEST(a_clash_names_both)
{
	assert_string_equal(refused("--sail -h max", BY_LAND),
			    "--sail: does not go with -h: it is afraid\n");
	assert_string_equal(refused("-h max --swim", BY_LAND | BY_SEA),
			    "-h 'max': does not go with --swim: it would drown\n");
	/* Alone each is welcome, though others stand behind it in the list. */
	assert_string_equal(refused("--sail --swim", BY_SEA), "");
}

TEST(a_clash_may_have_its_own_message)
{
	assert_string_equal(refused("--sail harbour", 0), "--sail: knows where it goes\n");
}

TEST(scopes_come_before_clashes)
{
	assert_string_equal(refused("--sail -h max", BY_SEA), "-h 'max': is for the land\n");
}

TEST(a_terse_program_leaves_values_out)
{
	struct np_options terse = journeys;

	terse.terse = true;
	assert_string_equal(refused_by(&terse, "-h max", BY_SEA), "-h: is for the land\n");
	assert_string_equal(refused_by(&terse, "-h max --swim", BY_LAND | BY_SEA),
			    "-h: does not go with --swim: it would drown\n");
}

/* A name that is none would never clash. */
TEST(a_clash_with_nothing_is_found)
{
	static const struct np_option_clash misspelt[] = {
		{"horse", "", NULL}, {"hrose", "", NULL}, {0}};
	static const struct np_option rows[] = {
		{.name = "horse", AT(sail)},
		{.name = "swim", AT(swim), .clashes = misspelt},
	};
	const struct np_options wrong = {.program = "p", .table = rows, .count = 2};
	char *const argv[] = {NULL};
	struct np_options_result result;
	struct journey journey;

	assert_int_equal(np_options_parse(&wrong, 1, argv, &journey, &result), -EINVAL);
	assert_string_equal(result.error, "the option table: no option hrose");
	np_options_result_free(&result);
}
