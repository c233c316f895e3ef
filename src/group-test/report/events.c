// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * events: passes the events of a member and its transport to text, log, records and files. Records
 * are start, intervals, each run's table and the summary as JSON, in plain units.
 */
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#define SHORT (100 * NP_MILLISECOND)

static const char *const fates[] = {
	[FATE_STAYED] = "stayed", [FATE_SILENT] = "silent", [FATE_CUT] = "cut",
	[FATE_QUIT] = "quit",	  [FATE_NEVER] = "never",   [FATE_REFUSED] = "refused",
};

/* The "start" record: options, settings, transport. */
static struct np_record *record_start(const struct report_view *view, struct transport *opened)
{
	const struct transport_info *transport = view->transport;
	const struct settings *s = view->settings;
	struct np_record *start = np_record_start(&group_test_options, view->options), *r;

	r = np_record_object(start, "settings");
	np_record_text(r, "transport", s->transport.variant);
	np_record_text(r, "class", s->lineage);
	np_record_count(r, "num_msgs", s->member.messages);
	np_record_count(r, "msg_size_bytes", s->member.payload);
	np_record_count(r, "num_members", s->member.members);
	np_record_count(r, "num_senders", s->member.senders);
	np_record_count(r, "log_interval_messages", s->member.log_interval);
	np_record_count(r, "processing_delay_ms", s->processing_delay_ms);
	r = np_record_object(start, "transport");
	np_record_text(r, "variant", transport->variant);
	np_record_text(r, "detail", transport->detail);
	np_record_text(r, "address", identity_text(&transport->self));
	np_record_text(r, "stamps", transport->stamps);
	np_record_text(r, "drop_unit", transport->drop_unit);
	if (transport->receive_granted)
		np_record_count(r, "receive_buffer_bytes", transport->receive_granted);
	if (transport->send_granted)
		np_record_count(r, "send_buffer_bytes", transport->send_granted);
	if (transport->lossy)
		np_record_count(r, "window_bytes", transport->window_bytes);
	np_record_text(r, "flow_control", s->flow_control);
	transport_describe(opened, r, false);
	return start;
}

/* For messages without numbers, only the announced number of messages is known. */
static void add_counts(struct np_record *r, const struct np_flow_counts *counts, bool numbered,
		       unsigned what)
{
	if (!numbered)
		np_record_count(r, "sent_messages", counts->sent);
	np_record_flow(r, "messages", counts, numbered ? what : what | NP_FLOW_BARE);
}

/* An "interval": what this member received from all senders since the last one. */
static struct np_record *record_interval(unsigned run, np_time at,
					 const struct np_flow_counts *counts, bool numbered)
{
	struct np_record *r = np_record_new("interval");
	char flow[16];

	snprintf(flow, sizeof(flow), "run %u", run);
	np_record_interval(r, at - counts->elapsed, at, flow, "messages");
	np_record_flow(r, "messages", counts, numbered ? 0 : NP_FLOW_BARE);
	return r;
}

/*
 * What is known of @row, and where messages were lost; and whether all that is exact, not lower
 * bounds.
 */
static void add_row(struct np_record *r, const struct result_row *row, bool numbered,
		    struct np_result lost)
{
	struct np_flow_counts counts = row->counts;
	bool lost_exact;

	counts.elapsed = result_elapsed(row);
	/* A single message of each stream has no rate. */
	counts.head_bytes = result_rate_known(row) ? 0 : counts.bytes;
	add_counts(r, &counts, numbered, 0);
	np_record_flag(r, "ended", row->ended);
	np_record_figures(r, "delay_ns", &row->delay);
	if (row->delay.count)
		np_record_time(r, "delay_bound_ns", row->delay_bound);
	lost_exact = np_record_lost(r, &lost, "messages");
	np_record_flag(r, "exact", row->exact && lost_exact);
}

