/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * inbox: payloads that wait until the program asks for them, limited in number and bytes. Pure, one
 * thread at a time.
 */
#ifndef OVERLAY_INBOX_H
#define OVERLAY_INBOX_H

#include <netperf/overlay.h>

struct overlay_kept {
	struct overlay_kept *next;
	struct np_overlay_message message;
	uint8_t data[];
};

struct overlay_inbox {
	struct overlay_kept *first, *last;
	struct overlay_kept *given; /* the latest that was returned */
	size_t count, bytes;
	size_t count_max;
};

/* Appends a copy. Returns 0, -EAGAIN (full) or -ENOMEM. */
int overlay_inbox_put(struct overlay_inbox *inbox, const struct np_overlay_message *message);

/* Returns the first one; its data is valid until the next call. False: there is none. */
bool overlay_inbox_take(struct overlay_inbox *inbox, struct np_overlay_message *message);

void overlay_inbox_clear(struct overlay_inbox *inbox);

#endif
