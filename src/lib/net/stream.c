// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stream: opens, configures, queries and closes TCP connections; sends and receives by them, one
 * system call at a time, and waits with a deadline; buffers bytes until they are whole messages, or
 * sent.
 */
#include "buffer.h"
#include "socket.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/errqueue.h>
#include <linux/mptcp.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <netperf/stream.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LEAST_ROOM   65536 /* of a buffer */
#define LEAST_UNSENT 16384
#define MPTCP_LEVEL  284 /* SOL_MPTCP, which not every libc has */

struct np_stream {
	struct np_stream_info info;
	int fd;
	bool connected;
	uint64_t pinned, completed, copied; /* as in np_stream_tcp */
	uint64_t unpinned;		    /* calls without a gap that are completed */
	np_time receive_limit;		    /* how long a receive may sleep; 0: not at all */
	np_time idle;			    /* application_limited of np_stream_tcp, so far */
	size_t low_watermark;
};

/* Its options are set before listen and connect: buffer sizes decide the window scale offered. */
static int make_socket(struct np_stream *stream, const struct np_stream_options *options,
		       int family, bool connects)
{
	const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      options->mptcp ? IPPROTO_MPTCP : 0);
	const uint64_t pacing = options->pacing_bytes_per_s;
	/* What may wait to be paced, so that it does not fill the send buffer and count as sent. */
	const uint64_t waits = np_least(pacing / 100 + LEAST_UNSENT, INT_MAX);
	/* The first probe after a quarter of the time, then three more without an answer. */
	const int each = (int)(options->keep_alive / NP_SECOND / 4);
	int error = options->keep_alive && each < 1 ? -EINVAL : 0;

	if (fd < 0)
		return -errno;
	stream->fd = fd;
	socket_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, options->receive_bytes);
	socket_set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, options->send_bytes);
	if (!error && options->no_delay)
		error = socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (!error && options->congestion &&
	    setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, options->congestion,
		       (socklen_t)strlen(options->congestion)) < 0)
		error = -errno;
	if (!error)
		error = socket_set_ip(fd, &options->ip);
	if (!error && options->mss)
		error = socket_set(fd, IPPROTO_TCP, TCP_MAXSEG, options->mss);
	if (!error && pacing &&
	    setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, sizeof(pacing)) < 0)
		error = -errno;
	if (!error && pacing)
		error = socket_set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, (int)waits);
	if (!error && options->zero_copy)
		error = socket_set(fd, SOL_SOCKET, SO_ZEROCOPY, 1);
	if (!error && each)
		error = socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	if (!error && each)
		error = socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, each);
	if (!error && each)
		error = socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, each);
	if (!error && each)
		error = socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
	if (!error && family == AF_INET6 && options->local &&
	    np_address_is_wildcard(options->local))
		error = socket_set(fd, SOL_IPV6, IPV6_V6ONLY, 0);
	if (error || !options->local)
		return error;
	error = socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	/* It may share a port chosen by the kernel with connections to other partners. */
	if (!error && connects && !np_address_port(options->local))
		(void)socket_set(fd, SOL_IP, IP_BIND_ADDRESS_NO_PORT, 1);
	if (!error && bind(fd, &options->local->any, options->local->length) < 0)
		error = -errno;
	return error;
}

static struct np_stream *make(void)
{
	struct np_stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->fd = -1;
	stream->low_watermark = 1;
	return stream;
}

/* Returns @made to the caller, or frees it on an error. */
static int hand_over(struct np_stream **stream, struct np_stream *made, int error)
{
	*stream = error ? NULL : made;
	if (error)
		np_stream_free(made);
	return error;
}

int np_stream_listen(struct np_stream **listener, const struct np_stream_options *options,
		     int backlog)
{
	struct np_stream *made;
	int error;

	*listener = NULL;
	if (!options->local)
		return -EINVAL;
	made = make();
	if (!made)
		return -ENOMEM;
	error = make_socket(made, options, options->local->any.sa_family, false);
	if (!error && listen(made->fd, backlog) < 0)
		error = -errno;
	return hand_over(listener, made, error);
}

