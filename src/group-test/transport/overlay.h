/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* overlay: the state that the parts of the overlay transport share. */
#ifndef GROUP_TEST_TRANSPORT_OVERLAY_H
#define GROUP_TEST_TRANSPORT_OVERLAY_H

#include "overlay_peers.h"
#include "variant.h"

#include <netperf/overlay.h>

struct overlay_own_message {
	size_t bytes; /* without the head */
	np_time at;   /* when it was sent */
	bool control; /* not DATA */
};

/*
 * Own messages, control and DATA in order, until the next turn delivers them: a ring of cells, from
 * which they are also sent. Each has the head, then the message. @begin and @end are never reduced.
 */
struct overlay_own {
	uint8_t *cells;
	size_t cell_bytes;
	unsigned count; /* a power of two */
	unsigned begin, end;
	struct overlay_own_message *message; /* of each cell */
};

/* When the node came to the overlay, and when this member may speak. */
struct overlay_settling {
	np_time joined;	 /* 0: not yet */
	np_time changed; /* when a neighbor came or went */
	bool over;	 /* this member may speak; a change makes it wait again, until @begun */
	bool begun;	 /* DATA came or was sent: changes make nobody wait any more */
};

struct overlay_state {
	struct np_overlay *overlay;
	char *file; /* its configuration, for messages */
	const struct np_log *log;
	bool alone; /* a group of one needs no neighbours */
	bool closing;
	struct overlay_settling settling;
	np_time paused; /* this host refused: until then nothing is sent; NP_TIME_NEVER: not */
	int wake;	/* readable while own messages wait */
	uint8_t head[OVERLAY_HEAD_BYTES];
	struct overlay_own own;
	uint8_t *out; /* for a message to one member */
	struct overlay_peers peers;
	uint64_t outside; /* payloads of other groups and programs */
	np_time oversize_told;
	np_time refusals_seen; /* when they were last looked at */
	uint64_t refusals;     /* by then */
};

/* overlay_open.c */
int overlay_open(struct transport *t, const struct transport_plan *plan, struct np_fault *fault);
void overlay_close(struct transport *t);
void overlay_describe(const struct transport *t, struct np_record *record);
void overlay_sum_up(struct transport *t, struct np_record *summary);

/* overlay_settle.c: joins, and waits until the overlay is stable. */
void overlay_settle(struct transport *t, np_time now);
np_time overlay_settle_deadline(const struct transport *t);
void overlay_on_event(void *context, const struct np_overlay_event *event);

/* overlay.c */
void overlay_on_message(void *context, const struct np_overlay_message *message);

#endif
