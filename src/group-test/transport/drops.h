/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * drops: what this host dropped of a run's DATA, by its kernel's reasons: of each sender's on the
 * way in, and of this member's own on the way out.
 */
#ifndef GROUP_TEST_TRANSPORT_DROPS_H
#define GROUP_TEST_TRANSPORT_DROPS_H

#include "../wire/result.h"
#include "transport.h"

/* Returns 0 or -ENOMEM. */
int transport_drops_open(struct transport *transport, const struct transport_drops_plan *plan);
void transport_drops_close(struct transport *transport);

/* For variants: DATA leaves from @own, and @socket receives what others send, both to @group. */
void transport_drops_watch(struct transport *transport, const struct np_address *own,
			   const struct np_address *group, int socket);

/* As member_port's drops. What @own and its rows point to is valid until the next call. */
bool transport_drops_fill(struct transport *transport, enum drops_moment moment,
			  const struct result *result, struct result_member *own);

#endif
