/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * stacked: file systems that show the files of another one under device and inode numbers of their
 * own. There the numbers do not tell whether two names lead to one file.
 */
#ifndef STACKED_H
#define STACKED_H

#include <stddef.h>

enum stacked_kind {
	STACKED_NOT,
	STACKED_OVERLAY, /* passes size and times of the file below on */
	STACKED_OTHER,	 /* FUSE and such: nothing is known of what is below */
};

/* @fd may be one of O_PATH. */
enum stacked_kind stacked_kind(int fd);

/*
 * The file of a layer that the file @fd on an overlay is, as an O_PATH descriptor; -ENOENT when
 * its layers cannot be seen from here. Only one layer down: that may be an overlay, too.
 */
int stacked_below(int fd);

enum stacked_answer { STACKED_SAME, STACKED_DIFFERENT, STACKED_UNKNOWN };

/*
 * Are the files @one and @other, at least one of them on an overlay, one file? Two that agree in
 * size and all times to the nanosecond are taken for one.
 */
enum stacked_answer stacked_compare(int one, int other);

/*
 * Stores the folders that the mount options @options of an overlay name, the upper one first, and
 * returns how many, at most @room. They are parts of @options, which is taken apart.
 */
size_t stacked_folders(char *options, char **folder, size_t room);

#endif
