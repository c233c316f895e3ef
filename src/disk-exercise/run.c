// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* run: combines cursor, pacer, engine and chunks into the hot loop. */
#include "run.h"

#include "chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define LOOK_NS	    (50 * NP_MILLISECOND)
#define PROGRESS_NS (500 * NP_MILLISECOND)

/* Looks at signals and the clock from time to time, and reports what is due. */
struct watch {
	struct reporter *reporter;
	struct np_interval interval;
	np_time next_look;
	np_time next_progress; /* NP_TIME_NEVER when none is drawn */
	bool report_asked;     /* by a signal, also before the measured run */
};

/* Reports the rest after the last interval. That and @result end at one moment. */
static void end_watch(struct watch *watch, struct result *result)
{
	np_time begin = watch->interval.begin, mark = watch->interval.mark;

	if (begin == 0)
		return;
	if (result->end < mark)
		result->end = mark;
	report_rest(watch->reporter, result, result->end - begin, result->end - mark);
	result_mark(result);
}

/* To be called at @next_look or later. Returns false when a signal asks to end the run. */
static bool look(struct watch *watch, np_time now, struct result *result)
{
	unsigned taken = np_signals_take(watch->reporter->run->signals);
	const np_time begin = watch->interval.begin;

	watch->report_asked |= (taken & NP_SIGNALS_REPORT) != 0;
	if (begin > 0 && (np_interval_due(&watch->interval, now) || watch->report_asked)) {
		report_interval(watch->reporter, result, now - begin,
				np_interval_next(&watch->interval, now), watch->report_asked);
		result_mark(result);
		watch->report_asked = false;
	}
	if (now >= watch->next_progress) {
		report_progress(watch->reporter, result, now - begin);
		watch->next_progress = now + PROGRESS_NS;
	}
	watch->next_look = now + LOOK_NS;
	if (watch->interval.due < watch->next_look)
		watch->next_look = watch->interval.due;
	if (taken & NP_SIGNALS_STOP)
		result->interrupted = true;
	return !(taken & NP_SIGNALS_STOP);
}

/*
 * When at least so many I/Os have completed at once, and every byte of them is written or compared,
 * half of them are replaced before the rest is dealt with: the disk is at work meanwhile. With
 * stamps alone that costs more than it gains: what is submitted together reaches the disk as one
 * request.
 */
#define MANY 8

struct run {
	const struct options *options;
	const struct target *target;
	struct np_engine *engine;
	struct np_cursor cursor;
	struct np_inflight *places; /* of the chunks of earlier passes that are not done */
	struct np_pacer pacer;
	struct chunk_rules rules;
	bool all_bytes; /* each is written or compared, not only the stamps */
	struct result *result;
	struct watch watch;
	unsigned depth;
	struct chunk *chunk; /* of each slot */
	/*
	 * Slots without a chunk, a ring. The one idle longest is next: so chunks that follow each
	 * other have buffers that do, and the disk gets one piece of memory.
	 */
	unsigned *idle;
	unsigned idle_first;
	unsigned idle_count;
	struct np_io *batch; /* to be submitted next */
	unsigned batch_count;
	struct np_io *done;
	np_time count_from; /* I/Os submitted before this are warm-up */
	np_time stop_at;
	uint64_t failed_in_a_row;
	bool measuring;
	bool held; /* the place of the next chunk is not free yet */
	bool stopping;
	struct np_usage usage;
};

static int open_engine(struct run *run, uint64_t chunk_bytes)
{
	const struct np_disk_geometry *geometry = np_disk_geometry(run->target->disk);
	struct np_engine_options how = {
		.variant = np_engine_variants[run->options->engine],
		.fd = np_disk_fd(run->target->disk),
		.depth = run->depth,
		.buffer_bytes = (size_t)chunk_bytes,
		.align = geometry->memory_align > 4096 ? geometry->memory_align : 4096,
	};

	return np_engine_open(&run->engine, &how);
}

