// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * find: halves the span between the rates that passed and those that failed; prints each trial, and
 * says what was found.
 */
#include <netperf/interval.h>
#include <netperf/result.h>
#include <string.h>

/* The search ends when the lowest rate that failed is not higher by more than this. */
#define RESOLUTION 0.01
/* A sender that keeps this much of its rate keeps it. */
#define KEPT 0.99
/*
 * If what was not lost arrives at less than this share of the rate at which it was sent, the rest
 * waits in a queue: that of a rate ABOVE what the path carries shows, a few ms of 0.3 s do not.
 */
#define ARRIVED 0.985
/*
 * What arrived of the first trial, and of one of which less than this share did, shows what the
 * path carries: the next one is a little below that, and one a little above it.
 */
#define LOSSY 0.9
#define BELOW 0.97
#define ABOVE 1.02

void np_find_take(struct np_find *find, struct np_find_trial *trial)
{
	struct np_find_rate *r = find->rate;
	/* The last packet may be due at the very end: of few packets it is much. */
	const double one = trial->result.sent.n ? trial->sent / (double)trial->result.sent.n : 0;
	double came;

	/* The time of the last packet may go on after the trial: no more is sent than was asked. */
	if (trial->asked > 0 && trial->sent > trial->asked)
		trial->sent = trial->asked;
	trial->loss_percent = np_loss_percent(trial->result.lost.n, trial->result.sent.n);
	came = trial->received / (1 - trial->loss_percent / 100);
	trial->verdict = NP_FIND_PASSED;
	if (trial->loss_percent > find->loss_percent)
		trial->verdict = NP_FIND_LOST;
	else if (trial->sent + one < KEPT * trial->asked)
		trial->verdict = NP_FIND_BEHIND;
	else if (came < ARRIVED * trial->sent)
		trial->verdict = NP_FIND_QUEUED;
	if (trial->verdict >= NP_FIND_LOST && find->stalls < NP_FIND_STALLS &&
	    np_pacer_fell_behind(trial->behind, trial->asked))
		trial->verdict = NP_FIND_STALLED;
	find->trials++;
	find->stalls = trial->verdict == NP_FIND_STALLED ? find->stalls + 1 : 0;
	find->stalled = trial->asked;
	if (find->stalls)
		return;
	while (r < find->rate + find->count && r->trial.asked != trial->asked)
		r++;
	if (r == find->rate + find->count)
		find->count++;
	else if (trial->verdict == NP_FIND_PASSED && r->trial.verdict != NP_FIND_PASSED)
		r->trials = 0;
	if (!r->trials++) {
		r->rate = trial->asked > 0 ? trial->asked : trial->sent;
		r->sent = trial->sent;
		r->came = came;
		r->low = r->high = trial->received;
	}
	r->failures += trial->verdict != NP_FIND_PASSED;
	r->trial = *trial;
	r->sent = trial->sent < r->sent ? trial->sent : r->sent;
	r->came = came > r->came ? came : r->came;
	r->low = trial->received < r->low ? trial->received : r->low;
	r->high = trial->received > r->high ? trial->received : r->high;
}

/*
 * The lowest rate that failed, and the highest one below it that passed; NULL: none. One above a
 * rate that failed had luck.
 */
static void bounds(const struct np_find *find, const struct np_find_rate **passed,
		   const struct np_find_rate **failed)
{
	const struct np_find_rate *end = find->rate + find->count;

	*passed = *failed = NULL;
	for (const struct np_find_rate *r = find->rate; r < end; r++) {
		if (r->trial.verdict != NP_FIND_PASSED && (!*failed || r->rate < (*failed)->rate))
			*failed = r;
	}
	for (const struct np_find_rate *r = find->rate; r < end; r++) {
		if (r->trial.verdict == NP_FIND_PASSED && (!*failed || r->rate < (*failed)->rate) &&
		    (!*passed || r->rate > (*passed)->rate))
			*passed = r;
	}
}

static bool is_narrow(double passed, const struct np_find_rate *failed)
{
	return !failed || failed->rate <= (1 + RESOLUTION) * passed;
}

