// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as a configuration or properties file; what is read can be written and read again. */
#include "../../src/group-test/config/settings.h"

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
	struct settings read = {};
	const struct config_file *again = &read.lines;
	struct np_fault fault;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	must(out);
	for (size_t i = 0; i < config->count; i++)
		must(fprintf(out, "=%s=%s=\n", config->entry[i].key, config->entry[i].value) > 0);
	must(!fclose(out));
	must(!settings_read(&read, SETTINGS_CONFIG, "again", text, bytes, NULL, &fault));
	must(again->count == config->count);
	for (size_t i = 0; i < config->count; i++) {
		must(!strcmp(again->entry[i].key, config->entry[i].key));
		must(!strcmp(again->entry[i].value, config->entry[i].value));
		must(config_file_find(config, config->entry[i].key));
	}
	settings_free(&read);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct settings read = {};
	struct np_fault fault = {};

	if (!settings_read(&read, SETTINGS_CONFIG, "fuzz", (const char *)data, size, NULL, &fault))
		write_again(&read.lines);
	else
		must(fault.object[0] && fault.reason[0]);
	settings_free(&read);
	return 0;
}
