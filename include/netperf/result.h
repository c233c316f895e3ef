/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * result: what became of the messages or packets of a run and where they were lost, and the result
 * block that every program prints of it. One attribution: lost = lost_sender_host + lost_path +
 * lost_receiver_host + lost_unattributed.
 *
 * Pure but for np_block_print, which writes to the stream it is given.
 */
#ifndef NETPERF_RESULT_H
#define NETPERF_RESULT_H

#include <netperf/clock.h>
#include <netperf/drops.h>
#include <netperf/histogram.h>
#include <netperf/loss.h>
#include <netperf/schema.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct np_result {
	struct np_count sent, received;
	struct np_count lost;
	struct np_count lost_sender_host, lost_path, lost_receiver_host, lost_unattributed;
	struct np_count duplicates, reordered, late, damaged;
};

/* The columns of a struct np_result, in the order of the block. */
extern const struct np_column np_result_columns[];

/*
 * Divides the loss of @result, whose lost is set: by what both hosts dropped by their kernels'
 * reasons, if both totals are known and explain no more than was lost; else by @loss, the
 * receiver's account from its socket's counters, of which the sender's own drops, if known, are
 * taken from the path. NULL: no account. What nobody can give to a place is unattributed.
 * @doubtful: a dropped message need not be a lost one, so the totals by reasons prove nothing.
 */
void np_result_attribute(struct np_result *result, const struct np_loss *loss,
			 const struct np_drops_total *sender_host,
			 const struct np_drops_total *receiver_host, bool doubtful);

/* A receiver, publisher or member in the block's table. */
struct np_block_row {
	const char *name;
	struct np_result result;
	bool confirmed;		     /* false: it did not report, and only its name is printed */
	double received_bytes_per_s; /* below 0: unknown */
	np_time delay_p50;
	bool delay_known;
};

/* What the block says; a line whose fact is missing is left out. */
struct np_block {
	const char *title; /* "ttcp: UDP a -> b, 512-byte messages, 10.00 s" */
	const char *unit;  /* "messages" or "packets" */
	bool bytes;	   /* --unit=bytes: MB/s in place of bit/s */
	struct np_result result;
	double sent_bytes_per_s, received_bytes_per_s; /* below 0: unknown */
	const char *unconfirmed; /* why nothing is known of what arrived; NULL: it is known */
	bool repaired;		 /* by the transport: loss, order and copies are no lines */
	struct np_histogram_figures delay; /* one way; count 0: unknown */
	np_time delay_bound;		 /* how well the clocks were compared; below 0: one clock */
	struct np_histogram_figures rtt; /* count 0: none */
	double cpu_sender, cpu_receiver; /* of one processor; below 0: unknown */
	const char *noun;		 /* of the rows: "receiver" */
	struct np_block_row *row;	 /* sorted in place, worst loss first */
	size_t rows;			 /* fewer than two: no table */
};

/* A block with all figures unknown. */
struct np_block np_block_init(const char *title, const char *unit, bool bytes);

/* Lines of at most 80 columns. */
void np_block_print(FILE *out, struct np_block *block);

/* Formats "998.2 Mbit/s", or "124.8 MB/s" if @bytes. Returns @out. */
#define NP_RATE_TEXT 32
char *np_rate_format(double bytes_per_s, bool bytes, char out[NP_RATE_TEXT]);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop
#endif
