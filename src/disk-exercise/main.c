// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * disk-exercise: how fast is this disk, and does it give back what was written? Open, guard and
 * geometry, everything that can forbid a test before its first I/O, come before the run.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static const char *open_error(int error, const struct options *options)
{
	switch (error) {
	case -EINVAL:
		if (options->mode == NP_DISK_DIRECT)
			return "the file system has no direct I/O; use --mode buffered";
		break;
	case -ENOTBLK: return "is neither a block device nor a regular file";
	case -EBUSY: return "is in use: another process or the kernel holds it exclusively";
	case -EAGAIN: return "is being written by another program, which has locked it";
	case -ENOLCK: return "cannot be locked against others that write it";
	case -ESTALE: return "was replaced by another file while it was being opened";
	case -EPERM:
		return "may not be written: it is immutable or append-only (lsattr), or sealed";
	case -EROFS: return "cannot be written: it, or the file system it is on, is read-only";
	case -ETXTBSY: return "cannot be written: it is a running program or swap space";
	}
	return strerror(-error);
}

/*
 * If the kernel only reports that the disk is in use, names the user; if there is none any more,
 * opens it again. Returns 0 or the exit status 2.
 */
static int open_disk(struct run *run)
{
	const struct options *options = run->options;
	const struct np_disk_options how = {
		.mode = options->mode,
		.write = options->operation != OPERATION_READ,
	};
	struct np_guard_verdict user;
	int error = np_disk_open(&run->disk, options->path, &how);

	if (error == -EBUSY && !np_guard_users(options->path, &user)) {
		if (user.reason != NP_GUARD_FREE && user.reason != NP_GUARD_UNSEEN)
			return np_log_refuse(run->tool->log, options->path, "%s", user.text);
		error = np_disk_open(&run->disk, options->path, &how);
	}
	return error ? np_log_refuse(run->tool->log, options->path, "%s",
				     open_error(error, options))
		     : 0;
}

/* In direct mode offset, size and chunks must be multiples of the block size. Returns 0 or 2. */
static int check_blocks(const struct run *run, const char *option, uint64_t bytes)
{
	if (bytes % run->step_bytes == 0)
		return 0;
	return np_log_refuse(run->tool->log, option,
			     "%" PRIu64 " is not a multiple of the %" PRIu64 " byte blocks of %s",
			     bytes, run->step_bytes, run->options->path);
}

static int find_region(struct run *run)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);
	const struct options *options = run->options;
	const struct np_log *log = run->tool->log;
	uint64_t usable;

	run->step_bytes = NP_PATTERN_SECTOR_BYTES;
	if (geometry->offset_align > run->step_bytes)
		run->step_bytes = geometry->offset_align;
	usable = geometry->bytes - geometry->bytes % run->step_bytes;
	if (usable == 0)
		return np_log_refuse(log, options->path,
				     "has no whole block: %" PRIu64 " bytes of %" PRIu64,
				     geometry->bytes, run->step_bytes);
	if (check_blocks(run, "--offset", options->offset_bytes) ||
	    check_blocks(run, "--size", options->size_bytes))
		return 2;
	if (options->offset_bytes >= usable)
		return np_log_refuse(log, options->path,
				     "--offset %" PRIu64 " is beyond its %" PRIu64 " bytes",
				     options->offset_bytes, usable);
	if (options->size_bytes > usable - options->offset_bytes)
		return np_log_refuse(log, options->path,
				     "--offset %" PRIu64 " and --size %" PRIu64
				     " reach beyond its %" PRIu64 " bytes",
				     options->offset_bytes, options->size_bytes, usable);
	for (unsigned i = 0; i < options->chunks; i++) {
		if (check_blocks(run, "--chunk-size", options->chunk[i]))
			return 2;
	}
	np_cursor_start(&run->cursor, options->offset_bytes,
			options->size_bytes ? options->size_bytes : usable - options->offset_bytes,
			options->chunk_bytes);
	return 0;
}

/* Judges the descriptor that will be written to. Returns 0 or the exit status 2. */
static int guard(struct run *run)
{
	const struct np_guard_place region = {run->cursor.begin, run->cursor.length};
	const struct np_log *log = run->tool->log;
	const char *path = run->options->path;
	const struct np_option_list *destroy = &run->options->destroy;
	const struct np_guard_verdict *verdict = &run->verdict;
	const int error = np_guard_fd(np_disk_fd(run->disk), &region, &run->verdict);
	size_t i = 0;

	if (error)
		return np_log_refuse(log, path, "cannot tell who uses it and what is on it: %s",
				     strerror(-error));
	if (verdict->reason == NP_GUARD_FREE)
		return 0;
	if (!verdict->destroyable)
		return np_log_refuse(log, path, "%s", verdict->text);
	while (i < destroy->count && strcmp(destroy->item[i], path))
		i++;
	if (i == destroy->count)
		return np_log_refuse(log, path, "%s; --destroy=%s overwrites it", verdict->text,
				     path);
	np_log_warning(log, path, "%s; overwriting it, as --destroy says", verdict->text);
	return 0;
}

