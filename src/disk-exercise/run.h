/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * run: a run of the program: the disk under test, the loop that keeps the queue filled until the
 * test ends and counts what completes, what it measured, and the report of that as text and as
 * records. All of a run is in its struct.
 */
#pragma once

#include <netperf/netperf.h>
#include <pthread.h>

/* What the user can ask for. */
enum operation { OPERATION_READ, OPERATION_WRITE, OPERATION_VERIFIED_WRITE };

/* At most so many are exercised together. */
#define DISKS_MAX 64
/* At most so many chunk sizes are tried, one after the other. */
#define STEPS_MAX 32

struct options {
	struct np_option_list paths;
	const char *path;   /* of a run: one of them */
	unsigned operation; /* enum operation */
	unsigned mode;	    /* enum np_disk_mode */
	const char *chunk_text;
	uint64_t chunk[STEPS_MAX]; /* what that says: the chunk sizes, of which one is in use */
	unsigned chunks;
	uint64_t chunk_bytes;
	np_time duration; /* 0: until a signal */
	np_time warm_up;
	uint64_t passes;      /* over the region, warm-up included; 0: no limit */
	uint64_t count;	      /* chunks of the measured run; 0: no limit */
	uint64_t total_bytes; /* of these chunks; 0: no limit */
	uint64_t queue_depth;
	unsigned engine; /* index into np_engine_variants */
	uint64_t offset_bytes;
	uint64_t size_bytes; /* 0: to the end */
	struct np_rate rate; /* 0 per second: no limit */
	uint64_t seed;
	unsigned fill;	      /* NP_PATTERN_ZERO or NP_PATTERN_LBA */
	unsigned check;	      /* 1: every byte of what is read, not only its stamps */
	uint64_t mix_percent; /* of the chunks of a write that are read; 0: none */
	bool random;
	bool strict;
	bool drop_cache;
	bool each;
	uint64_t max_errors; /* failed I/Os in a row; 0: no limit */
	struct np_option_list destroy;
	const char *dump; /* a directory; NULL: none */
	const char *resume;
	struct np_report_options report;
	const char *inputs[DISKS_MAX + 2]; /* the paths, and that of --resume, for the report */
};

extern const struct np_options options_table;

/* The names of operations and modes on the command line. */
extern const char *const options_operations[];
extern const char *const options_modes[];

/* Checks rules that span options, and draws a seed if none is given: np_tool's check. */
int options_check(struct np_run *run);

/* Counts of the whole run, or of the time since the last report. */
struct tally {
	uint64_t bytes; /* transferred by the operation asked for */
	uint64_t operations;
	uint64_t io_errors;	 /* failed I/Os, which no other figure includes */
	uint64_t errors_sectors; /* with data errors */
};

/* The reads, or the writes, of a mix. */
struct share {
	uint64_t bytes, operations;
	struct np_histogram *latency; /* NULL: no mix */
};

struct result {
	struct tally total;
	struct tally mark;	   /* total at the last report */
	uint64_t verified_bytes;   /* read back and compared */
	uint64_t checked_sectors;  /* warm-up included, as in damage */
	uint64_t blank_sectors;	   /* of a mix: read, and all zero */
	uint64_t short_operations; /* I/Os in which the kernel transferred less than asked; the rest
				      became a new I/O */
	struct np_histogram *latency;  /* submission to completion of the operation */
	struct np_histogram *recent;   /* the same, since the last report */
	struct np_histogram *intended; /* with a rate: since the moment it was due; else NULL */
	struct np_histogram *verify;   /* latency of reading back; NULL except for verified-write */
	struct share reads, writes;    /* of a mix */
	struct np_damage damage;
	struct {
		int error; /* -errno */
		bool write;
		uint64_t offset_bytes;
	} first_failure;	 /* if there are I/O errors */
	uint64_t given_up_after; /* this many failures in a row ended the run; else 0 */
	np_time begin;		 /* of the first batch that counts; 0: none yet */
	np_time end; /* the last completion, failures included, or the end of the sync */
	np_time sync_ns;
	int sync_error;
	bool cut; /* the file was made shorter while it was written, which ended the run */
	uint64_t cut_bytes;   /* its size at the end */
	bool replaced;	      /* its path led to another file, or to none, when the run ended */
	np_time worst_behind; /* how far the run fell behind its rate */
	uint64_t passes;
	struct np_usage usage;
	bool interrupted;
	bool duration_ended; /* --duration ended it, nothing else */
	int engine_error;    /* -errno of the engine itself */
};

/*
 * How far a verified-write has come: all chunks before this one, in the order in which it visits
 * them, are written and were read back.
 */
struct position {
	uint64_t passes; /* completed */
	uint64_t chunks; /* of the pass after these */
};

/* The run that --resume goes on with, as its JSON has it. */
struct resume {
	struct json_t *start;	  /* its record; NULL: nothing is resumed */
	struct position position; /* how far it came at least */
	bool exact;		  /* it came no further */
};

/*
 * One chunk that passes through an I/O, or through a write and the read that verifies it, in as
 * many I/Os as the kernel splits it into.
 */
