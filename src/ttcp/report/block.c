// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block: gathers what the result block says. */
#include "block.h"

#include "../conversation/peer_name.h"
#include "attribution.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_ROOM 512

static const char *const transports[] = {
	[TRANSPORT_TCP] = "TCP",
	[TRANSPORT_UDP] = "UDP",
	[TRANSPORT_MULTICAST] = "multicast",
	[TRANSPORT_OVERLAY] = "overlay",
};

/* "ttcp: UDP 10.0.0.1 -> 10.0.0.2:5001, 512-byte messages, 10.00 s". */
static void format_title(const struct block_run *run, char *out, size_t room)
{
	char size[48] = "raw bytes", streams[32] = "", time[NP_BLOCK_TIME];

	if (run->message_bytes)
		snprintf(size, sizeof(size), "%zu-byte messages", run->message_bytes);
	if (run->streams > 1)
		snprintf(streams, sizeof(streams), ", %" PRIu64 " streams", run->streams);
	snprintf(out, room, "ttcp: %s %s -> %s, %s%s, %s",
		 transports[run->options->place.transport], run->from, run->to, size, streams,
		 np_block_time(run->elapsed, time));
}

/* "10.0.0.1:5001" becomes "10.0.0.1", "[fd00::1]:5001" becomes "fd00::1". */
static void cut_port(char *name)
{
	const bool brackets = name[0] == '[';
	char *end = strrchr(name, brackets ? ']' : ':');

	if (!end)
		return;
	*end = '\0';
	if (brackets)
		memmove(name, name + 1, strlen(name));
}

char *block_host(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	peer_name(address, out);
	cut_port(out);
	return out;
}

/* A stream without ttcp's framing: its reads and writes are no messages. */
static bool is_raw_stream(const struct block_run *run)
{
	return !run->message_bytes && !run->datagrams;
}

static const char *unit_of(const struct block_run *run)
{
	return is_raw_stream(run) ? "bytes" : "messages";
}

/* Of the bytes after the first message: no time passed before that. */
static double rate(uint64_t bytes, uint64_t head_bytes, np_time elapsed)
{
	if (elapsed <= 0 || bytes <= head_bytes)
		return -1;
	return np_units_rate(bytes - head_bytes, elapsed);
}

/* The part of the bytes that rate() leaves out. */
static double head_share(uint64_t bytes, uint64_t head_bytes)
{
	return bytes ? (double)head_bytes / (double)bytes : 0;
}

static void fill_row(struct np_block_row *row, const struct receivers_receiver *receiver,
		     const struct record_transmit *sent)
{
	const struct message_report *report = &receiver->report;
	const struct message_clock *clock =
		receiver->clock.known ? &receiver->clock : &report->clock;
	struct np_histogram_figures delay;

	*row = (struct np_block_row){.name = receiver->name, .received_bytes_per_s = -1};
	row->result.sent = NP_COUNT_EXACT(sent->messages);
	row->confirmed = receiver->reported;
	if (!receiver->reported)
		return;
	row->result = attribution_report(sent, receiver);
	row->received_bytes_per_s =
		rate(report->bytes, report->head_bytes, report->last - report->first);
	row->delay_known = delay_correct(&report->delays, clock, &delay);
	row->delay_p50 = delay.p50;
}

/* The rows, and their sum in the block. Returns how many receivers reported. */
static size_t fill_rows(struct np_block *block, const struct block_run *run,
			const struct record_transmit *sent)
{
	const struct receivers *receivers = sent->receivers;
	size_t confirmed = 0;

	for (size_t i = 0; i < receivers->count; i++) {
		const struct receivers_receiver *receiver = &receivers->receiver[i];
		struct np_block_row *row = &block->row[block->rows];

		if (!receiver->ready && !receiver->reported)
			continue;
		fill_row(row, receiver, sent);
		block->rows++;
		if (!row->confirmed)
			continue;
		if (confirmed++)
			np_schema_add(np_result_columns, &block->result, &row->result);
		else
			block->result = row->result;
	}
	block->result.sent = NP_COUNT_EXACT(
		is_raw_stream(run) ? sent->bytes : sent->messages * (confirmed ? confirmed : 1));
	return confirmed;
}

static void add_delay(struct np_block *block, const struct np_histogram_figures *raw,
		      const struct message_clock *clock)
{
	block->delay_raw = *raw;
	block->clock_known = clock->known;
	block->clock_offset = clock->offset;
	if (delay_correct(raw, clock, &block->delay))
		block->delay_bound = clock->bound;
	else
		block->delay.count = 0;
}

