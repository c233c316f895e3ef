// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of the relay, and the conversion of its faults to plans. */
#include "options.h"

#include <errno.h>
#include <netperf/link.h>
#include <string.h>

#define AT(member) offsetof(struct options, member)

static const struct np_option table[] = {
	{.name = "ab",
	 .kind = NP_OPTION_LIST,
	 .argument = "FAULT",
	 .offset = AT(fault[AB]),
	 .help = "what befalls datagrams from A to B; again and again"},
	{.name = "ba",
	 .kind = NP_OPTION_LIST,
	 .argument = "FAULT",
	 .offset = AT(fault[BA]),
	 .help = fault_help},
	{.name = "seed",
	 .kind = NP_OPTION_COUNT,
	 .argument = "NUMBER",
	 .initial = "1",
	 .offset = AT(seed),
	 .help = "begin of chance"},
	{.name = "truth",
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 .initial = "-",
	 .offset = AT(truth),
	 .help = "JSON lines: an interval record at SIGUSR1, a summary at the end"},
	{.name = "log",
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 .offset = AT(log),
	 .help = "a line for each datagram: FLOW POSITION NUMBER DECISION"},
	{.name = "arrivals",
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 .offset = AT(arrivals),
	 .help = "a line for each datagram forwarded: FLOW NUMBER right|damaged|bad first|copy"},
	{.name = "number-at",
	 .kind = NP_OPTION_COUNT,
	 .argument = "BYTE",
	 .initial = "24",
	 .max = 65535,
	 .offset = AT(number_at),
	 .help = "where in the payload the application's big-endian number stands"},
	{.name = "number-bytes",
	 .kind = NP_OPTION_COUNT,
	 .argument = "BYTES",
	 .initial = "4",
	 .min = 1,
	 .max = 8,
	 .offset = AT(number_bytes),
	 .help = "how long it is"},
	{.name = "hold-limit",
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .initial = "1",
	 .max = 60 * UINT64_C(1000000000),
	 .offset = AT(hold_limit),
	 .help = "a datagram held for later ones that do not come goes on after this"},
	{.name = "delay-queue",
	 .kind = NP_OPTION_COUNT,
	 .argument = "FRAMES",
	 .initial = "16384",
	 .min = 1,
	 .max = 1 << 20,
	 .offset = AT(delay_slots),
	 .help = "memory for held and delayed frames, each way"},
	{.name = "receive-buffer",
	 .kind = NP_OPTION_SIZE,
	 .argument = "SIZE",
	 .initial = "64M",
	 .max = 1 << 28,
	 .offset = AT(receive_bytes),
	 .help = "of each link"},
	{.name = "link",
	 .kind = NP_OPTION_CHOICE,
	 .argument = "LINK",
	 .initial = "auto",
	 .choices = np_link_variants,
	 .offset = AT(link),
	 .help = "how frames are moved"},
	{.name = "quiet",
	 .letter = 'q',
	 .kind = NP_OPTION_FLAG,
	 .offset = AT(quiet),
	 .help = "no remarks on stderr"},
};

static const struct np_option operands[] = {
	{.name = "A", .kind = NP_OPTION_TEXT, .offset = AT(interface[AB]), .help = "interface"},
	{.name = "B", .kind = NP_OPTION_TEXT, .offset = AT(interface[BA]), .help = "interface"},
};

static const struct np_options options_table = {
	.program = "relay",
	.version = "0",
	.summary = "Carries frames between two interfaces and tells what it did to the datagrams.",
	.grammar = NP_GRAMMAR_GNU,
	.table = table,
	.count = sizeof(table) / sizeof(table[0]),
	.operands = operands,
	.operand_count = WAYS,
};

static bool make_plan(struct plan *plan, const struct np_option_list *list, uint64_t seed,
		      const struct np_log *log)
{
	plan->seed = seed;
	if (list->count > PLAN_FAULTS) {
		np_log_error(log, NULL, "more than %d faults for one direction", PLAN_FAULTS);
		return false;
	}
	for (plan->count = 0; plan->count < list->count; plan->count++) {
		const char *wrong = fault_parse(&plan->fault[plan->count], list->item[plan->count]);

		if (wrong) {
			np_log_error(log, list->item[plan->count], "%s", wrong);
			return false;
		}
	}
	return true;
}

/* Returns -1 or the exit status 2. */
static int check(struct options *options, const struct np_options_result *result,
		 const struct np_log *log)
{
	const char *missing = np_options_missing(result);

	if (missing)
		return np_log_refuse(log, missing, "is missing; try --help");
	/* Each direction has its own seed; otherwise both would lose the same positions. */
	return make_plan(&options->plan[AB], &options->fault[AB], options->seed * 2, log) &&
			       make_plan(&options->plan[BA], &options->fault[BA],
					 options->seed * 2 + 1, log)
		       ? -1
		       : 2;
}

int options_read(struct options *options, int argc, char *argv[], struct np_log *log)
{
	struct np_options_result result;
	int status = np_options_read(&options_table, argc, argv, options, &result, log);

	if (status < 0)
		status = check(options, &result, log);
	np_options_result_free(&result);
	return status;
}
