// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * udp: each message is a datagram, sent from the socket that also receives. The pair has a second
 * socket that receives from a multicast group, where the sender's address precedes each message.
 */
#include "../net/socket.h"
#include "substrate.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <netperf/datagram.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BATCH	     64 /* datagrams received by one call */
#define GATHERED     4	/* nodes to which messages are gathered */
#define GATHERED_MAX (BATCH / GATHERED)
#define SENDER_BYTES 6 /* IPv4 address and port before what goes to the group */
#define RECEIVE_MAX  ((size_t)4 << 20)
#define QUEUE_BYTES  ((size_t)4 << 20)
/* What the kernel takes for a datagram beside its bytes. */
#define DATAGRAM_COST 1024
/* Until a transmit queue is asked again that was full: the socket does not tell. */
#define RETRY NP_MILLISECOND
/* After a refusal each datagram is sent by itself for so long. */
#define CROWDED NP_SECOND
/* How often it is looked whether a shaper that splits buffers has come, or gone. */
#define LOOK NP_SECOND

/*
 * Messages of one length and to one node, in @count slots of the unicast socket from @first on.
 * They are sent with one call: those that this node forwards when it has read what has arrived, its
 * own at the end of np_overlay_send_many.
 */
struct gathered {
	unsigned first, count;
	enum overlay_class class;
	size_t bytes;
	struct sockaddr_in to;
};

struct udp {
	struct np_datagram *unicast, *group; /* group: pair only */
	bool reading;			     /* forwarded messages are gathered */
	enum { ALONE, FIRST, FURTHER } own;  /* messages: FURTHER ones are gathered */
	struct gathered gathered[GATHERED];
	struct overlay_queue queue;
	np_time retry;	      /* NP_TIME_NEVER: the socket tells */
	np_time now;	      /* of the turn */
	np_time crowded;      /* until then nothing is gathered */
	np_time looked;	      /* for shapers, when */
	bool shaped;	      /* one may drop a part of a buffer without an error */
	bool watched;	      /* for room */
	struct np_address to; /* only its IPv4 parts change */
	struct np_packet packet[BATCH];
	uint8_t grouped[]; /* pair: a message with its sender before it */
};

static struct np_datagram_options how(const struct overlay_substrate *s, size_t packet_bytes)
{
	const uint64_t each = s->plan.message_max + DATAGRAM_COST;
	const uint64_t all = s->plan.message_buffer * each;
	size_t bytes = s->plan.options.receive_bytes;

	if (!bytes)
		bytes = all < RECEIVE_MAX ? (size_t)all : RECEIVE_MAX;
	return (struct np_datagram_options){
		.single = true,
		.local = &s->info.local,
		.packet_bytes = packet_bytes,
		.batch = BATCH,
		.receive_bytes = bytes,
		.send_bytes = s->plan.options.send_bytes,
		.ip = s->plan.options.ip,
	};
}

static int udp_open(struct overlay_substrate *s)
{
	const bool pair = s->plan.kind == OVERLAY_PAIR;
	const struct np_address *group = &s->plan.group;
	const char *device = s->plan.group_device[0] ? s->plan.group_device : NULL;
	const size_t grouped = pair ? s->plan.group_max + SENDER_BYTES : 0;
	struct np_datagram_options options = how(s, s->plan.message_max);
	struct udp *u = calloc(1, sizeof(*u) + grouped);
	const struct np_datagram_info *info;
	struct np_address local;
	unsigned index;
	int rc, fd;

	s->state = u;
	if (!u)
		return -ENOMEM;
	u->queue.count_max = s->plan.message_buffer;
	u->queue.bytes_max = QUEUE_BYTES;
	u->retry = NP_TIME_NEVER;
	u->to.storage.ss_family = AF_INET;
	u->to.length = sizeof(struct sockaddr_in);
	rc = np_datagram_open(&u->unicast, &options);
	if (rc == -EADDRINUSE && s->plan.any_port) {
		np_address_set_port(&s->info.local, 0);
		rc = np_datagram_open(&u->unicast, &options);
	}
	if (rc)
		return rc;
	info = np_datagram_info(u->unicast);
	s->info.local = local = info->local;
	s->info.receive_granted = info->receive_granted;
	s->info.send_granted = info->send_granted;
	s->info.stamps = info->stamps;
	s->info.drop_unit = info->drop_unit;
	fd = np_datagram_fd(u->unicast);
	if (!pair)
		s->poll.fd = fd;
	/* The only one is registered without events: to change them later cannot fail. */
	rc = overlay_substrate_watch(s, fd, pair ? EPOLLIN : 0, NULL);
	if (rc || !pair)
		return rc;
	/* Messages to the group are sent by the interface on which the group is received. */
	rc = np_multicast_interface(device, group, &s->info.local, &index);
	if (!rc)
		rc = socket_send_groups_by(fd, index);
	if (rc)
		return rc;
	np_address_set_port(&local, np_address_port(group));
	options = how(s, grouped);
	options.local = &local;
	options.group = group;
	options.reuse = true;
	if (device)
		options.ip.device = device;
	rc = np_datagram_open(&u->group, &options);
	return rc ? rc : overlay_substrate_watch(s, np_datagram_fd(u->group), EPOLLIN, NULL);
}

