// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * udp: datagrams to one host, or to a group. A sender has a socket for each stream, open for all
 * runs, and each of its threads pushes by some of them; a receiver has one, and a member of a group
 * another one for its answers.
 */
#include "transport.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define ROOM		 1024 /* packets that are passed on together */
#define BATCH		 128
#define RECEIVE_BYTES	 ((size_t)4 << 20)
#define NO_ROOM_PAUSE_US 100

struct udp_socket {
	struct channel channel;
	struct np_datagram *datagram;
	bool full;	      /* the last push found no room */
	pthread_mutex_t lock; /* between a part that pushes and who receives for all */
};

struct udp {
	unsigned count;
	/*
	 * A sender's lanes; or the port that senders know, and a member's own socket for its
	 * answers.
	 */
	struct udp_socket socket[TRANSPORT_LANES_MAX];
	struct transport_inbox inbox;
	struct np_packet packet[ROOM];
};

static struct udp *udp_of(const struct transport *t)
{
	return t->sockets;
}

static struct udp_socket *socket_of(struct channel *channel)
{
	return (struct udp_socket *)channel;
}

/*
 * Counts what this host drops of what the newest socket sends to @peer, or what it receives at
 * @local, unless a watch of the session's does. With too many sockets it counts nothing at all.
 */
static void watch(struct transport *t, const struct np_address *local,
		  const struct np_address *peer)
{
	struct session *session = t->session;
	struct np_datagram *newest = udp_of(t)->socket[udp_of(t)->count - 1].datagram;
	const struct np_drops_packets packets = {
		.direction = peer ? NP_DROPS_OUT : NP_DROPS_IN,
		.local = local ? local : &np_datagram_info(newest)->local,
		.peer = peer,
		.socket = peer ? -1 : np_datagram_fd(newest),
	};
	int rc;

	if (!session->drops || session->drops_watch != NP_DROPS_ALL)
		return;
	rc = session_watch_drops(session->drops, packets);
	if (rc < 0) {
		np_log_warning(session->log, "--drops", "%s",
			       rc == -ENOSPC ? "not counted: it can watch no more than 64 streams, "
					       "and each direction is one more"
					     : strerror(-rc));
		session->drops = NULL;
	} else if (!peer || (transport_options(t)->place.both_ways && t->lanes == 1)) {
		session->drops_watch = rc;
	}
}

static struct np_datagram_options options_of(const struct transport *t,
					     const struct np_address *local,
					     const struct np_address *group)
{
	const struct options *o = transport_options(t);
	const size_t wanted = o->socket.buffer_bytes;

	return (struct np_datagram_options){
		.variant = np_datagram_variants[o->socket.batch],
		.local = local,
		.packet_bytes = t->lanes ? o->load.message_bytes : MESSAGE_CONTROL_MAX,
		.longest_bytes = t->lanes ? MESSAGE_CONTROL_MAX : NP_DATAGRAM_BYTES_MAX,
		.batch = t->lanes ? t->batch : BATCH,
		.send_bytes = wanted,
		/* Each message of a sender's batch may be answered at once. */
		.receive_bytes = (t->lanes ? !t->answered : wanted > 0) ? wanted : RECEIVE_BYTES,
		.ip = o->socket.asked.ip,
		.dont_fragment = o->socket.dont_fragment,
		.headers = !t->lanes,
		.group = group,
		/* But for ACKs, answers are few, and need no room for segmented buffers. */
		.single = t->lanes && !o->files.delay,
		.peer = o->place.shared ? &t->to : NULL,
		.reuse = group || o->place.shared,
	};
}

/*
 * Opens the next socket: a sender's lane, a receiver's port, or that of @group. Returns 0 or, after
 * a message, the exit status.
 */
