// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * console: prints the text before and during a run. Words and spelling are the original's; for TCP
 * receivers and groups, whose text is not known, they follow the most similar one.
 */
#include "console.h"

#include "../config/names.h"

#include <inttypes.h>
#include <string.h>

#define MESSAGES_EACH_DOT 50
#define DOTS_EACH_LINE	  20
#define DOTS_AT_ONCE	  4096

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

static const struct words *words_of(const struct console *console)
{
	return &words[console->transport];
}

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
	fprintf(out, "counter %" PRIu64 "\n%s %s: ", run, words_of(console)->banner,
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

void console_connected(struct console *console, const struct np_address *peer,
		       const struct np_address *local)
{
	char text[NP_ADDRESS_TEXT];

	if (!console->out)
		return;
	fprintf(console->out, "%s connection: Socket[addr=%s,port=%u,localport=%u].\n",
		console->transmit ? "Transmit" : "Receive", names_java_address(peer, text),
		np_address_port(peer), np_address_port(local));
	fflush(console->out);
}

void console_sending(struct console *console, const char *to, unsigned seconds)
{
	if (!console->out)
		return;
	fprintf(console->out, "Start to send %s packets", words_of(console)->packets);
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
		in_overlay(console) ? "multicast" : words_of(console)->packets);
	fflush(console->out);
}

static void put_adjusted(struct console *console, const struct options *options,
			 const struct message_start *start)
{
	const char *name = words_of(console)->adjust;
	char count[24];

	if (in_overlay(console))
		fprintf(console->out, "Session set to: %s\n", start->session);
	else if (start->message_bytes != options->load.message_bytes)
		fprintf(console->out, "%s Receive: buflen adjusted to %" PRIu32 "\n", name,
			start->message_bytes);
	fprintf(console->out, "%s Receive: nbuf adjusted to %s\n", name,
		print_count(start->messages, count, sizeof(count)));
	if (in_overlay(console))
		fprintf(console->out, "Timeout set to: %" PRIu32 "\n", start->timeout_ms);
}

static void put_start(struct console *console)
{
	fprintf(console->out, "Start to receive %s packets:\n", words_of(console)->packets);
}

void console_receiving(struct console *console, const struct options *options,
		       const struct message_start *start)
{
	const unsigned long long ms = (unsigned long long)(options->files.window / NP_MILLISECOND);

	if (!console->out)
		return;
	if (start)
		put_adjusted(console, options, start);
	if (!in_overlay(console))
		put_start(console);
	if (options->files.window_given)
		fprintf(console->out, "Bandwidth check interval set to: %llums\n", ms);
	else
		fprintf(console->out, "Bandwidth check interval set to default value: %llums\n",
			ms);
	if (in_overlay(console))
		put_start(console);
	fflush(console->out);
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
