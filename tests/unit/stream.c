// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* Unit tests of stream: connections over loopback, never blocking, every byte and every error. */
#include <netperf/stream.h>

#include "address_of.h"
#include "support/unit.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <unistd.h>

#define SOON (np_clock_now() + 5 * NP_SECOND)

struct pair {
	struct np_stream *listener;
	struct np_stream *near;
	struct np_stream *far;
};

static struct np_stream_options options_at(const struct np_address *local)
{
	return (struct np_stream_options){.local = local, .ip.tos = -1};
}

static int is_readable(const struct np_stream *stream, np_time deadline)
{
	struct pollfd fd = {.fd = np_stream_fd(stream), .events = POLLIN};

	return np_wait_ready(&fd, 1, deadline);
}

static void await_readable(const struct np_stream *stream)
{
	assert_int_equal(is_readable(stream, SOON), 1);
}

static struct np_stream *accept_one(struct np_stream *listener)
{
	struct np_stream *accepted;

	await_readable(listener);
	assert_int_equal(np_stream_accept(listener, &accepted), 0);
	return accepted;
}

static struct pair connect_pair(const struct np_stream_options *wishes)
{
	struct np_address local = address_of("127.0.0.1:0");
	struct np_stream_options here = *wishes, there = *wishes;
	struct pair pair;

	here.local = &local;
	there.local = NULL;
	assert_int_equal(np_stream_listen(&pair.listener, &here, 5), 0);
	assert_int_equal(np_stream_accept(pair.listener, &pair.far), -EAGAIN);
	assert_null(pair.far);
	assert_int_equal(np_stream_connect(&pair.near, &there,
					   &np_stream_info(pair.listener)->local, -1, SOON),
			 0);
	pair.far = accept_one(pair.listener);
	return pair;
}

static struct pair plain_pair(void)
{
	struct np_stream_options options = options_at(NULL);

	return connect_pair(&options);
}

static void free_pair(struct pair *pair)
{
	np_stream_free(pair->near);
	np_stream_free(pair->far);
	np_stream_free(pair->listener);
}

/* One of a block, which is freed at its end. */
#define PAIR __attribute__((cleanup(free_pair))) struct pair

/* Exactly @bytes, waiting for them. */
static void take(struct np_stream *stream, uint8_t *data, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		ssize_t got = np_stream_receive(stream, data + done, bytes - done);

		if (got == -EAGAIN)
			await_readable(stream);
		else
			assert_in_range(got, 1, bytes - done);
		done += got > 0 ? (size_t)got : 0;
	}
}

TEST(a_descriptor_lacks_only_if_somebody_waits)
{
	PAIR pair = plain_pair();
	const struct np_stream_options plain = {.ip.tos = -1};
	struct np_stream *near, *far;
	struct rlimit before, full;
	const int next = dup(STDERR_FILENO);

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	full = before;
	full.rlim_cur = (rlim_t)next + 1;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &full), 0);
	assert_int_equal(np_stream_accept(pair.listener, &far), -EAGAIN);
	close(next);
	assert_int_equal(
		np_stream_connect(&near, &plain, &np_stream_info(pair.listener)->local, -1, SOON),
		0);
	await_readable(pair.listener);
	assert_int_equal(np_stream_accept(pair.listener, &far), -EMFILE);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	far = accept_one(pair.listener);
	np_stream_free(near);
	np_stream_free(far);
}

TEST(bytes_and_the_end_arrive)
{
	PAIR pair = plain_pair();
	uint8_t data[9];
	struct iovec pieces[] = {{"over", 4}, {"", 0}, {"here", 5}};

	assert_int_equal(np_stream_receive(pair.far, data, sizeof(data)), -EAGAIN);
	assert_int_equal(np_stream_send_pieces(pair.near, pieces, 3), 9);
	take(pair.far, data, 9);
	assert_memory_equal(data, "overhere", 9);
	assert_int_equal(np_stream_finish(pair.near), 0);
	await_readable(pair.far);
	assert_int_equal(np_stream_receive(pair.far, data, sizeof(data)), 0);
	/* Half closed: the other way goes on. */
	assert_int_equal(np_stream_send(pair.far, "back", 4), 4);
	take(pair.near, data, 4);
	assert_memory_equal(data, "back", 4);
}

