// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* report_full: what --report=full adds to the result. */
#include "report.h"

#include <inttypes.h>
#include <netperf/units.h>

#define SAY(part, ...) np_block_full_say(full, part, __VA_ARGS__)

static void describe_load(struct np_block_full *full, const struct options *o,
			  const struct result *r)
{
	const struct traffic_options *t = &o->traffic;

	SAY(NP_BLOCK_CONFIGURATION, "request", "%" PRIu64 " sectors, %" PRIu64 " bytes",
	    t->sector_count, t->sector_count * NP_AOE_SECTOR_BYTES);
	SAY(NP_BLOCK_CONFIGURATION, "window", "%u packets", r->window);
	if (t->rate_packets_per_s > 0)
		SAY(NP_BLOCK_CONFIGURATION, "rate", "%.6g packets/s", t->rate_packets_per_s);
	SAY(NP_BLOCK_CONFIGURATION, "timeout", "%.3f s", np_clock_seconds(t->timeout));
	if (t->retransmit)
		SAY(NP_BLOCK_CONFIGURATION, "retransmit", "%" PRIu64 " times", t->retransmit);
	SAY(NP_BLOCK_CONFIGURATION, "warm-up", "%.3f s", np_clock_seconds(t->warm_up));
}

static void describe_region(struct np_block_full *full, const struct reporter *reporter,
			    const struct result *r)
{
	const struct data_options *d = &reporter->options->data;
	const uint64_t disk = reporter->target->identity.sectors * NP_AOE_SECTOR_BYTES;

	SAY(NP_BLOCK_CONFIGURATION, "region", "%" PRIu64 " bytes at %" PRIu64 ", %s",
	    d->size_bytes ? d->size_bytes : disk - d->offset_bytes, d->offset_bytes,
	    d->random ? "random" : "linear");
	SAY(NP_BLOCK_CONFIGURATION, "passes", "%" PRIu64, r->passes);
}

static void describe_host(struct np_block_full *full, const struct reporter *reporter,
			  const struct result *r)
{
	char bounds[NP_PATH_TEXT];

	SAY(NP_BLOCK_TRANSPORT, "link", "%s, stamps by %s", reporter->link, reporter->stamps);
	if (r->tally.lost)
		SAY(NP_BLOCK_HOSTS, "path loss here, at most",
		    "%s (frames of all programs, before the packet layer)",
		    np_path_format(&r->path, bounds));
	if (r->rechecks.rounds)
		SAY(NP_BLOCK_HOSTS, "target examined again",
		    "%" PRIu64 " times, %" PRIu64 " questions, writes held for %.3f s",
		    r->rechecks.rounds, r->rechecks.questions, np_clock_seconds(r->rechecks.held));
	SAY(NP_BLOCK_HOSTS, "context switches", "%" PRIu64 " voluntary, %" PRIu64 " forced",
	    r->usage.voluntary_switches, r->usage.involuntary_switches);
}

void report_full(FILE *text, const struct reporter *reporter, const struct result *result)
{
	static const char *const times[] = {"", "rtt", "from intended sending"};
	struct np_block block = np_block_init("", "received", reporter->options->unit);

	describe_load(reporter->full, reporter->options, result);
	describe_region(reporter->full, reporter, result);
	describe_host(reporter->full, reporter, result);
	block.times = times;
	block.full = reporter->full;
	np_histogram_figures(result->rtt, &block.rtt);
	np_histogram_figures(result->paced, &block.delay_raw);
	np_block_print_full(text, &block);
	np_block_full_clear(reporter->full);
}
