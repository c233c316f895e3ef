// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* log_file: writes rows of numbers separated by blanks, as -f of 3.0.16 does. */
#include "log_file.h"

#include <inttypes.h>
#include <netperf/units.h>
#include <sys/sysinfo.h>

void log_file_heading(FILE *out, bool transport)
{
	fprintf(out,
		"\n##### msgs_received, current time (in ms), msgs/sec, throughput/sec [KB], "
		"free_mem [KB] , total_mem [KB] %s\n",
		transport ? ", sent, received, dropped " : "");
}

void log_file_row(FILE *out, const struct result_row *so_far, uint64_t msg_size, np_time now,
		  const struct transport_stats *stats)
{
	struct np_clock_pair pair = np_clock_pair_read();
	char rate[NP_DECIMAL_TEXT], bytes[NP_DECIMAL_TEXT];
	double elapsed = np_clock_seconds(now - so_far->counts.first);
	double per_s =
		so_far->counts.first && elapsed > 0 ? (double)so_far->counts.received / elapsed : 0;
	struct sysinfo memory = {};

	sysinfo(&memory);
	fprintf(out, "%" PRIu64 " %" PRId64 " %s %s %llu %llu", so_far->counts.received,
		pair.realtime / NP_MILLISECOND, np_decimal_two(per_s, rate, sizeof(rate)),
		np_decimal_two(per_s * (double)msg_size, bytes, sizeof(bytes)),
		(unsigned long long)memory.freeram * memory.mem_unit / 1024,
		(unsigned long long)memory.totalram * memory.mem_unit / 1024);
	if (stats)
		fprintf(out, " %" PRIu64 " %" PRIu64 " %" PRIu64, stats->sent_messages,
			stats->received_messages, stats->dropped);
	fputc('\n', out);
}