static void add_averages(struct np_record *r, const struct result *result)
{
	struct result_average a = result_average(result);

	if (!a.nodes)
		return;
	np_record_number(r, "node_rate_messages_per_s", a.node_messages_per_s);
	np_record_number(r, "node_rate_bytes_per_s", a.node_bytes_per_s);
	np_record_number(r, "cluster_rate_messages_per_s", a.cluster_messages_per_s);
	np_record_number(r, "cluster_rate_bytes_per_s", a.cluster_bytes_per_s);
}

/*
 * A "result": one run, with the matrix of receivers and senders. If it is not numbered, only the
 * sum over all senders is known, without duplicates and order.
 */
static struct np_record *record_result(const struct result *result)
{
	struct np_record *r = np_record_new("result");

	np_record_count(r, "run", result->run + 1);
	np_record_flag(r, "complete", result->complete);
	np_record_flag(r, "interrupted", result->interrupted);
	np_record_count(r, "own_sent_messages", result->sent);
	if (result->behind >= 0)
		np_record_time(r, "behind_ns", result->behind);
	add_averages(r, result);
	for_each(m, result->member, result->members) {
		const struct result_row sum = result_combined(m);
		struct np_record *member = np_record_append(r, "members"), *cpu;

		np_record_text(member, "member", identity_text(&m->who));
		np_record_flag(member, "sender", m->sender);
		np_record_flag(member, "myself", m->myself);
		np_record_text(member, "fate", fates[m->outcome]);
		if (m->outcome != FATE_STAYED) {
			np_record_text(member, "why", m->why);
			np_record_time(member, "fate_after_ns", m->outcome_after);
		}
		np_record_flag(member, "reported", m->reported);
		if (!m->reported)
			continue;
		add_row(member, &sum, result->numbered, result_of_member(result, m));
		/* Other members of a Java group report no more than this. */
		if (m->rows) {
			cpu = np_record_object(member, "cpu");
			np_record_time(cpu, "user_ns", m->host.cpu_user);
			np_record_time(cpu, "system_ns", m->host.cpu_system);
			if (m->all_drops.reasons)
				np_record_drops(member, m->all_drops.reasons);
			np_record_count(member, "errors_messages", m->host.malformed);
		}
		for_each(row, m->row, m->rows) {
			struct np_record *sender = np_record_append(member, "senders");

			np_record_text(sender, "sender", identity_text(&row->sender));
			add_row(sender, row, result->numbered, result_of_row(result, m, row));
			if (row->drops.reasons && row->drops.reasons->known)
				np_record_drops(sender, row->drops.reasons);
		}
	}
	return r;
}

/* The "summary": the latest run's sums and averages, and what disturbed it. */
static struct np_record *record_summary(const struct result *result,
					const struct transport_info *info,
					const struct transport_stats *stats,
					const struct np_usage *usage)
{
	struct np_record *r = np_record_new("summary"), *transport;
	/* Over all members that reported. */
	struct np_flow_counts sum = {};
	unsigned reported = 0;
	bool exact = true;

	for (size_t i = 0; i < result->members; i++) {
		const struct result_row row = result_combined(&result->member[i]);

		if (!result->member[i].reported)
			continue;
		reported++;
		np_flow_counts_add(&sum, &row.counts);
		exact &= row.exact;
	}
	np_record_count(r, "members", result->members);
	np_record_count(r, "reported_members", reported);
	np_record_count(r, "own_sent_messages", result->sent);
	if (reported)
		add_counts(r, &sum, result->numbered, NP_FLOW_SUMS);
	np_record_flag(r, "exact", reported && exact);
	add_averages(r, result);
	transport = np_record_object(r, "transport");
	for (const struct transport_counter *c = transport_counters; c->offset != SIZE_MAX; c++) {
		if (!c->drops)
			np_record_count(transport, c->json, transport_count(stats, c));
		else if (info->drop_unit)
			np_record_count(np_record_object(transport, "dropped_by_host"), c->json,
					transport_count(stats, c));
	}
	np_record_text(transport, "drop_unit", info->drop_unit);
	np_record_usage(r, usage);
	np_record_flag(r, "interrupted", result->interrupted);
	return r;
}

