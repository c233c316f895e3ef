// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * report: what follows from what was counted, and where it was lost; the text output, in lines of
 * at most 80 columns, MB being 10^6 bytes; and the same figures as JSON under stable names, in
 * plain units.
 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define MB 1e6
/* A shorter time is the first check, or a few late answers on a busy machine. */
#define HELD_WORTH_SAYING (10 * NP_MILLISECOND)

/* Lines of ours go on below their first figure. */
#define INDENT 12

#define COUNT(member, of_unit, of_part)                                                            \
	{                                                                                          \
		.name = #member, .offset = offsetof(struct tally, member), .kind = NP_COLUMN_SUM,  \
		.unit = (of_unit), .part = (of_part)                                               \
	}

const struct np_column tally_columns[] = {
	COUNT(sent, NULL, TALLY_OF_ALL),
	COUNT(received, NULL, TALLY_OF_ALL),
	COUNT(late, NULL, TALLY_OF_ALL),
	COUNT(lost, NULL, TALLY_OF_ALL),
	COUNT(outstanding, NULL, TALLY_OF_CLIENT),
	COUNT(duplicates, NULL, TALLY_OF_ALL),
	COUNT(stray, NULL, TALLY_OF_ALL),
	COUNT(errors, NULL, TALLY_OF_ALL),
	COUNT(retransmitted, NULL, TALLY_OF_CLIENT),
	COUNT(given_up, "requests", TALLY_OF_CLIENT),
	COUNT(refused, NULL, TALLY_OF_RESULT),
	COUNT(bytes, NULL, NP_COLUMN_HIDDEN),
	COUNT(damaged, NULL, NP_COLUMN_HIDDEN),
	COUNT(lost_sender_host, NULL, TALLY_PLACES),
	COUNT(lost_path, NULL, TALLY_PLACES),
	COUNT(lost_receiver_host, NULL, TALLY_PLACES),
	COUNT(lost_unattributed, NULL, TALLY_PLACES),
	{0},
};

int result_create(struct result **result)
{
	struct result *r = calloc(1, sizeof(*r));

	*result = r;
	if (r && !np_histogram_create(&r->rtt) && !np_histogram_create(&r->recent) &&
	    !np_histogram_create(&r->paced))
		return 0;
	result_free(r);
	*result = NULL;
	return -ENOMEM;
}

void result_settle(struct result *result)
{
	np_histogram_merge(result->rtt, result->recent);
	np_histogram_clear(result->recent);
}

void result_free(struct result *result)
{
	if (!result)
		return;
	np_histogram_free(result->rtt);
	np_histogram_free(result->recent);
	np_histogram_free(result->paced);
	free(result);
}

static uint64_t dropped(const struct np_drops_counts *host, enum np_drops_direction direction)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < host->entries; i++)
		sum += host->entry[i].direction == direction ? host->entry[i].packets : 0;
	return sum;
}

void result_attribute(struct result *result, bool known)
{
	struct tally *t = &result->tally;
	const struct np_drops_counts *host = &result->host;
	const uint64_t out = dropped(host, NP_DROPS_OUT), in = dropped(host, NP_DROPS_IN);
	/* A refused send was dropped, or it was never taken: then the kernel counts no drop. */
	const uint64_t again = np_least(out, t->refused), gone = out - again;
	/* Duplicates or answers to others may be among the packets that the kernel dropped. */
	const bool only_ours = !t->duplicates && !t->stray;
	const bool by_reasons =
		host->known && !host->others && only_ours && (host->exact || out + in);

	t->lost_sender_host = t->lost_receiver_host = t->lost_unattributed = 0;
	if (by_reasons && !host->exact) {
		/* The kernel may have dropped more than it reported. */
		t->lost_sender_host = np_least(gone, t->lost);
		t->lost_receiver_host = np_least(in, t->lost - t->lost_sender_host);
		t->lost_unattributed = t->lost - t->lost_sender_host - t->lost_receiver_host;
	} else if (by_reasons && gone + in <= t->lost) {
		t->lost_sender_host = gone;
		t->lost_receiver_host = in;
		t->lost_unattributed = gone ? np_least(again, t->lost - gone - in) : 0;
	} else if (by_reasons || !known) {
		t->lost_unattributed = t->lost;
	} else if (only_ours && result->dropped <= t->lost) {
		/* For want of buffer, behind our filter: they answered our requests. */
		t->lost_receiver_host = result->dropped;
	} else {
		t->lost_unattributed = np_least(result->dropped, t->lost);
	}
	t->lost_path = t->lost - t->lost_sender_host - t->lost_receiver_host - t->lost_unattributed;
	result->loss_exact = by_reasons && !host->exact ? !t->lost : !t->lost_unattributed;
}

