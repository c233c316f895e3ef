/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * begin: what follows is exported and has C linkage, until bits/end.h. For the headers of this
 * library, each of which includes the two once; so neither has a guard.
 */
#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif
