// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mqtt_none: replaces mqtt in a build without libmosquitto. */
#include "variant.h"

const struct transport_variant transport_mqtt_variant = {
	.name = "mqtt",
	.refusal = "built without libmosquitto: choose transport=udp or transport=tcp, or build "
		   "with libmosquitto (./configure)",
};
