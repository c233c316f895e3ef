// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* find: --find-rate: runs trials one after the other, and prints each. */
#include "session.h"

#include <netperf/units.h>

/* Adds up what the peers reported. Returns false if one of them did not. */
static bool take_trial(struct session *s, struct np_find_trial *t)
{
	const struct np_usage used = np_usage_since(&s->usage);

	for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		const struct publisher *p = &e->publisher;

		attribute(e);
		t->sent += np_units_rate(p->bytes, s->options->publish.duration);
		if (p->pacer.worst_behind > t->behind)
			t->behind = p->pacer.worst_behind;
		for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
			const struct np_flow_counts *c = &peer->counts.flow;

			if (!atomic_load(&peer->end_acked))
				return false;
			np_result_add(&t->result, &peer->result);
			t->received += np_units_rate(c->bytes, c->elapsed);
		}
	}
	t->cpu = np_usage_share(&used, s->options->publish.duration);
	np_find_take(&s->find, t);
	return true;
}

/* Prints a trial, and records it. */
static void report(const struct session *s, const struct np_find_trial *t)
{
	/* Ends the line of ticks. */
	if (s->block && (s->find.trials == 1 || (s->ticks && t->result.sent.n >= s->ticks)))
		fputc('\n', s->block);
	if (s->block)
		np_find_print(s->block, &s->find, t, s->options->unit);
	if (s->records)
		(void)np_report_write(s->run->report, np_find_record(&s->find, t, "packets"));
}

int find_run(struct session *s)
{
	const struct options *o = s->options;
	struct np_find *find = &s->find;
	bool goes_on = true;
	double asked;
	int rc = 0;

	find->most = o->publish.rate_bytes_per_s;
	find->loss_percent = o->publish.find_percent;
	find->least = NP_FIND_PACKETS * options_mean_bytes(&o->packet) /
		      np_clock_seconds(o->publish.duration);
	while (goes_on && (asked = np_find_next(find)) != NP_FIND_OVER) {
		struct np_find_trial t = {.asked = asked};

		for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++)
			publisher_again(&e->publisher, asked / (double)s->endpoint_count);
		rc = session_run(s);
		goes_on = !rc && !s->interrupts && take_trial(s, &t);
		if (goes_on)
			report(s, &t);
	}
	for (size_t i = 0; i < s->endpoint_count; i++)
		listener_close(&s->endpoint[i].listener);
	return rc;
}
