// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* socket_open: overlays opened and closed: setup, substrate, node, in this order. */
#include "config.h"
#include "socket.h"

#include <errno.h>
#include <stdlib.h>

static void describe(struct np_overlay *o)
{
	static const char *const protocols[] = {
		[OVERLAY_DT_BUDDIES] = "DTBuddyList",
		[OVERLAY_DT_BROADCAST] = "DTBroadcast",
		[OVERLAY_NONE] = "NONE",
		[OVERLAY_SPT] = "SPT",
	};
	const struct overlay_substrate *s = &o->substrate;

	o->info.protocol = protocols[o->protocol];
	o->info.substrate = s->face->name;
	o->info.local = s->local;
	o->info.message_max = s->plan.message_max;
	o->info.payload_max_all = overlay_node_payload_max(o->node, false);
	o->info.payload_max_one = overlay_node_payload_max(o->node, true);
	o->info.receive_granted = s->receive_granted;
	o->info.send_granted = s->send_granted;
	o->info.stamps = s->stamps;
	o->info.drop_unit = s->drop_unit;
}

static int open_node(struct np_overlay *o, struct overlay_setup *setup)
{
	const struct overlay_port port = {o, socket_send, socket_deliver, socket_tell};
	const struct sockaddr_in *local = (const void *)&o->substrate.local.storage;
	const struct np_clock_pair clocks = np_clock_pair_read();

	setup->node.epoch = clocks.realtime - clocks.monotonic;
	setup->node.self = overlay_address_ipv4(ntohl(local->sin_addr.s_addr),
						ntohs(local->sin_port), setup->node.self.realm);
	o->hops_max = setup->node.contact_count > setup->node.neighbours_max
			      ? setup->node.contact_count
			      : setup->node.neighbours_max;
	o->hop = calloc(o->hops_max, sizeof(*o->hop));
	return o->hop ? overlay_node_create(&o->node, &setup->node, &port) : -ENOMEM;
}

static int open_setup(struct np_overlay **overlay, struct overlay_setup *setup,
		      const struct np_overlay_listener *listener, struct np_fault *fault)
{
	struct np_overlay *o = calloc(1, sizeof(*o));
	int rc;

	if (!o)
		return np_fault_errno(fault, -ENOMEM, setup->object);
	if (listener)
		o->listener = *listener;
	o->protocol = setup->node.protocol;
	o->realm = setup->node.self.realm;
	o->inbox.count_max = setup->receive_buffer;
	o->info.hash = setup->node.hash;
	o->info.read_timeout = setup->read_timeout;
	o->info.timeout = o->protocol == OVERLAY_NONE ? 0 : setup->node.timeout;
	o->info.message_buffer = setup->substrate.message_buffer;
	o->substrate.context = o;
	o->substrate.take = socket_take;
	rc = overlay_substrate_open(&o->substrate, setup->kind, &setup->substrate);
	if (!rc)
		rc = open_node(o, setup);
	if (rc) {
		np_overlay_free(o);
		return np_fault_set(fault, rc, setup->object, "%s%s", setup->place, strerror(-rc));
	}
	describe(o);
	*overlay = o;
	return 0;
}

int np_overlay_open(struct np_overlay **overlay, const struct np_overlay_plan *plan,
		    const struct np_overlay_options *options,
		    const struct np_overlay_listener *listener, struct np_fault *fault)
{
	struct overlay_setup setup;
	int rc = overlay_setup_of_plan(&setup, plan, options, fault);

	*overlay = NULL;
	if (!rc)
		rc = open_setup(overlay, &setup, listener, fault);
	overlay_setup_free(&setup);
	return rc;
}

static void log_notice(void *context, const struct np_fault *notice)
{
	np_log_warning(context, notice->object, "%s", notice->reason);
}

int np_overlay_open_file(struct np_overlay **overlay, const char *file,
			 const struct np_overlay_options *options,
			 const struct np_overlay_listener *listener, struct np_fault *fault)
{
	const struct overlay_config_notices notices = {
		.context = options ? (void *)options->log : NULL, .tell = log_notice};
	struct overlay_setup setup = {0};
	struct overlay_config config;
	int rc;

	*overlay = NULL;
	rc = overlay_config_read(&config, file, notices.context ? &notices : NULL, fault);
	if (!rc)
		rc = overlay_setup_of_config(&setup, &config, file, options, fault);
	if (!rc)
		rc = open_setup(overlay, &setup, listener, fault);
	overlay_setup_free(&setup);
	overlay_config_free(&config);
	return rc;
}

int np_overlay_print_template(FILE *out)
{
	return overlay_config_template(out);
}

void np_overlay_free(struct np_overlay *overlay)
{
	if (!overlay)
		return;
	overlay_node_free(overlay->node);
	overlay_substrate_close(&overlay->substrate);
	overlay_inbox_clear(&overlay->inbox);
	free(overlay->hop);
	free(overlay);
}
