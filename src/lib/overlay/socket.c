// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * socket: a node and its substrate joined: opened by a configuration, turned, payloads sent and
 * handed over; what it answers: addresses, neighbours, events in words, counts.
 */
#include "config.h"

#include <netperf/report.h>
#include <stdlib.h>
#include <sys/random.h>

static void take(void *context, const struct overlay_address *from, const void *message,
		 size_t bytes, np_time at)
{
	struct np_overlay *o = context;

	o->at = at;
	overlay_node_receive(o, from, message, bytes, o->now);
}

/* What is being opened, and where a fault in it stands. */
struct opening {
	struct overlay_config *config;
	char place[NP_XML_PLACE]; /* "FILE:LINE" */
	struct np_fault *fault;
};

static int refuse(const struct opening *o, int error, const char *reason)
{
	return np_fault_set(o->fault, error, o->place, "<Interface>: %s: %s",
			    np_address_literal(&o->config->interface.plan.local).text, reason);
}

/* What the file leaves to this host, and what node and substrate both need to know. */
static int complete(struct opening *o, const struct np_overlay_options *options)
{
	struct overlay_plan *node = &o->config->node;
	const struct overlay_coords *coords = &o->config->coords;
	struct overlay_substrate_plan *s = &o->config->interface.plan;
	int rc = 0;

	s->options = options ? *options : (struct np_overlay_options){.ip.tos = -1, .ip.ttl = -1};
	if (np_address_is_wildcard(&s->local))
		rc = np_address_of_this_host(&s->local, AF_UNSPEC, np_address_port(&s->local));
	if (rc || s->local.any.sa_family != AF_INET)
		return refuse(o, rc ? rc : -EADDRNOTAVAIL,
			      "no IPv4 address by which others reach this host; expected one of "
			      "its own to be given");
	node->seed = s->options.seed;
	if (getrandom(node->key, sizeof(node->key), 0) < 0 ||
	    (!node->seed && getrandom(&node->seed, sizeof(node->seed), 0) < 0))
		return np_fault_errno(o->fault, -errno, o->place);
	node->fixed = coords->fixed;
	node->coordinates = coords->point;
	/* Anywhere in the frame but 0,0. */
	while (node->protocol != OVERLAY_NONE && overlay_point_null(node->coordinates)) {
		node->coordinates.x =
			(int32_t)(coords->corner.x +
				  (int64_t)overlay_random(&node->seed, coords->width));
		node->coordinates.y =
			(int32_t)(coords->corner.y +
				  (int64_t)overlay_random(&node->seed, coords->height));
	}
	node->contacts = o->config->contact;
	node->message_max = s->message_max;
	s->message_buffer = o->config->message_buffer;
	s->stall_max = node->timeout;
	return 0;
}

static int open_node(struct np_overlay **overlay, struct opening *o,
		     const struct np_overlay_listener *listener)
{
	static const struct np_overlay_listener nobody;
	static const char *const protocols[] = {
		[OVERLAY_DT_BUDDIES] = "DTBuddyList",
		[OVERLAY_DT_BROADCAST] = "DTBroadcast",
		[OVERLAY_NONE] = "NONE",
		[OVERLAY_SPT] = "SPT",
	};
	struct overlay_plan *plan = &o->config->node;
	const struct np_clock_pair clocks = np_clock_pair_read();
	struct overlay_substrate *s = calloc(1, sizeof(*s));
	int rc;

	if (!s)
		return np_fault_errno(o->fault, -ENOMEM, o->place);
	s->take = take;
	rc = overlay_substrate_open(s, &o->config->interface.plan);
	if (!rc) {
		plan->epoch = clocks.realtime - clocks.monotonic;
		plan->self = overlay_address_of(&s->info.local, s->plan.realm);
		rc = overlay_node_create(overlay, plan, s, listener ? listener : &nobody);
	}
	if (rc) {
		overlay_substrate_close(s);
		free(s);
		return refuse(o, rc, strerror(-rc));
	}
	s->context = *overlay;
	s->info.protocol = protocols[plan->protocol];
	s->info.hash = plan->hash;
	s->info.payload_max_all = overlay_node_payload_max(*overlay, false);
	s->info.payload_max_one = overlay_node_payload_max(*overlay, true);
	s->info.timeout = plan->protocol == OVERLAY_NONE ? 0 : plan->timeout;
	return 0;
}

int np_overlay_open_file(struct np_overlay **overlay, const char *file,
			 const struct np_overlay_options *options,
			 const struct np_overlay_listener *listener, struct np_fault *fault)
{
	struct overlay_config config;
	struct opening opening = {.config = &config, .fault = fault};
	int rc;

	*overlay = NULL;
	rc = overlay_config_read(&config, file, options ? options->log : NULL, fault);
	np_xml_place(file, config.interface.line, opening.place);
	if (!rc)
		rc = complete(&opening, options);
	if (!rc)
		rc = open_node(overlay, &opening, listener);
	overlay_config_free(&config);
	return rc;
}

void np_overlay_free(struct np_overlay *overlay)
{
	struct overlay_substrate *s = overlay ? overlay->substrate : NULL;

	overlay_node_free(overlay);
	if (s)
		overlay_substrate_close(s);
	free(s);
}

int np_overlay_fd(const struct np_overlay *overlay)
{
	return overlay_substrate_fd(overlay->substrate);
}

np_time np_overlay_deadline(const struct np_overlay *overlay)
{
	const np_time node = overlay_node_deadline(overlay);
	const np_time substrate = overlay->substrate->face->deadline(overlay->substrate);

	return node < substrate ? node : substrate;
}

