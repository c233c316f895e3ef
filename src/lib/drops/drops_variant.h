/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* drops_variant: what a variant of drops provides, and the state that drops.c keeps for it. */
#pragma once

#include "drops_shared.h"

#include <netperf/drops.h>
#include <pthread.h>

struct drops_variant {
	size_t bytes; /* of its state, which begins with the struct np_drops */
	/*
	 * Returns 0, or -errno with the reason in why. close is called in both cases; NULL:
	 * there is nothing to close.
	 */
	int (*open)(struct np_drops *drops);
	void (*close)(struct np_drops *drops);
	/* Counts by @rule, the @number-th, from now on. Returns 0 or -errno. */
	int (*watch)(struct np_drops *drops, const struct drops_rule *rule, unsigned number);
	/* Sets drops->seen, ->sockets and ->doubts. Returns 0 or -errno. */
	int (*update)(struct np_drops *drops);
	/* Names a reason and a place, in np_drops_entry's room for them. */
	void (*name_kind)(const struct np_drops *drops, const struct drops_key *key,
			  struct np_drops_entry *entry);
};

struct drops_seen {
	struct drops_key key;
	uint64_t packets;
};

struct np_drops {
	const struct drops_variant *variant; /* NULL: null, which counts nothing */
	char why[NP_DROPS_WHY];		     /* of np_drops_why; does not change */
	pthread_mutex_t lock;		     /* of all that follows */
	struct drops_rule rule[DROPS_RULES];
	unsigned rules;
	bool failed;			       /* the last update */
	struct drops_seen seen[DROPS_ENTRIES]; /* by the last update */
	unsigned seen_count;
	bool sockets; /* as in drops_shared */
	uint64_t doubts[DROPS_DOUBTS];
	char doubt[NP_DROPS_WHY]; /* in words; "": none */
};

extern const struct drops_variant drops_bpf_variant;

/* The rule for @packets. Returns 0 or -EINVAL. Pure, but for the socket's cookie. */
int drops_rule_of(struct drops_rule *rule, const struct np_drops_packets *packets);

/* @address as in a rule or key; *@port as on the wire. False: neither IPv4 nor IPv6. */
bool drops_address_of(const struct sockaddr *address, struct drops_address *out, uint16_t *port);

/*
 * Adds @entry to @counts: to the same reason, place and direction; otherwise to the list, in its
 * order, whose last is moved to others when it is full.
 */
void drops_counts_enter(struct np_drops_counts *counts, const struct np_drops_entry *entry);
