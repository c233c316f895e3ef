// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes read as a delay file, the receiver being the begin of them, and smoothed. */
#include "../../src/ttcp/files/convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void convert(FILE *in, FILE *out, const char *receiver)
{
	static struct convert smooth;
	int rc;

	smooth = (struct convert){.receiver = receiver};
	rc = convert_read(&smooth, in);
	must(rc == 0 || rc == -EBADMSG);
	must(!rc || smooth.reason);
	must(smooth.count <= smooth.line);
	convert_write(&smooth, 1 + smooth.line % 1000, out);
	for (size_t i = 1; i < smooth.count; i++)
		must(smooth.row[i - 1].at <= smooth.row[i].at);
	free(smooth.row);
}

/* A line with the receiver's name, then the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size < NAME ? size : NAME);
	char receiver[NAME] = "";
	FILE *in, *out;

	if (!end || end + 1 == data + size || size > 4096)
		return 0;
	memcpy(receiver, data, (size_t)(end - data));
	in = fmemopen((void *)(uintptr_t)(end + 1), size - (size_t)(end + 1 - data), "r");
	out = fopen("/dev/null", "w");
	if (in && out)
		convert(in, out, receiver);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return 0;
}
