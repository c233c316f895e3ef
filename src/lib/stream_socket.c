// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stream_socket: the kernel's TCP, on sockets that never block. */
#include "socket.h"
#include "stream_variant.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static int set_congestion(int fd, const char *name)
{
	return setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name)) < 0
		       ? -errno
		       : 0;
}

/* A first question after a quarter of the time, then three in vain. */
static int set_keep_alive(int fd, np_time time)
{
	int each = (int)(time / NP_SECOND / 4), error;

	if (each < 1)
		return -EINVAL;
	error = socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (!error)
		error = socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, each);
	if (!error)
		error = socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, each);
	return error ? error : socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
}

/* Buffers come before listen and connect: they decide the window scale that is offered. */
static int set_options(int fd, const struct np_stream_options *options, bool ipv6)
{
	int error = 0;

	socket_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, options->receive_bytes);
	socket_set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, options->send_bytes);
	if (options->no_delay)
		error = socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (!error && options->congestion)
		error = set_congestion(fd, options->congestion);
	if (!error && options->tos >= 0)
		error = socket_set_family(fd, ipv6, IP_TOS, IPV6_TCLASS, options->tos);
	if (!error && options->ttl)
		error = socket_set_family(fd, ipv6, IP_TTL, IPV6_UNICAST_HOPS, options->ttl);
	if (!error && options->keep_alive)
		error = set_keep_alive(fd, options->keep_alive);
	if (!error && options->device)
		error = socket_set_device(fd, options->device);
	return error;
}

/* One that connects shares a port of the kernel's choice with others to other partners. */
static int bind_socket(int fd, const struct np_address *local, bool connects)
{
	if (connects && !np_address_port(local))
		(void)socket_set(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	return bind(fd, &local->any, local->length) < 0 ? -errno : 0;
}

static int make_socket(struct np_stream *stream, const struct np_stream_options *options,
		       int family, bool connects)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error;

	if (fd < 0)
		return -errno;
	stream->fd = fd;
	error = set_options(fd, options, family == AF_INET6);
	if (!error && family == AF_INET6 && options->local &&
	    np_address_is_wildcard(options->local))
		error = socket_set(fd, SOL_IPV6, IPV6_V6ONLY, 0);
	if (!error && options->local)
		error = socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (!error && options->local)
		error = bind_socket(fd, options->local, connects);
	return error;
}

static void look_up(int fd, struct np_address *address,
		    int (*ask)(int fd, struct sockaddr *address, socklen_t *length))
{
	socklen_t length = sizeof(address->storage);

	memset(address, 0, sizeof(*address));
	if (ask(fd, &address->any, &length) == 0)
		address->length = length;
}

static void socket_look(struct np_stream *stream)
{
	struct np_stream_info *info = &stream->info;
	socklen_t length = sizeof(info->congestion) - 1;
	int no_delay = 0;
	socklen_t flag_length = sizeof(no_delay);

	look_up(stream->fd, &info->local, getsockname);
	look_up(stream->fd, &info->remote, getpeername);
	info->receive_granted = socket_set_buffer(stream->fd, SO_RCVBUF, 0, 0);
	info->send_granted = socket_set_buffer(stream->fd, SO_SNDBUF, 0, 0);
	memset(info->congestion, 0, sizeof(info->congestion));
	getsockopt(stream->fd, IPPROTO_TCP, TCP_CONGESTION, info->congestion, &length);
	getsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &no_delay, &flag_length);
	info->no_delay = no_delay;
}

static int socket_listen(struct np_stream *stream, const struct np_stream_options *options,
			 int backlog)
{
	int error = make_socket(stream, options, options->local->any.sa_family, false);

	if (!error && listen(stream->fd, backlog) < 0)
		error = -errno;
	return error;
}

static int socket_begin(struct np_stream *stream, const struct np_stream_options *options,
			const struct np_address *to)
{
	int error = make_socket(stream, options, to->any.sa_family, true);

	if (error)
		return error;
	stream->connected = connect(stream->fd, &to->any, to->length) == 0;
	return stream->connected || errno == EINPROGRESS ? 0 : -errno;
}

static int socket_accept(struct np_stream *listener, struct np_stream *stream)
{
	/* Options are inherited from the listener. */
	stream->fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (stream->fd < 0)
		return -errno;
	stream->connected = true;
	return 0;
}

