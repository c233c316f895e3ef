// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* reader: splits a file of any content into lines and words. */
#include "reader.h"

#include <errno.h>
#include <netperf/units.h>
#include <stdbool.h>
#include <string.h>

#define DECIMALS 6		     /* of a millisecond: nanoseconds */
#define MS_MAX	 (UINT64_C(1) << 42) /* 139 years: differences cannot overflow */

void reader_init(struct reader *reader, FILE *file)
{
	reader->file = file;
	reader->line = 0;
	reader->reason = NULL;
	reader->count = 0;
}

int reader_damaged(struct reader *reader, const char *reason)
{
	reader->reason = reason;
	return -EBADMSG;
}

/* Reads one line without its end. Returns 1, 0, -EBADMSG or -errno. */
static int read_line(struct reader *r)
{
	size_t length = 0;
	int c;

	while ((c = getc(r->file)) != EOF && c != '\n') {
		if (c < ' ' && c != '\t' && c != '\r')
			return r->line++, reader_damaged(r, "it has bytes that are not text");
		if (length + 1 == sizeof(r->text))
			return r->line++, reader_damaged(r, "it is too long");
		r->text[length++] = (char)c;
	}
	r->text[length] = '\0';
	if (ferror(r->file))
		return errno ? -errno : -EIO;
	if (c == EOF && !length)
		return 0;
	r->line++;
	return c == EOF ? reader_damaged(r, "it is cut off") : 1;
}

static int split(struct reader *r)
{
	char *save = NULL;

	r->count = 0;
	for (char *word = strtok_r(r->text, " \t\r", &save); word;
	     word = strtok_r(NULL, " \t\r", &save)) {
		if (r->count == READER_WORDS)
			return reader_damaged(r, "it has too many words");
		r->word[r->count++] = word;
	}
	return 1;
}

int reader_next(struct reader *reader)
{
	int rc;

	do {
		rc = read_line(reader);
		if (rc <= 0)
			return rc;
		rc = split(reader);
	} while (rc == 1 && (!reader->count || reader->word[0][0] == '#'));
	return rc;
}

/* Decimal digits only: no file here has hexadecimal ones. */
static bool read_digits(const char *word, uint64_t max, uint64_t *number)
{
	return !word[strspn(word, "0123456789")] && !np_units_parse_count(word, 0, max, number);
}

int reader_number(struct reader *reader, unsigned at, uint64_t max, uint64_t *number)
{
	if (at >= reader->count)
		return reader_damaged(reader, "words are missing");
	if (!read_digits(reader->word[at], max, number))
		return reader_damaged(reader, "a number is malformed or too large");
	return 0;
}

/* The decimals as ns. */
static bool read_decimals(const char *text, uint64_t *ns)
{
	unsigned digits = 0;

	*ns = 0;
	for (; text[digits]; digits++) {
		if (digits == DECIMALS || text[digits] < '0' || text[digits] > '9')
			return false;
		*ns = *ns * 10 + (uint64_t)(text[digits] - '0');
	}
	for (unsigned i = digits; i < DECIMALS; i++)
		*ns *= 10;
	return digits > 0;
}

int reader_ms(struct reader *reader, unsigned at, np_time *t)
{
	uint64_t whole, ns = 0;
	char *word, *point;
	bool negative;

	if (at >= reader->count)
		return reader_damaged(reader, "words are missing");
	word = reader->word[at];
	negative = *word == '-';
	word += negative;
	point = strchr(word, '.');
	if (point) {
		*point = '\0';
		if (!read_decimals(point + 1, &ns))
			return reader_damaged(reader, "a time is malformed");
	}
	if (!read_digits(word, MS_MAX, &whole))
		return reader_damaged(reader, "a time is malformed or too large");
	*t = (np_time)(whole * (uint64_t)NP_MILLISECOND + ns);
	if (negative)
		*t = -*t;
	return 0;
}
