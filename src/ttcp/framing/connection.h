/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * connection: a receiver's connections: the messages in what they carry, found in place; or the
 * bytes of a sender that is no ttcp. Pure: bytes and the clock come in as arguments. One thread.
 */
#ifndef TTCP_FRAMING_CONNECTION_H
#define TTCP_FRAMING_CONNECTION_H

#include "../conversation/receiver.h"
#include "../transport/transport.h"

struct connection;

/* All that one receiver has. */
struct connections {
	struct receiver *receiver;
	struct conversation *with; /* its own, and the run of that */
	const struct receiver_run *run;
	bool raw;     /* they carry no messages, whatever their first bytes are */
	bool no_copy; /* nobody wants to see DATA, though the sender does not say so */
	/* Raw bytes go on to it: 0 or -errno, which ends the connection. NULL: they do not. */
	int (*pass_on)(void *context, const uint8_t *data, size_t bytes);
	void *context;
	struct connection *first; /* the run's first stream; NULL: not there */
};

/* Before the first one: whose they are. */
void connections_begin(struct connections *all, struct receiver *receiver);

/* @channel is a new one. 0 or -ENOMEM. */
int connection_open(struct connections *all, struct channel *channel);
void connection_close(struct connections *all, struct channel *channel);

/* transport_user's. */
size_t connection_wish(const struct connections *all, const struct channel *channel, bool *unread);
int connection_take(struct connections *all, struct channel *channel, uint8_t *data, size_t length,
		    np_time at);

/* By which connection goes what concerns the whole run; NULL: it is gone. */
struct channel *connection_first(const struct connections *all);

/* It never brought a byte: an empty file through a pipeline has come whole. */
void connection_take_empty(struct connections *all, struct channel *channel, np_time at);

/* It ended before its stream did, while the run goes on: so the run is cut off. */
bool connection_broke_off(const struct connections *all, const struct channel *channel);

bool connection_heard(const struct channel *channel); /* a byte ever came */
bool connection_raw(const struct channel *channel);
bool connection_pass_failed(const struct channel *channel); /* its error is pass_on's */

/* Half closed behind its END, it still has to carry the report that the other streams end with. */
bool connection_awaits_report(const struct connections *all, const struct channel *channel);

/*
 * The run has one stream alone: to sleep in its receive call saves the poll before each. @least: of
 * a message that is not looked at only its end matters, when its last byte is here; 0: each byte.
 * False: there is none, or it is not so.
 */
bool connection_alone(const struct connections *all, size_t *least);

/* Its transport holds back what is less than that. */
void connection_hold_back(struct connections *all, size_t least);

#endif
