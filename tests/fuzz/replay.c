/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* replay: runs a fuzz target over the files named on the command line, without a fuzzer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(1 << 20);
	int rc = -1;

	if (file && data) {
		size_t size = fread(data, 1, 1 << 20, file);

		/* A copy of just the size, so that a read beyond its end is seen by valgrind. */
		uint8_t *exact = malloc(size ? size : 1);

		for (size_t i = 0; exact && i < size; i++)
			exact[i] = data[i];
		rc = exact ? LLVMFuzzerTestOneInput(exact, size) : -1;
		free(exact);
	}
	free(data);
	if (file)
		fclose(file);
	return rc;
}

int main(int argc, char **argv)
{
	int done = 0;

	for (int i = 1; i < argc; i++) {
		if (replay(argv[i])) {
			fprintf(stderr, "%s: cannot be replayed\n", argv[i]);
			return 1;
		}
		done++;
	}
	printf("%d inputs\n", done);
	return done == 0;
}
