// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console: prints the lines of a run in progress, in the layout of 2.2.7 or 3.0.16. */
#include "console.h"

#include "config.h"
#include "console_figures.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#define RULE_CLASSIC "-------------------------------------------------------\n"

void console_banner(FILE *out, const struct console_style *style, np_time when, const char *user,
		    const struct console_setting *settings, size_t count)
{
	time_t seconds = (time_t)(when / NP_SECOND);
	struct tm broken;
	char date[64];

	if (style->silent)
		return;
	localtime_r(&seconds, &broken);
	strftime(date, sizeof(date), "%a %b %d %H:%M:%S %Z %Y", &broken);
	fprintf(out,
		"Configuration is: \n\n"
		"----------------------- TEST -----------------------\n"
		"Date: %s\nRun by: %s\n\n",
		date, user);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s:\t%s\n", settings[i].key, settings[i].value);
	if (style->jgroups3)
		fputs("JGroups version: 3.0.16.Final, as spoken by group-test " PACKAGE_VERSION
		      "\n\n",
		      out);
	else
		fputs("\n\n\n", out);
}

void console_address(FILE *out, const struct console_style *style,
		     const struct transport_info *info)
{
	char who[IDENTITY_TEXT];

	identity_format(&info->self, who);
	if (style->gms)
		fprintf(out, RULE_CLASSIC "GMS: address is %s\n" RULE_CLASSIC, who);
	else if (style->jgroups3 && info->unicast && !info->lossy)
		fprintf(out, "-- local address is %s\n", who);
	else
		fprintf(out, "-- local_addr is %s\n", who);
}

void console_transport(FILE *out, const struct console_style *style,
		       const struct transport_event *event)
{
	char who[IDENTITY_TEXT];

	if (!style->jgroups3)
		return;
	identity_format(&event->peer, who);
	switch (event->kind) {
	case TRANSPORT_CONNECTED: fprintf(out, "-- connected to /%s\n", who); break;
	case TRANSPORT_FAILED: fprintf(out, "-- failed to connect to /%s\n", who); break;
	case TRANSPORT_ENDED: fprintf(out, "-- receiver thread for %s terminated\n", who); break;
	case TRANSPORT_LOST:
	case TRANSPORT_MOVED:
	case TRANSPORT_FOREIGN:
	case TRANSPORT_STRANGER:
	case TRANSPORT_UNSENT:
	case TRANSPORT_OVERSIZE: break;
	}
}

void console_progress(FILE *out, const struct console_style *style, uint64_t number, uint64_t count,
		      np_time elapsed)
{
	double rate = elapsed > 0 ? (double)count / np_clock_seconds(elapsed) : -1;
	char text[NP_DECIMAL_TEXT], size[NP_DECIMAL_TEXT_MAX];

	fprintf(out, "-- received %" PRIu64 " messages (%" PRId64 " ms, ", number,
		(elapsed + NP_MILLISECOND / 2) / NP_MILLISECOND);
	if (rate < 0)
		fputs("unknown)\n", out);
	else
		fprintf(out, "%s msgs/sec, %s/sec)\n", np_decimal_two(rate, text, sizeof(text)),
			console_size_jgroups3(rate * (double)style->msg_size, false, size));
}

static void sending(FILE *out, const struct console_style *style, uint64_t number)
{
	char size[NP_DECIMAL_TEXT_MAX];

	if (style->warmup)
		fputs("done\n", out);
	fprintf(out, "-- sending %" PRIu64 " %s messages", number,
		console_size_jgroups3((double)style->msg_size, true, size));
	if (style->lanes > 1)
		fprintf(out, " in %u threads", style->lanes);
	fputc('\n', out);
	for (unsigned lane = 1; style->lanes > 1 && lane <= style->lanes; lane++)
		fprintf(out, "-- [thread-%u] sending %" PRIu64 " msgs\n", lane,
			number / style->lanes + (lane <= number % style->lanes));
}

/* Prints a line that both layouts have. Returns false if the event has none. */
static bool both(FILE *out, const struct console_style *style, const struct member_event *event)
{
	char who[IDENTITY_TEXT];

	switch (event->kind) {
	case MEMBER_WAITING:
		fprintf(out, "-- waiting for %" PRIu64 " members to join\n", event->number);
		return true;
	case MEMBER_JOINED:
		fprintf(out, "-- %s joined\n", identity_format(event->who, who));
		if (!style->jgroups3)
			fprintf(out, "-- members: %" PRIu64 "\n", event->number);
		return true;
	case MEMBER_SENT:
		fprintf(out, "++ sent %" PRIu64, event->number);
		if (style->lanes > 1)
			fprintf(out, " [thread-%u]", event->lane + 1);
		fputc('\n', out);
		return true;
	case MEMBER_RESULT: console_result(out, style, event->result); return true;
	default: return false;
	}
}

