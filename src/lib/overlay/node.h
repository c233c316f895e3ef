/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * node: one node of a HyperCast 4 overlay: joins, keeps its neighbours, forwards payloads, leaves.
 * A pure state machine: messages and the clock come in as arguments; messages, payloads and events
 * go out by a port. The same code runs under sockets and, a thousand times, in a simulation.
 *
 * Delivery is best effort and unordered, as in HyperCast: messages have no number, so a message
 * that the network duplicates is delivered twice. One thread at a time. From within the port's
 * deliver and notify, only queries and sends are allowed.
 */
#pragma once

#include "addresses.h"

#include <netperf/clock.h>

/* A random number below @below, which is not 0; each @state gives another one. */
uint64_t overlay_random(uint64_t *state, uint64_t below);

/* How nodes find each other, and who are neighbours. */
enum overlay_protocol {
	OVERLAY_DT_BUDDIES,   /* Delaunay triangulation; newcomers ask a list of buddies */
	OVERLAY_DT_BROADCAST, /* Delaunay triangulation; leaders call by multicast */
	OVERLAY_NONE,	      /* a fixed list of neighbours and no protocol */
	OVERLAY_SPT, /* spanning tree; nodes call by multicast, and not all hear each other */
};

struct overlay_plan {
	enum overlay_protocol protocol;
	uint32_t hash;			  /* of the overlay, overlay_hash */
	struct overlay_address self;	  /* the address that others send to; never the wildcard */
	struct overlay_point coordinates; /* DT: not 0,0; SPT: x is the address, not 0, y is 0 */
	bool fixed;			  /* the user named them: see NP_OVERLAY_TWIN */
	/*
	 * DT buddies: the nodes to ask; NONE: the neighbours, of which each counts once, and @self
	 * not at all. Copied. At most OVERLAY_CONTACTS_MAX.
	 */
	const struct overlay_address *contacts;
	unsigned contact_count;
	unsigned buddy_cache; /* the most buddies learnt (neighbours that fell silent); 0: none */
	np_time heartbeat_fast, heartbeat_slow; /* while unstable, while stable */
	np_time timeout; /* a neighbour silent for longer is dead: TimeoutTime, NeighborTimeout */
	np_time rendezvous; /* interval of IAmHere or Beacon: IAmHereTime, BeaconTime */
	np_time epoch;	    /* SPT: what the wall clock said when the monotonic clock was 0 */
	/*
	 * SPT: after how long a silent node is forgotten, AdjacencyTimeout; a root is lost from
	 * which nothing newer has come, MsgMaxAge; older news of a root is believed again,
	 * RootHistoryTimeout; a learnt next hop is used no more, RouteCacheTimeout. The first is at
	 * least the time-out, the third at least the second; the time-out and the second are longer
	 * than from one beacon to the next.
	 */
	np_time adjacency_timeout, age_max, root_history, route_cache;
	unsigned jump_threshold; /* SPT: how many hops nearer to the root a new parent must be */
	/*
	 * DT: whether forwarded payloads are accepted from any neighbour, else only from the one
	 * from which they should come by the embedded tree.
	 */
	bool any_neighbour;
	unsigned hop_limit; /* of own payloads, 1..255 */
	/* The most hops that a payload records, RouteRecordSize, 0..255; SPT: at least 1. */
	unsigned route_records;
	size_t message_max; /* the longest message, at least 512 bytes */
	/*
	 * 3..1024; another one is refused, so that the present ones stay. SPT: all nodes that are
	 * heard; at most as many as fit a beacon of message_max.
	 */
	unsigned neighbours_max;
	uint64_t seed;	 /* for everything random */
	uint64_t key[2]; /* DT: secret, for what proves the address of a node */
};

#define OVERLAY_CONTACTS_MAX 4096

/*
 * Returns the values of HyperCast's own table where it has them: heartbeats 250 ms and 2 s,
 * time-out 10 s, rendezvous 2 s (broadcast: 250 ms), hop limit 255, 2 route records (HyperCast's
 * own is 0, with which SPT never ends), 8192 bytes, 128 neighbours, reverse path. SPT: rendezvous 1
 * s, time-out 5 s, adjacency 20 s, age 5 s, root history and route cache 20 s, jump threshold 1,
 * 1024 neighbours. The rest is 0.
 */