static int open_socket(struct transport *t, const struct np_address *local,
		       const struct np_address *group)
{
	const struct options *o = transport_options(t);
	const size_t wanted = o->socket.buffer_bytes;
	struct udp *u = udp_of(t);
	struct udp_socket *socket = &u->socket[u->count];
	const struct np_datagram_options how = options_of(t, local, group);
	struct np_address_text text = {"socket"};
	int rc = np_datagram_open(&socket->datagram, &how);

	if (rc) {
		if (!t->lanes)
			text = np_address_format(group ? group : local);
		session_blame(t->session, t->lanes && o->place.bind ? o->place.bind : text.text,
			      rc);
		return 2;
	}
	u->count++;
	if (t->lanes) {
		watch(t, NULL, &t->to);
		t->lane[u->count - 1] = &socket->channel;
		socket->channel.batch = np_datagram_slot(socket->datagram, 0);
		if (u->count == 1 &&
		    !np_datagram_fits(how.packet_bytes, np_datagram_mtu(&how, &t->to), &t->to,
				      how.dont_fragment, t->session->log) &&
		    how.dont_fragment)
			return 2;
		return 0;
	}
	/* Messages do not come to a member's own socket. */
	if (group || !t->group)
		watch(t, group, NULL);
	/* Without a socket nothing was asked for. */
	if (np_datagram_fd(socket->datagram) >= 0 &&
	    np_datagram_info(socket->datagram)->receive_granted < wanted)
		np_log_warning(t->session->log, "--sockbuf",
			       "the kernel grants only %zu bytes: raise net.core.rmem_max",
			       np_datagram_info(socket->datagram)->receive_granted);
	return 0;
}

static int open_udp(struct transport *t)
{
	const struct place_options *place = &transport_options(t)->place;
	const uint64_t port = t->lanes || place->reverse ? place->source_port : place->port;
	const struct np_datagram_info *info;
	struct np_address local;
	int family, status = transport_resolve(t);

	if (status)
		return status;
	family = t->lanes || t->group || place->reverse ? t->to.any.sa_family : AF_UNSPEC;
	t->sockets = calloc(1, sizeof(struct udp));
	if (!t->sockets)
		return np_log_refuse(t->session->log, NULL, "out of memory");
	for (unsigned i = 0; i < TRANSPORT_LANES_MAX; i++)
		pthread_mutex_init(&udp_of(t)->socket[i].lock, NULL);
	if (place->served)
		return transport_inbox_open(&udp_of(t)->inbox) ? 2 : 0;
	status = session_resolve(t->session, place->bind, port, family, &local);
	for (unsigned i = 0; !status && i < t->lanes; i++) {
		if (port)
			np_address_set_port(&local, (uint16_t)(place->shared ? port : port + i));
		status = open_socket(t, &local, NULL);
	}
	if (!status && !t->lanes)
		status = open_socket(t, &local, t->group ? &t->to : NULL);
	if (status)
		return status;
	if (!t->lanes && t->group) {
		/* A member answers from its own port, so that two on one host can be told apart. */
		np_address_set_port(&local, 0);
		return open_socket(t, &local, NULL);
	}
	info = np_datagram_info(udp_of(t)->socket[0].datagram);
	if (t->lanes)
		np_log_detail(t->session->log, "sends by %s, up to %u messages a call",
			      info->variant, t->batch);
	else
		np_log_detail(t->session->log, "receives by %s, stamps by %s", info->variant,
			      info->stamps);
	return 0;
}

static void take_sockets(struct udp *u)
{
	struct transport_gift gift;

	while (transport_inbox_take(&u->inbox, &gift)) {
		if (u->count == TRANSPORT_LANES_MAX)
			np_datagram_free(gift.socket);
		else
			u->socket[u->count++].datagram = gift.socket;
	}
}

static void share(struct transport *t, bool shared)
{
	const int value = shared;

	/* The kernel asks both sockets when the second one is bound. */
	(void)setsockopt(np_datagram_fd(udp_of(t)->socket[0].datagram), SOL_SOCKET, SO_REUSEADDR,
			 &value, sizeof(value));
}

static int serve(struct transport *t, const struct np_address *from, struct transport *to)
{
	const struct np_datagram_info *info = np_datagram_info(udp_of(t)->socket[0].datagram);
	struct np_datagram_options how = options_of(t, &info->local, NULL);
	struct transport_gift gift = {.bytes = 0};
	struct np_datagram *datagram;
	int rc;

	how.peer = from;
	how.reuse = true;
	share(t, true);
	rc = np_datagram_open(&datagram, &how);
	share(t, false);
	if (rc)
		return rc;
	gift.socket = datagram;
	rc = transport_inbox_give(&udp_of(to)->inbox, &gift);
	if (rc)
		np_datagram_free(datagram);
	return rc;
}

