// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * console: prints the text of a run. Words and spelling are the original's; for TCP receivers and
 * groups, whose text is not known, they follow the most similar one. Intervals, windows and
 * neighbours are not in the original.
 */
#include "console.h"

#include <inttypes.h>
#include <string.h>

#define MESSAGES_EACH_DOT 50
#define DOTS_EACH_LINE	  20
#define DOTS_AT_ONCE	  4096
#define RESULT_ROOM	  1024

/* The words for each transport. */
static const struct words {
	const char *banner;  /* "TCP Transmit:" */
	const char *packets; /* "Start to send TCP packets" */
	const char *adjust;  /* "Unicast Receive: nbuf adjusted to" */
} words[] = {
	[TRANSPORT_TCP] = {"TCP", "TCP", "TCP"},
	[TRANSPORT_UDP] = {"UDP", "udp", "Unicast"},
	[TRANSPORT_MULTICAST] = {"Multicast", "multicast", "Multicast"},
	[TRANSPORT_OVERLAY] = {"Overlay", "overlay", "Overlay"},
};

static bool in_overlay(const struct console *console)
{
	return console->transport == TRANSPORT_OVERLAY;
}

void console_init(struct console *console, FILE *out, const struct options *options)
{
	const bool alone = options->layout == NP_REPORT_RESULT || options->layout == NP_REPORT_FULL;
	FILE *lines = alone ? NULL : out;

	*console = (struct console){
		.out = lines,
		.block = options->layout == NP_REPORT_ORIGINAL ? NULL : out,
		.dots = lines && !options->report.quiet,
		.events = out != NULL,
		.transmit = options->task == TASK_TRANSMIT,
		.original = options->layout == NP_REPORT_ORIGINAL,
		.transport = options->place.transport,
	};
}

void console_begin(struct console *console, const struct options *options)
{
	FILE *out = console->out;

	if (!out)
		return;
	fputs("Overlay TTCP\n", out);
	if (console->transmit && options->place.to)
		fprintf(out, "send to %s\n", options->place.to);
	if (options->files.delay)
		fprintf(out, "record delay to: %s\n", options->files.delay);
	if (options->overrides)
		fputs("Overrides:\n", out);
	fflush(out);
}

/* "1024", or the text for no limit. */
static const char *print_count(uint64_t count, char *text, size_t room)
{
	if (count)
		snprintf(text, room, "%" PRIu64, count);
	else
		snprintf(text, room, "unlimited");
	return text;
}

void console_run(struct console *console, const struct options *options, uint64_t run)
{
	FILE *out = console->out;
	char count[24];

	console->counted = 0;
	console->column = 0;
	if (!out)
		return;
	print_count(options->load.messages, count, sizeof(count));
	fprintf(out, "counter %" PRIu64 "\n%s %s: ", run, words[console->transport].banner,
		console->transmit ? "Transmit" : "Receive");
	if (in_overlay(console))
		fprintf(out, "nbuf= %s\n", count);
	else
		fprintf(out, "buflen= %" PRIu64 "  nbuf= %s port= %" PRIu64 "\n",
			options->load.message_bytes, count, options->place.port);
	fflush(out);
}

void console_place(struct console *console, const char *self, const char *to, unsigned seconds)
{
	FILE *out = console->out;

	if (!out)
		return;
	fprintf(out, "This node's logical address is:%s\n", self);
	if (console->transmit)
		fprintf(out, "Send to %s\n", to ? to : "all");
	if (seconds)
		fprintf(out, "Waiting %usec before overlay network becomes stable...\n", seconds);
	fflush(out);
}

void console_event(const struct console *console, const char *name)
{
	if (console->events)
		fprintf(stderr, "eventOccurred: %s\n", name);
}

char *console_java_address(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	char *slash, *end;

	/* "NAME/IP:PORT" or "NAME/[IP]:PORT". */
	np_address_format(address, out);
	end = strrchr(out, ':');
	if (end)
		*end = '\0';
	slash = strrchr(out, '/');
	if (slash && slash[1] == '[') {
		memmove(slash + 1, slash + 2, strlen(slash + 1));
		slash[strlen(slash) - 1] = '\0';
	}
	return out;
}

void console_connected(struct console *console, const struct np_address *peer,
		       const struct np_address *local)
{
	char text[NP_ADDRESS_TEXT];

	if (!console->out)
		return;
	fprintf(console->out, "%s connection: Socket[addr=%s,port=%u,localport=%u].\n",
		console->transmit ? "Transmit" : "Receive", console_java_address(peer, text),
		np_address_port(peer), np_address_port(local));
	fflush(console->out);
}

