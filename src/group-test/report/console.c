// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * console: the text of a run on stdout, in the layout of 2.2.7 or 3.0.16: sizes, rates and the line
 * of figures of both, the tables of each, and the lines of a run in progress.
 */
#include "report.h"

#include "config.h"

#include <inttypes.h>
#include <time.h>

/*
 * Sizes are decimal (spec 6.1), their numbers by np_decimal_two; what is not known is "unknown". In
 * the style of 2.2.7: KB or, from 1000 KB on, MB: "0.2KB", "3.17MB". Returns @out.
 */
static char *size_classic(double bytes, char out[NP_DECIMAL_TEXT_MAX])
{
	double kb = bytes / 1000;
	char number[NP_DECIMAL_TEXT];

	snprintf(out, NP_DECIMAL_TEXT_MAX, "%s%s",
		 np_decimal_two(kb >= 1000 ? kb / 1000 : kb, number, sizeof(number)),
		 kb >= 1000 ? "MB" : "KB");
	return out;
}

/*
 * In the style of 3.0.16: b, KB, MB, GB: "200b" when @whole; values below 1000 with all decimals:
 * "0.5b", "0.0b".
 */
static char *size_jgroups3(double bytes, bool whole, char out[NP_DECIMAL_TEXT_MAX])
{
	const double unit = bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9;
	char number[NP_DECIMAL_TEXT];

	if (bytes < 1000 && whole)
		snprintf(out, NP_DECIMAL_TEXT_MAX, "%.0fb", bytes);
	else if (bytes < 1000)
		snprintf(out, NP_DECIMAL_TEXT_MAX, "%sb",
			 np_decimal(bytes, 0, number, sizeof(number)));
	else
		snprintf(out, NP_DECIMAL_TEXT_MAX, "%s%s",
			 np_decimal_two(bytes / unit, number, sizeof(number)),
			 bytes < 1e6   ? "KB"
			 : bytes < 1e9 ? "MB"
				       : "GB");
	return out;
}

/* Prints "num_msgs_expected=... throughput=..." in either layout, without a line end. */
static void figures(FILE *out, const struct report_view *view, const struct result_row *row)
{
	const bool java = is_java(view);
	const double messages = result_rate(row->counts.received, row),
		     bytes = result_rate(row->counts.bytes, row);
	const uint64_t sent = row->counts.sent, received = row->counts.received;
	char loss[NP_DECIMAL_TEXT + 8] = "unknown", size[NP_DECIMAL_TEXT_MAX];
	char number[NP_DECIMAL_TEXT];
	double percent = sent && !received ? 100 : 0;

	/*
	 * The original's arithmetic, to the last digit. Our loss is unknown while a sender's count
	 * is (it died, or has not ended); Java's members only know what was announced.
	 */
	if (sent > received && received)
		percent = 100.0 / (double)sent * (double)(sent - received);
	if (row->exact || java)
		snprintf(loss, sizeof(loss), "%s%%",
			 java ? np_decimal(percent, 0, number, sizeof(number))
			      : np_decimal_two(percent, number, sizeof(number)));
	fprintf(out,
		"num_msgs_expected=%" PRIu64 ", num_msgs_received=%" PRIu64
		" (loss rate=%s), received=%s, time=%" PRId64 "ms, ",
		sent, received, loss,
		java ? size_jgroups3((double)row->counts.bytes, true, size)
		     : size_classic((double)row->counts.bytes, size),
		(result_elapsed(row) + NP_MILLISECOND / 2) / NP_MILLISECOND);
	if (messages < 0)
		fputs("msgs/sec=unknown, throughput=unknown", out);
	else
		fprintf(out, "msgs/sec=%s, throughput=%s%s",
			np_decimal_two(messages, number, sizeof(number)),
			java ? size_jgroups3(bytes, false, size) : size_classic(bytes, size),
			java ? "" : "/sec");
}

/* Prints the line "sender: A: " with that info. */
static void sender_line(FILE *out, const struct report_view *view, const struct result_row *row)
{
	fprintf(out, "sender: %s: ", identity_text(&row->sender));
	figures(out, view, row);
	fputc('\n', out);
}

static void table(FILE *out, const struct report_view *view, const struct result_member *member)
{
	struct result_row sum = result_combined(member);

	for (size_t i = 0; i < member->rows; i++)
		sender_line(out, view, &member->row[i]);
	fputs("\ncombined: ", out);
	figures(out, view, &sum);
	fputs("\n\n", out);
}

