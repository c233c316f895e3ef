// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Any bytes as the configuration of an overlay node: refused with a reason, or within its bounds.
 */
#include "../../src/lib/overlay/config.h"
#include "../../src/lib/overlay/node.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void look_at_coords(const struct overlay_coords *coords)
{
	if (coords->fixed)
		return must(!overlay_point_null(coords->point));
	must(coords->width && coords->height);
	must((int64_t)coords->corner.x + coords->width - 1 <= INT32_MAX);
	must((int64_t)coords->corner.y + coords->height - 1 <= INT32_MAX);
	must(coords->width > 1 || coords->height > 1 || !overlay_point_null(coords->corner));
}

static void look_at(const struct overlay_config *config)
{
	struct sockaddr_in in;

	must(config->interface.active && config->interface.plan.message_max >= 512);
	must(np_address_port(&config->interface.plan.local) || config->interface.plan.any_port);
	must(config->node.hop_limit >= 1 && config->node.hop_limit <= 255 &&
	     config->node.route_records <= 255);
	must(config->node.contact_count <= OVERLAY_CONTACTS_MAX);
	for (unsigned i = 0; i < config->node.contact_count; i++)
		must(overlay_address_get_ipv4(&config->contact[i], &in));
	if (config->node.protocol == OVERLAY_SPT)
		look_at_coords(&config->coords);
	else if (config->node.protocol != OVERLAY_NONE)
		look_at_coords(&config->coords);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct np_log log = {.program = "fuzz"};
	struct np_fault fault = {};
	struct overlay_config config;

	if (!log.stream)
		log.stream = fopen("/dev/null", "w");
	if (overlay_config_parse(&config, "fuzz", (const char *)data, size, &log, &fault))
		must(!strncmp(fault.object, "fuzz", 4) && fault.reason[0]);
	else
		look_at(&config);
	overlay_config_free(&config);
	return 0;
}
