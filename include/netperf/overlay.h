/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * overlay: a node of a HyperCast 4 overlay on sockets: joins, keeps its neighbours, sends payloads
 * to all nodes or to the one with a logical address, forwards those of others, receives, leaves.
 * What is on the wire is that of HyperCast 4 (Java, 2018): protocol and overlay messages, over UDP,
 * over TCP, or over UDP with a multicast group for beacons. IPv4 only.
 *
 * Nothing here blocks, but for np_overlay_wait and the opening, which may ask for this host's
 * addresses; there are no threads. A program waits on np_overlay_fd until np_overlay_deadline
 * beside whatever else it waits for, and calls np_overlay_turn:
 *
 *	while (!done) {
 *		struct pollfd fds[] = {{.fd = np_overlay_fd(overlay), .events = POLLIN}, ...};
 *
 *		np_wait_ready(fds, 2, np_overlay_deadline(overlay));
 *		while (np_overlay_turn(overlay, 64, np_clock_now()) > 0)
 *			;
 *	}
 *
 * A node that takes no turns forwards nothing and is dead to its neighbours after their time-out:
 * a program that computes or sends for long takes turns meanwhile.
 *
 * Delivery is best effort and unordered, over TCP too: a payload may be lost at any hop, and may
 * come twice while neighbours change. Payloads have no numbers: whoever wants to count has his own.
 */
#pragma once

#include <netperf/socket.h>

struct np_overlay;

#define NP_OVERLAY_LOGICAL_BYTES 16
/* Room for any np_overlay_format. */
#define NP_OVERLAY_LOGICAL_TEXT 36
/* Room for any np_overlay_event_warning. */
#define NP_OVERLAY_WARNING_TEXT 300

/*
 * A logical address: what a node is called in its overlay. Coordinates (Delaunay), an
 * interface address (NONE) or a number (spanning tree), as on the wire; 0 beyond @size. Size 0:
 * none.
 */
struct np_overlay_logical {
	uint8_t bytes[NP_OVERLAY_LOGICAL_BYTES];
	uint8_t size;
};

/* What is asked for beside a file. */
struct np_overlay_options {
	size_t receive_bytes; /* SO_RCVBUF; 0: message_buffer messages of message_max, to 4 MiB */
	size_t send_bytes;    /* SO_SNDBUF; 0: leave */
	struct np_ip_options ip;  /* its device must exist as long as the overlay */
	uint64_t seed;		  /* of all that is random; 0: drawn */
	const struct np_log *log; /* is warned of elements without effect; NULL: nobody */
};

/* A payload. @data is good during the delivery. */
struct np_overlay_message {
	const void *data;
	size_t bytes;
	struct np_overlay_logical source;
	struct np_overlay_logical previous; /* the neighbour it came from; own: this node */
	bool unicast;			    /* to this node alone; else to all */
	bool own; /* this node's own: a node that sends to all, or to itself, receives it as well */
	unsigned hop_limit; /* what is left of the sender's: 254 own, 253 from a neighbour ... */
	np_time at; /* UDP: the kernel's stamp; TCP: when it was read; own: when it was sent */
};

/* In the order in which those of one call are reported: causes before their effects. */
enum np_overlay_event_kind {
	/* Warnings: what a user has to change. A node at @address has node[0], too. */
	NP_OVERLAY_TWIN,
	/* The coordinates node[0], this one's, to node[3] lie on a circle; a move follows. */
	NP_OVERLAY_COCIRCULAR,
	/* This node moved, from node[0]: it had a duplicate, or lay on a circle with three others.
	 */
	NP_OVERLAY_ADDRESS,
	NP_OVERLAY_NEIGHBOURHOOD, /* a neighbour came or went */
	/* The neighbours agree with this node's view, after being unstable. Never told by SPT. */
	NP_OVERLAY_STABLE,
	NP_OVERLAY_LEFT, /* by np_overlay_leave */
};

struct np_overlay_event {
	enum np_overlay_event_kind kind;
	struct np_overlay_logical node[4];
	struct np_address address;
};

/* "hypercast.events.NODE_ISSTABLE" and so on, constant; NULL: HyperCast has no such event. */
const char *np_overlay_event_name(enum np_overlay_event_kind kind);

/* The warning as a sentence; "" of what is none. */
char *np_overlay_event_warning(const struct np_overlay_event *event,
			       char out[NP_OVERLAY_WARNING_TEXT]);

/*
 * The caller's functions, called from within turn, join, leave and the sends. They may query the
 * overlay and send by it, nothing else. Either may be NULL: payloads, or events, are dropped.
 */