/* A sender's of all members, a receiver's of itself. */
static void classic_result(FILE *out, const struct report_view *view, const struct result *result)
{
	const struct result_member *myself = result_myself(result);

	if (!view->options->role.sender) {
		if (myself && myself->rows)
			table(out, view, myself);
		return;
	}
	fputs("\n-- results:\n\n", out);
	for_each(member, result->member, result->members) {
		if (member->outcome == FATE_REFUSED)
			continue;
		if (member->reported) {
			fprintf(out, "-- results from %s:\n", identity_text(&member->who));
			table(out, view, member);
		} else {
			fprintf(out, "-- no results from %s: %s\n\n", identity_text(&member->who),
				*member->why ? member->why : "it did not report");
		}
	}
	fputc('\n', out);
}

/* Java computes the throughput as the integer part of the mean times msg_size. */
static void jgroups3_result(FILE *out, const struct report_view *view, const struct result *result)
{
	char number[NP_DECIMAL_TEXT], size[NP_DECIMAL_TEXT_MAX];
	double sum = 0, mean;
	unsigned count = 0;

	fputs("\n-- results:\n", out);
	for_each(member, result->member, result->members) {
		/* What a member of Java's reported, or (of ours) its rows together. */
		const struct result_row row =
			member->total.counts.sent ? member->total : result_combined(member);
		const double rate = result_rate(row.counts.received, &row);

		if (member->reported && rate >= 0) {
			sum += rate;
			count++;
		}
		if (member->outcome == FATE_REFUSED)
			continue;
		fprintf(out, "\n%s%s:\n", identity_text(&member->who),
			member->myself ? " (myself)" : "");
		if (member->reported)
			figures(out, view, &row);
		else
			fprintf(out, "no results: %s",
				*member->why ? member->why : "it did not report");
		fputc('\n', out);
	}
	if (!count) {
		fputs("\ncombined: unknown\n\n", out);
		return;
	}
	mean = sum / count;
	fprintf(out, "\ncombined: %s msgs/sec averaged over all receivers (throughput=%s/sec)\n\n",
		np_decimal_two(mean, number, sizeof(number)),
		size_jgroups3((double)((uint64_t)mean * view->settings->member.payload), true,
			      size));
}

#define RULE_CLASSIC "-------------------------------------------------------\n"

void console_banner(FILE *out, const struct report_view *view, np_time when, const char *user)
{
	const struct group_options *group = &view->options->group;
	const time_t seconds = (time_t)(when / NP_SECOND);
	const struct config_file *lines = &view->settings->lines;
	struct tm broken;
	char date[64];

	localtime_r(&seconds, &broken);
	strftime(date, sizeof(date), "%a %b %d %H:%M:%S %Z %Y", &broken);
	fprintf(out,
		"Configuration is: \n\n"
		"----------------------- TEST -----------------------\n"
		"Date: %s\nRun by: %s\n\n",
		date, user);
	/* If a key has two values, the banner shows the later, which applies; options are later. */
	for (const struct config_line *at = lines->entry; at < lines->entry + lines->count; at++) {
		if (at == config_file_find(lines, at->key) && strcmp(at->key, "sender") &&
		    strcmp(at->key, "config") && (strcmp(at->key, "props") || !group->props))
			fprintf(out, "%s:\t%s\n", at->key, at->value);
	}
	fprintf(out, "sender:\t%s\nconfig:\t%s\n", view->options->role.sender ? "true" : "false",
		group->config);
	if (group->props)
		fprintf(out, "props:\t%s\n", group->props);
	fputs(is_java(view)
		      ? "JGroups version: 3.0.16.Final, as spoken by group-test " PACKAGE_VERSION
			"\n\n"
		      : "\n\n\n",
	      out);
}

void console_address(FILE *out, const struct report_view *view)
{
	const struct transport_info *info = view->transport;
	const char *who = identity_text(&info->self);

	if (settings_is_jgroups(view->settings))
		fprintf(out, RULE_CLASSIC "GMS: address is %s\n" RULE_CLASSIC, who);
	else if (is_java(view) && !strcmp(info->variant, "tcp"))
		fprintf(out, "-- local address is %s\n", who);
	else
		fprintf(out, "-- local_addr is %s\n", who);
}

