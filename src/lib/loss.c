// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* loss: splits what is missing between the way and this host. */
#include <netperf/loss.h>

struct np_loss np_loss_attribute(uint64_t missing, uint64_t dropped, uint64_t damaged,
				 uint64_t most)
{
	struct np_loss loss = {.exact = !dropped || (most == 1 && !damaged && dropped <= missing)};
	uint64_t least = dropped > damaged ? dropped - damaged : 0;

	loss.host = least < missing ? least : missing;
	if (dropped <= missing / most)
		loss.path = missing - dropped * most;
	loss.unattributed = missing - loss.host - loss.path;
	return loss;
}
