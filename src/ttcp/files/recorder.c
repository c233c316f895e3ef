// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * recorder: writes the headings and rows of a run's files: formats fields into a buffer and writes
 * the buffer to a file.
 */
#include "recorder.h"

#include "../report/figures.h"

#include <errno.h>
#include <netperf/output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int writer_open(struct writer *writer, const char *path, bool append)
{
	const struct np_output how = {.append = append, .made = &writer->made};

	writer_adopt(writer, -1, false);
	return np_output_open(path, &how, &writer->fd);
}

void writer_adopt(struct writer *writer, int fd, bool made)
{
	struct stat found;

	writer->used = 0;
	writer->error = 0;
	writer->fd = fd;
	writer->made = made;
	writer->keeps = fd >= 0 && !fstat(fd, &found) && S_ISREG(found.st_mode) && found.st_size;
}

void writer_forget(struct writer *writer)
{
	if (writer->keeps || writer->made)
		writer->used = 0;
	if (writer->made)
		(void)np_output_empty(writer->fd);
}

int writer_flush(struct writer *writer)
{
	size_t done = 0;

	if (writer->keeps && writer->used) {
		writer->keeps = false;
		writer->error = np_output_empty(writer->fd);
	}
	while (done < writer->used && !writer->error) {
		const ssize_t n = write(writer->fd, writer->buffer + done, writer->used - done);

		if (n >= 0)
			done += (size_t)n;
		else if (errno != EINTR)
			writer->error = -errno;
	}
	writer->used = 0;
	return writer->error;
}

int writer_close(struct writer *writer)
{
	writer_flush(writer);
	if (close(writer->fd) && !writer->error)
		writer->error = -errno;
	return writer->error;
}

static char *reserve(struct writer *writer, size_t bytes)
{
	if (writer->used + bytes > sizeof(writer->buffer))
		writer_flush(writer);
	return writer->buffer + writer->used;
}

void writer_char(struct writer *writer, char c)
{
	*reserve(writer, 1) = c;
	writer->used++;
}

void writer_text(struct writer *writer, const char *text)
{
	for (size_t left = strlen(text); left;) {
		const size_t room = sizeof(writer->buffer) / 2;
		const size_t piece = left < room ? left : room;

		memcpy(reserve(writer, piece), text, piece);
		writer->used += piece;
		text += piece;
		left -= piece;
	}
}

/* Writes @digits digits, with leading zeros. */
static void put_digits(struct writer *writer, uint64_t number, size_t digits)
{
	char *at = reserve(writer, digits) + digits;

	for (size_t i = 0; i < digits; i++) {
		*--at = (char)('0' + number % 10);
		number /= 10;
	}
	writer->used += digits;
}

void writer_number(struct writer *writer, uint64_t number)
{
	size_t digits = 1;

	for (uint64_t rest = number / 10; rest; rest /= 10)
		digits++;
	put_digits(writer, number, digits);
}

void writer_ms(struct writer *writer, np_time t)
{
	uint64_t ns = t < 0 ? -(uint64_t)t : (uint64_t)t, fraction;
	size_t digits = 6;

	if (t < 0)
		writer_char(writer, '-');
	writer_number(writer, ns / NP_MILLISECOND);
	fraction = ns % NP_MILLISECOND;
	if (!fraction)
		return;
	for (; fraction % 10 == 0; fraction /= 10)
		digits--;
	writer_char(writer, '.');
	put_digits(writer, fraction, digits);
}

struct recorder {
	enum recorder_kind kind;
	bool begun;
	np_time first; /* arrival of a sequence file's first message */
	char *path;
	struct writer writer;
};

