/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * setup: what a node and its substrate are opened with, made from a plan of values or from a
 * configuration. Asks this host for its addresses and for random numbers; opens nothing.
 */
#ifndef OVERLAY_SETUP_H
#define OVERLAY_SETUP_H

#include "node.h"
#include "substrate.h"

struct overlay_config;

struct overlay_setup {
	struct overlay_plan node; /* except the address, which the substrate may choose */
	enum np_overlay_substrate kind;
	struct overlay_substrate_plan substrate;
	struct overlay_address *contact; /* owned */
	unsigned receive_buffer;
	np_time read_timeout; /* NP_TIME_NEVER: none */
	/* The object of a fault while opening, and the text before its reason. */
	char object[200];
	char place[80];
};

/* Both return 0, or -errno with @fault. Call overlay_setup_free in any case. */
int overlay_setup_of_plan(struct overlay_setup *setup, const struct np_overlay_plan *plan,
			  const struct np_overlay_options *options, struct np_fault *fault);
int overlay_setup_of_config(struct overlay_setup *setup, const struct overlay_config *config,
			    const char *file, const struct np_overlay_options *options,
			    struct np_fault *fault);
void overlay_setup_free(struct overlay_setup *setup);

#endif
