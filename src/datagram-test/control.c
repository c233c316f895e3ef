// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* control: the listener's side of the control datagrams between two ends of this program. */
#include "session.h"

#define ASK_EACH (100 * NP_MILLISECOND)
/* Used when nothing arrives or nothing is answered. */
#define ASK_SELDOM (500 * NP_MILLISECOND)
#define ASKS_MAX   100
#define UNANSWERED 10
/* The most requests a second to unproven flows that have no more packets than LITTLE. */
#define UNPROVEN_MAX 64
#define LITTLE	     16

static void send_control(struct listener *l, const struct np_address *to,
			 struct wire_control *control)
{
	uint8_t data[WIRE_CONTROL_BYTES];
	size_t bytes;

	control->return_port = l->endpoint->return_port;
	bytes = wire_control_encode(data, control);
	/* A failed send is like a loss in the network: both sides repeat. */
	(void)np_datagram_send_one(l->socket, to, data, bytes);
}

/* Answers only peers that this process publishes to, so that a forged source gets no answer. */
static void answer_time(struct listener *l, const struct np_packet *packet,
			const struct wire_control *request)
{
	struct endpoint *endpoint = l->endpoint;
	struct peer *peer = endpoint_peer(endpoint, packet->source);
	struct wire_control reply = {
		.type = WIRE_TIME_REPLY,
		.brief = request->brief,
		.run = request->run,
		.t1 = request->t1,
		.t2 = packet->stamp,
	};

	if (!peer || request->run != endpoint->run)
		return;
	if (np_address_equal(&peer->address, packet->source))
		wire_copies_count(&peer->requests, request->copies);
	if (request->last || request->counts.flow.received > peer->came) {
		peer->came = request->counts.flow.received;
		atomic_store(&peer->moved, packet->stamp);
	}
	if (!atomic_exchange(&peer->confirmed, true))
		worker_wake(endpoint->publisher.worker.wake);
	reply.t3 = np_clock_now();
	send_control(l, packet->source, &reply);
}

static void take_time(struct listener *l, const struct np_packet *packet,
		      const struct wire_control *reply)
{
	struct flow *flow = NULL;

	while ((flow = flows_printed(&l->flows, packet->source, flow))) {
		if (flow->ours && flow->run == reply->run)
			flow_clock_reply(flow, reply, packet->stamp);
	}
}

/*
 * Sends @control to the flow's publisher; to an unproven address never more bytes than came from
 * it.
 */
static bool send_to_publisher(struct listener *l, struct flow *flow, struct wire_control *control)
{
	uint64_t bytes =
		flow_wire_bytes(flow, control->brief ? WIRE_BRIEF_BYTES : WIRE_CONTROL_BYTES);

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
						  flow_wire_bytes(flow, WIRE_CONTROL_BYTES),
	};

	if (!send_to_publisher(l, flow, &request))
		return;
	flow->clock.asked = now;
	flow_clock_ask(flow, request.t1);
}

void control_acknowledge(struct listener *l, struct flow *flow)
{
	struct wire_control ack = {
		.type = WIRE_END_ACK,
		.run = flow->run,
		.last = flow->last,
		.copies = flow->acks_sent + 1,
		.counts = {.lost_host = WIRE_UNKNOWN,
			   .delay_bound = np_flow_delay_bound(flow->account)},
	};
	struct np_drops_counts dropped;

	(void)np_drops_peek(l->endpoint->drops);
	dropped = reporting_dropped(l, flow);
	ack.counts.host = np_drops_total(&dropped);
	flow_life(flow, &ack.counts.flow);
	(void)flow_delay(flow, &ack.counts.delay);
	/* Drops of the socket since it was opened can be a flow's only if there is no other. */
	if (l->flows.first == flow && !flow->next && !l->total.flows) {
		const struct np_loss loss = reporting_loss(l);

		ack.counts.lost_host = loss.host;
		ack.counts.lost_exact = loss.exact;
	}
	flow->acks_sent += send_to_publisher(l, flow, &ack);
	l->last_end = np_clock_now();
}

static void take_end(struct listener *l, const struct np_packet *packet,
		     const struct wire_control *end)
{
	struct flow *flow = flows_find(&l->flows, packet->source, end->run);

	if (!flow || !flow->ours)
		return;
	l->last_end = packet->stamp;
	l->news = true;
	flow->came_bytes += flow_wire_bytes(flow, packet->length);
	flow_end_came(flow, end->copies, np_clock_now() - packet->stamp);
	flow->sender = end->counts.host;
	if (!flow->ended)
		flow_end(flow, end->last, end->unsent, packet->stamp);
	if (flow_accounted(flow, packet->stamp))
		control_acknowledge(l, flow);
	else if (packet->stamp - flow->clock.asked >= ASK_EACH)
		/* Packets may still be on their way: asks the publisher to wait. */
		ask(l, flow, packet->stamp);
}

static void take_end_ack(struct listener *l, const struct np_packet *packet,
			 const struct wire_control *ack)
{
	struct endpoint *endpoint = l->endpoint;
	struct peer *peer = endpoint_peer(endpoint, packet->source);

	if (!peer || ack->run != endpoint->run)
		return;
	if (np_address_equal(&peer->address, packet->source))
		wire_copies_count(&peer->acks, ack->copies);
	/* Only the first one counts. */
	if (!atomic_load_explicit(&peer->end_acked, memory_order_relaxed)) {
		peer->counts = ack->counts;
		atomic_store_explicit(&peer->end_acked, true, memory_order_release);
	}
	worker_wake(endpoint->publisher.worker.wake);
}

void control_take(struct listener *l, const struct np_packet *packet)
{
	struct wire_control control;

	if (wire_control_decode(packet->data, packet->length, &control)) {
		l->control_errors++;
		return;
	}
	switch (control.type) {
	case WIRE_TIME_REQUEST: answer_time(l, packet, &control); break;
	case WIRE_TIME_REPLY: take_time(l, packet, &control); break;
	case WIRE_END: take_end(l, packet, &control); break;
	case WIRE_END_ACK: take_end_ack(l, packet, &control); break;
	default: l->control_errors++; break;
	}
}

static bool may_ask(const struct flow *flow, np_time now)
{
	const struct flow_clock *clock = &flow->clock;
	bool seldom = now - flow->heard >= ASK_EACH || clock->asks - clock->replies > UNANSWERED;

	if (now - clock->asked < (seldom && flow->proven ? ASK_SELDOM : ASK_EACH) || !flow->ours ||
	    flow->ended || !np_address_port(&flow->printed))
		return false;
	/* Answers show whether a silent publisher is still alive. */
	return flow->proven ? flow_alive(flow, now) : clock->asks < ASKS_MAX;
}

/*
 * Requests to addresses where nobody listens fill the send buffer until the kernel gives them up:
 * so few are sent to unproven flows with few packets.
 */
static bool is_worth_asking(struct listener *l, const struct flow *flow, np_time now)
{
	if (flow->proven || flow->packets > LITTLE)
		return true;
	if (now - l->unproven_since >= NP_SECOND) {
		l->unproven_since = now;
		l->unproven_asked = 0;
	}
	return l->unproven_asked++ < UNPROVEN_MAX;
}

void control_ask(struct listener *l, np_time now)
{
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (may_ask(flow, now) && is_worth_asking(l, flow, now))
			ask(l, flow, now);
	}
}

void control_refused(struct listener *l, const struct np_address *to, np_time now)
{
	struct flow *flow = NULL;

	while ((flow = flows_printed(&l->flows, to, flow))) {
		if (flow->ours)
			flow->clock.refused = now;
	}
}
