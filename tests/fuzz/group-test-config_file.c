// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as a configuration or properties file; what is read can be written and read again. */
#include "../../src/group-test/config/config_file.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void write_again(const struct config_file *config)
{
	struct config_file again = {};
	struct np_fault fault;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	must(out);
	for (size_t i = 0; i < config->count; i++)
		must(fprintf(out, "=%s=%s=\n", config->entry[i].key, config->entry[i].value) > 0);
	must(!fclose(out));
	must(!config_file_parse(&again, "again", text, bytes, &fault));
	must(again.count == config->count);
	for (size_t i = 0; i < config->count; i++) {
		must(!strcmp(again.entry[i].key, config->entry[i].key));
		must(!strcmp(again.entry[i].value, config->entry[i].value));
		must(config_file_find(config, config->entry[i].key));
	}
	config_file_free(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_file config = {};
	struct np_fault fault = {};

	if (!config_file_parse(&config, "fuzz", (const char *)data, size, &fault))
		write_again(&config);
	else
		must(fault.object[0] && fault.reason[0]);
	config_file_free(&config);
	return 0;
}
