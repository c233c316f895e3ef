/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * guard_erofs: EROFS can be mounted from a file without a loop device (Linux 6.12 and later). The
 * table of mounts has only the name that was given then, which may be relative.
 */
#ifndef GUARD_EROFS_H
#define GUARD_EROFS_H

#include "guard_layers.h"

/*
 * Is the EROFS that is on the disk or file @fd mounted from a file, in any mount namespace that can
 * be seen? It is known by its UUID. Returns 1 and says in @text where, 0, or -errno. @is_used: the
 * file, or one below the disk, may be open elsewhere; a mount from a file that cannot be told from
 * it makes @layers blind then, and so does one that another mount hides.
 */
int guard_erofs_mounted(int fd, bool is_used, struct guard_layers *layers,
			char text[GUARD_TEXT_BYTES]);

/* Is the file @fd open elsewhere, as it is when it is mounted in any mount namespace? */
bool guard_erofs_is_open(int fd);

#endif