int np_stream_accept(struct np_stream *listener, struct np_stream **stream)
{
	struct pollfd waiting = {.fd = listener->fd, .events = POLLIN};
	struct np_stream *made = make();
	int error;

	*stream = NULL;
	if (!made)
		return -ENOMEM;
	/* Options are inherited from the listener. */
	made->fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	made->connected = made->fd >= 0;
	error = made->connected ? 0 : -errno;
	/* The kernel needs a descriptor before it looks whether anybody waits. */
	if ((error == -EMFILE || error == -ENFILE) && !poll(&waiting, 1, 0))
		error = -EAGAIN;
	return hand_over(stream, made, error);
}

int np_stream_begin(struct np_stream **stream, const struct np_stream_options *options,
		    const struct np_address *to)
{
	struct np_stream *made = make();
	int error;

	*stream = NULL;
	if (!made)
		return -ENOMEM;
	error = make_socket(made, options, to->any.sa_family, true);
	if (!error) {
		made->connected = connect(made->fd, &to->any, to->length) == 0;
		if (!made->connected && errno != EINPROGRESS)
			error = -errno;
	}
	return hand_over(stream, made, error);
}

int np_stream_connected(struct np_stream *stream)
{
	struct pollfd wait = {.fd = stream->fd, .events = POLLOUT};
	int error;

	if (stream->connected)
		return 0;
	if (poll(&wait, 1, 0) <= 0)
		return -EINPROGRESS;
	error = socket_error(stream->fd);
	stream->connected = !error;
	return error;
}

void np_stream_free(struct np_stream *stream)
{
	if (!stream)
		return;
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream);
}

int np_stream_fd(const struct np_stream *stream)
{
	return stream->fd;
}

static void look_up(int fd, struct np_address *address,
		    int (*ask)(int fd, struct sockaddr *address, socklen_t *length))
{
	socklen_t length = sizeof(address->storage);

	memset(address, 0, sizeof(*address));
	if (ask(fd, &address->any, &length) == 0)
		address->length = length;
}

const struct np_stream_info *np_stream_info(struct np_stream *stream)
{
	struct np_stream_info *info = &stream->info;
	socklen_t length = sizeof(info->congestion) - 1;
	uint64_t pacing = 0;
	socklen_t pacing_length = sizeof(pacing);
	struct mptcp_info mptcp = {0};
	socklen_t mptcp_length = sizeof(mptcp);

	look_up(stream->fd, &info->local, getsockname);
	look_up(stream->fd, &info->remote, getpeername);
	info->receive_granted = socket_set_buffer(stream->fd, SO_RCVBUF, 0, 0);
	info->send_granted = socket_set_buffer(stream->fd, SO_SNDBUF, 0, 0);
	memset(info->congestion, 0, sizeof(info->congestion));
	getsockopt(stream->fd, IPPROTO_TCP, TCP_CONGESTION, info->congestion, &length);
	info->no_delay = socket_get(stream->fd, IPPROTO_TCP, TCP_NODELAY);
	info->mss_bytes = (size_t)socket_get(stream->fd, IPPROTO_TCP, TCP_MAXSEG);
	/* Of a connection that fell back to TCP the kernel knows nothing here, or says so. */
	info->mptcp = getsockopt(stream->fd, MPTCP_LEVEL, MPTCP_INFO, &mptcp, &mptcp_length) == 0 &&
		      !(mptcp.mptcpi_flags & MPTCP_INFO_FLAG_FALLBACK);
	getsockopt(stream->fd, SOL_SOCKET, SO_MAX_PACING_RATE, &pacing, &pacing_length);
	info->pacing_bytes_per_s = pacing == UINT64_MAX ? 0 : pacing;
	return info;
}

uint64_t np_stream_unacknowledged(const struct np_stream *stream)
{
	int queued = 0;

	return ioctl(stream->fd, SIOCOUTQ, &queued) < 0 ? 0 : (uint64_t)queued;
}

/* Calls are counted by the thread that sends, which need not be the one that looks. */
static void count(uint64_t *calls, uint64_t more)
{
	__atomic_store_n(calls, *calls + more, __ATOMIC_RELAXED);
}

