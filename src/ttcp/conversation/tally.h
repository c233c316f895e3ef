/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * tally: a receiver's account of the messages of one stream of one run, right to the message; and
 * the sum of streams. Pure: messages and the clock are arguments. One thread at a time.
 */
#ifndef TTCP_CONVERSATION_TALLY_H
#define TTCP_CONVERSATION_TALLY_H

#include "delay.h"

#include <netperf/sequence.h>

struct tally;

/* What came, of a stream or of several, of a run or since the last mark. */
struct tally_figures {
	/* received + lost + late: by END, else by START, else up to the highest number seen. */
	uint64_t sent;
	bool sent_known;     /* by END; or all that START announced came */
	uint64_t received;   /* different ones */
	uint64_t lost;	     /* never came, or damaged */
	uint64_t duplicates; /* "retransmission" */
	uint64_t reordered;
	uint64_t late;	  /* too old to tell whether they came before */
	uint64_t damaged; /* known to be of this stream; their numbers are among the lost */
	/* Before the first that came, in mid-run: lost, or sent before. In neither sent nor lost.
	 */
	uint64_t missed_before;
	uint64_t bytes;	     /* of the different ones */
	np_time first, last; /* arrivals of DATA, the receiver's clock; 0: none */
	np_time elapsed;     /* between them; of an interval: its length */
	uint64_t head_bytes; /* of @bytes, those that came at @first: no time passed before them */
};

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
 * A DATA of @bytes, numbered @number, sent at @sent by the sender's clock, arrived at @at by ours.
 * Returns what it is; only NEXT, GAP and REORDERED came for the first time. Hot.
 */
enum np_sequence_class tally_data(struct tally *tally, uint64_t number, uint32_t bytes,
				  np_time sent, np_time at);

/*
 * The first @bytes of a DATA came at @at, which is not whole yet: of a stream it is known when a
 * message begins.
 */
void tally_opens(struct tally *tally, uint64_t bytes, np_time at);

/*
 * @count of them, numbered one behind the other from @number on, that were sent and came together.
 * In order they cost what one does. Hot.
 */
void tally_run(struct tally *tally, uint64_t number, uint64_t count, uint32_t bytes, np_time sent,
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

/* END came, or what START announced is all here. */
bool tally_ended(const struct tally *tally);

/* All that was announced or ended with is here. */
bool tally_complete(const struct tally *tally);

void tally_life(const struct tally *tally, struct tally_figures *figures);

/* The same while a run goes on: what was announced and has not come yet is not lost. */
void tally_so_far(const struct tally *tally, struct tally_figures *figures);

/*
 * Takes off what was counted @before. The sums of such differences are the life's to the message;
 * modulo 2^64, for a message that comes late takes back a loss.
 */
void tally_figures_since(struct tally_figures *now, const struct tally_figures *before);

/* Nothing came, was lost or was damaged. */
bool tally_figures_empty(const struct tally_figures *figures);

/* The delays of all DATA that came, duplicates left out. */
const struct delay *tally_delay(const struct tally *tally);

/*
 * Adds @more to @sum, which begins as a copy of the first: a stream beside it, the time being that
 * from the first arrival of both to the last; or a run after it, whose time is added. sent_known
 * only if both are.
 */
void tally_figures_add(struct tally_figures *sum, const struct tally_figures *more);
void tally_figures_append(struct tally_figures *sum, const struct tally_figures *more);

/* What a REPORT says of @figures and the merged @delay; status, drops and clock are the caller's.
 */
void tally_report(const struct tally_figures *figures, const struct delay *delay,
		  struct message_report *report);

#endif
