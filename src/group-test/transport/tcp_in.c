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

void tcp_source_free(struct tcp_state *s, struct tcp_source *source)
{
	s->unauthenticated -= source->stream && !source->framing.shaken;
	np_stream_free(source->stream);
	tcp_framing_end(&source->framing);
	*source = (struct tcp_source){};
}

static struct identity remote_of(const struct tcp_source *source)
{
	return identity_of(&np_stream_info(source->stream)->remote);
}

static bool is_of(const struct tcp_source *source, const struct identity *who)
{
	return source->stream && source->framing.shaken &&
	       identity_equal(&source->framing.peer, who);
}

/*
 * Whether another connection than @source speaks for the same member; @trusted: and is known to be
 * that member's.
 */
static bool is_double(const struct tcp_state *s, const struct tcp_source *source, bool trusted)
{
	for (unsigned i = 0; i < s->source_count; i++) {
		const struct tcp_source *other = &s->sources[i];

		if (other != source && is_of(other, &source->framing.peer) &&
		    (other->trusted || !trusted))
			return true;
	}
	return false;
}

/*
 * Closes the connection. If its member was known by name, reports the end, unless another
 * connection of that member exists that may really be its.
 */
static void end(struct tcp_state *s, struct tcp_source *source, int error)
{
	struct identity peer = source->framing.peer;
	bool known = source->framing.shaken && !source->dropped &&
		     (source->trusted || !is_double(s, source, false));

	tcp_source_free(s, source);
	if (known)
		transport_notify(s->t, TRANSPORT_ENDED, peer, NULL, error);
}

/* True if an entry of the cluster has that address, whatever its port. */
static bool is_near(const struct tcp_state *s, const struct identity *remote)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (!memcmp(s->peers[i].id.ip, remote->ip, sizeof(remote->ip)))
			return true;
	}
	return false;
}

/* Closes a connection after bad input, by tcp_framing_take's error. */
static void refuse(struct tcp_state *s, struct tcp_source *source, int error)
{
	struct identity remote = remote_of(source);

	s->t->stats.oversize += error == -EMSGSIZE;
	s->t->stats.bad_lengths += error == -EBADMSG;
	s->t->stats.bad_handshakes += error == -EPROTO || error == -ENOTSUP;
	/* An older JGroups connects again from another port after each close. */
	memset(remote.port, 0, sizeof(remote.port));
	if (error == -ENOTSUP && is_near(s, &remote))
		transport_notify(s->t, TRANSPORT_FOREIGN,
				 source->framing.shaken ? source->framing.peer : remote,
				 tcp_framing_generation(&source->framing), error);
	end(s, source, error);
}

/* The only connection that this member itself makes is that to itself. */
static bool is_own(const struct tcp_state *s, struct np_stream *stream)
{
	const struct tcp_peer *self = tcp_peer_of(s, &s->t->info.self);

	return self && self->stream &&
	       np_address_equal(&np_stream_info(self->stream)->local,
				&np_stream_info(stream)->remote);
}

/* Why @source may not speak for the member that it announces; NULL: it may. */
static const char *refusal(struct tcp_state *s, struct tcp_source *source)
{
	const struct identity *who = &source->framing.peer, remote = remote_of(source);

	if (!tcp_peer_of(s, who))
		return "which is not in the cluster";
	if (s->plan.strict ? memcmp(remote.ip, who->ip, sizeof(who->ip)) != 0
			   : !is_near(s, &remote))
		return "but the connection comes from another address";
	if (identity_equal(who, &s->t->info.self))
		return is_own(s, source->stream) ? NULL : "which is this member's own address";
	if (!tcp_peer_back(s, who, is_double(s, source, false)))
		return "which does not answer";
	return NULL;
}

