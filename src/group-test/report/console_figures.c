// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_figures: formats sizes, rates, and the line of figures of both layouts. */
#include "console_figures.h"

#include <inttypes.h>

/* Loss in percent, or unknown. */
struct loss {
	bool known;
	double percent;
};

char *console_size_classic(double bytes, char out[NP_DECIMAL_TEXT_MAX])
{
	double kb = bytes / 1000;
	char number[NP_DECIMAL_TEXT];

	snprintf(out, NP_DECIMAL_TEXT_MAX, "%s%s",
		 np_decimal_two(kb >= 1000 ? kb / 1000 : kb, number, sizeof(number)),
		 kb >= 1000 ? "MB" : "KB");
	return out;
}

char *console_size_jgroups3(double bytes, bool whole, char out[NP_DECIMAL_TEXT_MAX])
{
	static const struct {
		double below, divisor;
		const char *unit;
	} units[] = {{1e6, 1e3, "KB"}, {1e9, 1e6, "MB"}, {1e300, 1e9, "GB"}};
	char number[NP_DECIMAL_TEXT];
	size_t i = 0;

	if (bytes < 1000 && whole) {
		snprintf(out, NP_DECIMAL_TEXT_MAX, "%.0fb", bytes);
		return out;
	}
	if (bytes < 1000) {
		snprintf(out, NP_DECIMAL_TEXT_MAX, "%sb",
			 np_decimal_double(bytes, number, sizeof(number)));
		return out;
	}
	while (bytes >= units[i].below)
		i++;
	snprintf(out, NP_DECIMAL_TEXT_MAX, "%s%s",
		 np_decimal_two(bytes / units[i].divisor, number, sizeof(number)), units[i].unit);
	return out;
}

double console_rate(uint64_t amount, const struct result_row *row)
{
	return result_rate_known(row) ? (double)amount / np_clock_seconds(result_elapsed(row)) : -1;
}

/*
 * The original's arithmetic, to the last digit. Our loss is unknown while a sender's count is (it
 * died, or has not ended); Java's members only know what was announced.
 */
static struct loss loss_of(const struct console_style *style, const struct result_row *row)
{
	struct loss loss = {.known = row->exact || style->jgroups3};

	if (row->counts.sent > row->counts.received && row->counts.received)
		loss.percent = 100.0 / (double)row->counts.sent *
			       (double)(row->counts.sent - row->counts.received);
	else if (row->counts.sent && !row->counts.received)
		loss.percent = 100;
	return loss;
}

static char *format_loss(const struct console_style *style, const struct result_row *row, char *out,
			 size_t room)
{
	struct loss loss = loss_of(style, row);
	char number[NP_DECIMAL_TEXT];

	if (!loss.known)
		snprintf(out, room, "unknown");
	else if (style->jgroups3)
		snprintf(out, room, "%s%%",
			 np_decimal_double(loss.percent, number, sizeof(number)));
	else
		snprintf(out, room, "%s%%", np_decimal_two(loss.percent, number, sizeof(number)));
	return out;
}

static void rates(FILE *out, const struct console_style *style, const struct result_row *row)
{
	double messages = console_rate(row->counts.received, row),
	       bytes = console_rate(row->counts.bytes, row);
	char number[NP_DECIMAL_TEXT], size[NP_DECIMAL_TEXT_MAX];

	if (messages < 0)
		fputs("msgs/sec=unknown, throughput=unknown", out);
	else if (style->jgroups3)
		fprintf(out, "msgs/sec=%s, throughput=%s",
			np_decimal_two(messages, number, sizeof(number)),
			console_size_jgroups3(bytes, false, size));
	else
		fprintf(out, "msgs/sec=%s, throughput=%s/sec",
			np_decimal_two(messages, number, sizeof(number)),
			console_size_classic(bytes, size));
}

void console_info(FILE *out, const struct console_style *style, const struct result_row *row)
{
	char loss[NP_DECIMAL_TEXT + 8], size[NP_DECIMAL_TEXT_MAX];

	fprintf(out,
		"num_msgs_expected=%" PRIu64 ", num_msgs_received=%" PRIu64
		" (loss rate=%s), received=%s, time=%" PRId64 "ms, ",
		row->counts.sent, row->counts.received, format_loss(style, row, loss, sizeof(loss)),
		style->jgroups3 ? console_size_jgroups3((double)row->counts.bytes, true, size)
				: console_size_classic((double)row->counts.bytes, size),
		(result_elapsed(row) + NP_MILLISECOND / 2) / NP_MILLISECOND);
	rates(out, style, row);
}

void console_sender_line(FILE *out, const struct console_style *style, const struct result_row *row)
{
	char who[IDENTITY_TEXT];

	fprintf(out, "sender: %s: ", identity_format(&row->sender, who));
	console_info(out, style, row);
	fputc('\n', out);
}

const struct result_member *console_myself(const struct result *result)
{
	for (size_t i = 0; i < result->members; i++) {
		if (result->member[i].myself)
			return &result->member[i];
	}
	return NULL;
}