int events_open(struct events *t, const struct np_run *run, const struct settings *settings)
{
	const struct options *options = run->options;
	const struct np_output how = {.inputs = options->report.inputs,
				      .never_began = &t->log_waits};
	int rc;

	*t = (struct events){
		.view = {.options = options, .settings = settings},
		.log = run->log,
		.log_waits = true,
		.report = run->report,
		.full = run->full,
		.out = np_report_text(run->report),
	};
	if (options->report.layout != NP_REPORT_RESULT && options->report.layout != NP_REPORT_FULL)
		t->text = t->out;
	if (options->report.layout != NP_REPORT_ORIGINAL && !options->mesh.mesh)
		t->block = t->out;
	if (!options->log)
		return 0;
	rc = np_output_stream(options->log, &how, &t->log_file);
	return rc ? np_log_refuse(t->log, options->log, "%s", np_output_reason(rc)) : 0;
}

static void banner(const struct events *t, FILE *out)
{
	const char *user = getenv("USER");

	console_banner(out, &t->view, t->begun, user ? user : geteuid() ? "unknown" : "root");
}

/*
 * A run that counts begins. The file of -f has the banner, a row of numbers every log_interval
 * messages, and the results (spec 6.5). In place of Java's heap it shows the machine's free and
 * total memory.
 */
static void begin_files(struct events *t)
{
	np_report_begun(t->report);
	if (!t->log_file || !t->log_waits)
		return;
	t->log_waits = false;
	banner(t, t->log_file);
	fprintf(t->log_file,
		"\n##### msgs_received, current time (in ms), msgs/sec, throughput/sec [KB], "
		"free_mem [KB] , total_mem [KB] %s\n",
		t->view.settings->dump_transport_stats ? ", sent, received, dropped " : "");
}

void events_begin(struct events *t, struct transport *transport)
{
	const struct transport_info *info = transport_info(transport);
	const struct options *o = t->view.options;
	const char *asked = o->dump_stats;

	t->view.transport = info;
	t->transport = transport;
	t->spoke = true;
	t->begun = np_clock_pair_read().realtime;
	/* Of JGroups' protocols only the one at the bottom exists here, under any of its names. */
	if (asked && strcmp(asked, OPTIONS_ALL_COUNTERS) && *asked != '.' &&
	    strncasecmp(asked, info->variant, strlen(info->variant)))
		np_log_warning(t->log, "-dump_stats",
			       "no protocol '%.*s' here: the counters are those of %s",
			       (int)strcspn(asked, "."), asked, info->variant);
	if (t->text && !o->silent)
		banner(t, t->text);
	if (t->text)
		console_address(t->text, &t->view);
	np_log_detail(t->log, "transport %s: %s, buffers %zu and %zu bytes, stamps by %s",
		      info->variant, info->detail, info->receive_granted, info->send_granted,
		      info->stamps);
	np_report_hold(t->report, record_start(&t->view, transport));
}

/* What this member has counted, over all senders. */
static struct result_row own_sum(const struct result *result)
{
	const struct result_member *myself = result_myself(result);

	return myself && myself->rows ? result_combined(myself) : (struct result_row){};
}

/*
 * A row of the log file: what this member has received so far, the wall clock, and the rate from
 * its first message to @now.
 */
static void write_row(struct events *t, np_time now)
{
	const struct result_row sum = own_sum(member_look(t->member));
	const struct np_flow_counts *counts = &sum.counts;
	const double elapsed = np_clock_seconds(now - counts->first);
	const double per_s = counts->first && elapsed > 0 ? (double)counts->received / elapsed : 0;
	char rate[NP_DECIMAL_TEXT], bytes[NP_DECIMAL_TEXT];
	const struct transport_stats *stats;
	struct sysinfo memory = {};

	sysinfo(&memory);
	fprintf(t->log_file, "%" PRIu64 " %" PRId64 " %s %s %llu %llu", counts->received,
		np_clock_pair_read().realtime / NP_MILLISECOND,
		np_decimal_two(per_s, rate, sizeof(rate)),
		np_decimal_two(per_s * (double)t->view.settings->member.payload, bytes,
			       sizeof(bytes)),
		(unsigned long long)memory.freeram * memory.mem_unit / 1024,
		(unsigned long long)memory.totalram * memory.mem_unit / 1024);
	if (t->view.settings->dump_transport_stats) {
		stats = transport_stats(t->transport);
		fprintf(t->log_file, " %" PRIu64 " %" PRIu64 " %" PRIu64, stats->sent_messages,
			stats->received_messages, stats->dropped);
	}
	fputc('\n', t->log_file);
}

