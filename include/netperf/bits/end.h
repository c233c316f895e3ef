/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* end: the end of what bits/begin.h began. */
#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
