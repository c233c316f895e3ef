// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* socket: a node and its substrate joined: opened, turned, payloads sent and received, closed. */
#include "socket.h"

#include "config.h"
#include "message.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>

#define RECEIVE_MOST 64 /* messages of a turn of np_overlay_receive */

int socket_send(void *context, const struct overlay_address *to, const void *message, size_t bytes)
{
	struct np_overlay *o = context;
	const bool payload = *(const uint8_t *)message >> 4 == OVERLAY_MESSAGE_OL;
	const enum overlay_class class = !payload     ? OVERLAY_PROTOCOL
					 : o->sending ? OVERLAY_OWN
						      : OVERLAY_FORWARDED;

	return o->substrate.face->send(&o->substrate, to, message, bytes, class);
}

static void socket_take(void *context, const struct overlay_address *from, const void *message,
			size_t bytes, np_time at)
{
	struct np_overlay *o = context;

	o->at = at;
	overlay_node_receive(o->node, from, message, bytes, o->now);
}

static void socket_deliver(void *context, const struct np_overlay_message *payload)
{
	struct np_overlay *o = context;
	struct np_overlay_message message = *payload;

	message.at = payload->own ? np_clock_now() : o->at;
	if (o->listener.deliver)
		o->listener.deliver(o->listener.context, &message);
	else if (overlay_inbox_put(&o->inbox, &message))
		o->undelivered++;
}

int np_overlay_join(struct np_overlay *overlay, np_time now)
{
	overlay_node_join(overlay->node, now);
	return 0;
}

int np_overlay_leave(struct np_overlay *overlay, np_time now)
{
	overlay_node_leave(overlay->node, now);
	return 0;
}

int np_overlay_fd(const struct np_overlay *overlay)
{
	/* What is polled changes, nothing that a caller sees. */
	return overlay_substrate_fd((struct overlay_substrate *)&overlay->substrate);
}

np_time np_overlay_deadline(const struct np_overlay *overlay)
{
	const np_time node = overlay_node_deadline(overlay->node);
	const np_time substrate = overlay->substrate.face->deadline(&overlay->substrate);

	return node < substrate ? node : substrate;
}

int np_overlay_turn(struct np_overlay *overlay, unsigned most, np_time now)
{
	struct overlay_substrate *s = &overlay->substrate;
	int more;

	overlay->now = now;
	more = s->face->turn(s, most ? most : 1, now);
	if (overlay_node_deadline(overlay->node) <= now)
		overlay_node_tick(overlay->node, now);
	return more;
}

int np_overlay_wait(struct np_overlay *overlay, int other_fd, np_time deadline)
{
	struct pollfd fds[] = {
		overlay_substrate_poll(&overlay->substrate),
		{.fd = other_fd, .events = POLLIN},
	};
	const np_time own = np_overlay_deadline(overlay);
	const int ready = np_wait_ready(fds, 2, own < deadline ? own : deadline);

	return ready < 0 ? ready : 0;
}

/* Waits once: 1 go on, 0 the end of the wait or a signal, -errno. */
static int wait_for_message(struct np_overlay *o, np_time deadline)
{
	const np_time own = np_overlay_deadline(o);
	struct pollfd fd = overlay_substrate_poll(&o->substrate);
	const int ready = np_wait_ready(&fd, 1, own < deadline ? own : deadline);
	const np_time now = np_clock_now();

	if (ready)
		return ready;
	return now < deadline && now >= own;
}

int np_overlay_receive(struct np_overlay *overlay, struct np_overlay_message *message,
		       np_time deadline)
{
	const size_t room = overlay->inbox.count_max;
	np_time now = np_clock_now();
	int rc;

	if (overlay->info.read_timeout != NP_TIME_NEVER &&
	    overlay->info.read_timeout < deadline - now)
		deadline = now + overlay->info.read_timeout;
	while (!overlay_inbox_take(&overlay->inbox, message)) {
		rc = np_overlay_turn(overlay, room < RECEIVE_MOST ? (unsigned)room : RECEIVE_MOST,
				     now);
		if (rc < 0)
			return rc;
		if (!rc && !overlay->inbox.count)
			rc = wait_for_message(overlay, deadline);
		if (rc <= 0 && !overlay->inbox.count)
			return rc;
		now = np_clock_now();
	}
	return 1;
}

