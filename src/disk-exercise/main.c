// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * disk-exercise: how fast is this disk, and does it give back what was written? Open, guard and
 * geometry, everything that can forbid a test before its first I/O, come before the run. Several
 * disks are exercised at the same time, each by a run in a thread of its own, with a row for each
 * and their sum; one disk is measured with one chunk size, or with several, one after the other,
 * with a row for each.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_NS (20 * NP_MILLISECOND)

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
	const struct options *options = &run->options;
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
			     bytes, run->step_bytes, run->options.path);
}

static int find_region(struct run *run)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);
	const struct options *options = &run->options;
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
	if (options->offset_bytes >= usable || options->size_bytes > usable - options->offset_bytes)
		return np_log_refuse(log, options->offset_bytes >= usable ? "--offset" : "--size",
				     "reaches beyond the end of %s, which has %" PRIu64 " bytes",
				     options->path, usable);
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
	const char *path = run->options.path;
	const struct np_option_list *destroy = &run->options.destroy;
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
	return i < destroy->count ? 0
				  : np_log_refuse(log, path, "%s; --destroy=%s overwrites it",
						  verdict->text, path);
}

/* Allocates everything that the run needs but the engine. Returns 0 or -ENOMEM. */
static int create(struct run *run)
{
	const struct options *options = &run->options;
	struct result *result = &run->result;

	run->cursor.random = options->random;
	run->cursor.seed = options->seed;
	np_cursor_start(&run->hundred, 0, 100, 1);
	run->hundred.random = true;
	run->hundred.seed = ~options->seed; /* else a region of a hundred has its order */
	run->last_pass = options->passes;
	/* No two chunks are in flight on one place. */
	run->depth = (unsigned)np_least(options->queue_depth, run->cursor.pieces);
	run->failed = UINT64_MAX;
	run->interval.due = NP_TIME_NEVER;
	run->pattern = (struct np_pattern){.fill = options->fill, .full = options->check};
	if (options->operation == OPERATION_VERIFIED_WRITE)
		run->pattern = (struct np_pattern){.fill = NP_PATTERN_CODE, .full = true};
	run->chunk = calloc(run->depth, sizeof(*run->chunk));
	run->idle = calloc(run->depth, sizeof(*run->idle));
	run->batch = calloc(run->depth, sizeof(*run->batch));
	run->done = calloc(run->depth, sizeof(*run->done));
	if (!run->chunk || !run->idle || !run->batch || !run->done ||
	    np_histogram_create(&result->latency) || np_histogram_create(&result->recent) ||
	    (options->rate.per_s > 0 && np_histogram_create(&result->intended)) ||
	    (options->operation == OPERATION_VERIFIED_WRITE &&
	     np_histogram_create(&result->verify)) ||
	    (options->mix_percent && (np_histogram_create(&result->reads.latency) ||
				      np_histogram_create(&result->writes.latency))))
		return -ENOMEM;
	run->idle_count = run->depth;
	for (unsigned slot = 0; slot < run->depth; slot++)
		run->idle[slot] = slot;
	return 0;
}

/* Opens one engine for @count runs of one disk. Returns 0 or -errno. */
static int open_engine(struct run *run, unsigned count)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);
	struct np_engine_options how = {
		.variant = np_engine_variants[run->options.engine],
		.fd = np_disk_fd(run->disk),
		.align = geometry->memory_align > 4096 ? geometry->memory_align : 4096,
		.depth = 1,
		.moves = run->exercise->disks > 1,
	};
	int error;

	for (unsigned i = 0; i < count; i++) {
		how.depth = run[i].depth > how.depth ? run[i].depth : how.depth;
		if (run[i].cursor.step > how.buffer_bytes)
			how.buffer_bytes = (size_t)run[i].cursor.step;
	}
	error = np_engine_open(&run->engine, &how);
	for (unsigned i = 1; i < count; i++)
		run[i].engine = run->engine;
	return error;
}

