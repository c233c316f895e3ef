// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp: streams of bytes. A sender has a connection for each stream, made anew for each run. A
 * receiver has those of its senders, those of others that it must refuse, and the answers that wait
 * for room in them.
 */
#include "tcp.h"

#include <errno.h>
#include <stdlib.h>

#define CONNECT_LIMIT (10 * NP_SECOND)
#define CONNECT_AGAIN (100 * NP_MILLISECOND)
#define SEND_LIMIT    (200 * NP_MILLISECOND) /* a part of a control message, at most */
#define PAGE_BYTES    4096		     /* the kernel copies faster from a page boundary */

/*
 * A partner that is silent for this long, and whose kernel does not answer a keep-alive probe, is
 * dead.
 */
#define KEEP_ALIVE (20 * NP_SECOND)

/*
 * Counts which segments from @local to @peer (NULL: anybody), and back, this host drops from now
 * on. With more connections than there are watches nothing is known. Outgoing first, since what a
 * queue has segmented looks like something that arrives.
 */
static void watch(struct transport *t, const struct np_address *local,
		  const struct np_address *peer)
{
	struct session *session = t->session;
	struct np_drops_packets packets = {
		.direction = NP_DROPS_OUT,
		.protocol = NP_DROPS_TCP,
		.local = local,
		.peer = peer,
		.socket = -1,
	};
	int rc;

	if (!session->drops || session->drops_watch != NP_DROPS_ALL)
		return;
	rc = np_drops_watch(session->drops, &packets);
	packets.direction = NP_DROPS_IN;
	if (rc >= 0)
		rc = np_drops_watch(session->drops, &packets);
	if (rc < 0)
		session->drops_watch = rc;
}

/* What the user asks of a socket, at either end. */
static struct np_stream_options options_of(const struct transport *t)
{
	const struct socket_options *asked = &transport_options(t)->socket;
	const bool paced = t->lanes && asked->pacing == PACING_KERNEL;

	return (struct np_stream_options){
		.send_bytes = asked->buffer_bytes,
		.receive_bytes = asked->buffer_bytes,
		.congestion = asked->congestion,
		.mss = (int)asked->mss,
		.mptcp = asked->mptcp,
		.zero_copy = t->lanes && asked->zero_copy,
		.pacing_bytes_per_s = paced ? (uint64_t)(t->rate_bits / 8 / t->lanes) : 0,
		.ip = asked->asked.ip,
	};
}

