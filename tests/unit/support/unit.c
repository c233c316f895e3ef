// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* unit: runs the tests that added themselves. */
#include "unit.h"

static struct CMUnitTest tests[UNIT_TESTS_MAX];
static size_t count;
static CMFixtureFunction before, after;

void unit_add(struct CMUnitTest test)
{
	if (count == UNIT_TESTS_MAX)
		abort();
	tests[count++] = test;
}

void unit_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	before = setup;
	after = teardown;
}

bool unit_next(struct unit_texts *texts)
{
	size_t length;

	if (!texts->rest)
		return false;
	length = strcspn(texts->rest, "|");
	assert_true(length < sizeof(texts->text));
	memcpy(texts->text, texts->rest, length);
	texts->text[length] = '\0';
	texts->rest = texts->rest[length] ? texts->rest + length + 1 : NULL;
	texts->value = strchr(texts->text, '=');
	if (texts->value)
		*texts->value++ = '\0';
	return true;
}

int main(void)
{
	return _cmocka_run_group_tests("tests", tests, count, before, after);
}