static void udp_close(struct overlay_substrate *s)
{
	struct udp *u = s->state;
	struct np_overlay_copies gone = {0};

	if (!u)
		return;
	overlay_queue_drop(&u->queue, &gone);
	np_datagram_free(u->unicast);
	np_datagram_free(u->group);
	free(u);
}

/* Tries to hand it to the kernel: 0, -EAGAIN, or -errno. */
static int try(struct overlay_substrate *s, const struct sockaddr_in *to, const void *message,
	       size_t bytes)
{
	struct udp *u = s->state;
	int rc;

	memcpy(&u->to.storage, to, sizeof(*to));
	rc = np_datagram_send_one(u->unicast, &u->to, message, bytes);
	if (rc == -ENOBUFS) {
		u->retry = np_clock_now() + RETRY;
		u->crowded = u->retry + CROWDED;
	}
	return rc == -ENOBUFS ? -EAGAIN : rc;
}

/* Asks for POLLOUT only while a message waits for room. */
static int watch(struct overlay_substrate *s, struct udp *u)
{
	const bool wanted = u->queue.first && u->retry == NP_TIME_NEVER;
	const int fd = np_datagram_fd(u->unicast);

	if (wanted == u->watched)
		return 0;
	u->watched = wanted;
	if (s->poll.fd != fd)
		return overlay_substrate_watch(s, fd, wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, NULL);
	s->poll.events = wanted ? POLLIN | POLLOUT : POLLIN;
	return 0;
}

/* Hands it to the kernel, or to the queue if that is full. */
static int send_now(struct overlay_substrate *s, const struct sockaddr_in *to, const void *message,
		    size_t bytes, enum overlay_class class)
{
	const struct iovec piece = {(void *)message, bytes};
	struct udp *u = s->state;
	int rc = u->queue.first ? -EAGAIN : try(s, to, message, bytes);

	if (rc != -EAGAIN)
		return overlay_substrate_done(s, rc, bytes, class);
	rc = overlay_queue_put(&u->queue, to, class, &piece, 1);
	if (rc)
		overlay_substrate_add(&s->counts.no_room, class);
	return rc ? rc : watch(s, u);
}

/* More than the kernel puts into one answer. */
#define ANSWER_BYTES 32768

/*
 * Whether a part of the answer has a discipline that is not known to take a buffer as a whole.
 * Others, such as tbf, cake, taprio and netem, split one, or may do so.
 */
static bool splits(const struct nlmsghdr *header)
{
	static const char *const whole[] = {
		"noqueue", "mq",  "mqprio",   "multiq", "pfifo_fast", "pfifo",	 "bfifo",  "prio",
		"fq",	   "sfq", "fq_codel", "codel",	"htb",	      "ingress", "clsact",
	};
	const struct tcmsg *message = NLMSG_DATA(header);
	const struct rtattr *at = TCA_RTA(message);
	unsigned left = (unsigned)TCA_PAYLOAD(header);

	if (header->nlmsg_type != RTM_NEWQDISC ||
	    header->nlmsg_len < NLMSG_LENGTH(sizeof(struct tcmsg)))
		return true;
	while (RTA_OK(at, left) && at->rta_type != TCA_KIND)
		at = RTA_NEXT(at, left);
	if (!RTA_OK(at, left) || !RTA_PAYLOAD(at) ||
	    ((const char *)RTA_DATA(at))[RTA_PAYLOAD(at) - 1])
		return true;
	for (unsigned i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
		if (!strcmp(RTA_DATA(at), whole[i]))
			return false;
	}
	return true;
}

/*
 * False: each queueing discipline of this network namespace, also those that the kernel itself put
 * below another one, is known to take or refuse a buffer of many datagrams (UDP_SEGMENT) as a
 * whole. True: one of them may split it, and reports a refusal only if it drops all of it; or they
 * cannot be asked for. Asks the kernel by rtnetlink(7): tens of microseconds, more with thousands
 * of interfaces.
 */
