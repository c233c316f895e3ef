// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * options: the option table of aoe-exercise and the checks that span options; the steps of a window
 * sweep, where an automatic one ends, and which step is the knee.
 */
#include "options.h"

#include "config.h"

#include <errno.h>

#define JUMBO_SECTORS 17
#define RATE_MAX      UINT64_C(100000000)
#define PACKETS_MAX   UINT64_C(1000000000000)
#define TIME_MAX      (UINT64_C(86400) * 365 * UINT64_C(1000000000))

static const char *const operations[] = {"read", "write", NULL};
static const char *const rates[] = {"iops", "pps", "B", "bit", NULL};
static const char *const fills[] = {"zero", "lba", NULL};
static const char *const checks[] = {"stamps", "full", NULL};

/* What a run can be, for the scopes of the options. */
enum { READS = 1u << OPERATION_READ, WRITES = 1u << OPERATION_WRITE, MESH = 1u << 2 };

static const struct np_option table[] = {
	NP_VALUE(MAIN, CHOICE, "operation", NULL, "OPERATION", operation, "what to do",
		 .letter = 'o', .initial = "read", .choices = operations),
	NP_VALUE(LOAD, COUNT, "sector-count", NULL, "SECTORS", traffic.sector_count,
		 "sectors of 512 bytes in a packet", .letter = 's', .initial = "2", .min = 1,
		 .max = 255),
	NP_FLAG(LOAD, "jumbo", NULL, traffic.jumbo, "the same as --sector-count 17", .letter = 'j',
		NP_CLASHES(
			{"sector-count", NULL, "means --sector-count 17; give only one of them"})),
	NP_VALUE(LOAD, TEXT, "window-size", NULL, "PACKETS", traffic.window_text,
		 "unanswered requests at a time, 1 to 4096;\n"
		 "FROM:TO[:STEP] tries several, auto finds the best",
		 .letter = 'w', .initial = "25"),
	NP_VALUE(LOAD, COUNT, "packet-count", NULL, "PACKETS", traffic.packet_count,
		 "requests to send", .letter = 'p', .initial = "100000", .min = 1,
		 .max = PACKETS_MAX),
	NP_VALUE(LOAD, TIME, "duration", NULL, "TIME", traffic.duration,
		 "seconds to send requests, in place of a packet count;\n"
		 "with both, whichever is reached first ends the run; 0: until a signal",
		 .letter = 'd', .max = TIME_MAX),
	NP_VALUE(LOAD, TIME, "warm-up", NULL, "TIME", traffic.warm_up,
		 "seconds of the same traffic before the measured run", .initial = "0",
		 .max = TIME_MAX),
	NP_VALUE(LIMITS, TIME, "timeout", NULL, "TIME", traffic.timeout,
		 "seconds after which a request without an answer is lost", .letter = 't',
		 .initial = "1", .min = 1000000, .max = UINT64_C(60) * 1000000000),
	NP_VALUE(LIMITS, TIME, "give-up", NULL, "TIME", traffic.give_up,
		 "seconds to keep trying before declaring the target dead", .initial = "10",
		 .min = 1000000, .max = TIME_MAX),
	NP_VALUE(LOAD, UNIT_RATE, "rate", NULL, "RATE", traffic.rate,
		 "requests a second (500 or 500iops), or their data (20MB, 160Mbit); 0: as "
		 "fast as the window allows",
		 .letter = 'r', .initial = "0", .choices = rates),
	NP_VALUE(LOAD, COUNT, "retransmit", NULL, "TIMES", traffic.retransmit,
		 "send a lost request again, at most this many times", .initial = "0", .max = 100),
	NP_LOSS_MAX(traffic.max_loss_percent, "100", "loss exceeds PERCENT"),
	NP_DISK_REGION(data.offset_bytes, data.size_bytes),
	NP_FLAG(LOAD, "random", NULL, data.random,
		"visit the places in random order, each once per pass"),
	NP_VALUE(DATA, COUNT, "seed", NULL, "NUMBER", data.seed,
		 "seed of the random order; 0: a different one each time", .initial = "0"),
	NP_VALUE(DATA, CHOICE, "fill", NULL, "FILL", data.fill,
		 "what a write puts between the two stamps of a sector", .initial = "zero",
		 .choices = fills),
	NP_VALUE(DATA, CHOICE, "check", NULL, "CHECK", data.check,
		 "what a read checks in each sector", .initial = "stamps", .choices = checks),
	NP_FLAG(DATA, "strict", NULL, data.strict,
		"exit with 1 if a sector that was read has a data error"),
	NP_VALUE(DATA, TEXT, "destroy", NULL, "TARGET", target.destroy,
		 "write even if the disk is not blank; TARGET is spelled eSHELF.SLOT",
		 .scope = {{WRITES, "is for --operation write only"}}),
	NP_VALUE(MAIN, TEXT, "list", NULL, "NETIF", target.list,
		 "list the targets that answer on the interface, and exit", .letter = 'l',
		 .scope = {{READS, "writes nothing; leave --operation write out"}},
		 NP_CLASHES({"NETIF", NULL,
			     "takes the interface as its argument; leave the operands out"})),
	NP_FLAG(MAIN, "all", NULL, target.all, "read all targets that answer on the interface",
		.scope = {{READS, "reads; a target to be written is named by itself"}},
		NP_CLASHES({"SHELF", NULL, "finds the targets itself; leave SHELF and SLOT out"},
			   {"list", NULL, "lists the targets; leave one of both out"})),
	NP_VALUE(EXPERT, CHOICE, "link", NULL, "LINK", target.link,
		 "how to send and receive frames", .initial = "auto", .choices = np_link_variants),
	NP_VALUE(EXPERT, TEXT, "capture", NULL, "FILE", target.capture,
		 "write all frames sent and received to a pcap file"),
	NP_DROPS_OPTION(drops),
	NP_MESH_BASIC(mesh, MESH, "load one target from all ranks"),
	NP_REPORT_OPTIONS(report, "0"),
	NP_REPORT_LAYOUT(report),
	NP_REPORT_UNIT(report, "bytes"),
};

