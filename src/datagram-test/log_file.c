// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* log_file: writes the rows of -log unbuffered, line by line. */
#include "log_file.h"

#include "console.h"

#include <errno.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_stream(const char *name)
{
	return !strcmp(name, "stdout") || !strcmp(name, "stderr");
}

const char *log_file_name(const char *name, uint16_t port, bool several,
			  char out[LOG_FILE_NAME_BYTES])
{
	const char *base = strrchr(name, '/');

	if (!several || is_stream(name))
		return name;
	base = base ? base + 1 : name;
	snprintf(out, LOG_FILE_NAME_BYTES, "%.*s%u-%s", (int)(base - name), name, port, base);
	return out;
}

struct log_file {
	FILE *file;
	int error;  /* -errno of the first row that could not be written */
	bool waits; /* there is no row yet */
	bool empty; /* nor a heading */
};

static void put_out(struct log_file *log_file)
{
	int rc = np_output_flush(log_file->file);

	if (!log_file->error)
		log_file->error = rc;
}

static int open_file(struct log_file *log_file, const char *name)
{
	const struct np_output how = {.append = true, .never_began = &log_file->waits};
	const int standard = strcmp(name, "stdout") ? STDERR_FILENO : STDOUT_FILENO;
	int rc;

	if (is_stream(name)) {
		rc = np_output_judge(standard);
		return rc ? rc : np_output_standard(standard, &log_file->file);
	}
	rc = np_output_stream(name, &how, &log_file->file);
	if (!rc)
		setvbuf(log_file->file, NULL, _IOLBF, BUFSIZ);
	return rc;
}

static void begin(struct log_file *log_file)
{
	log_file->waits = false;
	if (log_file->empty)
		console_log_heading(log_file->file);
	log_file->empty = false;
}

int log_file_open(struct log_file **log_file, const char *name)
{
	struct log_file *opened = calloc(1, sizeof(*opened));
	int rc = -ENOMEM;

	*log_file = NULL;
	if (opened) {
		opened->waits = true;
		rc = open_file(opened, name);
	}
	if (rc) {
		free(opened);
		return rc;
	}
	opened->empty =
		is_stream(name) || (!fseek(opened->file, 0, SEEK_END) && ftell(opened->file) == 0);
	if (is_stream(name)) {
		begin(opened);
		put_out(opened);
	}
	*log_file = opened;
	return 0;
}

void log_file_interval(struct log_file *log_file, const struct flows *flows)
{
	struct np_flow_counts counts;

	begin(log_file);
	for (struct flow *flow = flows_first(flows); flow; flow = flow->next) {
		if (flow->past)
			continue;
		flow_now(flow, &counts);
		console_log_row(log_file->file, flow, &counts, "interval");
	}
	put_out(log_file);
}

void log_file_life(struct log_file *log_file, const struct flow *flow)
{
	struct np_flow_counts counts;

	begin(log_file);
	flow_life(flow, &counts);
	console_log_row(log_file->file, flow, &counts, "lifetime");
	put_out(log_file);
}

int log_file_close(struct log_file *log_file, bool never_began)
{
	int rc;

	if (!log_file)
		return 0;
	if (!never_began)
		begin(log_file);
	put_out(log_file);
	rc = np_output_close(log_file->file);
	if (log_file->error)
		rc = log_file->error;
	free(log_file);
	return rc;
}
