/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* options_check: from what was typed to what it means, and whether it can be meant. */
#ifndef TTCP_CONFIG_OPTIONS_CHECK_H
#define TTCP_CONFIG_OPTIONS_CHECK_H

#include "options.h"

/* What a run can be, for the scopes of the options. */
#define MODE_OF_TASK(task)   (1u << (task))
#define MODE_OVER(transport) (1u << (8 + (transport)))
enum {
	MODE_SENDER = MODE_OF_TASK(TASK_TRANSMIT),
	MODE_RECEIVER = MODE_OF_TASK(TASK_RECEIVE),
	MODE_MONITOR = MODE_OF_TASK(TASK_MONITOR),
	MODE_NETWORK = MODE_SENDER | MODE_RECEIVER | MODE_MONITOR,
	MODE_CONVERSION = MODE_OF_TASK(TASK_DENSITY) | MODE_OF_TASK(TASK_SMOOTH),
	MODE_TCP = MODE_OVER(TRANSPORT_TCP),
	MODE_UDP = MODE_OVER(TRANSPORT_UDP),
	MODE_MULTICAST = MODE_OVER(TRANSPORT_MULTICAST),
	MODE_OVERLAY = MODE_OVER(TRANSPORT_OVERLAY),
	MODE_IP = MODE_TCP | MODE_UDP | MODE_MULTICAST,
	MODE_RECORDS = 1u << 16,	/* -d, -s or -bw writes a file */
	MODE_CONVERTED_FILE = 1u << 17, /* so does -s2d or -smd */
	MODE_MESH = 1u << 18,
};

/* Fills what the words and flags decide. Returns -1 or the exit status 2 after a message. */
int options_interpret(struct options *options, const struct np_log *log);

/* The rules that span options. The same return. */
int options_check(struct options *options, const struct np_log *log);

/* Whether the option of this long name was on the command line. */
static inline bool options_given(const struct options *options, const char *name)
{
	return np_options_given(&ttcp_options, &options->parsed, name);
}

#endif
