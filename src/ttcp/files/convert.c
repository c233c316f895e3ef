// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * convert: reads a file, checks that it is complete, and only then writes the other one: sorts the
 * numbers and counts them by windows, or adds up delays by windows of the time of sending.
 */
#include "convert.h"

#include "../report/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/output.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECIMALS 6		     /* of a millisecond: nanoseconds */
#define MS_MAX	 (UINT64_C(1) << 42) /* 139 years: differences cannot overflow */
#define ROOM	 1024		     /* rows, at first */

/* The words of a sequence file: sequence#, received, sent, received, pseudo-delay, after reply. */
#define DENSITY_WORDS 6
#define JUMP_MAX      (UINT64_C(1) << 32) /* no outage skips this many numbers */
#define NUMBER_END    INT64_MAX

#define SMOOTH_WORDS  9

/* The words of a row: receiver, sequence#, size(byte), sent, received, acked, RTT, delay, rate. */
enum { RECEIVER, NUMBER, SIZE, SENT, RECEIVED, ACKED, RTT, DELAY };

void reader_init(struct reader *reader, FILE *file)
{
	reader->file = file;
	reader->line = 0;
	reader->reason = NULL;
	reader->count = 0;
}

/* Rejects the line: sets the reason and returns -EBADMSG. */
static int reader_damaged(struct reader *reader, const char *reason)
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

/*
 * Reads the next line that is neither empty nor starts with "#", and splits it into words. Returns
 * 1, 0 at the end of the file, -EBADMSG for a line that is too long, has too many words or no end,
 * or -errno.
 */
static int reader_next(struct reader *reader)
{
	char *save = NULL;
	int rc;

	do {
		rc = read_line(reader);
		if (rc <= 0)
			return rc;
		reader->count = 0;
		for (char *word = strtok_r(reader->text, " \t\r", &save); word;
		     word = strtok_r(NULL, " \t\r", &save)) {
			if (reader->count == READER_WORDS)
				return reader_damaged(reader, "it has too many words");
			reader->word[reader->count++] = word;
		}
	} while (!reader->count || reader->word[0][0] == '#');
	return 1;
}

/* Decimal digits only: no file here has hexadecimal ones. */
static bool read_digits(const char *word, uint64_t max, uint64_t *number)
{
	return !word[strspn(word, "0123456789")] && !np_units_parse_count(word, 0, max, number);
}

