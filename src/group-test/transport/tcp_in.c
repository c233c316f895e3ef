// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp_in: accepts, reads and closes the connections that others made to us. It waits for none of
 * them, and whoever connects costs only a place in a table for a while.
 */
#include "tcp.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>

#define SILENCE_LIMIT	  (5 * NP_SECOND) /* until the handshake is complete */
#define ACCEPTS		  16		  /* in one turn */
#define DESCRIPTOR_WAIT	  (100 * NP_MILLISECOND)
#define REFUSALS_REPORTED 8

void tcp_source_free(struct transport *t, unsigned index)
{
	struct tcp_state *s = t->state;
	struct tcp_source *source = &s->sources[index];

	s->unauthenticated -= source->stream && !source->framing.shaken;
	np_stream_free(source->stream);
	tcp_framing_end(&source->framing);
	*source = (struct tcp_source){};
}

static void notify(struct transport *t, enum transport_event_kind kind, struct identity peer,
		   const char *text, int error)
{
	transport_notify(t, &(struct transport_event){
				    .kind = kind, .peer = peer, .text = text, .error = error});
}

static bool is_of(const struct tcp_source *source, const struct identity *who)
{
	return source->stream && source->framing.shaken &&
	       identity_equal(&source->framing.peer, who);
}

/*
 * Whether another connection than @index speaks for the same member; @trusted: and is known to be
 * that member's.
 */
static bool is_double(const struct tcp_state *s, unsigned index, bool trusted)
{
	for (unsigned i = 0; i < s->source_count; i++) {
		if (i != index && is_of(&s->sources[i], &s->sources[index].framing.peer) &&
		    (s->sources[i].trusted || !trusted))
			return true;
	}
	return false;
}

/*
 * Closes the connection. If its member was known by name, reports the end, unless another
 * connection of that member exists that may really be its.
 */
static void end(struct transport *t, unsigned index, int error)
{
	struct tcp_state *s = t->state;
	const struct tcp_source *source = &s->sources[index];
	struct identity peer = source->framing.peer;
	bool known = source->framing.shaken && !source->dropped &&
		     (source->trusted || !is_double(s, index, false));

	tcp_source_free(t, index);
	if (known)
		notify(t, TRANSPORT_ENDED, peer, NULL, error);
}

/* Closes a connection after bad input, by tcp_framing_take's error. */
static void refuse(struct transport *t, unsigned index, int error)
{
	struct tcp_state *s = t->state;
	struct tcp_source *source = &s->sources[index];
	struct identity remote = identity_of(&np_stream_info(source->stream)->remote);

	switch (error) {
	case -EMSGSIZE: t->stats.oversize++; break;
	case -EBADMSG: t->stats.bad_lengths++; break;
	case -EPROTO: t->stats.bad_handshakes++; break;
	case -ENOTSUP:
		t->stats.bad_handshakes++;
		/* An older JGroups connects again from another port after each close. */
		memset(remote.port, 0, sizeof(remote.port));
		if (tcp_peer_is_near(t, &remote))
			notify(t, TRANSPORT_FOREIGN,
			       source->framing.shaken ? source->framing.peer : remote,
			       tcp_framing_generation(&source->framing), error);
	}
	end(t, index, error);
}

/* The only connection that this member itself makes is that to itself. */
static bool is_own(const struct transport *t, const struct np_address *remote)
{
	const struct tcp_peer *self = tcp_peer_of(t, &t->info.self);

	return self && self->stream &&
	       np_address_equal(&np_stream_info(self->stream)->local, remote);
}

/* Why @source may not speak for the member that it announces; NULL: it may. */
static const char *refusal(struct transport *t, unsigned index)
{
	struct tcp_state *s = t->state;
	const struct identity *who = &s->sources[index].framing.peer;
	const struct np_address *address = &np_stream_info(s->sources[index].stream)->remote;
	const struct identity remote = identity_of(address);

	if (!tcp_peer_of(t, who))
		return "which is not in the cluster";
	if (s->strict ? memcmp(remote.ip, who->ip, sizeof(who->ip)) != 0
		      : !tcp_peer_is_near(t, &remote))
		return "but the connection comes from another address";
	if (identity_equal(who, &t->info.self))
		return is_own(t, address) ? NULL : "which is this member's own address";
	if (!tcp_peer_back(t, who, is_double(s, index, false)))
		return "which does not answer";
	return NULL;
}

