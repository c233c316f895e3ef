/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * transport: takes every message to every member of the group, including the sender, and delivers
 * what arrives. Variants behind one interface: "udp" (IP multicast), "tcp" (full mesh), "mqtt"
 * (through a broker), "overlay" (a node of a HyperCast overlay), "null" (a group of one, in
 * memory).
 *
 * A transport does not know the protocol that uses it: messages are bytes. There are two kinds, by
 * size and frequency, not by content: control messages, one at a time, and DATA, all of one size,
 * in batches; only the caller tells them apart, and their order is kept.
 *
 * Nothing here ever blocks, except transport_open. One thread at a time. Functions return 0 or a
 * count, or -errno.
 */
#pragma once

#include "../wire/result.h"

struct transport;

/* Of a delivered message at least this many bytes are present (or all, if it is shorter). */
#define TRANSPORT_HEAD 65507

/* The byte that fills the payload of DATA. */
#define TRANSPORT_FILL '.'

/* The most messages in one reservation, and in one delivery. */
#define TRANSPORT_BATCH 256

struct transport_udp_plan {
	struct np_address group; /* multicast, with its port */
	const char *batch;	 /* of np_datagram_variants; NULL: "auto" */
};

struct transport_tcp_plan {
	/*
	 * The addresses to connect to, in this order, including our own; may list more than the
	 * members. Empty: they come by transport_enlist.
	 */
	struct np_address_list cluster;
	/* From where connections are taken; NULL: from anywhere. Not owned. */
	const struct np_address_networks *allow;
	uint16_t first_port; /* first port to try to listen on, then the following ones; 0: any */
	/*
	 * A peer that accepts nothing for this long while something waits for it is disconnected:
	 * TRANSPORT_LOST with -ETIMEDOUT reports it, and the others go on.
	 */
	np_time stall;
	/*
	 * All members connect from the very address that they announce, and the caller proves who
	 * listens there: transport_trust. False, among Java members: from any address of the
	 * cluster, and the first is trusted; and a peer that reads what it had left unread, as its
	 * window shows, is MOVED, since it cannot report that it is alive.
	 */
	bool strict;
};

struct transport_mqtt_plan {
	const char *broker; /* HOST[:PORT], 1883; not NULL */
	const char *topic;  /* the beginning of all topics of this group; NULL: "group-test" */
	const char *user, *password_file; /* NULL: none */
	np_time wait;			  /* for a broker that is not there yet */
};

struct transport_overlay_plan {
	const char *file;	  /* netperf-overlay(5) */
	const char *group;	  /* its name: groups of other names in one overlay do not meet */
	const struct np_log *log; /* of what happens to the node; must outlive the transport */
};

/* How this host's drops of DATA are counted. */
struct transport_drops_plan {
	struct np_drops *library; /* must outlive the transport; NULL: not counted, and @why */
	const char *why;
	uint8_t mark[2]; /* how a message of DATA begins, and no other */
	bool warmup;	 /* others, not counted, are committed before DATA */
};

struct transport_plan {
	const char *variant;
	unsigned members; /* expected; determines the size of queues and tables; others may come */
	unsigned senders; /* expected */
	/*
	 * The bytes of a DATA message (protocol header and payload), and of the longest control
	 * message: at most TRANSPORT_HEAD, or data_bytes + 32 if that is more. A longer message
	 * than both that arrives counts as oversize, and tcp closes its connection.
	 */
	size_t data_bytes;	  /* with udp at most NP_DATAGRAM_BYTES_MAX */
	size_t data_header_bytes; /* of data_bytes, the part that the caller writes: 0..data_bytes
				   */
	size_t control_bytes;
	/*
	 * No wildcard, since members know this one by it. Family AF_UNSPEC: with udp the address of
	 * the host name, unless that is a loopback address, else by the routes; with tcp the one
	 * that the cluster lists, else the one by which others reach this host.
	 */
	struct np_address bind;
	struct np_ip_options ip; /* for multicast the plan has a ttl of its own */
	size_t receive_bytes;	 /* socket buffers to set; 0: the variant's choice */
	size_t send_bytes;
	int family;	       /* in which names are resolved; AF_UNSPEC: any */
	np_time connect_limit; /* for transport_open; 0: 2 s, mqtt 10 s */
	struct transport_udp_plan udp;
	struct transport_tcp_plan tcp;
	struct transport_mqtt_plan mqtt;
	struct transport_overlay_plan overlay;
	struct transport_drops_plan drops;
};

/* A received message; its memory belongs to the transport and is valid during the delivery only. */
struct transport_message {
	const uint8_t *data;
	size_t bytes;  /* present at @data: at least min(length, TRANSPORT_HEAD) */
	size_t length; /* of the whole message */
	np_time at;    /* when its last byte arrived: the kernel's stamp, or the end of the receive
			  call */
};

