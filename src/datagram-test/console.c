// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console: the banners, the publisher's summary, ticks and short messages. */
#include "console.h"

#include "console_figures.h"
#include "console_time.h"

#include <inttypes.h>

static void put_address(FILE *out, const struct np_address *address)
{
	char text[NP_ADDRESS_TEXT];

	fputs(np_address_format(address, text), out);
}

static uint64_t whole_mib(uint64_t packets, uint64_t packet_bytes)
{
	return (uint64_t)((unsigned __int128)packets * packet_bytes / CONSOLE_MIB);
}

static void put_sizes(FILE *out, uint64_t packet_bytes, uint64_t buffer_packets,
		      uint64_t report_packets, uint64_t process_bytes)
{
	fprintf(out,
		"packet size: %" PRIu64 " bytes\n"
		"buffer size: %" PRIu64 " packets\n"
		"  report on: %" PRIu64 " packets, %" PRIu64 " MBs\n"
		"    process: %" PRIu64 " bytes/packet\n",
		packet_bytes, buffer_packets, report_packets,
		whole_mib(report_packets, packet_bytes), process_bytes);
}

void console_listener_banner(FILE *out, const struct console_listener *about)
{
	fputs("starting listener: at ", out);
	put_address(out, about->local);
	fputc('\n', out);
	put_sizes(out, about->packet_bytes, about->buffer_packets, about->report_packets,
		  about->process_bytes);
	fprintf(out, "        log: %s\n     log on: %" PRIu64 " MBs\n\n",
		about->log ? about->log : "null",
		whole_mib(about->log_packets, about->packet_bytes));
}

static void put_peers(FILE *out, const struct np_address_list *peers)
{
	size_t i;

	for (i = 0; i < peers->count; i++) {
		fputs(i ? ", " : "", out);
		put_address(out, &peers->item[i]);
	}
}

void console_publisher_banner(FILE *out, const struct console_publisher *about)
{
	fputs("starting publisher: at ", out);
	put_address(out, about->at);
	fputs(" sending to ", out);
	put_peers(out, about->peers);
	fputc('\n', out);
	put_sizes(out, about->packet_bytes, about->buffer_packets, about->report_packets,
		  about->process_bytes);
	fprintf(out, "      peers: %zu\n", about->peers->count);
	if (about->rate_mb_per_s > 0)
		fprintf(out, "       rate: %.10g\nsetting packet burst to %" PRIu64 "\n",
			about->rate_mb_per_s, about->burst);
	else
		fputs("       rate: no limit\nno packet burst limit\n", out);
}

static void put_tx_rate(FILE *out, const char *span, const struct np_flow_counts *c)
{
	struct console_rate rate = console_rate(c->elapsed, c->bytes, c->sent);

	if (rate.known)
		fprintf(out, "%7s: %" PRId32 " MB/sec, %" PRId32 " packets/sec\n", span,
			rate.mib_per_s, rate.packets_per_s);
	else
		fprintf(out, "%7s: NaN, NaN\n", span);
}

void console_tx_summary(FILE *out, const struct console_style *style,
			const struct console_publisher *about, const struct np_flow_counts *life,
			const struct np_flow_counts *now)
{
	char completed[CONSOLE_TIME_TEXT];

	fputs("\nTx summary ", out);
	if (style->newest) {
		fputs("for ", out);
		put_address(out, about->at);
		fputs(" to ", out);
	}
	fprintf(out, "%zu peers:\n", about->peers->count);
	put_tx_rate(out, "life", life);
	put_tx_rate(out, "now", now);
	if (style->newest)
		fprintf(out, "     duration: %" PRId64 "ms\n    completed: %s\n",
			life->elapsed / NP_MILLISECOND, console_time(style->completed, completed));
}

void console_receiving(FILE *out, const struct np_address *local, size_t publishers)
{
	fputc('\n', out);
	put_address(out, local);
	fprintf(out, " receiving data from %zu publisher(s).\n", publishers);
}

void console_stopped(FILE *out)
{
	fputs("\nClients have stopped.\n", out);
}

size_t console_ticks(char small, uint64_t before, uint64_t after, uint64_t interval, char *out,
		     size_t room)
{
	char capital = (char)(small - 'a' + 'A');
	uint64_t tick, last;
	size_t count = 0;

	if (!interval)
		return 0;
	last = after / interval;
	for (tick = before / interval + 1; tick <= last && count < room; tick++)
		out[count++] = tick % 10 ? small : capital;
	return count;
}