/* Judges the disk before anything else is prepared for its @count runs. */
static int open_runs(struct run *run, unsigned count)
{
	const struct options *options = &run->options;
	const struct np_log *log = run->tool->log;
	struct dump *dump = &run->exercise->dump;
	int error = 0;

	if (open_disk(run) || find_region(run) || (options->resume && resume_begin(run)) ||
	    (options->operation != OPERATION_READ && guard(run)))
		return 2;
	for (unsigned i = 1; i < count; i++) {
		run[i] = *run;
		run[i].options.chunk_bytes = options->chunk[i];
		np_cursor_start(&run[i].cursor, run->cursor.begin, run->cursor.length,
				options->chunk[i]);
	}
	for (unsigned i = 0; i < count && !error; i++)
		error = create(&run[i]);
	if (!error)
		error = open_engine(run, count);
	if (error)
		return np_log_refuse(log, "--engine", "%s: %s", np_engine_variants[options->engine],
				     error == -EPROTONOSUPPORT ? "the kernel does not allow it here"
							       : strerror(-error));
	if (options->dump) {
		dump->path = options->dump;
		dump->made = !mkdir(dump->path, 0777);
		dump->fd = -1;
		if (dump->made || errno == EEXIST)
			dump->fd = open(dump->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dump->fd < 0)
			return np_log_refuse(log, "--dump", "%s: %s", dump->path, strerror(errno));
	}
	return 0;
}

/* Says what will be exercised, before anything is written: so a wrong name can be noticed. */
static void introduce(const struct run *run)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->disk);
	const struct options *options = &run->options;
	const struct np_log *log = run->tool->log;
	const bool write = options->operation != OPERATION_READ;
	const char *signatures = run->verdict.signatures, *kind = "block device";

	if (run->verdict.reason != NP_GUARD_FREE)
		np_log_warning(log, options->path, "%s; overwriting it, as --destroy says",
			       run->verdict.text);
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
	for (unsigned i = 0; i < exercise->disks; i++) {
		for (unsigned j = 0; j < i; j++) {
			/* Its results could not be told apart. */
			if (options->operation == OPERATION_READ && !strcmp(path[j], path[i]))
				return np_log_refuse(tool->log, path[i],
						     "is named twice; expected once");
			if (options->operation != OPERATION_READ && np_guard_same(path[j], path[i]))
				return np_log_refuse(tool->log, path[i],
						     "is the same disk as %s, or a part of it",
						     path[j]);
		}
	}
	for (unsigned i = 0; i < exercise->disks && !status; i++) {
		struct run *run = &exercise->run[i];

		run->tool = tool;
		run->exercise = exercise;
		run->options = *options;
		run->options.path = path[i];
		status = open_runs(run, options->chunks);
	}
	/* Not before all are judged: what is refused after that would not be exercised. */
	for (unsigned i = 0; i < exercise->disks && !status; i++)
		introduce(&exercise->run[i]);
	return !status && options->resume ? resume_sample(exercise->run) : status;
}

/* With --drop-cache a buffered read shall read the disk. Returns 0, or 2 after a message. */
static int drop_cache(const struct run *run)
{
	const int fd = np_disk_fd(run->disk);
	int error = 0;

	/* Dirty pages cannot be dropped: they are written. */
	if (run->options.drop_cache)
		error = fdatasync(fd) ? errno : posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return error ? np_log_refuse(run->tool->log, run->options.path, "%s", strerror(error)) : 0;
}

/* Reports the present size of the file, which a write in flight may have changed. */
static void remark_on_file(const struct run *run)
{
	const struct result *result = &run->result;
	const char *path = run->options.path;
	const uint64_t opened = np_disk_geometry(run->disk)->bytes;
	const uint64_t bytes = result->cut ? result->cut_bytes : opened;
	const uint64_t begin = run->cursor.begin, end = begin + run->cursor.length;
	char range[96] = "";

	if (bytes > begin)
		snprintf(range, sizeof(range),
			 "; bytes %" PRIu64 " to %" PRIu64 " of it may hold test data", begin,
			 bytes < end ? bytes : end);
	if (result->cut && bytes == opened)
		np_log_error(run->tool->log, path,
			     "lost blocks while it was written; the run ended%s", range);
	else if (result->cut)
		np_log_error(run->tool->log, path,
			     "was truncated while it was written; the run ended; it has %" PRIu64
			     " bytes%s",
			     bytes, range);
	if (result->replaced)
		np_log_error(run->tool->log, path, "is no longer the file that was written%s",
			     result->cut ? "" : range);
}