TEST(truncating_takes_exactly_what_is_asked)
{
	PAIR pair = plain_pair();
	uint8_t data[3000], rest[10];
	size_t gone = 0;

	for (size_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)i;
	assert_int_equal(np_stream_truncate(pair.far, 10), -EAGAIN);
	assert_int_equal(np_stream_send(pair.near, data, sizeof(data)), sizeof(data));
	while (gone < 2990) {
		ssize_t got = np_stream_truncate(pair.far, 2990 - gone);

		assert_true(got > 0 || got == -EAGAIN);
		gone += got > 0 ? (size_t)got : 0;
	}
	take(pair.far, rest, 10);
	assert_memory_equal(rest, data + 2990, 10);
}

static np_time time_of_empty_receive(struct np_stream *stream)
{
	np_time begin = np_clock_now();
	uint8_t byte;

	assert_int_equal(np_stream_receive(stream, &byte, 1), -EAGAIN);
	return np_clock_now() - begin;
}

TEST(a_receive_timeout_is_none_of_sending)
{
	struct np_stream_options small = {
		.ip.tos = -1, .send_bytes = 16384, .receive_bytes = 16384};
	PAIR pair = connect_pair(&small);
	static uint8_t data[1 << 16];
	ssize_t sent;

	assert_int_equal(np_stream_set_receive_timeout(pair.far, -1), -EINVAL);
	assert_int_equal(np_stream_set_receive_timeout(pair.far, 30 * NP_MILLISECOND), 0);
	assert_true(time_of_empty_receive(pair.far) >= 29 * NP_MILLISECOND);
	assert_int_equal(np_stream_send(pair.near, "abc", 3), 3);
	assert_int_equal(np_stream_receive(pair.far, data, 2), 2);
	assert_int_equal(np_stream_truncate(pair.far, 100), 1);
	assert_int_equal(np_stream_set_receive_timeout(pair.far, 3600 * NP_SECOND), 0);
	do
		sent = np_stream_send(pair.far, data, sizeof(data));
	while (sent > 0);
	assert_int_equal(sent, -EAGAIN);
	assert_int_equal(np_stream_set_receive_timeout(pair.far, 0), 0);
	assert_true(time_of_empty_receive(pair.far) < 30 * NP_SECOND);
}

TEST(a_low_watermark_waits_for_more_than_a_byte)
{
	PAIR pair = plain_pair();
	uint8_t data[100] = {0};
	np_time begin;

	assert_int_equal(np_stream_set_low_watermark(pair.far, 0), -EINVAL);
	assert_int_equal(np_stream_set_low_watermark(pair.far, 50), 0);
	assert_int_equal(np_stream_set_receive_timeout(pair.far, 30 * NP_MILLISECOND), 0);
	/* Too few: until the timeout. */
	assert_int_equal(np_stream_send(pair.near, data, 20), 20);
	assert_int_equal(is_readable(pair.far, np_clock_now() + 10 * NP_MILLISECOND), 0);
	begin = np_clock_now();
	assert_int_equal(np_stream_receive(pair.far, data, sizeof(data)), 20);
	assert_true(np_clock_now() - begin >= 29 * NP_MILLISECOND);
	/* Enough, as much as there is room for, and the end. */
	assert_int_equal(np_stream_set_receive_timeout(pair.far, 3600 * NP_SECOND), 0);
	assert_int_equal(np_stream_send(pair.near, data, 60), 60);
	assert_int_equal(np_stream_receive(pair.far, data, 10), 10);
	assert_int_equal(np_stream_receive(pair.far, data, sizeof(data)), 50);
	assert_int_equal(np_stream_send(pair.near, data, 5), 5);
	assert_int_equal(np_stream_finish(pair.near), 0);
	assert_int_equal(np_stream_truncate(pair.far, sizeof(data)), 5);
}

/* What a partner that reads nothing leaves room for, and what then ends the waiting. */
TEST(sending_waits_no_longer_than_told)
{
	struct np_stream_options small = {
		.ip.tos = -1, .send_bytes = 16384, .receive_bytes = 16384};
	PAIR pair = connect_pair(&small);
	size_t room = (size_t)8 << 20, sent = 0;
	uint8_t *data = calloc(1, room);
	np_time begin = np_clock_now();
	int fd[2];

	assert_non_null(data);
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(np_stream_send_all(pair.near, data, room, fd[0],
					    begin + 50 * NP_MILLISECOND, &sent),
			 -ETIMEDOUT);
	assert_true(np_clock_now() - begin >= 50 * NP_MILLISECOND);
	assert_in_range(sent, 1, room - 1);
	assert_in_range(np_stream_unacknowledged(pair.near), 1, sent);
	assert_int_equal(np_stream_unacknowledged(pair.listener), 0);
	assert_int_equal(write(fd[1], "", 1), 1);
	assert_int_equal(np_stream_send_all(pair.near, data, room, fd[0], SOON, NULL), -ECANCELED);
	close(fd[0]);
	close(fd[1]);
	free(data);
}

