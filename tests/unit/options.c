// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: both grammars, and every kind of value: default, range, error. */
#include "options_run.h"
#include "record_written.h"
#include "support/unit.h"

/* Two operands and no list behind them. */
static const struct np_options strict = {
	.program = "sample",
	.table = table,
	.count = sizeof(table) / sizeof(table[0]),
	.operands = operands,
	.operand_count = 2,
};

/* Flags that take each other back, as a lineage's roles. */
static const struct np_option role[] = {
	{.name = "jumbo", .lineage = "jumbo", AT(jumbo), .undoes = "verbose", .help = "a"},
	{.name = "verbose", .lineage = "more", AT(verbose), .undoes = "jumbo", .help = "b"},
};
static const struct np_options roles = {
	.program = "p", .grammar = NP_GRAMMAR_LINEAGE, .table = role, .count = 2};

/* A row that allows numbers below zero. */
static const struct np_option signs[] = {
	{.name = "rate", .lineage = "rate", .kind = NP_OPTION_TEXT, .negative = true, AT(text)},
	{.name = "jumbo", .lineage = "1", AT(jumbo)},
};
static const struct np_options below = {
	.program = "b", .grammar = NP_GRAMMAR_LINEAGE, .table = signs, .count = 2};

/* Rows whose words have a lower end, and no upper end. */
static const struct np_option bound[] = {
	{.name = "pair", .kind = NP_OPTION_WORDS, .min = 2, .max = 2, AT(range)},
	{.name = "any", .kind = NP_OPTION_WORDS, .max = 4, AT(range)},
};
static const struct np_options words = {
	.program = "w", .table = bound, .count = 2, .operands = operands, .operand_count = 1};

/* A default that does not parse is the programmer's error, found by the first run. */
static const struct np_option zero = {
	.name = "count", .kind = NP_OPTION_COUNT, .initial = "0", .min = 1, .max = 9, AT(count)};
static const struct np_options wrong = {.program = "b", .table = &zero, .count = 1};

/* A number, or a range of them. */
static const struct np_option between = {.name = "count",
					 .kind = NP_OPTION_COUNT,
					 .min = 1,
					 .max = 9,
					 AT(count),
					 .last = offsetof(struct options, seed)};
static const struct np_options ranges = {.program = "r", .table = &between, .count = 1};

/* Options and operands, as a start has them. */
static json_t *members(const struct np_options *options, const struct options *values)
{
	json_t *json = written(np_record_start(options, values));
	json_t *all = json_incref(json_object_get(json, "options"));

	if (json_object_get(json, "operands"))
		json_object_update(all, json_object_get(json, "operands"));
	json_decref(json);
	return all;
}

/* Requires that @run has the usual values but for these, as of expect_record. */
static void expect_values(const struct np_options *options, const struct run *run,
			  const char *expected)
{
	json_t *all = members(options, &run->values), *before, *value;
	const char *name;
	struct run usual;
	void *next;

	PARSE(&usual, options, "");
	before = members(options, &usual.values);
	done(&usual);
	json_object_foreach_safe(all, next, name, value)
	{
		if (json_equal(value, json_object_get(before, name)))
			json_object_del(all, name);
	}
	expect_json(all, expected);
	json_decref(before);
}

