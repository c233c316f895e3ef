/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_carries: is an input of a run stored in a file that would be emptied? */
#ifndef GUARD_CARRIES_H
#define GUARD_CARRIES_H

/*
 * Is the disk or file named @input, or the file system that it is on, stored in the file @fd by
 * loop devices, or is it that file by another name? Returns 1, 0, -EXDEV when that is unknown, or
 * -errno. An @input that does not exist is stored nowhere.
 */
int guard_carries(int fd, const char *input);

#endif
