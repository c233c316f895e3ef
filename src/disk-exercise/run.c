// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * run: combines cursor, pacer, engine and chunks into the hot loop: fills what is written, checks
 * what was read, continues after short I/Os. --dump: of each sector with a data error what it
 * should have, what it has, and where the two differ, as files LBA.wanted, LBA.got and LBA.diff.
 * Files that exist are left alone.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECTOR	   NP_PATTERN_SECTOR_BYTES
#define DIFF_BYTES (64 + SECTOR * 10)
#define SCRIBBLE   0xa5 /* differs from any valid stamp */
#define LOOK_NS	   (50 * NP_MILLISECOND)

/* Reports the time up to @now, in the middle of the run or at the end, and starts the next span. */
static void report(struct run *run, np_time now, np_time length, enum moment moment)
{
	struct result *result = &run->result;

	result->passes = run->cursor.passes - run->first_pass;
	pthread_mutex_lock(&run->exercise->report);
	report_row(run, now - result->begin, length, moment);
	pthread_mutex_unlock(&run->exercise->report);
	result->mark = result->total;
	np_histogram_merge(result->latency, result->recent);
	np_histogram_clear(result->recent);
}

void run_show_status(const struct run *run, np_time now, np_time begun, np_time end)
{
	struct np_status_figures figures = {
		.begun = begun,
		.end = end,
		.rate_in_bytes = true,
		.unit = "I/Os",
		.fault = "I/O errors",
	};

	/* Who holds the lock may have to wait for the reader of the rows. */
	if (pthread_mutex_trylock(&run->exercise->report))
		return;
	for (const struct run *one = run; one < run + run->exercise->disks; one++) {
		figures.bytes += one->seen.bytes;
		figures.count += one->seen.operations;
		figures.faults += one->seen.io_errors;
	}
	np_status_show(run->tool->log->status, now, &figures);
	pthread_mutex_unlock(&run->exercise->report);
}

/* To be called at @next_look or later. A signal may end the run. */
static void look(struct run *run, np_time now)
{
	const unsigned taken = np_signals_take(run->signals);
	struct result *result = &run->result;

	run->report_asked |= (taken & NP_SIGNALS_REPORT) != 0;
	if (result->begin && (np_interval_due(&run->interval, now) || run->report_asked)) {
		report(run, now, np_interval_next(&run->interval, now),
		       run->report_asked ? MOMENT_ASKED : MOMENT_INTERVAL);
		run->report_asked = false;
	}
	pthread_mutex_lock(&run->exercise->report);
	run->seen = result->total;
	pthread_mutex_unlock(&run->exercise->report);
	if (result->begin && run->exercise->disks == 1)
		run_show_status(run, now, result->begin, run->stop_at);
	run->next_look = now + LOOK_NS;
	if (run->interval.due < run->next_look)
		run->next_look = run->interval.due;
	if (taken & NP_SIGNALS_STOP)
		result->interrupted = run->stopping = true;
}

/*
 * When at least so many I/Os have completed at once, and every byte of them is written or compared,
 * half of them are replaced before the rest is dealt with: the disk is at work meanwhile. With
 * stamps alone that costs more than it gains: what is submitted together reaches the disk as one
 * request.
 */
#define MANY 8

/* Puts the next I/O of the chunk in @slot, what remains to be done, into the batch. */
static void add_to_batch(struct run *run, unsigned slot)
{
	const struct chunk *chunk = &run->chunk[slot];
	struct np_io *io = &run->batch[run->batch_count++];
	void *buffer = np_engine_buffer(run->engine, slot);
	struct np_pattern pattern = run->pattern;

	io->slot = slot;
	io->write = !chunk->read && !chunk->reading_back;
	io->offset = chunk->offset_bytes + chunk->done_bytes;
	io->bytes = (uint32_t)(chunk->length_bytes - chunk->done_bytes);
	pattern.seed = chunk->seed;
	/* Buffers start as zeros, and a plain write changes only the stamps. */
	if (io->write && run->options.operation == OPERATION_WRITE &&
	    pattern.fill == NP_PATTERN_ZERO && !run->options.mix_percent)
		np_pattern_stamp(buffer, io->offset / SECTOR, io->bytes / SECTOR);
	else if (io->write)
		np_pattern_write(&pattern, buffer, io->offset / SECTOR, io->bytes / SECTOR);
	else if (chunk->reading_back)
		/* If the read delivers nothing, the buffer must not still hold what was written. */
		memset(buffer, SCRIBBLE, io->bytes);
}