struct np_overlay_listener {
	void *context;
	void (*deliver)(void *context, const struct np_overlay_message *message);
	void (*event)(void *context, const struct np_overlay_event *event);
};

/*
 * Opens the sockets, so that privileges can be dropped, and the node, which is outside of its
 * overlay until np_overlay_join, by an XML file as HyperCast reads it: netperf-overlay(5).
 * @options may be NULL; @listener is copied, NULL: none. On failure *@overlay is NULL and @fault
 * says what: its object is FILE:LINE, its reason names the element and what would be right.
 * -EINVAL (a value out of its range), -EOPNOTSUPP, -EADDRINUSE, -EADDRNOTAVAIL, -EACCES, -ENODEV,
 * -ENOMEM, what open(2) and read(2) return, and -E2BIG.
 */
int np_overlay_open_file(struct np_overlay **overlay, const char *file,
			 const struct np_overlay_options *options,
			 const struct np_overlay_listener *listener, struct np_fault *fault);

/* Such a file with comments, every value the default. 0 or -errno of the writing. */
int np_overlay_print_template(FILE *out);

/* Closes everything at once, without a Goodbye: see np_overlay_leave. NULL is allowed. */
void np_overlay_free(struct np_overlay *overlay);

/* What does not change while it is open. */
struct np_overlay_info {
	const char *protocol;	 /* "DTBuddyList", "DTBroadcast", "SPT", "NONE" */
	const char *substrate;	 /* "udp", "tcp", "pair": UDP with a multicast group */
	struct np_address local; /* where others reach it */
	uint32_t hash;		 /* of the overlay */
	size_t message_max;
	size_t payload_max_all, payload_max_one; /* bytes of a payload to all, to one */
	unsigned message_buffer; /* messages that wait in one queue; more are dropped */
	np_time timeout;	 /* a neighbour silent for longer is dead to this node; NONE: 0, no
				    neighbour */
	size_t receive_granted, send_granted; /* usable bytes of the socket; TCP: a connection's, 0:
						 not known */
	const char *stamps;    /* of np_overlay_message.at, of others': "kernel" or "user" */
	const char *drop_unit; /* of counts.kernel_dropped: "packet"; NULL: nothing is dropped so */
};

const struct np_overlay_info *np_overlay_info(const struct np_overlay *overlay);

/* The next turns send the first messages. Joining again has no effect. */
void np_overlay_join(struct np_overlay *overlay, np_time now);

/* Says Goodbye to the neighbours. Take turns until np_overlay_idle: then the Goodbyes have left. */
void np_overlay_leave(struct np_overlay *overlay, np_time now);

/* Readable when a turn has something to do; one descriptor, the same as long as it is open. */
int np_overlay_fd(const struct np_overlay *overlay);

/* When a turn has something to do even if the descriptor is not readable; NP_TIME_NEVER: not. */
np_time np_overlay_deadline(const struct np_overlay *overlay);

/*
 * One turn: takes up to about @most messages that have arrived and hands over what is for this
 * node, sends what waits, keeps times. Returns 1 when there is more to do at once, 0 when not, or
 * -errno when this node can do no more.
 */
int np_overlay_turn(struct np_overlay *overlay, unsigned most, np_time now);

/* Sleeps until a turn has something to do, @other_fd (or -1) is readable, @deadline, or a signal.
 */
int np_overlay_wait(struct np_overlay *overlay, int other_fd, np_time deadline);

/*
 * Sends a payload to the node @to, or to all (NULL). Either every next hop's copy is taken, by the
 * kernel or by a queue here, or none is: -EAGAIN, there is no room now (np_overlay_room); wait for
 * a turn and try again. Also -EINVAL (@to is none, or not of this protocol), -ENOTCONN (not
 * joined), -EMSGSIZE (over payload_max_one or _all), -EHOSTUNREACH (no neighbour in that
 * direction), or -errno of the kernel for the first copy that it refused; the others went. The own
 * copy, or what is for this node itself, is delivered before this returns. Without neighbours a
 * payload to all is sent to nobody, and 0.
 */
int np_overlay_send(struct np_overlay *overlay, const struct np_overlay_logical *to,
		    const void *data, size_t bytes);

/*
 * Sends @count payloads of @bytes each, one after the other at @data, to the node @to, several by
 * one call, or one to all (NULL); each is a message of its own. Returns how many are taken, from
 * the first on, or what np_overlay_send returns for the first.
 */
int np_overlay_send_many(struct np_overlay *overlay, const struct np_overlay_logical *to,
			 const void *data, size_t bytes, unsigned count);

/* Whether a payload to @to (NULL: to all) has room now. The descriptor tells when that changes. */
bool np_overlay_room(const struct np_overlay *overlay, const struct np_overlay_logical *to);

