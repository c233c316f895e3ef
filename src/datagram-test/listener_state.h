/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* listener_state: what the parts of a listener - arrival, control, account - work on. */
#ifndef DATAGRAM_TEST_LISTENER_STATE_H
#define DATAGRAM_TEST_LISTENER_STATE_H

#include "listener.h"

#include <netperf/interval.h>

struct listener {
	struct listener_plan plan;
	struct np_datagram *socket;
	struct np_packet *packets; /* of one receive */
	struct flows *flows;
	struct log_file *log_file;
	uint64_t count;		  /* packets since the last silence, as the original counts */
	uint64_t ticked;	  /* of them */
	uint64_t past_controls;	  /* control datagrams that never came, of flows concluded */
	uint64_t due;		  /* count at which a report or row is due next */
	size_t shortest, longest; /* packets that came; -packetSize is between them */
	np_time opened;
	np_time last_packet;
	np_time resumed;	 /* when we ran again, after we had not for a while */
	bool drained;		 /* nothing was there when it was looked for last */
	np_time last_end;	 /* when an END came last */
	np_time strangers_since; /* a second in which so many of them were asked */
	unsigned strangers_asked;
	bool heard;	  /* packets since the last silence */
	bool unsaid;	  /* packets since the last Lifetime block */
	bool gone;	  /* the first publisher has ended: enough for --once */
	bool go;	  /* as the publisher was told */
	unsigned reports; /* of those asked for by signals */
	struct np_interval interval;
	struct np_datagram_kernel kernel; /* as of the opening */
	struct np_path_drops path;	  /* alike */
	struct complaints header_complaints, content_complaints;
	struct listener_result result;
};

/* receive: datagrams as they came; those of one buffer cost little more than one. Hot. */
void receive_packets(struct listener *l, const struct np_packet *packets, size_t count);

/* control: one control datagram. */
void control_take(struct listener *l, const struct np_packet *packet);
/* Asks flows of ours for their time, as far as they may be asked at @now. */
void control_ask(struct listener *l, np_time now);
/* Tells the publisher what arrived. */
void control_acknowledge(struct listener *l, struct flow *flow);
/* Its host said that nobody is at @to. */
void control_refused(struct listener *l, const struct np_address *to, np_time now);

/* account: the ticks so far. */
void reporting_ticks(struct listener *l);

/* The stream for a line of the full report, behind the ticks; NULL when there is none. */
FILE *reporting_full_text(struct listener *l);
/* There are too many flows: one that did not prove its address makes room, if there is any. */
void reporting_displace(struct listener *l);
/* The count has reached l->due: reports and rows. */
void reporting_due(struct listener *l, np_time now);
void reporting_set_due(struct listener *l);
/* Whose loss what is missing so far was. */
struct np_loss reporting_loss(struct listener *l);
void reporting_path(struct listener *l);
/* A report of all flows; @turn: "now" begins anew. */
void reporting_report(struct listener *l, np_time now, bool turn);
/* Flows whose end is accounted; the silence of all; the end of the listener. */
void reporting_ends(struct listener *l, np_time now);
void reporting_silence(struct listener *l, np_time now);
void reporting_close(struct listener *l);

#endif