/* Whether the next chunk is read: of a mix, so many of each hundred; the seed repeats which. */
static bool is_read(struct run *run)
{
	const struct options *options = &run->options;

	if (options->operation != OPERATION_WRITE || !options->mix_percent)
		return options->operation == OPERATION_READ;
	return np_cursor_next(&run->hundred).offset < options->mix_percent;
}

/*
 * Whether a chunk in flight is at @offset, too: what a read returned would depend on which of the
 * two came first. It is of an earlier pass: within one no two have the same place.
 */
static bool is_taken(struct run *run, uint64_t offset)
{
	const uint64_t first = run->cursor.passes * run->cursor.pieces;
	bool earlier = false, taken = false;

	for (unsigned slot = 0; run->earlier && !taken && slot < run->depth; slot++) {
		const struct chunk *chunk = &run->chunk[slot];

		if (!chunk->length_bytes || chunk->number >= first)
			continue;
		earlier = true;
		taken = chunk->offset_bytes == offset;
	}
	run->earlier = earlier;
	return taken;
}

/*
 * Starts chunks in idle slots as far as the rate, the passes, the count and the total allow. The
 * order is fixed: if a chunk of an earlier pass still has the next place, all later chunks wait for
 * it.
 */
static void begin_chunks(struct run *run, np_time now)
{
	const bool by_bytes = run->options.rate.unit == NP_RATE_BYTES;
	const uint64_t total = run->options.total_bytes;
	struct np_extent extent;
	struct chunk *chunk;

	run->held = false;
	while (run->idle_count > 0 && np_pacer_next(&run->pacer) <= now && !run->stopping) {
		extent = np_cursor_peek(&run->cursor);
		run->held = is_taken(run, extent.offset);
		if (run->held)
			break;
		chunk = &run->chunk[run->idle[run->idle_first]];
		*chunk = (struct chunk){
			.number = run->cursor.passes * run->cursor.pieces + run->cursor.next,
			/*
			 * Each pass has its own code: data left by the previous pass is recognised
			 * as stale.
			 */
			.seed = run->options.seed + run->cursor.passes,
			.intended = np_pacer_next(&run->pacer),
			.offset_bytes = extent.offset,
			.length_bytes = extent.length,
			.read = is_read(run),
		};
		np_cursor_next(&run->cursor);
		run->earlier |= !run->cursor.next;
		np_pacer_took(&run->pacer, now, by_bytes ? extent.length : 1);
		add_to_batch(run, run->idle[run->idle_first]);
		run->idle_count--;
		if (++run->idle_first == run->depth)
			run->idle_first = 0;
		run->stopping = run->cursor.passes == run->last_pass && run->last_pass;
		if (now < run->count_from)
			continue;
		/* A chunk that fails counts, too: so the run ends on a bad disk. */
		run->begun++;
		run->begun_bytes += extent.length;
		if (run->begun == run->options.count || (total && run->begun_bytes >= total))
			run->stopping = true;
	}
}

/* A line for each byte of @data that differs from @wanted; returns their length. */
static size_t list_differences(char text[DIFF_BYTES], const uint8_t *data, const uint8_t *wanted)
{
	snprintf(text, DIFF_BYTES, "# offset wanted got, in hexadecimal\n");
	for (unsigned i = 0; i < SECTOR; i++) {
		if (wanted[i] != data[i])
			np_text_append(text, DIFF_BYTES, "%03x %02x %02x\n", i, wanted[i], data[i]);
	}
	return strlen(text);
}

/* Returns 0 or -errno. */
static int write_all(int fd, const char *data, size_t bytes)
{
	for (ssize_t put; bytes; data += put, bytes -= (size_t)put) {
		put = write(fd, data, bytes);
		if (put <= 0)
			return put ? -errno : -ENOSPC;
	}
	return 0;
}

