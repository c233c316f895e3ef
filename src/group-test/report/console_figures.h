/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * console_figures: numbers and lines that several files of the console print. Sizes are decimal
 * (spec 6.1), their numbers by np_decimal_two; what is not known is "unknown".
 */
#ifndef GROUP_TEST_REPORT_CONSOLE_FIGURES_H
#define GROUP_TEST_REPORT_CONSOLE_FIGURES_H

#include "console.h"

#include <netperf/units.h>

/* In the style of 2.2.7: KB or, from 1000 KB on, MB: "0.2KB", "3.17MB". Returns @out. */
char *console_size_classic(double bytes, char out[NP_DECIMAL_TEXT_MAX]);

/*
 * In the style of 3.0.16: b, KB, MB, GB: "200b" when @whole; values below 1000 with all decimals:
 * "0.5b", "0.0b".
 */
char *console_size_jgroups3(double bytes, bool whole, char out[NP_DECIMAL_TEXT_MAX]);

/* Messages, or bytes, a second from the first to the last arrival; negative: unknown. */
double console_rate(uint64_t amount, const struct result_row *row);

/* Prints "num_msgs_expected=... throughput=..." in either layout, without a line end. */
void console_info(FILE *out, const struct console_style *style, const struct result_row *row);

/* Prints the line "sender: A: " with that info. */
void console_sender_line(FILE *out, const struct console_style *style,
			 const struct result_row *row);

/* Prints the tables of a result. */
void console_classic_result(FILE *out, const struct console_style *style,
			    const struct result *result);
void console_jgroups3_local(FILE *out, const struct console_style *style,
			    const struct result *result);
void console_jgroups3_result(FILE *out, const struct console_style *style,
			     const struct result *result);

/* What this member has counted; NULL: nothing. */
const struct result_member *console_myself(const struct result *result);

#endif
