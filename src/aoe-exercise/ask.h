/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* ask: sends single questions to targets before the measured run, and listens for the answers. */
#ifndef AOE_EXERCISE_ASK_H
#define AOE_EXERCISE_ASK_H

#include "channel.h"

#include <netperf/aoe.h>

/* What to do with each answer. Returns 0 to go on listening, 1 to end, or -errno. */
struct listener {
	int (*take)(void *owner, const struct np_aoe_header *header, const struct np_frame *frame);
	void *owner;
};

/*
 * Sends the @length bytes at @data; a negative @length is the encoder's -errno and is returned.
 * Returns 0 or -errno.
 */
int ask_send(struct channel *channel, uint8_t *data, int length);

/*
 * Hands each answer (flag R) to @listener until its take returns other than 0 or *@deadline, which
 * take may move, has passed. Returns take's result, 0 at the deadline, -EINTR when a signal asks to
 * stop, or -errno.
 */
int ask_listen(struct channel *channel, const struct listener *listener, const np_time *deadline);

#endif
