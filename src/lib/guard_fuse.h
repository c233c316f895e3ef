/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_fuse: files and disks from which a program serves a FUSE file system. */
#ifndef GUARD_FUSE_H
#define GUARD_FUSE_H

#include "storage_relatives.h"

/*
 * Does a process that has /dev/fuse open also have one of @relatives open? Whatever the table of
 * mounts calls it, that is what it serves, or may be. Processes whose descriptors may not be seen
 * do not count. Returns 1 and says in @text which one, 0, or -errno when the processes cannot be
 * listed.
 */
int guard_fuse_served(const struct storage_relatives *relatives, char text[GUARD_TEXT_BYTES]);

/*
 * Makes @layers blind if FUSE has something mounted by a relative name that ends like that of the
 * file @fd: from where it counts is known to the program only that serves it.
 */
void guard_fuse_suspect(int fd, struct guard_layers *layers);

#endif