static bool shaper_splits(void)
{
	const struct {
		struct nlmsghdr header;
		struct tcmsg message;
		struct rtattr hidden;
	} question = {
		.header = {.nlmsg_len = sizeof(question),
			   .nlmsg_type = RTM_GETQDISC,
			   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
		.hidden = {.rta_len = RTA_LENGTH(0), .rta_type = TCA_DUMP_INVISIBLE},
	};
	union {
		struct nlmsghdr header;
		uint8_t room[ANSWER_BYTES];
	} answer;
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	bool done = fd < 0 || send(fd, &question, sizeof(question), 0) != sizeof(question);
	bool split = done;

	while (!done) {
		/* The kernel has the answer ready. */
		ssize_t left = recv(fd, &answer, sizeof(answer), MSG_DONTWAIT | MSG_TRUNC);
		const struct nlmsghdr *at = &answer.header;

		split = done = left <= 0 || left > (ssize_t)sizeof(answer);
		for (; !done && NLMSG_OK(at, left); at = NLMSG_NEXT(at, left)) {
			split = at->nlmsg_type != NLMSG_DONE && splits(at);
			done = split || at->nlmsg_type == NLMSG_DONE;
		}
	}
	if (fd >= 0)
		close(fd);
	return split;
}

/* Sends what was gathered; what the kernel does not accept, each as if it were sent alone. */
static void send_gathered(struct overlay_substrate *s, struct gathered *gathered)
{
	const unsigned first = gathered->first, count = gathered->count;
	const bool own = gathered->class == OVERLAY_OWN;
	struct udp *u = s->state;
	int sent = 0;

	gathered->count = 0;
	if (count > 1 && !u->queue.first) {
		memcpy(&u->to.storage, &gathered->to, sizeof(gathered->to));
		if (!own && (!u->looked || u->now - u->looked >= LOOK)) {
			u->looked = u->now;
			u->shaped = shaper_splits();
		}
		/*
		 * Whether each message needs a buffer of its own. Own ones always do: a shaper
		 * might drop them without an error in the second before it is seen.
		 */
		np_datagram_set_apart(u->unicast, own || u->shaped);
		sent = np_datagram_send(u->unicast, &u->to, first, count, gathered->bytes, false);
	}
	sent = sent < 0 ? 0 : sent;
	for (int i = 0; i < sent; i++)
		overlay_substrate_done(s, 0, gathered->bytes, gathered->class);
	for (unsigned i = (unsigned)sent; i < count; i++)
		send_now(s, &gathered->to, np_datagram_slot(u->unicast, first + i), gathered->bytes,
			 gathered->class);
}

static void send_all_gathered(struct overlay_substrate *s, struct udp *u)
{
	for (unsigned i = 0; i < GATHERED; i++)
		send_gathered(s, &u->gathered[i]);
}

/* With those for that node and class, or in an empty place. */
static void gather(struct overlay_substrate *s, const struct sockaddr_in *to, const void *message,
		   size_t bytes, enum overlay_class class)
{
	struct udp *u = s->state;
	struct gathered *at = NULL, *empty = NULL;

	for (unsigned i = GATHERED; i-- > 0 && !at;) {
		struct gathered *one = &u->gathered[i];

		one->first = i * GATHERED_MAX;
		if (!one->count)
			empty = one;
		else if (one->class == class && one->to.sin_port == to->sin_port &&
			 one->to.sin_addr.s_addr == to->sin_addr.s_addr)
			at = one;
	}
	at = at ? at : empty;
	if (!at) {
		send_all_gathered(s, u);
		at = u->gathered;
	}
	if (at->count == GATHERED_MAX || bytes != at->bytes)
		send_gathered(s, at);
	at->class = class;
	at->to = *to;
	at->bytes = bytes;
	memcpy(np_datagram_slot(u->unicast, at->first + at->count++), message, bytes);
}

static int send_to(struct overlay_substrate *s, const struct sockaddr_in *to, const void *message,
		   size_t bytes, enum overlay_class class)
{
	struct udp *u = s->state;
	bool gathers;

	/*
	 * Forwarded messages are gathered unless a transmit queue was full a short while ago; own
	 * ones while nothing waits, and if all of them fit into the queue when the kernel accepts
	 * none.
	 */
	if (class == OVERLAY_FORWARDED)
		gathers = u->reading && u->now >= u->crowded;
	else
		gathers = class == OVERLAY_OWN && u->own == FURTHER && !u->queue.first &&
			  u->queue.count_max >= BATCH && bytes * BATCH <= u->queue.bytes_max;
	if (gathers && bytes <= s->plan.message_max) {
		gather(s, to, message, bytes, class);
		return 0;
	}
	/* The first tells its sender if the kernel refuses such messages. */
	if (class == OVERLAY_OWN && u->own == FIRST)
		u->own = FURTHER;
	send_all_gathered(s, u);
	return send_now(s, to, message, bytes, class);
}

static int udp_send(struct overlay_substrate *s, const struct overlay_address *to,
		    const void *message, size_t bytes, enum overlay_class class)
{
	struct udp *u = s->state;
	const struct sockaddr_in *self = (const void *)&s->info.local.storage;
	struct sockaddr_in endpoint;

	if (to ? !overlay_address_get_ipv4(to, &endpoint) : !u->group)
		return overlay_substrate_done(s, -EDESTADDRREQ, bytes, class);
	if (to)
		return send_to(s, &endpoint, message, bytes, class);
	/* To the group: with this node's address before it. */
	if (bytes > s->plan.group_max)
		return overlay_substrate_done(s, -EMSGSIZE, bytes, class);
	memcpy(&endpoint, &s->plan.group.storage, sizeof(endpoint));
	memcpy(u->grouped, &self->sin_addr, 4);
	memcpy(u->grouped + 4, &self->sin_port, 2);
	memcpy(u->grouped + SENDER_BYTES, message, bytes);
	return send_to(s, &endpoint, u->grouped, bytes + SENDER_BYTES, class);
}

static void udp_gather(struct overlay_substrate *s, bool on)
{
	struct udp *u = s->state;

	u->own = on ? FIRST : ALONE;
	if (!on)
		send_all_gathered(s, u);
}

static bool udp_room(const struct overlay_substrate *s, const struct overlay_address *to)
{
	const struct udp *u = s->state;

	(void)to;
	return !u->queue.first;
}

/*
 * Receives up to @most datagrams; true when there may be more. What comes from the group has its
 * sender's address before it. An error belongs to a datagram sent
 * earlier (the kernel reports an ICMP error once) and does not end the node.
 */
static bool receive(struct overlay_substrate *s, struct np_datagram *datagram, unsigned most)
{
	struct udp *u = s->state;
	const unsigned room = most < BATCH ? most : BATCH;
	const size_t before = datagram == u->group ? SENDER_BYTES : 0;
	const int count = np_datagram_receive(datagram, u->packet, room);

	u->reading = true;
	for (int i = 0; i < count; i++) {
		const struct np_packet *packet = &u->packet[i];
		const uint8_t *data = packet->data;
		struct overlay_address from;

		if (packet->cut) {
			s->counts.oversize++;
			continue;
		}
		s->counts.received++;
		s->counts.received_bytes += packet->length;
		if (before && packet->length <= before) {
			s->counts.unreadable++;
			continue;
		}
		if (before)
			from = overlay_address_ipv4(np_field_get32(data), np_field_get16(data + 4),
						    s->plan.realm);
		else
			from = overlay_address_of(packet->source, s->plan.realm);
		s->take(s->context, &from, data + before, packet->length - before, packet->stamp);
	}
	u->reading = false;
	send_all_gathered(s, u);
	if (count < 0)
		s->counts.last_error = count;
	return count == (int)room;
}

static int udp_count(struct overlay_substrate *s)
{
	struct udp *u = s->state;
	struct np_datagram_stats stats;
	int rc = np_datagram_stats(u->unicast, &stats);

	s->counts.kernel_dropped = stats.dropped;
	s->counts.icmp_errors = stats.icmp_errors;
	if (!rc && u->group) {
		rc = np_datagram_stats(u->group, &stats);
		s->counts.kernel_dropped += stats.dropped;
	}
	s->counts.waiting = (struct np_overlay_copies){0};
	overlay_queue_count(&u->queue, &s->counts.waiting);
	return rc;
}

static int udp_turn(struct overlay_substrate *s, unsigned most, np_time now)
{
	struct udp *u = s->state;
	const uint64_t before = s->counts.received;
	bool more;
	int rc;

	/* Sends what waits, until the kernel accepts no more. */
	if (u->queue.first && (u->retry == NP_TIME_NEVER || now >= u->retry)) {
		u->retry = NP_TIME_NEVER;
		while (u->queue.first) {
			const struct overlay_queued *first = u->queue.first;

			rc = try(s, &first->to, first->data, first->bytes);
			if (rc == -EAGAIN)
				break;
			overlay_substrate_done(s, rc, first->bytes, first->class);
			overlay_queue_pop(&u->queue);
		}
		rc = watch(s, u);
		if (rc)
			return rc;
	}
	u->now = now;
	more = receive(s, u->unicast, most);
	if (u->group && receive(s, u->group, most))
		more = true;
	/* Perhaps an ICMP error has woken this node; it is counted and taken from the socket. */
	if (s->counts.received == before)
		udp_count(s);
	return more;
}

static np_time udp_deadline(const struct overlay_substrate *s)
{
	const struct udp *u = s->state;

	return u->queue.first ? u->retry : NP_TIME_NEVER;
}

static bool udp_idle(const struct overlay_substrate *s)
{
	return udp_room(s, NULL);
}

const struct overlay_substrate_face overlay_udp = {
	.open = udp_open,
	.close = udp_close,
	.send = udp_send,
	.room = udp_room,
	.gather = udp_gather,
	.turn = udp_turn,
	.deadline = udp_deadline,
	.idle = udp_idle,
	.count = udp_count,
};
