// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* launch_pmix_none: replaces launch_pmix in a build without libpmix. */
#include "launch_state.h"

const struct launch_pmix launch_pmix = {.open = NULL};