/* Logs events that have no line on stdout but matter before the figures are trusted. */
static void remark(const struct events *t, const struct member_event *event)
{
	const char *who = event->who ? identity_text(event->who) : "";

	/* Of many ranks, one says what all see. */
	if (t->view.options->mesh.rank && event->kind == MEMBER_GIVEN_UP) {
		np_log_detail(t->log, "%s: given up: %s", who, event->text);
		return;
	}
	switch (event->kind) {
	case MEMBER_WARMING:
		if (event->elapsed && !t->view.options->mesh.rank)
			np_log_info(t->log, "warming up for %g s",
				    np_clock_seconds(event->elapsed));
		break;
	case MEMBER_HELD_UP:
		np_log_info(t->log, "%s has accepted no message for %.1f s", who,
			    np_clock_seconds(event->elapsed));
		break;
	case MEMBER_GIVEN_UP: np_log_error(t->log, who, "given up: %s", event->text); break;
	case MEMBER_REFUSED: np_log_warning(t->log, who, "refused: %s", event->text); break;
	case MEMBER_UNLIKE: np_log_warning(t->log, who, "%s", event->text); break;
	case MEMBER_MET: np_log_warning(t->log, who, "speaks %s", event->text); break;
	case MEMBER_UNSENT:
		np_log_warning(t->log, NULL, "this host refuses to send: %s", event->text);
		break;
	case MEMBER_CUT:
		np_log_warning(t->log, NULL,
			       "this member stopped sending after %" PRIu64 " message%s: %s",
			       event->number, np_plural(event->number), event->text);
		break;
	default: break;
	}
}

/*
 * Reports what this member received since the last row, of @sum, where @text and @record ask for
 * it.
 */
static void report_row(struct events *t, const struct result_row *sum, np_time now, bool text,
		       bool record)
{
	struct events_progress *p = &t->progress;
	struct np_flow_counts span = sum->counts;
	struct np_block_interval row = {.from = p->last - p->begun, .to = now - p->begun};

	np_flow_counts_since(&span, &p->reported);
	span.elapsed = now - p->last;
	span.head_bytes = 0;
	row.count = span.received;
	row.bytes_per_s = span.elapsed > 0 ? np_units_rate(span.bytes, span.elapsed) : -1;
	/* Late messages were counted as lost before. */
	if (!is_java(&t->view) && span.lost <= INT64_MAX)
		row.lost = np_result_of(&span).lost;
	/* For --report=full. */
	if (text)
		np_block_full_interval(t->full, &row);
	/* Not a line of the original. */
	if (text && t->text && t->block)
		console_progress(t->text, &t->view, sum->counts.received, span.received,
				 span.elapsed);
	if (record)
		(void)np_report_write(t->report, record_interval(p->run + 1, now - p->begun, &span,
								 !is_java(&t->view)));
	np_report_metrics(t->report);
	p->reported = sum->counts;
	p->last = now;
	p->rows++;
	t->spoke = true;
}

/* What was reported is of another run than @run: there is nothing of this one yet. */
static void begin_run(struct events_progress *p, unsigned run)
{
	if (p->run == run)
		return;
	p->reported = (struct np_flow_counts){0};
	p->rows = 0;
	p->run = run;
}

