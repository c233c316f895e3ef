// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay: messages as payloads of an overlay socket, to one logical address or to all nodes. The
 * node stays in the overlay for all runs. The node takes its turns in receive, wait, pause and
 * push; what arrives during a receive or a push is handed to the transport's user. A sender and a
 * receiver may share a node, in one thread: what arrives goes to the one that it is for, whichever
 * takes the turn.
 *
 * An address is an IPv6 one whose 16 bytes are the logical address, its flow label their number.
 */
#include "transport.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>

#define TURN	       256 /* messages of the overlay */
#define TURNS	       4   /* of one receive */
#define PUSHES	       32  /* messages between two turns */
#define SETTLE	       (TRANSPORT_SETTLE * NP_SECOND)
#define SETTLE_LEAST   (2 * NP_SECOND) /* the comparison of clocks takes the rest */
#define LEAVE	       NP_SECOND
#define NEIGHBOURS_MAX 128

struct node {
	struct np_overlay *overlay;
	struct channel channel;
	/* Who uses it now: a receiver since it was opened, a sender since it connected. */
	struct transport *receiver, *sender;
	bool joined;
	bool receiving;	 /* messages are handed to the transport's user as they arrive */
	int taken;	 /* messages, since the last receive */
	uint64_t pushed; /* messages, since the last turn */
};

static struct node *node_of(const struct transport *t)
{
	return t->sockets;
}

static struct np_address address_of(const struct np_overlay_logical *logical)
{
	struct np_address address = {.length = sizeof(struct sockaddr_in6)};
	struct sockaddr_in6 *six = (void *)&address.storage;

	six->sin6_family = AF_INET6;
	six->sin6_flowinfo = logical->size;
	memcpy(&six->sin6_addr, logical->bytes, sizeof(six->sin6_addr));
	return address;
}

static struct np_overlay_logical logical_of(const struct np_address *address)
{
	const struct sockaddr_in6 *six = (const void *)&address->storage;
	struct np_overlay_logical logical = {.size = (uint8_t)six->sin6_flowinfo};

	memcpy(logical.bytes, &six->sin6_addr, sizeof(logical.bytes));
	return logical;
}

static char *name_overlay(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	const struct np_overlay_logical logical = logical_of(address);

	return np_overlay_format(&logical, out);
}

static void deliver(void *context, const struct np_overlay_message *message)
{
	struct transport *t = context;
	struct node *n = node_of(t);
	const struct np_address source = address_of(&message->source);
	const struct np_packet packet = {
		.data = (uint8_t *)(uintptr_t)message->data,
		.length = message->bytes,
		.source = &source,
		.stamp = message->at,
	};

	/* An overlay delivers what this node sends to all to this node, too. */
	if (message->own || !n->receiving)
		return;
	t = n->receiver;
	if (n->sender && (!t || message_is_answer(message->data, message->bytes)))
		t = n->sender;
	n->taken += t->user->packets(t, &packet, 1, !message->unicast);
}

/* Returns what np_overlay_turn does. */
static int turn(struct transport *t)
{
	struct node *n = node_of(t);
	struct transport *other = t == n->sender ? n->receiver : n->sender;
	int more;

	n->pushed = 0;
	n->receiving = true;
	more = np_overlay_turn(n->overlay, TURN, np_clock_now());
	n->receiving = false;
	if (other && other->user->step)
		other->user->step(other);
	return more;
}

static char *self_overlay(const struct transport *t, char out[NP_ADDRESS_TEXT])
{
	const struct np_overlay_logical own = np_overlay_logical(node_of(t)->overlay);

	return np_overlay_format(&own, out);
}

