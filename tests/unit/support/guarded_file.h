/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guarded_file: a sparse file of zeros for the tests of what the guard finds in one. */
#ifndef GUARDED_FILE_H
#define GUARDED_FILE_H

#include <netperf/guard.h>
#include <stddef.h>
#include <stdint.h>

#define FILE_BYTES (UINT64_C(16) << 20)

struct file {
	char path[32];
	int fd; /* open to read and write */
};

/* A new file of FILE_BYTES, for drop_file(). */
void make_file(struct file *file);
void drop_file(struct file *file);

void put(const struct file *file, const void *data, size_t bytes, uint64_t offset);

/* What libblkid takes for ext2. */
void put_ext_superblock(const struct file *file);

/* The guard's verdict of the descriptor. */
struct np_guard_verdict judge(const struct file *file);

#endif
