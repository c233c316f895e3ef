// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * find: --find-rate: halves the span between the rates that passed and those that failed; runs
 * trials one after the other, prints each, and says what was found.
 */
#include "session.h"

#include <netperf/units.h>

/* A trial with fewer packets says little about loss. */
#define PACKETS_LEAST 100

/* The search ends when the lowest rate that failed is not higher by more than this. */
#define RESOLUTION 0.01
/* A sender that keeps this much of its rate keeps it. */
#define KEPT 0.99
/*
 * What arrived of the first trial, and of one of which less than this share did, shows what the
 * path carries: the next one is a little below that, and one a little above it.
 */
#define LOSSY 0.9
#define BELOW 0.97
#define ABOVE 1.02

void search_take(struct search *search, struct trial *trial)
{
	struct search_rate *r = search->rate;
	/* The last packet may be due at the very end: of few packets it is much. */
	const double one = trial->result.sent.n ? trial->sent / (double)trial->result.sent.n : 0;

	trial->loss_percent = np_loss_percent(trial->result.lost.n, trial->result.sent.n);
	trial->verdict = TRIAL_PASSED;
	if (trial->loss_percent > search->loss_percent)
		trial->verdict = TRIAL_LOST;
	else if (trial->sent + one < KEPT * trial->asked)
		trial->verdict = TRIAL_BEHIND;
	while (r < search->rate + search->count && r->trial.asked != trial->asked)
		r++;
	if (!r->trials++) {
		search->count++;
		r->rate = trial->asked > 0 ? trial->asked : trial->sent;
		r->low = r->high = trial->received;
	}
	search->trials++;
	r->trial = *trial;
	r->low = trial->received < r->low ? trial->received : r->low;
	r->high = trial->received > r->high ? trial->received : r->high;
}

/*
 * The lowest rate that failed, and the highest one below it that passed; NULL: none. One above a
 * rate that failed had luck.
 */
static void bounds(const struct search *search, const struct search_rate **passed,
		   const struct search_rate **failed)
{
	const struct search_rate *end = search->rate + search->count;

	*passed = *failed = NULL;
	for (const struct search_rate *r = search->rate; r < end; r++) {
		if (r->trial.verdict != TRIAL_PASSED && (!*failed || r->rate < (*failed)->rate))
			*failed = r;
	}
	for (const struct search_rate *r = search->rate; r < end; r++) {
		if (r->trial.verdict == TRIAL_PASSED && (!*failed || r->rate < (*failed)->rate) &&
		    (!*passed || r->rate > (*passed)->rate))
			*passed = r;
	}
}

static bool is_narrow(double passed, const struct search_rate *failed)
{
	return !failed || failed->rate <= (1 + RESOLUTION) * passed;
}

double search_next(const struct search *search)
{
	const struct search_rate *passed, *failed;
	double from, to, carried, next;

	bounds(search, &passed, &failed);
	if (passed && is_narrow(passed->rate, failed))
		return passed->trials < SEARCH_REPEATS ? passed->trial.asked : SEARCH_OVER;
	/* None was tried. */
	if (!failed)
		return search->most;
	from = passed ? passed->rate : 0;
	to = failed->rate;
	/* So much more than arrives may be sent. */
	carried = failed->trial.received / (1 - search->loss_percent / 100);
	if (!passed)
		next = carried < LOSSY * to || search->trials == 1 ? BELOW * carried : to / 2;
	else if (carried > from && ABOVE * carried < to)
		next = ABOVE * carried;
	else
		next = to > 4 * from ? 2 * from : (from + to) / 2;
	return next >= search->least && search->count < SEARCH_RATES ? next : SEARCH_OVER;
}

const struct search_rate *search_found(const struct search *search,
				       const struct search_rate **limit)
{
	const struct search_rate *passed;

	bounds(search, &passed, limit);
	return passed && is_narrow(passed->rate, *limit) && passed->trials >= SEARCH_REPEATS
		       ? passed
		       : NULL;
}

/* Where most of what was lost was lost. */
static const char *place_of(const struct np_result *r)
{
	const struct {
		const char *name;
		const struct np_count *count;
	} places[] = {{"unattributed", &r->lost_unattributed},
		      {"sender_host", &r->lost_sender_host},
		      {"path", &r->lost_path},
		      {"receiver_host", &r->lost_receiver_host}};
	size_t most = 0;

	for (size_t i = 1; i < sizeof(places) / sizeof(*places); i++) {
		if (places[i].count->known != NP_UNKNOWN &&
		    places[i].count->n > places[most].count->n)
			most = i;
	}
	return places[most].name;
}

/* Adds up what the peers reported. Returns false if one of them did not. */
static bool take_trial(struct session *s, struct trial *t)
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
	search_take(&s->search, t);
	return true;
}

