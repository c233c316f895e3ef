// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive: takes datagrams apart, and counts packets in their flows; and the listener's side of the
 * control datagrams between two ends of this program.
 */
#include "session.h"

#include <inttypes.h>
#include <netinet/ip.h>
#include <netinet/ip6.h>
#include <netinet/udp.h>

/* Copies of the number begin at 28: with fewer process bytes there is nothing to check. */
#define CHECKED_FROM  32
#define NOT_FULL_EACH 10000

#define ASKS_MAX      100
#define UNANSWERED    10
#define ASK_EACH      (100 * NP_MILLISECOND)
/* Used when nothing arrives or nothing is answered. */
#define ASK_SELDOM (500 * NP_MILLISECOND)
/*
 * So much later for each flow there is: 250 questions a second in all. Where packets wait on the
 * way, they alone show a publisher that has ended that some still arrive: it waits long enough.
 */
#define ASK_MORE (4 * NP_MILLISECOND)
/* The most requests a second to unproven flows that have no more packets than LITTLE. */
#define UNPROVEN_MAX 64
#define WARNINGS_MAX 4 /* a second, of one kind */
#define LITTLE	     16

static void send_control(struct listener *l, const struct np_address *to,
			 struct wire_control *control)
{
	uint8_t data[WIRE_CONTROL_BYTES];
	size_t bytes;

	control->return_port = np_address_port(&l->endpoint->at);
	bytes = wire_control_encode(data, control);
	/* A failed send is like a loss in the network: both sides repeat. */
	(void)np_datagram_send_one(l->socket, to, data, bytes);
}

/*
 * A TIME request or an END_ACK: counts only from peers that this process publishes to, so that a
 * forged source gets no answer.
 */
static void take_from_listener(struct listener *l, const struct np_packet *packet,
			       const struct wire_control *control)
{
	struct endpoint *e = l->endpoint;
	struct peer *peer = endpoint_peer(e, packet->source, true);
	const bool asks = control->type == WIRE_TIME_REQUEST;
	struct wire_control reply = {
		.type = WIRE_TIME_REPLY,
		.brief = control->brief,
		.run = control->run,
		.t1 = control->t1,
		.t2 = packet->stamp,
	};

	if (!peer || control->run != e->run)
		return;
	if (np_address_equal(&peer->address, packet->source))
		wire_copies_count(asks ? &peer->requests : &peer->acks, control->copies);
	if (!asks) {
		/* Only the first one counts. */
		if (!atomic_load_explicit(&peer->end_acked, memory_order_relaxed)) {
			peer->counts = control->counts;
			atomic_store_explicit(&peer->end_acked, true, memory_order_release);
		}
		worker_wake(e->publisher.worker.wake);
		return;
	}
	if (control->last || control->counts.flow.received > peer->came) {
		peer->came = control->counts.flow.received;
		atomic_store(&peer->moved, packet->stamp);
	}
	if (!atomic_exchange(&peer->confirmed, true))
		worker_wake(e->publisher.worker.wake);
	reply.t3 = np_clock_now();
	send_control(l, packet->source, &reply);
}

/* What a datagram of @length bytes takes with the headers of IP and UDP. */
static uint64_t wire_bytes(const struct np_address *peer, size_t length)
{
	return length + sizeof(struct udphdr) +
	       (peer->any.sa_family == AF_INET6 ? sizeof(struct ip6_hdr) : sizeof(struct iphdr));
}

/*
 * Sends @control to the flow's publisher; to an unproven address never more bytes than came from
 * it.
 */
static bool send_to_publisher(struct listener *l, struct flow *flow, struct wire_control *control)
{
	const size_t length = control->brief ? WIRE_BRIEF_BYTES : WIRE_CONTROL_BYTES;
	const uint64_t bytes = wire_bytes(&flow->printed, length);

	if (!flow->proven && flow->came_bytes - flow->gone_bytes < bytes)
		return false;
	flow->gone_bytes += flow->proven ? 0 : bytes;
	send_control(l, &flow->printed, control);
	return true;
}

/* The request reports our progress, too, so that the publisher sees that packets still arrive. */
static void ask(struct listener *l, struct flow *flow, np_time now)
{
	struct wire_control request = {
		.type = WIRE_TIME_REQUEST,
		.run = flow->run,
		.copies = flow->clock.asks + 1,
		.last = flow->last,
		.counts.flow.received = flow->packets,
		.t1 = np_clock_now(),
		.brief = !flow->proven && flow->came_bytes - flow->gone_bytes <
						  wire_bytes(&flow->printed, WIRE_CONTROL_BYTES),
	};

	if (!send_to_publisher(l, flow, &request))
		return;
	flow->clock.asked = now;
	flow->clock.open[flow->clock.asks++ % FLOW_QUESTIONS] = request.t1;
}

