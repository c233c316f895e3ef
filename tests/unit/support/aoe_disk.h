/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * aoe_disk: a simulated disk behind a simulated link, and an exchange with it. The disk answers
 * each request at once, loses some, or dies; the link refuses frames or breaks.
 */
#ifndef AOE_DISK_H
#define AOE_DISK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "src/aoe-exercise/exchange.h"

#include <cmocka.h>

#define MS	NP_MILLISECOND
#define SECTORS 2
#define WINDOW	4
#define DISK	200 /* sectors: a pass takes 100 requests */
#define ROOM	64

/* The simulated link: its np_link functions take the place of the library's. */
struct np_link {
	struct np_link_info info;
	uint8_t frame[ROOM][NP_AOE_ATA_BYTES + SECTORS * NP_AOE_SECTOR_BYTES];
	np_time stamp[ROOM], stamped; /* stamped: when the latest request was sent */
	unsigned first, count;	      /* answers on their way */
	unsigned most;		      /* of them at once */
	unsigned sent;
	uint32_t tag;	     /* of the latest one */
	uint64_t lba[1024];  /* the first ones requested, in the order of sending */
	unsigned takes;	     /* how many frames one call accepts; 0: no limit */
	int breaks;	     /* -errno of the call after @sent has reached @limit */
	unsigned limit;	     /* nothing is answered, or the link breaks, from here on */
	unsigned every;	     /* each such request is lost; 0: none */
	bool again;	     /* its repeat, too */
	int raises;	     /* a signal at @limit, once; 0: none */
	bool refuses, write; /* accepts nothing; expects data */
	uint64_t dropped;
	unsigned full;	  /* accepts nothing from this number of frames on; 0: there is room */
	uint64_t damages; /* the sector whose content is sent wrong; 0: none */
};

struct scene {
	struct np_link link;
	struct channel channel;
	struct target target;
	struct options options;
	struct exchange_plan plan;
	struct result *result;
	unsigned intervals, asked, rests;
	np_time length; /* of all intervals */
	uint64_t counted;
};

/* Setup and teardown of a test: a plan of 100 reads from a disk that answers each of them. */
int set(void **state);
int strike(void **state);

/* Runs the plan to @ending, and returns the counts, of which each packet is one. */
const struct tally *run(struct scene *s, enum ending ending);

#endif