static uint64_t counted(const uint64_t *calls)
{
	return __atomic_load_n(calls, __ATOMIC_RELAXED);
}

int np_stream_tcp(struct np_stream *stream, struct np_stream_tcp *tcp)
{
	struct tcp_info i = {.tcpi_min_rtt = UINT32_MAX};
	socklen_t bytes = sizeof(i);
	np_time idle;

	if (getsockopt(stream->fd, IPPROTO_TCP, TCP_INFO, &i, &bytes) < 0)
		return -errno;
	/* All bits set: there was no round trip, or the rate has no limit. */
	*tcp = (struct np_stream_tcp){
		.parts = NP_STREAM_TCP_SENT | NP_STREAM_TCP_RECEIVED,
		.retransmitted = i.tcpi_total_retrans,
		.retransmitted_bytes = i.tcpi_bytes_retrans,
		.cwnd = i.tcpi_snd_cwnd,
		.cwnd_bytes = (uint64_t)i.tcpi_snd_cwnd * i.tcpi_snd_mss,
		.srtt = i.tcpi_rtt * NP_MICROSECOND,
		.rttvar = i.tcpi_rttvar * NP_MICROSECOND,
		.rtt_min = i.tcpi_min_rtt == UINT32_MAX ? 0 : i.tcpi_min_rtt * NP_MICROSECOND,
		.delivery_rate = i.tcpi_delivery_rate,
		.pacing_rate = i.tcpi_pacing_rate == UINT64_MAX ? 0 : i.tcpi_pacing_rate,
		.reordering = i.tcpi_reord_seen,
		.delivered_ce = i.tcpi_delivered_ce,
		.mss = i.tcpi_snd_mss,
		.busy = (np_time)i.tcpi_busy_time * NP_MICROSECOND,
		.receive_window_limited = (np_time)i.tcpi_rwnd_limited * NP_MICROSECOND,
		.send_buffer_limited = (np_time)i.tcpi_sndbuf_limited * NP_MICROSECOND,
		.pinned = counted(&stream->pinned),
		.completed = counted(&stream->completed),
		.copied = counted(&stream->copied),
		.out_of_order = i.tcpi_rcv_ooopack,
		.receive_rtt = i.tcpi_rcv_rtt * NP_MICROSECOND,
		.receive_space = i.tcpi_rcv_space,
	};
	if (tcp->pinned)
		tcp->parts |= NP_STREAM_TCP_PINNED;
	/* The kernel counts what is busy in ticks, which may be ahead: this never falls. */
	idle = np_clock_now() - tcp->busy;
	stream->idle = idle > stream->idle ? idle : stream->idle;
	tcp->application_limited = stream->idle;
	if (bytes >= offsetof(struct tcp_info, tcpi_rcv_ooopack) + sizeof(i.tcpi_rcv_ooopack))
		tcp->parts |= NP_STREAM_TCP_NEW;
	return 0;
}

#define COLUMN(member, text, units, how, parts)                                                    \
	{                                                                                          \
		.name = (text), .offset = offsetof(struct np_stream_tcp, member), .unit = (units), \
		.kind = NP_COLUMN_##how, .part = (parts)                                           \
	}
#define SENT	 NP_STREAM_TCP_SENT
#define RECEIVED NP_STREAM_TCP_RECEIVED
#define NEW	 NP_STREAM_TCP_NEW

