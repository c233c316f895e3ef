// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * recorder: writes the rows of a run's files. They take some tens of nanoseconds, since nothing is
 * allocated and printf is not used.
 */
#include "files.h"

#include <string.h>

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
