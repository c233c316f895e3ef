/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options_sample: a table with every kind of row, for the tests and the fuzz target of options. */
#pragma once

#include "src/lib/base/options.h"
#include <stddef.h>
#include <string.h>

enum { OPERATION_READ, OPERATION_WRITE };

struct sample {
	unsigned operation;
	uint64_t count;
	uint64_t size;
	uint64_t seed;
	np_time duration;
	double ratio;
	struct np_rate rate;
	double start;
	bool jumbo;
	bool verbose;
	const char *json;
	const char *text;
	struct np_option_words range;
	struct np_option_list peers;
	const char *netif;
	uint64_t shelf;
	struct np_option_list files;
};

#define AT(member) .offset = offsetof(struct sample, member)

static const struct np_option table[] = {
	{.name = "operation",
	 .letter = 'o',
	 .lineage = "op",
	 .kind = NP_OPTION_CHOICE,
	 .argument = "WHAT",
	 .initial = "write",
	 .choices = (const char *[]){"read", "write", NULL},
	 AT(operation),
	 .help = "what is done"},
	{.name = "count",
	 .letter = 'n',
	 .lineage = "packetCount",
	 .kind = NP_OPTION_COUNT,
	 .argument = "N",
	 .initial = "25",
	 .min = 1,
	 .max = 4096,
	 AT(count),
	 .help = "how many"},
	{.name = "size",
	 .letter = 's',
	 .lineage = "size",
	 .kind = NP_OPTION_SIZE,
	 .argument = "BYTES",
	 .initial = "20k",
	 .max = 1 << 30,
	 AT(size),
	 .help = "how large"},
	{.name = "seed",
	 .kind = NP_OPTION_COUNT,
	 .argument = "N",
	 .min = 1,
	 AT(seed),
	 .help = "any number but 0"},
	{.name = "duration",
	 .letter = 'd',
	 .lineage = "d",
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .initial = "10",
	 AT(duration),
	 .help = "how long, in seconds"},
	{.name = "ratio",
	 .kind = NP_OPTION_NUMBER,
	 .argument = "X",
	 .max = 100,
	 AT(ratio),
	 .help = "a share,\nin percent"},
	{.name = "rate",
	 .kind = NP_OPTION_UNIT_RATE,
	 .argument = "RATE",
	 .choices = (const char *[]){"bit", "B", "pps", NULL},
	 AT(rate),
	 .group = NP_GROUP_LOAD,
	 .help = "how fast"},
	{.name = "start",
	 .lineage = "R",
	 .kind = NP_OPTION_NUMBER,
	 .argument = "KBPS",
	 AT(start),
	 .group = NP_GROUP_LOAD,
	 .lineage_only = true,
	 .help = "as fast as formerly"},
	{.name = "jumbo",
	 .letter = 'j',
	 .lineage = "jumbo",
	 .kind = NP_OPTION_FLAG,
	 AT(jumbo),
	 .help = "large frames"},
	{.name = "verbose", .letter = 'v', .kind = NP_OPTION_FLAG, AT(verbose), .help = "more"},
	{.name = "json",
	 .lineage = "json",
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 .bare = "-",
	 AT(json),
	 .help = "JSON"},
	{.name = "text",
	 .letter = 't',
	 .kind = NP_OPTION_TEXT,
	 .argument = "TEXT",
	 AT(text),
	 .help = "some text"},
	{.name = "range",
	 .lineage = "range",
	 .kind = NP_OPTION_WORDS,
	 .argument = "[FROM [TO]]",
	 .max = 2,
	 AT(range),
	 .help = "optional words"},
	{.name = "peer",
	 .letter = 'p',
	 .lineage = "peer",
	 .kind = NP_OPTION_LIST,
	 .argument = "HOST",
	 AT(peers),
	 .help = "a peer"},
};

static const struct np_option operands[] = {
	{.name = "NETIF", .kind = NP_OPTION_TEXT, AT(netif), .help = "interface"},
	{.name = "SHELF", .kind = NP_OPTION_COUNT, .max = 65534, AT(shelf), .help = "0 to 65534"},
	{.name = "FILE", .kind = NP_OPTION_LIST, AT(files), .help = "files"},
};

static const struct np_options gnu = {
	.program = "sample-exercise",
	.version = "1.2.3",
	.summary = "Is this a sample?",
	.grammar = NP_GRAMMAR_GNU,
	.table = table,
	.count = sizeof(table) / sizeof(table[0]),
	.operands = operands,
	.operand_count = 3,
};
static const struct np_options lineage = {
	.program = "sample-test",
	.version = "1.2.3",
	.summary = "Is this a sample?",
	.grammar = NP_GRAMMAR_LINEAGE,
	.table = table,
	.count = sizeof(table) / sizeof(table[0]),
	.operands = operands,
	.operand_count = 3,
};
