/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * journal: writes down each decision, and what was forwarded in which order. Lines, in files:
 *	decisions: FLOW POSITION NUMBER
 *pass|drop[,damage=right|bad][,hold=N][,copies=N[@N]][,delay=NS] arrivals:  FLOW NUMBER
 *right|damaged|bad first|copy NUMBER is "-" where a datagram is too short for one; "bad" is what
 *the receiver's kernel will drop for its checksum.
 */
#ifndef RELAY_JOURNAL_H
#define RELAY_JOURNAL_H

#include "shelf.h"

#include <stdio.h>

struct journal {
	FILE *decisions; /* or NULL */
	FILE *arrivals;	 /* or NULL */
};

/* NULL for a path: none. Returns 0, or -errno with *@object the path. */
int journal_open(struct journal *journal, const char *decisions, const char *arrivals,
		 const char **object);

/* Returns 0, or -errno of the first write that failed. */
int journal_flush(struct journal *journal);
int journal_close(struct journal *journal);

void journal_decision(struct journal *journal, const struct item *item,
		      const struct verdict *verdict);
void journal_arrival(struct journal *journal, const struct item *item);

#endif
