// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * convert: reads a file, checks that it is complete, and only then writes the other one: sorts the
 * numbers and counts them by windows, or adds up delays by windows of the time of sending.
 */
#include "convert.h"

#include "../report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define DECIMALS 6		     /* of a millisecond: nanoseconds */
#define MS_MAX	 (UINT64_C(1) << 42) /* 139 years: differences cannot overflow */
#define ROOM	 1024		     /* rows, at first */
#define JUMP_MAX (UINT64_C(1) << 32) /* no outage skips this many numbers */

/* The words of a row; t: a time, i, q, u: a whole number of 63, 64 or 32 bits, -: any word. */
enum { NUMBER, RECEIVED };
enum { RECEIVER, SENT = 3, ACKED = 5, RTT, DELAY, SMOOTH_WORDS = 9 };
/* sequence#, received, sent, received, pseudo-delay, after reply */
static const char density_words[] = "i-ttt-";
/* receiver, sequence#, size(byte), sent, received, acked, RTT, delay, rate */
static const char smooth_words[] = "-quttttt-";

/* Rejects the line: sets the reason and returns -EBADMSG. */
static int damaged(struct convert *c, const char *reason)
{
	c->reason = reason;
	return -EBADMSG;
}

/*
 * Reads the next line that is neither empty nor starts with "#", and splits it into words. Returns
 * how many; 0 at the end of the file; -EBADMSG for a line that is too long, has too many words or
 * no end; or -errno.
 */
static int read_words(struct convert *c, FILE *file)
{
	int words = 0;

	while (!words || c->word[0][0] == '#') {
		char *save = NULL;
		size_t length;

		if (!fgets(c->text, sizeof(c->text), file))
			return !ferror(file) ? 0 : errno ? -errno : -EIO;
		c->line++;
		length = strcspn(c->text, "\n");
		if (!c->text[length])
			return damaged(c, length == CONVERT_LINE ? "it is too long"
					  : feof(file)		 ? "it is cut off"
						       : "it has bytes that are not text");
		words = 0;
		for (char *word = strtok_r(c->text, " \t\r\n", &save); word;
		     word = strtok_r(NULL, " \t\r\n", &save)) {
			if (words == CONVERT_WORDS)
				return damaged(c, "it has too many words");
			c->word[words++] = word;
		}
	}
	return words;
}

/* Decimal digits only: no file here has hexadecimal ones. */
#define DIGITS "0123456789"

static bool read_digits(const char *word, uint64_t max, uint64_t *number)
{
	return !word[strspn(word, DIGITS)] && !np_units_parse_count(word, 0, max, number);
}

/* Milliseconds with up to six decimals, in ns. */
static int read_time(struct convert *c, char *word, np_time *t)
{
	const bool negative = *word == '-';
	char *point = strchr(word, '.');
	size_t decimals = 0;
	uint64_t whole, ns = 0;

	if (point) {
		*point++ = '\0';
		decimals = strspn(point, DIGITS);
		if (!decimals || decimals > DECIMALS || point[decimals])
			return damaged(c, "a time is malformed");
		for (size_t i = 0; i < DECIMALS; i++)
			ns = ns * 10 + (i < decimals ? (uint64_t)(point[i] - '0') : 0);
	}
	if (!read_digits(word + negative, MS_MAX, &whole))
		return damaged(c, "a time is malformed or too large");
	*t = (np_time)(whole * (uint64_t)NP_MILLISECOND + ns);
	if (negative)
		*t = -*t;
	return 0;
}

