/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * plan: decides what happens to the k-th datagram of a flow. Pure: the same plan, seed and
 * datagrams give the same verdicts; only "for" depends on the time, which is an argument.
 */
#pragma once

#include <netperf/clock.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_FAULTS 16 /* in one direction */
#define PLAN_RANGES 32 /* in one fault */

enum fault_kind { FAULT_DROP, FAULT_DUPLICATE, FAULT_REORDER, FAULT_DELAY, FAULT_DAMAGE };
enum fault_choice {
	CHOICE_ALL,
	CHOICE_EVERY,  /* each number-th */
	CHOICE_FIRST,  /* the first number */
	CHOICE_AFTER,  /* all after the number-th, for @lasting */
	CHOICE_AT,     /* those in the ranges */
	CHOICE_CHANCE, /* seeded at random */
};

struct fault_range {
	uint64_t first, last;
};

/* Positions count the datagrams of that port and size only, for each flow and from 1. */
struct fault {
	enum fault_kind kind;
	uint16_t port;	    /* source or destination; 0: any */
	size_t least, most; /* UDP payload bytes, both included */

	enum fault_choice choice;
	uint64_t number;
	double chance;
	np_time lasting; /* from the number-th on; NP_TIME_NEVER: no limit */
	unsigned range_count;
	struct fault_range range[PLAN_RANGES];

	unsigned by;	   /* reorder, duplicate: after this many later ones */
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

/* What a flow stores for a fault; starts as zeros. */
struct plan_state {
	uint64_t seen;
	np_time since; /* arrival of the number-th, for CHOICE_AFTER */
};

struct plan_facts {
	unsigned flow; /* its number, part of the random seed */
	uint16_t source_port, destination_port;
	size_t payload_bytes;
	np_time now;
};

/* Fields of faults that do not apply are zero; drop excludes the others. */
struct verdict {
	bool drop;
	bool damage;
	bool checksum_bad;
	size_t damage_byte;
	unsigned copies;
	unsigned copies_by; /* 0: at once */
	unsigned hold_by;
	np_time delay; /* the sum of several */
};

/*
 * Parses KIND[:KEY=VALUE]... into @fault (see fault_help). Returns NULL, or what is wrong, as a
 * static text.
 */
const char *fault_parse(struct fault *fault, const char *text);

/* The help text about faults. */
extern const char fault_help[];

/* Counts the datagram in @states (one for each fault) and returns what happens to it. */
struct verdict plan_judge(const struct plan *plan, struct plan_state *states,
			  const struct plan_facts *facts);