static const struct np_option operands[] = {
	NP_VALUE(MAIN, TEXT, "NETIF", NULL, NULL, target.interface, "the Ethernet interface: eth0"),
	NP_VALUE(MAIN, COUNT, "SHELF", NULL, NULL, target.shelf,
		 "the target's shelf (major) number; eSHELF.SLOT names both",
		 .max = NP_AOE_SHELF_ALL - 1, .pair = 'e'),
	NP_VALUE(MAIN, COUNT, "SLOT", NULL, NULL, target.slot,
		 "the target's slot (minor) number, or several to read: 1..8",
		 .max = NP_AOE_SLOT_ALL - 1, .last = offsetof(struct options, target.slot_last)),
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
	{0},
};

static int check_mesh(struct options *o, const struct np_options_result *result)
{
	if (!o->mesh.mesh)
		return -1;
	if (o->report.layout == NP_REPORT_ORIGINAL)
		return np_options_refuse(
			result, "report",
			"original does not go with --mesh: the original had no meshes");
	if (sweep_is_several(&o->traffic.sweep))
		return np_options_refuse(result, "window-size", "has one value with --mesh");
	if (!o->traffic.duration && np_options_given(result, "duration"))
		return np_options_refuse(result, "duration", "must be more than 0 with --mesh");
	if (!o->traffic.duration)
		o->traffic.duration = NP_MESH_DURATION;
	return np_mesh_check(&o->mesh, &o->report, result, not_in_a_mesh);
}

/* Several targets are read together, each with a session of its own. */
static int check_several(struct options *o, const struct np_options_result *result)
{
	static const char *const what = "several targets";

	o->target.several = o->target.all || o->target.slot_last > o->target.slot;
	if (!o->target.several)
		return -1;
	if (o->operation == OPERATION_WRITE)
		return np_options_refuse(result, "operation",
					 "does not go with %s: name each by itself", what);
	if (o->mesh.mesh)
		return np_options_refuse(result, "mesh", "does not go with %s", what);
	if (sweep_is_several(&o->traffic.sweep))
		return np_options_refuse(result, "window-size", "has one value with %s", what);
	if (o->report.layout == NP_REPORT_ORIGINAL)
		return np_options_refuse(result, "report",
					 "original does not go with %s: the original had one",
					 what);
	if (o->drops == NP_DROPS_REQUIRE)
		return np_options_refuse(result, "drops", "does not go with %s", what);
	o->drops = NP_DROPS_OFF;
	return -1;
}

