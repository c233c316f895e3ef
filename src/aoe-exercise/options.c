// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of aoe-exercise and the checks that span options. */
#include "options.h"

#include "config.h"

#define JUMBO_SECTORS 17
#define RATE_MAX      UINT64_C(100000000)
#define PACKETS_MAX   UINT64_C(1000000000000)
/* The default duration of a rank of a mesh: what the others wait for must have a limit. */
#define MESH_DURATION (10 * NP_SECOND)
#define TIME_MAX      (UINT64_C(86400) * 365 * UINT64_C(1000000000))

static const char *const operations[] = {"read", "write", NULL};
static const char *const rates[] = {"iops", "pps", "B", "bit", NULL};
static const char *const fills[] = {"zero", "lba", NULL};
static const char *const checks[] = {"stamps", "full", NULL};

/* What a run can be, for the scopes of the options. */
enum { READS = 1u << OPERATION_READ, WRITES = 1u << OPERATION_WRITE, MESH = 1u << 2 };

static const struct np_option table[] = {
	{.name = "operation",
	 .letter = 'o',
	 .kind = NP_OPTION_CHOICE,
	 .argument = "OPERATION",
	 .initial = "read",
	 .choices = operations,
	 .offset = offsetof(struct options, operation),
	 .help = "what to do"},
	{.name = "sector-count",
	 .group = NP_GROUP_LOAD,
	 .letter = 's',
	 .kind = NP_OPTION_COUNT,
	 .argument = "SECTORS",
	 .initial = "2",
	 .min = 1,
	 .max = 255,
	 .offset = offsetof(struct options, traffic.sector_count),
	 .help = "sectors of 512 bytes in a packet"},
	{.name = "jumbo",
	 .group = NP_GROUP_LOAD,
	 .letter = 'j',
	 .offset = offsetof(struct options, traffic.jumbo),
	 .help = "the same as --sector-count 17",
	 .clashes =
		 (const struct np_option_clash[]){
			 {"sector-count", NULL, "means --sector-count 17; give only one of them"},
			 {0}}},
	{.name = "window-size",
	 .group = NP_GROUP_LOAD,
	 .letter = 'w',
	 .kind = NP_OPTION_TEXT,
	 .argument = "PACKETS",
	 .initial = "25",
	 .offset = offsetof(struct options, traffic.window_text),
	 .help = "unanswered requests at a time, 1 to 4096;\n"
		 "FROM:TO[:STEP] tries several, auto finds the best"},
	{.name = "packet-count",
	 .group = NP_GROUP_LOAD,
	 .letter = 'p',
	 .kind = NP_OPTION_COUNT,
	 .argument = "PACKETS",
	 .initial = "100000",
	 .min = 1,
	 .max = PACKETS_MAX,
	 .offset = offsetof(struct options, traffic.packet_count),
	 .help = "requests to send"},
	{.name = "duration",
	 .group = NP_GROUP_LOAD,
	 .letter = 'd',
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .max = TIME_MAX,
	 .offset = offsetof(struct options, traffic.duration),
	 .help = "seconds to send requests, in place of a packet count;\n"
		 "with both, whichever is reached first ends the run; 0: until a signal"},
	{.name = "warm-up",
	 .group = NP_GROUP_LOAD,
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .initial = "0",
	 .max = TIME_MAX,
	 .offset = offsetof(struct options, traffic.warm_up),
	 .help = "seconds of the same traffic before the measured run"},
	{.name = "timeout",
	 .group = NP_GROUP_LIMITS,
	 .letter = 't',
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .initial = "1",
	 .min = 1000000,
	 .max = UINT64_C(60) * 1000000000,
	 .offset = offsetof(struct options, traffic.timeout),
	 .help = "seconds after which a request without an answer is lost"},
	{.name = "give-up",
	 .group = NP_GROUP_LIMITS,
	 .kind = NP_OPTION_TIME,
	 .argument = "TIME",
	 .initial = "10",
	 .min = 1000000,
	 .max = TIME_MAX,
	 .offset = offsetof(struct options, traffic.give_up),
	 .help = "seconds to keep trying before declaring the target dead"},
	{.name = "rate",
	 .group = NP_GROUP_LOAD,
	 .letter = 'r',
	 .kind = NP_OPTION_UNIT_RATE,
	 .argument = "RATE",
	 .initial = "0",
	 .choices = rates,
	 .offset = offsetof(struct options, traffic.rate),
	 .help = "requests a second (500 or 500iops), or their data (20MB, 160Mbit); 0: as "
		 "fast as the window allows"},
	{.name = "retransmit",
	 .group = NP_GROUP_LOAD,
	 .kind = NP_OPTION_COUNT,
	 .argument = "TIMES",
	 .initial = "0",
	 .max = 100,
	 .offset = offsetof(struct options, traffic.retransmit),
	 .help = "send a lost request again, at most this many times"},
	NP_LOSS_MAX(offsetof(struct options, traffic.max_loss_percent), "100",
		    "loss exceeds PERCENT"),
	NP_DISK_REGION(offsetof(struct options, data.offset_bytes),
		       offsetof(struct options, data.size_bytes)),
	{.name = "random",
	 .group = NP_GROUP_LOAD,
	 .offset = offsetof(struct options, data.random),
	 .help = "visit the places in random order, each once per pass"},
	{.name = "seed",
	 .group = NP_GROUP_DATA,
	 .kind = NP_OPTION_COUNT,
	 .argument = "NUMBER",
	 .initial = "0",
	 .offset = offsetof(struct options, data.seed),
	 .help = "seed of the random order; 0: a different one each time"},
	{.name = "fill",
	 .group = NP_GROUP_DATA,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "FILL",
	 .initial = "zero",
	 .choices = fills,
	 .offset = offsetof(struct options, data.fill),
	 .help = "what a write puts between the two stamps of a sector"},
	{.name = "check",
	 .group = NP_GROUP_DATA,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "CHECK",
	 .initial = "stamps",
	 .choices = checks,
	 .offset = offsetof(struct options, data.check),
	 .help = "what a read checks in each sector"},
	{.name = "strict",
	 .group = NP_GROUP_DATA,
	 .offset = offsetof(struct options, data.strict),
	 .help = "exit with 1 if a sector that was read has a data error"},
	{.name = "destroy",
	 .group = NP_GROUP_DATA,
	 .kind = NP_OPTION_TEXT,
	 .argument = "TARGET",
	 .offset = offsetof(struct options, target.destroy),
	 .help = "write even if the disk is not blank; TARGET is spelled eSHELF.SLOT",
	 .scope = {{WRITES, "is for --operation write only"}}},
	{.name = "list",
	 .letter = 'l',
	 .kind = NP_OPTION_TEXT,
	 .argument = "NETIF",
	 .offset = offsetof(struct options, target.list),
	 .help = "list the targets that answer on the interface, and exit",
	 .scope = {{READS, "writes nothing; leave --operation write out"}},
	 .clashes =
		 (const struct np_option_clash[]){
			 {"NETIF", NULL,
			  "takes the interface as its argument; leave the operands out"},
			 {0}}},
	{.name = "link",
	 .group = NP_GROUP_EXPERT,
	 .kind = NP_OPTION_CHOICE,
	 .argument = "LINK",
	 .initial = "auto",
	 .choices = np_link_variants,
	 .offset = offsetof(struct options, target.link),
	 .help = "how to send and receive frames"},
	{.name = "capture",
	 .group = NP_GROUP_EXPERT,
	 .kind = NP_OPTION_TEXT,
	 .argument = "FILE",
	 .offset = offsetof(struct options, target.capture),
	 .help = "write all frames sent and received to a pcap file"},
	NP_DROPS_OPTION(offsetof(struct options, drops)),
	NP_MESH_BASIC(offsetof(struct options, mesh), MESH, "load one target from all ranks"),
	NP_REPORT_OPTIONS(offsetof(struct options, report), "0"),
	NP_REPORT_LAYOUT(offsetof(struct options, layout)),
	NP_REPORT_UNIT_ROW(offsetof(struct options, unit), "bytes"),
};

