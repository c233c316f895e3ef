// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * udp-count: sends numbered UDP datagrams at a rate, or takes them in and says what came.
 *
 * usage: udp-count [-c COUNT] [-r RATE] [-l BYTES] [-f FIRST] [-p PORT] ADDRESS PORT
 *        udp-count -w FILE [-t QUIET] PORT
 *	-r RATE	datagrams a second; 0: as fast as it goes
 *	-f FIRST	the first number
 *	-p PORT	to send from
 *	-w FILE	receive; one line each in order of arrival: NUMBER right|damaged. Ends when
 *		nothing came for QUIET (0.5 s) after a first one, or at SIGTERM.
 * A datagram holds its number as a big-endian int32 at byte 24, and each byte behind follows from
 *it.
 */
#include <errno.h>
#include <netdb.h>
#include <netperf/interval.h>
#include <netperf/process.h>
#include <netperf/units.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NUMBER_AT     24
#define BODY_AT	      28
#define BYTES_MAX     9000
#define BATCH	      64
#define RECEIVE_BYTES (1 << 28)

struct setting {
	const char *address, *port, *from_port, *arrivals;
	uint64_t count, bytes, first;
	double rate;
	np_time quiet;
};

struct batch {
	struct mmsghdr message[BATCH];
	struct iovec part[BATCH];
	uint8_t memory[BATCH][BYTES_MAX];
};

static uint8_t body_byte(uint32_t number, size_t at)
{
	return (uint8_t)(number * 7 + at * 13);
}

static void fill(uint8_t *data, size_t bytes, uint32_t number)
{
	memset(data, 0, NUMBER_AT);
	for (unsigned i = 0; i < 4; i++)
		data[NUMBER_AT + i] = (uint8_t)(number >> (24 - 8 * i));
	for (size_t at = BODY_AT; at < bytes; at++)
		data[at] = body_byte(number, at);
}

static bool right(const uint8_t *data, size_t bytes, uint32_t number)
{
	for (size_t at = 0; at < NUMBER_AT && at < bytes; at++)
		if (data[at])
			return false;
	for (size_t at = BODY_AT; at < bytes; at++)
		if (data[at] != body_byte(number, at))
			return false;
	return true;
}

