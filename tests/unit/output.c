// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* output: tests of what results may be written to, and of what stays as it was. */
#include "report_place.h"
#include "support/unit.h"

#include <fcntl.h>
#include <netperf/report.h>
#include <sys/stat.h>

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
	FILE *file = fopen(path, "r");
	char found[64] = "";

	assert_non_null(file);
	assert_true(fread(found, 1, sizeof(found) - 1, file) < sizeof(found));
	fclose(file);
	assert_string_equal(found, text);
}

PLACE_TEST(empties_or_appends)
{
	const struct np_output append = {.append = true};
	FILE *stream;

	put(place->out, "old");
	assert_int_equal(np_output_stream(place->out, &append, &stream), 0);
	fputs(" new", stream);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "old new");
	assert_int_equal(np_output_stream(place->out, NULL, &stream), 0);
	fputs("x", stream);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "x");
	assert_int_equal(np_output_stream(place->json, NULL, &stream), 0);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->json, "");
	assert_int_equal(np_output_close(NULL), 0);
}

/* A file keeps what it has until there is something to write, or the run is over. */
PLACE_TEST(empties_late)
{
	bool never_began = false;
	const struct np_output how = {.never_began = &never_began};
	FILE *stream;

	put(place->out, "old");
	assert_int_equal(np_output_stream(place->out, &how, &stream), 0);
	assert_holds(place->out, "old");
	fputs("n", stream);
	assert_int_equal(np_output_flush(stream), 0);
	assert_holds(place->out, "n");
	never_began = true;
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "n");
	assert_int_equal(np_output_stream(place->out, &how, &stream), 0);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "n");
	never_began = false;
	assert_int_equal(np_output_stream(place->out, &how, &stream), 0);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "");
}

/*
 * What is made for a run that never begins does not stay; but another one that has taken the name
 * does, and one that somebody has written to.
 */
PLACE_TEST(unmakes_its_own)
{
	bool never_began = true;
	const struct np_output how = {.never_began = &never_began};
	FILE *stream;

	assert_int_equal(np_output_stream(place->out, &how, &stream), 0);
	assert_holds(place->out, "");
	assert_int_equal(np_output_close(stream), 0);
	assert_int_equal(access(place->out, F_OK), -1);
	assert_int_equal(np_output_stream(place->out, &how, &stream), 0);
	assert_int_equal(rename(place->out, place->json), 0);
	put(place->out, "");
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "");
	unlink(place->out);
	assert_int_equal(np_output_stream(place->out, &how, &stream), 0);
	put(place->out, "x");
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->out, "x");
}

/* By another name, too; and what is in it stays. */
PLACE_TEST(refuses_inputs)
{
	const char *const inputs[] = {"/tmp/no/such/file", place->json, NULL};
	const struct np_output how = {.inputs = inputs};
	FILE *stream;

	put(place->out, "data");
	assert_int_equal(symlink(place->out, place->json), 0);
	assert_int_equal(np_output_stream(place->out, &how, &stream), -EDEADLK);
	assert_null(stream);
	assert_holds(place->out, "data");
	assert_string_equal(np_output_reason(-EDEADLK),
			    "is an input of this run and would be overwritten; use another file");
}

/* Two that empty one file, or one that would append to what another one holds. */
PLACE_TEST(locks_a_file)
{
	const struct np_output append = {.append = true};
	FILE *one, *two;

	assert_int_equal(np_output_stream(place->out, NULL, &one), 0);
	fputs("one", one);
	assert_int_equal(np_output_flush(one), 0);
	assert_int_equal(np_output_stream(place->out, NULL, &two), -EBUSY);
	assert_int_equal(np_output_stream(place->out, &append, &two), -EBUSY);
	assert_holds(place->out, "one");
	np_output_close(one);
	assert_int_equal(np_output_stream(place->out, &append, &one), 0);
	assert_int_equal(np_output_stream(place->out, &append, &two), 0);
	np_output_close(one);
	np_output_close(two);
	assert_int_equal(np_output_stream("/dev/null", NULL, &one), 0);
	assert_int_equal(np_output_stream("/dev/null", NULL, &two), 0);
	np_output_close(one);
	np_output_close(two);
}

/* A pipe is opened as ever, and carries what is written. */
PLACE_TEST(writes_to_pipes)
{
	char text[8] = "";
	FILE *to;
	int from;

	assert_int_equal(mkfifo(place->out, 0600), 0);
	from = open(place->out, O_RDONLY | O_NONBLOCK);
	assert_true(from >= 0);
	assert_int_equal(np_output_stream(place->out, NULL, &to), 0);
	fputs("pipe", to);
	assert_int_equal(np_output_close(to), 0);
	assert_int_equal(read(from, text, sizeof(text) - 1), 4);
	assert_string_equal(text, "pipe");
	close(from);
}

TEST(says_why)
{
	FILE *stream;

	assert_int_equal(np_output_stream("/", NULL, &stream), -EISDIR);
	assert_int_equal(np_output_stream("/nowhere/file", NULL, &stream), -ENOENT);
	assert_int_equal(np_output_judge(-1), -EBADF);
	assert_string_equal(np_output_reason(-ENOENT), strerror(ENOENT));
	assert_non_null(strstr(np_output_reason(-ENOTBLK), "block device"));
}
