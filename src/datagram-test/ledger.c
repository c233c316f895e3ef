// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ledger: rows of the tabular report, unbuffered, line by line. */
#include "ledger.h"

#include "console.h"

#include <errno.h>
#include <netperf/output.h>
#include <string.h>

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

int ledger_open(FILE **ledger, const char *name)
{
	const struct np_output how = {.append = true};
	int rc;

	*ledger = NULL;
	if (is_stream(name)) {
		*ledger = strcmp(name, "stdout") ? stderr : stdout;
	} else {
		rc = np_output_stream(name, &how, ledger);
		if (rc)
			return rc;
		setvbuf(*ledger, NULL, _IOLBF, BUFSIZ);
	}
	if (is_stream(name) || (!fseek(*ledger, 0, SEEK_END) && ftell(*ledger) == 0))
		console_log_heading(*ledger);
	return 0;
}

void ledger_rows(FILE *ledger, const struct flows *flows, bool life)
{
	struct flow_figures figures;

	for (struct flow *flow = flows_first(flows); flow; flow = flow->next) {
		if (life && flow->told)
			continue;
		if (life)
			flow_life(flow, &figures);
		else
			flow_now(flow, &figures);
		console_log_row(ledger, flow, &figures, life ? "lifetime" : "interval");
	}
	fflush(ledger);
}

int ledger_close(FILE *ledger)
{
	int failed;

	if (!ledger)
		return 0;
	failed = ferror(ledger);
	if (ledger != stdout && ledger != stderr && fclose(ledger))
		failed = 1;
	return failed ? -EIO : 0;
}
