/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the user of aoe-exercise can ask for, and the checks that span options. */
#pragma once

#include <netperf/netperf.h>

/* sweep: which window sizes a run tries, and which of them is the knee. Pure. */

#define WINDOW_MAX	4096
#define SWEEP_STEPS_MAX 512

struct sweep {
	unsigned from;
	unsigned to;
	unsigned step;	/* 0: double */
	bool automatic; /* stop when larger windows gain nothing */
};

/* What one step measured. */
struct sweep_step {
	unsigned window;
	double rate_bytes_per_s;
	uint64_t lost;
	struct result *result; /* all that was measured */
};

/*
 * Reads "25", "1:64", "5:50:5" or "auto". Returns 0, or -EINVAL when it is none of these, a size
 * is not 1..WINDOW_MAX, or there are more than SWEEP_STEPS_MAX steps.
 */
int sweep_parse(struct sweep *sweep, const char *text);

/* Limits the windows to @most, at least 1; true when that changes the steps. */
bool sweep_bound(struct sweep *sweep, uint64_t most);

/* True when there is more than one step: each of them is reported. */
bool sweep_is_several(const struct sweep *sweep);

/* The window size of the step after @done[0..count-1], or 0 when the sweep is over. */
unsigned sweep_next(const struct sweep *sweep, const struct sweep_step *done, size_t count);

/* Stands for a knee when the sweep was interrupted. */
#define SWEEP_CUT_SHORT (-2)
/* When --rate held some steps back. */
#define SWEEP_HELD_BACK (-3)

/*
 * The knee: the smallest window without loss whose rate is within 3 % of the best. Returns its
 * index, or -1 when every step lost packets.
 */
int sweep_knee(const struct sweep_step *done, size_t count);

enum operation { OPERATION_READ, OPERATION_WRITE };

/* The interface, the target, and what this run may do to it. */
struct target_options {
	const char *interface;
	uint64_t shelf;
	uint64_t slot, slot_last;
	bool all;
	bool several;	     /* all, or more than one slot */
	const char *list;    /* interface to list the targets of, or NULL */
	const char *destroy; /* the argument of --destroy, or NULL */
	unsigned link;	     /* index into np_link_variants */
	const char *capture;
};

/* How many requests, how large, how fast, for how long. */
struct traffic_options {
	uint64_t sector_count;
	bool jumbo;
	const char *window_text;
	struct sweep sweep;    /* parsed from window_text */
	uint64_t packet_count; /* 0: no limit */
	np_time duration;
	np_time warm_up;
	np_time timeout;
	np_time give_up;
	struct np_rate rate;	   /* as it was given; 0 per second: none */
	double rate_packets_per_s; /* the same; 0: as fast as the window allows */
	uint64_t retransmit;
	double max_loss_percent;
};

/* Which sectors are used, and their content. */
struct data_options {
	uint64_t offset_bytes;
	uint64_t size_bytes;
	bool random;
	uint64_t seed;
	unsigned fill;
	unsigned check;
	bool strict;
};

struct options {
	unsigned operation;
	struct target_options target;
	struct traffic_options traffic;
	struct data_options data;
	unsigned drops; /* enum np_drops_mode */
	struct np_mesh_options mesh;
	uint32_t clients; /* that load the target together, as far as known */
	struct np_report_options report;
};

extern const struct np_options aoe_exercise_options;

/* The rules that no single row can express: np_tool's check. */
int options_check(struct np_run *run);