static const struct np_option operands[] = {
	{.name = "NETIF",
	 .kind = NP_OPTION_TEXT,
	 .offset = offsetof(struct options, target.interface),
	 .help = "the Ethernet interface: eth0"},
	{.name = "SHELF",
	 .kind = NP_OPTION_COUNT,
	 .max = NP_AOE_SHELF_ALL - 1,
	 .pair = 'e',
	 .offset = offsetof(struct options, target.shelf),
	 .help = "the target's shelf (major) number; eSHELF.SLOT names both"},
	{.name = "SLOT",
	 .kind = NP_OPTION_COUNT,
	 .max = NP_AOE_SLOT_ALL - 1,
	 .offset = offsetof(struct options, target.slot),
	 .help = "the target's slot (minor) number"},
};

const struct np_options aoe_exercise_options = {
	.program = "aoe-exercise",
	.version = PACKAGE_VERSION,
	.summary = "How fast and how clean is ATA over Ethernet between here and that target?",
	.grammar = NP_GRAMMAR_GNU,
	.table = table,
	.count = sizeof(table) / sizeof(*table),
	.operands = operands,
	.operand_count = sizeof(operands) / sizeof(*operands),
};

/* What speaks of one client, or would be written by each rank. */
static const struct np_option_clash not_in_a_mesh[] = {
	{.other = "list", .why = "one program alone lists the targets"},
	{.other = "capture", .why = "each rank would have one"},
	{.other = "csv", .why = "its rows are intervals; --json has the clients"},
	{.other = "interval", .why = "results are collected after the run"},
	{0},
};

