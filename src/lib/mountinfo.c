// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mountinfo: takes the kernel's table of mounts apart. */
#include "mountinfo.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>

void mountinfo_unescape(char *text)
{
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && text[2] && text[3]) {
			*out++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0');
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

/* "36 35 98:0 /root /point options optional... - type source options". */
bool mountinfo_parse(char *line, struct mountinfo *mount)
{
	char *field[5] = {NULL}, *rest = line;

	line[strcspn(line, "\n")] = '\0';
	for (size_t i = 0; i < 5; i++)
		field[i] = strsep(&rest, " ");
	rest = rest ? strstr(rest, " - ") : NULL;
	if (!rest)
		return false;
	rest += 3;
	*mount = (struct mountinfo){
		.id = field[0], .device = field[2], .root = field[3], .point = field[4]};
	mount->type = strsep(&rest, " ");
	mount->source = strsep(&rest, " ");
	mount->options = rest;
	if (!mount->source || !mount->options)
		return false;
	mountinfo_unescape(mount->root);
	mountinfo_unescape(mount->point);
	mountinfo_unescape(mount->source);
	return true;
}

FILE *mountinfo_open(const char *path)
{
	FILE *file = fopen(path, "re");
	struct statfs status;

	if (!file)
		return NULL;
	if (fstatfs(fileno(file), &status) == 0 && status.f_type == PROC_SUPER_MAGIC)
		return file;
	fclose(file);
	errno = ENOENT;
	return NULL;
}
