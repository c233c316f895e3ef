// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * udp: a multicast group. A message is a datagram. As with Java, one socket sends, and its address
 * is the member's identity; another, bound to the group, receives all messages, including our own.
 * Datagrams to the first one are for this member alone.
 */
#include "variant.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum udp_socket {
	UDP_GROUP, /* bound to the group: receives */
	UDP_OWN,   /* bound to the member's own address: sends, and receives what is for it alone */
	UDP_SOCKETS,
};

struct udp_state {
	struct transport *t;
	struct np_datagram *socket[UDP_SOCKETS];
	bool more[UDP_SOCKETS]; /* there is something to receive */
	unsigned interface;	/* index; 0: the kernel's choice */
	unsigned batch;		/* most messages in one reservation */
	bool held;		/* the sending socket has no room */
	uint64_t control_calls;
	struct np_packet packets[TRANSPORT_BATCH];
	struct transport_message messages[TRANSPORT_BATCH];
};

#define BUFFER_BYTES 5000000 /* for each, as the lineage asks for */
#define BATCH_LEAST  8

static int open_socket(struct udp_state *s, enum udp_socket which,
		       const struct np_datagram_options *options, struct np_fault *fault)
{
	int rc = np_datagram_open(&s->socket[which], options);
	const struct np_address *at = options->group ? options->group : options->local;

	if (rc == -EPROTONOSUPPORT)
		return np_fault_set(fault, rc, options->variant,
				    "is not possible with messages of %zu bytes here",
				    options->packet_bytes);
	return rc ? np_fault_errno(fault, rc, address_text(at)) : 0;
}

/* How long to wait for room in the transmit queue. */
#define FULL_PAUSE NP_MILLISECOND

static void watch(const struct udp_state *s, enum udp_socket which, int operation, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.u32 = which};

	epoll_ctl(s->t->fd, operation, np_datagram_fd(s->socket[which]), &event);
}

/* While held, the descriptor watches for room in the sending socket. */
static void hold(struct udp_state *s, bool held)
{
	if (s->held != held)
		watch(s, UDP_OWN, EPOLL_CTL_MOD, EPOLLIN | (held ? EPOLLOUT : 0));
	s->held = held;
}

/*
 * Where a member binds to when its user gives no address: the address of the host name, unless that
 * is a loopback address or @device (may be NULL) is given; else the address from which packets to
 * @group are sent; else the one by which others reach this host. Returns 0 or -EADDRNOTAVAIL.
 */
static int find_own(const struct np_address *group, const char *device, struct np_address *own)
{
	const int family = group->any.sa_family;
	char name[256] = "";

	/*
	 * Debian maps the name of a host without a fixed address to 127.0.1.1, which other hosts
	 * cannot reach.
	 */
	if (!device && gethostname(name, sizeof(name) - 1) == 0 &&
	    np_address_parse(own, name, 0, AF_UNSPEC) == 0 && own->any.sa_family == family &&
	    np_address_is_local(own) && !np_address_is_loopback(own)) {
		own->name[0] = '\0';
		return 0;
	}
	if (!np_address_toward(group, device, own) && !np_address_is_wildcard(own))
		return 0;
	if (!device && !np_address_of_this_host(own, AF_UNSPEC, 0) && own->any.sa_family == family)
		return 0;
	return -EADDRNOTAVAIL;
}

