/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * record: the figures as JSON, under the names of netperf-json(5); and what became of a run's
 * messages and where the lost were lost: one account for text and records.
 */
#ifndef TTCP_REPORT_RECORD_H
#define TTCP_REPORT_RECORD_H

#include "../config/options.h"
#include "../conversation/receivers.h"

#include <netperf/datagram.h>
#include <netperf/drops.h>
#include <netperf/flow.h>
#include <netperf/loss.h>
#include <netperf/overlay.h>
#include <netperf/path.h>
#include <netperf/process.h>
#include <netperf/result.h>
#include <netperf/stream.h>

/* The options; the caller adds each socket. */
struct np_record *record_start(const struct options *options);

/* A socket of the run; what is "", NULL or 0 is unknown, or it has none. */
struct record_socket {
	char local[NP_ADDRESS_TEXT], peer[NP_ADDRESS_TEXT];
	char logical[NP_ADDRESS_TEXT]; /* the own address in an overlay */
	const char *overlay, *substrate;
	const char *congestion; /* TCP's; with @no_delay */
	bool no_delay;
	const char *batch, *batch_detail;
	const char *stamps;
	size_t send_bytes, receive_bytes; /* of its buffers */
};

void record_socket(struct np_record *start, const struct record_socket *socket);

/*
 * An interval of @side "transmit" or "receive" that ends @at after the start of the run. @delays:
 * one way, corrected; NULL: unknown.
 */
struct np_record *record_interval(const char *side, uint64_t run, np_time at,
				  const struct np_flow_counts *figures,
				  const struct np_histogram_figures *delays);

/* What each host dropped by its kernel's reasons, of one run from one sender to one receiver. */
struct hosts {
	/* A dropped message need not be a lost one: copies were dropped, or the end is unknown. */
	bool doubtful;
	struct np_drops_total sender, receiver;
};

/* Where messages were lost, as far as the kernel tells. */
struct record_loss {
	struct np_loss where;
	const char *drop_unit; /* NULL: unknown */
	uint64_t drops,
		drops_most; /* drops of the receive buffer, in drop_unit: lower and upper bound */
};

/* One run, or all of them, at a receiver. */
struct record_receive {
	uint64_t run;
	struct np_flow_counts figures;
	struct record_loss loss;
	struct np_path_drops path;	    /* before this host's UDP; may be all unknown */
	struct np_histogram_figures delays; /* raw */
	struct message_clock clock;
	np_time grace; /* how long it waited after END, over datagrams; 0: not at all */
	bool raw;      /* no numbers, no delays */
	bool datagrams;
	const struct np_drops_counts *dropped; /* by this host; NULL: over streams */
	struct hosts hosts;		       /* of the same messages */
	/* As the sender reported: */
	struct message_cpu sender_cpu; /* in a sum known if it is of every run */
	const struct message_reasons *sender_reasons;
};

/* UDP: what this host had no room for. */
struct record_refusals {
	bool known;
	uint64_t errors;  /* the kernel's SndbufErrors, of all programs of this host */
	uint64_t retried; /* those of them that this program was told of, and sent again */
};

/* One run, or all of them, at a sender. */
struct record_transmit {
	uint64_t run;
	uint64_t messages, bytes;
	uint64_t head_bytes; /* of messages that were alone in their runs */
	np_time span;	     /* from before the first message to after the last one */
	np_time elapsed;     /* n paced messages take n intervals */
	bool acks_wanted;
	uint64_t send_errors, unsent;
	int send_error;	  /* -errno of the latest; 0: none, or not known */
	double rate_bits; /* a second, as asked for; 0: as fast as possible */
	np_time behind;	  /* at worst, in a paced run */
	struct record_refusals refusals;
	const struct receivers *receivers;
	bool group; /* what is sent goes to all of them */
	bool datagrams;
	const struct np_drops_counts *dropped; /* by this host; NULL: over streams */
	struct np_drops_total lost_here;       /* of these, in the last run */
};

/* The reasons of @dropped as a message has them, without places; and back. */
void record_put_reasons(const struct np_drops_counts *dropped, struct message_reasons *reasons);
void record_get_reasons(const struct message_reasons *reasons, const struct np_drops_total *total,
			struct np_drops_counts *dropped);

/* "packet", "buffer"; NULL: unknown. @unit: enum message_drop_unit. */
const char *record_drop_unit(uint8_t unit);

/*
 * What became of messages with numbers, at a receiver; and at a sender, as @receiver reported. What
 * a receiver's socket dropped may be copies of what came, or ENDs: then its account is no proof.
 */
struct np_result record_attribute_receive(const struct record_receive *result);
struct np_result record_attribute_report(const struct record_transmit *sent,
					 const struct receivers_receiver *receiver);

/* @type: "run" for one of several, "summary" for all. */
struct np_record *record_receive(const char *type, const struct record_receive *result);
struct np_record *record_transmit(const char *type, const struct record_transmit *result);

#endif
