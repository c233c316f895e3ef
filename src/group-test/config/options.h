/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options: what the user of group-test can ask for, and the checks that span options. */
#pragma once

#include "../member/member.h"

#include <limits.h>

struct role_options {
	bool sender, receiver; /* receiver if neither is set */
	const char *name;      /* no effect */
	uint64_t buddies;      /* no effect */
};

struct group_options {
	const char *config, *props;
	unsigned flow_control; /* 0: credit, 1: none */
	np_time join_timeout;
};

struct pace_options {
	struct np_rate rate; /* 0: none */
	uint64_t interval_ms, nanos;
	bool busy_sleep;
};

struct socket_options {
	const char *bind;
	const char *allow;
	struct np_address_networks *allowed; /* by that, set when the session opens; NULL: all */
	unsigned batch;			     /* index into np_datagram_variants */
	struct np_socket_options asked;
};

struct options {
	struct role_options role;
	struct group_options group;
	struct member_plan member; /* protocol, duration, runs, warm-up, lanes and pause */
	struct pace_options pace;
	struct socket_options socket;
	unsigned layout; /* enum np_report_layout */
	unsigned unit;	 /* 1: --unit=bytes */
	bool silent;
	const char *dump_stats; /* "UDP.num_msgs": which counters to print, or all; NULL: none */
	bool help;		/* -help, as --help */
	const char *log;	/* -f */
	double max_loss_percent;
	unsigned drops; /* enum np_drops_mode */
	struct np_report_options report;
	char config_example[PATH_MAX], props_example[PATH_MAX];
	const char *inputs[3]; /* the files that the run reads, for the report: config, and props if
				  any */
	struct np_mesh_options mesh; /* of these only mesh, interface and limit */
	uint64_t mesh_senders;	     /* ranks below this one send; 0: as the configuration says */
	const char *stack;	     /* -props is not a file but a stack itself; else NULL */
	const struct np_options_result *given; /* the run's */
};

extern const struct np_options group_test_options;

/* The meaning of -dump_stats without a value. */
#define OPTIONS_ALL_COUNTERS "all"

/* np_tool's check: the rules that no single row can express. */
int options_check(struct np_run *run);
