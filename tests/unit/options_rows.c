// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_rows: the rows that programs share, in their tables, and what is made of them. */
#include "src/lib/base/options.h"
#include "support/unit.h"

#include <netperf/flow.h>
#include <netperf/report.h>
#include <netperf/socket.h>

struct options {
	char line[64]; /* what texts point into */
	bool before;
	double max_loss_percent;
	struct np_socket_options asked;
	struct np_report_options report;
};

static const struct np_option here[] = {
	{.name = "before", .offset = offsetof(struct options, before), .help = ""},
	NP_LOSS_MAX(max_loss_percent, "2.5", "it rains"),
	NP_REPORT_LAYOUT(report),
	NP_SOCKET_MARKS(asked, 0, "; or none"),
	NP_SOCKET_DEVICE(asked, "; wins"),
	NP_REPORT_OPTIONS(report, "3"),
};
static const struct np_option out_of_here[] = {
	NP_SOCKET_DEVICE(asked, ""),
	NP_SOCKET_MARKS(asked, 1, ""),
};
static const struct np_options stay = {
	.program = "stay", .table = here, .count = sizeof(here) / sizeof(*here)};
static const struct np_options leave = {.program = "leave",
					.table = out_of_here,
					.count = sizeof(out_of_here) / sizeof(*out_of_here)};

/* Splits @line at blanks. Returns what options_parse did. */
static int read_line(const struct np_options *options, const char *line, struct options *values)
{
	char *argv[8], *save = NULL;
	struct np_options_result result;
	int argc = 0, rc;

	memset(values, 0, sizeof(*values));
	snprintf(values->line, sizeof(values->line), "%s", line);
	for (char *word = strtok_r(values->line, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	rc = options_parse(options, argc, argv, values, &result);
	if (!rc)
		np_socket_settle(&values->asked, &result);
	np_options_result_free(&result);
	return rc;
}

static const char *help_of(const struct np_options *options, const char *name)
{
	const struct np_option *row = options->table;

	while (strcmp(row->name, name))
		row++;
	return row->help;
}

TEST(test_loss)
{
	struct unit_texts lines = {.rest = "p=2.5|p --max-loss 0.01=0.01|p --max-loss 100=100"};
	struct options values;

	while (unit_next(&lines)) {
		assert_int_equal(read_line(&stay, lines.text, &values), 0);
		assert_true(values.max_loss_percent == strtod(lines.value, NULL));
	}
	assert_true(read_line(&stay, "p --max-loss 100.5", &values) < 0);
	assert_true(read_line(&stay, "p --max-loss=-1", &values) < 0);
	assert_string_equal(help_of(&stay, "max-loss"), "exit with 1 if it rains");
}

TEST(test_report)
{
	struct options values;

	assert_int_equal(read_line(&stay, "p", &values), 0);
	assert_int_equal(values.report.layout, 0);
	assert_true(values.report.interval == 3 * NP_SECOND);
	assert_null(values.report.json);
	assert_null(values.report.csv);
	assert_false(values.report.quiet || values.report.verbose);
	assert_int_equal(read_line(&stay, "p --report=full --json --csv=f -q -i 1ms", &values), 0);
	assert_int_equal(values.report.layout, 1);
	assert_true(values.report.interval == NP_MILLISECOND);
	assert_string_equal(values.report.json, "-");
	assert_string_equal(values.report.csv, "f");
	assert_true(values.report.quiet);
	assert_int_equal(read_line(&stay, "p --report default -v", &values), 0);
	assert_int_equal(values.report.layout, 0);
	assert_true(values.report.verbose);
	assert_true(read_line(&stay, "p --report=half", &values) < 0);
	assert_string_equal(
		help_of(&stay, "report"),
		"print the original program's lines (original), the result (result), both "
		"(default), or all there is (full)");
}

TEST(test_socket)
{
	static const struct {
		const struct np_options *options;
		const char *line;
		int tos, ttl; /* -2: refused */
		const char *device;
	} rows[] = {
		{&stay, "p", -1, -1, NULL},
		{&leave, "p", -1, -1, NULL},
		{&stay, "p --tos 0", 0, -1, NULL},
		{&stay, "p --ttl 0", -1, 0, NULL},
		{&leave, "p --device eth0", -1, -1, "eth0"},
		{&leave, "p --ttl 255 --tos 255 --device lo", 255, 255, "lo"},
		{&leave, "p --ttl 1", -1, 1, NULL},
		{&leave, "p --ttl 0", -2, -2, NULL},
		{&leave, "p --ttl 256", -2, -2, NULL},
		{&stay, "p --ttl 256", -2, -2, NULL},
		{&leave, "p --tos 256", -2, -2, NULL},
		{&leave, "p --device=", -2, -2, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options values;
		const int rc = read_line(rows[i].options, rows[i].line, &values);

		assert_int_equal(rc < 0, rows[i].tos == -2);
		if (rc < 0)
			continue;
		assert_int_equal(values.asked.ip.tos, rows[i].tos);
		assert_int_equal(values.asked.ip.ttl, rows[i].ttl);
		if (rows[i].device)
			assert_string_equal(values.asked.ip.device, rows[i].device);
		else
			assert_null(values.asked.ip.device);
	}
}

TEST(test_socket_tos)
{
	struct unit_texts names = {
		.rest = "EF=184|ef=184|VA=176|LE=4|CS0=0|CS1=32|cs7=224|AF11=40|AF23=88|AF41=136|"
			"Af43=152|0xb8=184|184=184|CS8|CS|CS11|AF|AF10|AF14|AF51|AF411|EFF|-1|E"};
	struct options values;

	while (unit_next(&names)) {
		char line[160];

		snprintf(line, sizeof(line), "p --tos=%s", names.text);
		assert_int_equal(read_line(&leave, line, &values) == 0, names.value != NULL);
		if (names.value)
			assert_int_equal(values.asked.ip.tos, strtol(names.value, NULL, 10));
	}
	assert_non_null(strstr(help_of(&stay, "tos"), "EF, VA, LE, CS0 to CS7, AF11 to AF43"));
}

TEST(test_socket_help)
{
	assert_string_equal(help_of(&stay, "ttl"), "hops that packets sent may take; or none");
	assert_string_equal(help_of(&leave, "ttl"), "hops that packets sent may take");
	assert_string_equal(help_of(&stay, "device"),
			    "send and receive on this interface only; wins");
	assert_string_equal(help_of(&leave, "device"), "send and receive on this interface only");
}