static void add_idle(struct run *run, unsigned slot)
{
	unsigned at = run->idle_first + run->idle_count++;

	run->idle[at < run->depth ? at : at - run->depth] = slot;
}

int run_create(struct run **result, const struct options *options, const struct target *target)
{
	struct run *run = calloc(1, sizeof(*run));
	int error = -ENOMEM;
	uint64_t places;

	*result = NULL;
	if (!run)
		return -ENOMEM;
	run->options = options;
	run->target = target;
	np_cursor_start(&run->cursor, target->begin_bytes, target->length_bytes,
			options->chunk_bytes);
	if (options->random)
		np_cursor_randomize(&run->cursor, options->seed);
	/* No two chunks are in flight on one place. */
	places = np_cursor_pieces(&run->cursor);
	run->depth = (unsigned)(options->queue_depth < places ? options->queue_depth : places);
	run->rules.operation = options->operation;
	run->rules.pattern =
		(struct np_pattern){.fill = options->fill, .full = options->check == CHECK_FULL};
	if (options->operation == OPERATION_VERIFIED_WRITE)
		run->rules.pattern = (struct np_pattern){.fill = NP_PATTERN_CODE, .full = true};
	run->rules.step_bytes = target->step_bytes;
	run->all_bytes = run->rules.pattern.full || (options->operation != OPERATION_READ &&
						     run->rules.pattern.fill != NP_PATTERN_ZERO);
	run->rules.expected = malloc(run->cursor.step);
	run->chunk = calloc(run->depth, sizeof(*run->chunk));
	run->idle = calloc(run->depth, sizeof(*run->idle));
	run->batch = calloc(run->depth, sizeof(*run->batch));
	run->done = calloc(run->depth, sizeof(*run->done));
	if (run->rules.expected && run->chunk && run->idle && run->batch && run->done &&
	    !np_inflight_create(&run->places, run->depth))
		error = open_engine(run, run->cursor.step);
	if (error) {
		run_free(run);
		return error;
	}
	for (unsigned slot = 0; slot < run->depth; slot++)
		add_idle(run, slot);
	*result = run;
	return 0;
}

void run_free(struct run *run)
{
	if (!run)
		return;
	np_engine_free(run->engine);
	np_inflight_free(run->places);
	free(run->done);
	free(run->batch);
	free(run->idle);
	free(run->chunk);
	free(run->rules.expected);
	free(run);
}

/* Puts the next I/O of the chunk in @slot into the batch. */
static void add_to_batch(struct run *run, unsigned slot)
{
	struct np_io *io = &run->batch[run->batch_count++];

	io->slot = slot;
	chunk_prepare(&run->chunk[slot], &run->rules, io, np_engine_buffer(run->engine, slot));
}

/*
 * Within a pass no two chunks have the same place. When one is over, the places of what is still in
 * flight are noted: the next passes come to them again.
 */
static void end_pass(struct run *run)
{
	for (unsigned slot = 0; slot < run->depth; slot++) {
		if (run->chunk[slot].started)
			(void)np_inflight_add(run->places, run->chunk[slot].offset_bytes);
	}
	if (run->cursor.passes == run->options->passes)
		run->stopping = true;
}

/*
 * Starts chunks in idle slots as far as the rate allows. The order is fixed: if a chunk of an
 * earlier pass still has the next place, all later chunks wait for it.
 */
static void begin_chunks(struct run *run, np_time now)
{
	const bool by_bytes = run->options->rate.unit == NP_RATE_BYTES;
	struct np_extent extent;
	unsigned slot;

	run->held = false;
	while (run->idle_count > 0 && np_pacer_next(&run->pacer) <= now && !run->stopping) {
		extent = np_cursor_peek(&run->cursor);
		run->held = np_inflight_has(run->places, extent.offset);
		if (run->held)
			break;
		slot = run->idle[run->idle_first];
		run->idle_count--;
		if (++run->idle_first == run->depth)
			run->idle_first = 0;
		run->chunk[slot] = (struct chunk){
			.started = true,
			.pass = run->cursor.passes,
			/*
			 * Each pass has its own code: data left by the previous pass is recognised
			 * as stale.
			 */
			.seed = run->options->seed + run->cursor.passes,
			.intended = np_pacer_next(&run->pacer),
			.offset_bytes = extent.offset,
			.length_bytes = extent.length,
		};
		np_cursor_next(&run->cursor);
		np_pacer_took(&run->pacer, now, by_bytes ? extent.length : 1);
		add_to_batch(run, slot);
		if (run->cursor.passes > run->chunk[slot].pass)
			end_pass(run);
	}
}