/* Reports a few strangers, and none twice in a row. */
static void notify_refused(struct tcp_state *s, const struct tcp_source *source, const char *why)
{
	char who[IDENTITY_TEXT], text[IDENTITY_TEXT + 64];

	s->t->stats.refused++;
	if (s->refusals_reported == REFUSALS_REPORTED ||
	    identity_equal(&s->last_refused, &source->framing.peer))
		return;
	s->refusals_reported++;
	s->last_refused = source->framing.peer;
	snprintf(text, sizeof(text), "it claims to be %s, %s",
		 identity_format(&source->framing.peer, who), why);
	transport_notify(s->t, TRANSPORT_REFUSED, remote_of(source), text, 0);
}

unsigned tcp_source_drop(struct tcp_state *s, const struct identity *who,
			 const struct tcp_source *kept)
{
	unsigned count = 0;

	for (unsigned i = 0; i < s->source_count; i++) {
		struct tcp_source *source = &s->sources[i];

		if (source == kept || !is_of(source, who))
			continue;
		count++;
		source->dropped = true;
		if (source != s->reading)
			tcp_source_free(s, source);
	}
	return count;
}

static void trust(struct tcp_state *s, struct tcp_source *source)
{
	if (source->trusted)
		return;
	source->trusted = true;
	s->t->stats.refused += tcp_source_drop(s, &source->framing.peer, source);
}

/* The handshake is complete. Returns true when the connection is accepted. */
static bool admit(struct tcp_state *s, struct tcp_source *source)
{
	const struct identity *who = &source->framing.peer;
	const char *why = refusal(s, source);
	const struct tcp_peer *peer = tcp_peer_of(s, who);

	s->unauthenticated--;
	if (why) {
		source->dropped = true;
		notify_refused(s, source, why);
		return false;
	}
	/*
	 * Where members cannot prove themselves, the first connection is trusted, and one whose
	 * predecessor is gone.
	 */
	if (identity_equal(who, &s->t->info.self) ||
	    (!s->plan.strict &&
	     (!is_double(s, source, true) || !peer || peer->state != TCP_CONNECTED)))
		trust(s, source);
	return true;
}

/* Splits what was read into messages and delivers them; returns how many, or -errno. */
static int take(struct tcp_state *s, struct tcp_source *source, struct tcp_framing_input *input,
		unsigned most)
{
	int total = 0, count;

	while (input->bytes && !source->dropped) {
		const bool shaken = source->framing.shaken;

		count = tcp_framing_take(&source->framing, input, s->messages, most);
		if (count < 0)
			return count;
		if (source->framing.shaken != shaken && !admit(s, source))
			break;
		if (count)
			transport_deliver(s->t, &source->framing.peer, s->messages, (unsigned)count,
					  (unsigned)(source - s->sources) + 1);
		total += count;
	}
	return total;
}

unsigned tcp_source_read(struct tcp_state *s, unsigned index, unsigned most, bool *more)
{
	struct tcp_source *source = &s->sources[index];
	struct tcp_framing_input input = {.data = s->buffer};
	size_t frame = s->t->data_bytes + FRAME_LENGTH_BYTES;
	size_t room = most < TCP_READ_BYTES / frame ? most * frame : TCP_READ_BYTES;
	ssize_t got;
	int taken;

	if (!source->stream)
		return 0;
	got = np_stream_receive(source->stream, s->buffer, room);
	if (got == -EAGAIN)
		return 0;
	if (got <= 0) {
		s->t->stats.truncated += tcp_framing_unfinished(&source->framing);
		end(s, source, (int)got);
		return 0;
	}
	s->t->stats.receive_calls++;
	*more |= (size_t)got == room;
	input.bytes = (size_t)got;
	input.at = np_clock_now();
	s->reading = source;
	taken = take(s, source, &input, most < TRANSPORT_BATCH ? most : TRANSPORT_BATCH);
	s->reading = NULL;
	if (taken < 0) {
		refuse(s, source, taken);
		return 0;
	}
	/* Part of a message arrived, but not its end. */
	if (!taken && !source->dropped && source->framing.shaken &&
	    tcp_framing_unfinished(&source->framing) &&
	    input.at >= source->move_reported + TCP_MOVED_EVERY &&
	    (source->trusted || !is_double(s, source, true))) {
		source->move_reported = input.at;
		transport_notify(s->t, TRANSPORT_MOVED, source->framing.peer, NULL, 0);
	}
	if (source->dropped)
		tcp_source_free(s, source);
	return (unsigned)taken;
}