/* After a failure nothing stays open, not even @fd. */
static int make(struct recorder **recorder, enum recorder_kind kind, int fd, bool made,
		const char *path)
{
	struct recorder *r = malloc(sizeof(*r));

	*recorder = NULL;
	if (r)
		r->path = strdup(path);
	if (!r || !r->path) {
		free(r);
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	r->kind = kind;
	r->begun = false;
	writer_adopt(&r->writer, fd, made);
	*recorder = r;
	return 0;
}

int recorder_open(struct recorder **recorder, enum recorder_kind kind, int fd, bool made,
		  const char *path, const char *mode)
{
	static const char *const heads[] = {
		[RECORDER_DELAY] = "receiver\tsequence#\tsize(byte)\tsent\treceived\tacked\tRTT\t"
				   "delay\tthrouput(kbps)\n",
		[RECORDER_SEQUENCE] = "# sequence#\treceived\tsent time\treceived time\t"
				      "pseudo-delay\tafter reply\n",
		[RECORDER_BANDWIDTH] = "# end_ms\tpackets\tbytes\tkbps\n",
	};
	struct writer *writer;
	int rc = make(recorder, kind, fd, made, path);

	if (rc)
		return rc;
	writer = &(*recorder)->writer;
	if (kind == RECORDER_DELAY) {
		writer_text(writer, mode);
		writer_char(writer, '\n');
	}
	writer_text(writer, heads[kind]);
	/*
	 * Written at once, so that a full disk is noticed before the run; but not where that would
	 * destroy the results of an earlier run before this one has any.
	 */
	if (!writer->keeps)
		rc = writer_flush(writer);
	if (rc) {
		recorder_close(*recorder);
		*recorder = NULL;
	}
	return rc;
}

int recorder_open_log(struct recorder **recorder, const char *path)
{
	int rc = make(recorder, RECORDER_LOG, -1, false, path);

	if (rc)
		return rc;
	rc = writer_open(&(*recorder)->writer, path, true);
	if (rc) {
		free((*recorder)->path);
		free(*recorder);
		*recorder = NULL;
	}
	return rc;
}

/* Times of others may have any value: no difference of them may overflow. */
static np_time minus(np_time a, np_time b)
{
	return (np_time)((uint64_t)a - (uint64_t)b);
}

/* Rounds down to whole milliseconds as Java's clock does, or writes the nanoseconds. */
static void put_moment(struct writer *writer, np_time t, bool whole)
{
	const np_time rest = t % NP_MILLISECOND;

	if (whole && rest)
		t = minus(t, rest < 0 ? rest + NP_MILLISECOND : rest);
	writer_ms(writer, t);
	writer_char(writer, '\t');
}

void recorder_delay(struct recorder *recorder, const struct recorder_delay *row)
{
	const struct figures_delay f = figures_delay(row->size, row->sent, row->acked);
	const np_time unit = f.whole ? NP_MILLISECOND : 1;
	struct writer *writer = &recorder->writer;
	char text[FIGURES_TEXT];

	writer_text(writer, row->receiver);
	writer_char(writer, '\t');
	writer_number(writer, row->number);
	writer_char(writer, '\t');
	writer_number(writer, row->size);
	writer_char(writer, '\t');
	put_moment(writer, row->sent, f.whole);
	put_moment(writer, row->received, f.whole);
	put_moment(writer, row->acked, f.whole);
	put_moment(writer, f.rtt * unit, false);
	put_moment(writer, f.delay * unit, false);
	writer_text(writer, figures_print_float(f.kilobits_per_s, text));
	writer_char(writer, '\n');
}

void recorder_sequence(struct recorder *recorder, uint64_t number, np_time sent, np_time received)
{
	struct writer *writer = &recorder->writer;

	if (!recorder->begun) {
		recorder->begun = true;
		recorder->first = received;
	}
	writer_number(writer, number);
	writer_text(writer, "\t1\t");
	put_moment(writer, minus(sent, recorder->first), false);
	put_moment(writer, minus(received, recorder->first), false);
	put_moment(writer, minus(received, sent), false);
	writer_text(writer, "0\n");
}

void recorder_bandwidth(struct recorder *recorder, const struct window_row *row)
{
	struct writer *writer = &recorder->writer;
	char text[FIGURES_TEXT];

	writer_ms(writer, row->end);
	writer_char(writer, '\t');
	writer_number(writer, row->messages);
	writer_char(writer, '\t');
	writer_number(writer, row->bytes);
	writer_char(writer, '\t');
	writer_text(writer, figures_print_float(row->kilobits_per_s, text));
	writer_char(writer, '\n');
}

void recorder_log(struct recorder *recorder, np_time now, const char *mode, uint64_t run,
		  const char *text)
{
	const time_t seconds = now / NP_SECOND;
	struct writer *writer = &recorder->writer;
	char date[40];
	struct tm tm;

	if (!gmtime_r(&seconds, &tm) || !strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(date, sizeof(date), "unknown");
	while (*text) {
		const size_t length = strcspn(text, "\n");

		writer_text(writer, date);
		writer_char(writer, '\t');
		writer_text(writer, mode);
		writer_char(writer, '\t');
		writer_number(writer, run);
		writer_char(writer, '\t');
		for (size_t i = 0; i < length; i++)
			writer_char(writer, text[i]);
		writer_char(writer, '\n');
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

void recorder_forget(struct recorder *recorder)
{
	if (!recorder)
		return;
	/* Others may have appended to a log meanwhile. */
	if (recorder->kind != RECORDER_LOG)
		writer_forget(&recorder->writer);
	if (recorder->writer.made)
		(void)np_output_unmake(recorder->writer.fd, recorder->path);
}

int recorder_flush(struct recorder *recorder)
{
	return writer_flush(&recorder->writer);
}

int recorder_close(struct recorder *recorder)
{
	int rc;

	if (!recorder)
		return 0;
	rc = writer_close(&recorder->writer);
	free(recorder->path);
	free(recorder);
	return rc;
}
