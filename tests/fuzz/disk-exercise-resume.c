// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as the JSON of an earlier run, for --resume of disk-exercise. */
#include "../../src/disk-exercise/run.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct resume resume = {0};
	struct np_fault fault = {0};
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	int rc;

	if (!in)
		return 0;
	rc = resume_parse(&resume, in, &fault);
	must(rc == 0 || rc == -EBADMSG);
	if (rc)
		must(fault.object[0] && fault.reason[0]);
	else
		must(resume.start);
	json_decref(resume.start);
	fclose(in);
	return 0;
}
