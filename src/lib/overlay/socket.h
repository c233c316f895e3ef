/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* socket: a node, its substrate, and the program that uses them: netperf/overlay.h. */
#pragma once

#include "rules.h"
#include "substrate.h"

struct np_overlay {
	struct overlay_node *node;
	struct overlay_substrate substrate;
	struct np_overlay_listener listener;
	struct np_overlay_info info;
	enum overlay_protocol protocol;
	bool sending; /* a payload of this node is being sent */
	np_time now;  /* of the current turn */
	np_time at;   /* when the current message arrived */
};
