/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* ask: sends single questions to targets before the measured run, and listens for the answers. */
#ifndef AOE_EXERCISE_ASK_H
#define AOE_EXERCISE_ASK_H

#include "wire.h"

#include <netperf/aoe.h>

/* What to do with each answer. Returns 0 to go on listening, 1 when it is the one, or -errno. */
struct listener {
	int (*take)(void *owner, const struct np_aoe_header *header, const struct np_frame *frame);
	void *owner;
};

/* A random tag, one of those that the kernel's driver leaves to programs. */
uint32_t ask_tag(void);

/* Sends the @length bytes at @data; a negative length is an error of the encoder. 0 or -errno. */
int ask_send(struct wire *wire, uint8_t *data, int length);

/*
 * Hands over each answer (flag R) until one is the one or *@deadline, which take may move.
 * Returns what take did, 0 at the deadline, -EINTR when a signal asks to stop, or -errno.
 */
int ask_listen(struct wire *wire, const struct listener *listener, const np_time *deadline);

#endif
