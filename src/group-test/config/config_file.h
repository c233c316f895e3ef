/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config_file: the lines of config.txt and of properties files: KEY=VALUE as perf.Test reads them.
 * A line whose first character is # is a comment, blank lines are skipped, and leading and trailing
 * blanks are ignored; repeated = count as one, the key is in lower case, the value ends at the next
 * =; a line without a value is an error (the original aborts). Nothing else is trimmed, and there
 * are no other comments.
 *
 * Pure but for config_file_load and config_file_example. settings.h knows which keys exist.
 */
#ifndef GROUP_TEST_CONFIG_CONFIG_FILE_H
#define GROUP_TEST_CONFIG_CONFIG_FILE_H

#include <limits.h>
#include <netperf/log.h>
#include <stdbool.h>
#include <stddef.h>

/* The longest file that is read; a longer one is an error. */
#define CONFIG_FILE_BYTES_MAX (1u << 20)

struct config_line {
	char *key, *value;
	unsigned line; /* from 1 on */
};

struct config_file {
	const char *name; /* of the file, for error messages; not owned */
	struct config_line
		*entry; /* in the order of the file; of equal keys the last one applies */
	size_t count;
};

/*
 * Parses @bytes of @text (NULs are an error; a leading byte-order mark is skipped). Returns 0,
 * -EINVAL with @fault ("NAME:LINE", what is wrong and what would be right), or -ENOMEM. Call
 * config_file_free in any case; the lines before the error are kept.
 */
int config_file_parse(struct config_file *config, const char *name, const char *text, size_t bytes,
		      struct np_fault *fault);

/* Appends copies of @key and @value, @key_bytes and @value_bytes long; returns 0 or -ENOMEM. */
int config_file_append(struct config_file *config, const char *key, size_t key_bytes,
		       const char *value, size_t value_bytes, unsigned line);

/* Formats "NAME:LINE", the object of an error. Returns @out. */
char *config_file_place(const struct config_file *config, unsigned line, char *out, size_t room);

/* Sets the fault of that line. Returns -EINVAL. */
__attribute__((format(printf, 4, 5))) int config_file_wrong(const struct config_file *config,
							    unsigned line, struct np_fault *fault,
							    const char *format, ...);

/*
 * Reads a whole file for config_file_parse or stack_parse; the caller frees *@text in any case.
 * Returns 0, or -errno with @fault.
 */
int config_file_load(const char *path, char **text, size_t *bytes, struct np_fault *fault);

/* The last entry of @key, or NULL. */
const struct config_line *config_file_find(const struct config_file *config, const char *key);

void config_file_free(struct config_file *config);

/*
 * The path to read for @name. If it has no directory, does not exist in the current one, and is the
 * name of an example, that is the example: its path is written to @room and logged. Returns @room,
 * else @name.
 */
const char *config_file_example(const char *name, char room[PATH_MAX], const struct np_log *log);

#endif
