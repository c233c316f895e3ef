/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_carries: is an input of a run, or a disk in use, stored in a file that would be emptied? */
#ifndef GUARD_CARRIES_H
#define GUARD_CARRIES_H

/*
 * Is the disk or file named @input, or the file system that it is on, stored in the file @fd, at
 * any depth, or is it that file by another name? Returns 1, 0, -EXDEV when that is unknown, or
 * -errno. An @input that does not exist is stored nowhere.
 */
int guard_carries(int fd, const char *input);

/*
 * Is the file @fd known to back a loop device, by any of its names and at any depth, or to be
 * mounted? Returns 1, 0 or -errno. What cannot be seen is no reason: results go to such files
 * everywhere.
 */
int guard_is_disk(int fd);

#endif
