/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mesh: a group whose members are the ranks that a launcher starts: they find each other by it, and
 * rank 0 reports what all counted.
 */
#ifndef GROUP_TEST_MESH_MESH_H
#define GROUP_TEST_MESH_MESH_H

#include "../session.h"

/* What ranks tell each other before there is a group, as bytes. These functions are pure. */
struct announcement {
	struct identity who; /* all zeros: the rank has no transport yet */
	/* What rank 0 decides for all; other ranks' are not read. */
	uint16_t port;		  /* of the multicast group; 0: none was drawn */
	bool member[MEMBERS_MAX]; /* whether the rank takes part */
};

#define ANNOUNCEMENT_BYTES (sizeof(struct identity) + 2 + MEMBERS_MAX / 8)

void announcement_write(const struct announcement *announcement, uint8_t out[ANNOUNCEMENT_BYTES]);

/* Returns 0, or -EBADMSG: it is none. */
int announcement_read(struct announcement *announcement, const void *data, size_t bytes);

/* Whether it can be rank 0's: rank 0 and @own take part, and no rank from @size on. */
bool announcement_is_first(const struct announcement *announcement, uint32_t own, uint32_t size);

/* Whether it says where its rank is. */
bool announcement_has_address(const struct announcement *announcement);

/*
 * Joins the launcher's run, and opens the transport for the members that have started; privileges
 * are dropped. Returns 0, or the exit status 2 after a message. Call mesh_close in any case.
 */
int mesh_meet(struct mesh **mesh, struct session *session);

/* For member_listener; @context is the mesh. */
void mesh_member_event(void *context, const struct member_event *event);

/*
 * The run is over; @error: of the transport, or 0. Gathers the results; rank 0 reports. Returns the
 * exit status.
 */
int mesh_conclude(struct mesh *mesh, int error);
void mesh_close(struct mesh *mesh); /* NULL is allowed */

#endif