bool result_rate_known(const struct result *result)
{
	const struct tally *t = &result->tally;

	return t->sent > 1 && t->received != 1 && result->elapsed > 0;
}

bool result_held_by_rate(const struct result *result, double packets_per_s)
{
	return packets_per_s > 0 && result_rate_known(result) &&
	       np_units_rate(result->tally.received, result->elapsed) >= 0.97 * packets_per_s;
}

bool result_is_unanswered(const struct tally *t)
{
	return t->sent && t->lost == t->sent;
}

bool result_is_no_test_data(const struct result *result)
{
	return np_damage_is_no_test_data(
		&result->damage, result->tally.bytes / NP_PATTERN_SECTOR_BYTES, result->passes + 1);
}

bool result_is_all_zero(const struct result *result)
{
	uint64_t sectors = result->tally.bytes / NP_PATTERN_SECTOR_BYTES;
	uint64_t zero = result->damage.sectors[NP_PATTERN_ALL_ZERO];

	/* Sector 0 is valid as zeros in every pass. */
	return zero && result->damage.total == zero && zero + result->passes + 1 >= sectors;
}

struct report_rates report_rates(const struct options *options, bool known,
				 const struct tally *tally, np_time elapsed)
{
	struct report_rates rates = {options->report.unit ? "MB/s" : "Mbit/s", "unknown",
				     "unknown"};

	if (known) {
		snprintf(rates.bytes, sizeof(rates.bytes), "%.2f",
			 np_units_rate(tally->bytes, elapsed) * (options->report.unit ? 1 : 8) /
				 MB);
		snprintf(rates.packets, sizeof(rates.packets), "%.0f",
			 np_units_rate(tally->received, elapsed));
	}
	return rates;
}

struct np_record *record_start(const struct session *s)
{
	struct np_record *r = np_record_start(&aoe_exercise_options, s->options);

	np_record_text(r, "link", np_link_info(s->channel->link)->variant);
	np_record_text(r, "stamps", np_link_info(s->channel->link)->stamps);
	return r;
}

static void add_row(struct np_record *r, const struct session *s, unsigned window, np_time from,
		    np_time to)
{
	char flow[24];

	snprintf(flow, sizeof(flow), "window %u", window);
	if (s->options->target.several) {
		snprintf(flow, sizeof(flow), "%s", s->target.name);
		np_record_text(r, "target", s->target.name);
	}
	np_record_count(r, "window_packets", window);
	np_record_interval(r, from, to, flow, "packets");
}

void report_paced_record(struct np_record *r, const struct result *result)
{
	np_record_histogram(r, "latency_intended_ns", result->paced, true);
	np_record_time(r, "behind_ns", result->worst_behind);
}

void report_paced(FILE *text, const struct session *s, const struct result *r)
{
	const bool several = s->options->target.several;
	char whose[TARGET_NAME_BYTES + 2] = "", name[TARGET_NAME_BYTES + 8] = "paced       ";

	if (several) {
		snprintf(whose, sizeof(whose), "%s: ", s->target.name);
		snprintf(name, sizeof(name), "%s paced  ", s->target.name);
	}
	np_block_times(text, name, r->paced);
	if (np_pacer_fell_behind(r->worst_behind, s->options->traffic.rate_packets_per_s))
		fprintf(text, "%ssending fell behind the rate by up to %.3f s\n", whose,
			np_clock_seconds(r->worst_behind));
}

