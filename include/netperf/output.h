/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * output: opens the files that a program writes its results to. They may be regular files, pipes,
 * character devices and sockets, but never block devices. The file that was opened is judged, and
 * only then emptied: replacing the name in between has no effect. A file may keep its content until
 * there is something to write: the run may never begin. Functions are thread-safe.
 */
#pragma once

#include <netperf/status.h>
#include <stdbool.h>
#include <stdio.h>

struct np_output {
	bool append; /* appends to the file instead of emptying it */
	/*
	 * The file is emptied at the first write, or else when it is closed, unless this is true
	 * then; in that case a file that was made and never written to is removed. Must stay valid
	 * while the stream is open. NULL: false.
	 */
	const bool *never_began;
	/*
	 * What is written before the run is a heading: if the run never began, no more of it is
	 * written, and a file that was made is removed all the same.
	 */
	bool heading;
	/* Files that the run reads or exercises, NULL-terminated; NULL: none. */
	const char *const *inputs;
};

/*
 * Opens @path as the shell's > and >> do, close-on-exec, for all functions of stdio except those
 * that need a descriptor. A regular file that is emptied is locked (F_OFD_SETLK) while it is open,
 * so that two outputs cannot overwrite each other. The stream remembers its first failed write,
 * after which it tries no other; if its reader has gone, it stops the run (np_signals_stop_self),
 * provided that SIGPIPE is ignored, as np_tool_main does.
 * @how NULL: empties, no inputs. Returns 0, or -errno with *@stream NULL; among these, with nothing
 * written:
 *   -ENOTBLK  @path is a block device
 *   -EDEADLK  it is an input, or an input is stored on it (by loop devices)
 *   -EXDEV    it has content, and whether an input is stored on it cannot be determined
 *   -EALREADY it is the regular file of standard output or standard error
 *   -EBUSY    it is locked by another output, of this process or another one
 */
int np_output_stream(const char *path, const struct np_output *how, FILE **stream);

/*
 * Such a stream on @fd, such as stdout, which stays open. Line-buffered on a terminal, where
 * @status is erased before each write; NULL: there is none.
 */
int np_output_standard(int fd, struct np_status *status, FILE **stream);

/*
 * Flushes a stream of the two functions above, or also closes it, NULL too. Returns 0, or -errno of
 * its first failed write at any time: ferror(3) does not tell the reason.
 */
int np_output_flush(FILE *stream);
int np_output_close(FILE *stream);

/*
 * Whether output may go to @fd, for example a standard stream: 0, -ENOTBLK, -EBADF when it is
 * closed or open only for reading, or -errno of fstat(2). A descriptor opened with O_PATH is judged
 * by its file alone.
 */
int np_output_judge(int fd);

/* The message for a value that one of the functions above returned; not to be freed. */
const char *np_output_reason(int error);
