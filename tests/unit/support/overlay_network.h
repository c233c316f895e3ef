/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay_network: a whole overlay on a made-up network and a made-up clock. Packets take 1 to 20
 * ms and overtake each other; they are lost and cut off by the network's own random numbers; nodes
 * join, leave, die and come back when a test says so. The same seed gives the same run.
 */
#pragma once

#include "../../../src/lib/overlay/node.h"
#include "../../../src/lib/overlay/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NETWORK_HASH  0x35eb719f
#define NETWORK_REALM 0x7fd2
#define NETWORK_EPOCH (1000 * NP_SECOND)
#define NETWORK_IP    0x0a000001u

struct network;

struct station {
	struct np_overlay *node; /* NULL: dead */
	struct overlay_substrate substrate;
	struct network *network;
	unsigned number;
	unsigned side;		/* packets between different ones are cut off */
	np_time timer;		/* the earliest event that is queued for it */
	unsigned told[8];	/* events, by kind */
	unsigned received, own; /* payloads, since the latest message to all or one */
};

/* A packet for a station, or, without bytes, its timer. */
struct event {
	np_time at;
	uint64_t order; /* of those at the same time */
	unsigned station;
	struct overlay_address from;
	size_t bytes;
	uint8_t *data;
};

/* What is other than where all hear each other and form a Delaunay triangulation. */
struct network_shape {
	/* Whether packets of one station come to the other. */
	bool (*hears)(const struct network *n, const struct station *from,
		      const struct station *to);
	/* Whether the living of a side form what they should. */
	bool (*correct)(const struct network *n, unsigned side);
	/* Whether two of the living are in one overlay. */
	bool (*together)(const struct network *n, const struct station *a, const struct station *b);
};

struct network {
	const struct network_shape *shape; /* NULL: a triangulation */
	uint64_t seed, random, order;
	np_time now;
	double loss; /* part of 1 */
	unsigned count, room;
	struct station *station;
	size_t events, event_room;
	struct event *event; /* a heap */
	uint64_t packets, lost;
	struct np_overlay_message latest; /* only its numbers */
};

/* Ends the program with the seed, the time and @what unless it @holds. */
void network_must(const struct network *n, bool holds, const char *what);

/* The next random number below @below. */
uint64_t network_draw(struct network *n, uint64_t below);

/* Without stations yet; room for @room of them. */
struct network *network_new(uint64_t seed, unsigned room);

void network_free(struct network *n);

/* The next station, without a node. */
struct station *network_add(struct network *n);

/*
 * Brings the station to life, in the overlay, asking the stations 0..@buddies-1 for it, of which
 * there are at most 32. A plan's seed of 0: another one for each.
 */
void network_start(struct station *s, const struct overlay_plan *plan, unsigned buddies);

/* Dies without a word. */
void network_kill(struct station *s);

void network_leave(struct station *s);

/* A message from where the station is to the group, whoever speaks there. */
void network_say(struct station *s, const void *message, size_t bytes);

/* Where others believe the station to be. */
struct overlay_address network_address(unsigned number);

/* All that happens until @until. */
void network_run(struct network *n, np_time until);

/* Where its node is. */
struct overlay_point network_point(const struct station *s);

#define NETWORK_NEIGHBOURS 256

/* The neighbours of a station, counter-clockwise; their number. */
unsigned network_neighbours(const struct station *s,
			    struct np_overlay_neighbour out[NETWORK_NEIGHBOURS]);

/* Runs until it is right, looking every 50 ms; how long that took, or -1 after @limit. */
np_time network_settle(struct network *n, unsigned sides, np_time limit);

/*
 * Sends to all from @from, and waits for 10 s: whether it reached every living node of its side
 * once, and nobody else, and no copy was dropped. To one: whether it reached just that.
 */
bool network_reaches_all(struct network *n, struct station *from);
bool network_reaches(struct network *n, struct station *from, struct station *to);

/* The same, which must be so. */
void network_multicast(struct network *n, struct station *from);
void network_unicast(struct network *n, struct station *from, struct station *to);

/* Neighbours that came or went since the beginning. */
uint64_t network_changes(const struct network *n);
