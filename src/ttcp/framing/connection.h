/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * connection: a receiver's connections: finds the messages that they carry, in place; or passes on
 * the bytes of a sender that is not ttcp. Pure: bytes and the clock come in as arguments. One
 * thread.
 */
#ifndef TTCP_FRAMING_CONNECTION_H
#define TTCP_FRAMING_CONNECTION_H

#include "../conversation/receiver.h"
#include "../transport/transport.h"

struct connection;

/* All connections of one receiver. */
struct connections {
	struct receiver *receiver;
	struct conversation *with; /* its own, and the run of that */
	const struct receiver_run *run;
	bool raw;     /* they carry no messages, whatever their first bytes are */
	bool no_copy; /* nobody wants to see DATA, even if the sender does not say so */
	/*
	 * Gets raw bytes: returns 0, or -errno, which ends the connection. NULL: they are only
	 * counted.
	 */
	int (*pass_on)(void *context, const uint8_t *data, size_t bytes);
	void *context;
	struct connection *first; /* carries the run's first stream; NULL: there is none */
};

/* Before the first one: whose they are. */
void connections_begin(struct connections *all, struct receiver *receiver);

/* Adds the new @channel. Returns 0 or -ENOMEM. */
int connection_open(struct connections *all, struct channel *channel);
void connection_close(struct connections *all, struct channel *channel);

/* Implements transport_user.wish. */
size_t connection_wish(const struct connections *all, const struct channel *channel, bool *unread);
int connection_take(struct connections *all, struct channel *channel, uint8_t *data, size_t length,
		    np_time at);

/* The connection for messages about the whole run; NULL: it is gone. */
struct channel *connection_first(const struct connections *all);

/* A connection ended without a byte: an empty file has arrived through a pipeline. */
void connection_take_empty(struct connections *all, struct channel *channel, np_time at);

/* True when it ended before its stream did, during the run: so the run is cut off. */
bool connection_broke_off(const struct connections *all, const struct channel *channel);

bool connection_heard(const struct channel *channel); /* it has delivered a byte */
bool connection_raw(const struct channel *channel);
bool connection_pass_failed(const struct channel *channel); /* its error is that of pass_on */

/*
 * True when it is half closed after its END, but is still needed for the report at the end of the
 * other streams.
 */
bool connection_awaits_report(const struct connections *all, const struct channel *channel);

/*
 * True when the run has only one stream: then its receive call can sleep by itself, without a poll
 * before. @low_watermark: for messages that are not looked at, wake only for their last byte; 0:
 * for each byte.
 */
bool connection_alone(const struct connections *all, size_t *low_watermark);

/* The transport holds back anything shorter. */
void connection_hold_back(struct connections *all, size_t low_watermark);

#endif
