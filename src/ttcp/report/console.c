// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * console: prints the text of a run. Words and spelling are the original's; for TCP receivers and
 * groups, whose text is not known, they follow the most similar one. Intervals, windows and
 * neighbours are not in the original. Computes the numbers of that text, too.
 */
#include "report.h"

#include <inttypes.h>
#include <stdarg.h>

#define MESSAGES_EACH_DOT 50
#define DOTS_EACH_LINE	  20
#define DOTS_AT_ONCE	  4096
#define MS		  ((double)NP_MILLISECOND)

struct figures_rate figures_rate(uint64_t bytes, np_time elapsed)
{
	const int64_t whole_ms = (elapsed + NP_MILLISECOND / 2) / NP_MILLISECOND;
	const double part_ms = elapsed > 0 ? (double)elapsed / MS : 1;
	const double ms = elapsed >= FIGURES_SHORT ? (double)whole_ms : part_ms;
	const float kilobytes = (float)bytes / (float)ms;
	struct figures_rate rate;

	if (elapsed >= FIGURES_SHORT || ms == 1)
		snprintf(rate.ms, sizeof(rate.ms), "%.0f", ms);
	else
		figures_print_float((float)ms, rate.ms);
	figures_print_float(kilobytes, rate.kilobytes_per_s);
	figures_print_float(kilobytes * 8, rate.kilobits_per_s);
	return rate;
}

float figures_mean_ms(__int128 sum, uint64_t count)
{
	/* Equals the float of a sum in ms: a double represents both to 53 bits. */
	return count ? (float)((double)sum / MS / (double)count) : 0;
}

char *figures_put_count(uint64_t number, char *out)
{
	char digits[20], *at = digits + sizeof(digits);

	for (; number >= 10; number /= 10)
		*--at = (char)('0' + number % 10);
	*--at = (char)('0' + number);
	return mempcpy(out, at, (size_t)(digits + sizeof(digits) - at));
}

char *figures_put_ms(np_time t, char *out)
{
	const uint64_t ns = t < 0 ? -(uint64_t)t : (uint64_t)t;
	char *point, *end;

	if (t < 0)
		*out++ = '-';
	point = figures_put_count(ns / NP_MILLISECOND, out);
	if (ns % NP_MILLISECOND == 0)
		return point;
	/* Leading zeros follow the 1, which becomes the point. */
	end = figures_put_count(NP_MILLISECOND + ns % NP_MILLISECOND, point);
	*point = '.';
	while (end[-1] == '0')
		end--;
	return end;
}

static bool in_overlay(const struct console *console)
{
	return console->options->place.transport == TRANSPORT_OVERLAY;
}

/* To one host, or to a group. */
static bool over_udp(const struct console *console)
{
	return console->options->place.transport != TRANSPORT_TCP && !in_overlay(console);
}

static bool sends(const struct console *console)
{
	return console->options->task == TASK_TRANSMIT;
}

static const struct options_transport_words *words_of(const struct console *console)
{
	return &options_transports[console->options->place.transport];
}

void console_init(struct console *console, FILE *out, const struct options *options)
{
	const bool alone = options->report.layout == NP_REPORT_RESULT ||
			   options->report.layout == NP_REPORT_FULL;
	/* Of trials a line each is enough. */
	FILE *lines = alone || options->load.find ? NULL : out;

	*console = (struct console){
		.out = lines,
		.block = options->report.layout == NP_REPORT_ORIGINAL ? NULL : out,
		.dots = lines && !options->report.quiet,
		.events = out != NULL,
		.options = options,
	};
}

/* Ends the line of dots before a line of ours. */
static void begin_line(struct console *console)
{
	if (console->column)
		fputc('\n', console->out);
	console->column = 0;
}

void console_say(struct console *console, const char *format, ...)
{
	va_list arguments;

	if (!console->out)
		return;
	begin_line(console);
	va_start(arguments, format);
	vfprintf(console->out, format, arguments);
	va_end(arguments);
	fflush(console->out);
}

void console_waiting(struct console *console, unsigned seconds, const char *before)
{
	console_say(console, "Waiting %usec before %s...\n", seconds, before);
}

/* "1024", or the text for no limit. */
static struct np_text count_text(uint64_t count)
{
	return count ? np_text_of("%" PRIu64, count) : np_text_of("unlimited");
}

