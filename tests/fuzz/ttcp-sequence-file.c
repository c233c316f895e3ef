// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes read as a sequence file, and what was read of them written as density. */
#include "../../src/ttcp/files/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A jump of numbers is bounded by 2^32: with windows so wide it is few lines. */
#define INTERVAL (UINT64_C(1) << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct convert density;
	FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	FILE *out = fopen("/dev/null", "w");
	int rc;

	if (!in || !out || size > 4096)
		goto out;
	density = (struct convert){0};
	rc = convert_read(&density, in);
	must(rc == 0 || rc == -EBADMSG);
	must(!rc || density.reason);
	must(density.count <= density.line);
	convert_write(&density, INTERVAL, out);
	for (size_t i = 1; i < density.count; i++)
		must(density.row[i - 1].at <= density.row[i].at);
	free(density.row);
out:
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return 0;
}
