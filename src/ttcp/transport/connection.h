/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/* connection: one of a receiver's TCP connections, its messages found in what it carries. */
#ifndef TTCP_TRANSPORT_CONNECTION_H
#define TTCP_TRANSPORT_CONNECTION_H

#include "transport.h"

#include <netperf/stream.h>

#define CONNECTION_ANSWER_ROOM 65536
#define CONNECTION_READ	       65536 /* bytes at a time: one of the kernel's buffers on loopback */
/* Room before them for what came of a message before; a page, where the kernel copies faster to. */
#define CONNECTION_BEFORE 4096

struct connection {
	struct np_stream *stream;
	struct np_address peer;
	np_time since;
	bool ready;   /* something may be there */
	bool patient; /* to take sleeps until it is */
	size_t least; /* and until so much of it is; 0: a byte */
	bool heard;   /* a byte ever came */
	bool raw;     /* no ttcp, or --stdout */
	bool gone;    /* end of file, or an error */
	int error;
	bool stdout_failed; /* the error is our own output's */
	bool used;	    /* carries a stream of the run that goes on */
	bool ended;	    /* and told its END */
	uint32_t session, run;
	uint16_t lane; /* which one */
	/* Begin of a message that has come in part. */
	size_t carried;
	uint8_t carry[MESSAGE_CONTROL_MAX];
	/* A DATA that lacks so many bytes yet. */
	size_t lacking;
	struct message data;
	struct message message; /* room for what comes */
	uint64_t truncate;	/* bytes to come that nobody wants to see */
	/* Answers that have not gone yet. */
	size_t filled, went;
	uint8_t *answers; /* CONNECTION_ANSWER_ROOM bytes */
};

/* Returns NULL when out of memory; then the stream is closed. */
struct connection *connection_new(struct np_stream *stream, np_time now);
void connection_free(struct connection *connection);

/*
 * Takes one turn of what is there, by @memory of CONNECTION_BEFORE + CONNECTION_READ bytes. How
 * many messages, 0: nothing now, or ->gone.
 */
int connection_take(struct transport *r, struct connection *c, uint8_t *memory);

/* Whether the rest of a message is dropped unread once its header is: then it may come whole. */
bool connection_drops(const struct transport *r, const struct connection *c);

/* An answer, behind those that wait. 0, or -EAGAIN: there is no room, let the partner read. */
int connection_answer(struct connection *c, const void *message, size_t bytes);

/* Sends what waits, as far as it goes now. */
void connection_flush(struct connection *c);

#endif
