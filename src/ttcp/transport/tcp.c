// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * tcp: what both ends of streams of bytes share; and a sender's connections, one for each stream,
 * made anew for each run.
 */
#include "tcp.h"

#include <errno.h>
#include <netperf/clock.h>
#include <netperf/process.h>
#include <stdlib.h>

#define CONNECT_LIMIT	(10 * NP_SECOND)
#define CONNECT_AGAIN	(100 * NP_MILLISECOND)
#define SEND_LIMIT	(200 * NP_MILLISECOND) /* a part of a control message, at most */
#define PAGE_BYTES	4096		       /* the kernel copies faster from a page boundary */
#define THROWN_AWAY_MAX ((size_t)1 << 30)      /* in one call */
#define ENOUGH_BYTES	(UINT64_C(32) << 20)
/*
 * If less than this is read between two sleeps, the sender runs at the same time. With 1 MiB reads
 * that is 1 MiB; on one processor it is all that the socket's buffers hold, 4 MiB by default.
 */
#define APART_BYTES (UINT64_C(2) << 20)

int tcp_open_memory(struct transport *t, size_t more)
{
	struct tcp *tcp = calloc(1, sizeof(*tcp));

	t->sockets = tcp;
	if (tcp)
		tcp->memory =
			aligned_alloc(TRANSPORT_BEFORE, TRANSPORT_BEFORE + TRANSPORT_READ + more);
	if (tcp && t->lanes)
		tcp->lanes = calloc(t->lanes, sizeof(*tcp->lanes));
	if (tcp && tcp->memory && (tcp->lanes || !t->lanes))
		return 0;
	np_log_error(t->session->log, NULL, "out of memory");
	return 2;
}

struct np_stream_options tcp_options(const struct transport *t)
{
	const struct socket_options *asked = &transport_options(t)->socket;

	return (struct np_stream_options){
		.send_bytes = asked->buffer_bytes,
		.receive_bytes = asked->buffer_bytes,
		.congestion = asked->congestion,
		.tos = asked->asked.tos,
		.ttl = asked->asked.ttl > 0 ? asked->asked.ttl : 0,
		.device = asked->asked.device,
	};
}

/*
 * With more connections than there are watches nothing is known. Outgoing first, since what a queue
 * has segmented looks like something that arrives.
 */
void tcp_watch(struct transport *t, const struct np_address *local, const struct np_address *peer)
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

void tcp_free(struct transport *t)
{
	struct tcp *tcp = tcp_of(t);

	free(tcp->lanes);
	np_stream_free(tcp->listener);
	free(tcp->memory);
	free(tcp);
	t->sockets = NULL;
}

bool tcp_read_count(struct tcp_read *read, size_t bytes)
{
	read->received += bytes;
	return !read->counted || read->received >= ENOUGH_BYTES;
}

void tcp_read_judge(struct tcp_read *read, uint64_t sleeps)
{
	if (read->counted)
		read->large = (sleeps - read->sleeps) * APART_BYTES > read->received;
	read->counted = true;
	read->sleeps = sleeps;
	read->received = 0;
}

int tcp_take(struct transport *t, struct tcp_channel *c)
{
	struct tcp_read *read = &tcp_of(t)->read;
	uint8_t *data = tcp_of(t)->memory + TRANSPORT_BEFORE;
	size_t most = TRANSPORT_READ_SMALL, best = THROWN_AWAY_MAX;
	bool unread = false;
	ssize_t got;
	int count;

	/* A partner that does not read its answers is not read from, either. */
	tcp_flush(c);
	if (c->filled) {
		c->ready = false;
		return 0;
	}
	if (t->user->wants)
		most = t->user->wants(t, &c->channel, &unread);
	if (!unread)
		best = tcp_read_bytes(read);
	most = most < best ? most : best;
	got = unread ? np_stream_truncate(c->stream, most)
		     : np_stream_receive(c->stream, data, most);
	if (!unread && got > 0 && tcp_read_count(read, (size_t)got))
		tcp_read_judge(read, np_usage_now().voluntary_switches);
	if (got == -EAGAIN) {
		c->ready = false;
		return 0;
	}
	if (got <= 0) {
		c->channel.gone = true;
		c->channel.error = (int)got;
		return 0;
	}
	count = t->user->bytes(t, &c->channel, unread ? NULL : data, (size_t)got, np_clock_now());
	tcp_flush(c);
	return count;
}