static int udp_open(struct transport *t, struct np_fault *fault)
{
	struct udp_state *s = t->state;
	const struct transport_plan *plan = &t->plan;
	struct np_address local = plan->bind;
	struct np_datagram_options options = {
		.variant = plan->udp.batch,
		.local = &local,
		.longest_bytes = t->message_bytes,
		.packet_bytes = plan->data_bytes,
		.receive_bytes = plan->receive_bytes ? plan->receive_bytes : BUFFER_BYTES,
		.send_bytes = plan->send_bytes ? plan->send_bytes : BUFFER_BYTES,
		.ip = plan->ip,
		.loopback = true,
	};
	/* As many as one gso buffer holds, so that no remainder needs a call of its own. */
	size_t fit = NP_DATAGRAM_BYTES_MAX / plan->data_bytes;
	const struct np_datagram_info *own, *group;
	int rc = 0;

	s->t = t;
	if (plan->bind.any.sa_family != AF_UNSPEC &&
	    plan->bind.any.sa_family != plan->udp.group.any.sa_family)
		return np_fault_set(fault, -EAFNOSUPPORT, address_text(&plan->udp.group),
				    "not of the family of the address to bind to");
	if (plan->udp.batch && !strcmp(plan->udp.batch, "null"))
		return np_fault_set(fault, -EPROTONOSUPPORT, "null",
				    "sends nothing, but a member must receive its own messages");
	if (local.any.sa_family == AF_UNSPEC)
		rc = find_own(&plan->udp.group, plan->ip.device, &local);
	if (rc)
		return np_fault_set(fault, rc, plan->variant,
				    "this host has no address for the group: bind to one");
	np_address_set_port(&local, 0);
	if (np_multicast_interface(plan->ip.device, &plan->udp.group, &local, &s->interface))
		return np_fault_errno(fault, -ENODEV, plan->ip.device);
	if (fit < BATCH_LEAST)
		fit = BATCH_LEAST;
	options.batch = s->batch = fit < TRANSPORT_BATCH ? (unsigned)fit : TRANSPORT_BATCH;
	rc = open_socket(s, UDP_OWN, &options, fault);
	if (rc)
		return rc;
	np_address_set_port(&local, np_address_port(&plan->udp.group));
	options.group = &plan->udp.group;
	options.reuse = true;
	options.loopback = false;
	options.batch = TRANSPORT_BATCH;
	options.packet_bytes = 1; /* it sends nothing, and receives by UDP_GRO whatever the size */
	rc = open_socket(s, UDP_GROUP, &options, fault);
	if (rc)
		return rc;
	for (unsigned i = 0; i < s->batch; i++)
		memset(np_datagram_slot(s->socket[UDP_OWN], i), TRANSPORT_FILL, plan->data_bytes);
	own = np_datagram_info(s->socket[UDP_OWN]);
	group = np_datagram_info(s->socket[UDP_GROUP]);
	t->info.self = identity_of(&own->local);
	t->info.receive_granted = group->receive_granted;
	t->info.send_granted = own->send_granted;
	t->info.stamps = strcmp(group->stamps, own->stamps) ? "mixed" : group->stamps;
	t->info.drop_unit = group->drop_unit;
	t->info.lossy = true;
	/*
	 * Half of the buffer is left for the rest: control messages, and memory that is freed late.
	 */
	t->info.message_cost = transport_message_cost(plan->data_bytes);
	t->info.window_bytes = group->receive_granted / t->info.message_cost * plan->data_bytes;
	snprintf(t->info.detail, sizeof(t->info.detail),
		 "group %s, sends with %s, receives with %s", address_text(&plan->udp.group),
		 own->variant, group->variant);
	watch(s, UDP_GROUP, EPOLL_CTL_ADD, EPOLLIN);
	watch(s, UDP_OWN, EPOLL_CTL_ADD, EPOLLIN);
	transport_drops_watch(t, &own->local, &plan->udp.group,
			      np_datagram_fd(s->socket[UDP_GROUP]));
	return 0;
}

static void udp_close(struct transport *t)
{
	const struct udp_state *s = t->state;

	np_datagram_free(s->socket[UDP_GROUP]);
	np_datagram_free(s->socket[UDP_OWN]);
}

/* Delivers the packets of one receive, those of the same source in a row together. */
static void hand_over(struct udp_state *s, unsigned count)
{
	const struct np_address *address = NULL;
	struct identity source = {}, next;
	unsigned run = 0;

	for_each(packet, s->packets, count) {
		if (packet->source != address) {
			address = packet->source;
			next = identity_of(address);
			if (run && !identity_equal(&next, &source)) {
				transport_deliver(s->t, &source, s->messages, run, 0);
				run = 0;
			}
			source = next;
		}
		if (packet->cut)
			transport_oversize(s->t, source, packet->stamp);
		else if (!packet->length)
			s->t->stats.bad_lengths++;
		else
			s->messages[run++] = (struct transport_message){
				packet->data, packet->length, packet->length, packet->stamp};
	}
	if (run)
		transport_deliver(s->t, &source, s->messages, run, 0);
}

/* Receives up to @most packets from one socket. True when there may be more. */
static bool hear(struct udp_state *s, enum udp_socket which, unsigned most)
{
	unsigned room;
	int got;

	do {
		room = most < TRANSPORT_BATCH ? most : TRANSPORT_BATCH;
		got = np_datagram_receive(s->socket[which], s->packets, room);
		/* An interface that went down is an error once, and may come back. */
		if (got <= 0)
			return false;
		hand_over(s, (unsigned)got);
		most -= (unsigned)got;
	} while (most && (unsigned)got == room);
	return (unsigned)got == room;
}

