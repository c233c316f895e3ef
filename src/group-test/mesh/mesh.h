/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * mesh: a group whose members are the ranks that a launcher starts: they find each other by it, and
 * rank 0 reports what all counted.
 */
#ifndef GROUP_TEST_MESH_MESH_H
#define GROUP_TEST_MESH_MESH_H

struct mesh;
struct member_event;
struct session;

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