static void close_udp(struct transport *t)
{
	struct udp *u = udp_of(t);

	if (!u)
		return;
	take_sockets(u);
	for (unsigned i = 0; i < u->count; i++)
		np_datagram_free(u->socket[i].datagram);
	transport_inbox_close(&u->inbox);
	free(u);
	t->sockets = NULL;
}

static int receive_udp(struct transport *t)
{
	struct udp *u = udp_of(t);
	int sum = 0, count;

	take_sockets(u);
	for (unsigned i = 0; i < u->count; i++) {
		/*
		 * A single receive error most likely reports another host's refusal of what we
		 * sent.
		 */
		pthread_mutex_lock(&u->socket[i].lock);
		count = np_datagram_receive(u->socket[i].datagram, u->packet, ROOM);
		pthread_mutex_unlock(&u->socket[i].lock);
		if (count > 0)
			sum += t->user->packets(t, u->packet, (unsigned)count,
						t->group && !t->lanes && !i);
	}
	return sum;
}

/*
 * A sender, and who has several sockets, waits for all that no other thread pushes, and for room. A
 * part leaves what arrives to the one that receives for all.
 */
static int wait_udp(struct transport *t, np_time deadline, uint64_t writable)
{
	struct udp *u = udp_of(t);
	struct pollfd fds[TRANSPORT_LANES_MAX + 2];
	const unsigned first = t->first, sockets = (t->lanes ? t->end : u->count) - first;
	unsigned count = sockets;
	struct np_datagram_stats stats;
	bool came = false;
	int ready;

	if (!t->lanes && u->count == 1 && !u->inbox.open)
		return np_datagram_wait(u->socket[0].datagram, np_signals_fd(t->session->signals),
					deadline);
	if (deadline <= np_clock_now())
		return 0;
	for (unsigned i = 0; i < sockets; i++)
		fds[i] = (struct pollfd){
			.fd = np_datagram_fd(u->socket[first + i].datagram),
			.events = (short)((t->part ? 0 : POLLIN) |
					  (writable >> (first + i) & 1 ? POLLOUT : 0)),
		};
	if (u->inbox.open)
		fds[count++] = (struct pollfd){.fd = u->inbox.fd[0], .events = POLLIN};
	ready = transport_wait(t, fds, count, deadline);
	if (ready < 0)
		return ready;
	for (unsigned i = 0; i < count; i++) {
		/* An ICMP error makes a socket readable until it is read. */
		if (i < sockets && fds[i].revents & POLLERR) {
			pthread_mutex_lock(&u->socket[first + i].lock);
			(void)np_datagram_stats(u->socket[first + i].datagram, &stats);
			pthread_mutex_unlock(&u->socket[first + i].lock);
		}
		came |= fds[i].revents & (POLLIN | POLLOUT);
	}
	return ready && came;
}

static int receive_timeout_udp(struct transport *t, struct channel *channel, np_time limit,
			       size_t low_watermark)
{
	struct udp *u = udp_of(t);

	(void)channel;
	(void)low_watermark;
	/* One that is served may have none yet. */
	return u->count ? np_datagram_set_receive_timeout(u->socket[0].datagram, limit) : 0;
}

static ssize_t send_udp(struct transport *t, struct channel *channel, const struct np_address *to,
			const void *message, size_t bytes, bool more)
{
	struct udp *u = udp_of(t);
	struct np_datagram *by =
		channel ? socket_of(channel)->datagram : u->socket[u->count - 1].datagram;
	int rc = np_datagram_send_one(by, to ? to : &t->to, message, bytes);

	(void)more;
	return rc ? rc : (ssize_t)bytes;
}