/* Logs what went wrong, what was found on the disk, and what of it makes the exit status 1. */
static void remark(const struct run *run)
{
	const struct result *result = &run->result;
	const struct options *options = &run->options;
	const struct np_log *log = run->tool->log;
	const char *path = options->path,
		   *hint = np_damage_hint(&result->damage, result->checked_sectors,
					  result->passes + 1);

	if (result->total.io_errors)
		np_log_error(log, path, "%s at offset %" PRIu64 ": %s",
			     result->first_failure.write ? "write" : "read",
			     result->first_failure.offset_bytes,
			     strerror(-result->first_failure.error));
	if (result->given_up_after)
		np_log_error(log, path, "gave up after %" PRIu64 " failed I/O%s in a row",
			     result->given_up_after, np_plural(result->given_up_after));
	if (result->cut || result->replaced)
		remark_on_file(run);
	if (result->sync_error)
		np_log_error(log, path, "sync: %s", strerror(-result->sync_error));
	if (result->engine_error)
		np_log_error(log, path, "%s: %s",
			     run->threadless ? "no thread" : np_engine_info(run->engine)->variant,
			     strerror(-result->engine_error));
	else if (!result->total.bytes && !result->total.io_errors && !result->interrupted &&
		 !result->cut && !result->replaced)
		np_log_error(log, path, "no I/O completed within --duration");
	if (options->operation == OPERATION_READ && result_no_test_data(result))
		np_log_info(log, "%s %s", path,
			    result->damage.sectors[NP_PATTERN_ALL_ZERO] == result->damage.total
				    ? "is all zero: it was never written by this program"
				    : "carries no test pattern: it was not written by this "
				      "program");
	if (options->operation == OPERATION_READ && hint)
		np_log_info(log, "%s %s", path, hint);
	if (result->damage.total &&
	    (options->strict || options->operation == OPERATION_VERIFIED_WRITE))
		np_log_error(log, path, "%" PRIu64 " sector%s with data errors",
			     result->damage.total, np_plural(result->damage.total));
}

/* Starts them, passes signals on and draws the status line until all have ended: one may hang. */
static void run_all(struct exercise *exercise, struct np_signals *signals)
{
	struct run *const end = exercise->run + exercise->count;
	const struct options *options = &exercise->run->options;
	const np_time begun = np_clock_now() + options->warm_up;
	const np_time stop_at = options->duration ? begun + options->duration : NP_TIME_NEVER;
	unsigned left = exercise->count;

	for (struct run *run = exercise->run; run < end; run++) {
		const int rc = pthread_create(&run->thread, NULL, run_measure, run);

		if (rc)
			run->result.engine_error = -rc;
		run->over = run->threadless = rc != 0;
	}
	while (left) {
		const unsigned taken = np_signals_take(signals);
		const np_time now = np_clock_now();

		left = 0;
		for (struct run *run = exercise->run; run < end; run++) {
			np_signals_tell(run->signals, taken);
			run->over = run->over || !pthread_tryjoin_np(run->thread, NULL);
			left += !run->over;
		}
		if (now >= begun)
			run_show_status(exercise->run, now, begun, stop_at);
		if (left)
			(void)np_clock_sleep_until(now + LOOK_NS);
	}
}

/* All disks at the same time. Returns 0, 1 or 2; -1: a signal came before the measured run. */
static int run_several(struct exercise *exercise, const struct np_run *tool)
{
	struct np_usage usage = np_usage_now();
	struct result sum = {0};
	int rc = 0, status = 0;

	/* Each has signals of its own, which the thread of the program passes on. */
	for (unsigned i = 0; i < exercise->count && !rc; i++) {
		exercise->run[i].flow = exercise->run[i].options.path;
		rc = np_signals_open_told(&exercise->run[i].signals);
	}
	if (!rc)
		run_all(exercise, tool->signals);
	usage = np_usage_since(&usage);
	/* The time of the sum is from the first I/O of all to the last. */
	(void)np_histogram_create(&sum.latency);
	for (unsigned i = 0; i < exercise->count; i++) {
		const struct run *run = &exercise->run[i];

		np_signals_free(run->signals);
		status |= run_is_bad(run);
		np_schema_add(result_columns, &sum, &run->result);
		if (sum.latency)
			np_histogram_merge(sum.latency, run->result.latency);
		sum.interrupted |= run->result.interrupted;
	}
	if (rc)
		status = np_log_refuse(tool->log, "signals", "%s", strerror(-rc));
	else if (sum.interrupted && !sum.begin && !status)
		status = -1;
	else
		report_all(exercise, &sum, &usage);
	for (unsigned i = 0; i < exercise->count && status >= 0; i++)
		remark(&exercise->run[i]);
	np_histogram_free(sum.latency);
	return status;
}

/* True when a signal ended it before the measured run, and the warm-up found nothing bad. */
static bool is_unbegun(const struct run *run)
{
	return run->result.interrupted && !run->result.begin && !run_is_bad(run);
}

/*
 * Measures one chunk size after the other, reports a row for each, and the summary of the smallest
 * with which the disk is about as fast as with any; of a single one only that. Returns 0, 1 or -1.
 */
