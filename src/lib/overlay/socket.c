// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* socket: a node and its substrate joined: turned, payloads sent and handed over. */
#include "socket.h"

#include "config.h"
#include "message.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>

int socket_send(void *context, const struct overlay_address *to, const void *message, size_t bytes)
{
	struct np_overlay *o = context;
	const bool payload = *(const uint8_t *)message >> 4 == OVERLAY_MESSAGE_OL;
	const enum overlay_class class = !payload     ? OVERLAY_PROTOCOL
					 : o->sending ? OVERLAY_OWN
						      : OVERLAY_FORWARDED;

	return o->substrate.face->send(&o->substrate, to, message, bytes, class);
}

void socket_take(void *context, const struct overlay_address *from, const void *message,
		 size_t bytes, np_time at)
{
	struct np_overlay *o = context;

	o->at = at;
	overlay_node_receive(o->node, from, message, bytes, o->now);
}

void socket_deliver(void *context, const struct np_overlay_message *payload)
{
	struct np_overlay *o = context;
	struct np_overlay_message message = *payload;

	if (!o->listener.deliver)
		return;
	message.at = payload->own ? np_clock_now() : o->at;
	o->listener.deliver(o->listener.context, &message);
}

void socket_notify(void *context, const struct np_overlay_event *event)
{
	const struct np_overlay *o = context;

	if (o->listener.event)
		o->listener.event(o->listener.context, event);
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

int np_overlay_print_template(FILE *out)
{
	return overlay_config_template(out);
}
