/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * made_host: a host with made-up disks for the tests of the guard: what is below /sys, /proc and
 * /dev is read from a directory of our own, by functions that stand in for the C library's. All
 * files are on one disk, MADE_DISK. The clock is made up, too: a sleep takes no time.
 */
#ifndef MADE_HOST_H
#define MADE_HOST_H

#include <linux/loop.h>
#include <stddef.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <time.h>

#include <netperf/guard.h>

#include "made_clock.h"

#define MADE_DISK  makedev(250, 1)
#define MADE_BYTES (16 << 20)
#define MADE_PATH  512
#define MADE_NODES 32

enum made_way { MADE_FREE, MADE_BUSY, MADE_FORBIDDEN, MADE_EMPTY, MADE_GONE };

struct made_node {
	char name[64];
	dev_t device;
	enum made_way way;	 /* what an open() meets */
	struct loop_info64 loop; /* with lo_number 1: in use */
	int loop_error;
	const void *table; /* of the device mapper: targets as the kernel gives them */
	size_t table_bytes;
	unsigned targets, table_flags;
};

extern char made_root[64];
extern struct made_node made_nodes[MADE_NODES];
extern size_t made_count;
extern const char *made_cover;	 /* a path over which something is mounted, with all below it */
extern unsigned long made_type;	 /* of the file system of files; 0: an ordinary one */
extern const char *made_broken;	 /* a directory that cannot be read to its end */
extern const char *made_private; /* a path, as it is asked for, that may not be opened */
extern void (*made_pause)(const struct timespec *until); /* called in each sleep */
extern unsigned made_opened;				 /* how often a node was opened */

/* For cmocka: an empty host before each test, and its removal. */
int made_host_setup(void **state);
int made_host_teardown(void **state);

/* The path of our own that stands for @path. */
const char *made_path(const char *path, char out[MADE_PATH]);
__attribute__((format(printf, 2, 3))) char *made_at(char out[MADE_PATH], const char *format, ...);
/* Writes @text to the file @path of the host, and makes the directories above it; NULL: only them.
 */
void made_file(const char *path, const char *text);
void made_link(const char *path, const char *target);

struct made_node *made_disk(const char *name, dev_t device);
/* @start and @size in sectors of 512 bytes. */
struct made_node *made_partition(const char *disk, const char *name, dev_t device, unsigned start,
				 unsigned size);
/* @upper is made of @lower, "LOWER" or "DISK/PARTITION" as a path below /sys/devices. */
void made_member(const char *upper, const char *lower);
/* Attaches the loop device @node to the file @inode of MADE_DISK, or to @device. */
void made_attach(struct made_node *node, ino_t inode, dev_t device, const char *path);

/* Opens the device or file @path as a run opens it, and has the guard judge it. */
enum np_guard_reason made_judge(const char *path, struct np_guard_verdict *verdict);
void made_expect(const struct np_guard_verdict *verdict, enum np_guard_reason wanted,
		 const char *text);
#endif
