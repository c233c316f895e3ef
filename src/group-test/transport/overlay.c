// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * overlay: a node of a HyperCast overlay. A message is a payload, sent to all nodes, or to the
 * logical address of one member. Own messages come back by a queue of their own, in the next turn.
 */
#include "overlay.h"

#include <errno.h>
#include <sys/eventfd.h>

#define REFUSED_PAUSE  (10 * NP_MILLISECOND)
#define REFUSALS_LOOK  (500 * NP_MILLISECOND)
#define OVERSIZE_EVERY NP_SECOND

static uint8_t *cell(const struct overlay_own *own, unsigned index)
{
	return own->cells + index % own->count * own->cell_bytes;
}

static void set_deadline(struct transport *t)
{
	const struct overlay_state *s = t->state;
	const np_time node = np_overlay_deadline(s->overlay), settle = overlay_settle_deadline(t);

	t->deadline = node < settle ? node : settle;
	if (s->paused < t->deadline)
		t->deadline = s->paused;
}

static void tell_oversize(struct transport *t, const struct identity *who, np_time at)
{
	struct overlay_state *s = t->state;

	t->stats.oversize++;
	if (s->oversize_told && at < s->oversize_told + OVERSIZE_EVERY)
		return;
	s->oversize_told = at;
	transport_tell(t, &(struct transport_event){.kind = TRANSPORT_OVERSIZE, .peer = *who});
}

/* Called in turns of the overlay; own messages are delivered by deliver_own. */
void overlay_on_message(void *context, const struct np_overlay_message *message)
{
	struct transport *t = context;
	struct overlay_state *s = t->state;
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
		tell_oversize(t, &who, message->at);
	} else {
		const struct transport_message one = {(const uint8_t *)message->data +
							      OVERLAY_HEAD_BYTES,
						      length, length, message->at};

		/* A control message may be as long, and only ends the care too early. */
		s->settling.begun |= length == t->data_bytes;
		overlay_peers_note(&s->peers, &who, &message->source, message->at);
		transport_deliver(t, &(struct transport_delivery){
					     .source = &who, .messages = &one, .count = 1});
	}
}

static bool own_waits(const struct overlay_state *s)
{
	return s->own.begin != s->own.end;
}

/* Those that the listener sends meanwhile wait for the next turn. */
static void deliver_own(struct transport *t, unsigned most)
{
	struct overlay_state *s = t->state;
	struct overlay_own *own = &s->own;
	const unsigned end = own->end;
	eventfd_t ignored;

	for (; most && own->begin != end; most--, own->begin++) {
		uint8_t *data = cell(own, own->begin) + OVERLAY_HEAD_BYTES;
		const struct overlay_own_message sent = own->message[own->begin % own->count];
		const struct transport_message one = {data, sent.bytes, sent.bytes, sent.at};

		transport_deliver(t, &(struct transport_delivery){.source = &t->info.self,
								  .messages = &one,
								  .count = 1});
		/* The payload of the DATA message that will be here next. */
		if (sent.control)
			memset(data, TRANSPORT_FILL, sent.bytes);
	}
	if (!own_waits(s))
		(void)eventfd_read(s->wake, &ignored);
}

static void keep_own(struct overlay_state *s, size_t bytes, bool control, np_time at)
{
	struct overlay_own *own = &s->own;

	own->message[own->end % own->count] = (struct overlay_own_message){bytes, at, control};
	if (!own_waits(s))
		(void)eventfd_write(s->wake, 1);
	own->end++;
}

/*
 * What the node sends of its own, and copies for one of several neighbors, are refused without a
 * call that returns it. A neighbor that is dead makes the kernel refuse for other reasons.
 */
static void tell_refusals(struct transport *t, np_time now)
{
	struct overlay_state *s = t->state;
	struct np_overlay_stats stats;
	uint64_t refusals;

	if (now < s->refusals_seen + REFUSALS_LOOK)
		return;
	s->refusals_seen = now;
	if (np_overlay_stats(s->overlay, &stats))
		return;
	refusals = stats.substrate.refused.own + stats.substrate.refused.forwarded +
		   stats.substrate.refused.protocol;
	if (refusals != s->refusals &&
	    (stats.substrate.last_error == -EPERM || stats.substrate.last_error == -EACCES))
		transport_tell(t, &(struct transport_event){.kind = TRANSPORT_UNSENT,
							    .peer = t->info.self,
							    .error = stats.substrate.last_error});
	s->refusals = refusals;
}

static int overlay_turn(struct transport *t, unsigned most, np_time now)
{
	struct overlay_state *s = t->state;
	int more;

	if (now >= s->paused)
		s->paused = NP_TIME_NEVER;
	overlay_settle(t, now);
	deliver_own(t, most);
	more = np_overlay_turn(s->overlay, most, now);
	tell_refusals(t, now);
	set_deadline(t);
	return more < 0 ? more : more || own_waits(s);
}

