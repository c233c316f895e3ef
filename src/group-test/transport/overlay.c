// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay: a node of a HyperCast overlay. A message is a payload, sent to all nodes, or to the
 * logical address of one member. Own messages come back by a queue of their own, in the next turn.
 */
#include "overlay_peers.h"
#include "variant.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

struct overlay_state {
	struct transport *t;
	struct np_overlay *overlay;
	bool closing;
	np_time joined;	 /* when the node came to the overlay; 0: not yet */
	np_time changed; /* when a neighbor came or went */
	bool settled;	 /* this member may speak; a change makes it wait again, until @begun */
	bool begun;	 /* DATA came or was sent: changes make nobody wait any more */
	uint8_t head[OVERLAY_HEAD_BYTES];
	struct overlay_peer peers[OVERLAY_PEERS];
	uint64_t outside;      /* payloads of other groups and programs */
	np_time refusals_seen; /* when they were last looked at */
	uint64_t refusals;     /* by then */
};

#define SETTLE_LEAST (2 * NP_SECOND) /* neighbours are to be found, and to find theirs */
#define SETTLE_ALONE (5 * NP_SECOND) /* nobody is there; others may come */
#define SETTLE_MOST  (20 * NP_SECOND)
/* Since the last neighbor came: parts of an overlay that meet change for a while. */
#define SETTLE_QUIET  NP_SECOND
#define SETTLE_LOOK   (20 * NP_MILLISECOND)
#define REFUSALS_LOOK (500 * NP_MILLISECOND)

/*
 * Joins the overlay, and keeps this member silent until its node and those around it agree who is
 * whose neighbour: what is sent before reaches some nodes only. Then all that have heard each other
 * are in an overlay that is as good as stable.
 */
static void settle(struct overlay_state *s, np_time now)
{
	struct np_overlay_logical own;
	char text[NP_OVERLAY_LOGICAL_TEXT];
	unsigned neighbours;
	np_time took;
	bool stable;

	if (s->settled)
		return;
	if (!s->joined) {
		np_overlay_join(s->overlay, now);
		s->joined = now;
	}
	took = now - s->joined;
	neighbours = np_overlay_neighbours(s->overlay, NULL, 0);
	stable = np_overlay_stable(s->overlay);
	if (took < SETTLE_MOST &&
	    (took < SETTLE_LEAST || !stable || now < s->changed + SETTLE_QUIET ||
	     (!neighbours && s->t->plan.members > 1 && took < SETTLE_ALONE)))
		return;
	s->settled = true;
	own = np_overlay_logical(s->overlay);
	np_log_detail(s->t->plan.overlay.log,
		      "%s: %s after %.1f s, with %u neighbors; this node is %s",
		      s->t->plan.overlay.file, stable ? "stable" : "not yet stable",
		      np_clock_seconds(took), neighbours, np_overlay_format(&own, text));
}

static void set_deadline(const struct overlay_state *s)
{
	const np_time look = s->settled ? NP_TIME_NEVER : np_clock_now() + SETTLE_LOOK;

	s->t->deadline = s->joined ? np_clock_sooner(np_overlay_deadline(s->overlay), look) : 0;
}

static void on_event(void *context, const struct np_overlay_event *event)
{
	struct overlay_state *s = context;
	const char *name = np_overlay_event_name(event->kind);
	char text[NP_OVERLAY_WARNING_TEXT];

	if (event->kind == NP_OVERLAY_NEIGHBOURHOOD) {
		s->changed = np_clock_now();
		s->settled &= s->begun;
	}
	if (name)
		np_log_detail(s->t->plan.overlay.log, "%s: %s", s->t->plan.overlay.file, name);
	if (*np_overlay_event_warning(event, text))
		np_log_warning(s->t->plan.overlay.log, s->t->plan.overlay.file, "%s", text);
}