/* Writes the files of one sector: all, or none beside an older one or on a full disk. */
static void write_files(struct dump *dump, uint64_t lba, const uint8_t *data, const uint8_t *wanted)
{
	char diff[DIFF_BYTES], name[3][sizeof(dump->failed)];
	const struct {
		const char *kind;
		const void *data;
		size_t bytes;
	} file[] = {
		{"wanted", wanted, SECTOR},
		{"got", data, SECTOR},
		{"diff", diff, list_differences(diff, data, wanted)},
	};
	int fd[3], made = 0, at = 0, error = 0;

	while (made < 3 && !error) {
		at = made;
		snprintf(name[at], sizeof(name[at]), "%" PRIu64 ".%s", lba, file[at].kind);
		fd[at] = openat(dump->fd, name[at], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd[at] < 0)
			error = -errno;
		else
			made++;
	}
	for (int i = 0; i < made && !error; i++) {
		at = i;
		error = write_all(fd[i], file[i].data, file[i].bytes);
	}
	for (int i = 0; i < made; i++) {
		if (close(fd[i]) < 0 && !error) {
			at = i;
			error = -errno;
		}
	}
	if (!error)
		return;
	while (made > 0)
		(void)unlinkat(dump->fd, name[--made], 0);
	dump->error = error;
	memcpy(dump->failed, name[at], sizeof(dump->failed));
}

void dump_bad(struct dump *dump, const struct np_pattern *pattern, const uint8_t *data,
	      uint64_t lba, size_t sectors)
{
	struct np_damage damage = {0};
	uint8_t wanted[SECTOR];

	for (size_t i = 0; dump->path && i < sectors; i++, data += SECTOR) {
		unsigned at = 0;

		if (!np_pattern_check(pattern, data, lba + i, 1, &damage) || dump->error)
			continue;
		/* One that is bad in each pass is written once. */
		while (at < dump->sectors && dump->lba[at] != lba + i)
			at++;
		if (at < dump->sectors)
			continue;
		if (dump->sectors == DUMP_SECTORS) {
			dump->unwritten = true;
			return;
		}
		dump->lba[dump->sectors++] = lba + i;
		/* What was not compared is taken for right. */
		memcpy(wanted, data, SECTOR);
		if (pattern->full)
			np_pattern_write(pattern, wanted, lba + i, 1);
		else
			np_pattern_stamp(wanted, lba + i, 1);
		write_files(dump, lba + i, data, wanted);
	}
}

/* How many of @sectors from @data on are all zero. */
static size_t blank_sectors(const uint8_t *data, size_t sectors)
{
	size_t bytes = 0;

	while (bytes < sectors * SECTOR && !data[bytes])
		bytes++;
	return bytes / SECTOR;
}

/*
 * Checks the @bytes that were read by @io. What a mix has not written yet may be zero, unless
 * --strict says that all was written before.
 */
static void check(struct run *run, const struct chunk *chunk, const struct np_io *io,
		  uint64_t bytes)
{
	const uint8_t *data = np_engine_buffer(run->engine, io->slot);
	const size_t sectors = (size_t)(bytes / SECTOR);
	const bool blanks = run->options.mix_percent && !run->options.strict;
	struct result *result = &run->result;
	struct np_pattern pattern = run->pattern;

	pattern.seed = chunk->seed;
	for (size_t i = 0, count; i < sectors; i += count) {
		const uint8_t *at = data + i * SECTOR;

		count = blanks ? blank_sectors(at, sectors - i) : 0;
		result->blank_sectors += count;
		if (count)
			continue;
		count = blanks ? 1 : sectors;
		if (np_pattern_check(&pattern, at, io->offset / SECTOR + i, count, &result->damage))
			dump_bad(&run->exercise->dump, &pattern, at, io->offset / SECTOR + i,
				 count);
		result->checked_sectors += count;
	}
	result->total.errors_sectors = result->damage.total;
}

/*
 * Reports one I/O, for --each: @bytes were transferred, or none because of @error, a -errno.
 * @reading_back: it verifies what was written.
 */
static void report_io(struct run *run, const struct np_io *io, bool reading_back, uint64_t bytes,
		      int error)
{
	const char *reading = reading_back ? "read back" : "read";
	const char *operation = io->write ? "write" : reading;
	FILE *text = np_report_text(run->tool->report);
	const np_time latency = io->completed - io->submitted;
	struct np_record *record;

	run->reported++;
	if (text) {
		fprintf(text,
			"%s: request=%" PRIu64 " offset=%" PRIu64 " bytes=%" PRIu64
			" time=%s%s%s\n",
			operation, run->reported, io->offset, bytes,
			np_units_format_latency(latency).text, bytes ? "" : ": ",
			bytes ? "" : strerror(-error));
		fflush(text);
	}
	if (!np_report_wants_records(run->tool->report))
		return;
	record = np_record_new("io");
	np_record_count(record, "request", run->reported);
	np_record_text(record, "operation", operation);
	np_record_time(record, "from_ns", io->submitted - run->result.begin);
	np_record_count(record, "offset_bytes", io->offset);
	np_record_count(record, "bytes", bytes);
	np_record_time(record, "latency_ns", latency);
	if (!bytes) {
		np_record_count(record, "errno", (uint64_t)-error);
		np_record_text(record, "text", strerror(-error));
	}
	np_report_write(run->tool->report, record);
}