int options_check(struct np_run *run)
{
	struct options *o = run->options;
	const struct np_options_result *result = &run->given;
	const struct np_log *log = run->log;
	const char *missing = np_options_missing(result);
	const char *link = np_link_lacks(np_link_variants[o->target.link]);
	double bytes;

	if (!o->target.list && missing && !(o->target.all && o->target.interface))
		return np_log_refuse(log, missing,
				     "missing; usage: aoe-exercise [options] NETIF SHELF SLOT");
	if (np_options_check(result, 1u << o->operation | (o->mesh.mesh ? MESH : 0)) >= 0)
		return 2;
	if (o->traffic.jumbo)
		o->traffic.sector_count = JUMBO_SECTORS;
	/* Packets a second, of the data that one carries. */
	bytes = (double)(o->traffic.sector_count * NP_AOE_SECTOR_BYTES);
	o->traffic.rate_packets_per_s = np_rate_bytes(&o->traffic.rate, bytes) / bytes;
	if (o->traffic.rate_packets_per_s > (double)RATE_MAX)
		return np_options_refuse(result, "rate",
					 "out of range; at most 100M packets a second");
	if (sweep_parse(&o->traffic.sweep, o->traffic.window_text))
		return np_log_refuse(
			log, "--window-size",
			"'%s' is not valid; expected 1 to 4096, FROM:TO[:STEP] or auto",
			o->traffic.window_text);
	if (check_mesh(o, result) >= 0)
		return 2;
	if (check_several(o, result) >= 0)
		return 2;
	o->clients = 1;
	if ((np_options_given(result, "duration") || o->mesh.mesh) &&
	    !np_options_given(result, "packet-count"))
		o->traffic.packet_count = 0;
	if (o->data.offset_bytes % NP_PATTERN_SECTOR_BYTES)
		return np_options_refuse(result, "offset",
					 "not a multiple of the sector size, 512 bytes");
	if (o->data.size_bytes % NP_PATTERN_SECTOR_BYTES)
		return np_options_refuse(result, "size",
					 "not a multiple of the sector size, 512 bytes");
	/* What needs a library that is missing. */
	if (link)
		return np_options_refuse(result, "link", "%s, or leave the option out", link);
	np_options_warn_slow(result, o->traffic.rate_packets_per_s, "request");
	return -1;
}

#define KNEE_TOLERANCE 0.97
/* An automatic sweep ends after this many doublings in a row that gained less than 3 %. */
#define IDLE_STEPS 3

int sweep_parse(struct sweep *sweep, const char *text)
{
	unsigned *const parts[] = {&sweep->from, &sweep->to, &sweep->step};
	char copy[48], *rest = copy, *part;
	unsigned count = 0;
	uint64_t number;

	*sweep = (struct sweep){0};
	if (!strcmp(text, "auto")) {
		*sweep = (struct sweep){.from = 1, .to = WINDOW_MAX, .automatic = true};
		return 0;
	}
	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return -EINVAL;
	while ((part = strsep(&rest, ":"))) {
		if (count == 3 || np_units_parse_count(part, 1, WINDOW_MAX, &number))
			return -EINVAL;
		*parts[count++] = (unsigned)number;
	}
	if (count == 1)
		sweep->to = sweep->from;
	if (sweep->to < sweep->from ||
	    (sweep->step && (sweep->to - sweep->from) / sweep->step + 2 > SWEEP_STEPS_MAX))
		return -EINVAL;
	return 0;
}

bool sweep_bound(struct sweep *sweep, uint64_t most)
{
	if (sweep->to <= most)
		return false;
	sweep->to = (unsigned)most;
	if (sweep->from > sweep->to)
		sweep->from = sweep->to;
	return true;
}

bool sweep_is_several(const struct sweep *sweep)
{
	return sweep->from != sweep->to;
}

static double best_rate(const struct sweep_step *done, size_t count)
{
	double best = 0;

	for (size_t i = 0; i < count; i++) {
		if (!done[i].lost && done[i].rate_bytes_per_s > best)
			best = done[i].rate_bytes_per_s;
	}
	return best;
}

unsigned sweep_next(const struct sweep *sweep, const struct sweep_step *done, size_t count)
{
	unsigned last, next;

	if (!count)
		return sweep->from;
	last = done[count - 1].window;
	if (last >= sweep->to || count >= SWEEP_STEPS_MAX)
		return 0;
	/* Two lossy steps in a row, or several without gain: larger windows will not help. */
	if (sweep->automatic && count >= 2 && done[count - 1].lost && done[count - 2].lost)
		return 0;
	if (sweep->automatic && count > IDLE_STEPS &&
	    best_rate(done, count) * KNEE_TOLERANCE <= best_rate(done, count - IDLE_STEPS))
		return 0;
	next = sweep->step ? last + sweep->step : last * 2;
	return next < sweep->to ? next : sweep->to;
}

int sweep_knee(const struct sweep_step *done, size_t count)
{
	double rate[SWEEP_STEPS_MAX];

	for (size_t i = 0; i < count; i++)
		rate[i] = done[i].lost ? 0 : done[i].rate_bytes_per_s;
	return np_block_knee(rate, count);
}
