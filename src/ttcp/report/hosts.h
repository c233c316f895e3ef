/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* hosts: what each host dropped of a run, by its kernel's reasons, and what neither did. */
#ifndef TTCP_REPORT_HOSTS_H
#define TTCP_REPORT_HOSTS_H

#include <netperf/drops.h>
#include <netperf/report.h>

/* Of one run, from one sender to one receiver. */
struct hosts {
	uint64_t lost;
	/* A dropped message need not be a lost one: copies were dropped, or the end is unknown. */
	bool doubtful;
	struct np_drops_total sender, receiver;
};

/* How many of the lost neither host dropped. True when that is known to the message. */
bool hosts_way(const struct hosts *hosts, uint64_t *way);

/* Adds what is known of it to a record. */
void hosts_record(struct np_record *record, const struct hosts *hosts);

#endif