/* Returns 0 or -ENOMEM. */
static int add_row(struct convert *c, int64_t at, np_time delay)
{
	if (c->count == c->room) {
		const size_t room = c->room ? 2 * c->room : ROOM;
		void *larger = reallocarray(c->row, room, sizeof(*c->row));

		if (!larger)
			return -ENOMEM;
		c->row = larger;
		c->room = room;
	}
	c->row[c->count++] = (struct convert_row){.at = at, .delay = delay};
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
static int read_head(struct convert *c, FILE *file)
{
	bool known = false;
	int words = read_words(c, file);

	for (unsigned i = 0; words == 1 && options_transports[i].name; i++)
		known |= !strcmp(c->word[0], options_transports[i].name);
	if (words >= 0 && !known)
		return damaged(c, "a delay file begins with Overlay, TCP, UDP or Multicast");
	words = words < 0 ? words : read_words(c, file);
	if (words >= 0 && (words != SMOOTH_WORDS || strcmp(c->word[RECEIVER], "receiver")))
		return damaged(c, "the names of nine columns are missing");
	return words < 0 ? words : 0;
}

int convert_read(struct convert *c, FILE *file)
{
	const char *words = c->receiver ? smooth_words : density_words;
	int64_t value[SMOOTH_WORDS] = {0};
	int rc = c->receiver ? read_head(c, file) : 0, count;

	while (!rc && (count = read_words(c, file)) != 0) {
		if (count < 0)
			return count;
		if ((size_t)count != strlen(words))
			return damaged(c, c->receiver ? "a row has nine words"
						      : "a row has six words");
		for (unsigned i = 0; words[i]; i++) {
			const uint64_t most = words[i] == 'i'	? INT64_MAX
					      : words[i] == 'q' ? UINT64_MAX
								: UINT32_MAX;

			if (words[i] == 't' && read_time(c, c->word[i], &value[i]))
				return -EBADMSG;
			if (strchr("iqu", words[i]) &&
			    !read_digits(c->word[i], most, (uint64_t *)&value[i]))
				return damaged(c, "a number is malformed or too large");
		}
		if (!c->receiver) {
			const uint64_t number = (uint64_t)value[NUMBER];

			if (strcmp(c->word[RECEIVED], "1"))
				return damaged(c, "received is 1 in each row");
			if (number > c->highest && number - c->highest >= JUMP_MAX)
				return damaged(c, "its number is far from all before it");
			if (number > c->highest)
				c->highest = number;
			rc = add_row(c, value[NUMBER], 0);
			continue;
		}
		/* The columns must agree with each other. */
		if (value[RTT] != value[ACKED] - value[SENT])
			return damaged(c, "RTT is not acked - sent");
		/* Whole milliseconds were halved by an integer division. */
		if (llabs(value[RTT] / 2 - value[DELAY]) > NP_MILLISECOND / 2)
			return damaged(c, "delay is not half of RTT");
		if (is_receiver(c->word[RECEIVER], c->receiver))
			rc = add_row(c, value[SENT], value[DELAY]);
	}
	return rc;
}

static int compare_rows(const void *a, const void *b)
{
	const struct convert_row *one = a, *other = b;

	return one->at < other->at ? -1 : one->at > other->at;
}

/* Rounds down for times before the first row, too. */
static int64_t window_of(np_time sent, np_time first, np_time length)
{
	const np_time after = sent - first;

	return after / length - (after % length < 0);
}

void convert_write(struct convert *c, uint64_t interval, FILE *out)
{
	const np_time start = c->count ? c->row[0].at : 0;
	const np_time length = (np_time)interval * NP_MILLISECOND;
	char text[NP_DECIMAL_PLAIN_TEXT];
	size_t at = 0;

	if (c->count)
		qsort(c->row, c->count, sizeof(*c->row), compare_rows);
	fputs(c->receiver ? "# start_ms\tcount\tmean_delay\n" : "# first\tdensity\n", out);
	while (c->receiver && at < c->count) {
		const int64_t window = window_of(c->row[at].at, start, length);
		const size_t begin = at;
		__int128 sum = 0;

		while (at < c->count && window_of(c->row[at].at, start, length) == window)
			sum += c->row[at++].delay;
		fprintf(out, "%" PRId64 "\t%zu\t%s\n", window * (int64_t)interval, at - begin,
			figures_print_float(figures_mean_ms(sum, at - begin), text));
	}
	for (uint64_t first = 0; at < c->count; first += interval) {
		const uint64_t left = c->highest - first + 1;
		const uint64_t width = left < interval ? left : interval;
		uint64_t received = 0;

		/* Duplicates have a row each. */
		for (; at < c->count && (uint64_t)c->row[at].at - first < width; at++)
			received += !at || c->row[at].at != c->row[at - 1].at;
		np_decimal((double)received / (double)width, NP_DECIMAL_PLAIN, text, sizeof(text));
		fprintf(out, "%" PRIu64 "\t%s\n", first, text);
	}
}

int convert_run(const struct options *options, const struct np_log *log)
{
	const bool smooth = options->task == TASK_SMOOTH, lenient = options->words.lenient;
	const struct np_option_words *given =
		smooth ? &options->words.smooth : &options->words.density;
	const char *const *word = given->word + smooth;
	const char *const input = word[1], *const inputs[] = {input, NULL};
	const char *const output = given->count > 2U + smooth ? word[2] : NULL;
	const struct np_output how = {.inputs = inputs};
	struct convert c = {.receiver = smooth ? given->word[1] : NULL};
	FILE *file = fopen(input, "re"), *out;
	int status = 0, rc;

	if (!file)
		return np_log_refuse(log, input, "%s", strerror(errno));
	rc = convert_read(&c, file);
	fclose(file);
	if (rc == -EBADMSG && lenient)
		np_log_warning(log, input,
			       "line %" PRIu64 ": %s; only the lines before it are used", c.line,
			       c.reason);
	if (rc == -EBADMSG && !lenient) {
		np_log_error(log, input, "line %" PRIu64 ": %s; --lenient uses the lines before it",
			     c.line, c.reason);
		status = 1;
	} else if (rc && rc != -EBADMSG) {
		status = np_log_refuse(log, input, "%s", strerror(-rc));
	} else if (!c.count) {
		status = np_log_refuse(log, input, "has no rows%s%s", c.receiver ? " of " : "",
				       c.receiver ? c.receiver : "");
	} else {
		rc = output ? np_output_stream(output, &how, &out)
			    : np_output_standard(STDOUT_FILENO, NULL, &out);
		status = rc ? 2 : 0;
		if (!rc) {
			convert_write(&c, options->words.interval, out);
			rc = np_output_close(out);
			status = rc ? 1 : 0;
		}
		if (rc)
			np_log_error(log, output ? output : "stdout", "%s", np_output_reason(rc));
	}
	free(c.row);
	return status;
}
