/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * node: one node of a HyperCast 4 overlay: joins, keeps its neighbours, forwards payloads, leaves.
 * A state machine: messages and the clock come in as arguments; messages go out by a substrate,
 * payloads and events by a listener. The same code runs on sockets and, a thousand times, in a
 * simulation, whose substrate only sends. Its protocols stand behind one table, the rules.
 */
#pragma once

#include "message.h"
#include "substrate.h"

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
	 * 3..OVERLAY_NEIGHBOURS_MAX; another one is refused, so that the present ones stay. SPT:
	 * all nodes that are heard; at most as many as fit a beacon of message_max.
	 */
	unsigned neighbours_max;
	uint64_t seed;	 /* for everything random */
	uint64_t key[2]; /* DT: secret, for what proves the address of a node */
};

#define OVERLAY_CONTACTS_MAX   4096
#define OVERLAY_NEIGHBOURS_MAX 1024

/*
 * Returns the values of HyperCast's own table where it has them; 2 route records (its own is 0,
 * with which SPT never ends), and the most neighbours. The rest is 0.
 */
struct overlay_plan overlay_plan_default(enum overlay_protocol protocol);

/* A neighbour, or a next hop. */
struct overlay_neighbour {
	struct np_overlay_logical logical;
	struct overlay_address address;
};

struct overlay_rules {
	/* Allocates, and sets node->logical; the protocol sets it again when it moves. */
	int (*open)(struct np_overlay *node);
	/* From here to receive NULL: there is nothing to do; a message is foreign. */
	void (*join)(struct np_overlay *node);
	void (*leave)(struct np_overlay *node);
	void (*tick)(struct np_overlay *node);
	/* Handles a message without a payload, whether or not the node has joined. */
	void (*receive)(struct np_overlay *node, const struct overlay_address *from,
			const void *message, size_t bytes);
	/*
	 * The next neighbour from *@at on, at first 0, which moves behind it; with @root one to
	 * which this node forwards what that one sends to all. False: there are no more.
	 */
	bool (*neighbour)(const struct np_overlay *node, unsigned *at,
			  const struct np_overlay_logical *root, struct overlay_neighbour *out);
	/* The next hop; false: there is none. */
	bool (*parent)(const struct np_overlay *node, const struct np_overlay_logical *root,
		       struct overlay_neighbour *out);
	/*
	 * Called without a next hop to @root: true when it is being looked for, and all neighbours
	 * get the message. NULL: never.
	 */
	bool (*seek)(struct np_overlay *node, const struct np_overlay_logical *root);
	/* Whether a payload may come from there; counts the reason if not. */
	bool (*accepts)(struct np_overlay *node, const struct overlay_address *from,
			const struct overlay_ol *ol);
};

extern const struct overlay_rules overlay_rules_delaunay;
extern const struct overlay_rules overlay_rules_spanning;

/*
 * Nodes that recently said Goodbye: an older message that was overtaken by it must not bring them
 * back.
 */
#define OVERLAY_GONE 8

struct overlay_gone {
	struct np_overlay_logical logical;
	struct overlay_address address;
	np_time until;
};

struct np_overlay {
	struct overlay_plan plan;
	struct overlay_substrate *substrate;
	struct np_overlay_listener listener;
	const struct overlay_rules *rules;
	struct np_overlay_logical logical; /* this node's own */
	struct overlay_address *contacts;  /* and room for plan.buddy_cache more, and one */
	struct delaunay *delaunay;	   /* one of these two, or none; freed as they are */
	struct spanning *spanning;
	struct np_overlay_node_counts counts;
	/* Events that are reported when the call ends, since handlers may send: bit 1 << kind. */
	unsigned pending;
	struct np_overlay_event event[NP_OVERLAY_LEFT + 1];
	np_time duplicate_reported; /* when a duplicate was reported */
	struct overlay_gone gone[OVERLAY_GONE];
	unsigned next_gone;
	uint64_t random;
	/*
	 * When something is due, NP_TIME_NEVER: it is not. DT: a heartbeat, an IAmHere or Beacon;
	 * SPT: a beacon at which the records move on, an additional one.
	 */
	np_time next_heartbeat, next_call;
	np_time now;		  /* of the call, or of the turn */
	np_time at;		  /* when the message arrived that is handled */
	enum overlay_class class; /* of the payload that is sent */
	bool joined, stable; /* @stable: as of the latest heartbeat or interval; set by the rules */
	uint8_t *message;    /* plan.message_max bytes, to build messages in */
	uint8_t *route;	     /* for plan.route_records addresses */
};

/* Reports an event at the end of the call; returns it, for what it says. */
struct np_overlay_event *overlay_pend(struct np_overlay *node, enum np_overlay_event_kind kind);
/*
 * The node at @address has this node's logical address: reports it once per time-out.
 * Of duplicates one has to move: a node without neighbours, and one with neighbours only if its
 * coordinates are not fixed, and then at most once per time-out. DT: fixed coordinates that it has
 * left are fixed no more, and it leaves them if a neighbour goes on saying that it knows the other
 * one there: for two slow heartbeats when it came lately, else for a time-out longer.
 */
void overlay_duplicate_address(struct np_overlay *node, const struct overlay_address *address);

/* True when messages can be sent there: IPv4, of this node's realm, not this node itself. */
bool overlay_reaches(const struct np_overlay *node, const struct overlay_address *to);

/* That node said Goodbye, and whether it did so less than the @span ago that was named then. */
void overlay_note_gone(struct np_overlay *node, const struct np_overlay_logical *logical,
		       const struct overlay_address *address, np_time span);
bool overlay_has_gone(const struct np_overlay *node, const struct np_overlay_logical *logical,
		      const struct overlay_address *address);

/* Handles a message with a payload: forward.c. */
void overlay_forward_receive(struct np_overlay *node, const struct overlay_address *from,
			     const void *message, size_t bytes);

/*
 * Creates a node that sends by @substrate, which its owner opens and closes, and tells @listener,
 * of which either function may be NULL. Returns 0 or -ENOMEM. Allocates all memory. The values of
 * @plan are in their ranges. The node is outside the overlay until np_overlay_join.
 */
int overlay_node_create(struct np_overlay **node, const struct overlay_plan *plan,
			struct overlay_substrate *substrate,
			const struct np_overlay_listener *listener);
/* NULL is allowed; says no Goodbye. Leaves the substrate to its owner. */
void overlay_node_free(struct np_overlay *node);

/*
 * A message arrived from @from: with UDP the datagram's source; with TCP the peer's IP address and
 * the port before the message; from a multicast group the address before it. Bad messages are
 * counted. Outside the overlay, a node answers protocol messages by Goodbye.
 */
void overlay_node_receive(struct np_overlay *node, const struct overlay_address *from,
			  const void *message, size_t bytes, np_time now);

/*
 * Handles heartbeats and rendezvous: call it when overlay_node_deadline is due (NP_TIME_NEVER:
 * never).
 */
void overlay_node_tick(struct np_overlay *node, np_time now);
np_time overlay_node_deadline(const struct np_overlay *node);

/* The most payload bytes of one message to all (@unicast false) or to one node. */
size_t overlay_node_payload_max(const struct np_overlay *node, bool unicast);
