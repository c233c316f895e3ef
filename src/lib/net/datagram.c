// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* datagram: opens, sends and receives by the chosen variant of UDP batches. */
#include <netperf/datagram.h>

#include "datagram_variant.h"
#include "socket.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netperf/clock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* So many ICMP errors of earlier packets may precede an error that is this packet's. */
#define ICMP_TRIES 16

const char *const np_datagram_variants[] = {"auto", "gso", "mmsg", "plain", "null", NULL};

/* In the order in which "auto" tries them; null is never tried. */
static const struct datagram_variant *const variants[] = {
	&datagram_gso_variant,
	&datagram_mmsg_variant,
	&datagram_plain_variant,
	&datagram_null_variant,
};
#define VARIANT_COUNT (sizeof(variants) / sizeof(variants[0]))

static int check_options(const struct np_datagram_options *options)
{
	if (options->packet_bytes < 1 || options->packet_bytes > NP_DATAGRAM_BYTES_MAX ||
	    options->longest_bytes > NP_DATAGRAM_BYTES_MAX || options->batch < 1 ||
	    options->batch > NP_DATAGRAM_BATCH_MAX)
		return -EINVAL;
	if (options->local->any.sa_family != AF_INET && options->local->any.sa_family != AF_INET6)
		return -EAFNOSUPPORT;
	if (options->group && (options->group->any.sa_family != options->local->any.sa_family ||
			       !np_address_is_multicast(options->group)))
		return -EINVAL;
	return 0;
}

/* Frees what a variant has allocated, so that the next one can be tried. */
static void release(struct np_datagram *datagram)
{
	if (datagram->fd >= 0)
		close(datagram->fd);
	datagram->fd = -1;
	free(datagram->outbox.messages);
	free(datagram->outbox.vectors);
	memset(&datagram->outbox, 0, sizeof(datagram->outbox));
	free(datagram->inbox.messages);
	free(datagram->inbox.vectors);
	free(datagram->inbox.sources);
	free(datagram->inbox.controls);
	free(datagram->inbox.memory);
	memset(&datagram->inbox, 0, sizeof(datagram->inbox));
}

static int open_variant(struct np_datagram *datagram, const struct datagram_variant *variant,
			const struct np_datagram_options *options)
{
	int error;

	datagram->variant = variant;
	datagram->info = (struct np_datagram_info){
		.variant = variant->name,
		.stamps = "user",
		.drop_unit = "packet",
	};
	if (variant->socketless) {
		datagram->info.local = *options->local;
		return 0;
	}
	error = datagram_socket_make(datagram, options);
	if (!error)
		error = variant->open(datagram);
	/* Bound last, so that no packet arrives before everything is ready for it. */
	if (!error)
		error = datagram_socket_bind(datagram, options);
	if (error)
		release(datagram);
	return error;
}

static int choose_variant(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	const bool automatic = !options->variant || !strcmp(options->variant, "auto");
	int error = -EPROTONOSUPPORT;

	for (unsigned i = 0; i < VARIANT_COUNT && error == -EPROTONOSUPPORT; i++)
		if (automatic ? !variants[i]->socketless
			      : !strcmp(options->variant, variants[i]->name))
			error = open_variant(datagram, variants[i], options);
	return error;
}

int np_datagram_open(struct np_datagram **datagram, const struct np_datagram_options *options)
{
	struct np_datagram *opened;
	int error = check_options(options);

	*datagram = NULL;
	if (error)
		return error;
	opened = calloc(1, sizeof(*opened));
	if (!opened)
		return -ENOMEM;
	opened->fd = -1;
	opened->receive_flags = MSG_DONTWAIT;
	opened->packet_bytes = options->packet_bytes;
	opened->longest_bytes =
		options->longest_bytes ? options->longest_bytes : options->packet_bytes;
	opened->batch = options->batch;
	opened->loopback = options->loopback;
	opened->single = options->single;
	opened->slots = calloc(options->batch, options->packet_bytes);
	error = opened->slots ? choose_variant(opened, options) : -ENOMEM;
	if (error) {
		np_datagram_free(opened);
		return error;
	}
	*datagram = opened;
	return 0;
}

void np_datagram_free(struct np_datagram *datagram)
{
	if (!datagram)
		return;
	release(datagram);
	free(datagram->slots);
	free(datagram);
}

const struct np_datagram_info *np_datagram_info(const struct np_datagram *datagram)
{
	return &datagram->info;
}

int np_datagram_fd(const struct np_datagram *datagram)
{
	return datagram->fd;
}

void np_datagram_set_apart(struct np_datagram *datagram, bool apart)
{
	datagram->apart = apart;
}

uint8_t *np_datagram_slot(const struct np_datagram *datagram, unsigned index)
{
	return datagram->slots + index * datagram->packet_bytes;
}

/*
 * True when @error came from an ICMP error for an earlier packet: the kernel reports such an error
 * once, by failing any next call, which is not itself at fault.
 */
static bool was_icmp(struct np_datagram *datagram, int error)
{
	if (datagram_errors_drain(datagram) > 0)
		return true;
	if (error != -ECONNREFUSED)
		return false;
	/* The error queue was full, so this error is counted here. */
	datagram->stats.icmp_errors++;
	datagram->stats.last_error = error;
	return true;
}

static bool is_refusal(int error)
{
	return error == -EAGAIN || error == -ENOBUFS;
}

static int try_to_send(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	int sent;

	datagram->tried = burst->count;
	sent = datagram->variant->send(datagram, burst);
	/* Of a batch that is not one buffer, the first packet failed. */
	if (sent == -EPERM || (sent == -ENOBUFS && !datagram->loopback))
		datagram->stats.reported_drops += datagram->info.gso ? datagram->tried : 1;
	return sent;
}

