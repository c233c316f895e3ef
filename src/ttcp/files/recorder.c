// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * recorder: writes the headings and rows of a run's files. Rows take some tens of nanoseconds,
 * since nothing is allocated and printf is not used.
 */
#include "files.h"

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
	bool keeps;    /* what an earlier run left in it */
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
	struct stat found;
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
	/* Asked now: without privileges its directory may not be searched. */
	r->keeps = !stat(path, &found) && S_ISREG(found.st_mode) && found.st_size;
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
	return recorder->keeps ? 0 : recorder_flush(recorder);
}

/* A row, in the making, and its end; it has room for a name and all numbers of one. */
struct row {
	char *end;
	char text[1024];
};

/* Fields but the last, each with a tab behind it. */
static void put_text(struct row *row, const char *text)
{
	row->end = stpcpy(row->end, text);
	*row->end++ = '\t';
}

static void put_number(struct row *row, uint64_t number)
{
	row->end = figures_put_count(number, row->end);
	*row->end++ = '\t';
}

static void put_ms(struct row *row, np_time t)
{
	row->end = figures_put_ms(t, row->end);
	*row->end++ = '\t';
}

/* Times of others may have any value: no difference of them may overflow. */
static np_time minus(np_time a, np_time b)
{
	return (np_time)((uint64_t)a - (uint64_t)b);
}

/* Rounds down to whole milliseconds as Java's clock does, or writes the nanoseconds. */
static void put_moment(struct row *row, np_time t, bool whole)
{
	const np_time rest = t % NP_MILLISECOND;

	if (whole && rest)
		t = minus(t, rest < 0 ? rest + NP_MILLISECOND : rest);
	put_ms(row, t);
}

/* Its last field is @last. */
static void write_row(struct recorder *recorder, struct row *row, const char *last)
{
	row->end = stpcpy(row->end, last);
	*row->end++ = '\n';
	fwrite_unlocked(row->text, 1, (size_t)(row->end - row->text), recorder->file);
}

void recorder_delay(struct recorder *recorder, const struct recorder_delay *ack)
{
	const struct figures_delay f = figures_delay(ack->size, ack->sent, ack->acked);
	const np_time unit = f.whole ? NP_MILLISECOND : 1;
	struct row row;
	char text[FIGURES_TEXT];

	row.end = row.text;
	put_text(&row, ack->receiver);
	put_number(&row, ack->number);
	put_number(&row, ack->size);
	put_moment(&row, ack->sent, f.whole);
	put_moment(&row, ack->received, f.whole);
	put_moment(&row, ack->acked, f.whole);
	put_ms(&row, f.rtt * unit);
	put_ms(&row, f.delay * unit);
	write_row(recorder, &row, figures_print_float(f.kilobits_per_s, text));
}

void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received)
{
	struct row row;

	row.end = row.text;
	if (!recorder->begun) {
		recorder->begun = true;
		recorder->first = received;
	}
	put_number(&row, number);
	put_text(&row, "1");
	put_ms(&row, minus(sent, recorder->first));
	put_ms(&row, minus(received, recorder->first));
	put_ms(&row, minus(received, sent));
	write_row(recorder, &row, "0");
}

void recorder_bandwidth(struct recorder *recorder, const struct window_row *window)
{
	struct row row;
	char text[FIGURES_TEXT];

	row.end = row.text;
	put_ms(&row, window->end);
	put_number(&row, window->messages);
	put_number(&row, window->bytes);
	write_row(recorder, &row, figures_print_float(window->kilobits_per_s, text));
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
