// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sweep: the steps of a window sweep, where an automatic one ends, and which step is the knee. */
#include "options.h"

#include <errno.h>

#define KNEE_TOLERANCE 0.97
/* An automatic sweep ends after this many doublings in a row that gained less than 3 %. */
#define IDLE_STEPS 3

int sweep_parse(struct sweep *sweep, const char *text)
{
	unsigned *const parts[] = {&sweep->from, &sweep->to, &sweep->step};
	char copy[48], *rest = copy, *part;
	unsigned count = 0;
	uint64_t number;

	*sweep = (struct sweep){0};
	if (!strcmp(text, "auto")) {
		*sweep = (struct sweep){.from = 1, .to = WINDOW_MAX, .automatic = true};
		return 0;
	}
	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy))
		return -EINVAL;
	while ((part = strsep(&rest, ":"))) {
		if (count == 3 || np_units_parse_count(part, 1, WINDOW_MAX, &number))
			return -EINVAL;
		*parts[count++] = (unsigned)number;
	}
	if (count == 1)
		sweep->to = sweep->from;
	if (sweep->to < sweep->from ||
	    (sweep->step && (sweep->to - sweep->from) / sweep->step + 2 > SWEEP_STEPS_MAX))
		return -EINVAL;
	return 0;
}

bool sweep_bound(struct sweep *sweep, uint64_t most)
{
	if (sweep->to <= most)
		return false;
	sweep->to = (unsigned)most;
	if (sweep->from > sweep->to)
		sweep->from = sweep->to;
	return true;
}

bool sweep_is_several(const struct sweep *sweep)
{
	return sweep->from != sweep->to;
}

static double best_rate(const struct sweep_step *done, size_t count)
{
	double best = 0;

	for (size_t i = 0; i < count; i++) {
		if (!done[i].lost && done[i].rate_bytes_per_s > best)
			best = done[i].rate_bytes_per_s;
	}
	return best;
}

unsigned sweep_next(const struct sweep *sweep, const struct sweep_step *done, size_t count)
{
	unsigned last, next;

	if (!count)
		return sweep->from;
	last = done[count - 1].window;
	if (last >= sweep->to || count >= SWEEP_STEPS_MAX)
		return 0;
	/* Two lossy steps in a row, or several without gain: larger windows will not help. */
	if (sweep->automatic && count >= 2 && done[count - 1].lost && done[count - 2].lost)
		return 0;
	if (sweep->automatic && count > IDLE_STEPS &&
	    best_rate(done, count) * KNEE_TOLERANCE <= best_rate(done, count - IDLE_STEPS))
		return 0;
	next = sweep->step ? last + sweep->step : last * 2;
	return next < sweep->to ? next : sweep->to;
}

int sweep_knee(const struct sweep_step *done, size_t count)
{
	double rate[SWEEP_STEPS_MAX];

	for (size_t i = 0; i < count; i++)
		rate[i] = done[i].lost ? 0 : done[i].rate_bytes_per_s;
	return np_block_knee(rate, count);
}
