/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options_sample: a table with every kind of row, for the tests and the fuzz target of options. */
#pragma once

#include "src/lib/base/options.h"
#include <stddef.h>
#include <string.h>

enum { OPERATION_READ, OPERATION_WRITE };

struct options {
	unsigned operation;
	uint64_t count, size, seed, shelf;
	np_time duration;
	double ratio, start;
	struct np_rate rate;
	bool jumbo, verbose;
	const char *json, *text, *netif;
	struct np_option_words range;
	struct np_option_list peers, files;
};

#define AT(member) .offset = offsetof(struct options, member)

static const struct np_option table[] = {
	NP_VALUE(MAIN, CHOICE, "operation", "op", "WHAT", operation, "what is done", .letter = 'o',
		 .initial = "write", .choices = (const char *[]){"read", "write", NULL}),
	NP_VALUE(MAIN, COUNT, "count", "packetCount", "N", count, "how many", .letter = 'n',
		 .initial = "25", .min = 1, .max = 4096),
	NP_VALUE(MAIN, SIZE, "size", "size", "BYTES", size, "how large", .letter = 's',
		 .initial = "20k", .max = 1 << 30),
	NP_VALUE(MAIN, COUNT, "seed", NULL, "N", seed, "any number but 0", .min = 1),
	NP_VALUE(MAIN, TIME, "duration", "d", "TIME", duration, "how long, in seconds",
		 .letter = 'd', .initial = "10"),
	NP_VALUE(MAIN, NUMBER, "ratio", NULL, "X", ratio, "a share,\nin percent", .max = 100),
	NP_VALUE(LOAD, UNIT_RATE, "rate", NULL, "RATE", rate, "how fast",
		 .choices = (const char *[]){"bit", "B", "pps", NULL}),
	NP_VALUE(LOAD, NUMBER, "start", "R", "KBPS", start, "as fast as formerly",
		 .lineage_only = true),
	NP_FLAG(MAIN, "jumbo", "jumbo", jumbo, "large frames", .letter = 'j'),
	NP_FLAG(MAIN, "verbose", NULL, verbose, "more", .letter = 'v'),
	NP_VALUE(MAIN, TEXT, "json", "json", "FILE", json, "JSON", .bare = "-"),
	NP_VALUE(MAIN, TEXT, "text", NULL, "TEXT", text, "some text", .letter = 't'),
	NP_VALUE(MAIN, WORDS, "range", "range", "[FROM [TO]]", range, "optional words", .max = 2),
	NP_VALUE(MAIN, LIST, "peer", "peer", "HOST", peers, "a peer", .letter = 'p'),
};

static const struct np_option operands[] = {
	{.name = "NETIF", .kind = NP_OPTION_TEXT, AT(netif), .help = "interface"},
	{.name = "SHELF", .kind = NP_OPTION_COUNT, .max = 65534, AT(shelf), .help = "0 to 65534"},
	{.name = "FILE", .kind = NP_OPTION_LIST, AT(files), .help = "files"},
};

#define SAMPLE                                                                                     \
	.version = "1.2.3", .summary = "Is this a sample?", .table = table,                        \
	.count = sizeof(table) / sizeof(table[0]), .operands = operands, .operand_count = 3

static const struct np_options gnu = {
	.program = "sample-exercise", .grammar = NP_GRAMMAR_GNU, SAMPLE};
static const struct np_options lineage = {
	.program = "sample-test", .grammar = NP_GRAMMAR_LINEAGE, SAMPLE};