/* Called in turns of the overlay; own messages come from @t->own. */
static void on_message(void *context, const struct np_overlay_message *message)
{
	struct overlay_state *s = context;
	struct transport *t = s->t;
	const size_t length = message->bytes - OVERLAY_HEAD_BYTES;
	struct identity who;

	if (message->own || s->closing)
		return;
	if (!overlay_head_decode(s->head, message->data, message->bytes, &who)) {
		s->outside++;
		return;
	}
	if (identity_equal(&who, &t->info.self)) {
		t->stats.bad_handshakes++;
	} else if (!length) {
		t->stats.bad_lengths++;
	} else if (length > t->message_bytes) {
		transport_oversize(t, who, message->at);
	} else {
		const struct transport_message one = {(const uint8_t *)message->data +
							      OVERLAY_HEAD_BYTES,
						      length, length, message->at};

		/* A control message may be as long, and only ends the care too early. */
		s->begun |= length == t->plan.data_bytes;
		overlay_peers_note(s->peers, &who, &message->source, message->at);
		transport_deliver(t, &who, &one, 1, 0);
	}
}

static int overlay_turn(struct transport *t, unsigned most, np_time now)
{
	struct overlay_state *s = t->state;
	struct np_overlay_stats stats;
	const struct np_overlay_substrate_counts *counts = &stats.substrate;
	uint64_t refusals;
	int more;

	settle(s, now);
	more = np_overlay_turn(s->overlay, most, now);
	/*
	 * What the node sends of its own, and copies for one of several neighbors, are refused
	 * without a call that returns it. A neighbor that is dead makes the kernel refuse for other
	 * reasons.
	 */
	if (now >= s->refusals_seen + REFUSALS_LOOK) {
		s->refusals_seen = now;
		(void)np_overlay_stats(s->overlay, &stats);
		refusals =
			counts->refused.own + counts->refused.forwarded + counts->refused.protocol;
		if (refusals != s->refusals &&
		    (counts->last_error == -EPERM || counts->last_error == -EACCES))
			transport_notify(t, TRANSPORT_UNSENT, t->info.self, NULL,
					 counts->last_error);
		s->refusals = refusals;
	}
	set_deadline(s);
	return more;
}

/*
 * Sends a cell's message to all. 0, also when this host refused some of the copies: others are on
 * their way, so that it may not be sent again. What was refused for the only next node is.
 */
static int send_all(struct overlay_state *s, const uint8_t *message, size_t bytes)
{
	int rc = np_overlay_send(s->overlay, NULL, message, OVERLAY_HEAD_BYTES + bytes);

	if (!rc || rc == -EAGAIN)
		return rc;
	if (np_overlay_children(s->overlay, NULL, NULL, 0) > 1) {
		s->t->stats.send_errors++;
		return 0;
	}
	s->t->paused = np_clock_now() + REFUSED_PAUSE;
	/* The next node is dead, and the overlay will find another one. */
	return rc == -EHOSTUNREACH ? -EAGAIN : rc;
}

static bool may_send(const struct overlay_state *s)
{
	return s->settled && !s->t->paused;
}

static int overlay_send(struct transport *t, const struct identity *who, const void *message,
			size_t bytes)
{
	struct overlay_state *s = t->state;
	const struct overlay_peer *peer = who ? overlay_peer_of(s->peers, who) : NULL;
	uint8_t *out = transport_own_cell(t, t->own.end);
	int rc;

	if (!may_send(s) || !transport_own_room(t))
		return -EAGAIN;
	if (peer && !overlay_peer_is(peer, who))
		return -ENOENT;
	memcpy(out + OVERLAY_HEAD_BYTES, message, bytes);
	rc = peer ? np_overlay_send(s->overlay, &peer->logical, out, OVERLAY_HEAD_BYTES + bytes)
		  : send_all(s, out, bytes);
	if (rc || peer)
		memset(out + OVERLAY_HEAD_BYTES, TRANSPORT_FILL, bytes);
	else
		transport_own_keep(t, bytes, true, np_clock_now());
	set_deadline(s);
	return rc == -EHOSTUNREACH ? -ENOENT : rc;
}