/* Parses word @at as a number. Returns 0 or -EBADMSG. */
static int reader_number(struct reader *reader, unsigned at, uint64_t max, uint64_t *number)
{
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

/* The same as milliseconds with up to six decimals, in ns. */
static int reader_ms(struct reader *reader, unsigned at, np_time *t)
{
	const bool negative = *reader->word[at] == '-';
	char *word = reader->word[at] + negative, *point = strchr(word, '.');
	uint64_t whole, ns = 0;

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

/* Returns 0 or -ENOMEM. */
static int add_row(struct converted *rows, int64_t at, np_time delay)
{
	if (rows->count == rows->room) {
		const size_t room = rows->room ? 2 * rows->room : ROOM;
		void *larger = reallocarray(rows->row, room, sizeof(*rows->row));

		if (!larger)
			return -ENOMEM;
		rows->row = larger;
		rows->room = room;
	}
	rows->row[rows->count++] = (struct converted_row){.at = at, .delay = delay};
	return 0;
}

static int compare_rows(const void *a, const void *b)
{
	const struct converted_row *one = a, *other = b;

	return one->at < other->at ? -1 : one->at > other->at;
}

static void sort(struct converted *rows)
{
	if (rows->count)
		qsort(rows->row, rows->count, sizeof(*rows->row), compare_rows);
}

void converted_free(struct converted *rows)
{
	free(rows->row);
	*rows = (struct converted){0};
}

static int read_density_row(struct reader *reader, uint64_t highest, uint64_t *number)
{
	np_time sent, received, delay;

	if (reader->count != DENSITY_WORDS)
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

int density_read(struct converted *numbers, struct reader *reader)
{
	uint64_t number = 0, highest = 0;
	size_t kept = 0;
	int rc;

	*numbers = (struct converted){0};
	while ((rc = reader_next(reader)) == 1) {
		rc = read_density_row(reader, highest, &number);
		if (!rc)
			rc = add_row(numbers, (int64_t)number, 0);
		if (rc)
			break;
		highest = number > highest ? number : highest;
	}
	sort(numbers);
	/* Removes duplicates, which have a row each. */
	for (size_t i = 0; i < numbers->count; i++)
		if (!i || numbers->row[i].at != numbers->row[i - 1].at)
			numbers->row[kept++] = numbers->row[i];
	numbers->count = kept;
	return rc;
}

void density_write(const struct converted *numbers, uint64_t interval, FILE *out)
{
	const size_t count = numbers->count;
	const uint64_t highest = count ? (uint64_t)numbers->row[count - 1].at : 0;
	size_t at = 0;

	fputs("# first\tdensity\n", out);
	for (uint64_t first = 0; count && first <= highest; first += interval) {
		const uint64_t width = highest - first < interval ? highest - first + 1 : interval;
		const size_t begin = at;
		char text[NP_DECIMAL_PLAIN_TEXT];

		while (at < count && (uint64_t)numbers->row[at].at - first < width)
			at++;
		np_decimal_plain_double((double)(at - begin) / (double)width, text, sizeof(text));
		fprintf(out, "%" PRIu64 "\t%s\n", first, text);
	}
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
	if (!rc || reader->count != SMOOTH_WORDS || strcmp(reader->word[RECEIVER], "receiver"))
		return reader_damaged(reader, "the names of nine columns are missing");
	return 0;
}

/* The columns must agree with each other. */
static int read_delay_row(struct reader *reader, np_time *sent, np_time *delay)
{
	np_time received, acked, rtt;
	uint64_t number;

	if (reader->count != SMOOTH_WORDS)
		return reader_damaged(reader, "a row has nine words");
	if (reader_number(reader, NUMBER, UINT64_MAX, &number) ||
	    reader_number(reader, SIZE, UINT32_MAX, &number) || reader_ms(reader, SENT, sent) ||
	    reader_ms(reader, RECEIVED, &received) || reader_ms(reader, ACKED, &acked) ||
	    reader_ms(reader, RTT, &rtt) || reader_ms(reader, DELAY, delay))
		return -EBADMSG;
	if (rtt != acked - *sent)
		return reader_damaged(reader, "RTT is not acked - sent");
	/* Whole milliseconds were halved by an integer division. */
	if (llabs(rtt / 2 - *delay) > NP_MILLISECOND / 2)
		return reader_damaged(reader, "delay is not half of RTT");
	return 0;
}

int smooth_read(struct converted *delays, struct reader *reader, const char *receiver)
{
	np_time sent, delay;
	int rc;

	*delays = (struct converted){0};
	rc = read_head(reader);
	while (!rc && (rc = reader_next(reader)) == 1) {
		rc = read_delay_row(reader, &sent, &delay);
		if (!rc && is_receiver(reader->word[RECEIVER], receiver))
			rc = add_row(delays, sent, delay);
	}
	return rc;
}

/* Rounds down for times before the first row, too. */
static int64_t window_of(np_time sent, np_time first, np_time length)
{
	const np_time after = sent - first;

	return after / length - (after % length < 0);
}

void smooth_write(struct converted *delays, uint64_t interval, FILE *out)
{
	const np_time length = (np_time)interval * NP_MILLISECOND;
	const np_time first = delays->count ? delays->row[0].at : 0;
	size_t at = 0;

	sort(delays);
	fputs("# start_ms\tcount\tmean_delay\n", out);
	while (at < delays->count) {
		const int64_t window = window_of(delays->row[at].at, first, length);
		const size_t begin = at;
		char text[FIGURES_TEXT];
		__int128 sum = 0;

		while (at < delays->count && window_of(delays->row[at].at, first, length) == window)
			sum += delays->row[at++].delay;
		fprintf(out, "%" PRId64 "\t%zu\t%s\n", window * (int64_t)interval, at - begin,
			figures_print_float(figures_mean_ms(sum, at - begin), text));
	}
}

struct conversion {
	const struct convert_options *options;
	const struct np_log *log;
	bool smooth;
	struct converted rows;
	struct reader reader;
};

static int read_input(struct conversion *c)
{
	const char *input = c->options->input;
	FILE *file = fopen(input, "re");
	int rc;

	if (!file)
		return np_log_refuse(c->log, input, "%s", strerror(errno));
	reader_init(&c->reader, file);
	rc = c->smooth ? smooth_read(&c->rows, &c->reader, c->options->receiver)
		       : density_read(&c->rows, &c->reader);
	fclose(file);
	if (rc && rc != -EBADMSG)
		return np_log_refuse(c->log, input, "%s", strerror(-rc));
	if (rc && !c->options->lenient) {
		np_log_error(c->log, input,
			     "line %" PRIu64 ": %s; --lenient uses the lines before it",
			     c->reader.line, c->reader.reason);
		return 1;
	}
	if (rc)
		np_log_warning(c->log, input,
			       "line %" PRIu64 ": %s; only the lines before it are used",
			       c->reader.line, c->reader.reason);
	if (c->rows.count)
		return -1;
	return np_log_refuse(c->log, input, "has no rows%s%s", c->smooth ? " of " : "",
			     c->smooth ? c->options->receiver : "");
}

static int write_output(struct conversion *c)
{
	const char *output = c->options->output;
	const char *const inputs[] = {c->options->input, NULL};
	const struct np_output how = {.inputs = inputs};
	FILE *out;
	int rc = output ? np_output_stream(output, &how, &out)
			: np_output_standard(STDOUT_FILENO, &out);

	if (rc)
		return np_log_refuse(c->log, output, "%s", np_output_reason(rc));
	if (c->smooth)
		smooth_write(&c->rows, c->options->interval, out);
	else
		density_write(&c->rows, c->options->interval, out);
	rc = np_output_close(out);
	if (!rc)
		return 0;
	np_log_error(c->log, output ? output : "stdout", "%s", np_output_reason(rc));
	return 1;
}

int convert_run(const struct options *options, const struct np_log *log)
{
	struct conversion *c = calloc(1, sizeof(*c));
	int status;

	if (!c)
		return np_log_refuse(log, NULL, "%s", strerror(ENOMEM));
	c->options = &options->convert;
	c->log = log;
	c->smooth = options->task == TASK_SMOOTH;
	status = read_input(c);
	if (status < 0)
		status = write_output(c);
	converted_free(&c->rows);
	free(c);
	return status;
}