#define REFUSE(...) np_options_refuse(&aoe_exercise_options, result, log, __VA_ARGS__)

static int check_mesh(struct options *o, const struct np_options_result *result,
		      const struct np_log *log)
{
	const struct np_options *spec = &aoe_exercise_options;
	int rc;

	if (!o->mesh.mesh)
		return -1;
	rc = np_options_exclude(spec, result, "--mesh", not_in_a_mesh, log);
	if (rc >= 0)
		return rc;
	if (o->layout == NP_REPORT_ORIGINAL)
		return REFUSE("report",
			      "original does not go with --mesh: the original had no meshes");
	if (sweep_is_several(&o->traffic.sweep))
		return REFUSE("window-size", "has one value with --mesh");
	if (!o->traffic.duration && np_options_given(spec, result, "duration"))
		return REFUSE("duration", "must be more than 0 with --mesh");
	rc = np_launch_expected_rank(&o->mesh_rank);
	if (rc)
		return np_log_refuse(log, "--mesh", "%s", np_launch_reason(rc));
	if (o->mesh_rank)
		o->report.json = NULL;
	if (!o->traffic.duration)
		o->traffic.duration = MESH_DURATION;
	return -1;
}

int options_check(struct np_run *run)
{
	struct options *o = run->options;
	const struct np_options_result *result = &run->given;
	const struct np_log *log = run->log;
	const struct np_options *spec = &aoe_exercise_options;
	const char *missing = np_options_missing(spec, result);
	const char *link = np_link_lacks(np_link_variants[o->target.link]);
	const char *capture = o->target.capture ? np_capture_lacks() : NULL;
	double units;

	if (!o->target.list && missing)
		return np_log_refuse(log, missing,
				     "missing; usage: aoe-exercise [options] NETIF SHELF SLOT");
	if (np_options_check(spec, result, 1u << o->operation | (o->mesh.mesh ? MESH : 0), log) >=
	    0)
		return 2;
	if (o->traffic.jumbo)
		o->traffic.sector_count = JUMBO_SECTORS;
	/* Packets a second, of the data that one carries. */
	units = (double)(o->traffic.sector_count * NP_AOE_SECTOR_BYTES);
	if (o->traffic.rate.unit == NP_RATE_BITS)
		units *= 8;
	else if (o->traffic.rate.unit != NP_RATE_BYTES)
		units = 1;
	o->traffic.rate_packets_per_s = o->traffic.rate.per_s / units;
	if (o->traffic.rate_packets_per_s > (double)RATE_MAX)
		return REFUSE("rate", "out of range; at most 100M packets a second");
	if (sweep_parse(&o->traffic.sweep, o->traffic.window_text))
		return np_log_refuse(
			log, "--window-size",
			"'%s' is not valid; expected 1 to 4096, FROM:TO[:STEP] or auto",
			o->traffic.window_text);
	if (check_mesh(o, result, log) >= 0)
		return 2;
	o->clients = 1;
	if ((np_options_given(spec, result, "duration") || o->mesh.mesh) &&
	    !np_options_given(spec, result, "packet-count"))
		o->traffic.packet_count = 0;
	if (o->data.offset_bytes % NP_PATTERN_SECTOR_BYTES)
		return REFUSE("offset", "not a multiple of the sector size, 512 bytes");
	if (o->data.size_bytes % NP_PATTERN_SECTOR_BYTES)
		return REFUSE("size", "not a multiple of the sector size, 512 bytes");
	/* What needs a library that is missing. */
	if (link)
		return REFUSE("link", "%s, or leave the option out", link);
	if (capture)
		return REFUSE("capture", "%s, or let tcpdump(8) capture", capture);
	return -1;
}
