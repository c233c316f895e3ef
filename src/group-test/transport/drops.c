// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* drops: watches the DATA of the group, and divides what was dropped among its senders. */
#include "drops.h"

#include "variant.h"

#include <errno.h>
#include <stdlib.h>

struct flow {
	struct np_address sender;
	bool local;
	struct np_drops_counts before, run;
};

struct transport_drops {
	struct transport_drops_plan plan;
	int in, out; /* watches */
	size_t flows;
	struct flow *flow; /* of each sender */
	uint64_t told_before;
	struct np_drops_counts sent_before, sent; /* of this member's own */
	struct np_drops_counts all;
};

static void give_up(struct transport_drops *d, const char *why)
{
	d->plan.library = NULL;
	d->plan.why = why;
}

int transport_drops_open(struct transport *transport, const struct transport_drops_plan *plan)
{
	struct transport_drops *d;
	const struct np_drops_info *info;

	if (!plan->library && !plan->why)
		return 0;
	d = calloc(1, sizeof(*d));
	transport->drops = d;
	if (!d)
		return -ENOMEM;
	d->plan = *plan;
	d->in = d->out = -1;
	info = plan->library ? np_drops_info(plan->library) : NULL;
	if (info && info->why[0])
		give_up(d, info->why);
	return 0;
}

void transport_drops_close(struct transport *transport)
{
	if (!transport->drops)
		return;
	free(transport->drops->flow);
	free(transport->drops);
}

void transport_drops_watch(struct transport *transport, const struct np_address *own,
			   const struct np_address *group, int socket)
{
	struct transport_drops *d = transport->drops;
	struct np_drops_packets packets = {
		.direction = NP_DROPS_OUT,
		.local = own,
		.peer = group,
		.socket = -1,
	};

	if (!d || !d->plan.library)
		return;
	np_drops_mark(&packets, d->plan.mark, d->plan.mark_bytes);
	/* First, since what a queue has segmented looks like something that arrives. */
	d->out = np_drops_watch(d->plan.library, &packets);
	packets.direction = NP_DROPS_IN;
	packets.local = group;
	packets.peer = NULL;
	packets.socket = socket;
	d->in = np_drops_watch(d->plan.library, &packets);
	if (d->out < 0 || d->in < 0)
		give_up(d, "not watched");
}

static uint64_t told(struct transport *transport, bool *queued)
{
	struct transport_stats stats = {};

	(void)transport_stats(transport, &stats);
	*queued = stats.queued;
	return stats.told_dropped;
}

/* Whatever was dropped before belongs to no run, or to the one before. */
static void begin(struct transport *transport, const struct result *result)
{
	struct transport_drops *d = transport->drops;
	bool queued;

	if (!d->flow)
		d->flow = calloc(result->senders, sizeof(*d->flow));
	if (!d->flow) {
		give_up(d, "out of memory");
		return;
	}
	d->flows = result->senders;
	(void)np_drops_peek(d->plan.library);
	for (size_t i = 0; i < d->flows; i++) {
		struct flow *flow = &d->flow[i];

		flow->sender = identity_address(&result->sender[i]);
		flow->local = np_address_is_local(&flow->sender);
		np_drops_count(d->plan.library, d->in, &flow->sender, &flow->before);
	}
	np_drops_count(d->plan.library, d->out, NULL, &d->sent_before);
	d->told_before = told(transport, &queued);
}

/* What is lost of what this member sent: without what was sent again. */
static struct np_drops_total lost(const struct transport_drops *d, uint64_t again, bool queued)
{
	const struct np_drops_total total = np_drops_total(&d->sent);
	struct np_drops_total rest = np_drops_untold(&total, again, 0);

	rest.exact = rest.exact && !queued && !(again && d->plan.warmup);
	return rest;
}

/* @again: packets that were sent again; @queued: some still waited before the counts were read. */
static void count(struct transport_drops *d, uint64_t again, bool queued,
		  const struct result *result, struct result_member *own)
{
	np_drops_count(d->plan.library, d->out, NULL, &d->sent);
	np_drops_since(&d->sent, &d->sent_before);
	d->all = d->sent;
	for (size_t i = 0; i < d->flows && i < result->senders; i++) {
		struct flow *flow = &d->flow[i];

		np_drops_count(d->plan.library, d->in, &flow->sender, &flow->run);
		np_drops_since(&flow->run, &flow->before);
		np_drops_add(&d->all, &flow->run);
		own->row[i].drops = (struct result_drops){np_drops_total(&flow->run), &flow->run};
		own->row[i].local = flow->local;
	}
	own->sent_drops = (struct result_drops){lost(d, again, queued), &d->sent};
}

bool transport_drops_fill(struct transport *transport, enum drops_moment moment,
			  const struct result *result, struct result_member *own)
{
	struct transport_drops *d = transport->drops;
	bool queued = false;
	uint64_t again;

	if (!d)
		return false;
	if (d->plan.library && moment == DROPS_BEGIN)
		begin(transport, result);
	if (moment == DROPS_BEGIN)
		return false;
	if (d->plan.library) {
		/* First: what waits no more when the counts are read has been counted. */
		again = told(transport, &queued) - d->told_before;
		/* A failure makes the counts unknown. */
		(void)(moment == DROPS_END ? np_drops_update(d->plan.library)
					   : np_drops_peek(d->plan.library));
		count(d, again, queued, result, own);
	} else {
		d->all = (struct np_drops_counts){.why = d->plan.why};
	}
	own->all_drops = (struct result_drops){np_drops_total(&d->all), &d->all};
	return queued;
}
