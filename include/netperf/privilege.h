/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* privilege: gives up the capabilities that only opening sockets and devices needed. */
#ifndef NETPERF_PRIVILEGE_H
#define NETPERF_PRIVILEGE_H

#include <netperf/bits/begin.h>

/*
 * Drops every capability of the process for good (capabilities(7), no_new_privs). Open raw sockets
 * keep working. Call it after the last privileged open, before the first byte from outside is
 * parsed, and before threads are started. Returns 0 or -errno.
 */
int np_privilege_drop(void);

#include <netperf/bits/end.h>
#endif
