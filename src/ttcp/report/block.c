// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* block: gathers what the result block says. */
#include "block.h"

#include <inttypes.h>
#include <netperf/result.h>
#include <netperf/units.h>
#include <stdlib.h>
#include <string.h>

#define TITLE_ROOM 256
#define TIME_ROOM  32

static const char *const transports[] = {
	[TRANSPORT_TCP] = "TCP",
	[TRANSPORT_UDP] = "UDP",
	[TRANSPORT_MULTICAST] = "multicast",
	[TRANSPORT_OVERLAY] = "overlay",
};

static const char *duration(np_time elapsed, char out[TIME_ROOM])
{
	if (elapsed >= NP_SECOND)
		snprintf(out, TIME_ROOM, "%.2f s", np_clock_seconds(elapsed));
	else
		np_units_format_latency(elapsed, out, TIME_ROOM);
	return out;
}

/* "ttcp: UDP to 10.0.0.2:5001, 512-byte messages, 10.00 s". */
static void format_title(const struct block_run *run, const char *direction, char *out, size_t room)
{
	char size[48] = "raw bytes", streams[32] = "", time[TIME_ROOM];

	if (run->message_bytes)
		snprintf(size, sizeof(size), "%zu-byte messages", run->message_bytes);
	if (run->streams > 1)
		snprintf(streams, sizeof(streams), ", %" PRIu64 " streams", run->streams);
	snprintf(out, room, "ttcp: %s%s%s, %s%s, %s", transports[run->options->place.transport],
		 run->partner ? direction : "", run->partner ? run->partner : "", size, streams,
		 duration(run->elapsed, time));
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

static double share_of_cpu(const struct block_run *run)
{
	if (run->elapsed < FIGURES_MEANT)
		return -1;
	return (double)(run->usage.user + run->usage.system) / (double)run->elapsed;
}

static void count_report(struct np_result *to, const struct message_report *from)
{
	to->received = NP_COUNT_EXACT(from->received);
	to->lost = from->exact ? NP_COUNT_EXACT(from->lost) : NP_COUNT_AT_LEAST(from->lost);
	to->duplicates = NP_COUNT_EXACT(from->duplicates);
	to->reordered = NP_COUNT_EXACT(from->reordered);
	to->late = NP_COUNT_EXACT(from->late);
	to->damaged = NP_COUNT_EXACT(from->damaged);
}

/*
 * Where what @receiver misses was lost. What its socket dropped may be copies of what came, or
 * ENDs: then its account is no proof.
 */
static void attribute(struct np_result *to, const struct receivers_receiver *receiver,
		      const struct block_run *run, const struct hosts *hosts)
{
	static const char *const units[] = {
		[MESSAGE_DROPS_PACKETS] = "packet",
		[MESSAGE_DROPS_BUFFERS] = "buffer",
	};
	const struct message_report *report = &receiver->report;
	struct np_loss_drops drops = {.least = report->host_drops,
				      .upmost = report->host_drops_most};
	struct np_loss loss;

	if (report->drop_unit == MESSAGE_DROPS_UNKNOWN) {
		np_result_attribute(to, NULL, &hosts->sender, &hosts->receiver, hosts->doubtful);
		return;
	}
	drops.most = np_loss_most(units[report->drop_unit], run->message_bytes);
	drops.others = report->duplicates ? drops.upmost : 0;
	loss = np_loss_attribute(report->lost, &drops);
	np_result_attribute(to, &loss, &hosts->sender, &hosts->receiver, hosts->doubtful);
}

static void fill_row(struct np_block_row *row, const struct receivers_receiver *receiver,
		     const struct block_run *run, const struct record_transmit *sent)
{
	const struct message_report *report = &receiver->report;
	const struct message_clock *clock =
		receiver->clock.known ? &receiver->clock : &report->clock;
	const struct hosts hosts = record_hosts(receiver, sent->group, &sent->lost_here);
	struct np_histogram_figures delay;

	*row = (struct np_block_row){.name = receiver->name, .received_bytes_per_s = -1};
	row->result.sent = NP_COUNT_EXACT(sent->messages);
	row->confirmed = receiver->reported;
	if (!receiver->reported)
		return;
	count_report(&row->result, report);
	attribute(&row->result, receiver, run, &hosts);
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
		fill_row(row, receiver, run, sent);
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
	if (delay_correct(raw, clock, &block->delay))
		block->delay_bound = clock->bound;
	else
		block->delay.count = 0;
}

static void add_only(struct np_block *block, const struct receivers_receiver *only)
{
	const struct message_report *report = &only->report;

	block->received_bytes_per_s =
		rate(report->bytes, report->head_bytes, report->last - report->first);
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
	struct np_block block;

	if (!console->block)
		return;
	format_title(run, " to ", title, sizeof(title));
	block = np_block_init(title, unit_of(run), run->options->unit);
	block.noun = "receiver";
	block.repaired = !run->datagrams;
	block.cpu_sender = share_of_cpu(run);
	block.row = calloc(result->receivers->count + 1, sizeof(*block.row));
	if (!block.row)
		return;
	if (!fill_rows(&block, run, result))
		block.unconfirmed =
			report_expected ? "no receiver reported" : "the other end sends no report";
	block.sent_bytes_per_s = rate(result->bytes, result->head_bytes, result->elapsed);
	if (only)
		add_only(&block, only);
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
	struct np_block block;

	if (!console->block)
		return;
	format_title(run, " from ", title, sizeof(title));
	block = np_block_init(title, unit_of(run), run->options->unit);
	block.repaired = !run->datagrams || result->raw;
	block.cpu_receiver = share_of_cpu(run);
	block.received_bytes_per_s = rate(f->bytes, f->head_bytes, f->elapsed);
	block.result.received = NP_COUNT_EXACT(is_raw_stream(run) ? f->bytes : f->received);
	if (!result->raw) {
		const bool whole = f->sent_known && !f->missed_before;

		block.result.sent = whole ? NP_COUNT_EXACT(f->sent) : NP_COUNT_AT_LEAST(f->sent);
		block.result.lost = whole ? NP_COUNT_EXACT(f->lost) : NP_COUNT_AT_LEAST(f->lost);
		block.result.duplicates = NP_COUNT_EXACT(f->duplicates);
		block.result.reordered = NP_COUNT_EXACT(f->reordered);
		block.result.late = NP_COUNT_EXACT(f->late);
		block.result.damaged = NP_COUNT_EXACT(f->damaged + f->stray);
		np_result_attribute(&block.result, &result->loss.where, &result->hosts.sender,
				    &result->hosts.receiver, result->hosts.doubtful);
		add_delay(&block, &result->delays, &result->clock);
	}
	fputc('\n', console->block);
	np_block_print(console->block, &block);
	fflush(console->block);
}
