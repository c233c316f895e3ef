// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops_bpf_none: replaces drops_bpf in a build without libbpf or clang: cannot be opened. */
#include "drops_variant.h"

#include <errno.h>

static int none_open(struct np_drops *drops)
{
	snprintf(drops->why, sizeof(drops->why),
		 "built without libbpf: build with libbpf and clang (./configure --with-libbpf)");
	return -EPROTONOSUPPORT;
}

const struct drops_variant drops_bpf_variant = {
	.bytes = sizeof(struct np_drops),
	.open = none_open,
};
