// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp: the substrate of TCP connections: made, accepted, written, read, timed, closed. */
#include "tcp.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>

#define ACCEPTS		16 /* in one turn */
#define EVENTS		64
#define DESCRIPTOR_WAIT (100 * NP_MILLISECOND)
/* Parts of messages, of all connections together; what is longer has one place. */
#define BUFFERED_MAX ((size_t)64 << 20)
#define QUEUE_BYTES  ((size_t)4 << 20)
/*
 * Bytes that the kernel may hold unsent on a connection, 4 s at 64 kbit/s, until it has carried
 * FAST_BYTES in a second. A slow link would else have megabytes of payloads before the next
 * heartbeat, and the peer would take this node for dead.
 */
#define UNSENT_MOST 32768
#define FAST_BYTES  1000000
/* Gathered for one call, and what one call takes of a queue. */
#define GATHERED_BYTES 32768
#define GATHERED_MOST  32
#define TRIES	       5 /* new connections for what waits, as HyperCast does */

/* Sets one of the flags of a link of which @count counts those that are set. */
static void mark(unsigned *count, bool *flag, bool value)
{
	*count += (unsigned)value - (unsigned)*flag;
	*flag = value;
}

/* What the user asked for of each connection, and of the listener, at @local. */
static struct np_stream_options options_of(const struct overlay_substrate *s,
					   const struct np_address *local)
{
	const struct np_overlay_options *options = &s->plan.options;

	return (struct np_stream_options){
		.local = local,
		.receive_bytes = options->receive_bytes,
		.send_bytes = options->send_bytes,
		.no_delay = true,
		.ip = options->ip,
	};
}

static uint64_t name_of(const struct sockaddr_in *peer, bool out)
{
	return (uint64_t)peer->sin_addr.s_addr << 32 | (uint64_t)peer->sin_port << 16 | out;
}

/* An incoming one that is broken carries no more messages. */
static struct tcp_link *find(const struct tcp *t, const struct sockaddr_in *peer, bool out)
{
	const uint64_t name = name_of(peer, out);

	for (unsigned i = 0; i < t->outs + t->ins; i++) {
		if (t->name[i] == name && (out || !t->link[i]->broken))
			return t->link[i];
	}
	return NULL;
}

static struct tcp_link *make(struct overlay_substrate *s, const struct sockaddr_in *peer, bool out)
{
	struct tcp *t = s->state;
	struct tcp_link *link = calloc(1, sizeof(*link));
	const size_t room = 2 * (size_t)s->plan.message_max;

	if (!link)
		return NULL;
	link->out = out;
	link->peer = *peer;
	link->queue.count_max = s->plan.message_buffer;
	link->queue.bytes_max = room < QUEUE_BYTES ? QUEUE_BYTES : room;
	link->began = link->used = link->moved = np_clock_now();
	link->at = t->outs + t->ins;
	t->name[link->at] = name_of(peer, out);
	t->link[link->at] = link;
	*(out ? &t->outs : &t->ins) += 1;
	return link;
}

/* Drops the waiting messages. */
static void drop(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;

	mark(&t->gathered, &link->gathered, false);
	mark(&t->waiting, &link->counted, false);
	overlay_queue_drop(&link->queue, &s->counts.unreachable);
	link->offset = 0;
	link->tries = 0;
}

/* Closes its stream, and forgets what that has brought. */
static void hang_up(struct tcp *t, struct tcp_link *link)
{
	mark(&t->unread, &link->unread, false);
	mark(&t->broken, &link->broken, false);
	t->buffered -= link->in.room;
	buffer_free(&link->in);
	np_stream_free(link->stream);
	link->stream = NULL;
	link->connected = false;
}

static void forget(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	const unsigned at = link->at;
	unsigned last;

	drop(s, link);
	hang_up(t, link);
	*(link->out ? &t->outs : &t->ins) -= 1;
	last = t->outs + t->ins;
	t->name[at] = t->name[last];
	t->link[at] = t->link[last];
	t->link[at]->at = at;
	free(link);
}

/*
 * The link that carries messages to @to; @wanted: it is made if there is none, and one that is only
 * remembered makes room. NULL: no room or memory.
 */