static void classic(FILE *out, const struct member_event *event)
{
	char who[IDENTITY_TEXT];

	switch (event->kind) {
	case MEMBER_RECEIVED:
		fprintf(out, "-- received %" PRIu64 " messages from %s\n", event->number,
			identity_format(event->who, who));
		break;
	case MEMBER_SENT_ALL:
		fprintf(out,
			"-- sent all messages. Asking receivers if they received all messages\n\n"
			"-- fetching results (from %" PRIu64 " members)\n",
			event->number);
		break;
	case MEMBER_REPORTED: fputs("-- received all responses\n", out); break;
	default: break;
	}
}

static void jgroups3(FILE *out, const struct console_style *style, const struct member_event *event)
{
	switch (event->kind) {
	case MEMBER_READY: fprintf(out, "-- READY (%" PRIu64 " acks)\n\n", event->number); break;
	case MEMBER_WARMING:
		fprintf(out, "sending %" PRIu64 " warmup messages\n", event->number);
		break;
	case MEMBER_SENDING: sending(out, style, event->number); break;
	case MEMBER_PROGRESS:
		console_progress(out, style, event->number, style->log_interval, event->elapsed);
		break;
	case MEMBER_LOCAL: console_jgroups3_local(out, style, event->result); break;
	default: break;
	}
}

void console_member(FILE *out, const struct console_style *style, const struct member_event *event)
{
	if (both(out, style, event))
		return;
	if (style->jgroups3)
		jgroups3(out, style, event);
	else if (event->kind != MEMBER_REPORTED || style->sender)
		classic(out, event);
}

void console_result(FILE *out, const struct console_style *style, const struct result *result)
{
	if (style->jgroups3)
		console_jgroups3_result(out, style, result);
	else
		console_classic_result(out, style, result);
}

struct counter {
	const char *name;
	uint64_t value;
	const char *lineage; /* the name of JGroups, or NULL */
};

/* Whether any of the words is a prefix of a name of this counter. */
static bool is_among(const char *words, const char *name)
{
	while (name && *words) {
		size_t length = strcspn(words, ","), same = 0;

		while (same < length &&
		       (words[same] == name[same] || (words[same] == '_' && name[same] == ' ')))
			same++;
		if (length && same == length)
			return true;
		words += length + (words[length] == ',');
	}
	return false;
}

void console_counters(FILE *out, const struct transport_stats *stats, const char *drop_unit,
		      const char *only)
{
	char dropped[40];
	const struct counter counters[] = {
		{"sent messages", stats->sent_messages, "num_msgs_sent"},
		{"sent bytes", stats->sent_bytes, "num_bytes_sent"},
		{"received messages", stats->received_messages, "num_msgs_received"},
		{"received bytes", stats->received_bytes, "num_bytes_received"},
		{"send calls", stats->send_calls, NULL},
		{"receive calls", stats->receive_calls, NULL},
		{"send refused", stats->send_refused, NULL},
		{"send errors", stats->send_errors, NULL},
		{"oversize", stats->oversize, NULL},
		{"bad lengths", stats->bad_lengths, NULL},
		{"bad hand-shakes", stats->bad_handshakes, NULL},
		{"silent connections", stats->silent, NULL},
		{"refused connections", stats->refused, NULL},
		{"truncated", stats->truncated, NULL},
		{"connections not allowed", stats->not_allowed, NULL},
		{dropped, stats->dropped, NULL},
		{"refused by the transmit queue", stats->queue_refused, NULL},
	};
	const size_t count = sizeof(counters) / sizeof(*counters) - (drop_unit ? 0 : 2);

	snprintf(dropped, sizeof(dropped), "dropped %ss", drop_unit ? drop_unit : "");
	fputs("\nTransport statistics:\n", out);
	for (size_t i = 0; i < count; i++) {
		const struct counter *c = &counters[i];

		if (!only || is_among(only, c->name) || is_among(only, c->lineage))
			fprintf(out, "%s: %" PRIu64 "\n", c->name, c->value);
	}
}