/* Takes a completed I/O. Returns true when its chunk needs another one. */
static bool take(struct run *run, struct chunk *chunk, const struct np_io *io)
{
	/* An I/O that ended inside a block is repeated from the start of that block. */
	const uint64_t bytes =
		io->result > 0 ? (uint64_t)io->result - (uint64_t)io->result % run->step_bytes : 0;
	const np_time latency = io->completed - io->submitted;
	/* Not what was submitted during the warm-up, nor the rest of such a chunk. */
	const bool counts =
		run->result.begin && io->submitted >= run->result.begin && !chunk->warm_up;
	struct result *result = &run->result;
	/* Why it transferred nothing, if it did so. */
	const int nothing = io->write ? -ENOSPC : -ENODATA;
	const int error = io->result < 0 ? (int)io->result : nothing;
	struct share *share = io->write ? &result->writes : &result->reads;

	chunk->warm_up = !counts;
	/* One that failed has taken its time, too. */
	if (counts)
		result->end = io->completed;
	if (io->result == -EINTR)
		return true;
	if (run->options.each && counts)
		report_io(run, io, chunk->reading_back, bytes, error);
	if (!bytes) {
		run->failed = np_least(run->failed, chunk->number);
		if (result->total.io_errors++ == 0) {
			result->first_failure.error = error;
			result->first_failure.write = io->write;
			result->first_failure.offset_bytes = io->offset;
		}
		if (++run->failed_in_a_row == run->options.max_errors) {
			result->given_up_after = run->failed_in_a_row;
			run->stopping = true;
		}
		return false;
	}
	run->failed_in_a_row = 0;
	if (!io->write)
		check(run, chunk, io, bytes);
	result->short_operations += counts && io->result < io->bytes;
	if (counts && chunk->reading_back) {
		result->verified_bytes += bytes;
		np_histogram_add(result->verify, latency);
	} else if (counts) {
		result->total.bytes += bytes;
		result->total.operations++;
		np_histogram_add(result->recent, latency);
		if (share->latency) {
			share->bytes += bytes;
			share->operations++;
			np_histogram_add(share->latency, latency);
		}
		if (result->intended)
			np_histogram_add(result->intended, io->completed - chunk->intended);
	}
	chunk->done_bytes += bytes;
	if (chunk->done_bytes < chunk->length_bytes)
		return true;
	if (run->options.operation != OPERATION_VERIFIED_WRITE || chunk->reading_back)
		return false;
	chunk->reading_back = true;
	chunk->done_bytes = 0;
	return true;
}

/* When to wake at the latest, if no completion comes before. */
static np_time next_duty(const struct run *run)
{
	const np_time look = run->next_look;
	np_time due = run->stop_at < look ? run->stop_at : look;
	np_time next = np_pacer_next(&run->pacer);

	if (run->stopping)
		return look;
	return run->idle_count > 0 && !run->held && next < due ? next : due;
}

/*
 * If another process has made the file shorter, writes would extend it again: no more are started.
 * What those in flight add stays, since somebody else may have written there meanwhile.
 */
static bool is_cut(struct run *run)
{
	if (run->options.operation != OPERATION_READ && np_disk_is_cut(run->disk)) {
		run->result.cut = true;
		run->stopping = true;
		run->batch_count = 0;
	}
	return run->result.cut;
}

/* Submits what is due. */
static void submit(struct run *run, np_time now)
{
	if (!is_cut(run))
		begin_chunks(run, now);
	if (run->batch_count == 0)
		return;
	if (!run->result.begin && now >= run->count_from) {
		np_report_begun(run->tool->report);
		if (run->options.warm_up)
			now = np_clock_now();
		run->result.begin = now;
		run->result.usage = np_usage_now();
		/* The first report is due an interval later. */
		np_interval_start(&run->interval, now, run->options.report.interval);
		run->next_look = now;
	}
	np_engine_submit(run->engine, run->batch, run->batch_count);
	run->batch_count = 0;
}

