/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tally: a receiver's counts of the messages of one stream in one run, exact to the message; and
 * the sum of streams. Pure: messages and the clock are arguments. One thread at a time.
 */
#ifndef TTCP_CONVERSATION_TALLY_H
#define TTCP_CONVERSATION_TALLY_H

#include "delay.h"

#include <netperf/flow.h>

struct tally;

/* Returns 0 or -ENOMEM. */
int tally_create(struct tally **tally);
void tally_free(struct tally *tally);

/*
 * Starts a run: resets everything. @messages: announced, 0: unknown. @clock: as known before the
 * first DATA, NULL: unknown.
 */
void tally_begin(struct tally *tally, uint64_t messages, const struct message_clock *clock);

/* The same, when the receiver may have started in the middle of the run: START was not received. */
void tally_begin_late(struct tally *tally);

/*
 * The first @bytes of a DATA arrived at @at, incomplete yet: in a stream it is known when a message
 * begins.
 */
void tally_opens(struct tally *tally, uint64_t bytes, np_time at);

/*
 * Counts @count DATA of @bytes each, with consecutive numbers from @number on, that were sent at
 * @sent by the sender's clock and arrived together at @at by ours. If they are in order, many cost
 * as much as one. Hot.
 */
void tally_add(struct tally *tally, uint64_t number, uint64_t count, uint32_t bytes, np_time sent,
	       np_time at);

/*
 * Classic: counts datagrams without numbers, or reads of a raw stream; nothing is known of loss or
 * delay.
 */
void tally_raw(struct tally *tally, uint64_t messages, uint64_t bytes, np_time at);

/* A message of this stream arrived damaged. */
void tally_damaged(struct tally *tally);

/*
 * END arrived: @messages have numbers, of which @unsent never left the sender and so are not lost.
 * May be repeated. A number beyond 2^63 is ignored.
 */
void tally_end(struct tally *tally, uint64_t messages, uint64_t unsent);

/* Everything that was announced, or reported by END, has arrived. */
bool tally_complete(const struct tally *tally);

void tally_life(const struct tally *tally, struct np_flow_counts *figures);

/* The same while a run goes on: what was announced and has not come yet is not lost. */
void tally_so_far(const struct tally *tally, struct np_flow_counts *figures);

/* Widens @spread to the travel times of these messages, by clocks a constant apart. */
void tally_spread(const struct tally *tally, struct np_flow_spread *spread);

/* Adds the delays of all DATA, without duplicates, to @sum. */
void tally_delays(const struct tally *tally, struct np_delay *sum);

/* Adds to @sum those since the last cut. @clock: as far as it is known. */
void tally_cut_delays(struct tally *tally, const struct message_clock *clock, struct np_delay *sum);

/* What a REPORT says of @figures and the merged @delay; status, drops and clock are the caller's.
 */
void tally_report(const struct np_flow_counts *figures, const struct np_delay *delay,
		  struct message_report *report);

#endif
