// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options: the option table of disk-exercise and the checks that span options. */
#include "run.h"

#include "config.h"

#include <errno.h>
#include <sys/random.h>

#define AT(member)   offsetof(struct options, member)
#define YEAR_NS	     (UINT64_C(365) * 86400 * NP_SECOND)
#define MEMORY_BYTES (UINT64_C(1) << 30)
#define SEED_MAX     INT64_MAX

const char *const options_operations[] = {"read", "write", "verified-write", NULL};
const char *const options_modes[] = {"direct", "buffered", "buffered-sync", NULL};
static const char *const rates[] = {"", "B", "iops", NULL};
static const char *const fills[] = {"zero", "lba", NULL};
static const char *const checks[] = {"stamps", "full", NULL};

/* What a run can be, for the scopes of the options. */
enum {
	READ = 1u << OPERATION_READ,
	WRITE = 1u << OPERATION_WRITE,
	VERIFIED_WRITE = 1u << OPERATION_VERIFIED_WRITE,
	CACHED = 1u << 8,
	RANDOM = 1u << 9,
	CHECKS_ALL = 1u << 10,
	ONE_AT_A_TIME = 1u << 11,
	MIXED = 1u << 12,
};

static const struct np_option table[] = {
	NP_VALUE(MAIN, CHOICE, "operation", NULL, "OPERATION", operation,
		 "what to do: read and check, write, or write and compare at once", .letter = 'o',
		 .initial = "read", .choices = options_operations,
		 .elsewhere = "rw readwrite verify"),
	NP_VALUE(MAIN, TEXT, "resume", NULL, "FILE", resume,
		 "go on where a verified-write stopped, of which FILE has the JSON",
		 .scope = {{VERIFIED_WRITE, "is for --operation=verified-write only"}}),
	NP_VALUE(MAIN, CHOICE, "mode", NULL, "MODE", mode,
		 "bypass the page cache, use it, or use it and sync at the end", .letter = 'm',
		 .initial = "direct", .choices = options_modes, .elsewhere = "direct"),
	NP_VALUE(LOAD, TEXT, "chunk-size", NULL, "BYTES", chunk_text,
		 "bytes of one I/O, a multiple of 512; several, as 512,4k,64k, are tried\n"
		 "one after the other",
		 .letter = 'c', .initial = "20480", .unrecorded = true,
		 .elsewhere = "bs blocksize"),
	NP_VALUE(LOAD, TIME, "duration", NULL, "TIME", duration,
		 "seconds of the measured run; 0: until a signal", .letter = 'd', .initial = "10.0",
		 .max = YEAR_NS, .elsewhere = "runtime"),
	NP_VALUE(LOAD, COUNT, "passes", NULL, "NUMBER", passes,
		 "end after this many passes, in place of a duration;\n"
		 "with both, whichever is reached first ends the run; 0: no limit",
		 .initial = "0"),
	NP_VALUE(LOAD, COUNT, "count", NULL, "IOS", count,
		 "end after this many I/Os, in place of a duration;\n"
		 "with both, whichever is reached first ends the run; 0: no limit",
		 .initial = "0", .elsewhere = "number_ios"),
	NP_VALUE(LOAD, SIZE, "total", NULL, "BYTES", total_bytes,
		 "end after I/Os of this many bytes, in place of a duration;\n"
		 "with both, whichever is reached first ends the run; 0: no limit",
		 .initial = "0", .elsewhere = "io_size"),
	NP_VALUE(LOAD, TIME, "warm-up", NULL, "TIME", warm_up,
		 "seconds of the same I/O before the measured run", .initial = "0", .max = YEAR_NS,
		 .elsewhere = "ramp_time"),
	NP_VALUE(LOAD, COUNT, "queue-depth", NULL, "IOS", queue_depth, "I/Os in flight at a time",
		 .initial = "1", .min = 1, .max = NP_ENGINE_DEPTH_MAX, .elsewhere = "iodepth"),
	NP_VALUE(EXPERT, CHOICE, "engine", NULL, "ENGINE", engine,
		 "how I/Os reach the kernel; null: not at all", .initial = "auto",
		 .choices = np_engine_variants, .elsewhere = "ioengine"),
	NP_DISK_REGION(offset_bytes, size_bytes),
	NP_FLAG(LOAD, "random", NULL, random,
		"visit the chunks in random order, each once per pass"),
	NP_VALUE(LOAD, COUNT, "mix", NULL, "PERCENT", mix_percent,
		 "read so many of the chunks of a write, chosen at random", .min = 1, .max = 99,
		 .scope = {{WRITE, "is for --operation=write only"}}, .elsewhere = "rwmixread"),
	NP_VALUE(LOAD, UNIT_RATE, "rate", NULL, "RATE", rate,
		 "bytes (20MB) or I/Os (500iops) a second, at most", .choices = rates,
		 .elsewhere = "rate_iops"),
	NP_VALUE(DATA, COUNT, "seed", NULL, "NUMBER", seed,
		 "seed of the random order, of a mix and of the verification codes; default:\n"
		 "a different one each run",
		 .max = SEED_MAX,
		 .scope = {{RANDOM | VERIFIED_WRITE | MIXED,
			    "is for --random, --mix or --operation=verified-write only"}},
		 .elsewhere = "randseed"),
	NP_FLAG(DATA, "strict", NULL, strict,
		"exit with 1 if a sector that was read has a data error",
		.scope = {{READ | MIXED, "is for --operation=read or --mix only; data errors of a "
					 "verified-write always count"}}),
	NP_VALUE(DATA, CHOICE, "fill", NULL, "FILL", fill,
		 "what a write puts between the two stamps of a sector: zeros, or words computed "
		 "from the sector number",
		 .initial = "zero", .choices = fills,
		 .scope = {{READ | WRITE,
			    "a verified-write puts verification codes there; leave it out"},
			   {WRITE | CHECKS_ALL, "has an effect on a read only with --check=full"}}),
	NP_VALUE(DATA, CHOICE, "check", NULL, "CHECK", check,
		 "what a read checks in each sector: its two stamps, or every byte",
		 .initial = "stamps", .choices = checks,
		 .scope = {{READ | MIXED, "is for --operation=read or --mix only"}}),
	NP_VALUE(DATA, TEXT, "dump", NULL, "DIRECTORY", dump,
		 "write the first 100 sectors with data errors there, and what they should have",
		 .scope = {{READ | VERIFIED_WRITE | MIXED, "is for what is read"}}),
	NP_FLAG(DATA, "drop-cache", NULL, drop_cache,
		"empty the page cache of the target before a buffered read",
		.scope = {{READ, "is for --operation=read with --mode=buffered only"},
			  {CACHED, "is for --operation=read with --mode=buffered only"}}),
	NP_VALUE(
		DATA, LIST, "destroy", NULL, "TARGET", destroy,
		"write even if the device is not blank; TARGET repeats the operand;\n"
		"once for each",
		.scope = {{WRITE | VERIFIED_WRITE,
			   "is for --operation=write or verified-write; a read destroys nothing"}}),
	NP_VALUE(LIMITS, COUNT, "max-errors", NULL, "IOS", max_errors,
		 "give up after this many failed I/Os in a row; 0: never", .initial = "10",
		 .max = UINT32_MAX),
	NP_FLAG(OUTPUT, "each", NULL, each,
		"print each I/O of the measured run, with its offset and latency",
		.scope = {{ONE_AT_A_TIME, "is for --queue-depth=1 only: printing one would delay "
					  "the others in flight"}}),
	NP_REPORT_OPTIONS(report, "0"),
	NP_REPORT_LAYOUT(report),
};

