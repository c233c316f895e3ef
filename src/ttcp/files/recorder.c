// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * recorder: writes the headings and rows of a run's files. Rows take some tens of nanoseconds,
 * since nothing is allocated and printf is not used.
 */
#include "recorder.h"

#include "../report/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define ROOM (1 << 16)

struct recorder {
	enum recorder_kind kind;
	bool begun;
	np_time first; /* arrival of a sequence file's first message */
	char *path;
	char *buffer; /* of the stream; NULL: its own */
	FILE *file;
};

int recorder_open(struct recorder **recorder, enum recorder_kind kind, const char *path,
		  const bool *never_began)
{
	const struct np_output how = {
		.append = kind == RECORDER_LOG,
		.heading = kind != RECORDER_LOG,
		.never_began = never_began,
	};
	struct recorder *r = calloc(1, sizeof(*r));
	int rc = -ENOMEM;

	*recorder = NULL;
	if (r)
		r->path = strdup(path);
	if (r && r->path)
		rc = np_output_stream(path, &how, &r->file);
	if (rc) {
		free(r ? r->path : NULL);
		free(r);
		return rc;
	}
	r->kind = kind;
	*recorder = r;
	return 0;
}

int recorder_begin(struct recorder *recorder, const char *mode)
{
	static const char *const heads[] = {
		[RECORDER_DELAY] = "receiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\t"
				   "delay\tthrouput(kbps)\n",
		[RECORDER_SEQUENCE] = "# sequence#\treceived\tsent time\treceived time\t"
				      "pseudo-delay\tafter reply\n",
		[RECORDER_BANDWIDTH] = "# end_ms\tpackets\tbytes\tkbps\n",
	};
	struct stat found;

	recorder->buffer = malloc(ROOM);
	if (recorder->buffer)
		setvbuf(recorder->file, recorder->buffer, _IOFBF, ROOM);
	if (recorder->kind == RECORDER_DELAY)
		fprintf(recorder->file, "%s\n", mode);
	fputs(heads[recorder->kind], recorder->file);
	/*
	 * Written at once, so that a full disk is noticed before the run; but not where that would
	 * destroy the results of an earlier run before this one has any.
	 */
	if (!stat(recorder->path, &found) && S_ISREG(found.st_mode) && found.st_size)
		return 0;
	return recorder_flush(recorder);
}

static void put_char(struct recorder *r, char c)
{
	putc_unlocked(c, r->file);
}

static void put_text(struct recorder *r, const char *text)
{
	fputs_unlocked(text, r->file);
}

/* Writes at least @digits digits, with leading zeros. */
static void put_digits(struct recorder *r, uint64_t number, size_t digits)
{
	char text[20], *at = text + sizeof(text);

	for (; number || text + sizeof(text) - at < (ptrdiff_t)digits; number /= 10)
		*--at = (char)('0' + number % 10);
	fwrite_unlocked(at, 1, (size_t)(text + sizeof(text) - at), r->file);
}

static void put_number(struct recorder *r, uint64_t number)
{
	put_digits(r, number, 1);
	put_char(r, '\t');
}

/* In ms, exactly: "0", "31", "-3.412345". */
static void put_ms(struct recorder *r, np_time t)
{
	const uint64_t ns = t < 0 ? -(uint64_t)t : (uint64_t)t;
	uint64_t fraction = ns % NP_MILLISECOND;
	size_t digits = 6;

	if (t < 0)
		put_char(r, '-');
	put_digits(r, ns / NP_MILLISECOND, 1);
	if (fraction) {
		for (; fraction % 10 == 0; fraction /= 10)
			digits--;
		put_char(r, '.');
		put_digits(r, fraction, digits);
	}
	put_char(r, '\t');
}

/* Times of others may have any value: no difference of them may overflow. */
static np_time minus(np_time a, np_time b)
{
	return (np_time)((uint64_t)a - (uint64_t)b);
}

/* Rounds down to whole milliseconds as Java's clock does, or writes the nanoseconds. */
static void put_moment(struct recorder *r, np_time t, bool whole)
{
	const np_time rest = t % NP_MILLISECOND;

	if (whole && rest)
		t = minus(t, rest < 0 ? rest + NP_MILLISECOND : rest);
	put_ms(r, t);
}

void recorder_delay(struct recorder *recorder, const struct recorder_delay *row)
{
	const struct figures_delay f = figures_delay(row->size, row->sent, row->acked);
	const np_time unit = f.whole ? NP_MILLISECOND : 1;
	char text[FIGURES_TEXT];

	put_text(recorder, row->receiver);
	put_char(recorder, '\t');
	put_number(recorder, row->number);
	put_number(recorder, row->size);
	put_moment(recorder, row->sent, f.whole);
	put_moment(recorder, row->received, f.whole);
	put_moment(recorder, row->acked, f.whole);
	put_ms(recorder, f.rtt * unit);
	put_ms(recorder, f.delay * unit);
	put_text(recorder, figures_print_float(f.kilobits_per_s, text));
	put_char(recorder, '\n');
}

void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received)
{
	if (!recorder->begun) {
		recorder->begun = true;
		recorder->first = received;
	}
	put_number(recorder, number);
	put_text(recorder, "1\t");
	put_ms(recorder, minus(sent, recorder->first));
	put_ms(recorder, minus(received, recorder->first));
	put_ms(recorder, minus(received, sent));
	put_text(recorder, "0\n");
}

void recorder_bandwidth(struct recorder *recorder, const struct window_row *row)
{
	char text[FIGURES_TEXT];

	put_ms(recorder, row->end);
	put_number(recorder, row->messages);
	put_number(recorder, row->bytes);
	put_text(recorder, figures_print_float(row->kilobits_per_s, text));
	put_char(recorder, '\n');
}

void recorder_log(struct recorder *recorder, np_time now, const char *mode, uint64_t run,
		  const char *text)
{
	const time_t seconds = now / NP_SECOND;
	char date[40];
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(date, sizeof(date), "unknown");
	while (*text) {
		const size_t length = strcspn(text, "\n");

		fprintf(recorder->file, "%s\t%s\t%" PRIu64 "\t%.*s\n", date, mode, run, (int)length,
			text);
		text += length + (text[length] == '\n');
	}
}

enum recorder_kind recorder_kind(const struct recorder *recorder)
{
	return recorder->kind;
}

const char *recorder_path(const struct recorder *recorder)
{
	return recorder->path;
}

int recorder_flush(struct recorder *recorder)
{
	return np_output_flush(recorder->file);
}

int recorder_close(struct recorder *recorder)
{
	int rc;

	if (!recorder)
		return 0;
	rc = np_output_close(recorder->file);
	free(recorder->buffer);
	free(recorder->path);
	free(recorder);
	return rc;
}