int np_overlay_turn(struct np_overlay *overlay, unsigned most, np_time now)
{
	struct overlay_substrate *s = overlay->substrate;
	int more;

	overlay->now = now;
	more = s->face->turn(s, most ? most : 1, now);
	if (overlay_node_deadline(overlay) <= now)
		overlay_node_tick(overlay, now);
	return more;
}

int np_overlay_wait(struct np_overlay *overlay, int other_fd, np_time deadline)
{
	struct pollfd fds[] = {
		overlay->substrate->poll,
		{.fd = other_fd, .events = POLLIN},
	};
	const np_time own = np_overlay_deadline(overlay);
	const int ready = np_wait_ready(fds, 2, own < deadline ? own : deadline);

	return ready < 0 ? ready : 0;
}

int np_overlay_send_many(struct np_overlay *overlay, const struct np_overlay_logical *to,
			 const void *data, size_t bytes, unsigned count)
{
	struct overlay_substrate *s = overlay->substrate;
	const uint8_t *at = data;
	unsigned taken = 0;
	int rc = 0;

	if (count > 1)
		s->face->gather(s, true);
	for (; taken < count && !rc; at += bytes) {
		rc = np_overlay_send(overlay, to, at, bytes);
		taken += !rc;
	}
	if (count > 1)
		s->face->gather(s, false);
	return taken ? (int)taken : rc;
}

bool np_overlay_idle(const struct np_overlay *overlay)
{
	return overlay->substrate->face->idle(overlay->substrate);
}

const struct np_overlay_info *np_overlay_info(const struct np_overlay *overlay)
{
	return &overlay->substrate->info;
}

int np_overlay_parse(const struct np_overlay *overlay, const char *text,
		     struct np_overlay_logical *logical)
{
	const unsigned numbers = overlay->plan.protocol == OVERLAY_SPT ? 1 : 2;
	struct np_address address;
	struct overlay_address inner;
	int rc;

	if (overlay->plan.protocol != OVERLAY_NONE)
		return overlay_logical_parse(logical, numbers, text);
	rc = overlay_endpoint_parse(&address, text);
	if (rc)
		return rc;
	if (np_address_is_wildcard(&address) || !np_address_port(&address))
		return -ERANGE;
	inner = overlay_address_of(&address, overlay->substrate->plan.realm);
	*logical = overlay_logical_address(&inner);
	return 0;
}

const char *np_overlay_event_name(enum np_overlay_event_kind kind)
{
	static const char *const names[] = {
		[NP_OVERLAY_STABLE] = "hypercast.events.NODE_ISSTABLE",
		[NP_OVERLAY_NEIGHBOURHOOD] = "hypercast.events.NODE_NEIGHBORHOODCHANGED",
		[NP_OVERLAY_ADDRESS] = "hypercast.events.NODE_LOGICALADDRESSCHANGED",
		[NP_OVERLAY_LEFT] = "hypercast.events.NODE_LEAVEOVERLAY",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

char *np_overlay_event_warning(const struct np_overlay_event *event,
			       char out[NP_OVERLAY_WARNING_TEXT])
{
	char node[4][NP_OVERLAY_LOGICAL_TEXT];

	for (unsigned i = 0; i < 4; i++)
		np_overlay_format(&event->node[i], node[i]);
	out[0] = '\0';
	if (event->kind == NP_OVERLAY_COCIRCULAR) {
		snprintf(out, NP_OVERLAY_WARNING_TEXT,
			 "the nodes %s, %s, %s and %s lie on one circle, so this one moves; give "
			 "one of them other coordinates",
			 node[0], node[1], node[2], node[3]);
	} else if (event->kind == NP_OVERLAY_TWIN) {
		snprintf(out, NP_OVERLAY_WARNING_TEXT,
			 "the node at %.21s has this node's logical address %s, too; give one of "
			 "them another",
			 event->address.length ? np_address_literal(&event->address).text : "?:0",
			 node[0]);
	}
	return out;
}

int np_overlay_stats(struct np_overlay *overlay, struct np_overlay_stats *stats)
{
	struct overlay_substrate *s = overlay->substrate;
	const int rc = s->face->count(s);

	stats->node = overlay->counts;
	stats->substrate = s->counts;
	return rc;
}

static void add_copies(struct np_record *r, const char *name,
		       const struct np_overlay_copies *copies)
{
	struct np_record *object = np_record_object(r, name);

	np_record_count(object, "own", copies->own);
	np_record_count(object, "forwarded", copies->forwarded);
	np_record_count(object, "protocol", copies->protocol);
}

struct np_record *np_record_overlay(struct np_record *record, const struct np_overlay_stats *stats,
				    unsigned neighbours)
{
	const struct np_overlay_substrate_counts *s = &stats->substrate;
	const struct np_overlay_node_counts *n = &stats->node;
	struct np_record *r = np_record_object(record, "overlay");

	np_record_count(r, "neighbours", neighbours);
	add_copies(r, "sent_copies", &s->sent);
	add_copies(r, "no_room_copies", &s->no_room);
	add_copies(r, "unreachable_copies", &s->unreachable);
	add_copies(r, "refused_copies", &s->refused);
	np_record_count(r, "received_copies", s->received);
	np_record_count(r, "delivered_copies", n->delivered);
	np_record_count(r, "malformed", n->malformed + s->unreadable + s->oversize);
	np_record_count(r, "foreign", n->foreign + n->forged);
	np_record_count(r, "not_from_parent", n->not_from_parent);
	np_record_count(r, "looped", n->looped);
	np_record_count(r, "expired", n->expired);
	np_record_count(r, "unroutable", n->unroutable);
	np_record_count(r, "too_long", n->too_long);
	np_record_count(r, "moves", n->moves);
	np_record_count(r, "timed_out", n->timed_out);
	return r;
}
