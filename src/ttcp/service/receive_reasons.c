// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive_reasons: what this host dropped of a sender's messages, by its kernel's reasons. */
#include "receive_session.h"

/* Whose messages: all of a host, where there are several streams, each from a port of its own. */
static struct np_address sender_of(const struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct np_address sender = run->sender;

	if (run->streams > 1)
		np_address_set_port(&sender, 0);
	return sender;
}

static void count(const struct receive_session *r, const struct np_address *sender,
		  struct np_drops_counts *counts)
{
	np_drops_count(r->session->drops, r->session->drops_watch, sender, counts);
}

void receive_reasons_begin(struct receive_session *r)
{
	const struct np_address sender = sender_of(r);
	struct receive_reasons *d = &r->reasons;

	if (!r->session->drops || np_address_equal(&sender, &d->sender))
		return;
	/*
	 * The first message that came may not be the first one: others may be dropped already. But
	 * all ports of a host may have been those of another run.
	 */
	d->before = (struct np_drops_counts){.known = true, .exact = true};
	if (!np_address_port(&sender) && r->sum.runs) {
		(void)np_drops_update(r->session->drops);
		count(r, &sender, &d->before);
	}
	d->sender = sender;
}

void receive_reasons_account(struct receive_session *r, struct message_report *report)
{
	struct receive_reasons *d = &r->reasons;

	if (!r->session->drops || receiver_run(r->receiver)->raw)
		return;
	d->sender = sender_of(r);
	/* A stream loses nothing by it. */
	if (!r->transport.face->datagrams)
		return;
	(void)np_drops_peek(r->session->drops);
	count(r, &d->sender, &d->run);
	np_drops_since(&d->run, &d->before);
	report->dropped = np_drops_total(&d->run);
	record_tell_reasons(&d->run, &report->reasons);
}

void receive_reasons_conclude(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_reasons *d = &r->reasons;
	struct np_drops_counts now;

	if (!r->session->drops || run->raw)
		return;
	(void)np_drops_update(r->session->drops);
	count(r, &d->sender, &now);
	d->run = now;
	np_drops_since(&d->run, &d->before);
	/* A next run whose START is lost begins here. */
	d->before = now;
	d->by_sender = run->sender_dropped;
	/* What is sent to a group reaches this host before the copy for others can be dropped. */
	if (r->transport.group && d->by_sender.packets && np_address_is_local(&run->sender))
		d->by_sender.exact = false;
}