/* What failed once may have been disturbed: it is tried again before it is the limit. */
static bool in_doubt(const struct np_find_rate *failed)
{
	return failed && failed->failures < NP_FIND_FAILURES;
}

double np_find_next(const struct np_find *find)
{
	const struct np_find_rate *passed, *failed;
	const bool room = find->count < NP_FIND_RATES;
	double from, to, carried, next;

	if (find->stalls)
		return find->stalled;
	bounds(find, &passed, &failed);
	if (passed && is_narrow(passed->rate, failed)) {
		if (in_doubt(failed))
			passed = failed;
		else if (passed->trials >= NP_FIND_REPEATS)
			return NP_FIND_OVER;
		return passed->rate >= find->least ? passed->trial.asked : NP_FIND_OVER;
	}
	/* None was tried. */
	if (!failed)
		return find->most;
	from = passed ? passed->rate : 0;
	to = failed->rate;
	/* So much more than arrives may be sent. */
	carried = failed->trial.received / (1 - find->loss_percent / 100);
	if (!passed)
		next = carried < (find->trials == 1 ? 1 / BELOW : LOSSY) * to ? BELOW * carried
									      : to / 2;
	else if (carried > from && ABOVE * carried < to)
		next = ABOVE * carried;
	else
		next = to > 4 * from ? 2 * from : (from + to) / 2;
	if (next >= find->least && room)
		return next;
	if (in_doubt(failed) && to >= find->least)
		return failed->trial.asked;
	/* The lowest one, before nothing is found. */
	return !passed && room && find->least < to / (1 + RESOLUTION) ? find->least : NP_FIND_OVER;
}

const struct np_find_rate *np_find_found(const struct np_find *find,
					 const struct np_find_rate **limit)
{
	const struct np_find_rate *passed;

	bounds(find, &passed, limit);
	return passed && is_narrow(passed->rate, *limit) && passed->trials >= NP_FIND_REPEATS
		       ? passed
		       : NULL;
}

/* Where most of what was lost was lost. */
static const char *place_of(const struct np_result *r)
{
	const char *place = "unattributed";
	uint64_t most = r->lost_unattributed.n;

	for (const struct np_column *c = np_result_columns; c->name; c++) {
		const struct np_count *count = np_column_of(c, r);

		if (strncmp(c->name, "lost_", 5) || count->known == NP_UNKNOWN || count->n <= most)
			continue;
		place = c->name + 5;
		most = count->n;
	}
	return place;
}

static const char *in_words(const char *place)
{
	return !strcmp(place, "receiver_host") ? "receiver host"
	       : !strcmp(place, "sender_host") ? "sender host"
					       : place;
}

void np_find_print(FILE *out, const struct np_find *find, const struct np_find_trial *t,
		   bool in_bytes)
{
	static const char line[] = "%5s  %14s  %14s  %14s  %8s  %s\n";
	const char *const remarks[] = {"passed", "fell behind", in_words(place_of(&t->result)),
				       "queue", "stalled, again"};
	char count[16], loss[16];

	if (find->trials == 1)
		fprintf(out, line, "trial", "asked", "sent", "received", "lost, %", "verdict");
	snprintf(count, sizeof(count), "%u", find->trials);
	snprintf(loss, sizeof(loss), "%.3g", t->loss_percent);
	fprintf(out, line, count,
		t->asked > 0 ? np_rate_format(t->asked, in_bytes).text : "no limit",
		np_rate_format(t->sent, in_bytes).text, np_rate_format(t->received, in_bytes).text,
		loss, remarks[t->verdict]);
	fflush(out);
}

