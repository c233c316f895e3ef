/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* listener_state: the state that the parts of a listener (receive, control, reporting) share. */
#ifndef DATAGRAM_TEST_LISTENER_STATE_H
#define DATAGRAM_TEST_LISTENER_STATE_H

#include "listener.h"

#include <netperf/interval.h>

struct listener {
	struct listener_plan plan;
	struct np_datagram *socket;
	struct np_packet *packets; /* of one receive call */
	struct flows *flows;
	struct log_file *log_file;
	uint64_t count;		/* packets since the last silence, as the original counts */
	uint64_t ticked;	/* how many of them have been ticked */
	uint64_t past_controls; /* control datagrams that never arrived, of flows that were removed
				 */
	uint64_t due;		/* the count at which the next report or row is due */
	size_t shortest, longest; /* of the packets received; -packetSize lies between them */
	np_time opened;
	np_time last_packet;
	np_time resumed;	 /* when this process ran again after it had been held up */
	bool drained;		 /* the last receive found nothing */
	np_time last_end;	 /* when the last END arrived or was answered */
	np_time strangers_since; /* start of the second that this many unproven flows were asked in
				  */
	unsigned strangers_asked;
	bool news;	  /* since the last look at all flows one began, or an END or the
			     first packet arrived */
	bool heard;	  /* packets arrived since the last silence */
	bool unsaid;	  /* packets arrived since the last Lifetime block */
	bool gone;	  /* the first publisher has ended, which is enough for --once */
	bool go;	  /* the publisher was told to go */
	unsigned reports; /* of those asked for by signals */
	struct np_interval interval;
	int drops_watch;
	struct np_datagram_kernel kernel; /* as of the opening */
	struct np_path_drops path;	  /* as of the opening */
	struct complaints header_complaints, content_complaints;
	struct listener_result result;
};

/* receive: counts datagrams; those that arrived in one buffer cost little more than one. Hot. */
void receive_packets(struct listener *l, const struct np_packet *packets, size_t count);

/* control: handles one control datagram. */
void control_take(struct listener *l, const struct np_packet *packet);
/* Sends TIME requests to flows of ours that may be asked at @now. */
void control_ask(struct listener *l, np_time now);
/* Reports to the publisher what arrived. */
void control_acknowledge(struct listener *l, struct flow *flow);
/* A host reported that nobody listens at @to. */
void control_refused(struct listener *l, const struct np_address *to, np_time now);

/* reporting: writes the ticks up to now. */
void reporting_ticks(struct listener *l);

/*
 * Ends the line of ticks and returns the stream for a line of version 22.06; NULL when it is not
 * wanted.
 */
FILE *reporting_newest_text(struct listener *l);
/* The table is full: displaces a flow whose address is not proved, if there is any. */
void reporting_displace(struct listener *l);
/* The count has reached l->due: writes the reports and rows that are due. */
void reporting_due(struct listener *l, np_time now);
void reporting_set_due(struct listener *l);
/* Attributes the losses so far. */
struct np_loss reporting_loss(struct listener *l);
/* What this host dropped of the flow, by the last update. */
void reporting_dropped(const struct listener *l, const struct flow *flow,
		       struct np_drops_counts *dropped);
/* Writes a report of all flows; @mark: the next "Now" span starts. */
void reporting_report(struct listener *l, np_time now, bool mark);
/*
 * Handles flows that need no more waiting, the silence of all publishers, and the listener's end.
 */
void reporting_ends(struct listener *l, np_time now);
void reporting_silence(struct listener *l, np_time now);
void reporting_close(struct listener *l);

#endif