static struct tcp_link *link_to(struct overlay_substrate *s, const struct sockaddr_in *to,
				bool wanted)
{
	struct tcp *t = s->state;
	struct tcp_link *out = find(t, to, true), *in, *oldest = NULL;

	/* Cannot be reached, but has come itself. */
	if (out && out->queue.strict && !out->connected) {
		in = find(t, to, false);
		return in ? in : out;
	}
	if (out || !wanted)
		return out;
	for (unsigned i = 0; t->outs == TCP_OUT_MAX && i < t->outs + t->ins; i++) {
		struct tcp_link *at = t->link[i];

		if (at->out && !at->stream && !at->queue.first && !at->broken &&
		    (!oldest || at->used < oldest->used))
			oldest = at;
	}
	if (oldest)
		forget(s, oldest);
	return t->outs == TCP_OUT_MAX ? NULL : make(s, to, true);
}

/* Counts it if something waits for it that can be expected to go; watches for what it needs. */
static void renew(struct overlay_substrate *s, struct tcp_link *link)
{
	const uint32_t events =
		EPOLLIN | EPOLLRDHUP | (!link->connected || link->queue.first ? EPOLLOUT : 0);
	struct tcp *t = s->state;

	mark(&t->waiting, &link->counted, link->queue.first && !link->queue.strict);
	if (!link->stream || events == link->watched)
		return;
	if (overlay_substrate_watch(s, np_stream_fd(link->stream), events, link))
		mark(&t->broken, &link->broken, true);
	link->watched = events;
}

/* When it reaches its time limit, if nothing happens. */
static np_time due(const struct overlay_substrate *s, const struct tcp_link *link)
{
	const struct overlay_substrate_plan *plan = &s->plan;

	if (link->stream && !link->connected)
		return link->began + plan->connect_timeout;
	if (link->queue.first)
		return link->moved + plan->stall_max;
	if (link->out)
		return link->used + plan->idle_max;
	/* The one that connected closes first, so that nothing is on its way then. */
	return link->proven ? link->used + 2 * plan->idle_max : link->began + plan->idle_max;
}

/* Lets the kernel accept more only when it holds less than @most bytes unsent; 0: no limit. */
static void limit_unsent(struct tcp_link *link, int most)
{
	/* A kernel without the option holds more, as every one does without the limit. */
	(void)setsockopt(np_stream_fd(link->stream), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &most,
			 sizeof(most));
	link->limited = most != 0;
	link->carried = 0;
	link->window = link->began;
}

/* Starts to connect. Returns 0 or -errno. */
static int start_connecting(struct overlay_substrate *s, struct tcp_link *link)
{
	struct np_address local = s->info.local, to = {.length = sizeof(link->peer)};
	const struct np_stream_options how = options_of(s, &local);
	int rc;

	np_address_set_port(&local, 0);
	memcpy(&to.storage, &link->peer, sizeof(link->peer));
	rc = np_stream_begin(&link->stream, &how, &to);
	link->watched = 0;
	link->began = link->used = np_clock_now();
	if (rc) {
		s->counts.last_error = rc;
		link->queue.strict = true;
		return rc;
	}
	limit_unsent(link, UNSENT_MOST);
	renew(s, link);
	return 0;
}

/* Sends what waits, one at a time where the kernel is limited, until it accepts no more. */
static void flush(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;

	while (link->queue.first) {
		const unsigned most = link->limited ? 1 : GATHERED_MOST;
		const struct overlay_queued *first;
		struct iovec pieces[GATHERED_MOST];
		size_t offset = link->offset;
		unsigned count = 0;
		ssize_t sent;

		for (struct overlay_queued *at = link->queue.first; at && count < most;
		     at = at->next) {
			pieces[count++] = (struct iovec){at->data + offset, at->bytes - offset};
			offset = 0;
		}
		sent = np_stream_send_pieces(link->stream, pieces, count);
		if (sent < 0) {
			if (sent != -EAGAIN)
				mark(&t->broken, &link->broken, true);
			break;
		}
		link->moved = link->used = np_clock_now();
		if (link->limited && link->used - link->window > NP_SECOND) {
			link->window = link->used;
			link->carried = 0;
		}
		/* One that carries so much in a second needs no limit, which costs it calls. */
		link->carried += (size_t)sent;
		if (link->limited && link->carried >= FAST_BYTES)
			limit_unsent(link, 0);
		link->offset += (size_t)sent;
		while ((first = link->queue.first) && link->offset >= first->bytes) {
			link->offset -= first->bytes;
			overlay_substrate_done(s, 0, first->bytes - OVERLAY_PORT_BYTES,
					       first->class);
			overlay_queue_pop(&link->queue);
			link->tries = 0;
		}
	}
	renew(s, link);
}