/* All figures of a complete exchange. */
static void add_result(struct np_record *r, const struct session *s, const struct result *result)
{
	const struct answer_error *e = &result->first_error;
	const struct tally *t = &result->tally;
	struct np_record *object;

	np_record_count(r, "window_packets", result->window);
	np_schema_record(r, tally_columns, TALLY_OF_ALL | TALLY_OF_CLIENT | TALLY_OF_RESULT, t,
			 "packets");
	np_record_rates(r, "packets", t->received, t->bytes, result->elapsed,
			result_rate_known(result) ? 1 : (double)NAN);
	np_schema_record(r, tally_columns, TALLY_PLACES, t, "packets");
	np_record_flag(r, "exact", result->loss_exact);
	if (t->lost)
		np_record_path(r, &result->path);
	np_record_drops(r, &result->host);
	np_record_histogram(r, "rtt_ns", result->rtt, true);
	report_paced_record(r, result);
	if (s->options->operation == OPERATION_READ) {
		np_record_damage(r, &result->damage);
	} else {
		/* Whether the target was still the one examined, and what the checks cost. */
		object = np_record_object(r, "rechecks");
		np_record_count(object, "rounds", result->rechecks.rounds);
		np_record_count(object, "questions_packets", result->rechecks.questions);
		np_record_time(object, "held_ns", result->rechecks.held);
	}
	if (t->errors) {
		object = np_record_object(r, "first_error");
		np_record_count(object, "lba", e->lba);
		np_record_count(object, "aoe_error", e->aoe_error);
		np_record_count(object, "ata_status", e->ata_status);
		np_record_count(object, "ata_error", e->ata_error);
	}
	np_record_usage(r, &result->usage);
}

const char *const ending_names[] = {"done",	 "interrupted", "target-dead",	 "host-refused",
				    "link-lost", "two-targets", "target-changed"};

void report_start(const struct session *s)
{
	const struct options *o = s->options;
	const struct target *t = &s->target;
	FILE *text = np_report_text(s->run->report);

	if (!text || o->report.layout == NP_REPORT_ORIGINAL)
		return;
	np_block_line(text, INDENT,
		      "%s %s on %s: %s, firmware %04x, buffers %u, %" PRIu64 " sectors, %.1f MB",
		      o->operation == OPERATION_WRITE ? "write" : "read", t->name,
		      o->target.interface, *t->identity.model ? t->identity.model : "no model",
		      t->firmware, t->buffer_count, t->identity.sectors,
		      (double)t->identity.sectors * NP_AOE_SECTOR_BYTES / MB);
	fflush(text);
}

const char *report_extras(const struct report_extra *extra, size_t count, char text[REPORT_EXTRAS])
{
	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		if (extra[i].count)
			np_text_append(text, REPORT_EXTRAS, "  %s %" PRIu64, extra[i].name,
				       extra[i].count);
	}
	return text;
}

