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
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

void config_file_free(struct config_file *config)
{
	for (size_t i = 0; i < config->count; i++) {
		free(config->entry[i].key);
		free(config->entry[i].value);
	}
	free(config->entry);
	*config = (struct config_file){};
}

int config_file_append(struct config_file *config, struct config_line at, const char *key,
		       const char *value)
{
	struct config_line *entry = config->entry;
	const size_t count = config->count;

	/* Doubled at each power of two. */
	if (!(count & (count - 1)))
		entry = realloc(entry, (count ? 2 * count : 1) * sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	config->entry = entry;
	at.key = strdup(key);
	at.value = strdup(value);
	if (!at.key || !at.value) {
		free(at.key);
		free(at.value);
		return -ENOMEM;
	}
	config->entry[config->count++] = at;
	return 0;
}

/* Key and value are what is between the first signs of =, however many stand together. */
static int parse_line(struct config_file *config, const struct config_line *at, char *line,
		      struct np_fault *fault)
{
	char *end = line + strlen(line), *key, *value;
	int rc;

	if (*line == '#')
		return 0;
	/* Like Java's trim: removes everything up to and including the blank at both ends. */
	while (end > line && (unsigned char)end[-1] <= ' ')
		*--end = '\0';
	while (*line && (unsigned char)*line <= ' ')
		line++;
	if (!*line)
		return 0;
	key = line + strspn(line, "=");
	end = key + strcspn(key, "=");
	value = end + strspn(end, "=");
	if (!*value && *line == '#')
		return config_line_wrong(
			at, fault,
			"is not KEY=VALUE; the # of a comment must be in the first column");
	if (!*value)
		return config_line_wrong(at, fault, "'%.80s': expected KEY=VALUE, with a value",
					 line);
	*end = '\0';
	value[strcspn(value, "=")] = '\0';
	for (char *c = key; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	rc = config_file_append(config, *at, key, value);
	return rc ? np_fault_errno(fault, rc, at->file) : 0;
}

int config_file_parse(struct config_file *config, const char *name, const char *text, size_t bytes,
		      struct np_fault *fault)
{
	const char *end = text + bytes, *stop;
	struct config_line at = {.file = name, .line = 1};
	int rc = 0;

	if (bytes >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		text += 3;
	for (; !rc && text < end; at.line++) {
		char *line;

		/* As for Java's reader, a line ends with LF, CR LF, or CR. */
		for (stop = text; stop < end && *stop != '\n' && *stop != '\r'; stop++)
			;
		if (memchr(text, '\0', (size_t)(stop - text)))
			return config_line_wrong(&at, fault,
						 "a NUL byte; expected lines KEY=VALUE");
		line = strndup(text, (size_t)(stop - text));
		rc = line ? parse_line(config, &at, line, fault)
			  : np_fault_errno(fault, -ENOMEM, name);
		free(line);
		text = stop + (stop < end);
		text += text < end && *stop == '\r' && *text == '\n';
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

int config_file_load(const char *path, char **text, size_t *bytes, struct np_fault *fault)
{
	FILE *file = fopen(path, "re");
	int rc = 0;

	*text = NULL;
	*bytes = 0;
	if (!file)
		return np_fault_errno(fault, -errno, path);
	*text = malloc(CONFIG_FILE_BYTES_MAX + 1);
	if (*text)
		*bytes = fread(*text, 1, CONFIG_FILE_BYTES_MAX + 1, file);
	if (!*text || ferror(file))
		rc = np_fault_errno(fault, *text ? -errno : -ENOMEM, path);
	else if (*bytes > CONFIG_FILE_BYTES_MAX)
		rc = np_fault_set(fault, -EFBIG, path,
				  "is longer than %u bytes, too long for a configuration",
				  CONFIG_FILE_BYTES_MAX);
	fclose(file);
	return rc;
}

const char *config_file_example(const char *name, char room[PATH_MAX], const struct np_log *log)
{
	static const char *const paths[] = {EXAMPLES_PATH, EXAMPLES_USUAL_PATH};
	char folder[PATH_MAX] = "", *slash;
	struct stat status;

	if (!*name || strchr(name, '/') || !lstat(name, &status) ||
	    readlink("/proc/self/exe", folder, sizeof(folder) - 1) <= 0)
		return name;
	/* Relative to the running program. */
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		if (snprintf(room, PATH_MAX, "%s/%s/%s", folder, paths[i], name) >= PATH_MAX ||
		    stat(room, &status) || !S_ISREG(status.st_mode))
			continue;
		np_log_info(log, "%s: no such file in this folder; reading the example %s", name,
			    room);
		return room;
	}
	return name;
}