TEST(values)
{
	static const struct {
		const struct np_options *options;
		const char *line, *values, *missing;
	} rows[] = {
		/* However it is spelled. */
		{&gnu, "-n5", "{'count':5}", "NETIF"},
		{&gnu, "-n 5", "{'count':5}", "NETIF"},
		{&gnu, "--count=5", "{'count':5}", "NETIF"},
		{&gnu, "--count 5", "{'count':5}", "NETIF"},
		{&gnu, "--count=0x5", "{'count':5}", "NETIF"},
		{&lineage, "-packetCount 5", "{'count':5}", "NETIF"},
		{&lineage, "-packetCount:5", "{'count':5}", "NETIF"},
		{&lineage, "-packetCount=5", "{'count':5}", "NETIF"},
		{&lineage, "--count 5", "{'count':5}", "NETIF"},
		{&lineage, "--count=5", "{'count':5}", "NETIF"},
		{&lineage, "-n 5", "{'count':5}", "NETIF"},
		/* Every kind. Letters stand alone there, and an old name goes before a letter. */
		{&gnu,
		 "-jo read --size=64k --seed=18446744073709551615 --duration=250ms -v "
		 "--ratio=12.5 --json=x.json",
		 "{'operation':'read','size_bytes':65536,'seed':'18446744073709551615','duration_"
		 "ns':250000000,'ratio':12.5,'jumbo':true,'verbose':true,'json':'x.json'}",
		 "NETIF"},
		{&lineage, "-v -o=read -s:1k -d 3 -R 5",
		 "{'operation':'read','size_bytes':1024,'duration_ns':3000000000,'start':5.0,'"
		 "verbose':true}",
		 "NETIF"},
		/* A number, or a range of them. */
		{&ranges, "--count=3", "{'count':3}", NULL},
		{&ranges, "--count=3..9", "{'count':'3..9'}", NULL},
		/* The last flag counts. */
		{&roles, "-jumbo -more", "{'verbose':true}", NULL},
		{&roles, "-jumbo -jumbo -more --jumbo", "{'jumbo':true}", NULL},
		/* Without a value. */
		{&gnu, "--json eth0", "{'json':'-','NETIF':'eth0'}", "SHELF"},
		{&lineage, "-json eth0", "{'json':'-','NETIF':'eth0'}", "SHELF"},
		{&lineage, "-json:file", "{'json':'file'}", "NETIF"},
		/* Operands and lists; only the first "=" or ":" ends the name. */
		{&gnu, "eth0 -n5 -pa 4 --jumbo f -o read --peer=b g - -p c --peer d",
		 "{'operation':'read','count':5,'jumbo':true,'peer':['a','b','c','d'],'NETIF':'"
		 "eth0','SHELF':4,'FILE':['f','g','-']}",
		 NULL},
		{&gnu, "eth0 4", "{'NETIF':'eth0','SHELF':4}", NULL},
		{&lineage, "-peer:10.0.0.1:7 -peer=a=b --text=x:y=z",
		 "{'text':'x:y=z','peer':['10.0.0.1:7','a=b']}", "NETIF"},
		/* After "--" all are operands; where a value is due, it is that value. */
		{&gnu, "-n5 -- -n7 4 -- --help",
		 "{'count':5,'NETIF':'-n7','SHELF':4,'FILE':['--','--help']}", NULL},
		{&gnu, "--text -- -n5", "{'count':5,'text':'--'}", "NETIF"},
		/* Words after an option. */
		{&lineage, "-range -jumbo", "{'jumbo':true,'range':[]}", "NETIF"},
		{&lineage, "-range 10 -jumbo", "{'jumbo':true,'range':['10']}", "NETIF"},
		{&lineage, "-range:10 20 eth0", "{'range':['10','20'],'NETIF':'eth0'}", "SHELF"},
		{&words, "--pair=a b c", "{'pair':['a','b'],'any':['a','b'],'NETIF':'c'}", NULL},
		{&words, "--any a b c d e",
		 "{'pair':['a','b','c','d'],'any':['a','b','c','d'],'NETIF':'e'}", NULL},
		/* Numbers below zero are taken as typed where the row allows them. */
		{&below, "-rate -1 -1", "{'rate':-1.0,'jumbo':true}", NULL},
		{&below, "-rate -.5 -1", "{'rate':-0.5,'jumbo':true}", NULL},
		{&below, "-rate -64k -1", "{'rate':'-64k','jumbo':true}", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *missing;
		struct run run;

		PARSE(&run, rows[i].options, rows[i].line);
		assert_int_equal(run.rc, 0);
		assert_int_equal(run.result.action, NP_OPTIONS_RUN);
		expect_values(rows[i].options, &run, rows[i].values);
		missing = np_options_missing(&run.result);
		assert_string_equal(missing ? missing : "", rows[i].missing ? rows[i].missing : "");
		done(&run);
	}
}

TEST(defaults)
{
	struct run run;

	run.rc = options_parse(&gnu, 0, (char *const[]){NULL}, &run.values, &run.result);
	assert_int_equal(run.rc, 0);
	done(&run);
	np_options_result_free(NULL);
	PARSE(&run, &gnu, "");
	assert_int_equal(run.rc, 0);
	expect_json(members(&gnu, &run.values),
		    "{'operation':'write','count':25,'size_bytes':20480,'seed':0,'duration_ns':"
		    "10000000000,'ratio':0.0,'start':0.0,'jumbo':false,'verbose':false,'peer':[],'"
		    "SHELF':0,'FILE':[]}");
	assert_false(run.values.json || run.values.text || run.values.netif);
	assert_false(run.values.range.given || run.values.rate.per_s != 0);
	for (size_t i = 0; i < gnu.count; i++)
		assert_false(np_options_given(&run.result, table[i].name));
	assert_false(np_options_given(&run.result, "no-such-option"));
	done(&run);
}

/* What was given, as it was typed, and what else is known of it. */
TEST(what_was_given)
{
	struct np_option left_out = operands[0];
	const struct np_options one = {.program = "w", .operands = &left_out, .operand_count = 1};
	struct run run;

	PARSE(&run, &lineage, "-o=read -h -packetCount 5 eth0 4 -V");
	assert_int_equal(run.result.action, NP_OPTIONS_HELP);
	assert_int_equal(run.values.operation,
			 OPERATION_READ); /* help is no value of the program */
	assert_true(np_options_given(&run.result, "count"));
	assert_true(np_options_given(&run.result, "NETIF"));
	assert_false(np_options_given(&run.result, "FILE"));
	assert_int_equal(run.result.operands_given, 2);
	done(&run);
	PARSE(&run, &roles, "-jumbo -more");
	assert_true(np_options_given(&run.result, "verbose"));
	assert_false(np_options_given(&run.result, "jumbo"));
	done(&run);
	PARSE(&run, &below, "-rate -.5 -1");
	assert_string_equal(np_options_typed(&run.result, "rate"), "-.5");
	assert_string_equal(run.values.text, "-.5");
	assert_null(np_options_typed(&run.result, "jumbo"));
	done(&run);
	parse_words(&run, &gnu, "--text", (char *)"a b");
	assert_string_equal(run.values.text, "a b");
	done(&run);
	left_out.bare = "";
	PARSE(&run, &one, "");
	assert_true(run.rc == 0 && !np_options_missing(&run.result) && !run.values.netif);
	done(&run);
}

static void expect_refused(const struct np_options *options, const char *const *lines, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct run run;

		PARSE(&run, options, lines[i]);
		assert_int_equal(run.rc, -EINVAL);
		done(&run);
	}
}