TEST(refusals_and_resets_are_told)
{
	struct pair pair = plain_pair();
	struct np_stream_options options = options_at(NULL);
	struct np_address gone = np_stream_info(pair.listener)->local;
	struct np_stream *stream, *second;
	struct np_stream_options same = options_at(&gone);
	uint8_t byte;

	assert_int_equal(np_stream_listen(&second, &same, 1), -EADDRINUSE);
	assert_null(second);
	/* Closed with bytes unread: the partner resets. */
	assert_int_equal(np_stream_send(pair.near, "x", 1), 1);
	await_readable(pair.far);
	np_stream_free(pair.far);
	pair.far = NULL;
	await_readable(pair.near);
	assert_int_equal(np_stream_receive(pair.near, &byte, 1), -ECONNRESET);
	assert_int_equal(np_stream_send(pair.near, "x", 1), -EPIPE);
	free_pair(&pair);
	assert_int_equal(np_stream_connect(&stream, &options, &gone, -1, SOON), -ECONNREFUSED);
	assert_null(stream);
}

TEST(connecting_ends_at_the_deadline)
{
	struct np_address local = address_of("127.0.0.1:0");
	struct np_stream_options here = options_at(&local), options = options_at(NULL);
	struct np_stream *listener, *stream[8] = {0};
	np_time begin = np_clock_now();
	int error = 0;

	/* A full backlog answers nothing. */
	assert_int_equal(np_stream_listen(&listener, &here, 0), 0);
	for (size_t i = 0; i < 8 && !error; i++)
		error = np_stream_connect(&stream[i], &options, &np_stream_info(listener)->local,
					  -1, begin + 100 * NP_MILLISECOND);
	assert_int_equal(error, -ETIMEDOUT);
	assert_true(np_clock_now() - begin < 5 * NP_SECOND);
	for (size_t i = 0; i < 8; i++)
		np_stream_free(stream[i]);
	np_stream_free(listener);
}

TEST(dead_partners_are_asked_for)
{
	struct np_stream_options options = {.ip.tos = -1, .keep_alive = 20 * NP_SECOND};
	PAIR pair = connect_pair(&options);
	struct np_stream_options bad = {.ip.tos = -1, .keep_alive = NP_SECOND};
	struct np_stream *both[] = {pair.near, pair.far}, *stream;
	int value[3];
	socklen_t length = sizeof(*value);

	for (size_t i = 0; i < 2; i++) {
		int fd = np_stream_fd(both[i]);

		getsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &value[0], &length);
		getsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &value[1], &length);
		getsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &value[2], &length);
		assert_int_equal(value[0], 1);
		assert_int_equal(value[1], 5);
		assert_int_equal(value[2], 3);
	}
	assert_int_equal(np_stream_begin(&stream, &bad, &np_stream_info(pair.listener)->local),
			 -EINVAL);
}

TEST(wishes_reach_the_socket)
{
	struct np_stream_options wishes = {
		.send_bytes = 100000,
		.receive_bytes = 50000,
		.no_delay = true,
		.congestion = "reno",
		.ip.tos = 0x10,
	};
	PAIR pair = connect_pair(&wishes);
	struct np_stream_options bad = {.congestion = "nosuch", .ip.tos = -1};
	struct np_stream *both[] = {pair.near, pair.far}, *stream;

	for (size_t i = 0; i < 2; i++) {
		const struct np_stream_info *info = np_stream_info(both[i]);

		assert_string_equal(info->congestion, "reno");
		assert_true(info->no_delay);
		assert_int_equal(info->send_granted, 100000);
		assert_int_equal(info->receive_granted, 50000);
	}
	assert_true(np_address_equal(&np_stream_info(pair.near)->remote,
				     &np_stream_info(pair.listener)->local));
	assert_true(np_address_equal(&np_stream_info(pair.near)->local,
				     &np_stream_info(pair.far)->remote));
	assert_int_equal(
		np_stream_connect(&stream, &bad, &np_stream_info(pair.listener)->local, -1, SOON),
		-ENOENT);
	bad = (struct np_stream_options){.ip.tos = -1, .ip.device = "no-such-device"};
	assert_int_equal(np_stream_begin(&stream, &bad, &np_stream_info(pair.listener)->local),
			 -ENODEV);
}
