/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transport: takes every message to every member of the group, the sender included, and hands
 * over what arrives. Variants behind one face: "udp" (IP multicast), "tcp" (full mesh), "mqtt"
 * (through a broker), "overlay" (refused: needs overlay), "null" (a group of one, in memory).
 *
 * A transport knows nothing of the protocol that is spoken over it: messages are bytes. There are
 * two kinds by size and frequency, not by content: control messages, one at a time, and DATA, all
 * of one size, in batches; only the caller tells them apart, order between them is kept.
 *
 * Nothing here ever blocks, but for transport_open. One thread at a time; whoever has several
 * locks around every call, transport_fd excepted (it never changes). Functions return 0 or a
 * count, or -errno.
 */
#ifndef GROUP_TEST_TRANSPORT_TRANSPORT_H
#define GROUP_TEST_TRANSPORT_TRANSPORT_H

#include "../wire/identity.h"

#include <netperf/clock.h>
#include <netperf/fault.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct transport;

/* Of an arrived message so many bytes are there at least (or all, if it is shorter). */
#define TRANSPORT_HEAD 65507

/* What the payload of DATA is made of. */
#define TRANSPORT_FILL '.'

/* Most messages in one reservation, and in one delivery. */
#define TRANSPORT_BATCH 256

struct transport_udp_plan {
	struct np_address group; /* with its port */
	const char *batch;	 /* of np_datagram_variants; NULL: "auto" */
};

struct transport_tcp_plan {
	/* Whom to connect to, in this order, oneself among them; more than members are allowed. */
	struct np_address_list cluster;
	uint16_t first_port; /* to listen on; +1 until one is free, 0: any */
	/*
	 * A peer that takes nothing for so long while something waits for it is cut: its
	 * connection is closed, TRANSPORT_LOST with -ETIMEDOUT says so, and the others go on.
	 */
	np_time stall;
	/* A peer that reads what it had left unread, as its window tells, has MOVED. */
	bool watch_windows;
	/*
	 * All members come from the very address that they announce, and the caller finds out who
	 * answers at it, transport_trust. False, among Java members: any address of the cluster,
	 * and who comes first is trusted.
	 */
	bool strict;
};

struct transport_mqtt_plan {
	const char *broker; /* HOST[:PORT], 1883 */
	const char *topic;  /* what all of this group's topics begin with; NULL: "group-test" */
	const char *user, *password_file; /* NULL: none */
};

struct transport_plan {
	const char *variant;
	unsigned members; /* expected; sizes queues and tables, others may come */
	unsigned senders; /* expected */
	/*
	 * Of a DATA message all of its bytes (protocol header and payload); of a control message
	 * the longest, at most TRANSPORT_HEAD, or data_bytes + 32 if that is more. On arrival
	 * nothing longer than the longer one of both is taken: it counts as oversize, and tcp ends
	 * the connection.
	 */
	size_t data_bytes;
	size_t data_header_bytes; /* of data_bytes, what the caller writes: 0..data_bytes */
	size_t control_bytes;
	/*
	 * Family AF_UNSPEC: with udp the host name's address, unless that is a loopback one, else
	 * by the routes; with tcp the one that the cluster lists, else the one others reach this
	 * host by.
	 */
	struct np_address bind;
	const char *device;   /* NULL: any */
	size_t receive_bytes; /* socket buffers to ask for; 0: the variant's own choice */
	size_t send_bytes;
	int tos, ttl;	       /* -1: leave; multicast's default is the plan's, not the kernel's */
	np_time connect_limit; /* for transport_open; 0: 2 s */
	struct transport_udp_plan udp;
	struct transport_tcp_plan tcp;
	struct transport_mqtt_plan mqtt;
};

/* A message that arrived; the memory is the transport's, good during the delivery only. */
struct transport_message {
	const uint8_t *data;
	size_t bytes;  /* that are at @data: min(length, what TRANSPORT_HEAD promises) at least */
	size_t length; /* of the whole message */
	np_time at; /* when its last byte arrived: the kernel's stamp or the receive call's end */
};

