// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* control: the small datagrams by which our ends know each other, at the listener. */
#include "listener_state.h"

#define ASK_EACH   (100 * NP_MILLISECOND)
#define ASKS_MAX   100
#define STRAGGLERS (200 * NP_MILLISECOND)

static void send_control(struct listener *l, const struct np_address *to,
			 struct wire_control *control)
{
	uint8_t data[WIRE_CONTROL_BYTES];
	size_t bytes;

	control->return_port = l->plan.partner->return_port;
	bytes = wire_control_encode(data, control);
	/* What fails is what the network may lose: both sides repeat. */
	(void)np_datagram_send_one(l->socket, to, data, bytes);
}

/* Only those we publish to are answered: a forged source is not. */
static void answer_time(struct listener *l, const struct np_packet *packet,
			const struct wire_control *request)
{
	struct partner *partner = l->plan.partner;
	struct partner_peer *peer = partner_peer_of(partner, packet->source);
	struct wire_control reply = {
		.type = WIRE_TIME_REPLY,
		.brief = request->brief,
		.run = request->run,
		.t1 = request->t1,
		.t2 = packet->stamp,
	};

	if (!peer || request->run != partner->run)
		return;
	if (np_address_equal(&peer->address, packet->source))
		wire_copies_count(&peer->requests, request->copies);
	if (!atomic_exchange(&peer->confirmed, true))
		partner_wake(partner->publisher_wake);
	reply.t3 = np_clock_now();
	send_control(l, packet->source, &reply);
}

static void take_time(struct listener *l, const struct np_packet *packet,
		      const struct wire_control *reply)
{
	for (struct flow *flow = flows_first(l->flows); flow; flow = flow->next) {
		if (flow->ours && flow->run == reply->run &&
		    np_address_equal(&flow->printed, packet->source))
			flow_clock_reply(flow, reply, packet->stamp);
	}
}

bool control_accounted(const struct flow *flow, np_time now)
{
	struct flow_figures life;

	if (now - flow->end_at >= STRAGGLERS)
		return true;
	flow_life(flow, &life);
	return !life.missing;
}

static void take_end(struct listener *l, const struct np_packet *packet,
		     const struct wire_control *end)
{
	struct flow *flow = flows_find(l->flows, packet->source, end->run);
	struct wire_control ack = {.type = WIRE_END_ACK, .run = end->run};
	struct flow_figures life;

	if (!flow || !flow->ours)
		return;
	l->last_end = packet->stamp;
	wire_copies_count(&flow->ends, end->copies);
	if (!flow->ended)
		flow_end(flow, end->last, end->unsent, packet->stamp);
	if (!control_accounted(flow, packet->stamp))
		return;
	flow_life(flow, &life);
	ack.last = flow->last;
	ack.copies = ++flow->acks_sent;
	ack.counts = (struct wire_counts){
		.received = life.received,
		.missing = life.missing,
		.duplicates = life.duplicates,
		.reordered = life.reordered,
		.damaged = life.damaged,
	};
	/* What the socket dropped belongs to this flow only when it is the only one. */
	if (flows_count(l->flows) == 1)
		ack.counts.lost_host = account_loss(l).host;
	send_control(l, &flow->printed, &ack);
}

static void take_end_ack(struct listener *l, const struct np_packet *packet,
			 const struct wire_control *ack)
{
	struct partner *partner = l->plan.partner;
	struct partner_peer *peer = partner_peer_of(partner, packet->source);

	if (!peer || ack->run != partner->run)
		return;
	if (np_address_equal(&peer->address, packet->source))
		wire_copies_count(&peer->acks, ack->copies);
	partner_acked(peer, &ack->counts);
	partner_wake(partner->publisher_wake);
}

void control_take(struct listener *l, const struct np_packet *packet)
{
	struct wire_control control;

	if (wire_control_decode(packet->data, packet->length, &control)) {
		l->result.control_errors++;
		return;
	}
	switch (control.type) {
	case WIRE_TIME_REQUEST: answer_time(l, packet, &control); break;
	case WIRE_TIME_REPLY: take_time(l, packet, &control); break;
	case WIRE_END: take_end(l, packet, &control); break;
	case WIRE_END_ACK: take_end_ack(l, packet, &control); break;
	default: l->result.control_errors++; break;
	}
}

static bool may_ask(const struct flow *flow, np_time now)
{
	if (!flow->ours || flow->ended || now - flow->clock.asked < ASK_EACH)
		return false;
	if (!np_address_port(&flow->printed))
		return false;
	/* A publisher that has paused needs no better clock. */
	return flow->confirmed ? now - flow->life.end < ASK_EACH : flow->clock.asks < ASKS_MAX;
}

void control_ask(struct listener *l, np_time now)
{
	struct wire_control request = {.type = WIRE_TIME_REQUEST};

	for (struct flow *flow = flows_first(l->flows); flow; flow = flow->next) {
		if (!may_ask(flow, now))
			continue;
		flow->clock.asked = now;
		flow->clock.asks++;
		request.run = flow->run;
		request.copies = flow->clock.asks;
		request.t1 = np_clock_now();
		send_control(l, &flow->printed, &request);
	}
}