struct overlay_plan overlay_plan_default(enum overlay_protocol protocol);

/* What the node uses. All functions must be set; none may free the node. */
struct overlay_port {
	void *context;
	/*
	 * Sends a message to a node; @to NULL: to the multicast group (DT broadcast, SPT). The
	 * message is valid during the call. Returns 0 or -errno; a failure is not retried, and
	 * counted by the port.
	 */
	int (*send)(void *context, const struct overlay_address *to, const void *message,
		    size_t bytes);
	/* A payload for this node, valid during the call; @at is left to the port. */
	void (*deliver)(void *context, const struct np_overlay_message *payload);
	/*
	 * Of duplicates one has to move: a node without neighbours, and one with neighbours only if
	 * its coordinates are not fixed, and then at most once per time-out. DT: fixed coordinates
	 * that it has left are fixed no more, and it leaves them if a neighbour goes on saying that
	 * it knows the other one there: for two slow heartbeats when it came lately, else for a
	 * time-out longer. A duplicate is reported once per time-out.
	 */
	void (*notify)(void *context, const struct np_overlay_event *event);
	/*
	 * Whether there is room for a payload to @to; NULL: to everybody. Asked by
	 * overlay_node_room only.
	 */
	bool (*room)(void *context, const struct overlay_address *to);
};

struct overlay_node;

/*
 * Returns 0 or -ENOMEM. Allocates all memory. The values of @plan are in their ranges. The node is
 * outside the overlay until overlay_node_join.
 */
int overlay_node_create(struct overlay_node **node, const struct overlay_plan *plan,
			const struct overlay_port *port);
void overlay_node_free(struct overlay_node *node); /* NULL is allowed; says no Goodbye */

/* The first messages are sent by overlay_node_tick. Joining again has no effect. */
void overlay_node_join(struct overlay_node *node, np_time now);
/*
 * Sends Goodbye to the neighbours. Outside the overlay, a node answers protocol messages by
 * Goodbye.
 */
void overlay_node_leave(struct overlay_node *node, np_time now);

/*
 * A message arrived from @from: with UDP the datagram's source; with TCP the peer's IP address and
 * the port before the message; from a multicast group the address before it. Bad messages are
 * counted.
 */
void overlay_node_receive(struct overlay_node *node, const struct overlay_address *from,
			  const void *message, size_t bytes, np_time now);

/*
 * Handles heartbeats and rendezvous: call it when overlay_node_deadline is due (NP_TIME_NEVER:
 * never).
 */
void overlay_node_tick(struct overlay_node *node, np_time now);
np_time overlay_node_deadline(const struct overlay_node *node);

/*
 * Sends a payload to one node, or to all (@to NULL), of which this node's own copy, like a payload
 * to itself, is delivered before it returns. Returns 0, -EINVAL (@to is null or not an address of
 * this protocol), -ENOTCONN (not joined), -EMSGSIZE (more than the plan's message_max),
 * -EHOSTUNREACH (no neighbour in that direction), or the port's error for the first copy that it
 * did not accept; the others were sent. SPT: sends to all neighbours while the way to that node is
 * unknown.
 */
int overlay_node_send(struct overlay_node *node, const struct np_overlay_logical *to,
		      const void *data, size_t bytes);

/* Whether the port has room for a payload to @to, NULL: to all, at each next hop. */
bool overlay_node_room(const struct overlay_node *node, const struct np_overlay_logical *to);

/* The most payload bytes of one message to all (@unicast false) or to one node. */
size_t overlay_node_payload_max(const struct overlay_node *node, bool unicast);

bool overlay_node_stable(const struct overlay_node *node); /* as of the latest heartbeat */
struct np_overlay_logical overlay_node_logical(const struct overlay_node *node);

/*
 * The neighbours to which this node forwards what @root sends to all; NULL: all neighbours. Returns
 * how many there are, and writes the first @room of them.
 */
unsigned overlay_node_neighbours(const struct overlay_node *node,
				 const struct np_overlay_logical *root,
				 struct np_overlay_neighbour *out, unsigned room);
/* The next hop to @root, which also delivers its messages to all; false: there is none. */
bool overlay_node_parent(const struct overlay_node *node, const struct np_overlay_logical *root,
			 struct np_overlay_neighbour *out);