/* Messages of one source, in order of arrival. */
struct transport_delivery {
	const struct identity *source;
	const struct transport_message *messages;
	unsigned count;	  /* 1..TRANSPORT_BATCH */
	unsigned channel; /* by which they came, for transport_trust; 0: the only one */
};

enum transport_event_kind {
	TRANSPORT_CONNECTED, /* our connection to @peer is made; it does not get what was sent
				before */
	TRANSPORT_FAILED, /* an attempt to reach @peer failed; reported once until one succeeds */
	/*
	 * Our connection to @peer broke (@error; 0: it was closed). Tried again when the peer
	 * connects to us again, and with a strict plan at sends, unless it is dropped.
	 */
	TRANSPORT_LOST,
	TRANSPORT_ENDED, /* @peer's connection to us ended (@error; 0: it was closed); nothing more
			    comes */
	/*
	 * Bytes of an incomplete message moved from or to @peer: reported every 100 ms while that
	 * lasts, since a long message on a slow path is no silence.
	 */
	TRANSPORT_MOVED,
	TRANSPORT_FOREIGN, /* @peer speaks @text: another version of JGroups */
	TRANSPORT_REFUSED, /* a connection from @peer was closed: @text */
	TRANSPORT_UNSENT,  /* this host refuses to send (@error), and no call has returned that */
	/*
	 * A datagram of @peer was longer than the plan's longest message, and was dropped: reported
	 * at most once a second. Over tcp the connection ENDED with -EMSGSIZE.
	 */
	TRANSPORT_OVERSIZE,
};

struct transport_event {
	enum transport_event_kind kind;
	struct identity peer;
	const char *text; /* the entry as the user wrote it, or a remark; may be NULL */
	int error;	  /* -errno or 0 */
	bool hearsay;	  /* it may be forged: ask the member */
};

/*
 * Called from transport_turn only (hence never from within a send). The functions may call every
 * function of the transport but transport_turn and transport_free.
 */
struct transport_listener {
	void *context;
	void (*deliver)(void *context, const struct transport_delivery *delivery);
	void (*event)(void *context, const struct transport_event *event);
};

struct transport_info {
	const char *variant;
	char detail[200];     /* what was chosen and granted, for --verbose and JSON; may be "" */
	struct identity self; /* as deliveries of own messages and other members name this one */
	size_t receive_granted, send_granted; /* usable bytes; 0: unknown */
	const char *stamps;    /* "kernel", "user" (see transport_message.at) or "mixed" */
	const char *drop_unit; /* of stats.dropped: "packet", "buffer"; NULL: never drops */
	/*
	 * True when messages can be lost for lack of room at a receiver: then flow control is up to
	 * the caller, who keeps less than @window_bytes (of whole messages, from all senders
	 * together) on the way to this member.
	 */
	bool lossy;
	size_t window_bytes;
	size_t message_cost; /* how much of receive_granted a DATA message takes; 0: unknown */
	/* Members forward for each other: turn even when there is no room for more messages. */
	bool relays;
	/*
	 * How long two live members may not hear each other, after one died that was on the way; 0:
	 * nobody is.
	 */
	np_time outage;
};

/*
 * Since the opening. Messages and bytes as the caller sees them: without framing and protocol
 * headers.
 */
struct transport_stats {
	uint64_t sent_messages, sent_bytes; /* counted once, not once per peer */
	uint64_t received_messages, received_bytes;
	uint64_t send_calls, receive_calls; /* system calls that moved messages; 0: unknown */
	uint64_t send_refused;		    /* how often this host or a queue accepted no more */
	uint64_t send_errors;	/* attempts to send that this host refused for another reason */
	uint64_t queue_refused; /* DATA that was sent and received here, but refused by the transmit
				   queue */
	uint64_t dropped; /* by this host's kernel, in drop_unit: arrived, but found no room */
	/* DATA that this host dropped as it was sent, and said so: it was sent again. */
	uint64_t resent_dropped;
	bool queued; /* some of what was sent may still wait in this host */
	/* Bad input: each item is counted, and with tcp closes its connection. */
	uint64_t oversize;    /* longer than the plan's longest */
	uint64_t bad_lengths; /* negative or 0; an empty datagram */
	uint64_t bad_handshakes;
	uint64_t silent; /* connections that sent nothing in time */
	/*
	 * Connections of strangers, beyond the table, or for a member that has a trusted one; mqtt:
	 * retained messages.
	 */
	uint64_t refused;
	uint64_t truncated;   /* connections that ended within a message */
	uint64_t not_allowed; /* connections from where the plan allows none */
};

