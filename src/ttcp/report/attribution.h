/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* attribution: what became of a run's messages and where the lost were lost: one account for text
 * and records. */
#ifndef TTCP_REPORT_ATTRIBUTION_H
#define TTCP_REPORT_ATTRIBUTION_H

#include "record.h"

#include <netperf/result.h>

/* At a receiver, of messages with numbers. */
struct np_result attribution_receive(const struct record_receive *result);

/* At a sender, as @receiver reported. */
struct np_result attribution_report(const struct record_transmit *sent,
				    const struct receivers_receiver *receiver);

/* Adds to @record where the lost were lost, and "exact": whether they and @counted are. */
void attribution_record(struct np_record *record, const struct np_result *result, bool counted);

#endif