static unsigned overlay_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	struct overlay_state *s = t->state;

	if (may_send(s) && np_overlay_room(s->overlay, NULL))
		return transport_own_reserve(t, wanted, slots);
	t->stats.send_refused++;
	return 0;
}

static int overlay_commit(struct transport *t, unsigned count)
{
	struct overlay_state *s = t->state;
	const np_time now = np_clock_now();
	unsigned done = 0;
	int rc = 0;

	s->begun = true;
	while (done < count) {
		rc = send_all(s, transport_own_cell(t, t->own.end), t->plan.data_bytes);
		if (rc)
			break;
		transport_own_keep(t, t->plan.data_bytes, false, now);
		done++;
	}
	t->stats.send_refused += rc == -EAGAIN;
	set_deadline(s);
	return rc && rc != -EAGAIN && !done ? rc : (int)done;
}

static bool overlay_idle(const struct transport *t)
{
	const struct overlay_state *s = t->state;

	return np_overlay_idle(s->overlay);
}

static void overlay_stats(struct transport *t)
{
	struct overlay_state *s = t->state;
	struct np_overlay_stats stats;

	(void)np_overlay_stats(s->overlay, &stats);
	t->stats.dropped = stats.substrate.kernel_dropped;
}

#define OWN_BYTES   ((size_t)4 << 20)
#define OWN_LEAST   8
#define LEAVE_LIMIT NP_SECOND
/* What the overlay adds to a payload, at most, except what its nodes remember of the way. */
#define COVER 128
/* The queues of a node on the way hold copies for several others, and control messages. */
#define QUEUE_SHARE 4

/*
 * A message is a payload, whole. How much may be on the way to a member, and so in a queue of each
 * node before it, is the window.
 */
static int set_window(const struct overlay_state *s, struct np_fault *fault)
{
	const struct np_overlay_info *info = np_overlay_info(s->overlay);
	const size_t room = info->payload_max_all - OVERLAY_HEAD_BYTES;
	const size_t queue = 2 * info->message_max > OWN_BYTES ? 2 * info->message_max : OWN_BYTES;
	size_t window = info->message_buffer / QUEUE_SHARE;

	if (info->payload_max_all < OVERLAY_HEAD_BYTES + s->t->plan.control_bytes)
		return np_fault_set(fault, -EMSGSIZE, s->t->plan.overlay.file,
				    "MaximumPacketLength leaves %zu bytes for a message; at least "
				    "%zu are needed",
				    info->payload_max_all,
				    OVERLAY_HEAD_BYTES + s->t->plan.control_bytes);
	if (s->t->plan.data_bytes > room)
		return np_fault_set(fault, -EMSGSIZE, "msg_size",
				    "%zu bytes: a message has at most %zu in this overlay; see "
				    "MaximumPacketLength in %s",
				    s->t->plan.data_bytes - s->t->plan.data_header_bytes,
				    room - s->t->plan.data_header_bytes, s->t->plan.overlay.file);
	if (s->t->plan.senders > info->message_buffer)
		return np_fault_set(fault, -EINVAL, s->t->plan.overlay.file,
				    "MessageBufferSize of %u messages has no room for one of each "
				    "of %u senders; expected at least %u",
				    info->message_buffer, s->t->plan.senders,
				    QUEUE_SHARE * s->t->plan.senders);
	if (window > queue / (s->t->plan.data_bytes + COVER))
		window = queue / (s->t->plan.data_bytes + COVER);
	if (window < s->t->plan.senders)
		window = s->t->plan.senders;
	if (info->drop_unit && info->receive_granted) {
		s->t->info.message_cost = transport_message_cost(s->t->plan.data_bytes + COVER);
		if (window > info->receive_granted / s->t->info.message_cost)
			window = info->receive_granted / s->t->info.message_cost;
	}
	s->t->info.lossy = true;
	s->t->info.window_bytes = window * s->t->plan.data_bytes;
	return 0;
}

