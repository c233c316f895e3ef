// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * disk-exercise: how fast is this disk, and does it give back what was written? Open, guard and
 * geometry, everything that can forbid a test before its first I/O, come before the run.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *open_error(int error, const struct options *options)
{
	if (error == -EINVAL && options->mode == NP_DISK_DIRECT)
		return "the file system has no direct I/O; use --mode buffered";
	if (error == -ENOTBLK)
		return "is neither a block device nor a regular file";
	if (error == -EBUSY)
		return "is in use: another process or the kernel holds it exclusively";
	if (error == -EAGAIN)
		return "is being written by another program, which has locked it";
	if (error == -ENOLCK)
		return "cannot be locked against others that write it";
	if (error == -ESTALE)
		return "was replaced by another file while it was being opened";
	if (error == -EPERM)
		return "may not be written: it is immutable or append-only (lsattr), or sealed";
	if (error == -EROFS)
		return "cannot be written: it, or the file system it is on, is "
		       "read-only";
	if (error == -ETXTBSY)
		return "cannot be written: it is a running program or swap space";
	return strerror(-error);
}

/* Judges the descriptor that will be written to. Returns 0 or the exit status 2. */
static int guard(struct target *target, const struct options *options, const struct np_log *log)
{
	const struct np_guard_place region = {target->begin_bytes, target->length_bytes};
	const struct np_guard_verdict *verdict = &target->verdict;
	int error = np_guard_fd(np_disk_fd(target->disk), &region, &target->verdict);

	if (error)
		return np_log_refuse(log, target->path,
				     "cannot tell who uses it and what is on it: %s",
				     strerror(-error));
	if (verdict->reason == NP_GUARD_FREE)
		return 0;
	if (!verdict->destroyable)
		return np_log_refuse(log, target->path, "%s", verdict->text);
	if (!options->destroy)
		return np_log_refuse(log, target->path, "%s; --destroy=%s overwrites it",
				     verdict->text, target->path);
	np_log_warning(log, target->path, "%s; overwriting it, as --destroy says", verdict->text);
	return 0;
}

/*
 * The kernel only reports that the target is in use. Names the user; if there is none any more,
 * opens the target again. Returns 0 or -errno.
 */
static int open_busy(struct target *target, const struct np_disk_options *how, const char **reason,
		     struct np_guard_verdict *user)
{
	if (np_guard_users(target->path, user))
		return -EBUSY;
	if (user->reason == NP_GUARD_FREE || user->reason == NP_GUARD_UNSEEN)
		return np_disk_open(&target->disk, target->path, how);
	*reason = user->text;
	return -EBUSY;
}

/*
 * In direct mode all three must be multiples of the block size: the kernel would only report
 * EINVAL.
 */
static int check_blocks(const struct target *target, const struct options *options,
			const struct np_log *log)
{
	const struct {
		const char *option;
		uint64_t bytes;
	} asked[] = {
		{"--chunk-size", options->chunk_bytes},
		{"--offset", options->offset_bytes},
		{"--size", options->size_bytes},
	};

	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		if (asked[i].bytes % target->step_bytes == 0)
			continue;
		return np_log_refuse(log, asked[i].option,
				     "%" PRIu64 " is not a multiple of the %" PRIu64
				     " byte blocks of %s",
				     asked[i].bytes, target->step_bytes, target->path);
	}
	return 0;
}

static int find_region(struct target *target, const struct options *options,
		       const struct np_log *log)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(target->disk);
	uint64_t usable;

	target->step_bytes = NP_PATTERN_SECTOR_BYTES;
	if (geometry->offset_align > target->step_bytes)
		target->step_bytes = geometry->offset_align;
	usable = geometry->bytes - geometry->bytes % target->step_bytes;
	if (usable == 0)
		return np_log_refuse(log, target->path,
				     "has no whole block: %" PRIu64 " bytes of %" PRIu64,
				     geometry->bytes, target->step_bytes);
	if (check_blocks(target, options, log))
		return 2;
	if (options->offset_bytes >= usable)
		return np_log_refuse(log, target->path,
				     "--offset %" PRIu64 " is beyond its %" PRIu64 " bytes",
				     options->offset_bytes, usable);
	if (options->size_bytes > usable - options->offset_bytes) {
		return np_log_refuse(log, target->path,
				     "--offset %" PRIu64 " and --size %" PRIu64
				     " reach beyond its %" PRIu64 " bytes",
				     options->offset_bytes, options->size_bytes, usable);
	}
	target->begin_bytes = options->offset_bytes;
	target->length_bytes =
		options->size_bytes ? options->size_bytes : usable - options->offset_bytes;
	return 0;
}