const struct np_column np_stream_tcp_columns[] = {
	COLUMN(retransmitted, "retransmitted", "segments", SUM, SENT),
	COLUMN(retransmitted_bytes, "retransmitted", "bytes", SUM, SENT | NEW),
	COLUMN(cwnd, "cwnd", "segments", GAUGE, SENT),
	COLUMN(cwnd_bytes, "cwnd", "bytes", GAUGE, SENT),
	COLUMN(srtt, "srtt", "ns", MOST, SENT),
	COLUMN(rttvar, "rttvar", "ns", MOST, SENT),
	COLUMN(rtt_min, "rtt_min", "ns", FIRST, SENT),
	COLUMN(delivery_rate, "delivery_rate", "bytes_per_s", GAUGE, SENT),
	COLUMN(pacing_rate, "pacing_rate", "bytes_per_s", GAUGE, SENT),
	COLUMN(reordering, "reordering", "events", SUM, SENT | NEW),
	COLUMN(delivered_ce, "delivered_ce", "segments", SUM, SENT | NEW),
	COLUMN(mss, "mss", "bytes", FIRST, SENT),
	COLUMN(busy, "busy", "ns", SUM, SENT | NEW),
	COLUMN(application_limited, "application_limited", "ns", SUM, SENT | NEW),
	COLUMN(receive_window_limited, "receive_window_limited", "ns", SUM, SENT | NEW),
	COLUMN(send_buffer_limited, "send_buffer_limited", "ns", SUM, SENT | NEW),
	COLUMN(pinned, "zero_copy", "calls", SUM, SENT | NP_STREAM_TCP_PINNED),
	COLUMN(completed, "zero_copy_completed", "calls", SUM, SENT | NP_STREAM_TCP_PINNED),
	COLUMN(copied, "zero_copy_copied", "calls", SUM, SENT | NP_STREAM_TCP_PINNED),
	COLUMN(out_of_order, "out_of_order", "segments", SUM, RECEIVED | NEW),
	COLUMN(receive_rtt, "receive_rtt", "ns", MOST, RECEIVED),
	COLUMN(receive_space, "receive_space", "bytes", GAUGE, RECEIVED),
	{.name = NULL},
};

ssize_t np_stream_send(struct np_stream *stream, const void *data, size_t bytes)
{
	ssize_t sent = send(stream->fd, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);

	return sent < 0 ? -errno : sent;
}

ssize_t np_stream_send_pinned(struct np_stream *stream, const void *data, size_t bytes,
			      uint64_t *calls)
{
	ssize_t sent = send(stream->fd, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT | MSG_ZEROCOPY);

	count(&stream->pinned, sent > 0);
	*calls = stream->pinned;
	return sent < 0 ? -errno : sent;
}