void console_run(struct console *console, uint64_t run, const char *self)
{
	const struct options *options = console->options;
	const char *to = options->place.to, *side = sends(console) ? "Transmit" : "Receive";
	const char *banner = words_of(console)->name;
	const struct np_text count = count_text(options->load.messages);

	console->counted = 0;
	console->column = 0;
	if (run == 1) {
		console_say(console, "Overlay TTCP\n");
		if (sends(console) && to)
			console_say(console, "send to %s\n", to);
		if (options->files.delay)
			console_say(console, "record delay to: %s\n", options->files.delay);
		if (options->overrides)
			console_say(console, "Overrides:\n");
	}
	console_say(console, "counter %" PRIu64 "\n", run);
	if (!in_overlay(console))
		console_say(console, "%s %s: buflen= %" PRIu64 "  nbuf= %s port= %" PRIu64 "\n",
			    banner, side, options->load.message_bytes, count.text,
			    options->place.port);
	else
		console_say(console, "%s %s: nbuf= %s\n", banner, side, count.text);
	if (self)
		console_say(console, "This node's logical address is:%s\n", self);
	if (self && sends(console))
		console_say(console, "Send to %s\n", to ? to : "all");
}

void console_event(const struct console *console, const char *name)
{
	np_status_erase(console->status);
	if (console->events)
		fprintf(stderr, "eventOccurred: %s\n", name);
}

char *console_host(const char *address, char out[NP_ADDRESS_TEXT])
{
	const char *port = strrchr(address, ':');
	char *end = out;

	for (; address < port; address++) {
		if (*address != '[' && *address != ']')
			*end++ = *address;
	}
	*end = '\0';
	return out;
}

void console_connected(struct console *console, const struct np_address *peer,
		       const struct np_address *local)
{
	char text[NP_ADDRESS_TEXT];

	if (!console->out)
		return;
	/* "/10.0.0.2", "box/10.0.0.2", "/fd00:0:0:0:0:0:0:2": like Java's InetAddress. */
	console_say(console, "%s connection: Socket[addr=%s,port=%u,localport=%u].\n",
		    sends(console) ? "Transmit" : "Receive",
		    console_host(np_address_format(peer).text, text), np_address_port(peer),
		    np_address_port(local));
}

void console_sending(struct console *console, const char *to)
{
	const bool named = over_udp(console);

	console_say(console, "Start to send %s packets%s%s\n", words_of(console)->packets,
		    named ? " to " : "", named ? to : "");
}

void console_listening(struct console *console)
{
	/* The original's word for an overlay, too. */
	console_say(console, "Wait to receive %s packets:\n",
		    in_overlay(console) ? "multicast" : words_of(console)->packets);
}

void console_receiving(struct console *console, const struct message_start *start)
{
	const struct options *options = console->options;
	const unsigned long long ms = (unsigned long long)(options->files.window / NP_MILLISECOND);
	const struct options_transport_words *w = words_of(console);
	const bool overlay = in_overlay(console);

	if (start && overlay)
		console_say(console, "Session set to: %s\n", start->session);
	else if (start && start->message_bytes != options->load.message_bytes)
		console_say(console, "%s Receive: buflen adjusted to %" PRIu32 "\n", w->adjust,
			    start->message_bytes);
	if (start)
		console_say(console, "%s Receive: nbuf adjusted to %s\n", w->adjust,
			    count_text(start->messages).text);
	if (start && overlay)
		console_say(console, "Timeout set to: %" PRIu32 "\n", start->timeout_ms);
	if (!overlay)
		console_say(console, "Start to receive %s packets:\n", w->packets);
	console_say(console, "Bandwidth check interval set to%s: %llums\n",
		    options->words.bandwidth.given ? "" : " default value", ms);
	if (overlay)
		console_say(console, "Start to receive %s packets:\n", w->packets);
}

/*
 * A sender's dots are for messages 0, 50, 100 ..., a receiver's for the 50th, 100th ...: as in the
 * original's examples.
 */
static uint64_t dots_due(const struct console *console, uint64_t count)
{
	if (!sends(console))
		return count / MESSAGES_EACH_DOT;
	return (count + MESSAGES_EACH_DOT - 1) / MESSAGES_EACH_DOT;
}

