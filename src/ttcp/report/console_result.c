// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_result: prints the original's lines at the end of a run. */
#include "console.h"

#include <inttypes.h>
#include <string.h>

#define RESULT_ROOM 1024

static void end_dots(struct console *console)
{
	if (console->column)
		fputc('\n', console->out);
	console->column = 0;
}

static bool ends_with_acks(enum options_transport transport)
{
	return transport == TRANSPORT_UDP || transport == TRANSPORT_MULTICAST;
}

/* A UDP sender of the original ends with another word, unless it waits for ACKs. */
void console_finished(struct console *console, bool acks_wanted, bool last_ack)
{
	FILE *out = console->out;

	if (!out)
		return;
	end_dots(console);
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
	if (!console->out)
		return;
	end_dots(console);
	fprintf(console->out, "Waiting %usec before %s...\n", seconds,
		console->transmit ? "leaving overlay network" : "finish");
	fflush(console->out);
}

/* Prints the number of ACKs, which a UDP sender that asked for none leaves out. */
static void print_acks(enum options_transport transport, const struct console_transmit *result,
		       char *text, size_t room)
{
	const uint64_t acks = result->receivers ? result->receivers->acks : 0;

	if (ends_with_acks(transport) && !result->acks_wanted)
		snprintf(text, room, "%s", "");
	else
		snprintf(text, room, "%" PRIu64, acks);
}

char *console_transmit_text(enum options_transport transport, const struct console_transmit *result,
			    char *out, size_t room)
{
	const struct figures_rate rate = figures_rate(result->bytes, result->elapsed);
	const struct receivers *receivers = result->receivers;
	const float rtt = receivers ? figures_mean_ms(receivers->rtt_sum, receivers->acks) : 0;
	char ms[FIGURES_TEXT], kilobytes[FIGURES_TEXT], kilobits[FIGURES_TEXT];
	char average[FIGURES_TEXT], acks[24];

	print_acks(transport, result, acks, sizeof(acks));
	snprintf(out, room,
		 "Transmit: %" PRIu64 " packets in %s milli-seconds = %s KB/sec (%s Kbps).\n"
		 "%s ACKs recceived    Average round-trip-time=%sms\n",
		 result->messages, figures_print_ms(&rate, ms),
		 figures_print_float(rate.kilobytes_per_s, kilobytes),
		 figures_print_float(rate.kilobits_per_s, kilobits), acks,
		 figures_print_float(rtt, average));
	return out;
}

void console_transmitted(struct console *console, const struct console_transmit *result)
{
	char text[RESULT_ROOM];

	if (!console->out)
		return;
	fputs(console_transmit_text(console->transport, result, text, sizeof(text)), console->out);
	fflush(console->out);
}

/* Messages without numbers have neither loss nor delay. */
static char *raw_text(const struct console_receive *result, const char *kilobits, char *out,
		      size_t room)
{
	snprintf(out, room,
		 "Receive: Receive: %" PRIu64 " packets, %s Kbps, lost n/a packets, lost ratio is "
		 "n/a, retransmission n/a.\naverage delay=n/a\n",
		 result->figures.received, kilobits);
	return out;
}

char *console_receive_text(const struct console_receive *result, char *out, size_t room)
{
	const struct np_flow_counts *f = &result->figures;
	const struct figures_rate rate = figures_rate(f->bytes, f->elapsed);
	const float delay = figures_mean_ms(result->delays.mean, result->delays.count ? 1 : 0);
	char kilobits[FIGURES_TEXT], ratio[FIGURES_TEXT], average[FIGURES_TEXT];

	figures_print_float(rate.kilobits_per_s, kilobits);
	if (result->raw)
		return raw_text(result, kilobits, out, room);
	snprintf(out, room,
		 "Receive: Receive: %" PRIu64 " packets, %s Kbps, lost %" PRIu64
		 " packets, lost ratio is %s%%, retransmission %" PRIu64 ".\naverage delay=%s\n",
		 f->received, kilobits, f->lost,
		 figures_print_double(figures_lost_percent(f->lost, f->sent), ratio), f->duplicates,
		 figures_print_float(delay, average));
	return out;
}

/* The original's remark follows the dots on the same line. */
void console_received(struct console *console, const struct console_receive *result)
{
	char text[RESULT_ROOM];

	if (!console->out)
		return;
	if (!result->raw && result->figures.received < result->figures.sent) {
		fputs("Receive: Receiving finishes but not all packets received.\n", console->out);
		console->column = 0;
	}
	end_dots(console);
	fputs(console_receive_text(result, text, sizeof(text)), console->out);
	fflush(console->out);
}