/* The text has rows by default, and those that a signal asked for. */
void report_row(struct exchange *x, np_time length, enum moment moment)
{
	const struct session *s = x->s;
	const struct options *o = s->options;
	const bool several = sweep_is_several(&s->sweep);
	const bool asked = moment == MOMENT_ASKED, end = moment == MOMENT_END;
	struct np_report *report = s->run->report;
	FILE *text = np_report_text(report);
	struct result *r = x->result;
	const np_time to = x->intervals.mark - x->intervals.begin;
	struct np_histogram_figures rtt;
	struct tally now = r->tally;
	struct np_record *record;
	struct report_rates rates;
	char extras[REPORT_EXTRAS];

	np_schema_since(tally_columns, &now, &r->reported);
	/* In a sweep the row of the step itself is that of the whole step. */
	if (end && several && !o->report.interval)
		return;
	if (end && r->rows && !length &&
	    !(now.sent | now.received | now.late | now.lost | now.duplicates | now.stray |
	      now.errors))
		return;
	np_histogram_figures(r->recent, &rtt);
	if (end ? np_report_wants_rest(report) : np_report_wants_records(report)) {
		record = np_record_new("interval");
		add_row(record, s, r->window, to - length, to);
		np_schema_record(record, tally_columns, TALLY_OF_ALL, &now, "packets");
		np_record_rates(record, "packets", now.received, now.bytes, length, 1);
		np_record_histogram(record, "rtt_ns", r->recent, false);
		if (o->operation == OPERATION_READ)
			np_record_count(record, "errors_sectors", now.damaged);
		np_report_write(report, record);
	}
	r->reported = r->tally;
	r->rows++;
	result_settle(r);
	if (!text || (!asked && !o->report.interval))
		return;
	/* --report=full has all intervals at the end, in one table. */
	if (!several)
		np_block_full_interval(
			s->run->full,
			&(struct np_block_interval){
				.from = to - length,
				.to = to,
				.count = now.received,
				.bytes_per_s = np_units_rate(now.bytes, length),
				/* A late answer takes back what was lost before. */
				.lost = NP_COUNT_EXACT((int64_t)now.lost > 0 ? now.lost : 0),
				.delay = rtt,
			});
	if (!asked && o->report.layout != NP_REPORT_DEFAULT &&
	    !(o->report.layout == NP_REPORT_FULL && several))
		return;
	rates = report_rates(o, true, &now, length);
	np_block_line(text, INDENT,
		      "%s%s%7.2f s %8s %s %7s packets/s  p50 %7s  p99 %7s  lost %" PRId64 "%s",
		      o->target.several ? s->target.name : "", o->target.several ? " " : "",
		      np_clock_seconds(to), rates.bytes, rates.unit, rates.packets,
		      rtt.count ? np_units_format_latency(rtt.p50).text : "-",
		      rtt.count ? np_units_format_latency(rtt.p99).text : "-", (int64_t)now.lost,
		      report_extras((struct report_extra[]){{now.late, "late"},
							    {now.duplicates, "duplicates"},
							    {now.errors, "errors"}},
				    3, extras));
	fflush(text);
}

void report_step(const struct session *s, const struct result *result)
{
	const struct tally *t = &result->tally;
	const struct options *o = s->options;
	const struct report_extra extra[] = {
		{t->late, "late"}, {t->errors, "errors"}, {result->damage.total, "data errors"}};
	FILE *text = np_report_text(s->run->report);
	const struct report_rates rates =
		report_rates(o, result_rate_known(result), t, result->elapsed);
	struct np_histogram_figures rtt;
	char extras[REPORT_EXTRAS];

	if (np_report_wants_records(s->run->report)) {
		struct np_record *r = np_record_new("interval");

		add_row(r, s, result->window, 0, result->elapsed);
		add_result(r, s, result);
		np_report_write(s->run->report, r);
	}
	if (!text || o->report.layout == NP_REPORT_ORIGINAL)
		return;
	if (!s->step_count)
		fprintf(text, "window  %8s  packets/s      lost   rtt p50   rtt p99\n", rates.unit);
	np_histogram_figures(result->rtt, &rtt);
	np_block_line(text, INDENT, "%6u  %8s  %9s  %8" PRIu64 "  %8s  %8s%s%s", result->window,
		      rates.bytes, rates.packets, t->lost,
		      rtt.count ? np_units_format_latency(rtt.p50).text : "-",
		      rtt.count ? np_units_format_latency(rtt.p99).text : "-",
		      report_extras(extra, 3, extras),
		      result_held_by_rate(result, o->traffic.rate_packets_per_s)
			      ? "  held back by --rate"
			      : "");
	fflush(text);
}

static void write_data(FILE *text, const struct options *o, const struct result *r)
{
	const struct np_damage *damage = &r->damage;

	if (!o->data.strict && result_is_no_test_data(r))
		fprintf(text, "not test data: %" PRIu64 " sector%s (not checked)\n", damage->total,
			np_plural(damage->total));
	else
		np_block_damage(text, "data errors ", 12, damage, o->report.layout);
}