/* The rows of a run add up to what its result shows for this member. */
static void report_rest(struct events *t, const struct result *result, np_time now)
{
	const struct result_member *myself = result_myself(result);
	struct events_progress *p = &t->progress;
	struct np_flow_counts span;
	struct result_row sum;

	if (!p->running || !myself || !myself->rows)
		return;
	sum = result_combined(myself);
	begin_run(p, result->run);
	span = sum.counts;
	np_flow_counts_since(&span, &p->reported);
	if (!p->rows || !np_flow_counts_empty(&span))
		report_row(t, &sum, now, t->view.options->report.interval,
			   np_report_wants_rest(t->report));
}

void events_member(void *context, const struct member_event *event)
{
	struct events *t = context;
	const struct result *result = event->result;
	np_time now = np_clock_now(), took;
	struct result_row sum;
	struct identity at;
	double loss, rate;

	t->spoke = true;
	if (event->kind == MEMBER_RESULT)
		report_rest(t, event->result, now);
	if (t->text)
		console_member(t->text, &t->view, event);
	remark(t, event);
	if (event->kind == MEMBER_READY) {
		begin_files(t);
		t->progress = (struct events_progress){.running = true, .begun = now, .last = now};
	}
	if (t->log_file && (event->kind == MEMBER_RECEIVED || event->kind == MEMBER_PROGRESS))
		write_row(t, now);
	if (event->kind != MEMBER_RESULT)
		return;
	loss = result_worst_loss(result, &at);
	np_status_erase(t->log->status);
	t->progress.running = result->run + 1 < t->view.options->member.runs;
	if (loss > t->worst_loss) {
		t->worst_loss = loss;
		t->lossiest = at;
	}
	t->lost_members |= result_lost_members(result);
	sum = own_sum(result);
	took = sum.counts.last - sum.counts.first;
	/* A rate over so short a time says more about the scheduler than about the group. */
	if (!t->view.options->mesh.rank && sum.counts.received && took < SHORT &&
	    !result->interrupted)
		np_log_warning(t->log, NULL,
			       "the messages arrived within %.3f ms: too short a time for a "
			       "meaningful rate; raise num_msgs",
			       (double)took / (double)NP_MILLISECOND);
	rate = result_rate_sent(result, t->view.settings->member.payload);
	/* A pacer never changes its rate; what was sent shows that it could not be held. */
	if (!t->view.options->mesh.rank &&
	    np_pacer_fell_behind(result->behind, np_units_rate(result->sent, result->sent_elapsed)))
		np_log_warning(
			t->log, "--rate", "sending fell behind by up to %.3f s; sent %s",
			np_clock_seconds(result->behind),
			np_rate_format(rate > 0 ? rate : 0, t->view.options->report.unit).text);
	if (t->block)
		result_block(t->block, &t->view, t->full, result);
	np_block_full_clear(t->full);
	if (t->log_file)
		console_result(t->log_file, &t->view, result);
	/* What a mesh counted is written once, when all have told it. */
	if (!t->view.options->mesh.mesh)
		(void)np_report_write(t->report, record_result(result));
}

void events_name_absent(const struct events *t)
{
	for (unsigned i = 0; i < t->absents && !t->view.options->mesh.mesh; i++)
		np_log_error(t->log, NULL, "no member at %s; start 'group-test' there",
			     identity_text(&t->absent[i]));
}

void events_transport(struct events *t, const struct transport_event *event)
{
	const char *who = identity_text(&event->peer);
	unsigned at = 0;

	if (event->kind == TRANSPORT_MOVED || event->kind == TRANSPORT_OVERSIZE)
		return;
	/* Over tcp, who is tried again is told as FAILED once, then as CONNECTED. */
	while (at < t->absents && !identity_equal(&t->absent[at], &event->peer))
		at++;
	if (event->kind == TRANSPORT_CONNECTED && at < t->absents)
		t->absent[at] = t->absent[--t->absents];
	else if (event->kind == TRANSPORT_FAILED && event->error == -ECONNREFUSED &&
		 at == t->absents && at < EVENTS_ABSENT)
		t->absent[t->absents++] = event->peer;
	t->spoke = true;
	if (t->text)
		console_transport(t->text, &t->view, event);
	switch (event->kind) {
	case TRANSPORT_CONNECTED: np_log_detail(t->log, "connected to %s", who); break;
	case TRANSPORT_FAILED:
		np_log_detail(t->log, "%s does not answer yet: %s", event->text ? event->text : who,
			      strerror(-event->error));
		break;
	case TRANSPORT_LOST:
	case TRANSPORT_ENDED:
		np_log_detail(t->log, "%s: the connection %s ended: %s", who,
			      event->kind == TRANSPORT_LOST ? "to it" : "from it",
			      event->error ? strerror(-event->error) : "that member closed it");
		break;
	case TRANSPORT_REFUSED: np_log_warning(t->log, who, "refused: %s", event->text); break;
	default: break;
	}
}