static int call(struct transport *t, unsigned lane, const void *message, size_t bytes)
{
	struct np_datagram *datagram = udp_of(t)->socket[0].datagram;
	const int rc = np_datagram_send_one(datagram, &t->to, message, bytes);

	(void)lane;
	return rc ? rc : np_datagram_fd(datagram);
}

static ssize_t push_udp(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	struct udp_socket *socket = socket_of(channel);
	const size_t each = transport_options(t)->load.message_bytes;
	int sent;

	pthread_mutex_lock(&socket->lock);
	sent = np_datagram_send(socket->datagram, &t->to, (unsigned)(first / each),
				(unsigned)(bytes / each), each, false);
	pthread_mutex_unlock(&socket->lock);
	/* A full interface queue does not report when it has room again. */
	if (!sent && socket->full)
		usleep(NO_ROOM_PAUSE_US);
	socket->full = !sent;
	if (sent <= 0)
		return sent ? sent : -EAGAIN;
	return (ssize_t)((size_t)sent * each);
}

static void count_udp(const struct transport *t, struct transport_counts *counts)
{
	const struct udp *u = udp_of(t);
	struct np_datagram_stats stats;

	for (unsigned i = 0; t->lanes && i < u->count; i++) {
		const struct np_datagram_info *info = np_datagram_info(u->socket[i].datagram);
		const struct np_datagram_options how = options_of(t, &info->local, NULL);

		if (np_datagram_stats(u->socket[i].datagram, &stats))
			continue;
		counts->send_errors += stats.send_errors + stats.icmp_errors;
		if (stats.last_error)
			counts->send_error = stats.last_error;
		counts->retried += stats.send_refused;
		counts->known_dropped += stats.reported_drops;
		counts->known_dropped_perhaps += stats.reported_drops_perhaps;
		counts->marks = info->marks;
		if (np_address_is_multicast(&t->to))
			counts->marks.hops = 0;
		if (i)
			continue;
		counts->mtu = np_datagram_mtu(&how, &t->to);
		if (stats.icmp_errors)
			counts->refusal = stats.last_error;
	}
	if (t->lanes || !u->count)
		return;
	counts->drop_unit = np_datagram_info(u->socket[0].datagram)->drop_unit;
	counts->dropped_known = true;
	/* A member's own socket, the last one, receives no messages. */
	for (unsigned i = 0; i < u->count - t->group; i++) {
		counts->dropped_known &= !np_datagram_stats(u->socket[i].datagram, &stats);
		counts->dropped += stats.dropped;
	}
}

/* For a group, the interface by which messages arrive is unknown. */
static const struct np_address *local_udp(const struct transport *t, const struct channel *channel)
{
	const struct udp *u = udp_of(t);

	(void)channel;
	return t->lanes || t->group || !u->count ? NULL
						 : &np_datagram_info(u->socket[0].datagram)->local;
}

static void describe(const struct transport *t, const struct np_address *peer,
		     struct np_record *start, struct np_block_full *full)
{
	const struct udp *u = udp_of(t);
	char text[NP_ADDRESS_TEXT];

	for (unsigned i = 0; i < u->count && i < (t->lanes ? t->lanes : 1); i++) {
		const struct np_datagram_info *info = np_datagram_info(u->socket[i].datagram);
		struct np_record *r = np_record_append(start, "sockets");

		np_record_text(r, "local", peer_name(&info->local, text));
		np_record_text(r, "peer", peer ? peer_name(peer, text) : NULL);
		np_record_text(r, "batch", info->variant);
		np_block_full_say(full, NP_BLOCK_TRANSPORT, "batch", "%s%s%s", info->variant,
				  info->detail ? ": " : "", info->detail ? info->detail : "");
		transport_describe(r, full, info->stamps, info->send_granted,
				   info->receive_granted);
		full = NULL;
	}
}

const struct transport_face transport_udp = {
	.datagrams = true,
	.open = open_udp,
	.close = close_udp,
	.call = call,
	.share = share,
	.serve = serve,
	.receive = receive_udp,
	.wait = wait_udp,
	.receive_timeout = receive_timeout_udp,
	.send = send_udp,
	.push = push_udp,
	.counts = count_udp,
	.local = local_udp,
	.describe = describe,
};
