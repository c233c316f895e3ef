/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* facts: what --report=full says of a run beside the result block's figures. */
#ifndef TTCP_REPORT_FACTS_H
#define TTCP_REPORT_FACTS_H

#include "record.h"

#include <netperf/result.h>

/* With @full NULL none of them does anything. */

/* What was asked for: @start as the sender announced it; NULL: nothing was announced. */
void facts_run(struct np_block_full *full, const struct options *options,
	       const struct message_start *start);

/* A socket of the run. */
void facts_stream(struct np_block_full *full, const struct np_stream_info *info);
void facts_datagram(struct np_block_full *full, const struct np_datagram_info *info);
void facts_overlay(struct np_block_full *full, const struct np_overlay_info *info);

/* What happened at a sender, and at a receiver. */
void facts_transmit(struct np_block_full *full, const struct record_transmit *result);
void facts_receive(struct np_block_full *full, const struct record_receive *result);

#endif
