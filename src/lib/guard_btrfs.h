/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_btrfs: all the disks of a mounted btrfs, of which the table of mounts names only one. */
#ifndef GUARD_BTRFS_H
#define GUARD_BTRFS_H

#include "storage_relatives.h"

#define GUARD_BTRFS_FOLDER     "/sys/fs/btrfs"
#define GUARD_BTRFS_UUID_BYTES 40

/*
 * Looks for a mounted btrfs that has one of @relatives among its disks and, unless @beside is 0,
 * that device as well. @folder: GUARD_BTRFS_FOLDER, or what a test has made in its place. Returns 1
 * with the one of @relatives in @found and whose it is in @uuid, 0: there is none, or -errno when
 * the list could not be read to its end.
 */
int guard_btrfs_find(const char *folder, const struct storage_relatives *relatives, dev_t beside,
		     char uuid[GUARD_BTRFS_UUID_BYTES], const struct storage_relative **found);

#endif
