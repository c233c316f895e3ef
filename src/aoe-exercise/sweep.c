// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sweep: the steps of a window sweep, where an automatic one ends, and which step is the knee. */
#include "options.h"

#include <errno.h>
#include <string.h>

#define KNEE_TOLERANCE 0.97
/* An automatic sweep ends after this many doublings in a row that gained less than 3 %. */
#define IDLE_STEPS 3

/* Parses one number of "FROM:TO:STEP"; moves @text past it and its colon. */
static int parse_part(const char **text, unsigned *value)
{
	size_t length = strcspn(*text, ":");
	char part[16];
	uint64_t number;

	if (length >= sizeof(part))
		return -EINVAL;
	memcpy(part, *text, length);
	part[length] = '\0';
	if (np_units_parse_count(part, 1, WINDOW_MAX, &number))
		return -EINVAL;
	*value = (unsigned)number;
	*text += length;
	if (**text == ':')
		(*text)++;
	else
		*text = "";
	return 0;
}

int sweep_parse(struct sweep *sweep, const char *text)
{
	size_t length = strlen(text);

	*sweep = (struct sweep){0};
	if (!strcmp(text, "auto")) {
		*sweep = (struct sweep){.from = 1, .to = WINDOW_MAX, .automatic = true};
		return 0;
	}
	if (!length || text[length - 1] == ':' || parse_part(&text, &sweep->from))
		return -EINVAL;
	sweep->to = sweep->from;
	if (*text && parse_part(&text, &sweep->to))
		return -EINVAL;
	if (*text && parse_part(&text, &sweep->step))
		return -EINVAL;
	if (*text || sweep->to < sweep->from)
		return -EINVAL;
	if (sweep->step && (sweep->to - sweep->from) / sweep->step + 2 > SWEEP_STEPS_MAX)
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