/* Whether every one of the first @count next hops has room. */
static bool hops_have_room(const struct np_overlay *o, unsigned count)
{
	const struct overlay_substrate *s = &o->substrate;

	for (unsigned i = 0; i < count && i < o->hops_max; i++) {
		if (!s->face->room(s, &o->hop[i].address))
			return false;
	}
	return true;
}

bool np_overlay_room(const struct np_overlay *overlay, const struct np_overlay_logical *to)
{
	const struct overlay_substrate *s = &overlay->substrate;
	const struct np_overlay_logical root = to ? *to : overlay_node_logical(overlay->node);
	unsigned count;

	/* The usual case: nothing waits for anybody. */
	if (s->face->room(s, NULL))
		return true;
	if (!to)
		count = overlay_node_children(overlay->node, &root, overlay->hop,
					      overlay->hops_max);
	else if (overlay_node_parent(overlay->node, &root, overlay->hop))
		count = 1;
	else /* SPT seeks it everywhere. */
		count = overlay_node_neighbours(overlay->node, overlay->hop, overlay->hops_max);
	return hops_have_room(overlay, count);
}

/* Sends a payload of this node; the caller has checked that there is room. */
static int send_own(struct np_overlay *o, const struct np_overlay_logical *to, const void *data,
		    size_t bytes)
{
	const bool before = o->sending;
	int rc;

	o->sending = true;
	rc = to ? overlay_node_send(o->node, to, data, bytes)
		: overlay_node_send_all(o->node, data, bytes);
	o->sending = before;
	return rc;
}

int np_overlay_send_all(struct np_overlay *overlay, const void *data, size_t bytes)
{
	if (overlay_node_joined(overlay->node) && !np_overlay_room(overlay, NULL))
		return -EAGAIN;
	return send_own(overlay, NULL, data, bytes);
}

int np_overlay_send(struct np_overlay *overlay, const struct np_overlay_logical *to,
		    const void *data, size_t bytes)
{
	if (overlay_node_joined(overlay->node) && !np_overlay_room(overlay, to))
		return -EAGAIN;
	return send_own(overlay, to, data, bytes);
}

int np_overlay_send_many(struct np_overlay *overlay, const struct np_overlay_logical *to,
			 const struct np_overlay_payloads *payloads)
{
	struct overlay_substrate *s = &overlay->substrate;
	const bool several = payloads->count > 1 && s->face->gather;
	const uint8_t *data = payloads->data;
	unsigned taken = 0;
	int rc = 0;

	if (several)
		s->face->gather(s, true);
	while (taken < payloads->count && !rc) {
		rc = np_overlay_send(overlay, to, data, payloads->bytes);
		taken += !rc;
		data += payloads->bytes;
	}
	if (several)
		s->face->gather(s, false);
	return taken ? (int)taken : rc;
}

bool np_overlay_idle(const struct np_overlay *overlay)
{
	return overlay->substrate.face->idle(&overlay->substrate);
}

static void describe(struct np_overlay *o)
{
	static const char *const protocols[] = {
		[NP_OVERLAY_DT_BUDDIES] = "DTBuddyList",
		[NP_OVERLAY_DT_BROADCAST] = "DTBroadcast",
		[NP_OVERLAY_NONE] = "NONE",
		[NP_OVERLAY_SPT] = "SPT",
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
	const struct overlay_port port = {o, socket_send, socket_deliver, socket_notify};
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
	o->inbox.count_max = setup->receive_buffer;
	o->info.hash = setup->node.hash;
	o->info.read_timeout = setup->read_timeout;
	o->info.timeout = o->protocol == NP_OVERLAY_NONE ? 0 : setup->node.timeout;
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
		.context = options ? (void *)options->log : NULL, .notify = log_notice};
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