static void prepare(struct batch *batch, size_t bytes)
{
	memset(batch, 0, sizeof(*batch));
	for (unsigned i = 0; i < BATCH; i++) {
		batch->part[i] = (struct iovec){.iov_base = batch->memory[i], .iov_len = bytes};
		batch->message[i].msg_hdr.msg_iov = &batch->part[i];
		batch->message[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Sends what is due, in order; 0 or -errno. */
static int send_all(int fd, const struct setting *setting, struct batch *batch)
{
	struct np_pacer pacer;
	uint64_t done = 0;

	np_pacer_start(&pacer, setting->rate, np_clock_now());
	while (done < setting->count) {
		uint64_t rest = setting->count - done;
		uint64_t due =
			np_pacer_allowed(&pacer, np_clock_now(), rest < BATCH ? rest : BATCH);
		int sent;

		for (unsigned i = 0; i < due; i++)
			fill(batch->memory[i], setting->bytes,
			     (uint32_t)(setting->first + done + i));
		sent = due ? sendmmsg(fd, batch->message, (unsigned)due, 0) : 0;
		/* That nobody listened is told in place of sending: once more. */
		if (sent < 0 && errno == ECONNREFUSED)
			continue;
		if (sent < 0)
			return -errno;
		done += (unsigned)sent;
		np_pacer_took(&pacer, np_clock_now(), (unsigned)sent);
		if (done < setting->count && setting->rate > 0)
			np_clock_sleep_until(np_pacer_next(&pacer));
	}
	printf("sent=%ju ns=%jd\n", (uintmax_t)done, (intmax_t)(np_clock_now() - pacer.begin));
	return 0;
}

static void take(FILE *out, const uint8_t *data, size_t bytes)
{
	uint32_t number = 0;

	if (bytes < BODY_AT) {
		fputs("- damaged\n", out);
		return;
	}
	for (unsigned i = 0; i < 4; i++)
		number = number << 8 | data[NUMBER_AT + i];
	fprintf(out, "%u %s\n", number, right(data, bytes, number) ? "right" : "damaged");
}

/* Until it is quiet; the number received or -errno. */
static int64_t receive_all(int fd, int signal_fd, const struct setting *setting, FILE *out,
			   struct batch *batch)
{
	struct pollfd fds[] = {{.fd = fd, .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
	int64_t received = 0;

	for (;;) {
		int timeout = received ? (int)(setting->quiet / NP_MILLISECOND) : -1;
		int ready = poll(fds, 2, timeout), taken;

		if (ready < 0)
			return -errno;
		taken = recvmmsg(fd, batch->message, BATCH, MSG_DONTWAIT, NULL);
		if (taken < 0 && errno != EAGAIN)
			return -errno;
		for (int i = 0; i < taken; i++)
			take(out, batch->memory[i], batch->message[i].msg_len);
		received += taken > 0 ? taken : 0;
		if (ready == 0 || (taken <= 0 && fds[1].revents))
			return received;
	}
}

static int receive_to_file(int fd, const struct setting *setting, struct batch *batch)
{
	int bytes = RECEIVE_BYTES, error = 0;
	struct np_signals *signals;
	FILE *out = fopen(setting->arrivals, "we");
	int64_t received;

	if (!out)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	error = np_signals_open(&signals);
	if (!error)
		error = np_signals_start(signals);
	if (error) {
		fclose(out);
		return error;
	}
	puts("ready");
	fflush(stdout);
	received = receive_all(fd, np_signals_fd(signals), setting, out, batch);
	np_signals_free(signals);
	if (fclose(out))
		error = -errno;
	if (received < 0)
		return (int)received;
	printf("received=%jd\n", (intmax_t)received);
	return error;
}

static int look_up(const char *host, const char *port, int family, struct addrinfo **found)
{
	const struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_DGRAM,
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | (host ? 0 : AI_PASSIVE),
	};

	return getaddrinfo(host, port, &hints, found) ? -EADDRNOTAVAIL : 0;
}

static int bind_to(int fd, int family, const char *port)
{
	struct addrinfo *local;
	int error = look_up(NULL, port, family, &local);

	if (error)
		return error;
	if (bind(fd, local->ai_addr, local->ai_addrlen) < 0)
		error = -errno;
	freeaddrinfo(local);
	return error;
}

static int run_sender(const struct setting *setting, struct batch *batch)
{
	struct addrinfo *peer;
	int error = look_up(setting->address, setting->port, AF_UNSPEC, &peer), fd;

	if (error)
		return error;
	fd = socket(peer->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		error = -errno;
	if (!error && setting->from_port)
		error = bind_to(fd, peer->ai_family, setting->from_port);
	if (!error && connect(fd, peer->ai_addr, peer->ai_addrlen) < 0)
		error = -errno;
	if (!error)
		error = send_all(fd, setting, batch);
	if (fd >= 0)
		close(fd);
	freeaddrinfo(peer);
	return error;
}

/* An IPv6 socket that takes IPv4, too. */
static int run_receiver(const struct setting *setting, struct batch *batch)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int error;

	if (fd < 0)
		return -errno;
	error = bind_to(fd, AF_INET6, setting->port);
	if (!error)
		error = receive_to_file(fd, setting, batch);
	close(fd);
	return error;
}

static bool parse(struct setting *setting, int argc, char **argv)
{
	bool good = true;
	int letter;

	while (good && (letter = getopt(argc, argv, "c:r:l:f:p:w:t:")) != -1) {
		switch (letter) {
		case 'c':
			good = !np_units_parse_count(optarg, 1, UINT32_MAX, &setting->count);
			break;
		case 'r': good = !np_units_parse_number(optarg, 0, 1e9, &setting->rate); break;
		case 'l':
			good = !np_units_parse_size(optarg, BODY_AT, BYTES_MAX, &setting->bytes);
			break;
		case 'f':
			good = !np_units_parse_count(optarg, 0, UINT32_MAX, &setting->first);
			break;
		case 'p': setting->from_port = optarg; break;
		case 'w': setting->arrivals = optarg; break;
		case 't':
			good = !np_units_parse_time(optarg, NP_MILLISECOND, 60 * NP_SECOND,
						    &setting->quiet);
			break;
		default: good = false;
		}
	}
	if (!good || argc - optind != (setting->arrivals ? 1 : 2))
		return false;
	setting->address = setting->arrivals ? NULL : argv[optind];
	setting->port = argv[argc - 1];
	return true;
}

int main(int argc, char **argv)
{
	struct setting setting = {
		.count = 1000, .bytes = 1468, .first = 1, .rate = 1000, .quiet = NP_SECOND / 2};
	struct batch *batch = malloc(sizeof(*batch));
	int error;

	if (!batch || !parse(&setting, argc, argv)) {
		fprintf(stderr, "usage: udp-count [-c COUNT] [-r RATE] [-l BYTES] [-f FIRST] "
				"[-p PORT] ADDRESS PORT | -w FILE [-t QUIET] PORT\n");
		free(batch);
		return 2;
	}
	prepare(batch, setting.arrivals ? BYTES_MAX : setting.bytes);
	error = setting.arrivals ? run_receiver(&setting, batch) : run_sender(&setting, batch);
	free(batch);
	if (error)
		fprintf(stderr, "udp-count: %s: %s\n", setting.port, strerror(-error));
	return error ? 1 : 0;
}