static int udp_turn(struct transport *t, unsigned most, np_time now)
{
	struct udp_state *s = t->state;
	struct np_datagram_stats ignored;
	struct epoll_event events[UDP_SOCKETS];
	int count;

	(void)now;
	count = epoll_wait(t->fd, events, UDP_SOCKETS, 0);
	for (int i = 0; i < count; i++) {
		enum udp_socket which = events[i].data.u32;

		if (events[i].events & EPOLLIN)
			s->more[which] = true;
		if (events[i].events & EPOLLOUT)
			hold(s, false);
		/*
		 * Reads the errors that came back for unicasts; otherwise the descriptor stays
		 * ready.
		 */
		if (events[i].events & EPOLLERR)
			np_datagram_stats(s->socket[which], &ignored);
	}
	for (enum udp_socket which = 0; which < UDP_SOCKETS; which++) {
		if (s->more[which])
			s->more[which] = hear(s, which, most);
	}
	return s->more[UDP_GROUP] || s->more[UDP_OWN];
}

static int udp_send(struct transport *t, const struct identity *who, const void *message,
		    size_t bytes)
{
	struct udp_state *s = t->state;
	struct np_address to = who ? identity_address(who) : s->t->plan.udp.group;
	struct sockaddr_in6 *ipv6 = (void *)&to.storage;
	int rc;

	if (to.any.sa_family != s->t->plan.udp.group.any.sa_family || !np_address_port(&to))
		return -ENOENT;
	/* A link-local address is on our own interface. */
	if (who && to.any.sa_family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&ipv6->sin6_addr))
		ipv6->sin6_scope_id = s->interface;
	rc = np_datagram_send_one(s->socket[UDP_OWN], &to, message, bytes);
	s->control_calls += !rc;
	if (rc != -EAGAIN && rc != -ENOBUFS)
		return rc;
	hold(s, true);
	return -EAGAIN;
}

static unsigned udp_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	const struct udp_state *s = t->state;

	if (s->held || t->paused)
		return 0;
	slots->data = np_datagram_slot(s->socket[UDP_OWN], 0);
	slots->stride = t->plan.data_bytes;
	return wanted < s->batch ? wanted : s->batch;
}

static int udp_commit(struct transport *t, unsigned count)
{
	struct udp_state *s = t->state;
	const struct np_datagram_info *info = np_datagram_info(s->socket[UDP_OWN]);
	unsigned done = 0;

	while (done < count && !s->held && !t->paused) {
		int sent = np_datagram_send(s->socket[UDP_OWN], &s->t->plan.udp.group, done,
					    count - done, t->plan.data_bytes, false);

		if (sent < 0 && !done) {
			t->paused = np_clock_now() + REFUSED_PAUSE;
			return sent;
		}
		if (sent < 0)
			break; /* the next call's first */
		if (info->queue_full) {
			t->stats.send_refused++;
			t->paused = np_clock_now() + FULL_PAUSE;
		} else if ((unsigned)sent < count - done) {
			t->stats.send_refused++;
			hold(s, true);
		}
		done += (unsigned)sent;
	}
	return (int)done;
}

static void udp_stats(struct transport *t)
{
	struct udp_state *s = t->state;
	struct np_datagram_stats group, own;
	int waiting = 0;

	if (np_datagram_stats(s->socket[UDP_GROUP], &group) ||
	    np_datagram_stats(s->socket[UDP_OWN], &own))
		return;
	t->stats.send_calls = s->control_calls + own.send_calls;
	t->stats.receive_calls = group.receive_calls + own.receive_calls;
	t->stats.dropped = group.dropped + own.dropped;
	t->stats.queue_refused = own.queue_refused;
	t->stats.resent_dropped = own.reported_drops;
	t->stats.queued = !ioctl(np_datagram_fd(s->socket[UDP_OWN]), SIOCOUTQ, &waiting) && waiting;
}

const struct transport_variant transport_udp_variant = {
	.name = "udp",
	.state_bytes = sizeof(struct udp_state),
	.open = udp_open,
	.close = udp_close,
	.turn = udp_turn,
	.send = udp_send,
	.reserve = udp_reserve,
	.commit = udp_commit,
	.stats = udp_stats,
};
