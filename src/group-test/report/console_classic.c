// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_classic: the tables of 2.2.7: a sender's of all members, a receiver's of itself. */
#include "console_figures.h"

static void table(FILE *out, const struct console_style *style, const struct result_member *member)
{
	struct result_row sum = result_combined(member);

	for (size_t i = 0; i < member->rows; i++)
		console_sender_line(out, style, &member->row[i]);
	fputs("\ncombined: ", out);
	console_info(out, style, &sum);
	fputs("\n\n", out);
}

static void of_member(FILE *out, const struct console_style *style,
		      const struct result_member *member)
{
	char who[IDENTITY_TEXT];

	identity_format(&member->who, who);
	if (member->reported) {
		fprintf(out, "-- results from %s:\n", who);
		table(out, style, member);
	} else {
		fprintf(out, "-- no results from %s: %s\n\n", who,
			*member->why ? member->why : "it did not report");
	}
}

void console_classic_result(FILE *out, const struct console_style *style,
			    const struct result *result)
{
	const struct result_member *myself = console_myself(result);

	if (!style->sender) {
		if (myself && myself->rows)
			table(out, style, myself);
		return;
	}
	fputs("\n-- results:\n\n", out);
	for (size_t i = 0; i < result->members; i++) {
		if (result->member[i].outcome != FATE_REFUSED)
			of_member(out, style, &result->member[i]);
	}
	fputc('\n', out);
}