/* Reports a few strangers, and none twice in a row. */
static void notify_refused(struct transport *t, unsigned index, const char *why)
{
	struct tcp_state *s = t->state;
	const struct tcp_source *source = &s->sources[index];
	char who[IDENTITY_TEXT], text[IDENTITY_TEXT + 64];

	if (s->refusals_reported == REFUSALS_REPORTED ||
	    identity_equal(&s->last_refused, &source->framing.peer))
		return;
	s->refusals_reported++;
	s->last_refused = source->framing.peer;
	snprintf(text, sizeof(text), "it claims to be %s, %s",
		 identity_format(&source->framing.peer, who), why);
	notify(t, TRANSPORT_REFUSED, identity_of(&np_stream_info(source->stream)->remote), text, 0);
}

/*
 * Where members cannot prove themselves, the first connection is trusted, and one whose predecessor
 * is gone.
 */
static bool is_trusted(const struct transport *t, unsigned index)
{
	const struct tcp_state *s = t->state;
	const struct identity *who = &s->sources[index].framing.peer;

	if (identity_equal(who, &t->info.self))
		return true;
	return !s->strict && (!is_double(s, index, true) || tcp_peer_find(t, who) < 0);
}

/* True when the connection is accepted. */
static bool admit(struct transport *t, unsigned index)
{
	struct tcp_state *s = t->state;
	struct tcp_source *source = &s->sources[index];
	const char *why = refusal(t, index);

	s->unauthenticated--;
	if (!why) {
		if (is_trusted(t, index))
			tcp_source_trust(t, &source->framing.peer, index + 1);
		return true;
	}
	t->stats.refused++;
	source->dropped = true;
	notify_refused(t, index, why);
	return false;
}

/* Splits what was read into messages and delivers them; returns how many, or -errno. */
static int take(struct transport *t, unsigned index, struct tcp_framing_input *input, unsigned most)
{
	struct tcp_state *s = t->state;
	struct tcp_source *source = &s->sources[index];
	bool shaken = source->framing.shaken;
	int total = 0, count;

	while (input->bytes && !source->dropped) {
		count = tcp_framing_take(&source->framing, input, s->messages, most);
		if (count < 0)
			return count;
		if (source->framing.shaken != shaken && !admit(t, index))
			break;
		shaken = source->framing.shaken;
		if (count)
			transport_deliver(t, &source->framing.peer, s->messages, (unsigned)count,
					  index + 1);
		total += count;
	}
	return total;
}

/* Reports that part of a message arrived, but not its end. */
static void notify_move(struct transport *t, struct tcp_source *source, np_time now)
{
	const struct tcp_state *s = t->state;

	if (!source->framing.shaken || !tcp_framing_unfinished(&source->framing) ||
	    now < source->move_reported + TCP_MOVED_EVERY)
		return;
	if (!source->trusted && is_double(s, (unsigned)(source - s->sources), true))
		return;
	source->move_reported = now;
	notify(t, TRANSPORT_MOVED, source->framing.peer, NULL, 0);
}

unsigned tcp_source_read(struct transport *t, unsigned index, unsigned most, bool *more)
{
	struct tcp_state *s = t->state;
	struct tcp_source *source = &s->sources[index];
	struct tcp_framing_input input = {.data = s->buffer};
	size_t frame = t->data_bytes + FRAME_LENGTH_BYTES;
	size_t room = most < TCP_READ_BYTES / frame ? most * frame : TCP_READ_BYTES;
	ssize_t got;
	int taken;

	if (!source->stream)
		return 0;
	got = np_stream_receive(source->stream, s->buffer, room);
	if (got == -EAGAIN)
		return 0;
	if (got <= 0) {
		t->stats.truncated += tcp_framing_unfinished(&source->framing);
		end(t, index, (int)got);
		return 0;
	}
	t->stats.receive_calls++;
	*more |= (size_t)got == room;
	input.bytes = (size_t)got;
	input.at = np_clock_now();
	s->reading = index;
	taken = take(t, index, &input, most < TRANSPORT_BATCH ? most : TRANSPORT_BATCH);
	s->reading = TCP_NOBODY;
	if (!taken && !source->dropped)
		notify_move(t, source, input.at);
	if (taken < 0)
		refuse(t, index, taken);
	else if (source->dropped)
		tcp_source_free(t, index);
	return taken < 0 ? 0 : (unsigned)taken;
}

