/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* resolve: resolves the addresses in the settings: own address, multicast group, cluster. */
#ifndef GROUP_TEST_CONFIG_RESOLVE_H
#define GROUP_TEST_CONFIG_RESOLVE_H

#include "../transport/transport.h"
#include "settings.h"

/*
 * Each function fills its part of @plan and returns 0, or -errno with @fault, which names the line
 * or option at fault. After an error the caller must still clear the cluster's list.
 */

/*
 * Fills bind; the option @bind overrides the settings; NULL: not given. Checks that the device
 * exists, too.
 */
int resolve_own(struct transport_plan *plan, const char *bind, const struct settings *settings,
		struct np_fault *fault);
/* Fills udp.group. */
int resolve_group(struct transport_plan *plan, const struct settings *s, struct np_fault *fault);
/* Fills tcp.cluster. */
int resolve_cluster(struct transport_plan *plan, const struct settings *s, struct np_fault *fault);

#endif