static int open_tcp(struct transport *t)
{
	const struct options *o = transport_options(t);
	const size_t batch = t->batch * o->load.message_bytes;
	const size_t each = (batch + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	struct np_stream_options how = options_of(t);
	struct np_address local;
	const bool pinned = t->lanes && o->socket.zero_copy;
	const size_t fit = pinned ? np_least(TCP_PLACES_BYTES / each, TCP_PLACES) : 1;
	const size_t places = pinned && fit < TCP_PLACES_LEAST ? TCP_PLACES_LEAST : fit;
	uint8_t *batches;
	struct tcp *tcp;
	int rc, status = transport_resolve(t);

	if (status)
		return status;
	tcp = calloc(1, sizeof(*tcp));
	t->sockets = tcp;
	if (tcp)
		tcp->reader->memory =
			aligned_alloc(TRANSPORT_BEFORE,
				      TRANSPORT_BEFORE + TRANSPORT_READ + t->lanes * each * places);
	if (!tcp || !tcp->reader->memory)
		return np_log_refuse(t->session->log, NULL, "out of memory");
	sem_init(&tcp->lock, 0, 0);
	batches = tcp->reader->memory + TRANSPORT_BEFORE + TRANSPORT_READ;
	for (; tcp->count < t->lanes; tcp->count++) {
		struct tcp_channel *c = calloc(1, sizeof(*c));

		if (!c)
			return np_log_refuse(t->session->log, NULL, "out of memory");
		c->places.count = (unsigned)places;
		c->places.each = each;
		c->channel.batch = batches + tcp->count * each * places;
		t->lane[tcp->count] = &c->channel;
		tcp->channel[tcp->count] = c;
	}
	if (!t->lanes && o->place.served)
		return transport_inbox_open(&tcp->inbox) ? 2 : 0;
	/* Who sends or asks for data makes the connections; a receiver that sends has them. */
	if (t->lanes || o->place.reverse) {
		if (o->place.shared || !(o->place.bind || o->place.source_port))
			return 0;
		return session_resolve(t->session, o->place.bind, o->place.source_port,
				       t->to.any.sa_family, &tcp->local);
	}
	status = session_resolve(t->session, o->place.bind, o->place.port, AF_UNSPEC, &local);
	if (status)
		return status;
	how.local = &local;
	/* Answers are measured, so they must not be delayed. */
	how.no_delay = true;
	how.keep_alive = KEEP_ALIVE;
	rc = np_stream_listen(&tcp->listener, &how, TCP_CHANNELS);
	if (rc)
		session_blame(t->session, np_address_format(&local).text, rc);
	else
		watch(t, &np_stream_info(tcp->listener)->local, NULL);
	return rc ? 2 : 0;
}

/* What waits for more to send with would count as delay on the path. */
static bool sends_at_once(const struct options *o)
{
	return o->socket.no_delay == NO_DELAY_YES ||
	       (o->socket.no_delay == NO_DELAY_AUTO &&
		(o->load.ping_pong || o->load.transacts || options_paced(&o->load)));
}

static int connect_once(struct transport *t, unsigned lane, int other_fd, struct np_stream **stream)
{
	struct np_stream_options how = options_of(t);
	struct np_address local = tcp_of(t)->local;
	const uint16_t port = np_address_port(&local);

	how.no_delay = sends_at_once(transport_options(t));
	if (!t->lanes)
		how.keep_alive = KEEP_ALIVE;
	if (port)
		np_address_set_port(&local, (uint16_t)(port + lane));
	if (local.length)
		how.local = &local;
	return np_stream_connect(stream, &how, &t->to, other_fd, np_clock_now() + CONNECT_LIMIT);
}

/*
 * With --wait a receiver may start later. A connection that is reset while it is made found a
 * receiver without room for it at that moment.
 */
static int connect_patiently(struct transport *t, unsigned lane, struct np_stream **stream)
{
	const np_time begin = np_clock_now(), until = begin + transport_options(t)->wait.wait;
	const np_time crowded = begin + CONNECT_LIMIT;
	int rc;

	for (;;) {
		rc = connect_once(t, lane, np_signals_fd(t->session->signals), stream);
		/* Once, by whoever is no part of another's run. */
		if (!rc && !lane && !t->session->of && transport_options(t)->socket.mptcp &&
		    !np_stream_info(*stream)->mptcp)
			np_log_warning(t->session->log, "--mptcp",
				       "the other end or the path does not speak it: this is TCP");
		if (rc != -ECONNREFUSED && rc != -ETIMEDOUT && rc != -ECONNRESET)
			return rc;
		if (np_clock_now() >= (rc == -ECONNRESET && crowded > until ? crowded : until))
			return rc;
		if (t->session->interrupts ||
		    !session_sleep(t->session, np_clock_now() + CONNECT_AGAIN))
			return -ECANCELED;
	}
}

static void begin_lane(struct tcp_channel *c, struct np_stream *stream)
{
	c->stream = stream;
	c->channel.peer = np_stream_info(stream)->remote;
	c->channel.fd = np_stream_fd(stream);
	c->channel.gone = false;
	c->channel.error = 0;
}

static int connect_lane(struct transport *t, unsigned lane)
{
	struct tcp_channel *c = tcp_channel_of(t->lane[lane]);
	struct np_stream *stream;
	const int rc = c->stream ? 0 : connect_patiently(t, lane, &stream);

	if (rc || c->stream)
		return rc;
	begin_lane(c, stream);
	watch(t, &np_stream_info(stream)->local, &c->channel.peer);
	return 0;
}

void tcp_flush(struct tcp_channel *c)
{
	while (c->went < c->filled) {
		ssize_t sent = np_stream_send(c->stream, c->answers + c->went, c->filled - c->went);

		if (sent == -EAGAIN)
			return;
		if (sent < 0) {
			/* What arrived before can still be read. */
			c->went = c->filled;
			return;
		}
		c->went += (size_t)sent;
	}
	c->went = c->filled = 0;
	while (c->channel.fill_left && !c->channel.gone) {
		const size_t most = TRANSPORT_FILL;
		const uint64_t left = c->channel.fill_left;
		const ssize_t sent = np_stream_send(c->stream, c->channel.fill,
						    left < most ? (size_t)left : most);

		if (sent == -EAGAIN)
			return;
		c->channel.fill_left -= sent > 0 ? (uint64_t)sent : 0;
		c->channel.error = sent < 0 ? (int)sent : 0;
		c->channel.gone = sent < 0 || !c->channel.fill_left;
	}
}

/* An answer of a receiver goes after those that wait. */
static ssize_t send_control(struct transport *t, struct channel *channel,
			    const struct np_address *to, const void *message, size_t bytes,
			    bool more)
{
	struct tcp_channel *c = tcp_channel_of(channel);
	size_t sent = 0;
	int rc;

	(void)to;
	if (!c)
		return -ENOTCONN;
	if (t->lanes) {
		rc = np_stream_send_all(c->stream, message, bytes, -1, np_clock_now() + SEND_LIMIT,
					&sent);
		return rc && rc != -ETIMEDOUT ? rc : (ssize_t)sent;
	}
	if (c->filled + bytes > TCP_ANSWERS)
		tcp_flush(c);
	if (c->filled + bytes > TCP_ANSWERS)
		return -EAGAIN;
	memcpy(c->answers + c->filled, message, bytes);
	c->filled += bytes;
	if (!more)
		tcp_flush(c);
	return (ssize_t)bytes;
}

/* Whether it waits until the kernel has read some. */
static bool places_wait(const struct tcp_channel *c)
{
	return np_stream_unpinned(c->stream) < c->places.needs;
}

/* Without a copy; the batch moves to the next place when all of it is sent. */
static ssize_t push_pinned(struct tcp_channel *c, size_t first, size_t bytes)
{
	struct tcp_places *places = &c->places;
	const unsigned next = (places->at + 1) % places->count;
	uint8_t *batch = c->channel.batch;
	uint8_t *place = batch + ((ssize_t)next - (ssize_t)places->at) * (ssize_t)places->each;
	ssize_t sent;

	/* The next message is written there as soon as this one is sent. */
	places->needs = places->last[next];
	if (places_wait(c))
		return -EAGAIN;
	sent = np_stream_send_pinned(c->stream, batch + first, bytes, &places->calls);
	if (sent == -ENOBUFS) {
		places->needs = np_stream_unpinned(c->stream) + 1;
		return places->needs > places->calls
			       ? np_stream_send(c->stream, batch + first, bytes)
			       : -EAGAIN;
	}
	if (sent > 0)
		places->last[places->at] = places->calls;
	if (sent != (ssize_t)bytes)
		return sent;
	if (places->used++ < places->count)
		memcpy(place, batch, places->each);
	places->at = next;
	c->channel.batch = place;
	return sent;
}

static ssize_t push(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	struct tcp_channel *c = tcp_channel_of(channel);

	(void)t;
	if (c->places.count > 1)
		return push_pinned(c, first, bytes);
	return np_stream_send(c->stream, channel->batch + first, bytes);
}

/* The others keep their order of arrival. */
void tcp_drop(struct transport *t, struct tcp_channel *c)
{
	struct tcp *tcp = tcp_of(t);
	unsigned index = 0;

	tcp_take_back(c);
	while (tcp->channel[index] != c)
		index++;
	if (t->user->closed)
		t->user->closed(t, &c->channel);
	np_stream_free(c->stream);
	free(c);
	for (tcp->count--; index < tcp->count; index++)
		tcp->channel[index] = tcp->channel[index + 1];
	/* There may be a descriptor for the next one. */
	tcp->no_accept = 0;
}

static int call(struct transport *t, unsigned lane, const void *message, size_t bytes)
{
	struct np_stream *stream;
	struct tcp_channel *c;
	const np_time now = np_clock_now();
	int rc = connect_patiently(t, lane, &stream);

	if (rc)
		return rc;
	rc = np_stream_send_all(stream, message, bytes, -1, now + CONNECT_LIMIT, NULL);
	watch(t, &np_stream_info(stream)->local, &np_stream_info(stream)->remote);
	c = tcp_accept_one(t, stream, now);
	/* It may be closed by now. */
	return rc ? rc : c ? c->channel.fd : -ECONNRESET;
}

static void hand_over(struct transport *t, struct channel *channel, struct transport *sender,
		      unsigned lane)
{
	struct tcp_channel *from = tcp_channel_of(channel);

	tcp_take_back(from);
	(void)np_stream_set_no_delay(from->stream, sends_at_once(transport_options(sender)));
	begin_lane(tcp_channel_of(sender->lane[lane]), from->stream);
	/* One partner, though each of its connections has another port. */
	sender->lane[lane]->peer = sender->to;
	from->stream = NULL;
	tcp_drop(t, from);
}

static int give(struct channel *channel, struct transport *to, const void *data, size_t bytes)
{
	struct tcp_channel *c = tcp_channel_of(channel);
	struct transport_gift gift = {.socket = c->stream, .bytes = bytes};
	int rc;

	tcp_take_back(c);
	memcpy(gift.data, data, bytes);
	rc = transport_inbox_give(&tcp_of(to)->inbox, &gift);
	if (!rc)
		c->stream = NULL;
	return rc;
}

/*
 * Of the lanes of other threads it only takes what has come, now and then; those wait for room
 * alone.
 */
static int wait_tcp(struct transport *t, np_time deadline, uint64_t writable)
{
	struct pollfd fds[TRANSPORT_LANES_MAX + 1];
	unsigned count = 0;

	if (!t->lanes)
		return tcp_wait(t, deadline);
	if (deadline <= np_clock_now())
		return 0;
	for (unsigned i = t->first; i < t->end; i++) {
		const struct tcp_channel *c = tcp_channel_of(t->lane[i]);
		const bool asks = writable >> i & 1;
		/* A closed connection would always be readable. */
		const bool reads = !t->part && !c->channel.gone && !c->channel.taken;
		/* A notification would end the wait at once, and again. */
		const bool pinned = c->places.count > 1 && c->stream && places_wait(c);

		fds[count++] = (struct pollfd){
			.fd = c->stream && (asks || reads) ? np_stream_fd(c->stream) : -1,
			.events = (short)((reads ? POLLIN : 0) | (asks && !pinned ? POLLOUT : 0)),
		};
	}
	return transport_wait(t, fds, count, deadline);
}

static int receive_timeout(struct transport *t, struct channel *channel, np_time limit,
			   size_t low_watermark)
{
	struct tcp_channel *c = tcp_channel_of(channel);
	int rc = np_stream_set_low_watermark(c->stream, low_watermark ? low_watermark : 1);

	(void)t;
	if (!rc)
		rc = np_stream_set_receive_timeout(c->stream, limit);
	if (!rc)
		c->patient = limit;
	return rc;
}

static void release(struct transport *t, int lane)
{
	const struct tcp *tcp = tcp_of(t);

	for (unsigned i = tcp->count; i-- > 0;) {
		struct tcp_channel *c = tcp->channel[i];

		if (!t->lanes) {
			if (c->channel.kept || lane >= 0)
				tcp_drop(t, c);
		} else if (lane < 0 || i == (unsigned)lane) {
			np_stream_free(c->stream);
			c->stream = NULL;
			memset(c->places.last, 0, sizeof(c->places.last));
			c->places.needs = 0;
		}
	}
}

static void close_tcp(struct transport *t)
{
	struct tcp *tcp = tcp_of(t);
	struct transport_gift gift;

	if (!tcp)
		return;
	tcp->over = true;
	tcp_unlock(tcp);
	for (; tcp->readers; tcp->readers--)
		pthread_join(tcp->reader[tcp->readers].thread, NULL);
	/* What was given and not taken. */
	while (transport_inbox_take(&tcp->inbox, &gift))
		np_stream_free(gift.socket);
	transport_inbox_close(&tcp->inbox);
	while (tcp->count)
		tcp_drop(t, tcp->channel[tcp->count - 1]);
	np_stream_free(tcp->listener);
	free(tcp->reader->memory);
	free(tcp);
	t->sockets = NULL;
}

static void finish(struct transport *t, unsigned lane)
{
	struct np_stream *stream = tcp_channel_of(t->lane[lane])->stream;

	/* A lost connection needs no end. */
	if (stream)
		(void)np_stream_finish(stream);
}

static uint64_t unacknowledged(struct transport *t)
{
	uint64_t sum = 0;

	for (unsigned i = t->first; i < t->end; i++) {
		struct np_stream *stream = tcp_channel_of(t->lane[i])->stream;

		sum += stream ? np_stream_unacknowledged(stream) : 0;
	}
	return sum;
}

/* NULL: a receiver that called has no more. */
static struct np_stream *stream(const struct transport *t)
{
	return t->lanes || tcp_of(t)->count ? tcp_of(t)->channel[0]->stream : NULL;
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	struct np_stream *by = tcp_of(t)->listener;

	if (!t->lanes && channel)
		by = ((const struct tcp_channel *)channel)->stream;
	else if (!by)
		by = stream(t);
	return by ? &np_stream_info(by)->local : NULL;
}

static void describe(const struct transport *t, const struct np_address *peer,
		     struct np_record *start, struct np_block_full *full)
{
	const struct tcp *tcp = tcp_of(t);
	const enum np_block_part part = NP_BLOCK_TRANSPORT;
	char text[NP_ADDRESS_TEXT];

	(void)peer;
	/* At length only the first one is described: others may be closed by then. */
	for (unsigned i = 0; i < tcp->count && i < (t->lanes && start ? t->lanes : 1); i++) {
		const struct np_stream_info *info = np_stream_info(tcp->channel[i]->stream);
		struct np_record *r = np_record_append(start, "sockets");

		np_record_text(r, "local", peer_name(&info->local, text));
		np_record_text(r, "peer", peer_name(&info->remote, text));
		np_record_text(r, "congestion", info->congestion);
		np_block_full_say(full, part, "congestion control", "%s", info->congestion);
		if (transport_options(t)->socket.mptcp) {
			np_record_flag(r, "mptcp", info->mptcp);
			np_block_full_say(full, part, "MPTCP", "%s",
					  info->mptcp ? "yes" : "no: fell back to TCP");
		}
		np_record_flag(r, "no_delay", info->no_delay);
		np_block_full_say(full, part, "TCP_NODELAY", "%s", info->no_delay ? "yes" : "no");
		np_record_count(r, "mss_bytes", info->mss_bytes);
		if (info->pacing_bytes_per_s)
			np_record_count(r, "pacing_bytes_per_s", info->pacing_bytes_per_s);
		transport_describe(r, full, NULL, info->send_granted, info->receive_granted);
		full = NULL;
	}
}

/* How long something lasted is the mean of the connections. */
static unsigned figures(const struct transport *t, struct np_block_tcp *sum)
{
	const struct tcp *tcp = tcp_of(t);
	struct np_stream_tcp one, *all = &sum->figures;
	np_time *const mean[] = {&all->busy, &all->application_limited,
				 &all->receive_window_limited, &all->send_buffer_limited};
	unsigned count = 0;

	*sum = (struct np_block_tcp){.known = false};
	for (unsigned i = 0; i < tcp->count; i++) {
		const struct tcp_channel *c = tcp->channel[i];

		if (!c->stream || !(t->lanes || c->channel.kept))
			continue;
		/* Those of other threads do so themselves. */
		if (c->places.count > 1 && i >= t->first && i < t->end)
			(void)np_stream_unpinned(c->stream);
		if (np_stream_tcp(c->stream, &one))
			continue;
		np_schema_add(np_stream_tcp_columns, all, &one);
		all->parts = one.parts & ~(t->lanes ? NP_STREAM_TCP_RECEIVED : NP_STREAM_TCP_SENT);
		memcpy(sum->congestion, np_stream_info(c->stream)->congestion,
		       sizeof(sum->congestion));
		count++;
	}
	for (unsigned i = 0; count && i < sizeof(mean) / sizeof(*mean); i++)
		*mean[i] /= count;
	return count;
}

const struct transport_face transport_tcp = {
	.open = open_tcp,
	.close = close_tcp,
	.connect = connect_lane,
	.dial = connect_once,
	.call = call,
	.hand_over = hand_over,
	.give = give,
	.receive = tcp_receive,
	.wait = wait_tcp,
	.receive_timeout = receive_timeout,
	.send = send_control,
	.push = push,
	.finish = finish,
	.release = release,
	.unacknowledged = unacknowledged,
	.local = local,
	.stream = stream,
	.describe = describe,
	.tcp = figures,
};
