// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* attribution: divides losses among the hosts and the path. */
#include "attribution.h"

static void count(struct np_result *to, const struct np_flow_counts *c)
{
	const bool whole = c->sent_known && !c->missed_before;

	to->sent = whole ? NP_COUNT_EXACT(c->sent) : NP_COUNT_AT_LEAST(c->sent);
	to->received = NP_COUNT_EXACT(c->received);
	to->lost = whole ? NP_COUNT_EXACT(c->lost) : NP_COUNT_AT_LEAST(c->lost);
	to->duplicates = NP_COUNT_EXACT(c->duplicates);
	to->reordered = NP_COUNT_EXACT(c->reordered);
	to->late = NP_COUNT_EXACT(c->late);
	to->damaged = NP_COUNT_EXACT(c->damaged);
}

/*
 * The receiver's kernel knows of packets that it dropped before its socket: they were lost in that
 * host. They are taken from the path, then from what nobody knows.
 */
static void raise_host(struct np_loss *loss, const struct np_drops_total *receiver)
{
	uint64_t more, path;

	if (!receiver->known || receiver->packets <= loss->host ||
	    receiver->packets - loss->host > loss->path + loss->unattributed)
		return;
	more = receiver->packets - loss->host;
	path = more < loss->path ? more : loss->path;
	loss->host += more;
	loss->path -= path;
	loss->unattributed -= more - path;
	loss->exact &= receiver->exact;
}

/* The hosts' own accounts, by their kernels' reasons. */
struct hosts {
	struct np_drops_total sender, receiver;
};

static void divide(struct np_result *to, const struct np_flow_counts *c, struct np_loss loss,
		   const struct hosts *hosts)
{
	/* Of a run that began before the listener, or came twice, other packets may be meant. */
	const bool doubtful = c->duplicates || c->missed_before;

	if (!doubtful)
		raise_host(&loss, &hosts->receiver);
	np_result_attribute(to, &loss, &hosts->sender, &hosts->receiver,
			    doubtful || !c->sent_known);
}

void attribute_listener(struct np_result *to, const struct listener_result *listener)
{
	const struct np_flow_counts *c = &listener->total.counts;
	const struct hosts hosts = {listener->flows_sender,
				    np_drops_total(&listener->flows_dropped)};

	*to = (struct np_result){.sent.known = NP_UNKNOWN};
	count(to, c);
	divide(to, c, listener->loss, &hosts);
}

void attribute_flow(struct np_result *to, const struct listener_result *listener,
		    const struct listener_flow *flow)
{
	const struct np_flow_counts *c = &flow->life.counts;
	const struct hosts hosts = {flow->sender, np_drops_total(&flow->dropped)};
	/* The socket's drops are of all its flows. */
	struct np_loss loss = {.unattributed = c->lost, .exact = !c->lost};

	if (listener->total.counts.flows == 1)
		loss = listener->loss;
	*to = (struct np_result){.sent.known = NP_UNKNOWN};
	count(to, c);
	divide(to, c, loss, &hosts);
}

void attribute_peer(struct np_result *to, const struct shared_peer *peer)
{
	const struct wire_counts *told = &peer->counts;
	const struct hosts hosts = {peer->dropped, told->host};
	const struct np_flow_counts c = {
		.sent = peer->last - peer->unsent - told->before,
		.sent_known = true,
		.received = told->received,
		.lost = told->missing,
		.duplicates = told->duplicates,
		.reordered = told->reordered,
		.damaged = told->damaged,
		.missed_before = told->before,
	};
	struct np_loss loss = {.unattributed = told->missing, .exact = !told->missing};

	*to = (struct np_result){.sent = NP_COUNT_EXACT(peer->last - peer->unsent)};
	if (!atomic_load(&peer->end_acked))
		return;
	count(to, &c);
	to->sent = NP_COUNT_EXACT(peer->last - peer->unsent);
	to->late.known = NP_UNKNOWN;
	if (told->lost_host <= told->missing) {
		loss.host = told->lost_host;
		loss.unattributed -= loss.host;
	}
	if (told->lost_exact && told->lost_host <= told->missing) {
		loss.path = loss.unattributed;
		loss.unattributed = 0;
		loss.exact = true;
	}
	divide(to, &c, loss, &hosts);
}