void control_acknowledge(struct listener *l, struct flow *flow)
{
	struct wire_control ack = {
		.type = WIRE_END_ACK,
		.run = flow->run,
		.last = flow->last,
		.copies = flow->acks_sent + 1,
	};

	np_datagram_stats(l->socket, &l->stats);
	(void)np_drops_update(l->endpoint->session->run->drops);
	flow->dropped = listener_dropped(l, flow);
	flow_report(flow, &ack.counts);
	/* Drops of the socket since it was opened, if any, can be its only if there is no other. */
	if (l->flows.first == flow && !flow->next && !l->total.flows) {
		const struct np_loss loss = listener_loss(l);

		ack.counts.lost_host = loss.host;
		ack.counts.lost_exact = loss.exact;
	} else if (!l->stats.dropped) {
		ack.counts.lost_host = 0;
		ack.counts.lost_exact = !flow->late_start;
	}
	flow->acks_sent += send_to_publisher(l, flow, &ack);
	flow->acked = np_clock_now();
}

/* Handles one control datagram. */
static void take_control(struct listener *l, const struct np_packet *packet)
{
	struct wire_control control;
	struct flow *flow;

	if (wire_control_decode(packet->data, packet->length, &control)) {
		l->control_errors++;
		return;
	}
	switch (control.type) {
	case WIRE_TIME_REPLY:
		for (flow = *flows_of_run(&l->flows, control.run); flow; flow = flow->alike) {
			if (!flow_clock_reply(flow, packet->source, &control, packet->stamp))
				continue;
			flows_end_former(&l->flows, flow);
			listener_prove(l);
		}
		break;
	case WIRE_END:
		flow = flows_find(&l->flows, packet->source, 0, control.run);
		if (!flow)
			break;
		l->news = true;
		flow->came_bytes += wire_bytes(packet->source, packet->length);
		flow_end(flow, &control, packet->stamp, np_clock_now() - packet->stamp);
		if (flow_accounted(flow, packet->stamp))
			control_acknowledge(l, flow);
		else if (packet->stamp - flow->clock.asked >= ASK_EACH)
			/* Packets may still be on their way: asks the publisher to wait. */
			ask(l, flow, packet->stamp);
		break;
	default: take_from_listener(l, packet, &control); break;
	}
}

bool limit_allows(struct limit *limit, unsigned most, np_time now)
{
	if (now - limit->second >= NP_SECOND) {
		limit->second = now;
		limit->allowed = 0;
	}
	if (limit->allowed >= most) {
		limit->missed++;
		return false;
	}
	limit->allowed++;
	limit->missed = 0;
	return true;
}

void control_ask(struct listener *l, struct flow *flow, np_time now)
{
	const struct flow_clock *clock = &flow->clock;
	const bool unproven = !flow->proven && flow->packets <= LITTLE;
	const bool seldom = flow->proven && (now - flow->heard >= ASK_EACH ||
					     clock->asks - clock->replies > UNANSWERED);
	const np_time flows = flow->proven ? (np_time)l->flows.count : 0,
		      since = now - clock->asked;

	if (since < (seldom ? ASK_SELDOM : ASK_EACH) + flows * ASK_MORE || !flow->ours ||
	    (flow->ended && !flow_may_prove(flow)) || !np_address_port(&flow->printed))
		return;
	/* Answers show whether a silent publisher is still alive. */
	if (flow->proven ? !flow_alive(flow, now) : clock->asks >= ASKS_MAX)
		return;
	/*
	 * Requests to addresses where nobody listens fill the send buffer until the kernel gives
	 * them up: so few are sent to unproven flows with few packets.
	 */
	if (!unproven || limit_allows(&l->unproven_asks, UNPROVEN_MAX, now))
		ask(l, flow, now);
}

/* Packets with consecutive numbers that arrived in one buffer, or a single one. */
struct series {
	const struct np_packet *first;
	uint64_t hash; /* of its source, as flows_expect set it */
	enum wire_kind kind;
	struct wire_packet head;
	size_t wrong;	/* the first wrong word of a single packet, 0: none; */
	uint32_t found; /* and its value */
	uint64_t count; /* 0: there is none */
};

