// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* smooth: adds up delays by windows of the time of sending. */
#include "smooth.h"

#include "../report/figures.h"
#include "reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 9
#define ROOM  1024

/* The words of a row: receiver, sequence#, size(byte), sent, received, acked, RTT, delay, rate. */
enum { RECEIVER, NUMBER, SIZE, SENT, RECEIVED, ACKED, RTT, DELAY };

static int add(struct smooth *smooth, const struct smooth_row *row)
{
	if (smooth->count == smooth->room) {
		const size_t room = smooth->room ? 2 * smooth->room : ROOM;
		struct smooth_row *more = reallocarray(smooth->row, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		smooth->row = more;
		smooth->room = room;
	}
	smooth->row[smooth->count++] = *row;
	return 0;
}

/* "10.0.0.2" matches "10.0.0.2:5001", "fd00::2" and "[fd00::2]" match "[fd00::2]:5001". */
static bool is_receiver(const char *word, const char *wanted)
{
	const size_t length = strlen(wanted);
	const char *port = strrchr(word, ':');

	if (!strcmp(word, wanted))
		return true;
	if (!port)
		return false;
	if (word[0] == '[' && wanted[0] != '[')
		return (size_t)(port - word) == length + 2 && port[-1] == ']' &&
		       !strncmp(word + 1, wanted, length);
	return (size_t)(port - word) == length && !strncmp(word, wanted, length);
}

/* Reads the mode and the names of the columns. Returns 0 or an error. */
static int read_head(struct reader *reader)
{
	static const char *const modes[] = {"Overlay", "TCP", "UDP", "Multicast"};
	bool known = false;
	int rc = reader_next(reader);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc && i < sizeof(modes) / sizeof(*modes); i++)
		known = known || !strcmp(reader->word[0], modes[i]);
	if (!known || reader->count != 1)
		return reader_damaged(reader, "a delay file begins with Overlay, TCP, UDP or "
					      "Multicast");
	rc = reader_next(reader);
	if (rc < 0)
		return rc;
	if (!rc || reader->count != WORDS || strcmp(reader->word[RECEIVER], "receiver"))
		return reader_damaged(reader, "the names of nine columns are missing");
	return 0;
}

/* The columns must agree with each other. */
static int read_row(struct reader *reader, struct smooth_row *row)
{
	np_time received, acked, rtt;
	uint64_t number;

	if (reader->count != WORDS)
		return reader_damaged(reader, "a row has nine words");
	if (reader_number(reader, NUMBER, UINT64_MAX, &number) ||
	    reader_number(reader, SIZE, UINT32_MAX, &number) ||
	    reader_ms(reader, SENT, &row->sent) || reader_ms(reader, RECEIVED, &received) ||
	    reader_ms(reader, ACKED, &acked) || reader_ms(reader, RTT, &rtt) ||
	    reader_ms(reader, DELAY, &row->delay))
		return -EBADMSG;
	if (rtt != acked - row->sent)
		return reader_damaged(reader, "RTT is not acked - sent");
	/* Whole milliseconds were halved by an integer division. */
	if (llabs(rtt / 2 - row->delay) > NP_MILLISECOND / 2)
		return reader_damaged(reader, "delay is not half of RTT");
	return 0;
}

int smooth_read(struct smooth *smooth, struct reader *reader, const char *receiver)
{
	struct smooth_row row;
	int rc;

	*smooth = (struct smooth){0};
	rc = read_head(reader);
	while (!rc && (rc = reader_next(reader)) == 1) {
		rc = read_row(reader, &row);
		if (!rc && is_receiver(reader->word[RECEIVER], receiver))
			rc = add(smooth, &row);
	}
	return rc;
}

void smooth_free(struct smooth *smooth)
{
	free(smooth->row);
	*smooth = (struct smooth){0};
}

static int compare(const void *a, const void *b)
{
	const struct smooth_row *one = a, *other = b;

	return one->sent < other->sent ? -1 : one->sent > other->sent;
}

/* Rounds down for times before the first row, too. */
static int64_t window_of(np_time sent, np_time first, np_time length)
{
	const np_time after = sent - first;

	return after / length - (after % length < 0);
}

void smooth_write(struct smooth *smooth, uint64_t interval, FILE *out)
{
	const np_time length = (np_time)interval * NP_MILLISECOND;
	const np_time first = smooth->count ? smooth->row[0].sent : 0;
	size_t at = 0;

	if (smooth->count)
		qsort(smooth->row, smooth->count, sizeof(*smooth->row), compare);
	fputs("# start_ms\tcount\tmean_delay\n", out);
	while (at < smooth->count) {
		const int64_t window = window_of(smooth->row[at].sent, first, length);
		const size_t begin = at;
		char text[FIGURES_TEXT];
		__int128 sum = 0;

		for (;
		     at < smooth->count && window_of(smooth->row[at].sent, first, length) == window;
		     at++)
			sum += smooth->row[at].delay;
		fprintf(out, "%" PRId64 "\t%zu\t%s\n", window * (int64_t)interval, at - begin,
			figures_print_float(figures_mean_ms(sum, at - begin), text));
	}
}