void console_transport(FILE *out, const struct report_view *view,
		       const struct transport_event *event)
{
	const char *who = identity_text(&event->peer);

	if (!is_java(view))
		return;
	switch (event->kind) {
	case TRANSPORT_CONNECTED: fprintf(out, "-- connected to /%s\n", who); break;
	case TRANSPORT_FAILED: fprintf(out, "-- failed to connect to /%s\n", who); break;
	case TRANSPORT_ENDED: fprintf(out, "-- receiver thread for %s terminated\n", who); break;
	default: break;
	}
}

void console_progress(FILE *out, const struct report_view *view, uint64_t number, uint64_t count,
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
			size_jgroups3(rate * (double)view->settings->member.payload, false, size));
}

static void sending(FILE *out, const struct report_view *view, uint64_t number)
{
	const uint64_t threads = view->options->member.lanes;
	char size[NP_DECIMAL_TEXT_MAX];

	if (view->options->member.warmup)
		fputs("done\n", out);
	fprintf(out, "-- sending %" PRIu64 " %s messages", number,
		size_jgroups3((double)view->settings->member.payload, true, size));
	if (threads > 1)
		fprintf(out, " in %" PRIu64 " threads", threads);
	fputc('\n', out);
	for (uint64_t i = 1; threads > 1 && i <= threads; i++)
		fprintf(out, "-- [thread-%" PRIu64 "] sending %" PRIu64 " msgs\n", i,
			number / threads + (i <= number % threads));
}

void console_member(FILE *out, const struct report_view *view, const struct member_event *event)
{
	const struct result_member *myself = event->result ? result_myself(event->result) : NULL;
	const bool classic = !is_java(view);
	const char *who = event->who ? identity_text(event->who) : "";

	switch (event->kind) {
	case MEMBER_WAITING:
		fprintf(out, "-- waiting for %" PRIu64 " members to join\n", event->number);
		break;
	case MEMBER_JOINED:
		fprintf(out, "-- %s joined\n", who);
		if (classic)
			fprintf(out, "-- members: %" PRIu64 "\n", event->number);
		break;
	case MEMBER_READY:
		if (!classic)
			fprintf(out, "-- READY (%" PRIu64 " acks)\n\n", event->number);
		break;
	case MEMBER_WARMING:
		if (!classic)
			fprintf(out, "sending %" PRIu64 " warmup messages\n", event->number);
		break;
	case MEMBER_SENDING:
		if (!classic)
			sending(out, view, event->number);
		break;
	case MEMBER_SENT:
		fprintf(out, "++ sent %" PRIu64, event->number);
		if (view->options->member.lanes > 1)
			fprintf(out, " [thread-%u]", event->lane + 1);
		fputc('\n', out);
		break;
	case MEMBER_RECEIVED:
		if (classic)
			fprintf(out, "-- received %" PRIu64 " messages from %s\n", event->number,
				who);
		break;
	case MEMBER_PROGRESS:
		if (!classic)
			console_progress(out, view, event->number,
					 view->settings->member.log_interval, event->elapsed);
		break;
	case MEMBER_SENT_ALL:
		if (classic)
			fprintf(out,
				"-- sent all messages. Asking receivers if they received all "
				"messages\n\n-- fetching results (from %" PRIu64 " members)\n",
				event->number);
		break;
	case MEMBER_REPORTED:
		if (classic && view->options->role.sender)
			fputs("-- received all responses\n", out);
		break;
	case MEMBER_LOCAL:
		if (classic)
			break;
		fputs("\n-- local results:\n", out);
		for (size_t i = 0; myself && i < myself->rows; i++)
			sender_line(out, view, &myself->row[i]);
		fputc('\n', out);
		break;
	case MEMBER_RESULT:
		if (event->result)
			console_result(out, view, event->result);
		break;
	default: break;
	}
}

void console_result(FILE *out, const struct report_view *view, const struct result *result)
{
	if (is_java(view))
		jgroups3_result(out, view, result);
	else
		classic_result(out, view, result);
}

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

	snprintf(dropped, sizeof(dropped), "dropped %ss", drop_unit ? drop_unit : "");
	fputs("\nTransport statistics:\n", out);
	for (const struct transport_counter *c = transport_counters; c->offset != SIZE_MAX; c++) {
		const char *name = c->text ? c->text : dropped;

		if (!drop_unit && c->drops)
			continue;
		if (!only || is_among(only, name) || is_among(only, c->lineage))
			fprintf(out, "%s: %" PRIu64 "\n", name, transport_count(stats, c));
	}
}