struct chunk {
	uint64_t offset_bytes;
	uint64_t length_bytes; /* 0: the slot is idle */
	uint64_t done_bytes;   /* in the current direction */
	uint64_t number;       /* in the order of all passes */
	uint64_t seed;	       /* of its verification codes */
	bool read;	       /* in place of a write, or of nothing else */
	bool reading_back;
	bool warm_up;	  /* a part of it was done then: nothing of it counts */
	np_time intended; /* when the rate wanted it to start */
};

/* The sectors with data errors that --dump writes, the first ones. */
#define DUMP_SECTORS 100

struct dump {
	const char *path; /* NULL: not asked for */
	int fd;
	bool made; /* the directory was not there before */
	unsigned sectors;
	uint64_t lba[DUMP_SECTORS];
	bool unwritten;	 /* there were more */
	int error;	 /* -errno of the first file that could not be written */
	char failed[40]; /* its name */
};

struct run {
	struct np_run *tool;
	struct exercise *exercise;
	struct options options; /* the program's, but for the path and the chunk size */
	const char *flow; /* what its rows are about, of several disks or chunk sizes; else NULL */
	struct np_signals *signals; /* the program's, or those that it passes on to a thread */
	struct result result;

	/* Beside others: */
	pthread_t thread;
	bool threadless;   /* it could not be started */
	bool over;	   /* nor does it run any more */
	struct tally seen; /* for the status line; under the lock of reports */

	/* The disk, judged before it is used; the runs of a sweep share it, and the engine: */
	struct np_disk *disk;
	struct np_guard_verdict verdict; /* FREE when it is only read */
	uint64_t step_bytes;		 /* an I/O must start and end at multiples of it */
	struct np_cursor cursor;	 /* over the region of it that the test covers */
	struct np_cursor hundred;	 /* over that many chunks of a mix, at random */
	struct resume resume;

	/* The report: */
	unsigned intervals; /* reported so far */
	uint64_t reported;  /* I/Os, by --each */

	/* The queue: */
	struct np_engine *engine;
	struct np_pacer pacer;
	struct np_pattern pattern; /* its seed is that of each chunk */
	unsigned depth;		   /* fewer than asked for when the region has fewer chunks */
	struct chunk *chunk;	   /* of each slot */
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
	uint64_t failed_in_a_row;
	uint64_t first_pass, last_pass; /* by the cursor; @last_pass 0: no limit */
	uint64_t failed; /* the number of the first chunk that failed; else UINT64_MAX */
	uint64_t begun;	 /* chunks of the measured run */
	uint64_t begun_bytes;
	bool held;    /* the place of the next chunk is not free yet */
	bool earlier; /* perhaps a chunk of an earlier pass is in flight */
	bool stopping;

	/* The clock: */
	np_time count_from; /* I/Os submitted before this are warm-up */
	np_time stop_at;
	struct np_interval interval;
	np_time next_look; /* at signals, intervals and the status line */
	bool report_asked; /* by a signal, also before the measured run */
};

/* The program: a run for each disk, or for each chunk size of a sweep. */
struct exercise {
	struct run *run;
	unsigned count, disks;
	pthread_mutex_t report; /* to be held by whoever reports a row, or draws the status line */
	struct dump dump;
};

/* True when the run failed or found damage that counts. */
bool run_is_bad(const struct run *run);

/* Runs @one until the time is over, a signal comes, or too many I/Os fail. Reports the rows. */
void *run_measure(void *one);

/* Shows how far a run has come, or all disks, of which it is the first, when that is due. */
void run_show_status(const struct run *run, np_time now, np_time begun, np_time end);

/*
 * Reads what --json=FILE wrote of a verified-write that did not come to its end. A last line
 * without an end is ignored: its writer was killed. Returns 0, or -EBADMSG or -ENOMEM with the
 * reason in @fault.
 */
int resume_parse(struct resume *resume, FILE *in, struct np_fault *fault);

/*
 * Reads --resume and goes to where that run stopped, if it was of this disk, region and
 * order; takes its seed if none was given. Returns 0, or 2 after a message.
 */
int resume_begin(struct run *run);

/*
 * Reads samples of what it wrote last; adds those that are bad to the damage. Returns 0, or 2 if
 * none is good, or cannot be read.
 */
int resume_sample(struct run *run);

/* Writes the bad ones of the sectors at @data. Without --dump it does nothing. */
void dump_bad(struct dump *dump, const struct np_pattern *pattern, const uint8_t *data,
	      uint64_t lba, size_t sectors);

/* Reports the options, the disks, their engines and queue depths. */
void report_start(const struct exercise *exercise);

/*
 * Reports what was done since the last report, in @length ns, @at ns into the run: when an interval
 * ends, or a signal asks, or at the end, if intervals were asked for and anything is left.
 */
enum moment { MOMENT_INTERVAL, MOMENT_ASKED, MOMENT_END };
void report_row(struct run *run, np_time at, np_time length, enum moment moment);

void report_summary(const struct run *run);

/* Reports a run that is one of several. */
void report_part(const struct run *run);

/* Sectors with errors, without those that carry no test data at all. */
uint64_t report_damaged(const struct run *run);

/* Reports all of several disks, a row for each, and their sum. */
void report_all(const struct exercise *exercise, const struct result *sum,
		const struct np_usage *usage);

/* What was counted, for sums. */
extern const struct np_column result_columns[];

/* Whether no sector that was read carries test data. */
bool result_no_test_data(const struct result *result);

/* The time over which the rate is computed. */
np_time result_elapsed(const struct result *result);
