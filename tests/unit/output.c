// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* output: tests of what results may be written to, and of what stays as it was. */
#include "support/unit.h"

#include <stdint.h>

#include <errno.h>
#include <fcntl.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char folder[64];
	char file[80], other[80];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	strcpy(place->folder, "/tmp/netperf-output.XXXXXX");
	if (!mkdtemp(place->folder))
		return -1;
	snprintf(place->file, sizeof(place->file), "%s/file", place->folder);
	snprintf(place->other, sizeof(place->other), "%s/other", place->folder);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;

	unlink(place->file);
	unlink(place->other);
	rmdir(place->folder);
	free(place);
	return 0;
}

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

TEST_WITH(make_place, remove_place, empties_or_appends)
{
	struct place *place = *state;
	const struct np_output append = {.append = true};
	FILE *stream;
	int fd;

	put(place->file, "old");
	assert_int_equal(np_output_stream(place->file, &append, &stream), 0);
	fputs(" new", stream);
	fclose(stream);
	assert_holds(place->file, "old new");
	assert_int_equal(np_output_open(place->file, NULL, &fd), 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
	assert_holds(place->file, "x");
	assert_int_equal(np_output_open(place->other, NULL, &fd), 0);
	close(fd);
	assert_holds(place->other, "");
}

/* A file keeps what it has until there is something to write, or the run is over. */
TEST_WITH(make_place, remove_place, empties_late)
{
	struct place *place = *state;
	bool never_began = false;
	const struct np_output how = {.keep = true, .never_began = &never_began};
	FILE *stream;
	int fd;

	put(place->file, "old");
	assert_int_equal(np_output_stream(place->file, &how, &stream), 0);
	assert_holds(place->file, "old");
	fputs("n", stream);
	assert_int_equal(np_output_flush(stream), 0);
	assert_holds(place->file, "n");
	never_began = true;
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->file, "n");
	assert_int_equal(np_output_stream(place->file, &how, &stream), 0);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->file, "n");
	never_began = false;
	assert_int_equal(np_output_stream(place->file, &how, &stream), 0);
	assert_int_equal(np_output_close(stream), 0);
	assert_holds(place->file, "");
	put(place->file, "old");
	assert_int_equal(np_output_open(place->file, &how, &fd), 0);
	assert_holds(place->file, "old");
	assert_int_equal(np_output_empty(fd), 0);
	assert_holds(place->file, "");
	close(fd);
	assert_int_equal(np_output_empty(fd), -EBADF);
}

/* What is made for a run that never begins does not stay. */
TEST_WITH(make_place, remove_place, makes_nothing)
{
	struct place *place = *state;
	bool never_began = true;
	const struct np_output how = {.never_began = &never_began};
	FILE *stream;

	assert_int_equal(np_output_stream(place->file, &how, &stream), 0);
	assert_holds(place->file, "");
	assert_int_equal(np_output_close(stream), 0);
	assert_int_equal(access(place->file, F_OK), -1);
}

/* Another one that has taken the name stays, and so does one that somebody has written to. */
TEST_WITH(make_place, remove_place, unmakes_its_own)
{
	struct place *place = *state;
	bool made = false;
	const struct np_output how = {.made = &made};
	int fd;

	assert_int_equal(np_output_open(place->file, &how, &fd), 0);
	assert_true(made);
	assert_int_equal(rename(place->file, place->other), 0);
	put(place->file, "");
	assert_int_equal(np_output_unmake(fd, place->file), 0);
	assert_holds(place->file, "");
	assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(np_output_unmake(fd, place->other), 0);
	assert_holds(place->other, "x");
	assert_int_equal(np_output_empty(fd), 0);
	assert_int_equal(np_output_unmake(fd, place->other), 0);
	assert_int_equal(access(place->other, F_OK), -1);
	close(fd);
	assert_int_equal(np_output_open(place->file, &how, &fd), 0);
	assert_false(made);
	close(fd);
}

/* By another name, too; and what is in it stays. */
TEST_WITH(make_place, remove_place, refuses_inputs)
{
	struct place *place = *state;
	const char *const inputs[] = {"/tmp/no/such/file", place->other, NULL};
	const struct np_output how = {.inputs = inputs};
	FILE *stream;
	int fd;

	put(place->file, "data");
	assert_int_equal(symlink(place->file, place->other), 0);
	assert_int_equal(np_output_open(place->file, &how, &fd), -EDEADLK);
	assert_int_equal(fd, -1);
	assert_int_equal(np_output_stream(place->file, &how, &stream), -EDEADLK);
	assert_null(stream);
	assert_holds(place->file, "data");
	assert_string_equal(np_output_reason(-EDEADLK),
			    "is an input of this run and would be overwritten; use another file");
}

/* Two that empty one file, or one that would append to what another one holds. */
TEST_WITH(make_place, remove_place, locks_a_file)
{
	struct place *place = *state;
	const struct np_output append = {.append = true};
	int one, two, three;

	assert_int_equal(np_output_open(place->file, NULL, &one), 0);
	assert_int_equal(write(one, "one", 3), 3);
	assert_int_equal(np_output_open(place->file, NULL, &two), -EBUSY);
	assert_int_equal(np_output_open(place->file, &append, &two), -EBUSY);
	assert_holds(place->file, "one");
	close(one);
	assert_int_equal(np_output_open(place->file, &append, &one), 0);
	assert_int_equal(np_output_open(place->file, &append, &two), 0);
	close(one);
	close(two);
	assert_int_equal(np_output_open("/dev/null", NULL, &one), 0);
	assert_int_equal(np_output_open("/dev/null", NULL, &two), 0);
	assert_int_equal(np_output_open("/dev/null", &append, &three), 0);
	close(one);
	close(two);
	close(three);
}

/* A pipe is opened as ever, and carries what is written. */
TEST_WITH(make_place, remove_place, writes_to_pipes)
{
	struct place *place = *state;
	char text[8] = "";
	int from, to;

	assert_int_equal(mkfifo(place->file, 0600), 0);
	from = open(place->file, O_RDONLY | O_NONBLOCK);
	assert_true(from >= 0);
	assert_int_equal(np_output_open(place->file, NULL, &to), 0);
	assert_int_equal(write(to, "pipe", 4), 4);
	assert_int_equal(read(from, text, sizeof(text) - 1), 4);
	assert_string_equal(text, "pipe");
	close(from);
	close(to);
}

TEST(says_why)
{
	int fd;

	assert_int_equal(np_output_open("/", NULL, &fd), -EISDIR);
	assert_int_equal(np_output_open("/nowhere/file", NULL, &fd), -ENOENT);
	assert_int_equal(np_output_judge(-1), -EBADF);
	assert_string_equal(np_output_reason(-ENOENT), strerror(ENOENT));
	assert_non_null(strstr(np_output_reason(-ENOTBLK), "block device"));
}
