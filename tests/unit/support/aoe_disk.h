/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * aoe_disk: a simulated disk behind a simulated link, and an exchange with it. The clock is
 * simulated, too: it goes on by a microsecond each time it is read, and by each wait. The disk
 * answers each request at once, loses some, or dies; the link refuses frames or breaks. The disk
 * also answers the questions of an examination, which have tags of their own and are counted apart.
 */
#pragma once

#include "src/aoe-exercise/session.h"
#include "unit.h"

#define MS	NP_MILLISECOND
#define SECTORS 2
#define WINDOW	4
#define DISK	200 /* sectors: a pass takes 100 requests */
#define ROOM	64

/* The simulated monotonic clock; 0: the real one, which is read and slept by. */
extern np_time made_clock;

/* The simulated link: its np_link functions take the place of the library's. */
struct np_link {
	struct np_link_info info;
	uint8_t frame[ROOM][NP_AOE_ATA_BYTES + SECTORS * NP_AOE_SECTOR_BYTES];
	size_t length[ROOM];
	np_time stamp[ROOM], stamped; /* stamped: when the latest request was sent */
	unsigned first, count;	      /* answers on their way */
	unsigned most;		      /* of them at once */
	unsigned sent;
	uint32_t tag;	    /* of the latest one */
	uint64_t lba[1024]; /* the first ones requested, in the order of sending */
	unsigned takes;	    /* how many frames one call accepts; 0: no limit */
	int breaks;	    /* -errno of the call after @sent has reached @limit */
	unsigned limit;	    /* nothing is answered, or the link breaks, from here on */
	unsigned every;	    /* each such request is lost; 0: none */
	bool again;	    /* its repeat, too */
	np_time deadline;   /* of the latest wait */
	unsigned receives, waits;
	unsigned raises; /* NP_SIGNALS_ that come at @limit, once; 0: none */
	struct np_signals *signals;
	bool refuses, write; /* accepts nothing; expects data */
	uint64_t dropped;
	unsigned full; /* accepts nothing from this number of frames on; 0: there is room */
	void (*happens)(struct np_link *link); /* called at @limit, once; NULL: nothing */
	void (*waiting)(struct np_link *link); /* called in each wait; NULL: nothing */
	bool strange;			       /* another host answers questions, beside the disk */

	/* What questions ask for. */
	struct np_aoe_config config;
	struct np_ata_identity identity;
	uint8_t content[DISK * NP_AOE_SECTOR_BYTES]; /* zeros, and what was written */
	unsigned questions;			     /* without those that were asked again */
	unsigned asked_of[DISK];		     /* how many of them read each sector */
	unsigned deaf;	/* no question after this many is answered; 0: all are */
	uint32_t round; /* the tag of the latest question without its number */
	enum { UNASKED, ANSWERED, UNHEARD } asked[TAGS_ROUND];
	uint64_t foreign; /* a sector that holds text; 0: none */
	bool unreadable;  /* an answer to a question that reads carries an error */
	bool keeps;	  /* delivers no answer until a question is asked; */
	bool keeps_all;	  /* not even then, but when release() is called */
	char order[4096]; /* 'r' for each request, 'q' for each question */
	unsigned ordered;
};

struct scene {
	struct np_link link;
	struct np_run run;
	struct channel channel;
	struct session session;
	struct options options;
	struct exchange plan;
	struct result *result;
	unsigned intervals, asked, rests;
	np_time length; /* of all intervals */
	uint64_t counted;
};

/* Setup and teardown of a test: a plan of 100 reads from a disk that answers each of them. */
int set(void **state);
int strike(void **state);
#define SCENE_TEST(name) TEST_OF(struct scene *s, set, strike, name)

/*
 * Makes it a plan of writes to a disk that was examined, and is examined again after a silence. The
 * examination waits the plan's --give-up for an answer.
 */
void examine(struct scene *s);

/* The disk delivers what it keeps, at this moment. */
void release(struct np_link *link);

/* Runs a copy of the plan into ->result. */
int start_exchange(struct scene *s);

/* Runs the plan to @ending, and returns the counts, of which each packet is one. */
const struct tally *run(struct scene *s, enum ending ending);