/* A counter of the statistics as -dump_stats and the record name it. */
struct transport_counter {
	const char *json;
	const char *text;    /* NULL: "dropped packets", by the drop_unit */
	const char *lineage; /* the name of JGroups, or NULL */
	size_t offset;	     /* in struct transport_stats; SIZE_MAX: the end */
	bool drops;	     /* of what this host dropped: only where it has a drop_unit */
};
extern const struct transport_counter transport_counters[];

static inline uint64_t transport_count(const struct transport_stats *stats,
				       const struct transport_counter *counter)
{
	return *(const uint64_t *)((const char *)stats + counter->offset);
}

/*
 * Opens all sockets, binds, and starts to connect. Returns 0, or -errno with @fault set; then
 * *@transport is NULL. -EPROTONOSUPPORT: no such variant, or it cannot work here. Texts and lists
 * of the plan must outlive the transport. @listener is copied.
 *
 * With tcp: waits at most connect_limit until each entry of the cluster was tried once; the first
 * turn then reports CONNECTED or FAILED for all of them in the cluster's order. Failed entries are
 * tried again at sends, at most ten times a second.
 */
int transport_open(struct transport **transport, const struct transport_plan *plan,
		   const struct transport_listener *listener, struct np_fault *fault);

/*
 * The addresses of the members, at most plan.members, if the plan did not have them: starts to
 * connect. Variants that need no addresses ignore them. Returns 0 or -ENOSPC.
 */
int transport_enlist(struct transport *transport, const struct np_address *addresses, size_t count);

/* Closes at once; unsent messages are lost: see transport_idle. NULL is allowed. */
void transport_free(struct transport *transport);

const struct transport_info *transport_info(const struct transport *transport);

/* For a poll set: readable when a turn has something to do. */
int transport_fd(const struct transport *transport);

/* When a turn has something to do even if the descriptor is not readable; NP_TIME_NEVER: never. */
np_time transport_deadline(const struct transport *transport);

/*
 * One turn: receives and delivers what has arrived (at most about @most messages, and never so many
 * that sending starves; with tcp one call reads no more bytes than @most messages of DATA have),
 * sends what waits, handles time-outs. Returns 1 when there is more to do at once, 0 when not,
 * -errno when the transport as a whole has failed (-ENOTCONN: the broker is gone).
 */
int transport_turn(struct transport *transport, unsigned most, np_time now);

/*
 * Sends a copy of one control message of at most plan.control_bytes to one member, or to all
 * (NULL). Returns 0, or -EAGAIN when there is no room now (a reservation leaves room for some
 * control messages, so this means that nothing moves), -EMSGSIZE, -ENOENT when no connection to it
 * is known, or -errno of the socket. With udp what is for one keeps no order with what is for all.
 */
int transport_send(struct transport *transport, const struct identity *who, const void *message,
		   size_t bytes);

/* Where DATA messages are written. */
struct transport_slots {
	uint8_t *data; /* of the first */
	size_t stride; /* from one to the next; at least data_bytes, or only the header's */
	unsigned count;
};

/*
 * Reserves room for up to @wanted (1..TRANSPORT_BATCH) DATA messages. The caller writes the first
 * data_header_bytes of each; the transport fills the rest of data_bytes with TRANSPORT_FILL. 0
 * slots when there is no room now: the descriptor becomes readable when there is. A call of any
 * other function than commit ends the reservation.
 */
unsigned transport_reserve(struct transport *transport, unsigned wanted,
			   struct transport_slots *slots);

/*
 * Sends the first @count of the reserved messages to all, at least 1, and none of the rest. Returns
 * how many were accepted. An error of single peers is an event. Returns -errno when this host
 * refuses the first for all of them, other than for lack of room: it counts in send_errors, and
 * there is no room for the next 10 ms.
 */
int transport_commit(struct transport *transport, unsigned count);

/* This peer no longer matters: nothing waits for it, and its connection is closed for good. */
void transport_drop(struct transport *transport, const struct identity *who);

/*
 * The source of @channel is proved to be @who, since it answered at @who's address: that connection
 * stays, and others that speak for @who are closed. The ends of later ones are not reported.
 */
void transport_trust(struct transport *transport, const struct identity *who, unsigned channel);

/* True when everything sent has left (to the kernel, to the broker). */
bool transport_idle(const struct transport *transport);

/* Reads the kernel's counters, too, if it can; valid until the next call. */
const struct transport_stats *transport_stats(struct transport *transport);

/* Adds what only this transport has: to the start's object "transport", or to the @summary. */
void transport_describe(struct transport *transport, struct np_record *record, bool summary);

/* As member_port's drops. What @own and its rows point to is valid until the next call. */
bool transport_drops_fill(struct transport *transport, const struct result *result,
			  struct result_member *own);