/* What the other end told of itself. */
struct told {
	struct np_usage usage;
	struct np_drops_counts dropped;
};

/* The share of a processor; @told keeps what the block points to. */
static double add_cpu(const struct message_cpu *cpu, np_time elapsed, struct told *told,
		      const struct np_usage **usage)
{
	if (!cpu->known)
		return -1;
	told->usage.user = cpu->user;
	told->usage.system = cpu->system;
	*usage = &told->usage;
	return np_usage_share(&told->usage, elapsed);
}

static const struct np_drops_counts *add_reasons(const struct message_reasons *reasons,
						 const struct np_drops_total *total,
						 struct told *told)
{
	record_told_reasons(reasons, total, &told->dropped);
	return told->dropped.packets ? &told->dropped : NULL;
}

static void add_only(struct np_block *block, const struct receivers_receiver *only,
		     struct told *told)
{
	const struct message_report *report = &only->report;

	block->cpu_receiver =
		add_cpu(&report->cpu, report->last - report->first, told, &block->usage_receiver);
	block->dropped_receiver = add_reasons(&report->reasons, &report->dropped, told);
	block->received_bytes_per_s =
		rate(report->bytes, report->head_bytes, report->last - report->first);
	block->head_share = head_share(report->bytes, report->head_bytes);
	add_delay(block, &report->delays, only->clock.known ? &only->clock : &report->clock);
}

static void add_rtt(struct np_block *block, const struct receivers *receivers)
{
	if (receivers->rtt && receivers->acks)
		np_histogram_figures(receivers->rtt, &block->rtt);
}

void block_transmit(struct console *console, const struct block_run *run,
		    const struct record_transmit *result, bool report_expected)
{
	const struct receivers_receiver *only = receivers_only(result->receivers);
	char title[TITLE_ROOM];
	struct told told = {0};
	struct np_block block;
	size_t confirmed;

	if (!console->block)
		return;
	format_title(run, title, sizeof(title));
	block = np_block_init(title, unit_of(run), run->options->unit);
	block.interrupted = run->interrupted;
	block.noun = "receiver";
	block.repaired = !run->datagrams;
	block.cpu_sender = np_usage_share(&run->usage, run->elapsed);
	block.dropped_sender = result->dropped;
	block.tcp = run->tcp;
	block.full = run->full;
	block.usage_sender = &run->usage;
	block.row = calloc(result->receivers->count + 1, sizeof(*block.row));
	if (!block.row)
		return;
	confirmed = fill_rows(&block, run, result);
	if (!confirmed)
		block.unconfirmed = report_expected ? "no receiver reported"
						    : "no report came from the other end";
	block.sent_bytes_per_s = rate(result->bytes, result->head_bytes, result->elapsed);
	if (confirmed > 1) {
		block.sent_each = is_raw_stream(run) ? 0 : result->messages;
		block.received_bytes_per_s = np_block_rate_sum(&block);
	}
	if (only)
		add_only(&block, only, &told);
	add_rtt(&block, result->receivers);
	fputc('\n', console->block);
	np_block_print(console->block, &block);
	fflush(console->block);
	free(block.row);
}

void block_receive(struct console *console, const struct block_run *run,
		   const struct record_receive *result)
{
	const struct np_flow_counts *f = &result->figures;
	char title[TITLE_ROOM];
	struct told told = {0};
	struct np_block block;

	if (!console->block)
		return;
	format_title(run, title, sizeof(title));
	block = np_block_init(title, unit_of(run), run->options->unit);
	block.interrupted = run->interrupted;
	block.cpu_sender = add_cpu(result->sender_cpu, f->elapsed, &told, &block.usage_sender);
	block.dropped_sender = add_reasons(result->sender_reasons, &result->hosts.sender, &told);
	block.repaired = !run->datagrams || result->raw;
	block.cpu_receiver = np_usage_share(&run->usage, run->elapsed);
	block.dropped_receiver = result->raw ? NULL : result->dropped;
	block.full = run->full;
	block.usage_receiver = &run->usage;
	block.received_bytes_per_s = rate(f->bytes, f->head_bytes, f->elapsed);
	block.head_share = head_share(f->bytes, f->head_bytes);
	block.result.received = NP_COUNT_EXACT(is_raw_stream(run) ? f->bytes : f->received);
	if (!result->raw) {
		block.result = attribution_receive(result);
		add_delay(&block, &result->delays, &result->clock);
	}
	fputc('\n', console->block);
	np_block_print(console->block, &block);
	fflush(console->block);
}