/* Whether one more warning of this kind is allowed now; says how many were not. */
static bool may_warn(struct listener *l, struct limit *limit, const char *what, np_time now)
{
	const uint64_t missed = limit->missed;

	if (!limit_allows(limit, WARNINGS_MAX, now))
		return false;
	listener_ticks(l);
	if (missed)
		np_log_warning(l->endpoint->session->log, NULL,
			       "%" PRIu64 " more packet%s with a corrupted %s", missed,
			       np_plural(missed), what);
	return true;
}

static void warn_of_content(struct listener *l, const struct series *one)
{
	const struct np_log *log = l->endpoint->session->log;

	if ((!one->found && l->count % NOT_FULL_EACH) ||
	    !may_warn(l, &l->content_warnings, "content", one->first->stamp))
		return;
	if (!one->found)
		np_log_warning(log, NULL,
			       "the packet is not full, configure publisher to process the same "
			       "number of bytes");
	else
		np_log_warning(log, NULL,
			       "corrupted packet from %s at i=%zu, n=%" PRId32
			       ", nCurrent=%" PRId32,
			       np_address_format(one->first->source).text, one->wrong,
			       (int32_t)one->found, (int32_t)one->head.number);
}

/*
 * A flow begins: notes which earlier runs of its source there were, and what was dropped of them.
 */
static void follow(struct listener *l, struct flow *flow)
{
	const struct flow *last = NULL;

	flow->dropped_before = (struct np_drops_counts){.known = true, .exact = true};
	for (const struct flow *other = l->flows.first; other; other = other->next) {
		if (other == flow || !np_address_equal(&other->source, &flow->source))
			continue;
		if (!other->reported)
			return;
		last = other;
	}
	for (size_t i = 0; !last && i < l->flow_count; i++) {
		if (np_address_equal(&l->flow[i].source, &flow->source))
			last = &l->flow[i];
	}
	if (last) {
		flow->dropped_before = last->dropped_before;
		np_drops_add(&flow->dropped_before, &last->dropped);
	}
	flow->follows = flow->dropped_before.known;
}

/* Ends the line of ticks, and writes that it receives data; in the lines of version 22.06 only. */
static void print_receiving(struct listener *l)
{
	struct session *s = l->endpoint->session;

	if (!s->newest)
		return;
	listener_ticks(l);
	report_print(s, "\n%s receiving data from %zu publisher(s).\n", l->endpoint->name,
		     flows_count(&l->flows));
}

/* A foreign publisher has no run id: after a long silence its next packet starts a new flow. */
static bool begun_again(const struct listener *l, const struct flow *flow, const struct series *s)
{
	const np_time timeout = l->endpoint->options->listen.give_up;
	const np_time since = flow->heard > l->resumed ? flow->heard : l->resumed;

	if (flow->ours || !timeout || s->first->stamp - since < timeout)
		return false;
	return np_flow_unwrap(flow->account, (uint32_t)s->head.number) <=
	       np_flow_highest(flow->account);
}

static void count_in_flow(struct listener *l, const struct series *s)
{
	const uint32_t run = s->head.run;
	const struct np_packet *packet = s->first;
	struct flow *flow = flows_find(&l->flows, packet->source, s->hash, run);
	uint64_t counted = l->endpoint->options->packet.heard_bytes;

	if (!flow && run && flows_departed(&l->flows, packet->source, run, true)) {
		l->stray += s->count;
		return;
	}
	if (!flow || (!run && begun_again(l, flow, s))) {
		if (l->flows.count >= FLOWS_MAX)
			listener_displace(l);
		flow = flows_add(&l->flows, packet->source, &s->head, packet->stamp);
		if (!flow) {
			l->flows.refused += s->count;
			return;
		}
		l->news = true;
		follow(l, flow);
		flow->peer = endpoint_peer(l->endpoint, &flow->printed, false);
		print_receiving(l);
	}
	if (flow->past) {
		flow->past = false;
		print_receiving(l);
	}
	if (!flow->proven)
		flow->came_bytes += s->count * wire_bytes(packet->source, packet->length);
	np_headers_count(&flow->headers, packet, s->count);
	if (l->endpoint->peer_count && flow->peer)
		peer_hear(flow->peer, s->head.send_time, packet->stamp);
	flow_count(flow, &s->head, s->count, packet->length < counted ? packet->length : counted,
		   packet->stamp);
	if (!s->wrong)
		return;
	flow->content_errors++;
	l->content_errors++;
	warn_of_content(l, s);
}