/* Sends once by the variant, retrying if the error was of an earlier packet. */
static int send_once(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	int sent = try_to_send(datagram, burst);

	for (int i = 0; i < ICMP_TRIES && sent < 0; i++) {
		if (is_refusal(sent) || sent == -EINTR || !was_icmp(datagram, sent))
			break;
		sent = try_to_send(datagram, burst);
	}
	return sent;
}

/*
 * The transmit queue refused these packets after their copies for this host were delivered. Packets
 * in that queue are charged to the socket, so its send buffer is set to half of that: then it
 * blocks before the queue overflows. A buffer of many packets may exceed the queue. Returns how
 * many count as sent.
 */
static int refused_by_queue(struct np_datagram *datagram)
{
	int waiting = 0;

	if (ioctl(datagram->fd, SIOCOUTQ, &waiting) == 0)
		(void)socket_set(datagram->fd, SOL_SOCKET, SO_SNDBUF, waiting / 4);
	if (datagram->segments_max > 1)
		datagram->segments_max /= 2;
	datagram->stats.queue_refused += datagram->tried;
	datagram->info.queue_full = true;
	return (int)datagram->tried;
}

/* The return value of a call that stopped with @error after @done packets. */
static int stop_at(struct np_datagram *datagram, int error, unsigned done)
{
	if (is_refusal(error)) {
		datagram->stats.send_refused++;
		return (int)done;
	}
	if (error == -EINTR || done > 0)
		return (int)done;
	datagram->stats.send_errors++;
	datagram->stats.last_error = error;
	return error;
}

int np_datagram_send(struct np_datagram *datagram, const struct np_address *to, unsigned first,
		     unsigned count, size_t bytes, bool wait)
{
	struct datagram_burst burst = {
		.to = datagram->connected ? NULL : &to->any,
		.to_length = datagram->connected ? 0 : to->length,
		.bytes = bytes,
		.flags = wait ? 0 : MSG_DONTWAIT,
	};
	unsigned done = 0;

	datagram->info.queue_full = false;
	if (first > datagram->batch || count > datagram->batch - first ||
	    bytes > datagram->packet_bytes)
		return -EINVAL;
	while (done < count && !datagram->info.queue_full) {
		int sent;

		burst.data = np_datagram_slot(datagram, first + done);
		burst.count = count - done;
		/* The kernel does not report which of several packets was refused. */
		if (datagram->loopback && !datagram->info.gso)
			burst.count = 1;
		sent = send_once(datagram, &burst);
		if (sent == -ENOBUFS && datagram->loopback)
			sent = refused_by_queue(datagram);
		if (sent < 0)
			return stop_at(datagram, sent, done);
		done += (unsigned)sent;
		datagram->stats.sent += (unsigned)sent;
	}
	return (int)done;
}

int np_datagram_send_one(struct np_datagram *datagram, const struct np_address *to,
			 const void *data, size_t bytes)
{
	int error = 0;

	if (datagram->variant->socketless)
		return 0;
	for (int i = 0; i < ICMP_TRIES; i++) {
		if (sendto(datagram->fd, data, bytes, MSG_DONTWAIT, &to->any, to->length) >= 0)
			return 0;
		error = -errno;
		if (is_refusal(error) || !was_icmp(datagram, error))
			break;
	}
	return error;
}

int np_datagram_receive(struct np_datagram *datagram, struct np_packet *packets, unsigned room)
{
	int taken = -EAGAIN;

	if (room == 0)
		return 0;
	/* A blocking receive would wait for all of the next ones. */
	if (datagram->receive_flags != MSG_DONTWAIT)
		room = 1;
	for (int i = 0; i < ICMP_TRIES; i++) {
		taken = datagram->variant->receive(datagram, packets, room);
		if (taken >= 0 || taken == -EAGAIN || taken == -EINTR || !was_icmp(datagram, taken))
			break;
	}
	if (taken > 0)
		datagram->stats.received += (unsigned)taken;
	return taken == -EAGAIN || taken == -EINTR ? 0 : taken;
}

int np_datagram_set_receive_timeout(struct np_datagram *datagram, np_time limit)
{
	if (limit < 0)
		return -EINVAL;
	if (datagram->variant->socketless)
		return 0;
	datagram->receive_flags = limit ? 0 : MSG_DONTWAIT;
	return limit ? socket_set_timeout(datagram->fd, SO_RCVTIMEO, limit) : 0;
}

int np_datagram_wait(struct np_datagram *datagram, int other_fd, np_time deadline)
{
	struct pollfd fds[] = {
		{.fd = datagram->fd, .events = POLLIN},
		{.fd = other_fd, .events = POLLIN},
	};
	int ready, error;

	if (datagram->inbox.next < datagram->inbox.filled)
		return 1;
	do {
		ready = np_wait_ready(fds, 2, deadline);
		if (ready < 0)
			return ready;
		if (!(fds[0].revents & POLLERR))
			break;
		/*
		 * Reads the ICMP errors, and the pending error that the queue had no room for, so
		 * that poll can sleep again.
		 */
		datagram_errors_drain(datagram);
		error = socket_error(datagram->fd);
		if (error)
			was_icmp(datagram, error);
	} while (fds[0].revents == POLLERR && !fds[1].revents && np_clock_now() < deadline);
	return (fds[0].revents & POLLIN) != 0;
}

int np_datagram_stats(struct np_datagram *datagram, struct np_datagram_stats *stats)
{
	int error = 0;

	if (!datagram->variant->socketless) {
		datagram_errors_drain(datagram);
		error = datagram_drops_count(datagram);
	}
	*stats = datagram->stats;
	return error;
}