static int overlay_open(struct transport *t, struct np_fault *fault)
{
	struct overlay_state *s = t->state;
	const struct transport_plan *plan = &t->plan;
	const struct np_overlay_options how = {
		.receive_bytes = plan->receive_bytes,
		.send_bytes = plan->send_bytes,
		.ip = plan->ip,
		.log = plan->overlay.log,
	};
	const struct np_overlay_listener listener = {
		.context = s,
		.deliver = on_message,
		.event = on_event,
	};
	struct epoll_event event = {.events = EPOLLIN};
	unsigned count = TRANSPORT_BATCH;
	const struct np_overlay_info *info;
	struct np_overlay_logical own;
	char text[NP_OVERLAY_LOGICAL_TEXT];
	int rc;

	s->t = t;
	rc = np_overlay_open_file(&s->overlay, s->t->plan.overlay.file, &how, &listener, fault);
	if (!rc)
		rc = set_window(s, fault);
	if (rc)
		return rc;
	info = np_overlay_info(s->overlay);
	own = np_overlay_logical(s->overlay);
	t->info.self = identity_of(&info->local);
	t->info.receive_granted = info->receive_granted;
	t->info.send_granted = info->send_granted;
	t->info.stamps = info->stamps;
	t->info.drop_unit = info->drop_unit;
	t->info.relays = true;
	t->info.outage = info->timeout;
	snprintf(t->info.detail, sizeof(t->info.detail),
		 "%s over %s by %.60s, group %.40s, logical address %s", info->protocol,
		 info->substrate, plan->overlay.file, plan->overlay.group,
		 np_overlay_format(&own, text));
	overlay_head_encode(s->head, plan->overlay.group, &t->info.self);
	while (count > OWN_LEAST && count * (OVERLAY_HEAD_BYTES + t->message_bytes) > OWN_BYTES)
		count /= 2;
	rc = transport_own_create(t, count, s->head, OVERLAY_HEAD_BYTES);
	if (!rc && epoll_ctl(t->fd, EPOLL_CTL_ADD, np_overlay_fd(s->overlay), &event))
		rc = -errno;
	t->deadline = 0;
	return rc ? np_fault_errno(fault, rc, plan->variant) : 0;
}

static void overlay_close(struct transport *t)
{
	struct overlay_state *s = t->state;
	np_time now = np_clock_now();
	const np_time limit = now + LEAVE_LIMIT;

	s->closing = true;
	/* The neighbours are told, so that they need not wait for its silence. */
	if (s->overlay && s->joined)
		np_overlay_leave(s->overlay, now);
	while (s->overlay && s->joined && now < limit && !np_overlay_idle(s->overlay) &&
	       np_overlay_turn(s->overlay, TRANSPORT_BATCH, now) >= 0) {
		(void)np_overlay_wait(s->overlay, -1, limit);
		now = np_clock_now();
	}
	np_overlay_free(s->overlay);
}

static void overlay_describe(struct transport *t, struct np_record *record, bool summary)
{
	struct overlay_state *s = t->state;
	const struct np_overlay_info *info = np_overlay_info(s->overlay);
	const struct np_overlay_logical own = np_overlay_logical(s->overlay);
	const unsigned neighbours = np_overlay_neighbours(s->overlay, NULL, 0);
	char text[NP_OVERLAY_LOGICAL_TEXT];
	struct np_overlay_stats stats;

	if (!summary) {
		np_record_text(record, "overlay", info->protocol);
		np_record_text(record, "substrate", info->substrate);
		np_record_text(record, "logical", np_overlay_format(&own, text));
	} else if (!np_overlay_stats(s->overlay, &stats)) {
		np_record_count(np_record_overlay(record, &stats, neighbours), "outside_messages",
				s->outside);
	}
}

const struct transport_variant transport_overlay_variant = {
	.name = "overlay",
	.state_bytes = sizeof(struct overlay_state),
	.open = overlay_open,
	.close = overlay_close,
	.turn = overlay_turn,
	.send = overlay_send,
	.reserve = overlay_reserve,
	.commit = overlay_commit,
	.idle = overlay_idle,
	.stats = overlay_stats,
	.describe = overlay_describe,
};
