// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * several: reads several targets together over one link, each with a session of its own, and
 * reports a row for each and their sum.
 */
#include "exchange.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define INDENT 12
#define MB     1e6
/* A tag of each run in flight is told from another's by the target alone. */
#define TARGETS_MAX 256

struct several {
	struct session *s;	/* of the program: its link, signals and outputs */
	struct options options; /* the same, with the first target */
	struct session session[TARGETS_MAX];
	struct client client[TARGETS_MAX];
	unsigned count;
};

/* Takes those that were asked for from @found, in their order; each must be there. */
static int choose(struct several *m, const struct target *found, unsigned count)
{
	const struct target_options *o = &m->s->options->target;
	uint64_t slot = o->slot;
	struct session *one;

	for (const struct target *t = found; t < found + count; t++) {
		const bool again = t > found && t->shelf == t[-1].shelf && t->slot == t[-1].slot;

		if (!o->all &&
		    (t->shelf != o->shelf || t->slot < o->slot || t->slot > o->slot_last))
			continue;
		if (again || (t->ambiguous && (t + 1 == found + count || t[1].slot != t->slot)))
			np_log_warning(m->s->log, t->name, "several answer for it");
		if (again)
			continue;
		if (!o->all && t->slot != slot)
			return session_refuse_absent(m->s, slot);
		if (m->count == TARGETS_MAX)
			return np_log_refuse(m->s->log, o->interface,
					     "more than %u targets answer; name some of them",
					     TARGETS_MAX);
		slot = t->slot + 1u;
		if (!m->count) {
			m->options = *m->s->options;
			m->options.target.shelf = t->shelf;
			m->options.target.slot = t->slot;
		}
		one = &m->session[m->count++];
		*one = *m->s;
		one->options = &m->options;
		one->target = *t;
	}
	return !o->all && slot <= o->slot_last ? session_refuse_absent(m->s, slot) : 0;
}

static int find(struct several *m)
{
	struct target *found = calloc(LIST_TARGETS_MAX, sizeof(*found));
	const char *interface = m->s->options->target.interface;
	int rc = -ENOMEM, count, status;

	if (found)
		rc = discover(m->s->channel, NP_AOE_SHELF_ALL, NP_AOE_SLOT_ALL, DISCOVER_LIST,
			      found, LIST_TARGETS_MAX);
	count = rc;
	if (rc > 0)
		rc = discover_identities(m->s->channel, found, (unsigned)count);
	if (rc == -EINTR)
		status = np_log_refuse(m->s->log, NULL, "interrupted before the run began");
	else if (rc < 0)
		status = np_log_refuse(m->s->log, interface, "%s", strerror(-rc));
	else if (!count)
		status = np_log_refuse(m->s->log, interface, "no target answers here");
	else
		status = choose(m, found, (unsigned)count);
	free(found);
	for (unsigned i = 0; i < m->count && !status; i++) {
		const struct session *one = &m->session[i];

		if (!discover_is_usable(&one->target) || one->target.identity_error)
			status = np_log_refuse(m->s->log, one->target.name,
					       "answers queries but not IDENTIFY, or without a "
					       "usable configuration");
		else
			status = limits_check(one);
	}
	return status;
}

static const struct result *result_of(const struct several *m, unsigned target)
{
	return m->session[target].steps->result;
}

static void write_text(const struct several *m, const struct client *sum)
{
	const struct options *o = m->s->options;
	FILE *text = np_report_text(m->s->run->report);
	struct client total = *sum;

	if (!text)
		return;
	/* As in the rows: what a target without test data carries is no error. */
	total.is_test_data = 1;
	total.tally.damaged = 0;
	np_block_target_heading(text, "target", o->unit ? "MB/s" : "Mbit/s", "packets/s", "sent",
				"lost");
	for (unsigned i = 0; i < m->count; i++) {
		const struct client *one = &m->client[i];

		client_write(text, o, m->session[i].target.name, one, sum->tally.bytes,
			     client_fault(o, one));
		total.tally.damaged += one->is_test_data ? one->tally.damaged : 0;
	}
	client_write(text, o, "total", &total, sum->tally.bytes, NULL);
	np_block_line(text, INDENT,
		      "read %.2f MB from %u target%s in %.3f s, the longest of their times",
		      (double)sum->tally.bytes / MB, m->count, np_plural(m->count),
		      np_clock_seconds((np_time)sum->elapsed));
}

static void write_records(const struct several *m, const struct client *sum)
{
	struct np_report *report = m->s->run->report;
	const struct np_usage *usage = &result_of(m, 0)->usage;
	struct np_record *r;

	if (!np_report_wants_records(report))
		return;
	for (unsigned i = 0; i < m->count; i++) {
		r = np_record_new("result");
		np_record_text(r, "target", m->session[i].target.name);
		client_record(r, &m->client[i]);
		np_record_flag(r, "exact", result_of(m, i)->loss_exact);
		np_record_histogram(r, "rtt_ns", result_of(m, i)->rtt, true);
		np_record_damage(r, &result_of(m, i)->damage);
		np_record_text(r, "ending", record_ending((enum ending)m->client[i].ending));
		np_report_write(report, r);
	}
	r = np_record_new("summary");
	np_record_text(r, "operation", "read");
	np_record_count(r, "targets", m->count);
	client_record(r, sum);
	np_record_count(r, "errors_sectors", sum->tally.damaged);
	np_record_usage(r, usage);
	np_record_flag(r, "interrupted", sum->ending == ENDING_INTERRUPTED);
	np_report_write(report, r);
}

int several_run(struct session *s)
{
	struct several *m = calloc(1, sizeof(*m));
	struct client sum = {0};
	int status;

	if (!m)
		return np_log_refuse(s->log, NULL, "%s", strerror(ENOMEM));
	m->s = s;
	status = find(m);
	if (!status)
		status = session_measure(m->session, m->count);
	if (status)
		goto no_result;
	for (unsigned i = 0; i < m->count; i++) {
		m->client[i] = client_of(result_of(m, i));
		client_add(&sum, &m->client[i]);
	}
	if (sum.ending == ENDING_INTERRUPTED && !sum.tally.sent) {
		status = np_log_refuse(s->log, NULL, "interrupted before the measured run began");
		goto no_result;
	}
	write_text(m, &sum);
	write_records(m, &sum);
	for (unsigned i = 0; i < m->count; i++)
		status |= session_conclude(&m->session[i], result_of(m, i));

no_result:
	for (unsigned i = 0; i < m->count; i++)
		result_free(m->session[i].steps->result);
	free(m);
	return status;
}