static void write_interval(struct events *t, np_time now)
{
	struct result_row sum = own_sum(member_look(t->member));

	/* Until a sender reports its end, its row says what it announced, not what it has sent. */
	if (!is_java(&t->view))
		sum.counts.sent = sum.counts.received + sum.counts.lost;
	begin_run(&t->progress, member_result(t->member)->run);
	report_row(t, &sum, now, true, true);
}

np_time events_due(struct events *t, np_time now)
{
	const np_time interval = t->view.options->report.interval;
	const np_time duration = t->view.options->member.duration;
	const np_time end = duration ? t->progress.begun + duration : NP_TIME_NEVER;

	if (!t->progress.running)
		return NP_TIME_NEVER;
	if (interval && now >= t->progress.last + interval)
		write_interval(t, now);
	if (now >= np_status_next(t->log->status)) {
		const struct np_flow_counts counts = own_sum(member_look(t->member)).counts;

		np_status_show(t->log->status, now,
			       &(struct np_status_figures){
				       .begun = t->progress.begun,
				       .end = end,
				       .bytes = counts.bytes,
				       .rate_in_bytes = t->view.options->report.unit,
				       .count = counts.received,
				       .unit = "messages received",
				       .fault = is_java(&t->view) ? NULL : "lost",
				       .faults = counts.lost,
			       });
	}
	return np_clock_sooner(interval ? t->progress.last + interval : NP_TIME_NEVER,
			       np_status_next(t->log->status));
}

void events_report_now(struct events *t, np_time now)
{
	if (!t->progress.running || t->view.options->mesh.mesh)
		return;
	if (t->text)
		console_result(t->text, &t->view, member_look(t->member));
	if (t->block)
		result_block(t->block, &t->view, NULL, member_look(t->member));
	write_interval(t, now);
}

void events_flush(struct events *t)
{
	if (!t->spoke)
		return;
	t->spoke = false;
	if (t->log_file)
		fflush(t->log_file);
	/* A failure is reported at the end: the other members of the run can still be counted. */
	if (t->out)
		fflush(t->out);
}

void events_end(struct events *t, int status, const struct np_usage *before)
{
	/* The names after "PROTOCOL."; none: all. */
	const char *dot =
		t->view.options->dump_stats ? strchr(t->view.options->dump_stats, '.') : NULL;
	const struct transport_stats *stats = transport_stats(t->transport);
	const struct np_usage usage = np_usage_since(before);
	struct np_record *summary;

	if (stats->not_allowed)
		np_log_warning(t->log, "--allow", "closed %" PRIu64 " connection%s of other hosts",
			       stats->not_allowed, np_plural(stats->not_allowed));
	if (t->text && t->view.options->dump_stats)
		console_counters(t->text, stats, t->view.transport->drop_unit,
				 dot && dot[1] ? dot + 1 : NULL);
	if (status == 2)
		return;
	summary = record_summary(member_result(t->member), t->view.transport, stats, &usage);
	transport_describe(t->transport, summary, true);
	(void)np_report_write(t->report, summary);
}

int events_close(struct events *t, int status)
{
	int rc;

	if (status != 2)
		begin_files(t);
	rc = np_output_close(t->log_file);
	if (rc) {
		np_log_error(t->log, t->view.options->log, "%s", strerror(-rc));
		status = status ? status : 1;
	}
	return status;
}
