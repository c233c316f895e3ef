/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tally: a receiver's account of the messages of one stream of one run, right to the message; and
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
 * A new run begins: forgets all. @messages: announced, 0: not known. @clock: as known before the
 * first DATA, NULL: not at all.
 */
void tally_begin(struct tally *tally, uint64_t messages, const struct message_clock *clock);

/* The same, but who counts may have come in the middle of it: START was not heard. */
void tally_begin_late(struct tally *tally);

/*
 * The first @bytes of a DATA came at @at, which is not whole yet: of a stream it is known when a
 * message begins.
 */
void tally_opens(struct tally *tally, uint64_t bytes, np_time at);

/*
 * @count DATA of @bytes each, numbered one behind the other from @number on, that were sent at
 * @sent by the sender's clock and came together at @at by ours. In order they cost what one does.
 * Hot.
 */
void tally_add(struct tally *tally, uint64_t number, uint64_t count, uint32_t bytes, np_time sent,
	       np_time at);

/*
 * Classic: datagrams without numbers, or reads of a raw stream: they count, nothing is known of
 * loss or delay.
 */
void tally_raw(struct tally *tally, uint64_t messages, uint64_t bytes, np_time at);

/* A message of this stream came damaged. */
void tally_damaged(struct tally *tally);

/*
 * END came: @messages have numbers, of which @unsent never left the sender and so are not lost.
 * Again is no harm. A number beyond 2^63 is not believed.
 */
void tally_end(struct tally *tally, uint64_t messages, uint64_t unsent);

/* All that was announced or ended with is here. */
bool tally_complete(const struct tally *tally);

void tally_life(const struct tally *tally, struct np_flow_counts *figures);

/* The same while a run goes on: what was announced and has not come yet is not lost. */
void tally_so_far(const struct tally *tally, struct np_flow_counts *figures);

/* How long they were under way, by clocks a constant apart: widens @spread. */
void tally_spread(const struct tally *tally, struct np_flow_spread *spread);

/* The delays of all DATA that came, duplicates left out. */
const struct np_delay *tally_delay(const struct tally *tally);

/* What a REPORT says of @figures and the merged @delay; status, drops and clock are the caller's.
 */
void tally_report(const struct np_flow_counts *figures, const struct np_delay *delay,
		  struct message_report *report);

#endif