/* What became of the packets. @own: more than the lines of the original. */
static void write_packets(FILE *text, const struct result *r, bool own)
{
	const struct answer_error *e = &r->first_error;
	const struct tally *t = &r->tally;
	const char *least = r->loss_exact ? "" : ">= ";
	const struct np_drops_total lost = {
		.known = true,
		.exact = r->loss_exact,
		.packets = t->lost_sender_host + t->lost_receiver_host,
	};
	char rest[48] = "", first[96] = "", dropped[NP_DROPS_TEXT];

	if (own && t->retransmitted)
		np_block_line(text, INDENT,
			      "sent        %12" PRIu64 " packets  (%" PRIu64
			      " of them again, %" PRIu64 " requests given up)",
			      t->sent, t->retransmitted, t->given_up);
	else
		fprintf(text, "sent        %12" PRIu64 " packets\n", t->sent);
	fprintf(text, "received    %12" PRIu64 " packets\n", t->received);
	fprintf(text, "lost        %12" PRIu64 " packets  %.4f %%\n", t->lost,
		np_loss_percent(t->lost, t->sent));
	/* Where those that were lost were lost. */
	if (t->lost_unattributed)
		snprintf(rest, sizeof(rest), ", unattributed %" PRIu64, t->lost_unattributed);
	if (own && t->lost)
		np_block_line(text, 4,
			      "  sender host %s%" PRIu64 ", path or target %s%" PRIu64
			      ", receiver host %s%" PRIu64 "%s",
			      least, t->lost_sender_host, least, t->lost_path, least,
			      t->lost_receiver_host, rest);
	/* By the kernel's reasons. Refused sends are among what it dropped, not among the lost. */
	if (own && t->lost && r->host.known) {
		np_drops_format(&r->host, t->refused && r->host.packets ? &lost : NULL, dropped);
		np_block_line(text, 4, "  %s", dropped);
	}
	fprintf(text, "late        %12" PRIu64 " packets\n", t->late);
	if (own && t->outstanding)
		fprintf(text, "outstanding %12" PRIu64 " packets\n", t->outstanding);
	if (own && t->refused)
		np_block_line(text, INDENT, "refused     %12" PRIu64 " tries  (by this host%s%s)",
			      t->refused, r->refused_error ? ", " : "",
			      r->refused_error ? strerror(-r->refused_error) : "");
	fprintf(text, "duplicates  %12" PRIu64 " packets\n", t->duplicates);
	if (own)
		fprintf(text, "stray       %12" PRIu64 " packets\n", t->stray);
	if (own && t->errors && e->aoe_error)
		snprintf(first, sizeof(first), "  (first: sector %" PRIu64 ", AoE error %u, %s)",
			 e->lba, e->aoe_error, np_aoe_error_text(e->aoe_error));
	else if (own && t->errors)
		snprintf(first, sizeof(first),
			 "  (first: sector %" PRIu64 ", ATA status %02x, error %02x)", e->lba,
			 e->ata_status, e->ata_error);
	np_block_line(text, INDENT, "errors      %12" PRIu64 " packets%s", t->errors, first);
}

#define SAY(part, ...) np_block_full_say(full, part, __VA_ARGS__)

