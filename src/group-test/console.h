/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * console: the text on stdout, to the letter: 2.2.7's for the native protocol (spec, Decisions and
 * 8), 3.0.16's for jgroups3 (6.2, 6.3), and what --report=full adds. Pure but for the stream.
 */
#ifndef GROUP_TEST_CONSOLE_H
#define GROUP_TEST_CONSOLE_H

#include "member.h"
#include "result.h"

#include <netperf/decimal.h>
#include <stdio.h>

struct console_style {
	bool jgroups3;
	bool full;	/* --report=full */
	bool silent;	/* no banner */
	bool sender;	/* prints everybody's results; a receiver its own */
	bool gms;	/* the file said JGroupsTransport: "GMS: address is" */
	unsigned lanes; /* "in 5 threads", "[thread-1]" beyond 1 */
	uint64_t messages, msg_size, log_interval;
	const char *flow_control; /* said in the full report; NULL: none */
};

/* A key or option and its value, for the banner. */
struct console_setting {
	const char *key, *value;
};

/* The banner of both layouts: date, who, the settings; @when is CLOCK_REALTIME. */
void console_banner(FILE *out, const struct console_style *style, np_time when, const char *user,
		    const struct console_setting *settings, size_t count);

/* Own address: the GMS block, "-- local_addr is A", or "-- local address is A" (jgroups3, tcp). */
void console_address(FILE *out, const struct console_style *style, const char *transport,
		     const struct identity *self);

/* "-- connected to /A", "-- failed to connect to /A", "-- receiver thread for A terminated";
 * jgroups3 only. */
void console_transport(FILE *out, const struct console_style *style,
		       const struct transport_event *event);

/* What a member tells; MEMBER_RESULT prints the tables. Nothing for what has no line. */
void console_member(FILE *out, const struct console_style *style, const struct member_event *event);

/*
 * Sizes (spec 6.1), their numbers by np_decimal_two: 3.0.16's are b, KB, MB, GB ("200b"; a fraction
 * below 1000 in full: "0.0b"); 2.2.7's KB or, from 1000 KB on, MB ("0.2KB", "3.17MB").
 */
char *console_size_classic(double bytes, char out[NP_DECIMAL_TEXT_MAX]);
char *console_size_jgroups3(double bytes, bool whole, char out[NP_DECIMAL_TEXT_MAX]);

#endif