static void print_trial(const struct session *s, unsigned number, const struct trial *t)
{
	static const char line[] = "%5s  %14s  %14s  %14s  %8s  %s\n";
	const unsigned unit = s->options->unit;
	const char *const remarks[] = {"passed", "fell behind", place_of(&t->result)};
	char count[16], loss[16];

	/* Ends the line of ticks. */
	if (number == 1 || (s->ticks && t->result.sent.n >= s->ticks))
		fputc('\n', s->block);
	if (number == 1)
		fprintf(s->block, line, "trial", "asked", "sent", "received", "lost, %", "verdict");
	snprintf(count, sizeof(count), "%u", number);
	snprintf(loss, sizeof(loss), "%.3g", t->loss_percent);
	fprintf(s->block, line, count,
		t->asked > 0 ? np_rate_format(t->asked, unit).text : "no limit",
		np_rate_format(t->sent, unit).text, np_rate_format(t->received, unit).text, loss,
		remarks[t->verdict]);
	fflush(s->block);
}

static struct np_record *record_trial(unsigned number, const struct trial *t)
{
	static const char *const verdicts[] = {"passed", "behind", "lost"};
	struct np_record *r = np_record_new("trial");

	np_record_count(r, "trial", number);
	if (t->asked > 0)
		np_record_number(r, "asked_rate_bytes_per_s", t->asked);
	np_record_number(r, "sent_rate_bytes_per_s", t->sent);
	np_record_number(r, "rate_bytes_per_s", t->received);
	np_record_count(r, "sent_packets", t->result.sent.n);
	np_record_count(r, "received_packets", t->result.received.n);
	np_record_count(r, "lost_packets", t->result.lost.n);
	(void)np_record_lost(r, &t->result, "packets");
	np_record_number(r, "loss_percent", t->loss_percent);
	np_record_time(r, "behind_ns", t->behind);
	np_record_number(r, "cpu_percent", 100 * t->cpu);
	np_record_text(r, "verdict", verdicts[t->verdict]);
	return r;
}

int find_run(struct session *s)
{
	const struct options *o = s->options;
	struct search *search = &s->search;
	bool goes_on = true;
	double asked;
	int rc = 0;

	search->most = o->publish.rate_bytes_per_s;
	search->loss_percent = o->publish.find_percent;
	search->least = PACKETS_LEAST * options_mean_bytes(&o->packet) /
			np_clock_seconds(o->publish.duration);
	while (goes_on && (asked = search_next(search)) != SEARCH_OVER) {
		struct trial t = {.asked = asked};

		for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++)
			publisher_again(&e->publisher, asked / (double)s->endpoint_count);
		rc = session_run(s);
		goes_on = !rc && !s->interrupts && take_trial(s, &t);
		if (goes_on && s->block)
			print_trial(s, search->trials, &t);
		if (goes_on && s->records)
			(void)np_report_write(s->run->report, record_trial(search->trials, &t));
	}
	for (size_t i = 0; i < s->endpoint_count; i++)
		listener_close(&s->endpoint[i].listener);
	return rc;
}

static void print_found(const struct session *s, const struct search_rate *found,
			const struct search_rate *failed, const char *place)
{
	const struct search_rate *limit = failed ? failed : found;
	const unsigned unit = s->options->unit;

	fprintf(s->block, "\nfound: %s, %.3g %% lost, received %s to %s in %u trials\n",
		np_rate_format(found->rate, unit).text, found->trial.loss_percent,
		np_rate_format(found->low, unit).text, np_rate_format(found->high, unit).text,
		found->trials);
	if (limit->trial.verdict == TRIAL_LOST)
		fprintf(s->block, "limit: %s, where most of %.3g %% was lost at %s\n", place,
			limit->trial.loss_percent, np_rate_format(limit->rate, unit).text);
	else if (!failed && s->search.most > 0)
		fputs("limit: none up to --rate\n", s->block);
	else
		fprintf(s->block, "limit: this host, which sends no more than %s, at %.0f %% cpu\n",
			np_rate_format(limit->trial.sent, unit).text, 100 * limit->trial.cpu);
}

int find_conclude(struct session *s, struct np_record *summary)
{
	const struct search *search = &s->search;
	const struct search_rate *failed, *found = search_found(search, &failed);
	const char *limit = search->most > 0 && !failed ? "rate" : "sender_host";
	struct np_record *r;

	if (failed && failed->trial.verdict == TRIAL_LOST)
		limit = place_of(&failed->trial.result);
	if (found && s->block)
		print_found(s, found, failed, limit);
	else if (found && !s->options->report.json)
		np_log_info(s->log, "--find-rate found %s",
			    np_rate_format(found->rate, s->options->unit).text);
	if (found && summary) {
		r = np_record_object(summary, "found");
		np_record_number(r, "rate_bytes_per_s", found->rate);
		np_record_number(r, "loss_percent", found->trial.loss_percent);
		np_record_number(r, "received_min_bytes_per_s", found->low);
		np_record_number(r, "received_max_bytes_per_s", found->high);
		np_record_count(r, "trials", found->trials);
		np_record_text(r, "limit", limit);
	}
	if (found || s->interrupts)
		return 0;
	np_log_error(s->log, "--find-rate", "%s",
		     search_next(search) == SEARCH_OVER
			     ? "the loss was higher at all rates that were tried"
			     : "a listener did not report what arrived");
	return 1;
}