/* The last false makes the call. */
static void tcp_gather(struct overlay_substrate *s, bool on)
{
	struct tcp *t = s->state;

	t->gathers += on ? 1 : -1U;
	for (unsigned i = 0; !t->gathers && t->gathered && i < t->outs + t->ins; i++) {
		struct tcp_link *link = t->link[i];

		if (!link->gathered)
			continue;
		mark(&t->gathered, &link->gathered, false);
		if (link->broken)
			renew(s, link);
		else
			flush(s, link);
	}
}

static int tcp_send(struct overlay_substrate *s, const struct overlay_address *to,
		    const void *message, size_t bytes, enum overlay_class class)
{
	const struct sockaddr_in *local = (const void *)&s->info.local.storage;
	const struct iovec pieces[] = {{(void *)&local->sin_port, OVERLAY_PORT_BYTES},
				       {(void *)message, bytes}};
	struct tcp *t = s->state;
	struct sockaddr_in endpoint;
	struct tcp_link *link;
	int rc;

	if (!to || !overlay_address_get_ipv4(to, &endpoint))
		return overlay_substrate_done(s, -EDESTADDRREQ, bytes, class);
	link = link_to(s, &endpoint, true);
	if (!link) {
		overlay_substrate_add(&s->counts.unreachable, class);
		return -ENOBUFS;
	}
	rc = !link->stream && !link->broken ? start_connecting(s, link) : 0;
	if (!rc) {
		if (link->gathered && (link->queue.count >= GATHERED_MOST ||
				       link->queue.count >= link->queue.count_max ||
				       link->queue.bytes >= GATHERED_BYTES))
			flush(s, link);
		if (!link->queue.first) {
			link->offset = 0;
			link->moved = np_clock_now();
		}
		rc = overlay_queue_put(&link->queue, &link->peer, class, pieces, 2);
	}
	if (rc) {
		overlay_substrate_add(
			link->queue.strict ? &s->counts.unreachable : &s->counts.no_room, class);
		rc = rc == -EAGAIN && link->queue.strict ? -EHOSTUNREACH : rc;
	} else {
		link->used = np_clock_now();
		/* What waits for the kernel is counted, and goes when that has room. */
		if (!link->connected || link->broken || link->counted)
			renew(s, link);
		else if (!t->gathers || link->limited)
			flush(s, link); /* a limited kernel gets no more than it takes */
		else
			mark(&t->gathered, &link->gathered, true);
	}
	return rc;
}

static bool tcp_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	const struct tcp *t = s->state;
	struct sockaddr_in endpoint;
	const struct tcp_link *link;

	if (!t->waiting)
		return true;
	if (!to || !overlay_address_get_ipv4(to, &endpoint))
		return false;
	link = link_to((struct overlay_substrate *)s, &endpoint, false);
	return !link || !link->counted;
}

/* It is writable, or failed to connect: it was connected, or has room. */
static void make_ready(struct overlay_substrate *s, struct tcp_link *link)
{
	struct tcp *t = s->state;
	const int rc = link->connected ? 0 : np_stream_connected(link->stream);

	if (rc == -EINPROGRESS)
		return;
	if (rc) {
		s->counts.last_error = rc;
		mark(&t->broken, &link->broken, true);
		return;
	}
	if (!link->connected) {
		link->connected = true;
		link->moved = np_clock_now();
		s->counts.connects++;
		link->queue.strict = false;
	}
	flush(s, link);
}

/*
 * Delivers what was read before, at most *@most messages, which it decrements. Who sends them, they
 * say themselves.
 */