/* Messages of one source, in the order of their arrival. */
struct transport_delivery {
	const struct identity *source;
	const struct transport_message *messages;
	unsigned count; /* 1..TRANSPORT_BATCH */
	unsigned way;	/* that they came by, for transport_trust; 0: the only one */
};

enum transport_event_kind {
	TRANSPORT_CONNECTED, /* our way to @peer stands; what was sent before does not reach it */
	TRANSPORT_FAILED,    /* a try to reach @peer failed; told once until it succeeds */
	/*
	 * Our way to @peer broke (@error; 0: it hung up); tried anew if it connects to us anew, and
	 * with a strict plan at sends, unless it is dropped.
	 */
	TRANSPORT_LOST,
	TRANSPORT_ENDED, /* @peer's way to us ended (@error; 0: it hung up); nothing more comes */
	/*
	 * Bytes of a message moved from or to @peer that is not through yet: told every 100 ms
	 * while it lasts, for a long message on a slow path is no silence.
	 */
	TRANSPORT_MOVED,
	TRANSPORT_FOREIGN,  /* what is at @peer speaks @text: another generation of JGroups */
	TRANSPORT_STRANGER, /* a connection from @peer was closed: @text */
	/*
	 * A datagram of @peer was longer than the plan's longest message, and is gone: told once a
	 * second at most. Over tcp the connection ENDED with -EMSGSIZE.
	 */
	TRANSPORT_OVERSIZE,
};

struct transport_event {
	enum transport_event_kind kind;
	struct identity peer;
	const char *text; /* the entry as the user wrote it, or a remark; may be NULL */
	int error;	  /* -errno or 0 */
	bool hearsay;	  /* anybody could have said so: ask */
};

/*
 * Who is told; called from transport_turn only (hence never from inside of a send). They may call
 * every function of the transport but transport_turn and transport_free.
 */
struct transport_listener {
	void *context;
	void (*deliver)(void *context, const struct transport_delivery *delivery);
	void (*event)(void *context, const struct transport_event *event);
};

struct transport_info {
	const char *variant;
	char detail[200];     /* what was chosen and granted, for --verbose and JSON; "" none */
	struct identity self; /* as deliveries of own messages and other members name it */
	size_t receive_granted, send_granted; /* bytes, usable; 0: not known */
	const char *stamps;    /* "kernel", "user" (see transport_message.at) or "mixed" */
	const char *drop_unit; /* of stats.dropped: "packet", "buffer"; NULL: never drops */
	/*
	 * True when messages can be lost for want of room at a receiver: flow control is then the
	 * caller's, who keeps less than @window_bytes (of whole messages, from all senders
	 * together) on the way to this member.
	 */
	bool lossy;
	size_t window_bytes;
	size_t message_cost; /* what a message of DATA takes of receive_granted; 0: not known */
	bool unicast;	     /* transport_send_to reaches just one */
};

/* Since the opening. Messages and bytes as of the face: without framing and protocol headers. */
struct transport_stats {
	uint64_t sent_messages, sent_bytes; /* counted once, not once a peer */
	uint64_t received_messages, received_bytes;
	uint64_t send_calls, receive_calls; /* system calls that moved messages; 0: not known */
	uint64_t send_refused;		    /* times this host or a queue took no more */
	uint64_t send_errors;	/* tries to send that this host refused for another reason */
	uint64_t queue_refused; /* DATA sent, heard here, and refused by the transmit queue */
	uint64_t dropped;	/* by this host's kernel, in drop_unit: arrived, found no room */
	int last_error;		/* -errno of the latest send error, 0: none */
	/* Bad input: each costs a count, and with tcp its connection. */
	uint64_t oversize;    /* longer than the plan's longest */
	uint64_t bad_lengths; /* negative or 0; an empty datagram */
	uint64_t bad_handshakes;
	uint64_t silent; /* connections that said nothing in time */
	/* Connections of strangers, or beyond the table, or for one that is trusted; mqtt:
	 * retained. */
	uint64_t refused;
	uint64_t truncated; /* connections that ended within a message */
};

