/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * plan: what happens to the k-th datagram of a flow. Pure: the same plan, seed and datagrams give
 * the same verdicts; only "for" looks at the time, which is an argument.
 */
#ifndef RELAY_PLAN_H
#define RELAY_PLAN_H

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_FAULTS 16 /* of one direction */
#define PLAN_RANGES 32 /* of one fault */

enum fault_kind { FAULT_DROP, FAULT_DUPLICATE, FAULT_REORDER, FAULT_DELAY, FAULT_DAMAGE };
enum fault_choice {
	CHOICE_ALL,
	CHOICE_EVERY,  /* each number-th */
	CHOICE_FIRST,  /* the first number */
	CHOICE_AFTER,  /* all behind the number-th, for lasting */
	CHOICE_AT,     /* those in the ranges */
	CHOICE_CHANCE, /* seeded at random */
};

struct fault_range {
	uint64_t first, last;
};

/* The positions count, flow by flow and from 1, the datagrams of that port and size only. */
struct fault {
	enum fault_kind kind;
	uint16_t port;	    /* source or destination; 0: any */
	size_t least, most; /* UDP payload bytes, both included */

	enum fault_choice choice;
	uint64_t number;
	double chance;
	np_time lasting; /* from the number-th on; NP_TIME_NEVER: no end */
	unsigned range_count;
	struct fault_range range[PLAN_RANGES];

	unsigned by;	   /* reorder, duplicate: behind that many later ones */
	unsigned copies;   /* duplicate */
	np_time time;	   /* delay */
	size_t byte;	   /* damage: which byte of the payload; SIZE_MAX: the last */
	bool checksum_bad; /* damage: the receiver's kernel will drop it */
};

struct plan {
	uint64_t seed;
	unsigned count;
	struct fault fault[PLAN_FAULTS];
};

/* What a flow keeps for a fault; zero at the begin. */
struct plan_state {
	uint64_t seen;
	np_time since; /* when the number-th came: for CHOICE_AFTER */
};

struct plan_facts {
	unsigned flow; /* its number, part of the random seed */
	uint16_t source_port, destination_port;
	size_t payload_bytes;
	np_time now;
};

/* Fields of faults that did not strike are zero; drop excludes the others. */
struct verdict {
	bool drop;
	bool damage;
	bool checksum_bad;
	size_t damage_byte;
	unsigned copies;
	unsigned copies_by; /* 0: at once */
	unsigned hold_by;
	np_time delay; /* of several the sum */
};

/*
 * Reads KIND[:KEY=VALUE]... into @fault (see fault_help). Returns NULL, or what is wrong, a static
 * text.
 */
const char *fault_parse(struct fault *fault, const char *text);

/* The help for a fault's text. */
extern const char fault_help[];

/* Counts the datagram in @states (one for each fault) and says what is to happen to it. */
struct verdict plan_judge(const struct plan *plan, struct plan_state *states,
			  const struct plan_facts *facts);

#endif