static void deliver(struct overlay_substrate *s, struct tcp_link *link, unsigned *most)
{
	struct tcp *t = s->state;
	struct overlay_delimited message;
	int rc = 1;

	tcp_gather(s, true);
	while (*most && rc == 1 && !link->broken) {
		struct overlay_address from;

		rc = overlay_delimited_next(&link->in, s->plan.message_max, &message);
		if (rc == 1 && !message.port)
			rc = -EBADMSG;
		if (rc != 1)
			break;
		--*most;
		if (!link->peer.sin_port) {
			link->peer.sin_port = htons(message.port);
			t->name[link->at] = name_of(&link->peer, false);
		}
		link->proven = true;
		link->used = t->now;
		s->counts.received++;
		s->counts.received_bytes += message.bytes;
		from = overlay_address_ipv4(ntohl(link->peer.sin_addr.s_addr), message.port,
					    s->plan.realm);
		s->take(s->context, &from, message.message, message.bytes, t->now);
	}
	tcp_gather(s, false);
	mark(&t->unread, &link->unread, rc == 1);
	if (rc < 0) {
		s->counts.oversize += rc == -EMSGSIZE;
		s->counts.unreadable += rc != -EMSGSIZE;
		mark(&t->broken, &link->broken, true);
	}
}

/* Reads once, and delivers as above. The room to read into is bounded for all together. */
static void read_once(struct overlay_substrate *s, struct tcp_link *link, unsigned *most)
{
	struct tcp *t = s->state;
	const size_t before = link->in.room;
	ssize_t got = buffer_receive(&link->in, link->stream);

	t->buffered += link->in.room - before;
	if (link->in.room > before && t->buffered > BUFFERED_MAX + 2 * (size_t)s->plan.message_max)
		got = -ENOBUFS;
	if (got == -EAGAIN)
		return;
	if (got <= 0) {
		mark(&t->broken, &link->broken, true);
		return;
	}
	if (link->proven || link->out)
		link->used = t->now;
	deliver(s, link, most);
}

/* The connection is over: makes another one for what waits, or drops that. */
static void end(struct overlay_substrate *s, struct tcp_link *link)
{
	const bool failed = link->stream && !link->connected;

	if (!link->out || !link->stream) {
		forget(s, link);
		return;
	}
	hang_up(s->state, link);
	/* A message that has gone in part is said anew. */
	link->offset = 0;
	if (failed)
		link->queue.strict = true;
	if (link->queue.first && (failed || link->tries++ >= TRIES || start_connecting(s, link)))
		drop(s, link);
}

/* Accepts those that wait; without a descriptor they do so a little longer. */
static void accept_waiting(struct overlay_substrate *s)
{
	struct tcp *t = s->state;
	struct np_stream *stream;
	int rc = 0;

	t->accept_at = t->now; /* there may be more than these */
	for (unsigned i = 0; i < ACCEPTS && !(rc = np_stream_accept(t->listener, &stream)); i++) {
		const struct np_address *remote = &np_stream_info(stream)->remote;
		struct sockaddr_in peer = *(const struct sockaddr_in *)(const void *)remote;
		struct tcp_link *gone = NULL, *link = NULL;

		peer.sin_port = 0;
		/* The one of others' connections that is missed least makes room: silent first. */
		for (unsigned k = 0; t->ins == TCP_IN_MAX && k < t->outs + t->ins; k++) {
			struct tcp_link *at = t->link[k];

			if (!at->out && !at->broken &&
			    (!gone || (gone->proven && !at->proven) ||
			     (gone->proven == at->proven && at->used < gone->used)))
				gone = at;
		}
		if (gone)
			forget(s, gone);
		/* The other may have gone again. */
		if (t->ins < TCP_IN_MAX && remote->length && remote->any.sa_family == AF_INET)
			link = make(s, &peer, false);
		if (!link) {
			np_stream_free(stream);
			continue;
		}
		link->stream = stream;
		link->connected = true;
		s->counts.accepts++;
		renew(s, link);
	}
	if (rc)
		t->accept_at = rc == -EAGAIN ? NP_TIME_NEVER : t->now + DESCRIPTOR_WAIT;
	if (rc && rc != -EAGAIN)
		s->counts.last_error = rc;
}

