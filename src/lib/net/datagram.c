// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * datagram: opens, sends and receives by the chosen variant of UDP batches, on a socket with the
 * buffers, marks, device, group and address asked for; reads what the kernel keeps about it beside
 * its packets, and whether packets fit unfragmented.
 */
#include <netperf/datagram.h>

#include "datagram_variant.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* So many ICMP errors of earlier packets may precede an error that is this packet's. */
#define ICMP_TRIES 16
/* What an ICMP error takes of the receive buffer, at most. */
#define ERROR_ROOM 8192

const char *const np_datagram_variants[] = {"auto", "gso", "mmsg", "plain", "null", NULL};

/* In the order in which "auto" tries them; null is never tried. */
static const struct datagram_variant *const variants[] = {
	&datagram_gso_variant,
	&datagram_mmsg_variant,
	&datagram_plain_variant,
	&datagram_null_variant,
};
#define VARIANT_COUNT (sizeof(variants) / sizeof(variants[0]))

/*
 * Sends packets to groups by the interface on which this socket's own group is received; of other
 * groups, which other sockets have joined, it receives nothing.
 */
static int set_multicast(int fd, const struct np_datagram_options *options)
{
	const bool ipv6 = options->local->any.sa_family == AF_INET6;
	struct group_req request = {.gr_interface = 0};
	unsigned index;
	int error =
		np_multicast_interface(options->ip.device, options->group, options->local, &index);

	if (!error && index)
		error = socket_send_groups_by(fd, index);
	if (!error && options->group)
		error = socket_set_family(fd, IP_MULTICAST_ALL, IPV6_MULTICAST_ALL, 0);
	if (error || !options->group)
		return error;
	request.gr_interface = index;
	memcpy(&request.gr_group, &options->group->storage, sizeof(request.gr_group));
	if (setsockopt(fd, ipv6 ? SOL_IPV6 : SOL_IP, MCAST_JOIN_GROUP, &request, sizeof(request)))
		return -errno;
	return 0;
}

/* Creates the socket with all its options, not bound yet; sets datagram->fd. */
static int make_socket(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	const size_t longest = options->loopback ? datagram->longest_bytes : datagram->packet_bytes;
	int fd = socket(options->local->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	size_t send = options->send_bytes;
	int error = 0;

	if (fd < 0)
		return -errno;
	datagram->fd = fd;
	datagram->info.receive_granted =
		socket_set_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, options->receive_bytes);
	/* The fragments of a packet that does not fit are refused each time, as by a full queue. */
	if (send && send < longest * 5 / 4)
		send = longest * 5 / 4;
	datagram->info.send_granted = socket_set_buffer(fd, SO_SNDBUF, SO_SNDBUFFORCE, send);
	if (options->send_timeout)
		error = socket_set_timeout(fd, SO_SNDTIMEO, options->send_timeout);
	if (!error)
		error = socket_set_family(fd, IP_RECVERR, IPV6_RECVERR, 1);
	if (!error && options->dont_fragment)
		error = socket_set_family(fd, IP_MTU_DISCOVER, IPV6_MTU_DISCOVER, IP_PMTUDISC_DO);
	if (!error)
		error = socket_set_ip(fd, &options->ip);
	if (!error && options->ip.ttl >= 0)
		error = socket_set_family(fd, IP_MULTICAST_TTL, IPV6_MULTICAST_HOPS,
					  options->ip.ttl);
	/* Where the kernel tells none of it, it is unknown. */
	if (!error && options->headers) {
		(void)socket_set_family(fd, IP_RECVTOS, IPV6_RECVTCLASS, 1);
		(void)socket_set_family(fd, IP_RECVTTL, IPV6_RECVHOPLIMIT, 1);
		(void)socket_set_family(fd, IP_RECVFRAGSIZE, IPV6_RECVFRAGSIZE, 1);
	}
	if (!error && options->reuse)
		error = socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (!error && options->reuse_port)
		error = socket_set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
	if (!error)
		error = set_multicast(fd, options);
	return error;
}

