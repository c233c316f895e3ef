/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* names: the names of files and of peers. Pure. */
#ifndef TTCP_FILES_NAMES_H
#define TTCP_FILES_NAMES_H

#include <netperf/address.h>
#include <netperf/clock.h>
#include <stddef.h>

#define NAMES_ROOM 4096

/*
 * The file name for @name, which is as typed, or "" for the default: ttcp_KIND_TIMESTAMP.txt, with
 * @kind "seq", "bw" or "log", and the time in ms since 1970. Runs after the first and streams after
 * stream 0 have "_RUN" and "_sSTREAM" before the extension. Returns 0 or -ENAMETOOLONG.
 */
struct names_file {
	const char *name, *kind;
	np_time begun; /* when the program started, wall clock */
	uint64_t run;  /* 1.. */
	unsigned stream;
};
int names_file(const struct names_file *file, char *out, size_t room);

/*
 * The file name of -d: SESSION_DATA/SESSION_NAME_RUN.txt; if @name has a slash, the prefix goes to
 * its last component and there is no SESSION_DATA. Streams as above. @folder, also of @room bytes,
 * is the directory to create first, or "".
 */
int names_delay_file(const char *session, const struct names_file *file, char *out, char *folder,
		     size_t room);

/* "/10.0.0.2", "box/10.0.0.2", "/fd00:0:0:0:0:0:0:2": like Java's InetAddress. */
char *names_java_address(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

#endif