/* Counts a series, if there is one: what every kind of packet does, and then its own. */
static void count_series(struct listener *l, struct series *s)
{
	struct endpoint *e = l->endpoint;
	const size_t length = s->count ? s->first->length : 0;
	struct flow *flow;

	if (!s->count)
		return;
	l->count += s->count;
	l->datagrams += s->count;
	/* A receive buffer sized for our packets holds more shorter ones, and fewer longer ones. */
	if (length < l->shortest)
		l->shortest = length;
	if (length > l->longest && l->longest == e->options->packet.packet_bytes)
		np_log_warning(e->session->log, np_address_format(s->first->source).text,
			       "sends packets of %zu bytes, longer than -packetSize %zu here; the "
			       "receive buffer is for as many of those",
			       length, l->longest);
	if (length > l->longest)
		l->longest = length;
	l->last_packet = s->first->stamp;
	l->news |= !l->heard;
	l->heard = l->unreported = true;
	if (!atomic_load_explicit(&e->go, memory_order_relaxed)) {
		atomic_store(&e->go, true);
		worker_wake(e->publisher.worker.wake);
	}
	switch (s->kind) {
	case WIRE_CORRUPT:
		l->corrupt++;
		if (may_warn(l, &l->header_warnings, "header", s->first->stamp))
			np_log_warning(e->session->log, NULL,
				       "the packet contains a corrupted header: %" PRId32,
				       (int32_t)np_field_get32(s->first->data));
		break;
	case WIRE_SHORT: l->short_packets++; break;
	case WIRE_DAMAGED:
		/* It may have a wrong number: it counts in its source's flow, but starts none. */
		flow = flows_find(&l->flows, s->first->source, s->hash, 0);
		l->damaged++;
		if (!flow || !flow->ours)
			break;
		flow->damaged++;
		flow_count(flow, &s->head, 1, s->first->length, s->first->stamp);
		break;
	default: count_in_flow(l, s); break;
	}
	s->count = 0;
	listener_due(l, s->first->stamp);
}

/* Only the first packet carries an ack. */
static bool continues(const struct series *s, const struct series *next)
{
	return s->count && next->head.number == s->head.number + s->count &&
	       next->head.ack == WIRE_NO_ACK && next->head.send_time == s->head.send_time &&
	       next->head.wide == s->head.wide && next->head.run == s->head.run &&
	       next->first->source == s->first->source && next->first->stamp == s->first->stamp &&
	       next->first->length == s->first->length;
}

void receive_packets(struct listener *l, const struct np_packet *packets, size_t count)
{
	const struct session *s = l->endpoint->session;
	const size_t checked = s->options->packet.process_bytes;
	struct series series = {.count = 0}, next; /* @next is not filled with zeros: hot */
	uint64_t hash[2 * FLOWS_AHEAD];
	size_t expected = 0;
	bool good;

	for (size_t at = 0; at < count; at++) {
		const struct np_packet *packet = packets + at;

		/* Always the next ones: loading takes as long as to count some. */
		for (; expected < count && expected <= at + FLOWS_AHEAD; expected += FLOWS_AHEAD)
			flows_expect(&l->flows, packets + expected,
				     np_least(FLOWS_AHEAD, count - expected),
				     hash + expected % (2 * FLOWS_AHEAD));
		/* Who is published to may answer. */
		if (!np_address_networks_have(s->addresses.allowed, packet->source) &&
		    !endpoint_peer(l->endpoint, packet->source, false)) {
			l->not_allowed++;
			continue;
		}
		next.first = packet;
		next.hash = hash[at % (2 * FLOWS_AHEAD)];
		next.count = 1;
		next.wrong = next.found = 0;
		next.kind = wire_decode(packet->data, packet->length, &next.head);
		if (checked >= CHECKED_FROM &&
		    (next.kind == WIRE_OURS || next.kind == WIRE_FOREIGN))
			next.wrong = wire_check_content(packet->data, packet->length, checked,
							&next.head, &next.found);
		/* Others cannot be joined: the series so far is counted before anything else. */
		good = next.kind == WIRE_OURS && !next.wrong;
		if (good && continues(&series, &next)) {
			series.count++;
		} else {
			count_series(l, &series);
			if (next.kind == WIRE_CONTROL)
				take_control(l, packet);
			else if (good)
				series = next;
			else
				count_series(l, &next);
		}
		/* Reports are due at exact counts. */
		if (series.count && l->count + series.count >= l->due)
			count_series(l, &series);
	}
	count_series(l, &series);
}