/* Finishes the @done I/Os that have completed. */
static void finish_all(struct run *run, int done)
{
	const bool all_bytes = run->pattern.full || (run->options.operation != OPERATION_READ &&
						     run->pattern.fill != NP_PATTERN_ZERO);
	const int half = all_bytes && done >= MANY ? done / 2 : done;
	np_time now = run->done[0].completed;

	for (int i = 0; i < done; i++) {
		const unsigned slot = run->done[i].slot;
		struct chunk *chunk = &run->chunk[slot];
		unsigned at;

		if (i == half && now < run->stop_at) {
			submit(run, now);
			np_engine_flush(run->engine);
		}
		if (take(run, chunk, &run->done[i])) {
			add_to_batch(run, slot);
			continue;
		}
		chunk->length_bytes = 0;
		at = run->idle_first + run->idle_count++;
		run->idle[at < run->depth ? at : at - run->depth] = slot;
	}
}

bool run_is_bad(const struct run *run)
{
	const struct result *result = &run->result;
	const bool strict =
		run->options.strict || run->options.operation == OPERATION_VERIFIED_WRITE;

	return result->total.io_errors || result->sync_error || result->engine_error ||
	       result->cut || result->replaced ||
	       (result->total.bytes == 0 && !result->interrupted) ||
	       (strict && result->total.errors_sectors);
}

void *run_measure(void *one)
{
	struct run *run = one;
	const struct np_engine_info *engine = np_engine_info(run->engine);
	const struct options *options = &run->options;
	struct result *result = &run->result;
	struct stat status;
	np_time now, due;
	int done = 0;

	/* The first look takes a while. */
	(void)is_cut(run);
	now = np_clock_now();
	run->count_from = now + options->warm_up;
	run->stop_at = options->duration ? run->count_from + options->duration : NP_TIME_NEVER;
	np_pacer_start(&run->pacer, options->rate.per_s, now);
	/*
	 * One iteration submits what is due and takes what has completed. The engine reads the
	 * clock, before it submits a batch and after it finds completions; @now is the newest of
	 * these readings.
	 */
	while (done >= 0 && (!run->stopping || engine->in_flight > 0 || run->batch_count > 0)) {
		if (now >= run->next_look)
			look(run, now);
		submit(run, now);
		done = 0;
		if (engine->in_flight == 0)
			(void)np_clock_sleep_until(next_duty(run));
		else
			done = np_engine_complete(run->engine, run->done, run->depth,
						  next_duty(run));
		if (done > 0)
			finish_all(run, done);
		now = done > 0 ? run->done[0].completed : np_clock_now();
		/* Checked after the first iteration, so that the shortest run does one chunk. */
		if (now >= run->stop_at && !run->stopping) {
			np_pacer_missed(&run->pacer, run->stop_at, now);
			run->stopping = result->duration_ended = true;
		}
	}
	result->engine_error = done < 0 ? done : 0;
	/*
	 * At a rate n chunks take n intervals; the last one ends an interval after the last chunk
	 * was due.
	 */
	due = np_pacer_next(&run->pacer);
	if (options->rate.per_s > 0 && result->total.operations > 1 && due > result->end)
		result->end = due;
	/* What has become of the file that was written. */
	if (is_cut(run) && !fstat(np_disk_fd(run->disk), &status))
		result->cut_bytes = (uint64_t)status.st_size;
	result->replaced = options->operation != OPERATION_READ &&
			   np_disk_is_replaced(run->disk, options->path);
	if (options->mode == NP_DISK_BUFFERED_SYNC) {
		now = np_clock_now();
		result->sync_error = fsync(np_disk_fd(run->disk)) ? -errno : 0;
		result->sync_ns = np_clock_now() - now;
		if (now + result->sync_ns > result->end)
			result->end = now + result->sync_ns;
	}
	/* The rest after the last interval; that and the result end at one moment. */
	if (result->begin) {
		result->usage = np_usage_since(&result->usage);
		if (result->end < run->interval.mark)
			result->end = run->interval.mark;
		report(run, result->end, result->end - run->interval.mark, MOMENT_END);
	}
	result->passes = run->cursor.passes - run->first_pass;
	result->worst_behind = run->pacer.worst_behind;
	return NULL;
}