static void handle_event(void *context, const struct np_overlay_event *event)
{
	struct transport *t = context;
	struct np_overlay_neighbour neighbour[NEIGHBOURS_MAX], child[NEIGHBOURS_MAX];
	struct np_overlay *overlay = node_of(t)->overlay;
	struct console *console = &t->session->console;
	const char *name = np_overlay_event_name(event->kind);
	char logical[NP_OVERLAY_LOGICAL_TEXT], text[NP_ADDRESS_TEXT];
	char warning[NP_OVERLAY_WARNING_TEXT];
	unsigned count, children;

	if (name)
		console_event(console, name);
	if (*np_overlay_event_warning(event, warning))
		np_log_warning(t->session->log, transport_options(t)->place.properties, "%s",
			       warning);
	if (event->kind != NP_OVERLAY_NEIGHBOURHOOD || transport_options(t)->task != TASK_MONITOR ||
	    !overlay)
		return;
	/* The neighbours, and to which of them this node would send a message to all. */
	count = np_overlay_neighbours(overlay, neighbour, NEIGHBOURS_MAX);
	children = np_overlay_children(overlay, NULL, child, NEIGHBOURS_MAX);
	for (unsigned i = 0; i < count && i < NEIGHBOURS_MAX; i++) {
		bool is_child = false;

		for (unsigned k = 0; k < children && k < NEIGHBOURS_MAX && !is_child; k++)
			is_child = np_overlay_equal(&child[k].logical, &neighbour[i].logical);
		console_say(console, "neighbor %s at %s%s\n",
			    np_overlay_format(&neighbour[i].logical, logical),
			    peer_name(&neighbour[i].address, text), is_child ? " child" : "");
	}
	console_say(console, "%u neighbors of %s\n", count, self_overlay(t, text));
}

static void join(struct transport *t)
{
	struct node *n = node_of(t);

	if (!n->joined)
		np_overlay_join(n->overlay, np_clock_now());
	n->joined = true;
}

/* Returns 0 or the exit status. */
static int open_overlay(struct transport *t)
{
	const struct socket_options *asked = &transport_options(t)->socket;
	const struct np_overlay_options how = {
		.receive_bytes = asked->buffer_bytes,
		.send_bytes = asked->buffer_bytes,
		.ip = asked->asked.ip,
		.log = t->session->log,
	};
	const struct np_overlay_listener listener = {
		.context = t,
		.deliver = deliver,
		.event = handle_event,
	};
	struct transport *shared = t->session->shares;
	struct node *n = shared ? node_of(shared) : calloc(1, sizeof(*n));
	const char *file = transport_options(t)->place.properties;
	const size_t bytes = transport_options(t)->load.message_bytes;
	const struct np_overlay_info *info;
	const char *to = transport_options(t)->place.to;
	struct np_overlay_logical own, logical;
	char name[NP_OVERLAY_LOGICAL_TEXT];
	struct np_fault fault;
	size_t room;

	t->sockets = n;
	/* A sender without an address sends to all. A receiver behaves alike in both cases. */
	t->group = t->lanes && !to;
	if (!n)
		return np_log_refuse(t->session->log, NULL, "out of memory");
	if (!shared && np_overlay_open_file(&n->overlay, file, &how, &listener, &fault))
		return np_log_refuse(t->session->log, fault.object, "%s", fault.reason);
	info = np_overlay_info(n->overlay);
	t->longest = info->message_max;
	/* A message is a payload, whole. */
	room = t->group ? info->payload_max_all : info->payload_max_one;
	if (bytes > room)
		return np_log_refuse(t->session->log, "-l",
				     "%zu bytes: a message has at most %zu in this overlay; see "
				     "MaximumPacketLength in %s",
				     bytes, room, file);
	if (MESSAGE_CONTROL_MAX > room)
		return np_log_refuse(t->session->log, file,
				     "MaximumPacketLength leaves %zu bytes for a message; at least "
				     "%d are needed",
				     room, MESSAGE_CONTROL_MAX);
	if (t->lanes) {
		t->lane[0] = &n->channel;
		n->channel.batch = malloc(t->batch * bytes);
		if (!n->channel.batch)
			return np_log_refuse(t->session->log, NULL, "out of memory");
	} else {
		n->receiver = t;
	}
	/* Who sends, or asks for data, names the other end. */
	if (!to)
		return 0;
	own = np_overlay_logical(n->overlay);
	if (np_overlay_parse(n->overlay, to, &logical))
		return np_log_refuse(t->session->log, to,
				     "is no logical address of this overlay, such as %s",
				     np_overlay_format(&own, name));
	if (np_overlay_equal(&logical, &own))
		return np_log_refuse(t->session->log, to,
				     "is this node's own logical address; name another node");
	t->to = address_of(&logical);
	return 0;
}

