/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * block: the result block of a run, at a sender and at a receiver, with what --report=full says of
 * it beside the block's figures.
 */
#ifndef TTCP_REPORT_BLOCK_H
#define TTCP_REPORT_BLOCK_H

#include "console.h"
#include "record.h"

#include <netperf/process.h>
#include <netperf/result.h>

/* What both ends know of a run beside its counts. */
struct block_run {
	const struct options *options;
	const char *from, *to; /* "10.0.0.1", "10.0.0.2:5001", or a group */
	size_t message_bytes;  /* 0: raw bytes */
	uint64_t streams;
	bool datagrams;
	bool interrupted;	    /* by a signal */
	np_time elapsed;	    /* of this end */
	struct np_usage usage;	    /* of this process during the run */
	struct np_block_full *full; /* for --report=full, with the next two; NULL: not asked for */
	const struct message_start *start;  /* as the sender announced it; NULL: it did not */
	const struct record_socket *socket; /* NULL: unknown */
	struct np_block_tcp tcp;	    /* a sender's */
};

/* Writes the address without its port, for a title. Returns @out. */
char *block_host(const struct np_address *address, char out[NP_ADDRESS_TEXT]);

/*
 * A sender's block: what its receivers confirmed, and what it sent. @report_expected: the other end
 * reports by the protocol.
 */
void block_transmit(struct console *console, const struct block_run *run,
		    const struct record_transmit *result, bool report_expected);

/* A receiver's block. */
void block_receive(struct console *console, const struct block_run *run,
		   const struct record_receive *result);

#endif
