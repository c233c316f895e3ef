// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_check: options beside others and in runs that they do not go with, by their rows. */
#include "src/lib/base/options.h"
#include "support/unit.h"

#include <netperf/report.h>

enum { BY_SEA = 1, BY_LAND = 2, BY_NIGHT = 4 };

struct options {
	bool sail, swim, lamp, plain;
	const char *horse;
	const char *port;
	struct np_report_options report;
};

#define AT(member) .offset = offsetof(struct options, member), .help = #member
#define TEXT	   .kind = NP_OPTION_TEXT, .argument = "NAME"

static const struct np_option_clash of_sail[] = {
	{"horse", "it is afraid", NULL},
	{"PORT", NULL, "knows where it goes"},
	{0},
};
static const struct np_option_clash of_horse[] = {{"lamp swim", "it would drown", NULL}, {0}};
static const struct np_option table[] = {
	{.name = "swim", AT(swim), .scope = {{BY_SEA, "is for the sea"}}},
	{.name = "sail", AT(sail), .scope = {{NP_OPTION_ANY_MODE, NULL}}, .clashes = of_sail},
	{.name = "horse", .lineage = "h", TEXT, AT(horse), .clashes = of_horse},
	{.name = "lamp",
	 AT(lamp),
	 .scope = {{BY_SEA | BY_LAND, "hangs in the air"}, {BY_NIGHT, "is for the night"}}},
	{.name = "plain", AT(plain), .scope = {{0, "is never for anything"}}},
	NP_REPORT_OPTIONS(report, "0"),
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
	struct options journey = {0};
	FILE *stream = fmemopen(message, sizeof(message), "w");
	const struct np_log log = {.program = "journey", .stream = stream};
	int argc = 1, status;

	assert_non_null(stream);
	message[0] = '\0';
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	assert_int_equal(options_parse(options, argc, argv, &journey, &result), 0);
	result.log = &log;
	status = np_options_check(&result, modes);
	fclose(stream);
	np_options_result_free(&result);
	assert_int_equal(status, *message ? 2 : -1);
	return *message ? message + strlen("journey: ") : message;
}

TEST(scopes_and_clashes)
{
	static const struct {
		const char *line;
		unsigned modes;
		const char *message;
	} rows[] = {
		/* What was not given is nobody's business. */
		{"", 0, ""},
		{"harbour", 0, ""},
		/* One mode of a scope is enough, but all scopes are to hold. */
		{"--swim", BY_SEA, ""},
		{"--swim", BY_SEA | BY_NIGHT, ""},
		{"--swim", BY_LAND, "--swim: is for the sea\n"},
		{"--swim", 0, "--swim: is for the sea\n"},
		{"--lamp", BY_LAND | BY_NIGHT, ""},
		{"--lamp", BY_SEA, "--lamp: is for the night\n"},
		{"--lamp", BY_NIGHT, "--lamp: hangs in the air\n"},
		{"--lamp", 0, "--lamp: hangs in the air\n"},
		/* A row without scopes has those of the program. */
		{"-h max", BY_LAND, ""},
		{"-h max", BY_SEA, "-h 'max': is for the land\n"},
		{"--json=f", BY_SEA, "--json 'f': is for the land\n"},
		{"--interval 5", BY_SEA, "--interval '5': is for the land\n"},
		/* Some go with everything, some with nothing. */
		{"--sail", 0, ""},
		{"--quiet --verbose", 0, ""},
		{"--plain", NP_OPTION_ANY_MODE, "--plain: is never for anything\n"},
		{"--sail -h max", BY_LAND, "--sail: does not go with -h: it is afraid\n"},
		{"-h max --swim", BY_LAND | BY_SEA,
		 "-h 'max': does not go with --swim: it would drown\n"},
		/* Alone each is welcome, though others stand behind it in the list. */
		{"--sail --swim", BY_SEA, ""},
		{"--sail harbour", 0, "--sail: knows where it goes\n"},
		{"--lamp -h max", BY_LAND | BY_NIGHT,
		 "-h 'max': does not go with --lamp: it would drown\n"},
		/* Scopes come before clashes. */
		{"--sail -h max", BY_SEA, "-h 'max': is for the land\n"},
	};
	struct np_options terse = journeys;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(refused_by(&journeys, rows[i].line, rows[i].modes),
				    rows[i].message);
	/* One that leaves values out. */
	terse.terse = true;
	assert_string_equal(refused_by(&terse, "-h max", BY_SEA), "-h: is for the land\n");
	assert_string_equal(refused_by(&terse, "-h max --swim", BY_LAND | BY_SEA),
			    "-h: does not go with --swim: it would drown\n");
}