void console_count(struct console *console, uint64_t count)
{
	uint64_t dots = dots_due(console, count) - dots_due(console, console->counted);
	char text[DOTS_AT_ONCE + DOTS_AT_ONCE / DOTS_EACH_LINE + 1];

	console->counted = count;
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

void console_interval(struct console *console, const char *client, np_time at,
		      const struct np_flow_counts *now, bool waiting)
{
	const double bytes = (double)now->bytes * np_flow_counts_share(now);
	const struct figures_rate rate = figures_rate((uint64_t)bytes, now->elapsed);
	char lost[80] = "";
	FILE *out = console->rows ? console->rows : console->out;

	if (console->options->report.layout == NP_REPORT_ORIGINAL)
		return;
	begin_line(console);
	if (!sends(console))
		snprintf(lost, sizeof(lost), ", lost %" PRId64 ", out of order %" PRIu64,
			 (int64_t)now->lost, now->reordered);
	if (!out)
		return;
	fprintf(out, "%s%s%9.3f s: %" PRIu64 " packets, %s KB/sec (%s Kbps)%s%s\n",
		console->rows ? client : "", console->rows ? ": " : "", np_clock_seconds(at),
		sends(console) ? now->sent : now->received, rate.kilobytes_per_s,
		rate.kilobits_per_s, lost, waiting ? ", waiting" : "");
	fflush(out);
}

/* A UDP sender of the original ends with another word, unless it waits for ACKs. */
void console_finished(struct console *console, bool acks_wanted, bool last_ack)
{
	if (over_udp(console) && !acks_wanted)
		console_say(console, "\nACK Receiver stopped.\n");
	else
		console_say(console, "finished.\n%s\n", last_ack ? ">\nLast ACK received.\n" : "");
}

void console_transmitted(struct console *console, const struct record_transmit *result,
			 char out[CONSOLE_RESULT])
{
	const struct np_flow_counts *f = &result->figures;
	const struct figures_rate rate = figures_rate(f->bytes, f->last - f->first);
	const struct receivers *receivers = result->receivers;
	const float rtt = receivers ? figures_mean_ms(receivers->rtt_sum, receivers->acks) : 0;
	char average[FIGURES_TEXT], acks[24] = "";

	/* A UDP sender that asked for no ACKs leaves their number out. */
	if (!over_udp(console) || result->acks_wanted)
		snprintf(acks, sizeof(acks), "%" PRIu64, receivers ? receivers->acks : 0);
	snprintf(out, CONSOLE_RESULT,
		 "Transmit: %" PRIu64 " packets in %s milli-seconds = %s KB/sec (%s Kbps).\n"
		 "%s ACKs recceived    Average round-trip-time=%sms\n",
		 f->sent, rate.ms, rate.kilobytes_per_s, rate.kilobits_per_s, acks,
		 figures_print_float(rtt, average));
	console_say(console, "%s", out);
}

/* The original's remark follows the dots on the same line. */
void console_received(struct console *console, const struct record_receive *result,
		      char out[CONSOLE_RESULT])
{
	const struct np_flow_counts *f = &result->report.counts;
	const double lost = f->sent ? (double)f->lost / (double)f->sent * 100 : 0;
	const struct figures_rate rate = figures_rate(f->bytes, f->elapsed);
	const float delay =
		figures_mean_ms(result->report.delays.mean, result->report.delays.count ? 1 : 0);
	char ratio[FIGURES_TEXT], average[FIGURES_TEXT];

	if (!result->raw && f->received < f->sent) {
		console->column = 0;
		console_say(console, "Receive: Receiving finishes but not all packets received.\n");
	}
	/* Messages without numbers have neither loss nor delay. */
	if (result->raw)
		snprintf(out, CONSOLE_RESULT,
			 "Receive: Receive: %" PRIu64 " packets, %s Kbps, lost n/a packets, lost "
			 "ratio is n/a, retransmission n/a.\naverage delay=n/a\n",
			 f->received, rate.kilobits_per_s);
	else
		snprintf(out, CONSOLE_RESULT,
			 "Receive: Receive: %" PRIu64 " packets, %s Kbps, lost %" PRIu64
			 " packets, lost ratio is %s%%, retransmission %" PRIu64
			 ".\naverage delay=%s\n",
			 f->received, rate.kilobits_per_s, f->lost,
			 np_decimal(lost, NP_DECIMAL_PLAIN, ratio, sizeof(ratio)), f->duplicates,
			 figures_print_float(delay, average));
	console_say(console, "%s", out);
}