/* A free place, else that of the oldest untrusted connection; NULL when there is none. */
static struct tcp_source *find_place(struct tcp_state *s)
{
	struct tcp_source *oldest = NULL;

	for (unsigned i = 0; i < s->source_count; i++) {
		struct tcp_source *source = &s->sources[i];

		if (!source->stream)
			return source;
		if (!source->trusted && (!oldest || source->since < oldest->since))
			oldest = source;
	}
	if (!oldest)
		return NULL;
	s->t->stats.refused += oldest->framing.shaken;
	s->t->stats.silent += !oldest->framing.shaken;
	end(s, oldest, -ECONNABORTED);
	return oldest;
}

static void take_in(struct tcp_state *s, struct np_stream *stream, np_time now)
{
	struct tcp_source *place;

	if (!np_address_networks_have(s->plan.allow, &np_stream_info(stream)->remote) &&
	    !is_own(s, stream)) {
		s->t->stats.not_allowed++;
		np_stream_free(stream);
		return;
	}
	place = find_place(s);
	if (!place || tcp_watch(s, EPOLL_CTL_ADD, stream, TCP_SOURCE,
				(unsigned)(place - s->sources), EPOLLIN)) {
		s->t->stats.refused++;
		np_stream_free(stream);
		return;
	}
	*place = (struct tcp_source){.stream = stream, .since = now};
	tcp_framing_begin(&place->framing, s->t->message_bytes);
	s->unauthenticated++;
}

/*
 * Without a descriptor a connection stays waiting, and the listener ready: so stop watching it for
 * a while.
 */
void tcp_sources_accept(struct tcp_state *s, np_time now)
{
	struct np_stream *stream;

	for (unsigned i = 0; i < ACCEPTS; i++) {
		int rc = np_stream_accept(s->listener, &stream);

		if (!rc) {
			take_in(s, stream, now);
		} else if (rc == -EMFILE || rc == -ENFILE || rc == -ENOBUFS || rc == -ENOMEM) {
			s->t->stats.refused++;
			s->accept_again = now + DESCRIPTOR_WAIT;
			(void)tcp_watch(s, EPOLL_CTL_MOD, s->listener, TCP_LISTENER, 0, 0);
			return;
		} else if (rc == -EAGAIN) {
			return;
		}
	}
}

np_time tcp_sources_limit(struct tcp_state *s, np_time now)
{
	np_time next = NP_TIME_NEVER;

	if (s->accept_again && now >= s->accept_again) {
		s->accept_again = 0;
		(void)tcp_watch(s, EPOLL_CTL_MOD, s->listener, TCP_LISTENER, 0, EPOLLIN);
	}
	if (s->accept_again)
		next = s->accept_again;
	for (unsigned i = 0; s->unauthenticated && i < s->source_count; i++) {
		struct tcp_source *source = &s->sources[i];

		if (!source->stream || source->framing.shaken)
			continue;
		if (now >= source->since + SILENCE_LIMIT) {
			s->t->stats.silent++;
			tcp_source_free(s, source);
		} else if (source->since + SILENCE_LIMIT < next) {
			next = source->since + SILENCE_LIMIT;
		}
	}
	return next;
}

void tcp_source_trust(struct transport *t, const struct identity *who, unsigned channel)
{
	struct tcp_state *s = t->state;

	if (channel && channel <= s->source_count && is_of(&s->sources[channel - 1], who))
		trust(s, &s->sources[channel - 1]);
}

void tcp_source_deny(struct tcp_state *s, const struct identity *who)
{
	for (unsigned i = 0; i < s->source_count; i++) {
		struct tcp_source *source = &s->sources[i];

		if (source == s->reading || !is_of(source, who) || source->trusted)
			continue;
		notify_refused(s, source, "which does not answer");
		end(s, source, -ECONNABORTED);
	}
}
