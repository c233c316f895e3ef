/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * unit: cmocka with all that it needs, the headers of the C library that most tests use, and a main
 * that runs the tests of a file in their order.
 */
#pragma once

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * Texts with bars between them, as "20k=20480|x", one after the other: what follows a "=" is the
 * value of one, else that is NULL.
 */
struct unit_texts {
	const char *rest; /* all of them at first */
	char text[128], *value;
};
bool unit_next(struct unit_texts *texts);

/* Adds a test. A file has at most UNIT_TESTS_MAX of them. */
#define UNIT_TESTS_MAX 64
void unit_add(struct CMUnitTest test);

/* Begins a test: TEST(what_it_shows) { ... }. It adds itself before main. */
#define TEST(name)                                                                                 \
	static void name(void);                                                                    \
	static void run_##name(void **state)                                                       \
	{                                                                                          \
		(void)state;                                                                       \
		name();                                                                            \
	}                                                                                          \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		unit_add((struct CMUnitTest){#name, run_##name, NULL, NULL, NULL});                \
	}                                                                                          \
	static void name(void)

/* Begins a test whose *state, if it looks there, is what @setup made of it; @teardown takes it
 * away. */
#define TEST_WITH(setup, teardown, name)                                                           \
	static void name(void **state);                                                            \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		unit_add((struct CMUnitTest){#name, name, setup, teardown, NULL});                 \
	}                                                                                          \
	static void name(__attribute__((unused)) void **state)

/* The same, whose state is a parameter: TEST_OF(struct place *place, make, remove, name) { ... }.
 */
#define TEST_OF(parameter, setup, teardown, name)                                                  \
	static void of_##name(parameter);                                                          \
	TEST_WITH(setup, teardown, name)                                                           \
	{                                                                                          \
		of_##name(*state);                                                                 \
	}                                                                                          \
	static void of_##name(__attribute__((unused)) parameter)

/* What is done before all tests of a file, and after them. */
void unit_group(CMFixtureFunction setup, CMFixtureFunction teardown);
#define ALL_TESTS_WITH(setup, teardown)                                                            \
	__attribute__((constructor)) static void add_group(void)                                   \
	{                                                                                          \
		unit_group(setup, teardown);                                                       \
	}
