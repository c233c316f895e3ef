/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* report_place: a directory of the test's own and the three places in it a report may write to. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct place {
	char directory[32], out[48], json[48], csv[48];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	snprintf(place->directory, sizeof(place->directory), "/tmp/netperf-test.XXXXXX");
	if (!mkdtemp(place->directory))
		return -1;
	snprintf(place->out, sizeof(place->out), "%s/out", place->directory);
	snprintf(place->json, sizeof(place->json), "%s/json", place->directory);
	snprintf(place->csv, sizeof(place->csv), "%s/csv", place->directory);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;

	unlink(place->out);
	unlink(place->json);
	unlink(place->csv);
	rmdir(place->directory);
	free(place);
	return 0;
}

#define PLACE_TEST(name) TEST_OF(const struct place *place, make_place, remove_place, name)
