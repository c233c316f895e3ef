// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * mesh: publishes to the other ranks and listens to them, as steps of np_meet. A mesh has one
 * endpoint.
 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>

/* How long the end handshakes with peers that no longer answer may take at most. */
#define HANDSHAKES (3 * NP_SECOND)
/* After a signal: how long to wait for packets on their way, and how often to check. */
#define INTERRUPTED_WAIT (300 * NP_MILLISECOND)
#define INTERRUPTED_LOOK 50 /* ms */

/* Opens the publisher, if there is somebody to publish to, and starts the listener. */
static int connect_all(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	struct endpoint *e = s->endpoint;
	struct np_address_list *peers = &s->addresses.peers;
	int rc = np_meet_find(meet, &meet->sources);

	if (rc)
		return rc;
	peers->item = calloc(meet->targets.count + 1, sizeof(*peers->item));
	if (!peers->item)
		return np_meet_fault(meet, -ENOMEM);
	for (; peers->count < meet->targets.count; peers->count++)
		peers->item[peers->count] = meet->targets.peer[peers->count].address;
	rc = endpoint_set_peers(e, peers);
	if (!rc && peers->count && publisher_open(&e->publisher))
		return -ECANCELED;
	if (!rc)
		rc = session_start(&e->listener.worker, listener_run, &e->listener);
	return rc ? np_meet_fault(meet, rc) : 0;
}

static int publish(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	struct publisher *p = &s->endpoint->publisher;
	const int rc = p->socket ? session_start(&p->worker, publisher_run, p) : 0;

	meet->deadline =
		meet->begun + s->options->publish.duration + meet->options->limit + HANDSHAKES;
	if (rc)
		return np_meet_fault(meet, rc);
	session_oversee(s);
	return 0;
}

/*
 * Ends both threads. What is on its way is still waited for, but after a signal only so long that
 * the report is written before a launcher kills this rank.
 */
static void stop(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	const np_time leave = np_clock_now() + INTERRUPTED_WAIT;

	session_set_phase(s, PHASE_CLOSING, PHASE_CLOSING);
	while (session_join(s->endpoint)) {
		const bool hurry = s->interrupts > 0;

		if (!meet->begun || (hurry && np_clock_now() >= leave))
			session_set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
		session_await(s, hurry ? INTERRUPTED_LOOK : SESSION_LOOK);
	}
}

/* Of the packets to this rank from @source: of its flow with the most, if there is any. */
static int measure_received(struct np_meet *meet, const struct np_meet_peer *source)
{
	const struct session *s = meet->run->state;
	const struct listener *l = &s->endpoint->listener;
	const struct flow *flow = NULL;
	struct np_mesh_pair pair = {
		.from = source->rank,
		.to = meet->rank,
		.parts = NP_MESH_TO,
	};

	for (const struct flow *one = l->flow; one < l->flow + l->flow_count; one++) {
		if (np_address_equal(&one->printed, &source->address) &&
		    (!flow || one->counts.flow.received > flow->counts.flow.received))
			flow = one;
	}
	if (flow) {
		const struct wire_counts *c = &flow->counts;

		np_mesh_take_flow(&pair, &c->flow, meet->begun);
		pair.dropped_to = c->host;
		pair.delay = c->delay;
		pair.delay_bound = c->delay.count ? c->delay_bound : 0;
	}
	return np_mesh_add(meet->mesh, &pair);
}

/* Judges both threads first, and adds what this host dropped of what was received and sent. */
static int measure(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	const struct publisher *publisher = &s->endpoint->publisher;
	struct np_drops_counts dropped = s->endpoint->listener.dropped;
	int rc = 0;

	meet->failed = conclude_listener(&s->endpoint->listener);
	if (publisher->socket)
		meet->failed |= conclude_publisher(publisher);
	meet->interrupts = s->interrupts;
	for (size_t i = 0; !rc && i < meet->sources.count; i++)
		rc = measure_received(meet, &meet->sources.peer[i]);
	for (size_t i = 0; !rc && i < meet->targets.count; i++) {
		const struct peer *peer = &s->endpoint->peer[i];

		rc = np_mesh_add(meet->mesh, &(struct np_mesh_pair){
						     .from = meet->rank,
						     .to = meet->targets.peer[i].rank,
						     .parts = NP_MESH_FROM,
						     .sent = peer->last - peer->unsent,
						     .unsent = peer->unsent,
						     .dropped_from = peer->dropped,
					     });
	}
	if (publisher->socket)
		np_drops_add(&dropped, &publisher->dropped);
	if (!rc && s->options->drops != NP_DROPS_OFF)
		rc = np_mesh_add_dropped(meet->mesh, meet->rank, &dropped);
	return rc;
}

static struct np_record *start(struct np_meet *meet)
{
	return record_start(meet->run->state);
}

int mesh_run(struct session *s)
{
	static const struct np_meet_steps steps = {
		.peers_max = FLOWS_MAX,
		.connect = connect_all,
		.send = publish,
		.stop = stop,
		.measure = measure,
		.start = start,
	};
	const struct options *o = s->options;
	struct np_meet meet = {
		.run = s->run,
		.options = &o->mesh,
		.steps = &steps,
		.local = s->endpoint->at,
		.allow = s->addresses.allowed,
		.words = {.transport = "UDP",
			  .bytes = o->packet.shortest_bytes == o->packet.packet_bytes
					   ? o->packet.packet_bytes
					   : 0,
			  .rates_in_bytes = o->unit,
			  .unit = "packets",
			  .delay = "delay"},
		.text = s->text,
		.max_loss_percent = o->max_loss_percent,
	};

	/* The threads write no text. */
	s->text = NULL;
	s->ticks = 0;
	return np_meet_run(&meet);
}
