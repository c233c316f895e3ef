// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* density: sorts the numbers, and counts them by windows. */
#include "density.h"

#include "reader.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

#define WORDS	   6
#define ROOM	   1024
#define JUMP_MAX   (UINT64_C(1) << 32) /* no outage skips this many numbers */
#define NUMBER_END INT64_MAX

static int add(struct density *density, uint64_t number)
{
	if (density->count == density->room) {
		const size_t room = density->room ? 2 * density->room : ROOM;
		uint64_t *more = reallocarray(density->number, room, sizeof(*more));

		if (!more)
			return -ENOMEM;
		density->number = more;
		density->room = room;
	}
	density->number[density->count++] = number;
	return 0;
}

/* sequence#, received, sent time, received time, pseudo-delay, after reply. */
static int read_row(struct reader *reader, uint64_t highest, uint64_t *number)
{
	np_time sent, received, delay;

	if (reader->count != WORDS)
		return reader_damaged(reader, "a row has six words");
	if (reader_number(reader, 0, NUMBER_END, number) || reader_ms(reader, 2, &sent) ||
	    reader_ms(reader, 3, &received) || reader_ms(reader, 4, &delay))
		return -EBADMSG;
	if (strcmp(reader->word[1], "1"))
		return reader_damaged(reader, "received is 1 in each row");
	if (*number > highest && *number - highest >= JUMP_MAX)
		return reader_damaged(reader, "its number is far from all before it");
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

/* Removes duplicates, which have a row each. */
static void sort_out(struct density *density)
{
	size_t kept = 0;

	if (density->count)
		qsort(density->number, density->count, sizeof(*density->number), compare);
	for (size_t i = 0; i < density->count; i++) {
		if (!i || density->number[i] != density->number[i - 1])
			density->number[kept++] = density->number[i];
	}
	density->count = kept;
}

int density_read(struct density *density, struct reader *reader)
{
	uint64_t number = 0, highest = 0;
	int rc;

	*density = (struct density){0};
	while ((rc = reader_next(reader)) == 1) {
		rc = read_row(reader, highest, &number);
		if (!rc)
			rc = add(density, number);
		if (rc)
			break;
		highest = number > highest ? number : highest;
	}
	sort_out(density);
	return rc;
}

void density_free(struct density *density)
{
	free(density->number);
	*density = (struct density){0};
}

void density_write(const struct density *density, uint64_t interval, FILE *out)
{
	const uint64_t highest = density->count ? density->number[density->count - 1] : 0;
	size_t at = 0;

	fputs("# first\tdensity\n", out);
	for (uint64_t first = 0; density->count && first <= highest; first += interval) {
		const uint64_t width = highest - first < interval ? highest - first + 1 : interval;
		const size_t begin = at;
		char text[NP_DECIMAL_PLAIN_TEXT];

		while (at < density->count && density->number[at] - first < width)
			at++;
		np_decimal_plain_double((double)(at - begin) / (double)width, text, sizeof(text));
		fprintf(out, "%" PRIu64 "\t%s\n", first, text);
	}
}