/* Each notification is of a range of calls; seldom are they out of order. */
uint64_t np_stream_unpinned(struct np_stream *stream)
{
	for (;;) {
		char control[CMSG_SPACE(sizeof(struct sock_extended_err) +
					sizeof(struct sockaddr_storage))];
		struct msghdr message = {.msg_control = control, .msg_controllen = sizeof(control)};
		struct sock_extended_err error;
		struct cmsghdr *header;
		uint64_t calls;

		if (recvmsg(stream->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return stream->unpinned;
		header = CMSG_FIRSTHDR(&message);
		if (!header)
			continue;
		memcpy(&error, CMSG_DATA(header), sizeof(error));
		if (error.ee_origin != SO_EE_ORIGIN_ZEROCOPY)
			continue;
		calls = (uint64_t)(error.ee_data - error.ee_info) + 1;
		count(&stream->completed, calls);
		if (error.ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
			count(&stream->copied, calls);
		if (error.ee_info == (uint32_t)stream->unpinned)
			stream->unpinned += calls;
		if (stream->completed == stream->pinned)
			stream->unpinned = stream->pinned;
	}
}

ssize_t np_stream_send_pieces(struct np_stream *stream, const struct iovec *pieces, unsigned count)
{
	const struct msghdr message = {
		.msg_iov = (struct iovec *)pieces,
		.msg_iovlen = count < IOV_MAX ? count : IOV_MAX,
	};
	ssize_t sent;

	if (count == 1)
		return np_stream_send(stream, pieces->iov_base, pieces->iov_len);
	sent = sendmsg(stream->fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
	return sent < 0 ? -errno : sent;
}

static ssize_t receive(struct np_stream *stream, void *data, size_t room, int flags)
{
	ssize_t got =
		recv(stream->fd, data, room, flags | (stream->receive_limit ? 0 : MSG_DONTWAIT));

	/* A signal ends the sleep of a receive with a timeout. */
	if (got < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	return got;
}

ssize_t np_stream_receive(struct np_stream *stream, void *data, size_t room)
{
	return receive(stream, data, room, 0);
}

ssize_t np_stream_truncate(struct np_stream *stream, size_t bytes)
{
	return receive(stream, NULL, bytes, MSG_TRUNC);
}

int np_stream_finish(struct np_stream *stream)
{
	return shutdown(stream->fd, SHUT_WR) < 0 ? -errno : 0;
}

/* MSG_DONTWAIT makes a blocking socket non-blocking for one call; no flag does the opposite. */
int np_stream_set_receive_timeout(struct np_stream *stream, np_time limit)
{
	int rc;

	if (limit < 0)
		return -EINVAL;
	if (limit == stream->receive_limit)
		return 0;
	if (fcntl(stream->fd, F_SETFL, limit ? 0 : O_NONBLOCK) < 0)
		return -errno;
	rc = limit ? socket_set_timeout(stream->fd, SO_RCVTIMEO, limit) : 0;
	if (!rc)
		stream->receive_limit = limit;
	return rc;
}

int np_stream_set_no_delay(struct np_stream *stream, bool no_delay)
{
	return socket_set(stream->fd, IPPROTO_TCP, TCP_NODELAY, no_delay);
}

int np_stream_set_low_watermark(struct np_stream *stream, size_t bytes)
{
	int rc = 0;

	if (bytes < 1 || bytes > INT_MAX)
		return -EINVAL;
	if (bytes != stream->low_watermark)
		rc = socket_set(stream->fd, SOL_SOCKET, SO_RCVLOWAT, (int)bytes);
	if (!rc)
		stream->low_watermark = bytes;
	return rc;
}

/* Returns 0 when there is room to send, or the connection has ended, else why the wait did. */
static int wait_for_room(const struct np_stream *stream, int other_fd, np_time deadline)
{
	struct pollfd fds[] = {
		{.fd = stream->fd, .events = POLLOUT},
		{.fd = other_fd, .events = POLLIN},
	};

	for (;;) {
		const int rc = np_wait_ready(fds, 2, deadline);

		if (rc < 0 || fds[0].revents)
			return rc < 0 ? rc : 0;
		if (fds[1].revents)
			return -ECANCELED;
		if (np_clock_now() >= deadline)
			return -ETIMEDOUT;
	}
}

int np_stream_connect(struct np_stream **stream, const struct np_stream_options *options,
		      const struct np_address *to, int other_fd, np_time deadline)
{
	int error = np_stream_begin(stream, options, to);

	if (!*stream)
		return error;
	while (!error) {
		error = np_stream_connected(*stream);
		if (error != -EINPROGRESS)
			break;
		error = wait_for_room(*stream, other_fd, deadline);
	}
	if (error) {
		np_stream_free(*stream);
		*stream = NULL;
	}
	return error;
}

int np_stream_send_all(struct np_stream *stream, const void *data, size_t bytes, int other_fd,
		       np_time deadline, size_t *sent)
{
	size_t done = 0;
	int error = 0;

	while (done < bytes && !error) {
		ssize_t turn = np_stream_send(stream, (const char *)data + done, bytes - done);

		/* A notification would end each wait. */
		if (turn < 0 && stream->pinned)
			(void)np_stream_unpinned(stream);
		if (turn >= 0)
			done += (size_t)turn;
		else if (turn == -EAGAIN)
			error = wait_for_room(stream, other_fd, deadline);
		else
			error = (int)turn;
	}
	if (sent)
		*sent = done;
	return error;
}

int buffer_reserve(struct buffer *b, size_t bytes)
{
	size_t room = b->room;
	uint8_t *data;

	if (b->begin) {
		memmove(b->data, b->data + b->begin, b->end - b->begin);
		b->end -= b->begin;
		b->begin = 0;
	}
	while (room < b->end + bytes)
		room = room ? 2 * room : LEAST_ROOM;
	data = room == b->room ? b->data : realloc(b->data, room);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->room = room;
	return 0;
}

ssize_t buffer_receive(struct buffer *b, struct np_stream *stream)
{
	ssize_t got = buffer_reserve(b, 1);

	if (!got)
		got = np_stream_receive(stream, b->data + b->end, b->room - b->end);
	b->end += got > 0 ? (size_t)got : 0;
	return got;
}

void buffer_free(struct buffer *b)
{
	free(b->data);
	*b = (struct buffer){0};
}