static const struct np_option operand = {
	.name = "DEVICE",
	.kind = NP_OPTION_LIST,
	.offset = AT(paths),
	.help = "block device or regular file, or several to exercise at the same time",
};

const struct np_options options_table = {
	.program = "disk-exercise",
	.version = PACKAGE_VERSION,
	.summary = "How fast is this disk, and does it give back what was written?",
	.grammar = NP_GRAMMAR_GNU,
	.table = table,
	.count = sizeof(table) / sizeof(table[0]),
	.operands = &operand,
	.operand_count = 1,
};

/* What each of several disks would need for itself. */
static const struct np_option_clash not_of_several[] = {
	{"dump", "the files of two disks would have the same names", NULL},
	{"each", "the I/Os of all would be mixed", NULL},
	{"resume", "the records of several do not say how far each came", NULL},
	{0},
};

static const struct np_option_clash not_of_a_sweep[] = {
	{"each", "their I/Os would be mixed", NULL},
	{"resume", "go on with the one that stopped", NULL},
	{"rate", "all would be as fast as that", NULL},
	{0},
};

/* Returns -1, or 2 after a message. */
static int take_chunks(struct options *options, const struct np_options_result *result)
{
	char copy[32 * STEPS_MAX], *rest = copy, *part;
	const int length = snprintf(copy, sizeof(copy), "%s", options->chunk_text);
	uint64_t *chunk = options->chunk;

	for (; (part = strsep(&rest, ",")); chunk++) {
		if (chunk == options->chunk + STEPS_MAX)
			return np_options_refuse(result, "chunk-size", "more than %d sizes",
						 STEPS_MAX);
		if ((size_t)length >= sizeof(copy) ||
		    np_units_parse_size(part, NP_PATTERN_SECTOR_BYTES, MEMORY_BYTES, chunk))
			return np_options_refuse(
				result, "chunk-size",
				"is not valid; expected sizes from 512 to 1G, with "
				"a comma between them");
		if (*chunk % NP_PATTERN_SECTOR_BYTES)
			return np_options_refuse(result, "chunk-size", "must be a multiple of 512");
		if (chunk > options->chunk && chunk[0] <= chunk[-1])
			return np_options_refuse(result, "chunk-size",
						 "must ascend: the smallest that is fast enough "
						 "is sought");
	}
	options->chunks = (unsigned)(chunk - options->chunk);
	options->chunk_bytes = options->chunk[0];
	return -1;
}

