// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp: a full mesh, in one epoll loop that never blocks. A member listens, and tries once to reach
 * every peer; a message is queued once, and goes from there to each peer as fast as the peer
 * accepts it. Whoever connects to it costs only a place in a table for a while.
 */
#include "tcp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>

#define BACKLOG		  1024
#define UNPROVED	  64 /* connections that were not proved to be a member's */
#define EVENTS		  64
#define SILENCE_LIMIT	  (5 * NP_SECOND) /* until the handshake is complete */
#define ACCEPTS		  16		  /* in one turn */
#define DESCRIPTOR_WAIT	  (100 * NP_MILLISECOND)
#define REFUSALS_REPORTED 8
#define DESCRIPTORS_MORE  2 /* beside those of connections: signals */
#define CONNECT_LIMIT	  (2 * NP_SECOND)

int tcp_watch(const struct tcp_state *s, struct np_stream *stream, enum tcp_kind kind,
	      unsigned index, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u64 = (uint64_t)kind << 32 | index};

	return epoll_ctl(s->t->fd, EPOLL_CTL_ADD, np_stream_fd(stream), &event) < 0 ? -errno : 0;
}

static void free_source(struct tcp_state *s, struct tcp_source *source)
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
	for_each(other, s->sources, s->source_count) {
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

	free_source(s, source);
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

/* Reports a few strangers, and none twice in a row. */
static void notify_refused(struct tcp_state *s, const struct tcp_source *source, const char *why)
{
	char text[IDENTITY_TEXT + 64];

	s->t->stats.refused++;
	if (s->refusals_reported == REFUSALS_REPORTED ||
	    identity_equal(&s->last_refused, &source->framing.peer))
		return;
	s->refusals_reported++;
	s->last_refused = source->framing.peer;
	snprintf(text, sizeof(text), "it claims to be %s, %s", identity_text(&source->framing.peer),
		 why);
	transport_notify(s->t, TRANSPORT_REFUSED, remote_of(source), text, 0);
}

unsigned tcp_source_drop(struct tcp_state *s, const struct identity *who,
			 const struct tcp_source *kept)
{
	unsigned count = 0;

	for_each(source, s->sources, s->source_count) {
		if (source == kept || !is_of(source, who))
			continue;
		count++;
		source->dropped = true;
		if (source != s->reading)
			free_source(s, source);
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
	const struct identity *who = &source->framing.peer, remote = remote_of(source);
	const bool own = identity_equal(who, &s->t->info.self);
	const struct tcp_peer *peer = tcp_peer_of(s, who);
	const char *why = NULL;

	s->unauthenticated--;
	/* May it speak for the member that it announces? */
	if (!peer)
		why = "which is not in the cluster";
	else if (s->plan->strict ? memcmp(remote.ip, who->ip, sizeof(who->ip)) != 0
				 : !is_near(s, &remote))
		why = "but the connection comes from another address";
	else if (own && !is_own(s, source->stream))
		why = "which is this member's own address";
	else if (!own && !tcp_peer_back(s, who, is_double(s, source, false)))
		why = "which does not answer";
	if (why) {
		source->dropped = true;
		notify_refused(s, source, why);
		return false;
	}
	/*
	 * Where members cannot prove themselves, the first connection is trusted, and one whose
	 * predecessor is gone.
	 */
	if (own ||
	    (!s->plan->strict && (!is_double(s, source, true) || peer->state != TCP_CONNECTED)))
		trust(s, source);
	return true;
}

static unsigned read_source(struct tcp_state *s, unsigned index, unsigned most, bool *more)
{
	struct tcp_source *source = &s->sources[index];
	struct tcp_framing_input input = {.data = s->buffer};
	size_t frame = s->t->plan.data_bytes + FRAME_LENGTH_BYTES;
	size_t room = most < TCP_READ_BYTES / frame ? most * frame : TCP_READ_BYTES;
	ssize_t got;
	int taken = 0, count = 0;

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
	/* Splits it into messages and delivers them. */
	while (input.bytes && !source->dropped && count >= 0) {
		const bool shaken = source->framing.shaken;

		count = tcp_framing_take(&source->framing, &input, s->messages,
					 most < TRANSPORT_BATCH ? most : TRANSPORT_BATCH);
		if (source->framing.shaken != shaken && !admit(s, source))
			break;
		if (count > 0)
			transport_deliver(s->t, &source->framing.peer, s->messages, (unsigned)count,
					  index + 1);
		taken += count;
	}
	s->reading = NULL;
	if (count < 0) {
		refuse(s, source, count);
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
		free_source(s, source);
	return (unsigned)taken;
}

static void accept_sources(struct tcp_state *s, np_time now)
{
	struct np_stream *stream;

	s->accept_at = now; /* there may be more than these */
	for (unsigned i = 0; i < ACCEPTS; i++) {
		const int rc = np_stream_accept(s->listener, &stream);
		struct tcp_source *place = NULL;

		/* Without a descriptor a connection stays waiting. */
		if (rc) {
			s->t->stats.refused += rc != -EAGAIN;
			s->accept_at = rc == -EAGAIN ? NP_TIME_NEVER : now + DESCRIPTOR_WAIT;
			return;
		}
		if (!np_address_networks_have(s->plan->allow, &np_stream_info(stream)->remote) &&
		    !is_own(s, stream)) {
			s->t->stats.not_allowed++;
			np_stream_free(stream);
			continue;
		}
		/* A free place, else that of the oldest untrusted connection. */
		for (unsigned k = 0; k < s->source_count && (!place || place->stream); k++) {
			struct tcp_source *at = &s->sources[k];

			if (!at->stream || (!at->trusted && (!place || at->since < place->since)))
				place = at;
		}
		if (place && place->stream) {
			s->t->stats.refused += place->framing.shaken;
			s->t->stats.silent += !place->framing.shaken;
			end(s, place, -ECONNABORTED);
		}
		if (!place ||
		    tcp_watch(s, stream, TCP_SOURCE, (unsigned)(place - s->sources), EPOLLIN)) {
			s->t->stats.refused++;
			np_stream_free(stream);
			continue;
		}
		*place = (struct tcp_source){
			.stream = stream, .since = now, .framing.longest = s->t->message_bytes};
		s->unauthenticated++;
	}
}

static void tcp_trust(struct transport *t, const struct identity *who, unsigned channel)
{
	struct tcp_state *s = t->state;

	if (channel && channel <= s->source_count && is_of(&s->sources[channel - 1], who))
		trust(s, &s->sources[channel - 1]);
}

void tcp_source_deny(struct tcp_state *s, const struct identity *who)
{
	for_each(source, s->sources, s->source_count) {
		if (source == s->reading || !is_of(source, who) || source->trusted)
			continue;
		notify_refused(s, source, "which does not answer");
		end(s, source, -ECONNABORTED);
	}
}

/*
 * Listens at the first free port from the plan's on, 0: any; of the address that was asked for,
 * else the first of the cluster that belongs to this host, else the one by which others reach it.
 */
static int open_listener(struct tcp_state *s, struct np_fault *fault)
{
	const struct transport_plan *plan = &s->t->plan;
	const struct np_address_list *cluster = &plan->tcp.cluster;
	const uint16_t first = plan->tcp.first_port;
	unsigned port = first;
	int rc = 0;

	s->local = plan->bind;
	for (size_t i = 0; s->local.any.sa_family == AF_UNSPEC && i < cluster->count; i++) {
		if (np_address_is_local(&cluster->item[i]))
			s->local = cluster->item[i];
	}
	s->local.name[0] = '\0';
	if (s->local.any.sa_family == AF_UNSPEC)
		rc = np_address_of_this_host(&s->local, AF_UNSPEC, 0);
	s->options.local = &s->local;
	if (!rc) {
		do {
			np_address_set_port(&s->local, (uint16_t)port);
			rc = np_stream_listen(&s->listener, &s->options, BACKLOG);
		} while (rc == -EADDRINUSE && first && ++port <= UINT16_MAX);
	}
	if (rc == -ENODEV && plan->ip.device)
		return np_fault_errno(fault, rc, plan->ip.device);
	if (rc)
		return np_fault_errno(fault, rc, address_text(&s->local));
	s->local = np_stream_info(s->listener)->local;
	s->t->info.self = identity_of(&s->local);
	s->handshake_bytes = jgroups_handshake_encode(s->handshake, &s->t->info.self);
	return 0;
}

/* A group that lacks them would seem not to form. */
static int check_descriptors(const struct tcp_state *s, struct np_fault *fault)
{
	const struct transport_plan *plan = &s->t->plan;
	const unsigned to = plan->tcp.cluster.count ? s->peer_count : plan->members,
		       needed = to + plan->members + DESCRIPTORS_MORE;
	struct rlimit limit;
	unsigned free = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	for (rlim_t fd = 0; fd < limit.rlim_cur && free < needed; fd++)
		free += fcntl((int)fd, F_GETFD) < 0;
	if (free == needed)
		return 0;
	return np_fault_set(fault, -EMFILE, plan->variant,
			    "%u members need %llu file descriptors, but there are %llu; raise "
			    "ulimit -n",
			    plan->members, (unsigned long long)limit.rlim_cur + needed - free,
			    (unsigned long long)limit.rlim_cur);
}

/* Skips duplicates: a peer listed twice would get everything twice. */
static void add_peer(struct tcp_state *s, const struct np_address *address)
{
	for (unsigned i = 0; i < s->peer_count; i++) {
		if (np_address_equal(&s->peers[i].address, address))
			return;
	}
	s->failed++;
	s->peers[s->peer_count++] = (struct tcp_peer){
		.address = *address,
		.id = identity_of(address),
		.reported = -1,
	};
}

/* Handles what epoll reports within @wait_ms; true when there may be more. */
static bool handle_events(struct tcp_state *s, int wait_ms, unsigned most, np_time now)
{
	struct epoll_event events[EVENTS];
	const int count = epoll_wait(s->t->fd, events, EVENTS, wait_ms);
	bool more = count == EVENTS;

	/* Starts with another one each time, so that no source starves another. */
	for (unsigned i = 0, first = s->turns++; count > 0 && i < (unsigned)count; i++) {
		const struct epoll_event *event = &events[(first + i) % (unsigned)count];
		unsigned index = (unsigned)event->data.u64, got;

		switch ((enum tcp_kind)(event->data.u64 >> 32)) {
		case TCP_LISTENER:
			if (s->accept_at == NP_TIME_NEVER)
				s->accept_at = now;
			break;
		case TCP_PEER: tcp_peer_event(s, index, event->events); break;
		case TCP_SOURCE:
			got = most ? read_source(s, index, most, &more) : 0;
			more |= !most;
			most -= got < most ? got : most;
			break;
		}
	}
	return more;
}

/* Peers that connect to us meanwhile wait in the listener's queue. */
static void try_all(struct tcp_state *s, np_time limit)
{
	np_time now = np_clock_now();
	const np_time end = now + limit;
	unsigned i = 0;

	tcp_peers_connect(s);
	while (now < end) {
		while (i < s->peer_count && s->peers[i].state != TCP_CONNECTING)
			i++;
		if (i == s->peer_count)
			break;
		(void)handle_events(s, (int)((end - now) / NP_MILLISECOND) + 1, 0, now);
		now = np_clock_now();
	}
	tcp_set_news(s);
}

static int tcp_open(struct transport *t, struct np_fault *fault)
{
	struct tcp_state *s = t->state;
	const struct transport_plan *plan = &t->plan;
	const struct np_stream_info *listener;
	int rc;

	if (!plan->ip.ttl)
		return np_fault_set(fault, -EINVAL, "--ttl",
				    "0 (this host only) is for udp; tcp needs at least 1");
	s->t = t;
	s->plan = &plan->tcp;
	/* One more than are listed: ourselves, with a port that may not be listed. */
	s->peer_room =
		(plan->tcp.cluster.count ? (unsigned)plan->tcp.cluster.count : plan->members) + 1;
	s->source_count = 2 * s->peer_room + UNPROVED;
	s->sources = calloc(s->source_count, sizeof(*s->sources));
	s->peers = calloc(s->peer_room, sizeof(*s->peers));
	s->buffer = malloc(TCP_READ_BYTES);
	rc = s->sources && s->peers && s->buffer
		     ? queue_create(&s->queue, plan->data_bytes, plan->data_header_bytes,
				    plan->control_bytes)
		     : -ENOMEM;
	if (rc)
		return np_fault_errno(fault, rc, plan->variant);
	s->options = (struct np_stream_options){
		.receive_bytes = plan->receive_bytes,
		.send_bytes = plan->send_bytes,
		.no_delay = true,
		.ip = plan->ip,
	};
	rc = open_listener(s, fault);
	if (rc)
		return rc;
	for (size_t i = 0; i < plan->tcp.cluster.count; i++)
		add_peer(s, &plan->tcp.cluster.item[i]);
	if (!plan->tcp.first_port || !plan->tcp.cluster.count)
		add_peer(s, &s->local);
	np_address_set_port(&s->local, 0);
	if (!tcp_peer_of(s, &t->info.self))
		return np_fault_set(fault, -EINVAL, identity_text(&t->info.self),
				    "this member's own address is not in the cluster");
	rc = check_descriptors(s, fault);
	if (rc)
		return rc;
	try_all(s, plan->connect_limit ? plan->connect_limit : CONNECT_LIMIT);
	s->accept_at = NP_TIME_NEVER;
	rc = tcp_watch(s, s->listener, TCP_LISTENER, 0, EPOLLIN | EPOLLET);
	if (rc)
		return np_fault_errno(fault, rc, plan->variant);
	/* Unless a size was asked for, the kernel adapts the buffers. */
	listener = np_stream_info(s->listener);
	if (plan->receive_bytes)
		t->info.receive_granted = listener->receive_granted;
	if (plan->send_bytes)
		t->info.send_granted = listener->send_granted;
	snprintf(t->info.detail, sizeof(t->info.detail), "listens at %s, %u in the cluster",
		 identity_text(&t->info.self), s->peer_count);
	return 0;
}

static int tcp_enlist(struct transport *t, const struct np_address *addresses, size_t count)
{
	struct tcp_state *s = t->state;

	for (size_t i = 0; i < count; i++) {
		if (s->peer_count == s->peer_room)
			return -ENOSPC;
		add_peer(s, &addresses[i]);
	}
	tcp_peers_connect(s);
	t->deadline = 0;
	return 0;
}

static void tcp_close(struct transport *t)
{
	struct tcp_state *s = t->state;

	for (unsigned i = 0; i < s->peer_count; i++)
		np_stream_free(s->peers[i].stream);
	for (unsigned i = 0; s->sources && i < s->source_count; i++)
		free_source(s, &s->sources[i]);
	np_stream_free(s->listener);
	queue_free(s->queue);
	free(s->peers);
	free(s->sources);
	free(s->buffer);
}

static int tcp_turn(struct transport *t, unsigned most, np_time now)
{
	struct tcp_state *s = t->state;
	np_time peers, sources;
	bool more;

	tcp_peers_notify(s);
	more = handle_events(s, 0, most, now);
	peers = tcp_peers_limit(s, now);
	if (now >= s->accept_at)
		accept_sources(s, now);
	sources = s->accept_at;
	for (unsigned i = 0; s->unauthenticated && i < s->source_count; i++) {
		struct tcp_source *source = &s->sources[i];

		if (!source->stream || source->framing.shaken)
			continue;
		if (now >= source->since + SILENCE_LIMIT) {
			s->t->stats.silent++;
			free_source(s, source);
		} else if (source->since + SILENCE_LIMIT < sources) {
			sources = source->since + SILENCE_LIMIT;
		}
	}
	tcp_peers_notify(s);
	t->deadline = s->news ? now : peers < sources ? peers : sources;
	return more;
}

static int tcp_send(struct transport *t, const struct identity *who, const void *message,
		    size_t bytes)
{
	struct tcp_state *s = t->state;
	const struct tcp_peer *peer = who ? tcp_peer_of(s, who) : NULL;
	int rc;

	if (who && (!peer || peer->state != TCP_CONNECTED))
		return -ENOENT;
	tcp_peers_retry(s);
	rc = queue_put(s->queue, message, bytes, peer ? (int)(peer - s->peers) : QUEUE_ALL);
	if (!rc)
		tcp_peers_send(s);
	return rc;
}

static unsigned tcp_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	struct tcp_state *s = t->state;
	unsigned count = queue_reserve(s->queue, wanted, slots);

	t->stats.send_refused += !count;
	return count;
}

static int tcp_commit(struct transport *t, unsigned count)
{
	struct tcp_state *s = t->state;

	tcp_peers_retry(s);
	queue_commit(s->queue, count);
	tcp_peers_send(s);
	return (int)count;
}

/* Only blocked peers have not got everything. */
static bool tcp_idle(const struct transport *t)
{
	const struct tcp_state *s = t->state;

	return !s->blocked;
}

const struct transport_variant transport_tcp_variant = {
	.name = "tcp",
	.state_bytes = sizeof(struct tcp_state),
	.open = tcp_open,
	.close = tcp_close,
	.enlist = tcp_enlist,
	.turn = tcp_turn,
	.send = tcp_send,
	.reserve = tcp_reserve,
	.commit = tcp_commit,
	.drop = tcp_peer_drop,
	.trust = tcp_trust,
	.idle = tcp_idle,
};