/* Binds it, connects it to the peer if there is one, and fills in info.local. */
static int bind_socket(struct np_datagram *datagram, const struct np_datagram_options *options)
{
	const bool ipv6 = options->local->any.sa_family == AF_INET6;
	struct np_address *local = &datagram->info.local;
	struct np_address address = options->group ? *options->group : *options->local;

	np_address_set_port(&address, np_address_port(options->local));
	if (bind(datagram->fd, &address.any, address.length) < 0)
		return -errno;
	local->length = sizeof(local->storage);
	if (getsockname(datagram->fd, &local->any, &local->length) < 0)
		return -errno;
	datagram->info.marks = (struct np_marks){
		.known = true,
		.tos = (uint8_t)(ipv6 ? socket_get(datagram->fd, SOL_IPV6, IPV6_TCLASS)
				      : socket_get(datagram->fd, SOL_IP, IP_TOS)),
		.hops = (uint8_t)(ipv6 ? socket_get(datagram->fd, SOL_IPV6, IPV6_UNICAST_HOPS)
				       : socket_get(datagram->fd, SOL_IP, IP_TTL)),
	};
	/* Not to port 0, which the kernel would accept: it would send without an error. */
	datagram->connected =
		options->peer && np_address_port(options->peer) &&
		connect(datagram->fd, &options->peer->any, options->peer->length) == 0;
	return 0;
}

/* Stores a refusal; the oldest is dropped if the list is full. */
static void keep_refusal(struct np_datagram *datagram, const struct np_address *to)
{
	unsigned at = (datagram->refused_first + datagram->refused_count) % DATAGRAM_REFUSED_KEPT;

	datagram->refused[at] = *to;
	if (datagram->refused_count < DATAGRAM_REFUSED_KEPT)
		datagram->refused_count++;
	else
		datagram->refused_first = (at + 1) % DATAGRAM_REFUSED_KEPT;
}

bool np_datagram_refused(struct np_datagram *datagram, struct np_address *to)
{
	if (!datagram->refused_count)
		return false;
	*to = datagram->refused[datagram->refused_first];
	datagram->refused_first = (datagram->refused_first + 1) % DATAGRAM_REFUSED_KEPT;
	datagram->refused_count--;
	return true;
}