/* True when the kernel has accepted all messages; over TCP, when the peers' kernels have. */
bool np_overlay_idle(const struct np_overlay *overlay);

/* This node's own; the protocol may change it: NP_OVERLAY_ADDRESS. */
struct np_overlay_logical np_overlay_logical(const struct np_overlay *overlay);

/*
 * A logical address as people write it, in the form of this overlay's protocol: "x,y" of DT,
 * "a.b.c.d:port" of NONE, a number of SPT. 0, -EINVAL (not of that form), -ERANGE (beyond its
 * numbers, or 0).
 */
int np_overlay_parse(const struct np_overlay *overlay, const char *text,
		     struct np_overlay_logical *logical);
/* The way back, for any protocol; pure. */
char *np_overlay_format(const struct np_overlay_logical *logical,
			char out[NP_OVERLAY_LOGICAL_TEXT]);
/* Pure. */
bool np_overlay_equal(const struct np_overlay_logical *a, const struct np_overlay_logical *b);

bool np_overlay_stable(const struct np_overlay *overlay); /* as of the latest heartbeat */

struct np_overlay_neighbour {
	struct np_overlay_logical logical;
	struct np_address address;
};

/* How many there are; writes the first @room of them. DT: counter-clockwise. */
unsigned np_overlay_neighbours(const struct np_overlay *overlay, struct np_overlay_neighbour *out,
			       unsigned room);
/* Those to which this node forwards what @root sends to all; NULL: itself. */
unsigned np_overlay_children(const struct np_overlay *overlay,
			     const struct np_overlay_logical *root,
			     struct np_overlay_neighbour *out, unsigned room);
/* The next hop to @root, from which its payloads to all come as well; false: there is none. */
bool np_overlay_parent(const struct np_overlay *overlay, const struct np_overlay_logical *root,
		       struct np_overlay_neighbour *out);

/* Copies of messages, by what they were: each next hop's is one. */
struct np_overlay_copies {
	uint64_t own;	    /* payloads of this node */
	uint64_t forwarded; /* payloads of others */
	uint64_t protocol;
};

/* What became of messages between this node and the kernel. Sent + dropped + waiting = taken on. */
struct np_overlay_substrate_counts {
	struct np_overlay_copies sent;	      /* taken by the kernel, whole */
	struct np_overlay_copies no_room;     /* dropped: the queue here was full */
	struct np_overlay_copies unreachable; /* dropped: no connection, or it broke */
	struct np_overlay_copies refused;     /* dropped: by the kernel, last_error says why */
	struct np_overlay_copies waiting;     /* in queues here, now */
	int last_error;			      /* -errno, 0: none */
	uint64_t sent_bytes, received_bytes;  /* of messages */
	uint64_t received;		      /* messages, that came whole */
	uint64_t oversize;		      /* longer than message_max: dropped */
	uint64_t unreadable;	 /* no message: TCP: closed the connection; pair: to the group */
	uint64_t kernel_dropped; /* came and found the receive buffer full, in drop_unit */
	uint64_t connections;	 /* TCP: now */
	uint64_t connects, accepts;
	uint64_t icmp_errors; /* UDP: answers that nobody is there */
};

/* What became of payloads and protocol messages in this node. */
struct np_overlay_node_counts {
	uint64_t sent;	    /* own payloads, each counted once */
	uint64_t received;  /* messages with a payload that came */
	uint64_t delivered; /* to the program; own ones not */
	/* Dropped, and why. */
	uint64_t malformed;	  /* no message, or one that is out of bounds */
	uint64_t foreign;	  /* of another overlay, or of no protocol known */
	uint64_t forged;	  /* in a neighbour's name from another address */
	uint64_t not_from_parent; /* by a way that it should not come */
	uint64_t looped, expired; /* had passed here; hop limit 0 */
	uint64_t unroutable;	  /* no next hop */
	uint64_t empty;		  /* without a payload */
	uint64_t too_long;	  /* to be forwarded: over message_max with this hop in it */
	uint64_t full;		  /* neighbours refused, for there are too many */
	uint64_t moves;		  /* this node's changes of address */
	uint64_t timed_out;	  /* neighbours that fell silent */
};

struct np_overlay_stats {
	struct np_overlay_node_counts node;
	struct np_overlay_substrate_counts substrate;
};

/* Counts since the opening; asks the kernel for its drops. 0 or -errno. */
int np_overlay_stats(struct np_overlay *overlay, struct np_overlay_stats *stats);

/* Adds the object "overlay" of netperf-json(5) to @record, by the counts, and returns it. */
struct np_record *np_record_overlay(struct np_record *record, const struct np_overlay_stats *stats,
				    unsigned neighbours);
