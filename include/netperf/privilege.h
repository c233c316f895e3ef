/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* privilege: give up what was only needed to open sockets and devices. */
#ifndef NETPERF_PRIVILEGE_H
#define NETPERF_PRIVILEGE_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Drops every capability of the process for good (capabilities(7), no_new_privs). Open raw
 * sockets keep working. Call it after the last privileged open and before the first byte from
 * outside is parsed; before threads are started. Returns 0 or -errno.
 */
int np_privilege_drop(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
