// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ledger: rows of the tabular report, unbuffered, line by line. */
#include "ledger.h"

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

const char *ledger_name(const char *name, uint16_t port, bool several, char out[LEDGER_NAME_BYTES])
{
	const char *base = strrchr(name, '/');

	if (!several || is_stream(name))
		return name;
	base = base ? base + 1 : name;
	snprintf(out, LEDGER_NAME_BYTES, "%.*s%u-%s", (int)(base - name), name, port, base);
	return out;
}

struct ledger {
	FILE *file;
	int error; /* -errno of the first row that could not be written */
};

static void put_out(struct ledger *ledger)
{
	int rc = np_output_flush(ledger->file);

	if (!ledger->error)
		ledger->error = rc;
}

static int open_file(struct ledger *ledger, const char *name)
{
	const struct np_output how = {.append = true};
	const int standard = strcmp(name, "stdout") ? STDERR_FILENO : STDOUT_FILENO;
	int rc;

	if (is_stream(name)) {
		rc = np_output_judge(standard);
		return rc ? rc : np_output_standard(standard, &ledger->file);
	}
	rc = np_output_stream(name, &how, &ledger->file);
	if (!rc)
		setvbuf(ledger->file, NULL, _IOLBF, BUFSIZ);
	return rc;
}

int ledger_open(struct ledger **ledger, const char *name)
{
	struct ledger *opened = calloc(1, sizeof(*opened));
	int rc = opened ? open_file(opened, name) : -ENOMEM;

	*ledger = NULL;
	if (rc) {
		free(opened);
		return rc;
	}
	if (is_stream(name) || (!fseek(opened->file, 0, SEEK_END) && ftell(opened->file) == 0)) {
		console_log_heading(opened->file);
		put_out(opened);
	}
	*ledger = opened;
	return 0;
}

void ledger_interval(struct ledger *ledger, const struct flows *flows)
{
	struct flow_figures figures;

	for (struct flow *flow = flows_first(flows); flow; flow = flow->next) {
		if (flow->past)
			continue;
		flow_now(flow, &figures);
		console_log_row(ledger->file, flow, &figures, "interval");
	}
	put_out(ledger);
}

void ledger_life(struct ledger *ledger, const struct flow *flow)
{
	struct flow_figures figures;

	flow_life(flow, &figures);
	console_log_row(ledger->file, flow, &figures, "lifetime");
	put_out(ledger);
}

int ledger_close(struct ledger *ledger)
{
	int rc;

	if (!ledger)
		return 0;
	put_out(ledger);
	rc = np_output_close(ledger->file);
	if (ledger->error)
		rc = ledger->error;
	free(ledger);
	return rc;
}
