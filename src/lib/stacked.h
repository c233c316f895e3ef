/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stacked: file systems that show the files of another one under their own device and inode
 * numbers, so that the numbers do not show whether two names lead to one file.
 */
#ifndef STACKED_H
#define STACKED_H

#include <stddef.h>

enum stacked_kind {
	STACKED_NOT,
	STACKED_OVERLAY, /* shows the size and times of the file below */
	STACKED_OTHER,	 /* FUSE and the like: nothing is known of the file below */
};

/* @fd may be opened with O_PATH. */
enum stacked_kind stacked_kind(int fd);

/*
 * The file of a layer that the file @fd on an overlay is made from, as an O_PATH descriptor;
 * -ENOENT when its layers are not visible from here. Only one layer down, which may be an overlay,
 * too.
 */
int stacked_below(int fd);

enum stacked_answer { STACKED_SAME, STACKED_DIFFERENT, STACKED_UNKNOWN };

/*
 * Are the files @one and @other, at least one of them on an overlay, the same? Two with equal size
 * and times, to the nanosecond, count as the same.
 */
enum stacked_answer stacked_compare(int one, int other);

/*
 * Stores the directories in the mount options @options of an overlay, the upper one first, and
 * returns how many, at most @room. They point into @options, which is modified.
 */
size_t stacked_folders(char *options, char **folder, size_t room);

#endif
