/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * output: opens the files that a program writes its results to. They may be regular files, pipes,
 * character devices and sockets, but never block devices. The file that was opened is judged, and
 * only then emptied: replacing the name in between has no effect. A file may keep its content until
 * there is something to write: the run may never begin.
 *
 * Functions are thread-safe.
 */
#ifndef NETPERF_OUTPUT_H
#define NETPERF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include <netperf/bits/begin.h>

struct np_output {
	bool append; /* appends to the file instead of emptying it */
	bool keep;   /* for a descriptor: np_output_empty empties the file, not np_output_open */
	/*
	 * A stream empties its file at its first write, or else when it is closed, unless this is
	 * true then; in that case a file that the stream made and never wrote to is removed. Must
	 * stay valid while the stream is open. NULL: false.
	 */
	const bool *never_began;
	/*
	 * What is written before the run is a heading: if the run never began, no more of it is
	 * written, and a file that the stream made is removed all the same.
	 */
	bool heading;
	bool *made; /* set when the file is open: whether it did not exist before; NULL: not */
	/* Files that the run reads or exercises, NULL-terminated; NULL: none. */
	const char *const *inputs;
};

/*
 * Opens @path as the shell's > and >> do, close-on-exec, and stores the descriptor, which the
 * caller closes. A regular file that is emptied is locked (F_OFD_SETLK) while it is open, so that
 * two outputs cannot overwrite each other. @how NULL: empties, no inputs. Returns 0 or -errno;
 * among these, with nothing written:
 *   -ENOTBLK  @path is a block device
 *   -EDEADLK  it is an input, or an input is stored on it (by loop devices)
 *   -EXDEV    it has content, and whether an input is stored on it cannot be determined
 *   -EALREADY it is the regular file of standard output or standard error
 *   -EBUSY    it is locked by another output, of this process or another one
 */
int np_output_open(const char *path, const struct np_output *how, int *fd);

/* Empties the file of @fd if it is a regular file. Returns 0 or -errno. */
int np_output_empty(int fd);

/*
 * Removes the file that np_output_open made at @path and opened as @fd, which stays open, unless
 * the file has content or another one has taken its name. Returns 0 or -errno.
 */
int np_output_unmake(int fd, const char *path);

/*
 * The same as a stream, for all functions of stdio except those that need a descriptor. It
 * remembers its first failed write, after which it tries no other; if its reader has gone, it stops
 * the run (np_signals_stop_self). On failure *@stream is NULL.
 */
int np_output_stream(const char *path, const struct np_output *how, FILE **stream);

/*
 * Such a stream on @fd, for example STDOUT_FILENO, which stays open and the caller's. Line-buffered
 * on a terminal. Returns 0 or -ENOMEM.
 */
int np_output_standard(int fd, FILE **stream);

/*
 * Flushes a stream of the two functions above. Returns 0, or -errno of its first failed write at
 * any time: ferror(3) does not tell the reason.
 */
int np_output_flush(FILE *stream);

/* The same, then closes it. NULL is allowed. */
int np_output_close(FILE *stream);

/*
 * Whether output may go to @fd, for example a standard stream: 0, -ENOTBLK, -EBADF when it is
 * closed or open only for reading, or -errno of fstat(2). A descriptor opened with O_PATH is judged
 * by its file alone.
 */
int np_output_judge(int fd);

/* The message for a value that one of the functions above returned; not to be freed. */
const char *np_output_reason(int error);

#include <netperf/bits/end.h>
#endif
