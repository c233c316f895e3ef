/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* stranger: counts answers for the target's shelf and slot that come from another host. */
#ifndef AOE_EXERCISE_STRANGER_H
#define AOE_EXERCISE_STRANGER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct stranger {
	uint64_t answers;
	uint8_t mac[6]; /* of the first one */
};

/* Counts an answer whose @source is not @mac; true when it is not. */
static inline bool stranger_is(struct stranger *stranger, const uint8_t source[6],
			       const uint8_t mac[6])
{
	if (!memcmp(source, mac, 6))
		return false;
	if (!stranger->answers++)
		memcpy(stranger->mac, source, 6);
	return true;
}

#endif
