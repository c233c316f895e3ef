// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * config_file: splits KEY=VALUE lines as perf.Test's reader does, and locates errors; finds the
 * example files relative to the program, which may have been moved, where make or make install put
 * them.
 */
#include "config_file.h"

#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A part of a line. */
struct span {
	const char *at, *end;
};

char *config_file_place(const struct config_file *config, unsigned line, char *out, size_t room)
{
	snprintf(out, room, "%s:%u", config->name, line);
	return out;
}

int config_file_create(struct config_file *config, const char *name)
{
	*config = (struct config_file){.name = strdup(name)};
	return config->name ? 0 : -ENOMEM;
}

void config_file_free(struct config_file *config)
{
	for (size_t i = 0; i < config->count; i++) {
		free(config->entry[i].key);
		free(config->entry[i].value);
	}
	free(config->entry);
	free(config->name);
	*config = (struct config_file){};
}

/* Makes room for one more, by doubling at each power of two. */
static int grow(struct config_file *config)
{
	size_t count = config->count;
	struct config_line *entry;

	if (count & (count - 1))
		return 0;
	entry = realloc(config->entry, (count ? 2 * count : 1) * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	config->entry = entry;
	return 0;
}

int config_file_append(struct config_file *config, const char *key, size_t key_bytes,
		       const char *value, size_t value_bytes, unsigned line)
{
	struct config_line made = {.line = line};

	if (grow(config))
		return -ENOMEM;
	made.key = strndup(key, key_bytes);
	made.value = strndup(value, value_bytes);
	if (!made.key || !made.value) {
		free(made.key);
		free(made.value);
		return -ENOMEM;
	}
	config->entry[config->count++] = made;
	return 0;
}

/* Like Java's trim: removes everything up to and including the blank at both ends. */
static void trim(struct span *line)
{
	while (line->at < line->end && (unsigned char)*line->at <= ' ')
		line->at++;
	while (line->at < line->end && (unsigned char)line->end[-1] <= ' ')
		line->end--;
}

/* The next part without =, after any leading =; empty when there is none. */
static struct span token(struct span *rest)
{
	struct span found;

	while (rest->at < rest->end && *rest->at == '=')
		rest->at++;
	found.at = rest->at;
	while (rest->at < rest->end && *rest->at != '=')
		rest->at++;
	found.end = rest->at;
	return found;
}

static int wrong(const struct config_file *config, unsigned line, const struct span *text,
		 struct np_fault *fault)
{
	char place[sizeof(fault->object)];

	config_file_place(config, line, place, sizeof(place));
	if (memchr(text->at, '\0', (size_t)(text->end - text->at)))
		return np_fault_set(fault, -EINVAL, place, "a NUL byte; expected lines KEY=VALUE");
	if (*text->at == '#')
		return np_fault_set(
			fault, -EINVAL, place,
			"is not KEY=VALUE; the # of a comment must be in the first column");
	return np_fault_set(fault, -EINVAL, place, "'%.*s': expected KEY=VALUE, with a value",
			    text->end - text->at < 80 ? (int)(text->end - text->at) : 80, text->at);
}

static int parse_line(struct config_file *config, struct span line, unsigned number,
		      struct np_fault *fault)
{
	struct span text, key, value;
	int rc;

	if (memchr(line.at, '\0', (size_t)(line.end - line.at)))
		return wrong(config, number, &line, fault);
	if (line.at < line.end && *line.at == '#')
		return 0;
	trim(&line);
	if (line.at == line.end)
		return 0;
	text = line;
	key = token(&line);
	value = token(&line);
	if (value.at == value.end)
		return wrong(config, number, &text, fault);
	rc = config_file_append(config, key.at, (size_t)(key.end - key.at), value.at,
				(size_t)(value.end - value.at), number);
	if (rc)
		return np_fault_errno(fault, rc, config->name);
	for (char *c = config->entry[config->count - 1].key; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return 0;
}

/* The line's end: as for Java's reader, LF, CR LF, or CR. */
static const char *line_end(const char *text, const char *end)
{
	while (text < end && *text != '\n' && *text != '\r')
		text++;
	return text;
}

int config_file_parse(struct config_file *config, const char *name, const char *text, size_t bytes,
		      struct np_fault *fault)
{
	const char *end = text + bytes, *next;
	unsigned number = 1;
	int rc = config_file_create(config, name);

	if (rc)
		return np_fault_errno(fault, rc, name);
	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	for (; !rc && text < end; text = next, number++) {
		const char *stop = line_end(text, end);

		next = stop + (stop < end);
		next += next < end && *stop == '\r' && *next == '\n';
		rc = parse_line(config, (struct span){text, stop}, number, fault);
	}
	return rc;
}

const struct config_line *config_file_find(const struct config_file *config, const char *key)
{
	for (size_t i = config->count; i--;) {
		if (!strcmp(config->entry[i].key, key))
			return &config->entry[i];
	}
	return NULL;
}

static int load(FILE *file, char **text, size_t *bytes)
{
	char *room = malloc(CONFIG_FILE_BYTES_MAX + 1);

	if (!room)
		return -ENOMEM;
	*bytes = fread(room, 1, CONFIG_FILE_BYTES_MAX + 1, file);
	if (ferror(file) || *bytes > CONFIG_FILE_BYTES_MAX) {
		int rc = ferror(file) ? -errno : -EFBIG;

		free(room);
		return rc;
	}
	*text = room;
	return 0;
}

int config_file_load(const char *path, char **text, size_t *bytes, struct np_fault *fault)
{
	FILE *file = fopen(path, "re");
	int rc;

	*text = NULL;
	*bytes = 0;
	if (!file)
		return np_fault_errno(fault, -errno, path);
	rc = load(file, text, bytes);
	fclose(file);
	if (rc == -EFBIG)
		return np_fault_set(fault, rc, path,
				    "is longer than %u bytes, too long for a configuration",
				    CONFIG_FILE_BYTES_MAX);
	return rc ? np_fault_errno(fault, rc, path) : 0;
}

static bool is_there(const char *folder, const char *below, const char *name, char room[PATH_MAX])
{
	struct stat status;
	int length = snprintf(room, PATH_MAX, "%s/%s/%s", folder, below, name);

	return length < PATH_MAX && !stat(room, &status) && S_ISREG(status.st_mode);
}

/* The directory of the running program. */
static bool own_folder(char folder[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	char *slash;

	if (length <= 0)
		return false;
	folder[length] = '\0';
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

const char *config_file_example(const char *name, char room[PATH_MAX], const struct np_log *log)
{
	static const char *const paths[] = {EXAMPLES_PATH, EXAMPLES_USUAL_PATH};
	char folder[PATH_MAX];
	struct stat status;
	size_t at = 0;

	if (!*name || strchr(name, '/') || !lstat(name, &status) || !own_folder(folder))
		return name;
	while (at < sizeof(paths) / sizeof(*paths) && !is_there(folder, paths[at], name, room))
		at++;
	if (at == sizeof(paths) / sizeof(*paths))
		return name;
	np_log_info(log, "%s: no such file in this folder; reading the example %s", name, room);
	return room;
}
