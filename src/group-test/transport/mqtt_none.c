// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* mqtt_none: in the place of transport_mqtt in a build without libmosquitto. */
#include "variant.h"

const struct transport_variant transport_mqtt_variant = {
	.name = "mqtt",
	.refusal = "built without libmosquitto: take transport=udp or transport=tcp, or build "
		   "with libmosquitto (./configure)",
};
