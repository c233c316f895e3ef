// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_libbpf: loads libbpf. */
#include "drops_libbpf.h"

#include "../base/late.h"
#include "config.h"

#define ROW(function) LATE_SYMBOL(drops_libbpf, function),

static const struct late_symbol symbols[] = {DROPS_LIBBPF(ROW){NULL, 0}};

int drops_libbpf_load(struct drops_libbpf *bpf)
{
	static const struct late_library libbpf = {LIBBPF_SONAME, symbols};

	return late_load(&libbpf, bpf);
}
