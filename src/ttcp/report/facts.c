// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* facts: puts what only ttcp knows of a run into the parts of --report=full. */
#include "facts.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <string.h>

#define DROPS_TEXT 96

void facts_run(struct np_block_full *full, const struct options *options,
	       const struct message_start *start)
{
	const enum np_block_part part = NP_BLOCK_CONFIGURATION;
	char rate[NP_RATE_TEXT];

	if (!start)
		return;
	np_block_full_say(full, part, "message", "%" PRIu32 " bytes", start->message_bytes);
	if (start->messages)
		np_block_full_say(full, part, "messages", "%" PRIu64 "%s", start->messages,
				  start->streams > 1 ? " by each stream" : "");
	if (start->duration)
		np_block_full_say(full, part, "duration", "%g s",
				  np_clock_seconds(start->duration));
	if (start->rate_bits)
		np_block_full_say(
			full, part, "rate", "%s",
			np_rate_format((double)start->rate_bits / 8, options->unit, rate));
	np_block_full_say(full, part, "session", "%s", start->session);
}

static void say_buffers(struct np_block_full *full, size_t send, size_t receive)
{
	if (send)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "send buffer", "%zu bytes", send);
	if (receive)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "receive buffer", "%zu bytes", receive);
}

void facts_stream(struct np_block_full *full, const struct np_stream_info *info)
{
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "congestion control", "%s", info->congestion);
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "TCP_NODELAY", "%s",
			  info->no_delay ? "yes" : "no");
	say_buffers(full, info->send_granted, info->receive_granted);
}

void facts_datagram(struct np_block_full *full, const struct np_datagram_info *info)
{
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "batch", "%s%s%s", info->variant,
			  info->detail ? ": " : "", info->detail ? info->detail : "");
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "time stamps", "%s", info->stamps);
	say_buffers(full, info->send_granted, info->receive_granted);
}

void facts_overlay(struct np_block_full *full, const struct np_overlay_info *info)
{
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "overlay", "%s over %s", info->protocol,
			  info->substrate);
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "time stamps", "%s", info->stamps);
	say_buffers(full, info->send_granted, info->receive_granted);
}

/* Datagrams with wrong checksums are dropped, too, and only the host's total of these is known. */
static char *drops_text(const char *unit, uint64_t least, uint64_t most, char out[DROPS_TEXT])
{
	if (!unit)
		snprintf(out, DROPS_TEXT, "unknown");
	else if (least == most)
		snprintf(out, DROPS_TEXT, "%" PRIu64 " %ss", least, unit);
	else
		snprintf(out, DROPS_TEXT, "%" PRIu64 " to %" PRIu64 " %ss", least, most, unit);
	return out;
}

static void say_receiver(struct np_block_full *full, const struct receivers_receiver *receiver)
{
	const struct message_report *report = &receiver->report;
	char drops[DROPS_TEXT], before[64] = "";

	if (report->missed_before)
		snprintf(before, sizeof(before), ", %" PRIu64 " before its first, lost or not",
			 report->missed_before);
	if (!receiver->reported)
		np_block_full_say(full, NP_BLOCK_HOSTS, receiver->name, "no report");
	else
		np_block_full_say(full, NP_BLOCK_HOSTS, receiver->name,
				  "receive buffer drops: %s%s%s",
				  drops_text(record_drop_unit(report->drop_unit),
					     report->host_drops, report->host_drops_most, drops),
				  receiver->joined_late ? ", joined late" : "", before);
}

void facts_transmit(struct np_block_full *full, const struct record_transmit *result)
{
	const struct record_refusals *refused = &result->refusals;

	if (result->rate_bits > 0)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "worst lag", "%.3f ms behind schedule",
				  (double)result->behind / (double)NP_MILLISECOND);
	if (result->unsent || result->send_errors)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "could not be sent",
				  "%" PRIu64 " messages, %" PRIu64 " errors%s%s", result->unsent,
				  result->send_errors, result->send_error ? ": " : "",
				  result->send_error ? strerror(-result->send_error) : "");
	if (refused->known && refused->errors)
		np_block_full_say(full, NP_BLOCK_HOSTS, "no room to send",
				  "%" PRIu64 " datagrams of all programs, %" PRIu64 " sent again",
				  refused->errors, refused->retried);
	for (size_t i = 0; i < result->receivers->count; i++) {
		const struct receivers_receiver *receiver = &result->receivers->receiver[i];

		if (result->datagrams && (receiver->ready || receiver->reported))
			say_receiver(full, receiver);
	}
}

void facts_receive(struct np_block_full *full, const struct record_receive *result)
{
	const struct record_loss *loss = &result->loss;
	char drops[DROPS_TEXT], path[NP_PATH_TEXT];

	if (result->figures.missed_before)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "before the first",
				  "%" PRIu64 " messages, lost or not",
				  result->figures.missed_before);
	if (result->grace)
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "waited after the end", "%.3f ms",
				  (double)result->grace / (double)NP_MILLISECOND);
	if (result->datagrams)
		np_block_full_say(
			full, NP_BLOCK_HOSTS, "receive buffer drops", "%s",
			drops_text(loss->drop_unit, loss->drops, loss->drops_most, drops));
	if (result->path.softnet_known || result->path.interfaces_known)
		np_block_full_say(full, NP_BLOCK_HOSTS, "dropped before UDP",
				  "at most %s, in frames of all programs",
				  np_path_format(&result->path, path));
}