int tcp_receive_timeout(struct transport *t, struct channel *channel, np_time limit,
			size_t low_watermark)
{
	struct tcp_channel *c = tcp_channel_of(channel);
	int rc;

	(void)t;
	if (c->low_watermark != low_watermark) {
		rc = np_stream_set_low_watermark(c->stream, low_watermark ? low_watermark : 1);
		if (rc)
			return rc;
		c->low_watermark = low_watermark;
	}
	if (c->patient == (limit > 0))
		return 0;
	rc = np_stream_set_receive_timeout(c->stream, limit);
	if (!rc)
		c->patient = limit;
	return rc;
}

bool tcp_socket(const struct transport *t, unsigned index, const struct np_address *peer,
		struct record_socket *socket)
{
	const struct tcp *tcp = tcp_of(t);
	const struct np_stream_info *info;

	(void)peer;
	if (index >= tcp->count || index >= (t->lanes ? t->lanes : 1))
		return false;
	info = np_stream_info(tcp->channel[index]->stream);
	*socket = (struct record_socket){
		.congestion = info->congestion,
		.no_delay = info->no_delay,
		.send_bytes = info->send_granted,
		.receive_bytes = info->receive_granted,
	};
	peer_name(&info->local, socket->local);
	peer_name(&info->remote, socket->peer);
	return true;
}