static int socket_connected(struct np_stream *stream)
{
	struct pollfd wait = {.fd = stream->fd, .events = POLLOUT};
	int error = 0;
	socklen_t length = sizeof(error);

	if (stream->connected)
		return 0;
	if (poll(&wait, 1, 0) <= 0)
		return -EINPROGRESS;
	if (getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0)
		return -errno;
	stream->connected = !error;
	return -error;
}

static ssize_t socket_send(struct np_stream *stream, const void *data, size_t bytes)
{
	ssize_t sent = send(stream->fd, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);

	return stream_sent(stream, sent < 0 ? -errno : sent);
}

static ssize_t socket_send_pieces(struct np_stream *stream, const struct iovec *pieces,
				  unsigned count)
{
	const struct msghdr message = {
		.msg_iov = (struct iovec *)pieces,
		.msg_iovlen = count < IOV_MAX ? count : IOV_MAX,
	};
	ssize_t sent;

	if (count == 1)
		return socket_send(stream, pieces->iov_base, pieces->iov_len);
	sent = sendmsg(stream->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	return stream_sent(stream, sent < 0 ? -errno : sent);
}

/* A signal ends the sleep of one that is patient. */
static ssize_t receive(struct np_stream *stream, void *data, size_t room, int flags)
{
	ssize_t got = recv(stream->fd, data, room, flags | stream->receive_flags);

	if (got >= 0)
		return got;
	return errno == EINTR ? -EAGAIN : -errno;
}

static ssize_t socket_receive(struct np_stream *stream, void *data, size_t room)
{
	return receive(stream, data, room, 0);
}

static ssize_t socket_truncate(struct np_stream *stream, size_t bytes)
{
	return receive(stream, NULL, bytes, MSG_TRUNC);
}

static int socket_finish(struct np_stream *stream)
{
	return shutdown(stream->fd, SHUT_WR) < 0 ? -errno : 0;
}

/* A connection that does not block by itself would not be made to by the flags of a call. */
static int socket_patience(struct np_stream *stream, np_time limit)
{
	const int flags = fcntl(stream->fd, F_GETFL);
	const int wanted = limit ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;

	if (flags < 0 || fcntl(stream->fd, F_SETFL, wanted) < 0)
		return -errno;
	stream->receive_flags = limit ? 0 : MSG_DONTWAIT;
	return limit ? socket_set_patience(stream->fd, SO_RCVTIMEO, limit) : 0;
}

static int socket_least(struct np_stream *stream, size_t bytes)
{
	return socket_set(stream->fd, SOL_SOCKET, SO_RCVLOWAT, (int)bytes);
}

static int socket_count(struct np_stream *stream)
{
	struct np_stream_stats *stats = &stream->stats;
	struct tcp_info tcp = {0};
	socklen_t length = sizeof(tcp);
	int queued = 0;

	if (getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &tcp, &length) < 0)
		return -errno;
	stats->retransmits = tcp.tcpi_total_retrans;
	stats->rtt = tcp.tcpi_rtt * NP_MICROSECOND;
	stats->rtt_deviation = tcp.tcpi_rttvar * NP_MICROSECOND;
	/* ~0: none was measured yet. */
	stats->rtt_min = tcp.tcpi_min_rtt == UINT32_MAX ? 0 : tcp.tcpi_min_rtt * NP_MICROSECOND;
	stats->segment_bytes = tcp.tcpi_snd_mss;
	stats->congestion_window_bytes = (uint64_t)tcp.tcpi_snd_cwnd * tcp.tcpi_snd_mss;
	/* A listener has none. */
	stats->unacknowledged_bytes =
		ioctl(stream->fd, SIOCOUTQ, &queued) == 0 ? (uint64_t)queued : 0;
	return 0;
}

const struct stream_variant stream_socket_variant = {
	.name = "socket",
	.listen = socket_listen,
	.begin = socket_begin,
	.accept = socket_accept,
	.connected = socket_connected,
	.send = socket_send,
	.send_pieces = socket_send_pieces,
	.receive = socket_receive,
	.truncate = socket_truncate,
	.finish = socket_finish,
	.patience = socket_patience,
	.least = socket_least,
	.look = socket_look,
	.count = socket_count,
};