/* Turns until @until, or a request to stop. 0, -ECANCELED or another -errno. */
static int turn_until(struct transport *t, np_time until,
		      bool (*enough)(const struct np_overlay *overlay))
{
	struct np_overlay *overlay = node_of(t)->overlay;
	int more;

	for (np_time now = np_clock_now(); now < until && !(enough && enough(overlay));
	     now = np_clock_now()) {
		more = np_overlay_turn(overlay, TURN, now);
		if (!more)
			more = np_overlay_wait(overlay, np_signals_fd(t->session->signals), until);
		if (more < 0)
			return more;
		if (session_look(t->session))
			return -ECANCELED;
	}
	return 0;
}

static bool settled(const struct np_overlay *overlay)
{
	return np_overlay_stable(overlay) && np_overlay_neighbours(overlay, NULL, 0);
}

/*
 * Waits up to five seconds, as HyperCast's TTCP does. It ends early once the overlay is stable: the
 * rest of the five seconds is spent on comparing the clocks.
 */
static int connect_overlay(struct transport *t, unsigned lane)
{
	const np_time now = np_clock_now();
	struct node *n = node_of(t);
	int rc;

	(void)lane;
	if (t->lanes)
		n->sender = t;
	if (n->joined)
		return 0;
	join(t);
	if (!transport_options(t)->wait.no_wait) {
		rc = turn_until(t, now + SETTLE_LEAST, NULL);
		if (rc)
			return rc;
	}
	return turn_until(t, now + SETTLE, settled);
}

static int receive_overlay(struct transport *t)
{
	struct node *n = node_of(t);
	int more = 1, taken;

	/* A receiver needs no contact. */
	join(t);
	for (unsigned turns = 0; more > 0 && turns < TURNS; turns++)
		more = turn(t);
	taken = n->taken;
	n->taken = 0;
	return more < 0 ? more : taken;
}

static int wait_overlay(struct transport *t, np_time deadline, uint64_t writable)
{
	struct node *n = node_of(t);
	int rc;

	(void)writable; /* the node's descriptor tells of room, too */
	/* A push has taken something. */
	if (n->taken)
		return 1;
	if (n->sender && n->receiver && deadline > np_clock_now() + TRANSPORT_LOOK)
		deadline = np_clock_now() + TRANSPORT_LOOK;
	if (deadline <= np_clock_now())
		return 0;
	rc = np_overlay_wait(n->overlay, np_signals_fd(t->session->signals), deadline);
	if (rc < 0)
		return rc;
	return !session_look(t->session) && np_clock_now() < deadline;
}

static ssize_t send_overlay(struct transport *t, struct channel *channel,
			    const struct np_address *to, const void *message, size_t bytes,
			    bool more)
{
	const struct np_overlay_logical logical = logical_of(to ? to : &t->to);
	struct np_overlay *overlay = node_of(t)->overlay;
	const int rc = np_overlay_send(overlay, to || !t->group ? &logical : NULL, message, bytes);

	(void)channel;
	(void)more;
	/* The receiver may still join; the sender repeats the message. */
	if (rc == -EHOSTUNREACH)
		return -EAGAIN;
	return rc ? rc : (ssize_t)bytes;
}

static int call_overlay(struct transport *t, unsigned lane, const void *message, size_t bytes)
{
	ssize_t rc = connect_overlay(t, lane);

	if (!rc)
		rc = send_overlay(t, NULL, NULL, message, bytes, false);
	/* It is repeated. */
	return rc < 0 && rc != -EAGAIN ? (int)rc : np_overlay_fd(node_of(t)->overlay);
}

