/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * output: opens the files that a program writes its results to. They may be regular files, pipes,
 * character devices and sockets; a block device is never written to by this way. What was opened
 * is judged, and cut to nothing only then: a name that changes in between changes nothing. What a
 * file has need not be lost before there is something to write: a run may never begin.
 *
 * Functions are thread-safe.
 */
#ifndef NETPERF_OUTPUT_H
#define NETPERF_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_output {
	bool append; /* goes on behind what the file has, else empties it */
	bool keep;   /* a descriptor: np_output_empty empties the file, not np_output_open */
	/*
	 * A stream empties its file when it first writes, or else when it is closed; not then if
	 * this is true. Stays where it is as long as the stream is open. NULL: false.
	 */
	const bool *never_began;
	/* Names of files that the run reads or exercises, the last NULL; NULL: none. */
	const char *const *inputs;
};

/*
 * Opens @path as the shell's > and >> do, close-on-exec, and stores the descriptor, the caller's to
 * close. A regular file that is emptied is locked (F_OFD_SETLK) as long as it is open, so that two
 * outputs cannot overwrite each other. @how NULL: empties, no inputs. Returns 0 or -errno, among
 * them, with nothing written:
 *   -ENOTBLK  @path is a block device
 *   -EDEADLK  it is one of the inputs, or one stands on it (a loop device, at any depth)
 *   -EXDEV    it has content, and whether an input stands on it cannot be seen
 *   -EBUSY    it is locked by another output, of this process or another one
 */
int np_output_open(const char *path, const struct np_output *how, int *fd);

/* Empties what @fd is open on if it is a regular file. Returns 0 or -errno. */
int np_output_empty(int fd);

/*
 * The same as a stream, for the functions of stdio but those that want a descriptor; it remembers
 * its first failed write, and no other is tried then. On failure *@stream is NULL.
 */
int np_output_stream(const char *path, const struct np_output *how, FILE **stream);

/*
 * Such a stream on @fd, which stays open and the caller's: STDOUT_FILENO say. Line by line on a
 * terminal. Returns 0 or -ENOMEM.
 */
int np_output_standard(int fd, FILE **stream);

/*
 * Writes what a stream of the two above holds. Returns 0, or -errno of its first write that failed,
 * whenever that was: ferror(3) knows no reason.
 */
int np_output_flush(FILE *stream);

/* The same, and closes it. NULL is allowed. */
int np_output_close(FILE *stream);

/*
 * Whether output may go to @fd, a standard stream say: 0, -ENOTBLK, -EBADF when it is closed or
 * open only for reading, or -errno of fstat(2). A descriptor of O_PATH is judged by its file alone.
 */
int np_output_judge(int fd);

/* What to tell the user for a value that one of the functions above returned; not to be freed. */
const char *np_output_reason(int error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
