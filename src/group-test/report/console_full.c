// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* console_full: what --report=full adds: members, what each received from each sender, averages. */
#include "console_figures.h"

#include <inttypes.h>
#include <netperf/units.h>

#define LATENCY_TEXT 24

/* Members of a Java group report only their sums. */
static bool told_all(const struct result_member *m)
{
	return m->reported && m->rows;
}

static void of_member(FILE *out, const struct result_member *m)
{
	char who[IDENTITY_TEXT];

	fprintf(out, "  %-21s %-8s ", identity_format(&m->who, who),
		m->sender ? "sender" : "receiver");
	if (m->outcome != FATE_STAYED)
		fprintf(out, "%s: %s, after %.3f s",
			m->outcome == FATE_REFUSED ? "refused" : "lost", m->why,
			np_clock_seconds(m->outcome_after));
	else if (!told_all(m))
		fputs(m->reported ? "cpu unknown" : "no report", out);
	else
		fprintf(out,
			"cpu user %.3f s, system %.3f s, dropped %" PRIu64
			", bad messages %" PRIu64,
			np_clock_seconds(m->host.cpu_user), np_clock_seconds(m->host.cpu_system),
			m->host.dropped, m->host.malformed);
	fputc('\n', out);
}

static void delays(FILE *out, const struct result_row *row)
{
	const struct np_histogram_figures *d = &row->delay;
	const np_time column[] = {d->min,  d->p50, d->p90,	    d->p99,
				  d->p999, d->max, row->delay_bound};
	char text[LATENCY_TEXT];

	for (size_t i = 0; i < sizeof(column) / sizeof(*column); i++)
		fprintf(out, " %9s",
			d->count ? np_units_format_latency(column[i], text, sizeof(text))
				 : "unknown");
}

static void count(FILE *out, bool known, uint64_t number)
{
	if (known)
		fprintf(out, " %8" PRIu64, number);
	else
		fprintf(out, " %8s", "unknown");
}

/* Without message numbers only the sum is known. */
static void of_pair(FILE *out, const struct console_style *style, const struct result_member *m,
		    const struct result_row *row)
{
	char sender[IDENTITY_TEXT], member[IDENTITY_TEXT];
	bool numbered = !style->jgroups3;

	fprintf(out, "  %-21s %-21s %10" PRIu64, identity_format(&row->sender, sender),
		identity_format(&m->who, member), row->counts.received);
	count(out, row->exact, row->counts.lost);
	count(out, numbered, row->counts.duplicates);
	count(out, numbered, row->counts.reordered);
	count(out, numbered, row->counts.late);
	count(out, numbered, row->counts.stray);
	delays(out, row);
	fputc('\n', out);
}

static void of_pairs(FILE *out, const struct console_style *style, const struct result *result)
{
	fprintf(out, "\n  %-21s %-21s %10s %8s %8s %8s %8s %8s %9s %9s %9s %9s %9s %9s %9s\n",
		"sender", "member", "received", "lost", "double", "reorder", "late", "stray",
		"delay min", "p50", "p90", "p99", "p99.9", "max", "give/take");
	for (size_t k = 0; k < result->senders; k++) {
		for (size_t i = 0; i < result->members; i++) {
			const struct result_member *m = &result->member[i];

			if (m->reported && k < m->rows)
				of_pair(out, style, m, &m->row[k]);
		}
	}
}

static void total(FILE *out, const struct np_drops_total *dropped)
{
	char text[LATENCY_TEXT];

	snprintf(text, sizeof(text), "%s%" PRIu64, dropped->exact ? "" : ">=", dropped->packets);
	fprintf(out, " %12s", dropped->known ? text : "unknown");
}

static void where(FILE *out, const struct result *result, const struct result_member *m,
		  const struct result_row *row)
{
	const struct np_drops_total at_sender = result_sender_drops(result, row);
	char sender[IDENTITY_TEXT], member[IDENTITY_TEXT];
	uint64_t way;
	const bool known = result_way(result, row, &way);

	fprintf(out, "  %-21s %-21s", identity_format(&row->sender, sender),
		identity_format(&m->who, member));
	count(out, row->exact, row->counts.lost);
	total(out, &at_sender);
	total(out, &row->drops.total);
	count(out, known, way);
	fputc('\n', out);
}

/* Where the messages of each pair were lost, if any host tells what it drops. */
static void of_drops(FILE *out, const struct result *result)
{
	bool known = false;

	for (size_t k = 0; k < result->senders; k++) {
		for (size_t i = 0; i < result->members; i++) {
			const struct result_member *m = &result->member[i];

			if (!m->reported || k >= m->rows ||
			    (!m->row[k].drops.total.known &&
			     !result_sender_drops(result, &m->row[k]).known))
				continue;
			if (!known)
				fprintf(out, "\n  %-21s %-21s %8s %12s %12s %8s\n", "sender",
					"member", "lost", "sender host", "member host", "on way");
			known = true;
			where(out, result, m, &m->row[k]);
		}
	}
}

/* This member's own, by the kernel's reasons. */
static void of_reasons(FILE *out, const struct result *result)
{
	const struct result_member *own = console_myself(result);
	char who[IDENTITY_TEXT], text[NP_DROPS_TEXT];
	uint64_t way;

	if (!own || !own->reported || !own->all_drops.reasons)
		return;
	fputc('\n', out);
	if (!own->all_drops.reasons->known) {
		fprintf(out, "  %s\n", np_drops_format(own->all_drops.reasons, NULL, text));
		return;
	}
	for (size_t k = 0; k < own->rows; k++) {
		const struct result_row *row = &own->row[k];

		fprintf(out, "  from %s: %s\n", identity_format(&row->sender, who),
			np_drops_format(row->drops.reasons,
					result_way(result, row, &way) ? &way : NULL, text));
	}
	if (own->sender)
		fprintf(out, "  to the group: %s\n",
			np_drops_format_sent(own->sent_drops.reasons, &own->sent_drops.total, NULL,
					     text));
}

static void average(FILE *out, const struct console_style *style, const char *of, double messages,
		    double bytes)
{
	char number[NP_DECIMAL_TEXT], size[NP_DECIMAL_TEXT_MAX];

	fprintf(out, "average/%s: %s msgs/sec, %s/sec\n", of,
		np_decimal_two(messages, number, sizeof(number)),
		style->jgroups3 ? console_size_jgroups3(bytes, false, size)
				: console_size_classic(bytes, size));
}

void console_full(FILE *out, const struct console_style *style, const struct result *result)
{
	struct result_average a = result_average(result);

	fprintf(out, "-- run %u: %zu members, %zu senders%s%s%s\n", result->run + 1,
		result->members, result->senders, style->flow_control ? ", flow control: " : "",
		style->flow_control ? style->flow_control : "",
		result->interrupted ? ", interrupted" : "");
	for (size_t i = 0; i < result->members; i++)
		of_member(out, &result->member[i]);
	of_pairs(out, style, result);
	of_drops(out, result);
	of_reasons(out, result);
	fputc('\n', out);
	if (a.nodes) {
		average(out, style, "node", a.node_messages_per_s, a.node_bytes_per_s);
		average(out, style, "cluster", a.cluster_messages_per_s, a.cluster_bytes_per_s);
	}
	fputc('\n', out);
}
