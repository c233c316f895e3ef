// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_jgroups3: the tables of 3.0.16: what a receiver counted, and a line for each member. */
#include "console_figures.h"

void console_jgroups3_local(FILE *out, const struct console_style *style,
			    const struct result *result)
{
	const struct result_member *myself = console_myself(result);

	fputs("\n-- local results:\n", out);
	for (size_t i = 0; myself && i < myself->rows; i++)
		console_sender_line(out, style, &myself->row[i]);
	fputc('\n', out);
}

static void of_member(FILE *out, const struct console_style *style,
		      const struct result_member *member)
{
	struct result_row sum = member->total.counts.sent ? member->total : result_combined(member);
	char who[IDENTITY_TEXT];

	fprintf(out, "\n%s%s:\n", identity_format(&member->who, who),
		member->myself ? " (myself)" : "");
	if (member->reported)
		console_info(out, style, &sum);
	else
		fprintf(out, "no results: %s", *member->why ? member->why : "it did not report");
	fputc('\n', out);
}

/* Java computes the throughput as the integer part of the mean times msg_size. */
static void combined(FILE *out, const struct console_style *style, const struct result *result)
{
	char number[NP_DECIMAL_TEXT], size[NP_DECIMAL_TEXT_MAX];
	double sum = 0, mean;
	unsigned count = 0;

	for (size_t i = 0; i < result->members; i++) {
		const struct result_member *member = &result->member[i];
		struct result_row row =
			member->total.counts.sent ? member->total : result_combined(member);
		double rate = console_rate(row.counts.received, &row);

		if (!member->reported || rate < 0)
			continue;
		sum += rate;
		count++;
	}
	if (!count) {
		fputs("\ncombined: unknown\n\n", out);
		return;
	}
	mean = sum / count;
	fprintf(out, "\ncombined: %s msgs/sec averaged over all receivers (throughput=%s/sec)\n\n",
		np_decimal_two(mean, number, sizeof(number)),
		console_size_jgroups3((double)((uint64_t)mean * style->msg_size), true, size));
}

void console_jgroups3_result(FILE *out, const struct console_style *style,
			     const struct result *result)
{
	fputs("\n-- results:\n", out);
	for (size_t i = 0; i < result->members; i++) {
		if (result->member[i].outcome != FATE_REFUSED)
			of_member(out, style, &result->member[i]);
	}
	combined(out, style, result);
}
