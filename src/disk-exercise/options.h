/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the user of disk-exercise can ask for. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <netperf/netperf.h>

enum operation { OPERATION_READ, OPERATION_WRITE, OPERATION_VERIFIED_WRITE };
enum check { CHECK_STAMPS, CHECK_FULL };

struct options {
	const char *path;
	unsigned operation; /* enum operation */
	unsigned mode;	    /* enum np_disk_mode */
	uint64_t chunk_bytes;
	np_time duration; /* 0: until a signal */
	np_time warm_up;
	uint64_t passes; /* over the region, warm-up included; 0: no limit */
	uint64_t queue_depth;
	unsigned engine; /* index into np_engine_variants */
	uint64_t offset_bytes;
	uint64_t size_bytes; /* 0: to the end */
	struct np_rate rate; /* 0 per second: no limit */
	uint64_t seed;
	unsigned fill;	/* NP_PATTERN_ZERO or NP_PATTERN_LBA */
	unsigned check; /* enum check */
	bool random;
	bool strict;
	bool drop_cache;
	uint64_t max_errors; /* failed I/Os in a row; 0: no limit */
	const char *destroy;
	struct np_report_options report;
	unsigned layout;       /* enum np_report_layout */
	const char *inputs[2]; /* the path, for the report */
};

extern const struct np_options options_table;

/* The names of operations and modes on the command line. */
extern const char *const options_operations[];
extern const char *const options_modes[];

/* Checks rules that span options, and draws a seed if none is given: np_tool's check. */
int options_check(struct np_run *run);

#endif