void console_sending(struct console *console, const char *to, unsigned seconds)
{
	if (!console->out)
		return;
	fprintf(console->out, "Start to send %s packets", words[console->transport].packets);
	if (console->transport != TRANSPORT_TCP && !in_overlay(console))
		fprintf(console->out, " to %s", to);
	fputc('\n', console->out);
	if (seconds)
		fprintf(console->out, "Waiting %usec before transmiting...\n", seconds);
	fflush(console->out);
}

void console_listening(struct console *console)
{
	if (!console->out)
		return;
	/* The original's word for an overlay, too. */
	fprintf(console->out, "Wait to receive %s packets:\n",
		in_overlay(console) ? "multicast" : words[console->transport].packets);
	fflush(console->out);
}

void console_receiving(struct console *console, const struct options *options,
		       const struct message_start *start)
{
	const unsigned long long ms = (unsigned long long)(options->files.window / NP_MILLISECOND);
	const struct words *w = &words[console->transport];
	const bool overlay = in_overlay(console);
	FILE *out = console->out;
	char count[24];

	if (!out)
		return;
	if (start && overlay)
		fprintf(out, "Session set to: %s\n", start->session);
	else if (start && start->message_bytes != options->load.message_bytes)
		fprintf(out, "%s Receive: buflen adjusted to %" PRIu32 "\n", w->adjust,
			start->message_bytes);
	if (start)
		fprintf(out, "%s Receive: nbuf adjusted to %s\n", w->adjust,
			print_count(start->messages, count, sizeof(count)));
	if (start && overlay)
		fprintf(out, "Timeout set to: %" PRIu32 "\n", start->timeout_ms);
	if (!overlay)
		fprintf(out, "Start to receive %s packets:\n", w->packets);
	fprintf(out, "Bandwidth check interval set to%s: %llums\n",
		options->files.window_given ? "" : " default value", ms);
	if (overlay)
		fprintf(out, "Start to receive %s packets:\n", w->packets);
	fflush(out);
}

/*
 * A sender's dots are for messages 0, 50, 100 ..., a receiver's for the 50th, 100th ...: as in the
 * original's examples.
 */
static uint64_t dots_due(const struct console *console, uint64_t count)
{
	if (!console->transmit)
		return count / MESSAGES_EACH_DOT;
	return (count + MESSAGES_EACH_DOT - 1) / MESSAGES_EACH_DOT;
}

void console_count(struct console *console, uint64_t count)
{
	uint64_t dots =
		dots_due(console, console->counted + count) - dots_due(console, console->counted);
	char text[DOTS_AT_ONCE + DOTS_AT_ONCE / DOTS_EACH_LINE + 1];

	console->counted += count;
	if (!console->dots)
		return;
	while (dots) {
		size_t at = 0;

		for (; dots && at < DOTS_AT_ONCE; dots--) {
			text[at++] = '.';
			if (++console->column == DOTS_EACH_LINE) {
				text[at++] = '\n';
				console->column = 0;
			}
		}
		fwrite(text, 1, at, console->out);
		fflush(console->out);
	}
}

void console_pause(struct console *console, unsigned seconds)
{
	if (!console->out || !seconds)
		return;
	fprintf(console->out, "Waiting %usec before next transmission...\n", seconds);
	fflush(console->out);
}

/* Ends the line of dots before a line of ours. */
static FILE *begin_line(struct console *console)
{
	if (console->out && console->column)
		fputc('\n', console->out);
	console->column = 0;
	return console->out;
}

void console_interval(struct console *console, np_time at, const struct np_flow_counts *now,
		      bool waiting)
{
	const struct figures_rate rate = figures_rate(now->bytes, now->elapsed);
	char kilobytes[FIGURES_TEXT], kilobits[FIGURES_TEXT];
	FILE *out = console->original ? NULL : begin_line(console);

	if (!out)
		return;
	fprintf(out, "%9.3f s: %" PRIu64 " packets, %s KB/sec (%s Kbps)", np_clock_seconds(at),
		console->transmit ? now->sent : now->received,
		figures_print_float(rate.kilobytes_per_s, kilobytes),
		figures_print_float(rate.kilobits_per_s, kilobits));
	if (!console->transmit)
		fprintf(out, ", lost %" PRId64 ", out of order %" PRIu64, (int64_t)now->lost,
			now->reordered);
	fputs(waiting ? ", waiting\n" : "\n", out);
	fflush(out);
}

void console_window(struct console *console, const struct window_row *row)
{
	char end[FIGURES_TEXT], kilobits[FIGURES_TEXT];
	FILE *out = begin_line(console);

	if (!out)
		return;
	fprintf(out, "%s ms: %" PRIu64 " packets, %" PRIu64 " bytes, %s Kbps\n",
		figures_print_exact_ms(row->end, end), row->messages, row->bytes,
		figures_print_float(row->kilobits_per_s, kilobits));
	fflush(out);
}

