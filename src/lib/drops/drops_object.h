/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* drops_object: the compiled BPF program, an ELF file, up to drops_object_end. */
#ifndef LIB_DROPS_OBJECT_H
#define LIB_DROPS_OBJECT_H

extern const char drops_object[] __attribute__((visibility("hidden")));
extern const char drops_object_end[] __attribute__((visibility("hidden")));

#endif