static void count_failure(struct run *run, const struct np_io *io, int error)
{
	struct failures *failures = &run->result->failures;

	if (failures->count++ == 0) {
		failures->error = error;
		failures->write = io->write;
		failures->offset_bytes = io->offset;
	}
	if (++run->failed_in_a_row == run->options->max_errors) {
		failures->given_up_after = run->failed_in_a_row;
		run->stopping = true;
	}
}

/* Not what was submitted during the warm-up. */
static bool counts(const struct run *run, const struct np_io *io)
{
	return run->measuring && io->submitted >= run->result->begin;
}

/* Counts @bytes of @io; @read_back: they were compared with what had been written. */
static void count_done(struct run *run, const struct chunk *chunk, const struct np_io *io,
		       uint64_t bytes, bool read_back)
{
	struct result *result = run->result;
	np_time latency = io->completed - io->submitted;

	run->failed_in_a_row = 0;
	if (!counts(run, io))
		return;
	if (io->result < io->bytes)
		result->short_operations++;
	if (read_back) {
		result->verified_bytes += bytes;
		np_histogram_add(result->verify, latency);
		return;
	}
	result->total.bytes += bytes;
	result->total.operations++;
	np_histogram_add(result->recent, latency);
	if (result->intended)
		np_histogram_add(result->intended, io->completed - chunk->intended);
}

static void finish(struct run *run, const struct np_io *io)
{
	struct chunk *chunk = &run->chunk[io->slot];
	bool read_back = chunk->reading_back;
	struct chunk_outcome outcome;

	/* One that failed has taken its time, too. */
	if (counts(run, io))
		run->result->end = io->completed;
	outcome = chunk_take(chunk, &run->rules, io, np_engine_buffer(run->engine, io->slot),
			     run->result);
	if (outcome.bytes > 0)
		count_done(run, chunk, io, outcome.bytes, read_back);
	if (outcome.next == CHUNK_FAILED)
		count_failure(run, io, outcome.error);
	if (outcome.next == CHUNK_MORE) {
		add_to_batch(run, io->slot);
		return;
	}
	chunk->started = false;
	if (chunk->pass < run->cursor.passes)
		np_inflight_remove(run->places, chunk->offset_bytes);
	add_idle(run, io->slot);
}

/* When to wake at the latest, if no completion comes before. */
static np_time next_duty(const struct run *run)
{
	const np_time look = run->watch.next_look;
	np_time due = run->stop_at < look ? run->stop_at : look;
	np_time next = np_pacer_next(&run->pacer);

	if (run->stopping)
		return look;
	return run->idle_count > 0 && !run->held && next < due ? next : due;
}

static void begin_measuring(struct run *run, np_time now)
{
	struct watch *watch = &run->watch;

	run->measuring = true;
	run->result->begin = now;
	run->usage = np_usage_now();
	/* The first report is due an interval later. */
	np_interval_start(&watch->interval, now, run->options->report.interval);
	if (watch->reporter->run->progress)
		watch->next_progress = now + PROGRESS_NS;
	watch->next_look = now;
}

/*
 * If another process has made the file shorter, writes would extend it again: no more are started.
 * What those in flight add stays, since somebody else may have written there meanwhile.
 */
static bool is_cut(struct run *run)
{
	if (run->options->operation != OPERATION_READ && np_disk_is_cut(run->target->disk)) {
		run->result->cut = true;
		run->stopping = true;
		run->batch_count = 0;
	}
	return run->result->cut;
}

