/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* resolve: the addresses of the settings, resolved: own address, multicast group, cluster. */
#ifndef GROUP_TEST_CONFIG_RESOLVE_H
#define GROUP_TEST_CONFIG_RESOLVE_H

#include "../transport/transport.h"
#include "settings.h"

/*
 * Fills bind, udp.group and tcp.cluster of @plan as its variant needs them. @bind, the option, wins
 * over the settings'; NULL: not given. Returns 0 or -errno with @fault; what the list holds then
 * is still the caller's to clear.
 */
int resolve_addresses(struct transport_plan *plan, const char *bind,
		      const struct settings *settings, struct fault *fault);

#endif
