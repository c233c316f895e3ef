// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* convert: reads a file, checks that it is complete, and only then writes the other one. */
#include "convert.h"

#include "density.h"
#include "plot.h"
#include "reader.h"
#include "smooth.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/gnuplot.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void write_rows(struct conversion *c, FILE *out)
{
	if (c->smooth)
		smooth_write(&c->delays, c->options->interval, out);
	else
		density_write(&c->numbers, c->options->interval, out);
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
	write_rows(c, out);
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
