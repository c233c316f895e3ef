// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * convert: reads a file, checks that it is complete, and only then writes the other one: sorts the
 * numbers and counts them by windows, or adds up delays by windows of the time of sending.
 */
#include "convert.h"

#include "../report/figures.h"
#include "plot.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/gnuplot.h>
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

/* The same as milliseconds with up to six decimals, in ns. */
static int reader_ms(struct reader *reader, unsigned at, np_time *t)
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

/* Makes room for one more row of @each bytes. Returns 0 or -ENOMEM. */
static int grow(void **rows, size_t count, size_t *room, size_t each)
{
	const size_t more = *room ? 2 * *room : ROOM;
	void *larger;

	if (count < *room)
		return 0;
	larger = reallocarray(*rows, more, each);
	if (!larger)
		return -ENOMEM;
	*rows = larger;
	*room = more;
	return 0;
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

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

int density_read(struct density *density, struct reader *reader)
{
	uint64_t number = 0, highest = 0;
	size_t kept = 0;
	int rc;

	*density = (struct density){0};
	while ((rc = reader_next(reader)) == 1) {
		rc = read_density_row(reader, highest, &number);
		if (!rc)
			rc = grow((void **)&density->number, density->count, &density->room,
				  sizeof(*density->number));
		if (rc)
			break;
		density->number[density->count++] = number;
		highest = number > highest ? number : highest;
	}
	if (density->count)
		qsort(density->number, density->count, sizeof(*density->number), compare_numbers);
	/* Removes duplicates, which have a row each. */
	for (size_t i = 0; i < density->count; i++)
		if (!i || density->number[i] != density->number[i - 1])
			density->number[kept++] = density->number[i];
	density->count = kept;
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
static int read_delay_row(struct reader *reader, struct smooth_row *row)
{
	np_time received, acked, rtt;
	uint64_t number;

	if (reader->count != SMOOTH_WORDS)
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
		rc = read_delay_row(reader, &row);
		if (rc || !is_receiver(reader->word[RECEIVER], receiver))
			continue;
		rc = grow((void **)&smooth->row, smooth->count, &smooth->room, sizeof(row));
		if (!rc)
			smooth->row[smooth->count++] = row;
	}
	return rc;
}

void smooth_free(struct smooth *smooth)
{
	free(smooth->row);
	*smooth = (struct smooth){0};
}

static int compare_rows(const void *a, const void *b)
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
		qsort(smooth->row, smooth->count, sizeof(*smooth->row), compare_rows);
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

struct conversion {
	const struct convert_options *options;
	const struct np_log *log;
	bool smooth;
	struct density numbers;
	struct smooth delays;
	struct reader reader;
};

/* Returns -1 to continue, or the exit status after a message. */
static int judge_input(struct conversion *c, int rc)
{
	const struct reader *reader = &c->reader;
	const char *input = c->options->input;

	if (!rc)
		return -1;
	if (rc != -EBADMSG)
		return np_log_refuse(c->log, input, "%s", strerror(-rc));
	if (c->options->lenient) {
		np_log_warning(c->log, input,
			       "line %" PRIu64 ": %s; only the lines before it are used",
			       reader->line, reader->reason);
		return -1;
	}
	np_log_error(c->log, input, "line %" PRIu64 ": %s; --lenient uses the lines before it",
		     reader->line, reader->reason);
	return 1;
}

static int read_input(struct conversion *c)
{
	const char *input = c->options->input;
	FILE *file = fopen(input, "re");
	int rc;

	if (!file)
		return np_log_refuse(c->log, input, "%s", strerror(errno));
	reader_init(&c->reader, file);
	if (c->smooth)
		rc = smooth_read(&c->delays, &c->reader, c->options->receiver);
	else
		rc = density_read(&c->numbers, &c->reader);
	fclose(file);
	rc = judge_input(c, rc);
	if (rc >= 0)
		return rc;
	if (c->smooth && !c->delays.count)
		return np_log_refuse(c->log, input, "has no rows of %s", c->options->receiver);
	if (!c->smooth && !c->numbers.count)
		return np_log_refuse(c->log, input, "has no rows");
	return -1;
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
		smooth_write(&c->delays, c->options->interval, out);
	else
		density_write(&c->numbers, c->options->interval, out);
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
	if (status < 0 && options->files.plot && np_gnuplot_probe(options->convert.output, log))
		status = 2;
	if (status < 0)
		status = write_output(c);
	if (!status && options->files.plot &&
	    plot_file(c->smooth ? PLOT_SMOOTH : PLOT_DENSITY, options->convert.output, log))
		status = 1;
	density_free(&c->numbers);
	smooth_free(&c->delays);
	free(c);
	return status;
}