static int open_lanes(struct transport *t)
{
	const size_t batch = t->batch * transport_options(t)->load.message_bytes;
	const size_t each = (batch + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
	int status = tcp_open_memory(t, t->lanes * each);
	struct tcp *tcp = tcp_of(t);

	if (status)
		return status;
	for (; tcp->count < t->lanes; tcp->count++) {
		const unsigned i = tcp->count;
		struct tcp_channel *c = &tcp->lanes[i];

		c->channel.batch = tcp->memory + TRANSPORT_BEFORE + TRANSPORT_READ + i * each;
		t->lane[i] = &c->channel;
		tcp->channel[i] = c;
	}
	return 0;
}

static int connect_once(struct transport *t, struct tcp_channel *c)
{
	const struct options *o = transport_options(t);
	struct np_stream_options how = tcp_options(t);
	struct np_address local;
	int rc;

	/* What waits for more to send with would count as delay on the path. */
	how.no_delay = o->socket.no_delay == NO_DELAY_YES ||
		       (o->socket.no_delay == NO_DELAY_AUTO &&
			(o->load.ping_pong || options_paced(&o->load)));
	if (o->place.bind) {
		if (session_resolve(t->session, o->place.bind, 0, t->to.any.sa_family, &local))
			return -EADDRNOTAVAIL;
		how.local = &local;
	}
	rc = np_stream_connect(&c->stream, &how, &t->to, np_signals_fd(t->session->signals),
			       np_clock_now() + CONNECT_LIMIT);
	if (rc)
		return rc;
	c->channel.peer = np_stream_info(c->stream)->remote;
	c->channel.gone = false;
	c->channel.error = 0;
	tcp_watch(t, &np_stream_info(c->stream)->local, &c->channel.peer);
	return t->user->opened(t, &c->channel);
}

/*
 * With --wait a receiver may start later. A connection that is reset while it is made found a
 * receiver without room for it at that moment.
 */
static int connect_patiently(struct transport *t, struct tcp_channel *c)
{
	np_time begin = np_clock_now(), until = begin + transport_options(t)->wait.wait;
	np_time crowded = begin + CONNECT_LIMIT;
	int rc;

	for (;;) {
		rc = connect_once(t, c);
		if (rc != -ECONNREFUSED && rc != -ETIMEDOUT && rc != -ECONNRESET)
			return rc;
		if (np_clock_now() >= (rc == -ECONNRESET && crowded > until ? crowded : until))
			return rc;
		if (!session_sleep(t->session, np_clock_now() + CONNECT_AGAIN))
			return -ECANCELED;
	}
}

static int connect_lane(struct transport *t, unsigned lane, bool patient)
{
	struct tcp_channel *c = tcp_channel_of(t->lane[lane]);

	if (c->stream)
		return 0;
	return patient ? connect_patiently(t, c) : connect_once(t, c);
}

static void release(struct transport *t, int lane)
{
	const struct tcp *tcp = tcp_of(t);

	for (unsigned i = 0; i < tcp->count; i++) {
		if (lane >= 0 && i != (unsigned)lane)
			continue;
		np_stream_free(tcp->channel[i]->stream);
		tcp->channel[i]->stream = NULL;
		tcp->channel[i]->patient = false;
		tcp->channel[i]->low_watermark = 0;
	}
}

static int receive(struct transport *t)
{
	const struct tcp *tcp = tcp_of(t);
	int sum = 0;

	for (unsigned i = 0; i < tcp->count; i++) {
		struct tcp_channel *c = tcp->channel[i];
		int count;

		if (c->channel.gone || !c->stream)
			continue;
		count = tcp_take(t, c);
		if (c->channel.gone) {
			(void)t->user->ended(t, &c->channel);
			count = c->channel.error;
		}
		if (count < 0)
			return count;
		sum += count;
	}
	return sum;
}

static int wait_for_lanes(struct transport *t, np_time deadline, uint64_t writable)
{
	const struct tcp *tcp = tcp_of(t);
	struct pollfd fds[TRANSPORT_LANES_MAX + 1];

	if (deadline <= np_clock_now())
		return 0;
	for (unsigned i = 0; i < tcp->count; i++) {
		const struct tcp_channel *c = tcp->channel[i];
		const int events =
			(c->channel.gone ? 0 : POLLIN) | (writable >> i & 1 ? POLLOUT : 0);

		/* A closed connection would always be readable. */
		fds[i] = (struct pollfd){
			.fd = events && c->stream ? np_stream_fd(c->stream) : -1,
			.events = (short)events,
		};
	}
	return transport_wait(t, fds, tcp->count, deadline);
}

static void close_lanes(struct transport *t)
{
	if (!tcp_of(t))
		return;
	release(t, -1);
	tcp_free(t);
}

static ssize_t send_all(struct transport *t, struct channel *channel, const struct np_address *to,
			const void *message, size_t bytes, bool more)
{
	struct np_stream *by = tcp_channel_of(channel)->stream;
	size_t sent = 0;
	const int rc =
		np_stream_send_all(by, message, bytes, -1, np_clock_now() + SEND_LIMIT, &sent);

	(void)t;
	(void)to;
	(void)more;
	return rc && rc != -ETIMEDOUT ? rc : (ssize_t)sent;
}

static ssize_t push(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	(void)t;
	return np_stream_send(tcp_channel_of(channel)->stream, channel->batch + first, bytes);
}

static struct np_stream *stream_of(const struct transport *t, unsigned lane)
{
	return tcp_channel_of(t->lane[lane])->stream;
}

static void finish(struct transport *t, unsigned lane)
{
	/* A lost connection needs no end. */
	if (stream_of(t, lane))
		(void)np_stream_finish(stream_of(t, lane));
}

static uint64_t unacknowledged(struct transport *t)
{
	struct np_stream_stats stats;
	uint64_t sum = 0;

	for (unsigned i = 0; i < t->lanes; i++)
		if (stream_of(t, i) && !np_stream_stats(stream_of(t, i), &stats))
			sum += stats.unacknowledged_bytes;
	return sum;
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	(void)channel;
	return &np_stream_info(stream_of(t, 0))->local;
}

static struct np_stream *stream(const struct transport *t)
{
	return stream_of(t, 0);
}

/* Of the lanes the slowest round trip. */
static bool figures(const struct transport *t, struct np_block_tcp *sum)
{
	struct np_stream_tcp tcp;

	*sum = (struct np_block_tcp){.known = false};
	for (unsigned i = 0; i < t->lanes; i++) {
		if (!stream_of(t, i) || np_stream_tcp(stream_of(t, i), &tcp))
			return false;
		sum->retransmitted += tcp.retransmitted;
		if (tcp.rtt > sum->rtt)
			sum->rtt = tcp.rtt;
		if (tcp.rtt_min && (!sum->rtt_min || tcp.rtt_min < sum->rtt_min))
			sum->rtt_min = tcp.rtt_min;
		sum->congestion = np_stream_info(stream_of(t, i))->congestion;
	}
	sum->known = t->lanes > 0;
	return sum->known;
}

const struct transport_face transport_tcp_sender = {
	.resolve = transport_resolve,
	.open = open_lanes,
	.close = close_lanes,
	.connect = connect_lane,
	.receive = receive,
	.wait = wait_for_lanes,
	.receive_timeout = tcp_receive_timeout,
	.send = send_all,
	.push = push,
	.finish = finish,
	.release = release,
	.unacknowledged = unacknowledged,
	.local = local,
	.stream = stream,
	.socket = tcp_socket,
	.tcp = figures,
};