/* Reads the ICMP errors from the error queue and counts them; returns how many there were. */
static unsigned drain_errors(struct np_datagram *datagram)
{
	union {
		struct cmsghdr header;
		uint8_t room[256];
	} control;
	struct sock_extended_err error;
	unsigned count = 0;

	for (;;) {
		struct np_address to = {0};
		struct msghdr message = {
			.msg_control = &control,
			.msg_controllen = sizeof(control),
			.msg_name = &to.storage,
			.msg_namelen = sizeof(to.storage),
		};

		if (recvmsg(datagram->fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			break;
		for (struct cmsghdr *at = CMSG_FIRSTHDR(&message); at;
		     at = CMSG_NXTHDR(&message, at)) {
			if (!(at->cmsg_level == SOL_IP && at->cmsg_type == IP_RECVERR) &&
			    !(at->cmsg_level == SOL_IPV6 && at->cmsg_type == IPV6_RECVERR))
				continue;
			memcpy(&error, CMSG_DATA(at), sizeof(error));
			if (error.ee_origin != SO_EE_ORIGIN_ICMP &&
			    error.ee_origin != SO_EE_ORIGIN_ICMP6)
				continue;
			datagram->stats.last_error = -(int)error.ee_errno;
			to.length = message.msg_namelen;
			if (error.ee_errno == ECONNREFUSED && to.length)
				keep_refusal(datagram, &to);
			count++;
		}
	}
	datagram->stats.icmp_errors += count;
	return count;
}

/* Frees what a variant has allocated, so that the next one can be tried. */
static void release(struct np_datagram *datagram)
{
	if (datagram->fd >= 0)
		close(datagram->fd);
	datagram->fd = -1;
	free(datagram->out.message);
	memset(&datagram->out, 0, sizeof(datagram->out));
	free(datagram->inbox.in.message);
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
	error = make_socket(datagram, options);
	if (!error)
		error = socket_messages_make(&datagram->out, datagram->batch);
	if (!error)
		error = variant->open(datagram);
	/* Bound last, so that no packet arrives before everything is ready for it. */
	if (!error)
		error = bind_socket(datagram, options);
	if (error)
		release(datagram);
	return error;
}

int np_datagram_open(struct np_datagram **datagram, const struct np_datagram_options *options)
{
	const bool automatic = !options->variant || !strcmp(options->variant, "auto");
	const sa_family_t family = options->local->any.sa_family;
	struct np_datagram *opened;
	int error;

	*datagram = NULL;
	if (options->packet_bytes < 1 || options->packet_bytes > NP_DATAGRAM_BYTES_MAX ||
	    options->longest_bytes > NP_DATAGRAM_BYTES_MAX || options->batch < 1 ||
	    options->batch > NP_DATAGRAM_BATCH_MAX)
		return -EINVAL;
	if (family != AF_INET && family != AF_INET6)
		return -EAFNOSUPPORT;
	if (options->group &&
	    (options->group->any.sa_family != family || !np_address_is_multicast(options->group)))
		return -EINVAL;
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
	error = opened->slots ? -EPROTONOSUPPORT : -ENOMEM;
	for (unsigned i = 0; i < VARIANT_COUNT && error == -EPROTONOSUPPORT; i++)
		if (automatic ? !variants[i]->socketless
			      : !strcmp(options->variant, variants[i]->name))
			error = open_variant(opened, variants[i], options);
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
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(info);

	if (drain_errors(datagram) > 0)
		return true;
	if (error != -ECONNREFUSED)
		return false;
	/*
	 * The kernel puts an error into the queue first, and then has the next call fail: that one
	 * may have been read, and counted, in between. If what has arrived leaves the queue no
	 * room, it is counted here.
	 */
	(void)getsockopt(datagram->fd, SOL_SOCKET, SO_MEMINFO, info, &length);
	if (info[SK_MEMINFO_RMEM_ALLOC] + ERROR_ROOM < info[SK_MEMINFO_RCVBUF])
		return true;
	datagram->stats.icmp_errors++;
	datagram->stats.last_error = error;
	return true;
}

static bool is_refusal(int error)
{
	return error == -EAGAIN || error == -ENOBUFS;
}

/* Sends once by the variant, retrying if the error was of an earlier packet. */
static int send_once(struct np_datagram *datagram, const struct datagram_burst *burst)
{
	for (int i = 0;; i++) {
		int sent;

		datagram->tried = burst->count;
		sent = datagram->variant->send(datagram, burst);
		/* Of a batch that is not one buffer, the first packet failed. */
		if (sent == -EPERM || (sent == -ENOBUFS && !datagram->loopback))
			datagram->stats.reported_drops += datagram->info.gso ? datagram->tried : 1;
		if (sent >= 0 || i == ICMP_TRIES || is_refusal(sent) || sent == -EINTR ||
		    !was_icmp(datagram, sent))
			return sent;
	}
}

/*
 * The transmit queue refused these packets after their copies for this host were delivered. Packets
 * in that queue are charged to the socket, so its send buffer is set to half of that: then it
 * blocks before the queue overflows. Little waits if we are late; but without room for a packet's
 * fragments there would be no copy. Many may exceed the queue. Returns how many count as sent.
 */
static int refused_by_queue(struct np_datagram *datagram, size_t bytes)
{
	const size_t most = datagram->tried * bytes, longest = datagram->longest_bytes;
	int waiting = 0, min = 2 * (int)(most > longest ? most : longest);

	(void)ioctl(datagram->fd, SIOCOUTQ, &waiting);
	waiting = waiting / 4 > min ? waiting / 4 : min;
	(void)socket_set(datagram->fd, SOL_SOCKET, SO_SNDBUF, waiting);
	if (datagram->segments_max > 1)
		datagram->segments_max /= 2;
	datagram->stats.queue_refused += datagram->tried;
	datagram->info.queue_full = true;
	return (int)datagram->tried;
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
			sent = refused_by_queue(datagram, bytes);
		datagram->stats.send_refused += is_refusal(sent);
		if (is_refusal(sent) || sent == -EINTR || (sent < 0 && done > 0))
			return (int)done;
		if (sent < 0) {
			datagram->stats.send_errors++;
			datagram->stats.last_error = sent;
			return sent;
		}
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

	if (room == 0 || datagram->variant->socketless)
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
	int rc;

	if (limit < 0)
		return -EINVAL;
	if (datagram->variant->socketless || limit == datagram->receive_limit)
		return 0;
	rc = limit ? socket_set_timeout(datagram->fd, SO_RCVTIMEO, limit) : 0;
	if (rc)
		return rc;
	datagram->receive_limit = limit;
	datagram->receive_flags = limit ? 0 : MSG_DONTWAIT;
	return 0;
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
		drain_errors(datagram);
		error = socket_error(datagram->fd);
		if (error)
			was_icmp(datagram, error);
	} while (fds[0].revents == POLLERR && !fds[1].revents && np_clock_now() < deadline);
	return (fds[0].revents & POLLIN) != 0;
}

int np_datagram_stats(struct np_datagram *datagram, struct np_datagram_stats *stats)
{
	uint32_t info[SK_MEMINFO_VARS] = {0};
	socklen_t length = sizeof(info);
	int error = 0;

	if (!datagram->variant->socketless) {
		drain_errors(datagram);
		if (!getsockopt(datagram->fd, SOL_SOCKET, SO_MEMINFO, info, &length)) {
			datagram->stats.dropped += info[SK_MEMINFO_DROPS] - datagram->drops_seen;
			datagram->drops_seen = info[SK_MEMINFO_DROPS];
		} else {
			error = -errno;
		}
	}
	*stats = datagram->stats;
	return error;
}

/* The kernel reports the MTU of a route only for a connected socket. */
unsigned np_datagram_mtu(const struct np_datagram_options *how, const struct np_address *to)
{
	const int fd = socket(to->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct np_address local = *how->local;
	int mtu = 0;

	if (fd < 0)
		return 0;
	np_address_set_port(&local, 0);
	if ((!how->ip.device || !socket_set_device(fd, how->ip.device)) &&
	    !bind(fd, &local.any, local.length) && !connect(fd, &to->any, to->length))
		mtu = to->any.sa_family == AF_INET6 ? socket_get(fd, SOL_IPV6, IPV6_MTU)
						    : socket_get(fd, SOL_IP, IP_MTU);
	close(fd);
	return (unsigned)mtu;
}

bool np_datagram_fits(size_t bytes, unsigned mtu, const struct np_address *address, bool whole,
		      const struct np_log *log)
{
	const size_t headers =
		sizeof(struct udphdr) + (address->any.sa_family == AF_INET6 ? sizeof(struct ip6_hdr)
									    : sizeof(struct iphdr));
	const size_t room = mtu > headers ? mtu - headers : 0;
	struct np_address_text text;

	if (!mtu || bytes + headers <= mtu)
		return true;
	/* A port that the kernel has yet to choose is left out. */
	text = np_address_format(address);
	if (!np_address_port(address))
		*strrchr(text.text, ':') = '\0';
	if (whole)
		np_log_error(log, text.text,
			     "packets of %zu bytes do not fit the path MTU of %u without being "
			     "fragmented; expected at most %zu bytes",
			     bytes, mtu, room);
	else
		np_log_warning(
			log, text.text,
			"packets of %zu bytes do not fit its MTU of %u: each is sent in fragments; "
			"losing one loses the packet; those of %zu bytes fit",
			bytes, mtu, room);
	return false;
}