TEST(ranges_that_are_none)
{
	static const char *const bad[] = {"--count=7..3",   "--count=3..",  "--count=..3",
					  "--count=3..10",  "--count=1..x", "--count=0..3",
					  "--count=1..2..3"};

	expect_refused(&ranges, bad, sizeof(bad) / sizeof(*bad));
}

TEST(rates_with_units)
{
	static const struct {
		const char *line;
		double per_s;
		enum np_rate_unit unit;
	} rows[] = {
		{"--rate=100M", 100e6, NP_RATE_BITS},	  {"--rate=1.5Gbit/s", 1.5e9, NP_RATE_BITS},
		{"--rate=12.5MB", 12.5e6, NP_RATE_BYTES}, {"--rate=20kpps", 20e3, NP_RATE_PACKETS},
		{"--rate=7pps", 7, NP_RATE_PACKETS},	  {"--rate=9kB/s", 9e3, NP_RATE_BYTES},
	};
	static const char *const bad[] = {
		"--rate=0",   "--rate=100Mb",  "--rate=5iops", "--rate=5pps/s", "--rate=-1",
		"--rate=",    "--rate=M",      "--rate=1KiB",  "--rate=nan",	"--rate=1e400",
		"--rate=5/s", "--rate=1kkbit", "--rate=1.5.2", "--start=5",	"--tx-rate=5"};
	struct run run;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		PARSE(&run, &lineage, rows[i].line);
		assert_int_equal(run.rc, 0);
		assert_true(run.values.rate.per_s == rows[i].per_s);
		assert_int_equal(run.values.rate.unit, rows[i].unit);
		done(&run);
	}
	expect_refused(&lineage, bad, sizeof(bad) / sizeof(bad[0]));
}

#define NO_GNU	   ": unknown option; 'sample-exercise --help' lists them"
#define NO_LINEAGE ": unknown option; 'sample-test --help' lists them"
#define WHOLE	   "expected a whole number, 1 to 4096"