/* Logs what will be exercised, before anything is written: so a wrong name can be noticed. */
static void target_introduce(const struct target *target, const struct options *options,
			     const struct np_log *log)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(target->disk);

	const char *signatures = target->verdict.signatures;
	bool write = options->operation != OPERATION_READ;
	const char *kind = "block device";

	/* For a file, model and serial number are those of the disk that it is on. */
	if (!geometry->block_device)
		kind = geometry->model[0] || geometry->serial[0] ? "file on a disk" : "file";
	if (write && !signatures[0])
		signatures = "no signature";
	np_log_info(log, "%s %s: %s%s%s%s%s, %" PRIu64 " bytes, blocks of %u%s%s",
		    write ? "writing to" : "reading", target->path, kind,
		    geometry->model[0] ? ", model " : "", geometry->model,
		    geometry->serial[0] ? ", serial " : "", geometry->serial, geometry->bytes,
		    geometry->logical_block, signatures[0] ? ", " : "", signatures);
	/* The file system answers reads of a hole without asking the disk. */
	if (!write && !geometry->block_device && geometry->allocated < geometry->bytes)
		np_log_warning(log, target->path,
			       "is sparse: reading its holes does not reach the disk");
}

/*
 * Opens the target, asks the guard if it is to be written, and computes the region. Returns 0, or
 * exit status 2 after logging the reason; the caller frees the disk in any case.
 */
static int target_open(struct target *target, const struct options *options,
		       const struct np_log *log)
{
	struct np_disk_options how = {
		.mode = options->mode,
		.write = options->operation != OPERATION_READ,
	};
	struct np_guard_verdict user;
	const char *reason = NULL;
	int error;

	target->path = options->path;
	error = np_disk_open(&target->disk, options->path, &how);
	if (error == -EBUSY)
		error = open_busy(target, &how, &reason, &user);
	if (error)
		return np_log_refuse(log, target->path, "%s",
				     reason ? reason : open_error(error, options));
	if (find_region(target, options, log))
		return 2;
	return how.write ? guard(target, options, log) : 0;
}

/* Judges the target before anything else is prepared, and introduces it once all is. */
static int open_target(struct np_run *tool)
{
	struct run *run = tool->state;
	const struct options *options = tool->options;
	int error;

	run->tool = tool;
	run->options = options;
	if (target_open(&run->target, options, tool->log))
		return 2;
	error = run_create(run);
	if (error)
		return np_log_refuse(tool->log, "--engine", "%s: %s",
				     np_engine_variants[options->engine],
				     error == -EPROTONOSUPPORT ? "the kernel does not allow it here"
							       : strerror(-error));
	target_introduce(&run->target, options, tool->log);
	return 0;
}

/* From the first I/O to the summary: the exit status tells whether all went well. */
static int measure(struct np_run *tool)
{
	struct run *run = tool->state;
	const struct options *options = run->options;
	const bool strict = options->strict || options->operation == OPERATION_VERIFIED_WRITE;
	int error = options->drop_cache ? np_disk_drop_cache(run->target.disk) : 0;

	if (error)
		return np_log_refuse(tool->log, options->path, "%s", strerror(-error));
	run_measure(run);
	/* What the warm-up has found counts, too. */
	if (run->result.interrupted && !run->result.begin && !result_bad(&run->result, strict))
		return np_log_refuse(tool->log, NULL, "interrupted before the measured run began");
	report_summary(run);
	return result_bad(&run->result, strict);
}

static int close_target(struct np_run *tool, int status)
{
	struct run *run = tool->state;

	run_free(run);
	np_disk_free(run->target.disk);
	return status;
}

int main(int argc, char **argv)
{
	static const struct np_tool tool = {
		.options = &options_table,
		.options_bytes = sizeof(struct options),
		.state_bytes = sizeof(struct run),
		.report = offsetof(struct options, report),
		.layout = offsetof(struct options, layout),
		.check = options_check,
		.open = open_target,
		.work = measure,
		.close = close_target,
	};

	return np_tool_main(&tool, argc, argv, stderr);
}
