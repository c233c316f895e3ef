/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* mountinfo: the lines of /proc/self/mountinfo, see proc_pid_mountinfo(5). */
#ifndef MOUNTINFO_H
#define MOUNTINFO_H

#include <stdbool.h>
#include <stdio.h>

/* Parts of a line that was taken apart in place. All but @options are free of escapes. */
struct mountinfo {
	char *id;
	char *device; /* "MAJOR:MINOR" */
	char *root;   /* what is mounted, below the root of its file system */
	char *point;
	char *type;
	char *source;
	char *options; /* of the file system, escaped: a comma in a value is "\054" */
};

/* Takes @line apart. Returns false if it is none of mountinfo. */
bool mountinfo_parse(char *line, struct mountinfo *mount);

/* Undoes the kernel's octal escapes in place: "\040" is a blank (seq_file's mangle_path). */
void mountinfo_unescape(char *text);

/*
 * Opens a file in /proc. Only what the kernel itself says counts: what is mounted over it, be it
 * another file of /proc, is not opened (EXDEV). NULL with errno set.
 */
FILE *mountinfo_open(const char *path);

#endif
