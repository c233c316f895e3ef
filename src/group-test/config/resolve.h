/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* resolve: the addresses of the settings, resolved: own address, multicast group, cluster. */
#ifndef GROUP_TEST_CONFIG_RESOLVE_H
#define GROUP_TEST_CONFIG_RESOLVE_H

#include "../transport/transport.h"
#include "settings.h"

/*
 * Each fills its part of @plan and returns 0, or -errno with @fault, which names the line or option
 * at fault. What the list of a cluster holds after an error is still the caller's to clear.
 */

/* bind; @bind, the option, wins over the settings'; NULL: not given. Looks for the device, too. */
int resolve_own(struct transport_plan *plan, const char *bind, const struct settings *settings,
		struct np_fault *fault);
/* udp.group */
int resolve_group(struct transport_plan *plan, const struct settings *s, struct np_fault *fault);
/* tcp.cluster */
int resolve_cluster(struct transport_plan *plan, const struct settings *s, struct np_fault *fault);

#endif
