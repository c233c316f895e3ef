// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_pmix_none: replaces launch_pmix in a build without libpmix: cannot be opened. */
#include "launch_variant.h"

#include <errno.h>

static int none_expect(uint32_t *rank)
{
	(void)rank;
	return -EOPNOTSUPP;
}

static int none_open(struct launch_place *place)
{
	(void)place;
	return -EOPNOTSUPP;
}

const struct launch_variant launch_pmix_variant = {
	.name = "pmix",
	.expect = none_expect,
	.open = none_open,
};