static ssize_t push_overlay(struct transport *t, struct channel *channel, size_t first,
			    size_t bytes)
{
	const size_t each = transport_options(t)->load.message_bytes;
	const struct np_overlay_logical to = logical_of(&t->to);
	struct node *n = node_of(t);
	size_t done = 0;
	int rc = 0;

	while (done < bytes && rc >= 0) {
		/* To all, one by one. */
		const unsigned count = t->group ? 1 : (unsigned)((bytes - done) / each);

		rc = np_overlay_send_many(n->overlay, t->group ? NULL : &to,
					  channel->batch + first + done, each, count);
		done += rc > 0 ? (size_t)rc * each : 0;
	}
	n->pushed += done / each;
	/* Sends the heartbeats that are due, and forwards the messages of others. */
	if (n->pushed >= PUSHES || rc < 0) {
		(void)turn(t);
		/* Pushes may go on for long. */
		n->taken = n->taken > 0;
	}
	return done ? (ssize_t)done : rc;
}

static bool pause_overlay(struct transport *t, np_time until)
{
	return !turn_until(t, until, NULL) && !t->session->interrupts;
}

static void count_overlay(const struct transport *t, struct transport_counts *counts)
{
	struct np_overlay *overlay = node_of(t)->overlay;
	struct np_overlay_stats stats;

	counts->drop_unit = np_overlay_info(overlay)->drop_unit;
	/* The kernel's drops include heartbeats and messages that this node was to forward. */
	counts->drops_of_others = true;
	if (np_overlay_stats(overlay, &stats))
		return;
	counts->dropped_known = counts->drop_unit;
	counts->dropped = stats.substrate.kernel_dropped;
	counts->send_errors = stats.substrate.no_room.own + stats.substrate.unreachable.own +
			      stats.substrate.refused.own;
}

static const struct np_address *local_overlay(const struct transport *t,
					      const struct channel *channel)
{
	(void)channel;
	return t->lanes ? NULL : &np_overlay_info(node_of(t)->overlay)->local;
}

static void describe(const struct transport *t, const struct np_address *peer,
		     struct np_record *start, struct np_block_full *full)
{
	const struct np_overlay_info *info = np_overlay_info(node_of(t)->overlay);
	struct np_record *r = np_record_append(start, "sockets");
	char text[NP_ADDRESS_TEXT];

	np_record_text(r, "overlay", info->protocol);
	np_record_text(r, "substrate", info->substrate);
	np_block_full_say(full, NP_BLOCK_TRANSPORT, "overlay", "%s over %s", info->protocol,
			  info->substrate);
	np_record_text(r, "local", peer_name(&info->local, text));
	np_record_text(r, "logical", self_overlay(t, text));
	np_record_text(r, "peer", peer ? name_overlay(peer, text) : NULL);
	transport_describe(r, full, info->stamps, info->send_granted, info->receive_granted);
}

static void sum_up_overlay(const struct transport *t, struct np_record *summary)
{
	struct np_overlay *overlay = node_of(t)->overlay;
	struct np_overlay_stats stats;

	if (!np_overlay_stats(overlay, &stats))
		(void)np_record_overlay(summary, &stats, np_overlay_neighbours(overlay, NULL, 0));
}

static void close_overlay(struct transport *t)
{
	struct node *n = node_of(t);

	if (!n)
		return;
	if (t->lanes) {
		free(n->channel.batch);
		n->channel.batch = NULL;
		n->sender = NULL;
	} else {
		n->receiver = NULL;
	}
	if (!t->session->shares && n->joined) {
		/* With linger, forwards for others a while; then says Goodbye to the neighbours. */
		if (t->linger)
			(void)turn_until(t, np_clock_now() + SETTLE, NULL);
		np_overlay_leave(n->overlay, np_clock_now());
		t->session->interrupts = 0;
		(void)turn_until(t, np_clock_now() + LEAVE, np_overlay_idle);
	}
	if (!t->session->shares) {
		np_overlay_free(n->overlay);
		free(n);
	}
	t->sockets = NULL;
}

const struct transport_face transport_overlay = {
	.datagrams = true,
	.open = open_overlay,
	.close = close_overlay,
	.connect = connect_overlay,
	.call = call_overlay,
	.receive = receive_overlay,
	.wait = wait_overlay,
	.send = send_overlay,
	.push = push_overlay,
	.pause = pause_overlay,
	.counts = count_overlay,
	.local = local_overlay,
	.describe = describe,
	.sum_up = sum_up_overlay,
	.self = self_overlay,
	.name = name_overlay,
};