/* What --report=full adds. */
static void write_full(FILE *text, const struct session *s, const struct result *r)
{
	static const char *const times[] = {"", "rtt", "from intended sending"};
	const struct traffic_options *t = &s->options->traffic;
	const struct data_options *d = &s->options->data;
	const struct np_link_info *link = np_link_info(s->channel->link);
	const uint64_t disk = s->target.identity.sectors * NP_AOE_SECTOR_BYTES;
	struct np_block block = np_block_init("", "received", s->options->report.unit);
	struct np_block_full *full = s->run->full;
	char bounds[NP_PATH_TEXT];

	SAY(NP_BLOCK_CONFIGURATION, "request", "%" PRIu64 " sectors, %" PRIu64 " bytes",
	    t->sector_count, t->sector_count * NP_AOE_SECTOR_BYTES);
	SAY(NP_BLOCK_CONFIGURATION, "window", "%u packets", r->window);
	if (t->rate_packets_per_s > 0)
		SAY(NP_BLOCK_CONFIGURATION, "rate", "%.6g packets/s", t->rate_packets_per_s);
	SAY(NP_BLOCK_CONFIGURATION, "timeout", "%.3f s", np_clock_seconds(t->timeout));
	if (t->retransmit)
		SAY(NP_BLOCK_CONFIGURATION, "retransmit", "%" PRIu64 " times", t->retransmit);
	SAY(NP_BLOCK_CONFIGURATION, "warm-up", "%.3f s", np_clock_seconds(t->warm_up));
	SAY(NP_BLOCK_CONFIGURATION, "region", "%" PRIu64 " bytes at %" PRIu64 ", %s",
	    d->size_bytes ? d->size_bytes : disk - d->offset_bytes, d->offset_bytes,
	    d->random ? "random" : "linear");
	SAY(NP_BLOCK_CONFIGURATION, "passes", "%" PRIu64, r->passes);
	SAY(NP_BLOCK_TRANSPORT, "link", "%s, stamps by %s", link->variant, link->stamps);
	if (r->tally.lost)
		SAY(NP_BLOCK_HOSTS, "path loss here, at most",
		    "%s (frames of all programs, before the packet layer)",
		    np_path_format(&r->path, bounds));
	if (r->rechecks.rounds)
		SAY(NP_BLOCK_HOSTS, "target examined again",
		    "%" PRIu64 " times, %" PRIu64 " questions, writes held for %.3f s",
		    r->rechecks.rounds, r->rechecks.questions, np_clock_seconds(r->rechecks.held));
	SAY(NP_BLOCK_HOSTS, "context switches", "%" PRIu64 " voluntary, %" PRIu64 " forced",
	    r->usage.voluntary_switches, r->usage.involuntary_switches);
	block.times = times;
	block.full = full;
	np_histogram_figures(r->rtt, &block.rtt);
	np_histogram_figures(r->paced, &block.delay_raw);
	np_block_print_full(text, &block);
}

void report_summary(const struct session *s, const struct result *r, int knee_window)
{
	const struct options *o = s->options;
	const bool own = o->report.layout != NP_REPORT_ORIGINAL;
	const struct report_rates rates =
		report_rates(o, result_rate_known(r), &r->tally, r->elapsed);
	FILE *text = np_report_text(s->run->report);
	struct np_record *record = np_record_new("summary"), *other;
	char mac[TARGET_MAC_BYTES];

	np_record_text(record, "operation", o->operation == OPERATION_WRITE ? "write" : "read");
	add_result(record, s, r);
	np_record_number(record, "loss_percent", np_loss_percent(r->tally.lost, r->tally.sent));
	np_record_count(record, "passes", r->passes);
	if (knee_window > 0)
		np_record_count(record, "knee_window_packets", (uint64_t)knee_window);
	if (r->other.answers) {
		other = np_record_object(record, "other_answerer");
		np_record_text(other, "mac", target_mac(r->other.mac, mac));
		np_record_count(other, "stray_packets", r->other.answers);
	}
	if (r->tally.refused && r->refused_error)
		np_record_error(record, "send_error", r->refused_error);
	np_record_text(record, "ending", ending_names[r->ending]);
	np_record_flag(record, "interrupted", r->ending == ENDING_INTERRUPTED);
	np_report_write(s->run->report, record);
	if (!text)
		return;
	write_packets(text, r, own);
	if (o->operation == OPERATION_READ)
		write_data(text, o, r);
	if (own) {
		np_block_times(text, "rtt         ", r->rtt);
		report_paced(text, s, r);
		if (r->rechecks.held > HELD_WORTH_SAYING)
			fprintf(text,
				"held        %.3f s, until the target had been examined again\n",
				np_clock_seconds(r->rechecks.held));
		fprintf(text, "cpu         user %.3f s, system %.3f s\n",
			np_clock_seconds(r->usage.user), np_clock_seconds(r->usage.system));
		if (r->ending == ENDING_INTERRUPTED)
			fputs("interrupted by a signal\n", text);
	}
	fprintf(text, "%s %.2f MB in %.3f s: %s %s, %s packets/s\n",
		o->operation == OPERATION_WRITE ? "wrote" : "read", (double)r->tally.bytes / MB,
		np_clock_seconds(r->elapsed), rates.bytes, rates.unit, rates.packets);
	if (o->report.layout == NP_REPORT_FULL)
		write_full(text, s, r);
}