static int check_disks(const struct options *options, const struct np_options_result *result)
{
	const struct np_option_list *paths = &options->paths;
	int status = -1;

	if (paths->count > 1)
		status = np_options_exclude(result, "several disks", not_of_several);
	else if (options->chunks > 1)
		status = np_options_exclude(result, "several chunk sizes", not_of_a_sweep);
	if (status < 0 && paths->count > 1 && options->chunks > 1)
		status = np_options_refuse(result, "chunk-size", "has one value for several disks");
	if (status < 0 && (paths->count > 1 || options->chunks > 1) &&
	    (options->report.layout == NP_REPORT_ORIGINAL ||
	     options->report.layout == NP_REPORT_FULL))
		status = np_options_refuse(result, "report", "describes one disk and chunk size");
	for (size_t i = 0; i < options->destroy.count && status < 0; i++) {
		size_t at = 0;

		while (at < paths->count && strcmp(options->destroy.item[i], paths->item[at]))
			at++;
		if (at == paths->count)
			status = np_log_refuse(result->log, "--destroy",
					       "%s is not the operand; expected %s",
					       options->destroy.item[i],
					       paths->count > 1 ? "one of them" : paths->item[0]);
	}
	return status;
}

int options_check(struct np_run *run)
{
	struct options *options = run->options;
	const struct np_options_result *result = &run->given;
	const struct np_log *log = run->log;
	const unsigned modes = 1u << options->operation |
			       (options->mode != NP_DISK_DIRECT ? CACHED : 0) |
			       (options->random ? RANDOM : 0) | (options->check ? CHECKS_ALL : 0) |
			       (options->queue_depth == 1 ? ONE_AT_A_TIME : 0) |
			       (options->mix_percent ? MIXED : 0);
	const size_t disks = options->paths.count;
	int status;

	if (!disks)
		return np_log_refuse(log, operand.name, "is missing; try --help");
	if (disks > DISKS_MAX)
		return np_log_refuse(log, operand.name, "more than %d; give fewer", DISKS_MAX);
	if ((options->passes || options->count || options->total_bytes) &&
	    !np_options_given(result, "duration"))
		options->duration = 0;
	if (take_chunks(options, result) >= 0)
		return 2;
	if (options->offset_bytes % NP_PATTERN_SECTOR_BYTES)
		return np_options_refuse(result, "offset", "must be a multiple of 512");
	if (options->size_bytes % NP_PATTERN_SECTOR_BYTES)
		return np_options_refuse(result, "size", "must be a multiple of 512");
	/* The last one is the largest. */
	if (options->chunk[options->chunks - 1] * options->queue_depth > MEMORY_BYTES)
		return np_options_refuse(result, "queue-depth",
					 "together with --chunk-size takes more than 1 GiB of "
					 "memory; give a smaller one");
	/* Refuses an option that would have no effect: the user expects one. */
	status = np_options_check(result, modes);
	if (status >= 0)
		return status;
	if (options->each && options->report.csv && !strcmp(options->report.csv, "-") &&
	    !options->report.json)
		return np_options_refuse(result, "each",
					 "has no place in the CSV on stdout; add --json=FILE");
	if (options->queue_depth > 1 && !strcmp(np_engine_variants[options->engine], "sync"))
		return np_options_refuse(
			result, "engine",
			"sync does one I/O at a time; choose another with --queue-depth");
	status = check_disks(options, result);
	if (status >= 0)
		return status;
	memcpy(options->inputs, options->paths.item, disks * sizeof(options->inputs[0]));
	options->inputs[disks] = options->resume;
	options->report.inputs = options->inputs;
	np_options_warn_slow(result,
			     np_rate_bytes(&options->rate, (double)*options->chunk) /
				     (double)*options->chunk,
			     "I/O");
	/* Each run has its own seed, which the result shows so that the run can be repeated. */
	if (np_options_given(result, "seed"))
		return -1;
	if (getrandom(&options->seed, sizeof(options->seed), 0) != sizeof(options->seed))
		return np_log_refuse(log, NULL, "cannot get random numbers for a seed: %s",
				     strerror(errno));
	options->seed %= NP_PATTERN_SEEDS;
	return -1;
}
