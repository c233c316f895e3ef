/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mountinfo: the lines of /proc/self/mountinfo, see proc_pid_mountinfo(5). */
#ifndef MOUNTINFO_H
#define MOUNTINFO_H

#include <stdbool.h>
#include <stdio.h>

/* The fields of a line, which was split in place. All except @options are unescaped. */
struct mountinfo {
	char *id;
	char *device; /* "MAJOR:MINOR" */
	char *root;   /* the mounted directory, below the root of its file system */
	char *point;
	char *type;
	char *source;
	char *options; /* of the file system, escaped: a comma in a value is "\054" */
};

/* Splits @line. Returns false if it is no line of mountinfo. */
bool mountinfo_parse(char *line, struct mountinfo *mount);

/* Undoes the kernel's octal escapes in place: "\040" is a blank (seq_file's mangle_path). */
void mountinfo_unescape(char *text);

/*
 * Opens a file in /proc, but only the kernel's own: a path over which something else is mounted,
 * even another file of /proc, is refused (EXDEV). NULL with errno set.
 */
FILE *mountinfo_open(const char *path);

#endif