/* A free place, else that of the oldest untrusted connection; TCP_NOBODY when there is none. */
static unsigned find_place(struct transport *t)
{
	struct tcp_state *s = t->state;
	unsigned oldest = TCP_NOBODY;

	for (unsigned i = 0; i < s->source_count; i++) {
		const struct tcp_source *source = &s->sources[i];

		if (!source->stream)
			return i;
		if (!source->trusted &&
		    (oldest == TCP_NOBODY || source->since < s->sources[oldest].since))
			oldest = i;
	}
	if (oldest == TCP_NOBODY)
		return oldest;
	if (s->sources[oldest].framing.shaken)
		t->stats.refused++;
	else
		t->stats.silent++;
	end(t, oldest, -ECONNABORTED);
	return oldest;
}

static void take_in(struct transport *t, struct np_stream *stream, np_time now)
{
	struct tcp_state *s = t->state;
	unsigned index = find_place(t);

	if (index == TCP_NOBODY || tcp_watch(t, stream, TCP_SOURCE, index, EPOLLIN)) {
		t->stats.refused++;
		np_stream_free(stream);
		return;
	}
	s->sources[index] = (struct tcp_source){.stream = stream, .since = now};
	tcp_framing_begin(&s->sources[index].framing, t->message_bytes);
	s->unauthenticated++;
}

static void listen_for_more(struct transport *t, bool more)
{
	const struct tcp_state *s = t->state;
	struct epoll_event event = {.events = more ? EPOLLIN : 0,
				    .data.u64 = (uint64_t)TCP_LISTENER << 32};

	epoll_ctl(t->fd, EPOLL_CTL_MOD, np_stream_fd(s->listener), &event);
}

static bool is_allowed(const struct transport *t, struct np_stream *stream)
{
	const struct tcp_state *s = t->state;
	const struct np_address *remote = &np_stream_info(stream)->remote;

	return np_address_networks_have(s->allow, remote) || is_own(t, remote);
}

/*
 * Without a descriptor a connection stays waiting, and the listener ready: so stop watching it for
 * a while.
 */
void tcp_sources_accept(struct transport *t, np_time now)
{
	struct tcp_state *s = t->state;
	struct np_stream *stream;

	for (unsigned i = 0; i < ACCEPTS; i++) {
		int rc = np_stream_accept(s->listener, &stream);

		if (!rc && !is_allowed(t, stream)) {
			t->stats.not_allowed++;
			np_stream_free(stream);
		} else if (!rc) {
			take_in(t, stream, now);
		} else if (rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM) {
			t->stats.refused++;
			s->accept_again = now + DESCRIPTOR_WAIT;
			listen_for_more(t, false);
			return;
		} else if (rc == -EAGAIN) {
			return;
		}
	}
}

np_time tcp_sources_limit(struct transport *t, np_time now)
{
	struct tcp_state *s = t->state;
	np_time next = NP_TIME_NEVER;

	if (s->accept_again && now >= s->accept_again) {
		s->accept_again = 0;
		listen_for_more(t, true);
	}
	if (s->accept_again)
		next = s->accept_again;
	for (unsigned i = 0; s->unauthenticated && i < s->source_count; i++) {
		const struct tcp_source *source = &s->sources[i];

		if (!source->stream || source->framing.shaken)
			continue;
		if (now >= source->since + SILENCE_LIMIT) {
			t->stats.silent++;
			tcp_source_free(t, i);
		} else if (source->since + SILENCE_LIMIT < next) {
			next = source->since + SILENCE_LIMIT;
		}
	}
	return next;
}

/* Not while its messages are being delivered. */
static void drop(struct transport *t, unsigned index)
{
	struct tcp_state *s = t->state;

	s->sources[index].dropped = true;
	if (index != s->reading)
		tcp_source_free(t, index);
}

void tcp_source_drop(struct transport *t, const struct identity *who)
{
	struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->source_count; i++) {
		if (is_of(&s->sources[i], who))
			drop(t, i);
	}
}

void tcp_source_trust(struct transport *t, const struct identity *who, unsigned channel)
{
	struct tcp_state *s = t->state;

	if (!channel || channel > s->source_count || !is_of(&s->sources[channel - 1], who) ||
	    s->sources[channel - 1].trusted)
		return;
	s->sources[channel - 1].trusted = true;
	for (unsigned i = 0; i < s->source_count; i++) {
		if (i == channel - 1 || !is_of(&s->sources[i], who))
			continue;
		t->stats.refused++;
		drop(t, i);
	}
}

void tcp_source_deny(struct transport *t, const struct identity *who)
{
	struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->source_count; i++) {
		if (i == s->reading || !is_of(&s->sources[i], who) || s->sources[i].trusted)
			continue;
		t->stats.refused++;
		notify_refused(t, i, "which does not answer");
		end(t, i, -ECONNABORTED);
	}
}