/*
 * Judges the disk before anything else is prepared for its @count runs, and introduces it once all
 * is.
 */
static int open_runs(struct run *run, unsigned count)
{
	const struct options *options = run->options;
	const struct np_log *log = run->tool->log;
	const bool write = options->operation != OPERATION_READ;
	const char *signatures = run->verdict.signatures, *kind = "block device";
	const struct np_disk_geometry *geometry;
	struct dump *dump = &run->exercise->dump;
	int error = 0;

	if (open_disk(run) || find_region(run) ||
	    (options->resume && resume_begin(run, &run->asked)) || (write && guard(run)))
		return 2;
	for (unsigned i = 1; i < count; i++) {
		run[i] = *run;
		run[i].options = &run[i].asked;
		run[i].asked.chunk_bytes = options->chunk[i];
		np_cursor_start(&run[i].cursor, run->cursor.begin, run->cursor.length,
				options->chunk[i]);
	}
	for (unsigned i = 0; i < count && !error; i++)
		error = run_create(&run[i]);
	if (!error)
		error = run_open_engine(run, count);
	if (error)
		return np_log_refuse(log, "--engine", "%s: %s", np_engine_variants[options->engine],
				     error == -EPROTONOSUPPORT ? "the kernel does not allow it here"
							       : strerror(-error));
	if (options->dump && dump_open(dump, options->dump, log))
		return 2;
	/* What will be exercised, before anything is written: so a wrong name can be noticed. */
	geometry = np_disk_geometry(run->disk);
	/* For a file, model and serial number are those of the disk that it is on. */
	if (!geometry->block_device)
		kind = geometry->model[0] || geometry->serial[0] ? "file on a disk" : "file";
	if (write && !signatures[0])
		signatures = "no signature";
	np_log_info(log, "%s %s: %s%s%s%s%s, %" PRIu64 " bytes, blocks of %u%s%s",
		    write ? "writing to" : "reading", options->path, kind,
		    geometry->model[0] ? ", model " : "", geometry->model,
		    geometry->serial[0] ? ", serial " : "", geometry->serial, geometry->bytes,
		    geometry->logical_block, signatures[0] ? ", " : "", signatures);
	/* The file system answers reads of a hole without asking the disk. */
	if (!write && !geometry->block_device && geometry->allocated < geometry->bytes)
		np_log_warning(log, options->path,
			       "is sparse: reading its holes does not reach the disk");
	return options->resume ? resume_sample(run) : 0;
}

static int open_all(struct np_run *tool)
{
	struct exercise *exercise = tool->state;
	const struct options *options = tool->options;
	const char *const *path = options->paths.item;
	int status = 0;

	pthread_mutex_init(&exercise->report, NULL);
	exercise->run = calloc(options->paths.count * options->chunks, sizeof(*exercise->run));
	if (!exercise->run)
		return np_log_refuse(tool->log, NULL, "%s", strerror(ENOMEM));
	exercise->disks = (unsigned)options->paths.count;
	exercise->count = exercise->disks * options->chunks;
	for (unsigned i = 0; i < exercise->disks && options->operation != OPERATION_READ; i++) {
		for (unsigned j = 0; j < i; j++) {
			if (np_guard_same(path[j], path[i]))
				return np_log_refuse(tool->log, path[i],
						     "is the same disk as %s, or a part of it",
						     path[j]);
		}
	}
	for (unsigned i = 0; i < exercise->disks && !status; i++) {
		struct run *run = &exercise->run[i];

		run->tool = tool;
		run->exercise = exercise;
		run->asked = *options;
		run->asked.path = path[i];
		run->options = &run->asked;
		status = open_runs(run, options->chunks);
	}
	return status;
}

/* From the first I/O to the summary: the exit status tells whether all went well. */
static int measure(struct np_run *tool)
{
	struct exercise *exercise = tool->state;
	int status;

	for (unsigned i = 0; i < exercise->disks; i++) {
		if (run_drop_cache(&exercise->run[i]))
			return 2;
	}
	report_start(exercise);
	status = exercise->disks > 1 ? several_run(exercise, tool) : sweep_run(exercise);
	return status >= 0 ? status
			   : np_log_refuse(tool->log, NULL,
					   "interrupted before the measured run began");
}

static int close_all(struct np_run *tool, int status)
{
	struct exercise *exercise = tool->state;

	for (unsigned i = 0; i < exercise->count; i++)
		run_free(&exercise->run[i]);
	for (unsigned i = 0; i < exercise->disks; i++) {
		struct run *run = &exercise->run[i];

		np_engine_free(run->engine);
		resume_free(&run->resume);
		np_disk_free(run->disk);
	}
	free(exercise->run);
	return dump_close(&exercise->dump, status, tool->log);
}

int main(int argc, char **argv)
{
	static const struct np_tool tool = {
		.options = &options_table,
		.options_bytes = sizeof(struct options),
		.state_bytes = sizeof(struct exercise),
		.report = offsetof(struct options, report),
		.layout = offsetof(struct options, layout),
		.check = options_check,
		.open = open_all,
		.work = measure,
		.close = close_all,
	};

	return np_tool_main(&tool, argc, argv, stderr);
}