/* Submits what is due. Returns 0 or -errno. */
static int submit(struct run *run, np_time now)
{
	int error;

	if (!is_cut(run))
		begin_chunks(run, now);
	if (run->batch_count == 0)
		return 0;
	if (!run->measuring && now >= run->count_from)
		begin_measuring(run, now);
	error = np_engine_submit(run->engine, run->batch, run->batch_count);
	run->batch_count = 0;
	return error;
}

/* Finishes the @done I/Os that have completed. Returns 0 or -errno. */
static int finish_all(struct run *run, int done)
{
	const int half = run->all_bytes && done >= MANY ? done / 2 : done;
	np_time now = run->done[0].completed;
	int error = 0;

	for (int i = 0; i < done; i++) {
		if (i == half && now < run->stop_at && !error) {
			error = submit(run, now);
			np_engine_flush(run->engine);
		}
		finish(run, &run->done[i]);
	}
	return error;
}

/*
 * One iteration submits what is due and takes what has completed. The engine reads the clock,
 * before it submits a batch and after it finds completions; @now is the newest of these readings.
 * Returns how many I/Os completed, or -errno.
 */
static int iterate(struct run *run, np_time now)
{
	int error = submit(run, now), done;

	if (error)
		return error;
	if (np_engine_in_flight(run->engine) == 0) {
		(void)np_clock_sleep_until(next_duty(run));
		return 0;
	}
	done = np_engine_complete(run->engine, run->done, run->depth, next_duty(run));
	if (done > 0)
		error = finish_all(run, done);
	return error ? error : done;
}

static void loop(struct run *run, np_time now)
{
	int done = 0;

	while (!run->stopping || np_engine_in_flight(run->engine) > 0 || run->batch_count > 0) {
		if (now >= run->watch.next_look && !look(&run->watch, now, run->result))
			run->stopping = true;
		done = iterate(run, now);
		if (done < 0)
			break;
		now = done > 0 ? run->done[0].completed : np_clock_now();
		/* Checked after the first iteration, so that the shortest run does one chunk. */
		if (now >= run->stop_at)
			run->stopping = true;
	}
	run->result->engine_error = done < 0 ? done : 0;
}

void run_measure(struct run *run, struct reporter *reporter, struct result *result)
{
	const struct options *options = run->options;
	struct stat status;
	np_time now, due;

	run->result = result;
	run->watch = (struct watch){
		.reporter = reporter,
		.next_progress = NP_TIME_NEVER,
		.interval.due = NP_TIME_NEVER,
	};
	report_start(reporter, run->engine, run->depth);
	now = np_clock_now();
	/* The first look takes a while. */
	if (!is_cut(run))
		now = np_clock_now();
	run->count_from = now + options->warm_up;
	run->stop_at = options->duration ? run->count_from + options->duration : NP_TIME_NEVER;
	np_pacer_start(&run->pacer, options->rate.per_s, now);
	loop(run, now);
	/*
	 * At a rate n chunks take n intervals; the last one ends an interval after the last chunk
	 * was due.
	 */
	due = np_pacer_next(&run->pacer);
	if (options->rate.per_s > 0 && result->total.operations > 1 && due > result->end)
		result->end = due;
	/* What has become of the file that was written. */
	if (is_cut(run) && !fstat(np_disk_fd(run->target->disk), &status))
		result->cut_bytes = (uint64_t)status.st_size;
	result->replaced = options->operation != OPERATION_READ &&
			   np_disk_is_replaced(run->target->disk, run->target->path);
	if (options->mode == NP_DISK_BUFFERED_SYNC) {
		now = np_clock_now();
		result->sync_error = np_disk_sync(run->target->disk);
		result->sync_ns = np_clock_now() - now;
		if (now + result->sync_ns > result->end)
			result->end = now + result->sync_ns;
	}
	if (run->measuring)
		result->usage = np_usage_since(&run->usage);
	end_watch(&run->watch, result);
	np_histogram_merge(result->latency, result->recent);
	result->passes = run->cursor.passes;
	result->worst_behind = run->pacer.worst_behind;
}