/*
 * Opens all sockets, binds, and begins to connect. Returns 0, or -errno with @fault set; then
 * *@transport is NULL. -EPROTONOSUPPORT: no such variant, or it cannot work here. Strings and
 * lists of the plan are used during the call only. @listener is copied.
 *
 * With tcp: waits connect_limit at most until each entry of the cluster has been tried once; the
 * first turn then tells CONNECTED or FAILED for all of them in the cluster's order. Failed entries
 * are tried again at sends, at most ten times a second.
 */
int transport_open(struct transport **transport, const struct transport_plan *plan,
		   const struct transport_listener *listener, struct np_fault *fault);

/* Closes at once, unsent messages are gone: see transport_idle. NULL is allowed. */
void transport_free(struct transport *transport);

const struct transport_info *transport_info(const struct transport *transport);

/* Readable when a turn has something to do; to poll(2) beside others. */
int transport_fd(const struct transport *transport);

/* When a turn has something to do even if the descriptor is not readable; NP_TIME_NEVER: not. */
np_time transport_deadline(const struct transport *transport);

/*
 * One turn: receives and hands over what is there (at most about @most messages, and never so
 * many that sending starves; with tcp one call reads no more than @most messages of DATA take),
 * sends what waits, keeps time-outs. Returns 1 when there is more to
 * do at once, 0 when not, -errno when the transport as a whole can do no more (-ENOTCONN: the
 * broker is gone).
 */
int transport_turn(struct transport *transport, unsigned most, np_time now);

/*
 * Sends one control message of at most plan.control_bytes to all. It is copied. Returns 0, or
 * -EAGAIN when there is no room now (a reservation leaves room for some control messages, so this
 * means that nothing moves), -EMSGSIZE, or -errno of the socket.
 */
int transport_send(struct transport *transport, const void *message, size_t bytes);

/*
 * The same to one member; to all when !info.unicast. -ENOENT when it is not
 * known how. With udp its order to what is sent to all is not kept.
 */
int transport_send_to(struct transport *transport, const struct identity *who, const void *message,
		      size_t bytes);

/* Where DATA messages are written. */
struct transport_slots {
	uint8_t *data; /* of the first */
	size_t stride; /* from one to the next; at least data_bytes, or only the header's */
	unsigned count;
};

/*
 * Room for up to @wanted (1..TRANSPORT_BATCH) DATA messages. The caller writes the first
 * data_header_bytes of each; the rest of data_bytes is TRANSPORT_FILL and the transport's. 0 slots
 * when there is no room now: the descriptor becomes readable when there is again. Void with the
 * next call of any other function than commit.
 */
unsigned transport_reserve(struct transport *transport, unsigned wanted,
			   struct transport_slots *slots);

/*
 * Sends the first @count of the reserved messages to all. Returns how many were taken; the others
 * are as if they had never been reserved. An error that hits single peers is an event. -errno when
 * this host refuses the first for all of them, and not for want of room: a try that counts in
 * send_errors; there is no room for the next 10 ms then.
 */
int transport_commit(struct transport *transport, unsigned count);

/* This peer does not count any more: nothing waits for it, its connection is closed for good. */
void transport_drop(struct transport *transport, const struct identity *who);

/*
 * What came by @way is @who's, for it answered at @who's address: that way stays, and others that
 * speak for it are closed. Others that come later are told of no more when they end.
 */
void transport_trust(struct transport *transport, const struct identity *who, unsigned way);

/* True when all that was sent has left (to the kernel, to the broker). */
bool transport_idle(const struct transport *transport);

/* Reads the kernel's counters, too. */
int transport_stats(struct transport *transport, struct transport_stats *stats);

#endif
