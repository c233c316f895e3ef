// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive_drops: what this host dropped during a run, by its kernel's counters, and what it dropped
 * of the sender's messages, by its kernel's reasons.
 */
#include "receive_session.h"

#include <netperf/datagram.h>
#include <string.h>

/* Reads what this host's cards and backlog have dropped. */
static void read_path(const struct receive_session *r, struct np_path_drops *path)
{
	const struct transport_face *face = r->transport.face;

	*path = (struct np_path_drops){.softnet_known = false};
	/* What is dropped of a stream is sent again. */
	if (face->datagrams)
		np_path_read(path, receive_options(r)->socket.asked.device,
			     face->local(&r->transport, NULL));
}

/* Whose messages: all of a host, where there are several streams, each from a port of its own. */
static struct np_address sender_of(const struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct np_address sender = run->sender;

	if (run->streams > 1)
		np_address_set_port(&sender, 0);
	return sender;
}

static void count_reasons(const struct receive_session *r, const struct np_address *sender,
			  struct np_drops_counts *counts)
{
	np_drops_count(r->session->drops, r->session->drops_watch, sender, counts);
}

void receive_drops_begin(struct receive_session *r)
{
	const struct np_address sender = sender_of(r);
	struct receive_drops *d = &r->drops;
	struct receive_reasons *reasons = &r->reasons;

	*d = (struct receive_drops){.before = transport_count(&r->transport).dropped};
	read_path(r, &d->path_before);
	d->kernel_known = !np_datagram_kernel_counts(&d->kernel);
	if (!r->session->drops || np_address_equal(&sender, &reasons->sender))
		return;
	/*
	 * The first message that came may not be the first one: others may be dropped already. But
	 * all ports of a host may have been those of another run.
	 */
	reasons->before = (struct np_drops_counts){.known = true, .exact = true};
	if (!np_address_port(&sender) && r->runs) {
		(void)np_drops_update(r->session->drops);
		count_reasons(r, &sender, &reasons->before);
	}
	reasons->sender = sender;
}

/*
 * The kernel tells what was dropped until now. While END waited to be read, further ones may have
 * been.
 */
void receive_drops_ended(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);

	r->drops.at_end = transport_count(&r->transport).dropped;
	r->drops.ends_behind = receiver_run_ends_behind(run, np_clock_now() - run->ended_at);
}

static void account_reasons(struct receive_session *r, struct message_report *report)
{
	struct receive_reasons *d = &r->reasons;

	if (!r->session->drops || receiver_run(r->receiver)->raw)
		return;
	d->sender = sender_of(r);
	/* A stream loses nothing by it. */
	if (!r->transport.face->datagrams)
		return;
	(void)np_drops_peek(r->session->drops);
	count_reasons(r, &d->sender, &d->run);
	np_drops_since(&d->run, &d->before);
	report->dropped = np_drops_total(&d->run);
	record_put_reasons(&d->run, &report->reasons);
}

void receive_drops_account(void *context, struct message_report *report)
{
	struct receive_session *r = context;
	const struct transport_counts now = transport_count(&r->transport);
	struct receive_drops *d = &r->drops;
	struct np_datagram_kernel kernel;
	struct np_usage usage;

	read_path(r, &d->path);
	np_path_since(&d->path, &d->path_before);
	account_reasons(r, report);
	usage = np_usage_since(&r->progress.usage);
	report->cpu = (struct message_cpu){true, usage.user, usage.system};
	report->drop_unit = MESSAGE_DROPS_UNKNOWN;
	d->dropped = 0;
	d->full = (struct np_loss_drops){.least = 0};
	d->unit = now.dropped_known ? now.drop_unit : NULL;
	if (!d->unit)
		return;
	d->dropped = now.dropped - d->before;
	d->of_others = now.drops_of_others;
	/* Those that found no room: perhaps all, but so many at least as cannot have been damaged.
	 */
	d->full.upmost = d->dropped;
	if (d->dropped && !d->of_others && d->kernel_known && !np_datagram_kernel_counts(&kernel))
		np_loss_drops_full(&d->full, d->dropped, d->dropped,
				   kernel.checksum_errors - d->kernel.checksum_errors);
	report->host_drops = d->full.least;
	report->host_drops_most = d->full.upmost;
	report->drop_unit =
		strcmp(d->unit, "packet") ? MESSAGE_DROPS_BUFFERS : MESSAGE_DROPS_PACKETS;
}

void receive_drops_conclude(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct receive_reasons *d = &r->reasons;
	struct np_drops_counts now;

	if (!r->session->drops || run->raw)
		return;
	(void)np_drops_update(r->session->drops);
	count_reasons(r, &d->sender, &now);
	d->run = now;
	np_drops_since(&d->run, &d->before);
	/* A next run whose START is lost begins here. */
	d->before = now;
	d->by_sender = run->sender_dropped;
	/* What is sent to a group reaches this host before the copy for others can be dropped. */
	if (r->transport.group && d->by_sender.packets && np_address_is_local(&run->sender))
		d->by_sender.exact = false;
}
