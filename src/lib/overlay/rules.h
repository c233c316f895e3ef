/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * rules: the protocols of an overlay behind one table, and the node that they share: its state,
 * counts, sends and events that do not depend on the protocol.
 */
#pragma once

#include "message.h"
#include "node.h"

/* A neighbour, or a next hop. */
struct overlay_neighbour {
	struct np_overlay_logical logical;
	struct overlay_address address;
};

struct overlay_rules {
	uint8_t logical_size;
	int (*open)(struct overlay_node *node);
	/* From here to receive NULL: there is nothing to do; a message is foreign. */
	void (*close)(struct overlay_node *node);
	void (*join)(struct overlay_node *node);
	void (*leave)(struct overlay_node *node);
	void (*tick)(struct overlay_node *node);
	np_time (*deadline)(const struct overlay_node *node);
	/* Handles a message without a payload, whether or not the node has joined. */
	void (*receive)(struct overlay_node *node, const struct overlay_address *from,
			const void *message, size_t bytes);
	struct np_overlay_logical (*logical)(const struct overlay_node *node);
	/* The neighbours, from index 0 on; false: there are no more. */
	bool (*neighbour)(const struct overlay_node *node, unsigned index,
			  struct overlay_neighbour *out);
	bool (*is_child)(const struct overlay_node *node, unsigned index,
			 const struct np_overlay_logical *root);
	/* The next hop; false: there is none. */
	bool (*parent)(const struct overlay_node *node, const struct np_overlay_logical *root,
		       struct overlay_neighbour *out);
	/*
	 * Called without a next hop to @root: true when it is being looked for, and all neighbours
	 * get the message. NULL: never.
	 */
	bool (*seek)(struct overlay_node *node, const struct np_overlay_logical *root);
	/* Whether a payload may come from there; counts the reason if not. */
	bool (*accepts)(struct overlay_node *node, const struct overlay_address *from,
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

struct overlay_node {
	struct overlay_plan plan;
	struct overlay_port port;
	const struct overlay_rules *rules;
	struct overlay_address *contacts;
	struct delaunay *delaunay; /* one of these two, or none */
	struct spanning *spanning;
	struct np_overlay_node_counts counts;
	/* Events that are reported when the call ends, since handlers may send: bit 1 << kind. */
	unsigned pending;
	struct np_overlay_event event[NP_OVERLAY_COCIRCULAR + 1];
	np_time duplicate_reported; /* when a duplicate was reported; NP_TIME_NEVER: not yet */
	struct overlay_gone gone[OVERLAY_GONE];
	unsigned next_gone;
	uint64_t random;
	np_time now;	     /* of the call */
	bool joined, stable; /* @stable: as of the latest heartbeat or interval; set by the rules */
	uint8_t *message;    /* plan.message_max bytes, to build messages in */
	uint8_t *route;	     /* for plan.route_records addresses */
};

/* Reports an event at the end of the call; returns it, for what it says. */
struct np_overlay_event *overlay_pend(struct overlay_node *node, enum np_overlay_event_kind kind);
/* Counts that the node at @address has this node's logical address; reports it now and then. */
void overlay_duplicate_address(struct overlay_node *node, const struct overlay_address *address);

/* True when messages can be sent there: IPv4, of this node's realm, not this node itself. */
bool overlay_reaches(const struct overlay_node *node, const struct overlay_address *to);

/* That node said Goodbye, and whether it did so less than the @span ago that was named then. */
void overlay_note_gone(struct overlay_node *node, const struct np_overlay_logical *logical,
		       const struct overlay_address *address, np_time span);
bool overlay_has_gone(const struct overlay_node *node, const struct np_overlay_logical *logical,
		      const struct overlay_address *address);

/* Handles a message with a payload: forward.c. */
void overlay_forward_receive(struct overlay_node *node, const struct overlay_address *from,
			     const void *message, size_t bytes);
