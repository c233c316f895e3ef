/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * config_file: the lines of config.txt and of properties files: KEY=VALUE as perf.Test reads them.
 * A line whose first character is # is a comment, blank lines are skipped, blanks around a line are
 * dropped; runs of = count as one, the key is in lower case, the value ends at the next =; a line
 * without a value is a fault (the original aborts). No other trimming, no other comments.
 *
 * Pure but for config_file_load. Which keys there are is settings.h's business.
 */
#ifndef GROUP_TEST_CONFIG_CONFIG_FILE_H
#define GROUP_TEST_CONFIG_CONFIG_FILE_H

#include <netperf/fault.h>
#include <stdbool.h>
#include <stddef.h>

/* Longest file that is read; more is a fault. */
#define CONFIG_FILE_BYTES_MAX (1u << 20)

struct config_line {
	char *key, *value;
	unsigned line; /* from 1 on */
};

struct config_file {
	char *name;		   /* of the file, for faults */
	struct config_line *entry; /* in the order of the file; a later one of a key wins */
	size_t count;
};

/*
 * Parses @bytes of @text (NULs are a fault; a byte-order mark before it is skipped). Returns 0,
 * -EINVAL with @fault ("NAME:LINE", what is wrong and what would be right), or -ENOMEM.
 * config_file_free in any case, with what was read up to the fault.
 */
int config_file_parse(struct config_file *config, const char *name, const char *text, size_t bytes,
		      struct np_fault *fault);

/* An empty one of that name; 0 or -ENOMEM. */
int config_file_create(struct config_file *config, const char *name);

/* Appends copies of @key and @value, @key_bytes and @value_bytes long; 0 or -ENOMEM. */
int config_file_append(struct config_file *config, const char *key, size_t key_bytes,
		       const char *value, size_t value_bytes, unsigned line);

/* "NAME:LINE" for the object of a fault. Returns @out. */
char *config_file_place(const struct config_file *config, unsigned line, char *out, size_t room);

/* A whole file for config_file_parse or stack_parse: free(*text). 0 or -errno with @fault. */
int config_file_load(const char *path, char **text, size_t *bytes, struct np_fault *fault);

/* The last entry of @key, or NULL. */
const struct config_line *config_file_find(const struct config_file *config, const char *key);

void config_file_free(struct config_file *config);

#endif