/* An option is named as it was typed. */
TEST(errors)
{
	static const struct {
		const struct np_options *options;
		const char *line, *error;
	} rows[] = {
		{&gnu, "-jx", "-jx" NO_GNU},
		{&gnu, "--bogus", "--bogus" NO_GNU},
		{&gnu, "--bogus=1", "--bogus=1" NO_GNU},
		{&gnu, "--coun 5", "--coun" NO_GNU},
		{&gnu, "--=5", "--=5" NO_GNU},
		/* One line, whatever was typed. */
		{&gnu, "--a\nb\033[1m", "--a?b?[1m" NO_GNU},
		/* In the other grammar a bundle of letters, or a letter with its value. */
		{&gnu, "-jum-bo", "-jum-bo: unknown option; there is --jumbo"},
		{&lineage, "-vj", "-vj" NO_LINEAGE},
		{&lineage, "-n5", "-n5" NO_LINEAGE},
		{&lineage, "--packetCount 5",
		 "--packetCount: unknown option; there is -packetCount"},
		{&lineage, "-packetcount:5",
		 "-packetcount:5: unknown option; there is -packetCount"},
		{&lineage, "-count", "-count: unknown option; there is --count"},
		{&lineage, "-counts", "-counts" NO_LINEAGE},
		{&gnu, "-jj", "-j: given twice"},
		{&gnu, "--count=5 -n5", "-n: given twice"},
		{&gnu, "--json --json=x", "--json: given twice"},
		{&lineage, "--count=5 -packetCount 5", "-packetCount: given twice"},
		{&lineage, "-v --verbose", "--verbose: given twice"},
		{&gnu, "--jumbo=yes", "--jumbo: takes no value, 'yes' given"},
		{&gnu, "--help=", "--help: takes no value, '' given"},
		{&lineage, "--help=x", "--help: takes no value, 'x' given"},
		{&lineage, "-jumbo:yes", "-jumbo: takes no value, 'yes' given"},
		{&gnu, "--count", "--count: needs a value: N"},
		{&gnu, "-jn", "-n: needs a value: N"},
		{&lineage, "-packetCount", "-packetCount: needs a value: N"},
		{&lineage, "-packetCount -jumbo", "-packetCount: needs a value: N"},
		{&lineage, "--text --jumbo", "--text: needs a value: TEXT"},
		{&lineage, "--text -1",
		 "--text: needs a value: TEXT; if '-1' is it, type --text=-1"},
		{&lineage, "--text -file",
		 "--text: needs a value: TEXT; if '-file' is it, type --text=-file"},
		/* Only what would be taken is proposed. */
		{&lineage, "-packetCount -1",
		 "-packetCount: needs a value: N; '-1' cannot be it, " WHOLE},
		{&below, "-rate", "-rate: needs a value: rate"},
		{&below, "-rate -x",
		 "-rate: needs a value: rate; '-x' cannot be it, expected rate"},
		{&words, "--pair a", "--pair: needs pair after it, 1 given"},
		{&words, "--pair=a", "--pair: needs pair after it, 1 given"},
		{&words, "--pair a -5", "--pair: needs pair after it, 1 given"},
		{&words, "--pair -5",
		 "--pair: needs pair after it, 0 given; if '-5' is it, type --pair=-5"},
		{&strict, "eth0 4 x", "x: one operand too many; 'sample --help' shows the usage"},
		{&gnu, "eth0 65535",
		 "SHELF '65535': out of range; expected a whole number, 0 to 65534"},
		{&gnu, "eth0 four", "SHELF 'four': not valid; expected a whole number, 0 to 65534"},
		{&gnu, "-n=5", "-n '=5': not valid; " WHOLE},
		{&gnu, "-nx", "-n 'x': not valid; " WHOLE},
		{&gnu, "-n0", "-n '0': out of range; " WHOLE},
		{&gnu, "-jn5000", "-n '5000': out of range; " WHOLE},
		{&gnu, "--count=5000", "--count '5000': out of range; " WHOLE},
		{&gnu, "--count=", "--count '': not valid; " WHOLE},
		{&lineage, "-packetCount 5000", "-packetCount '5000': out of range; " WHOLE},
		{&lineage, "-packetCount:5000", "-packetCount '5000': out of range; " WHOLE},
		{&lineage, "--count 5000", "--count '5000': out of range; " WHOLE},
		{&lineage, "-n 5000", "-n '5000': out of range; " WHOLE},
		{&gnu, "--seed=0", "--seed '0': out of range; expected a whole number, at least 1"},
		{&gnu, "--size=2G",
		 "--size '2G': out of range; expected bytes, with k, M, G or T, 0 to 1G"},
		{&gnu, "--duration=5h",
		 "--duration '5h': not valid; expected seconds, or with ns, us, ms, s or m"},
		{&gnu, "--ratio=101",
		 "--ratio '101': out of range; expected a number, not negative, 0 to 100"},
		{&gnu, "--ratio -1",
		 "--ratio '-1': out of range; expected a number, not negative, 0 to 100"},
		{&gnu, "--operation=rea", "--operation 'rea': not valid; expected read, write"},
		{&gnu, "--rate=5iops",
		 "--rate '5iops': not valid; expected more than 0, with k, M, G or T (1000): "
		 "20M (20Mbit) or 20MB or 20Mpps"},
		{&gnu, "--json=", "--json '': not valid; expected FILE"},
		{&wrong, "", "the option table: a default is not valid"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run run;

		PARSE(&run, rows[i].options, rows[i].line);
		assert_int_equal(run.rc, -EINVAL);
		assert_string_equal(run.result.error, rows[i].error);
		done(&run);
	}
}