/*
 * Sends a cell's message to all. 0, also when this host refused some of the copies: others are on
 * their way, so that it may not be sent again. What was refused for the only next node is.
 */
static int send_all(struct transport *t, const uint8_t *message, size_t bytes)
{
	struct overlay_state *s = t->state;
	int rc = np_overlay_send_all(s->overlay, message, OVERLAY_HEAD_BYTES + bytes);

	if (!rc || rc == -EAGAIN)
		return rc;
	if (np_overlay_children(s->overlay, NULL, NULL, 0) > 1) {
		t->stats.send_errors++;
		t->stats.last_error = rc;
		return 0;
	}
	s->paused = np_clock_now() + REFUSED_PAUSE;
	/* The next node is dead, and the overlay will find another one. */
	return rc == -EHOSTUNREACH ? -EAGAIN : rc;
}

static bool may_send(const struct overlay_state *s)
{
	return s->settling.over && s->paused == NP_TIME_NEVER;
}

static int overlay_send(struct transport *t, const void *message, size_t bytes)
{
	struct overlay_state *s = t->state;
	struct overlay_own *own = &s->own;
	uint8_t *out = cell(own, own->end);
	int rc;

	if (!may_send(s) || own->end - own->begin == own->count)
		return -EAGAIN;
	memcpy(out + OVERLAY_HEAD_BYTES, message, bytes);
	rc = send_all(t, out, bytes);
	if (rc)
		memset(out + OVERLAY_HEAD_BYTES, TRANSPORT_FILL, bytes);
	else
		keep_own(s, bytes, true, np_clock_now());
	set_deadline(t);
	return rc;
}

static int overlay_send_to(struct transport *t, const struct identity *who, const void *message,
			   size_t bytes)
{
	struct overlay_state *s = t->state;
	const struct np_overlay_logical *to = overlay_peers_find(&s->peers, who);
	int rc;

	if (!may_send(s))
		return -EAGAIN;
	if (!to)
		return -ENOENT;
	memcpy(s->out, s->head, OVERLAY_HEAD_BYTES);
	memcpy(s->out + OVERLAY_HEAD_BYTES, message, bytes);
	rc = np_overlay_send(s->overlay, to, s->out, OVERLAY_HEAD_BYTES + bytes);
	set_deadline(t);
	return rc == -EHOSTUNREACH ? -ENOENT : rc;
}

/* A quarter is reserved for control messages. */
static unsigned overlay_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	struct overlay_state *s = t->state;
	const struct overlay_own *own = &s->own;
	const unsigned used = own->end - own->begin, most = own->count - own->count / 4;
	const unsigned straight = own->count - own->end % own->count;
	unsigned room = used < most ? most - used : 0;

	if (!may_send(s) || !room || !np_overlay_room(s->overlay, NULL)) {
		t->stats.send_refused++;
		return 0;
	}
	if (room > straight)
		room = straight;
	slots->data = cell(own, own->end) + OVERLAY_HEAD_BYTES;
	slots->stride = own->cell_bytes;
	return wanted < room ? wanted : room;
}

static int overlay_commit(struct transport *t, unsigned count)
{
	struct overlay_state *s = t->state;
	const np_time now = np_clock_now();
	unsigned done = 0;
	int rc = 0;

	s->settling.begun = true;
	while (done < count) {
		rc = send_all(t, cell(&s->own, s->own.end), t->data_bytes);
		if (rc)
			break;
		keep_own(s, t->data_bytes, false, now);
		done++;
	}
	t->stats.send_refused += rc == -EAGAIN;
	set_deadline(t);
	return rc && rc != -EAGAIN && !done ? rc : (int)done;
}

static bool overlay_idle(const struct transport *t)
{
	const struct overlay_state *s = t->state;

	return !own_waits(s) && np_overlay_idle(s->overlay);
}

static int overlay_stats(struct transport *t)
{
	struct overlay_state *s = t->state;
	struct np_overlay_stats stats;
	const int rc = np_overlay_stats(s->overlay, &stats);

	t->stats.dropped = stats.substrate.kernel_dropped;
	return rc;
}

const struct transport_variant transport_overlay_variant = {
	.name = "overlay",
	.open = overlay_open,
	.close = overlay_close,
	.turn = overlay_turn,
	.send = overlay_send,
	.send_to = overlay_send_to,
	.reserve = overlay_reserve,
	.commit = overlay_commit,
	.idle = overlay_idle,
	.stats = overlay_stats,
	.describe = overlay_describe,
	.sum_up = overlay_sum_up,
};
