// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* send_drops: what this host dropped of a sender's messages, by its kernel's reasons. */
#include "send_session.h"

static struct transport_counts count(const struct send_session *s)
{
	struct transport_counts counts;

	s->transport.face->counts(&s->transport, &counts);
	return counts;
}

/* Others may use the same watch: their receivers are others. */
static void count_dropped(const struct send_session *s, struct np_drops_counts *counts)
{
	const struct session *session = s->session;
	const bool shared = session->drops_watch != NP_DROPS_ALL;

	np_drops_count(session->drops, session->drops_watch, shared ? &s->transport.to : NULL,
		       counts);
}

void send_drops_begin(struct send_session *s)
{
	const struct transport_counts now = count(s);
	struct send_drops *d = &s->drops;

	/* Of a stream a run has all since its connections were made. */
	if (!s->session->drops || !s->transport.face->datagrams)
		return;
	d->told_before = now.told_dropped;
	d->told_before_perhaps = now.told_dropped_perhaps;
	(void)np_drops_update(s->session->drops);
	count_dropped(s, &d->before);
}

/* What is lost of @dropped during the run: without what the sender was told of. */
static struct np_drops_total lost(const struct send_session *s,
				  const struct np_drops_total *dropped)
{
	const struct transport_counts now = count(s);

	return np_drops_untold(dropped, now.told_dropped - s->drops.told_before,
			       now.told_dropped_perhaps - s->drops.told_before_perhaps);
}

void send_drops_account(struct send_session *s, struct message_end *end)
{
	struct np_drops_counts *now = &s->drops.run;
	struct np_drops_total total;

	if (!s->session->drops || !s->transport.face->datagrams)
		return;
	(void)np_drops_peek(s->session->drops);
	count_dropped(s, now);
	np_drops_since(now, &s->drops.before);
	total = np_drops_total(now);
	end->dropped = lost(s, &total);
	record_tell_reasons(now, &end->reasons);
}

void send_drops_conclude(struct send_session *s)
{
	struct send_drops *d = &s->drops;
	struct np_drops_counts now;
	struct np_drops_total total;

	if (!s->session->drops)
		return;
	(void)np_drops_update(s->session->drops);
	count_dropped(s, &now);
	d->run = now;
	np_drops_since(&d->run, &d->before);
	total = np_drops_total(&d->run);
	if (s->transport.face->datagrams)
		d->lost = lost(s, &total);
	else
		d->before = now;
	if (!s->sum.runs)
		s->sum.dropped = (struct np_drops_counts){.known = true, .exact = true};
	np_drops_add(&s->sum.dropped, &d->run);
}
