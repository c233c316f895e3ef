/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * console: the text on stdout, to the letter: 2.2.7's for the native protocol (spec, Decisions and
 * 8), 3.0.16's for jgroups3 (6.2, 6.3). Pure but for the stream.
 */
#ifndef GROUP_TEST_REPORT_CONSOLE_H
#define GROUP_TEST_REPORT_CONSOLE_H

#include "../member/member.h"
#include "../wire/result.h"

#include <stdio.h>

struct console_style {
	bool jgroups3;
	bool silent;	/* no banner */
	bool sender;	/* prints the results of all members; a receiver prints its own */
	bool gms;	/* the file said JGroupsTransport: "GMS: address is" */
	unsigned lanes; /* "in 5 threads", "[thread-1]" beyond 1 */
	uint64_t msg_size, log_interval, warmup;
};

/* A key or option and its value, for the banner. */
struct console_setting {
	const char *key, *value;
};

/* Prints the banner of both layouts: date, user, settings; @when is CLOCK_REALTIME. */
void console_banner(FILE *out, const struct console_style *style, np_time when, const char *user,
		    const struct console_setting *settings, size_t count);

/*
 * Prints the own address: the GMS block, "-- local_addr is A", or "-- local address is A"
 * (jgroups3, connected).
 */
void console_address(FILE *out, const struct console_style *style,
		     const struct transport_info *info);

/*
 * Prints "-- connected to /A", "-- failed to connect to /A", or "-- receiver thread for A
 * terminated"; jgroups3 only.
 */
void console_transport(FILE *out, const struct console_style *style,
		       const struct transport_event *event);

/* Prints the line of a member's event, if it has one; MEMBER_RESULT prints the tables. */
void console_member(FILE *out, const struct console_style *style, const struct member_event *event);

/* Prints only the tables, of a run that may still be in progress, for --log and SIGUSR1. */
void console_result(FILE *out, const struct console_style *style, const struct result *result);

/*
 * Prints "-- received 500 messages (24 ms, 20833.33 msgs/sec, 20.83MB/sec)": @number so far, @count
 * of them in the last @elapsed; the progress line of 3.0.16, and ours for --interval.
 */
void console_progress(FILE *out, const struct console_style *style, uint64_t number, uint64_t count,
		      np_time elapsed);

/*
 * Prints "Transport statistics:" and a line for each counter, for -dump_stats. @only: prefixes of
 * names, JGroups' or ours, separated by commas; NULL: all.
 */
void console_counters(FILE *out, const struct transport_stats *stats, const char *drop_unit,
		      const char *only);

#endif