static int tcp_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	struct tcp *t = s->state;
	struct epoll_event events[EVENTS];
	int count;

	t->now = now;
	for (unsigned i = 0; i < t->outs + t->ins && t->unread && most; i++) {
		if (t->link[i]->unread && !t->link[i]->broken)
			deliver(s, t->link[i], &most);
	}
	count = epoll_wait(s->epoll, events, EVENTS, 0);
	if (count < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < count; i++) {
		struct tcp_link *link = events[i].data.ptr;

		if (!link && t->accept_at == NP_TIME_NEVER)
			t->accept_at = now;
		/* One that does not come about says so by an error. */
		if (link && !link->broken && (events[i].events & EPOLLOUT || !link->connected))
			make_ready(s, link);
		if (link && !link->broken && link->connected && most && !link->unread &&
		    events[i].events & ~(uint32_t)EPOLLOUT)
			read_once(s, link, &most);
	}
	/* Ends what is broken, once nobody holds it. */
	for (unsigned i = t->outs + t->ins; t->broken && i-- > 0;) {
		if (t->link[i]->broken)
			end(s, t->link[i]);
	}
	if (now >= t->accept_at)
		accept_waiting(s);
	for (unsigned i = t->outs + t->ins; i-- > 0;) {
		struct tcp_link *link = t->link[i];

		if (due(s, link) > now)
			continue;
		if (link->queue.first || (link->stream && !link->connected))
			s->counts.last_error = -ETIMEDOUT;
		/* It takes nothing any more. */
		if (link->queue.first && link->connected)
			drop(s, link);
		end(s, link);
	}
	return t->unread || t->broken || !most || count == EVENTS;
}

static np_time tcp_deadline(const struct overlay_substrate *s)
{
	const struct tcp *t = s->state;
	np_time next = t->accept_at;

	if (t->broken || t->unread)
		return 0;
	for (unsigned i = 0; i < t->outs + t->ins; i++) {
		const np_time at = due(s, t->link[i]);

		next = at < next ? at : next;
	}
	return next;
}

static bool tcp_idle(const struct overlay_substrate *s)
{
	const struct tcp *t = s->state;

	for (unsigned i = 0; i < t->outs + t->ins; i++) {
		const struct tcp_link *at = t->link[i];

		if (at->queue.first || (at->stream && np_stream_unacknowledged(at->stream)))
			return false;
	}
	return true;
}

static int tcp_count(struct overlay_substrate *s)
{
	const struct tcp *t = s->state;

	s->counts.waiting = (struct np_overlay_copies){0};
	s->counts.connections = 0;
	for (unsigned i = 0; i < t->outs + t->ins; i++) {
		s->counts.connections += t->link[i]->stream != NULL;
		overlay_queue_count(&t->link[i]->queue, &s->counts.waiting);
	}
	return 0;
}

static int tcp_open(struct overlay_substrate *s)
{
	const struct np_stream_options how = options_of(s, &s->info.local);
	const struct np_stream_info *info;
	struct tcp *t = calloc(1, sizeof(*t));
	int rc;

	s->state = t;
	if (!t)
		return -ENOMEM;
	t->accept_at = NP_TIME_NEVER;
	rc = np_stream_listen(&t->listener, &how, (int)s->plan.backlog);
	if (rc == -EADDRINUSE && s->plan.any_port) {
		np_address_set_port(&s->info.local, 0);
		rc = np_stream_listen(&t->listener, &how, (int)s->plan.backlog);
	}
	if (rc)
		return rc;
	info = np_stream_info(t->listener);
	s->info.local = info->local;
	s->info.receive_granted = info->receive_granted;
	s->info.send_granted = info->send_granted;
	return overlay_substrate_watch(s, np_stream_fd(t->listener), EPOLLIN | EPOLLET, NULL);
}

static void tcp_close(struct overlay_substrate *s)
{
	struct tcp *t = s->state;

	if (!t)
		return;
	while (t->outs + t->ins)
		forget(s, t->link[t->outs + t->ins - 1]);
	np_stream_free(t->listener);
	free(t);
}

const struct overlay_substrate_face overlay_tcp = {
	.open = tcp_open,
	.close = tcp_close,
	.send = tcp_send,
	.room = tcp_room,
	.gather = tcp_gather,
	.turn = tcp_turn,
	.deadline = tcp_deadline,
	.idle = tcp_idle,
	.count = tcp_count,
};
