// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* tcp: what both ends of streams of bytes share. */
#include "tcp.h"

#include <errno.h>
#include <netperf/process.h>
#include <stdlib.h>

#define THROWN_AWAY_MAX ((size_t)1 << 30) /* in one call */
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
	if (tcp && t->plan.lanes)
		tcp->lanes = calloc(t->plan.lanes, sizeof(*tcp->lanes));
	if (tcp && tcp->memory && (tcp->lanes || !t->plan.lanes))
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

static ssize_t read_some(struct tcp *tcp, struct tcp_channel *c, uint8_t *data, size_t most)
{
	const size_t best = tcp_read_bytes(&tcp->read);
	ssize_t got = np_stream_receive(c->stream, data, most < best ? most : best);

	if (got > 0 && tcp_read_count(&tcp->read, (size_t)got))
		tcp_read_judge(&tcp->read, np_usage_now().voluntary_switches);
	return got;
}

int tcp_take(struct transport *t, struct tcp_channel *c)
{
	const struct transport_user *user = &t->user;
	uint8_t *data = tcp_of(t)->memory + TRANSPORT_BEFORE;
	size_t most = TRANSPORT_READ_SMALL;
	bool unread = false;
	ssize_t got;
	int count;

	/* A partner that does not read its answers is not read from, either. */
	tcp_flush(c);
	if (c->filled) {
		c->ready = false;
		return 0;
	}
	if (user->wants)
		most = user->wants(user->context, &c->channel, &unread);
	got = unread ? np_stream_truncate(c->stream,
					  most < THROWN_AWAY_MAX ? most : THROWN_AWAY_MAX)
		     : read_some(tcp_of(t), c, data, most);
	if (got == -EAGAIN) {
		c->ready = false;
		return 0;
	}
	if (got <= 0) {
		c->channel.gone = true;
		c->channel.error = (int)got;
		return 0;
	}
	count = user->bytes(user->context, &c->channel, unread ? NULL : data, (size_t)got,
			    np_clock_now());
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

/* What is dropped is sent again. */
void tcp_counts(const struct transport *t, struct transport_counts *counts)
{
	(void)t;
	*counts = (struct transport_counts){.drop_unit = NULL};
}

bool tcp_socket(const struct transport *t, unsigned index, const struct np_address *peer,
		struct record_socket *socket)
{
	const struct tcp *tcp = tcp_of(t);
	const struct np_stream_info *info;

	(void)peer;
	if (index >= tcp->count || index >= (t->plan.lanes ? t->plan.lanes : 1))
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