void console_neighbour(struct console *console, const char *logical, const char *address,
		       bool child)
{
	FILE *out = begin_line(console);

	if (out)
		fprintf(out, "neighbor %s at %s%s\n", logical, address, child ? " child" : "");
}

void console_neighbours(struct console *console, const char *self, unsigned count)
{
	FILE *out = begin_line(console);

	if (!out)
		return;
	fprintf(out, "%u neighbors of %s\n", count, self);
	fflush(out);
}

static bool ends_with_acks(enum options_transport transport)
{
	return transport == TRANSPORT_UDP || transport == TRANSPORT_MULTICAST;
}

/* A UDP sender of the original ends with another word, unless it waits for ACKs. */
void console_finished(struct console *console, bool acks_wanted, bool last_ack)
{
	FILE *out = begin_line(console);

	if (!out)
		return;
	if (ends_with_acks(console->transport) && !acks_wanted) {
		fputs("\nACK Receiver stopped.\n", out);
	} else {
		fputs("finished.\n", out);
		if (last_ack)
			fputs(">\nLast ACK received.\n", out);
		fputc('\n', out);
	}
	fflush(out);
}

void console_leaving(struct console *console, unsigned seconds)
{
	if (!begin_line(console))
		return;
	fprintf(console->out, "Waiting %usec before %s...\n", seconds,
		console->transmit ? "leaving overlay network" : "finish");
	fflush(console->out);
}

char *console_transmit_text(enum options_transport transport, const struct record_transmit *result,
			    char *out, size_t room)
{
	const struct figures_rate rate = figures_rate(result->bytes, result->span);
	const struct receivers *receivers = result->receivers;
	const float rtt = receivers ? figures_mean_ms(receivers->rtt_sum, receivers->acks) : 0;
	char ms[FIGURES_TEXT], kilobytes[FIGURES_TEXT], kilobits[FIGURES_TEXT];
	char average[FIGURES_TEXT], acks[24] = "";

	/* A UDP sender that asked for no ACKs leaves their number out. */
	if (!ends_with_acks(transport) || result->acks_wanted)
		snprintf(acks, sizeof(acks), "%" PRIu64, receivers ? receivers->acks : 0);
	snprintf(out, room,
		 "Transmit: %" PRIu64 " packets in %s milli-seconds = %s KB/sec (%s Kbps).\n"
		 "%s ACKs recceived    Average round-trip-time=%sms\n",
		 result->messages, figures_print_ms(&rate, ms),
		 figures_print_float(rate.kilobytes_per_s, kilobytes),
		 figures_print_float(rate.kilobits_per_s, kilobits), acks,
		 figures_print_float(rtt, average));
	return out;
}

void console_transmitted(struct console *console, const struct record_transmit *result)
{
	char text[RESULT_ROOM];

	if (!console->out)
		return;
	fputs(console_transmit_text(console->transport, result, text, sizeof(text)), console->out);
	fflush(console->out);
}

char *console_receive_text(const struct record_receive *result, char *out, size_t room)
{
	const struct np_flow_counts *f = &result->figures;
	const struct figures_rate rate = figures_rate(f->bytes, f->elapsed);
	const float delay = figures_mean_ms(result->delays.mean, result->delays.count ? 1 : 0);
	char kilobits[FIGURES_TEXT], ratio[FIGURES_TEXT], average[FIGURES_TEXT];

	figures_print_float(rate.kilobits_per_s, kilobits);
	/* Messages without numbers have neither loss nor delay. */
	if (result->raw) {
		snprintf(out, room,
			 "Receive: Receive: %" PRIu64 " packets, %s Kbps, lost n/a packets, lost "
			 "ratio is n/a, retransmission n/a.\naverage delay=n/a\n",
			 f->received, kilobits);
		return out;
	}
	snprintf(out, room,
		 "Receive: Receive: %" PRIu64 " packets, %s Kbps, lost %" PRIu64
		 " packets, lost ratio is %s%%, retransmission %" PRIu64 ".\naverage delay=%s\n",
		 f->received, kilobits, f->lost,
		 figures_print_double(figures_lost_percent(f->lost, f->sent), ratio), f->duplicates,
		 figures_print_float(delay, average));
	return out;
}

/* The original's remark follows the dots on the same line. */
void console_received(struct console *console, const struct record_receive *result)
{
	char text[RESULT_ROOM];

	if (!console->out)
		return;
	if (!result->raw && result->figures.received < result->figures.sent) {
		fputs("Receive: Receiving finishes but not all packets received.\n", console->out);
		console->column = 0;
	}
	(void)begin_line(console);
	fputs(console_receive_text(result, text, sizeof(text)), console->out);
	fflush(console->out);
}