struct np_record *np_find_record(const struct np_find *find, const struct np_find_trial *t,
				 const char *noun)
{
	static const char *const verdicts[] = {"passed", "behind", "lost", "queued", "stalled"};
	static const struct np_column counts[] = {
		NP_COLUMN(struct np_result, sent),
		NP_COLUMN(struct np_result, received),
		NP_COLUMN(struct np_result, lost),
		{.name = NULL},
	};
	struct np_record *r = np_record_new("trial");

	np_record_count(r, "trial", find->trials);
	if (t->asked > 0)
		np_record_number(r, "asked_rate_bytes_per_s", t->asked);
	np_record_number(r, "sent_rate_bytes_per_s", t->sent);
	np_record_number(r, "rate_bytes_per_s", t->received);
	np_schema_record(r, counts, 0, &t->result, noun);
	(void)np_record_lost(r, &t->result, noun);
	np_record_number(r, "loss_percent", t->loss_percent);
	np_record_time(r, "behind_ns", t->behind);
	np_record_number(r, "cpu_percent", 100 * t->cpu);
	np_record_text(r, "verdict", verdicts[t->verdict]);
	return r;
}

/* All trials sent as much, and one got it through: a little less than was asked for. */
static double got_through(const struct np_find_rate *rate)
{
	return rate->came < rate->sent ? rate->came : rate->sent;
}

int np_find_conclude(const struct np_find *find, FILE *out, struct np_record *summary,
		     const struct np_log *log, bool in_bytes, bool interrupted)
{
	const struct np_find_rate *failed, *found = np_find_found(find, &failed);
	const struct np_find_rate *limit = failed ? failed : found;
	const char *place = find->most > 0 && !failed ? NULL : "sender_host";
	struct np_record *r;

	if (failed && failed->trial.verdict == NP_FIND_LOST)
		place = place_of(&failed->trial.result);
	if (failed && failed->trial.verdict == NP_FIND_QUEUED)
		place = "queue";
	if (found && out)
		fprintf(out, "\nfound: %s, %.3g %% lost, received %s to %s in %u trials\n",
			np_rate_format(got_through(found), in_bytes).text,
			found->trial.loss_percent, np_rate_format(found->low, in_bytes).text,
			np_rate_format(found->high, in_bytes).text, found->trials);
	else if (found && !summary)
		np_log_info(log, "--find-rate found %s",
			    np_rate_format(got_through(found), in_bytes).text);
	if (found && out && !place)
		fputs("limit: none up to --rate\n", out);
	else if (found && out && limit->trial.verdict == NP_FIND_LOST)
		fprintf(out, "limit: %s, where most of %.3g %% was lost at %s\n", in_words(place),
			limit->trial.loss_percent, np_rate_format(limit->rate, in_bytes).text);
	else if (found && out && limit->trial.verdict == NP_FIND_QUEUED)
		fprintf(out, "limit: a queue, which let %s of %s through\n",
			np_rate_format(limit->trial.received, in_bytes).text,
			np_rate_format(limit->trial.sent, in_bytes).text);
	else if (found && out)
		fprintf(out, "limit: this host, which sends no more than %s, at %.0f %% cpu\n",
			np_rate_format(limit->trial.sent, in_bytes).text, 100 * limit->trial.cpu);
	if (found && summary) {
		r = np_record_object(summary, "found");
		np_record_number(r, "rate_bytes_per_s", got_through(found));
		np_record_number(r, "loss_percent", found->trial.loss_percent);
		np_record_number(r, "received_min_bytes_per_s", found->low);
		np_record_number(r, "received_max_bytes_per_s", found->high);
		np_record_count(r, "trials", found->trials);
		np_record_text(r, "limit", place ? place : "rate");
	}
	if (found || interrupted)
		return 0;
	if (np_find_next(find) != NP_FIND_OVER)
		np_log_error(log, "--find-rate", "the other end did not report what arrived");
	else if (!failed)
		np_log_error(log, "--find-rate",
			     "a trial sent fewer than %d datagrams: it needs a longer --duration",
			     NP_FIND_PACKETS);
	else
		np_log_error(log, "--find-rate",
			     "%s at all rates that were tried; lower ones need a longer --duration",
			     failed->trial.verdict == NP_FIND_BEHIND   ? "this host fell behind"
			     : failed->trial.verdict == NP_FIND_QUEUED ? "a queue held back a part"
								       : "the loss was higher");
	return 1;
}
