// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* names: makes the names of files. */
#include "files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The parts of a name; the extension includes its dot. */
struct parts {
	int folder; /* bytes up to and including the last slash */
	int stem;
	const char *last;
	const char *extension;
};

static struct parts take_apart(const char *name)
{
	const char *slash = strrchr(name, '/');
	struct parts parts = {.last = slash ? slash + 1 : name};

	parts.folder = (int)(parts.last - name);
	parts.extension = strrchr(parts.last, '.');
	/* ".hidden" has no extension. */
	if (!parts.extension || parts.extension == parts.last)
		parts.extension = parts.last + strlen(parts.last);
	parts.stem = (int)(parts.extension - parts.last);
	return parts;
}

static int check(int length, size_t room)
{
	return length < 0 || (size_t)length >= room ? -ENAMETOOLONG : 0;
}

/* Writes "_RUN" and "_sSTREAM", each only where it is needed. */
static void put_suffix(const struct names_file *file, bool run_always, char *out, size_t room)
{
	char run[24] = "", stream[16] = "";

	if (run_always || file->run > 1)
		snprintf(run, sizeof(run), "_%" PRIu64, file->run);
	if (file->stream)
		snprintf(stream, sizeof(stream), "_s%u", file->stream);
	snprintf(out, room, "%s%s", run, stream);
}

int names_file(const struct names_file *file, char *out, size_t room)
{
	char initial[64], suffix[48];
	const char *name = file->name;
	struct parts parts;

	snprintf(initial, sizeof(initial), "ttcp_%s_%" PRId64 ".txt", file->kind,
		 file->begun / NP_MILLISECOND);
	if (!*name)
		name = initial;
	parts = take_apart(name);
	put_suffix(file, false, suffix, sizeof(suffix));
	return check(snprintf(out, room, "%.*s%s%s", parts.folder + parts.stem, name, suffix,
			      parts.extension),
		     room);
}

int names_delay_file(const char *session, const struct names_file *file, char *out, char *folder,
		     size_t room)
{
	const struct parts parts = take_apart(file->name);
	char suffix[48];
	int length;

	put_suffix(file, true, suffix, sizeof(suffix));
	if (parts.folder)
		length = snprintf(folder, room, "%.*s", parts.folder, file->name);
	else
		length = snprintf(folder, room, "%s_DATA/", session);
	if (check(length, room))
		return -ENAMETOOLONG;
	length = snprintf(out, room, "%s%s_%s%s.txt", folder, session, parts.last, suffix);
	if (parts.folder)
		*folder = '\0';
	return check(length, room);
}
