/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* guard_spaces: the mount tables of other mount namespaces, as far as /proc shows them. */
#ifndef GUARD_SPACES_H
#define GUARD_SPACES_H

#include <sys/types.h>

/*
 * Examines the table @path of process @process. Returns 0 to continue, or the final result. -errno:
 * the table cannot be read; if its process has just ended, or may not be looked at, another one of
 * the same namespace is asked.
 */
typedef int guard_spaces_look(void *owner, const char *path, pid_t process);

/*
 * Shows one table of each mount namespace but our own that has a process which we may look at: as
 * root that is all processes of our pid namespace. Returns what @look returned last, 0, or -errno
 * when the list of processes could not be read to its end.
 */
int guard_spaces_each(guard_spaces_look *look, void *owner);

#endif