static int run_sweep(struct exercise *exercise, struct np_signals *signals)
{
	struct run *run = exercise->run, *end = run + exercise->count;
	const bool several = exercise->count > 1;
	FILE *text = np_report_text(run->tool->report);
	double rate[STEPS_MAX] = {0}; /* 0: does not count */
	bool bad = false, last = false;
	char bytes[24];
	int knee = -1;

	if (text && several)
		np_block_target_heading(text, "chunk", "MB/s", "I/O/s", "I/Os", "failed");
	for (; run < end && !last; run++) {
		/* Each step has codes of its own: data of the one before is stale. */
		if (run > exercise->run) {
			run->first_pass = run[-1].cursor.passes + 1;
			run->last_pass += run->last_pass ? run->first_pass : 0;
			run->cursor.passes = run->first_pass;
			/* Of what the step before has read. */
			bad |= drop_cache(run) != 0;
		}
		snprintf(bytes, sizeof(bytes), "%" PRIu64, run->options.chunk_bytes);
		run->flow = several ? bytes : NULL;
		run->signals = signals;
		(void)run_measure(run);
		if (is_unbegun(run))
			break;
		/* What makes the next step pointless. */
		last = run->result.interrupted || run->result.given_up_after ||
		       run->result.engine_error || run->result.cut || run->result.replaced;
		if (several)
			report_part(run);
		bad |= run_is_bad(run);
		if (!run_is_bad(run) && !report_damaged(run))
			rate[run - exercise->run] = np_units_rate(run->result.total.bytes,
								  result_elapsed(&run->result));
		else if (run + 1 < end && !last)
			remark(run);
	}
	if (run == exercise->run)
		return -1;
	/* A step that a signal ended before it began is as if the one before had been ended. */
	if (run < end && is_unbegun(run))
		run[-1].result.interrupted = true;
	run--;
	if (!run->result.interrupted)
		knee = np_block_knee(rate, exercise->count);
	/* What was wrong with the last one, if another one is summarised. */
	if (knee >= 0 && run_is_bad(run))
		remark(run);
	if (knee >= 0)
		run = &exercise->run[knee];
	if (text && several && knee < 0)
		fputs("knee: unknown\n\n", text);
	else if (text && several)
		fprintf(text,
			"knee: %" PRIu64
			" bytes, the smallest with at least 97 %% of the highest rate\n\n",
			run->options.chunk_bytes);
	remark(run);
	report_summary(run);
	return bad;
}

/* From the first I/O to the summary: the exit status tells whether all went well. */
static int measure(struct np_run *tool)
{
	struct exercise *exercise = tool->state;
	int status;

	for (unsigned i = 0; i < exercise->disks; i++) {
		if (drop_cache(&exercise->run[i]))
			return 2;
	}
	report_start(exercise);
	status = exercise->disks > 1 ? run_several(exercise, tool)
				     : run_sweep(exercise, tool->signals);
	return status >= 0 ? status
			   : np_log_refuse(tool->log, NULL,
					   "interrupted before the measured run began");
}

/* Returns @status, or 1 in place of 0 after a message. Without --dump it does nothing. */
static int close_dump(struct dump *dump, int status, const struct np_log *log)
{
	if (!dump->path)
		return status;
	if (dump->fd >= 0)
		close(dump->fd);
	/* It stays if there is anything in it. */
	if (dump->made)
		(void)rmdir(dump->path);
	if (dump->unwritten)
		np_log_info(log, "%s has the first %d sectors with data errors", dump->path,
			    DUMP_SECTORS);
	if (!dump->error)
		return status;
	np_log_error(log, "--dump", "%s/%s: %s", dump->path, dump->failed, strerror(-dump->error));
	return status ? status : 1;
}

static int close_all(struct np_run *tool, int status)
{
	struct exercise *exercise = tool->state;

	for (unsigned i = 0; i < exercise->count; i++) {
		struct run *run = &exercise->run[i];

		free(run->done);
		free(run->batch);
		free(run->idle);
		free(run->chunk);
		np_histogram_free(run->result.latency);
		np_histogram_free(run->result.recent);
		np_histogram_free(run->result.intended);
		np_histogram_free(run->result.verify);
		np_histogram_free(run->result.reads.latency);
		np_histogram_free(run->result.writes.latency);
		/* The runs of a sweep share the rest. */
		if (i >= exercise->disks)
			continue;
		np_engine_free(run->engine);
		json_decref(run->resume.start);
		np_disk_free(run->disk);
	}
	free(exercise->run);
	return close_dump(&exercise->dump, status, tool->log);
}

NP_TOOL_MAIN(options_table, struct exercise, options_check, open_all, measure, close_all)
