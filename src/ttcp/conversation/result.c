// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * result: reports the runs of senders and receivers: text, records, the log; what this host dropped
 * during a run, by its kernel's counters, and of its messages, by its kernel's reasons.
 */
#include "conversation.h"
#include "sender.h"

#include <errno.h>

#define ROW_WAITS (500 * NP_MILLISECOND)

/* Writes the start record before the first run; @peer: a receiver's sender. */
static void write_start(const struct transport *t, const struct np_address *peer)
{
	struct session *whole = t->session;

	while (whole->of)
		whole = whole->of;
	if (!t->session->report || __atomic_exchange_n(&whole->started, 1, __ATOMIC_RELAXED))
		return;
	session_write(t->session, record_start(whole->options, t, peer));
}

/* Whether there may be others beside the current run: then it has a record of its own. */
static bool is_one_of_several(const struct session *s)
{
	const struct session *whole = s;

	while (whole->of && !s->client)
		whole = whole->of;
	return s->runs > 1 || whole->options->load.runs != 1;
}

static void write_run(struct session *s, struct np_record *record)
{
	np_record_text(record, "client", s->client);
	np_record_text(record, "direction", s->direction);
	session_write(s, record);
}

/* Completes and writes the summary record, or keeps it for that of all. */
static void write_summary(const struct transport *t, struct np_record *summary)
{
	const struct np_usage usage = np_usage_since(&t->session->usage);
	struct session *s = t->session;

	if (t->face->sum_up)
		t->face->sum_up(t, summary);
	np_record_usage(summary, &usage);
	np_record_flag(summary, "interrupted", s->interrupts);
	np_record_text(summary, "client", s->client);
	np_record_text(summary, "direction", s->direction);
	np_record_adopt(summary, "reverse", s->summary);
	s->summary = NULL;
	if (s->of)
		s->summary = summary;
	else
		session_write(s, summary);
}

static void begin_run(struct session *s, uint64_t run, np_time now)
{
	s->progress = (struct session_progress){.run = run, .begun = now, .usage = np_usage_now()};
	s->progress.used = np_usage_since(&s->usage);
	np_block_full_clear(s->full);
	np_interval_start(&s->progress.interval, now, s->options->report.interval);
}

/*
 * Reports the interval until @now: what was counted since the last one. @life: since the start of
 * the run; @over: the run has ended, or is this end's own: silence is no riddle; @rest: the last
 * one, which completes the sum of the run's, none if it is empty: without messages a sender's has
 * what TCP did meanwhile, for records; @delays: NULL: unknown.
 */
static void report_rows(struct session *s, const struct np_flow_counts *life, np_time now,
			bool over, bool rest, const struct np_histogram_figures *delays)
{
	const bool sends = s->options->task == TASK_TRANSMIT;
	struct session_progress *p = &s->progress;
	const np_time end = rest && now < p->interval.mark ? p->interval.mark : now;
	const np_time at = end - p->begun;
	struct np_flow_counts part = *life;
	const struct np_block_tcp tcp = account_tcp_since(s, &p->tcp_marked);
	struct np_record *row;
	bool empty, waiting, silent;

	np_flow_counts_since(&part, &p->marked);
	empty = np_flow_counts_empty(&part);
	silent = rest && p->intervals && empty;
	if (silent && !(sends && tcp.known))
		return;
	/* The sender may pause, or be dead: that is known only later. */
	waiting = !over && empty;
	part.elapsed = np_interval_next(&p->interval, end);
	p->marked = *life;
	p->tcp_marked = p->tcp.figures;
	p->intervals++;
	if (!silent && (!rest || s->options->report.interval > 0)) {
		console_interval(&s->console, s->client, at, &part, waiting);
		np_block_full_interval(
			s->full,
			&(struct np_block_interval){
				.from = at - part.elapsed,
				.to = at,
				.count = sends ? part.sent : part.received,
				.bytes_per_s = part.elapsed > 0
						       ? np_units_rate(part.bytes, part.elapsed) *
								 np_flow_counts_share(&part)
						       : -1,
				.lost = sends ? (struct np_count){.known = NP_UNKNOWN}
					      : NP_COUNT_EXACT(part.lost),
				.delay = delays ? *delays : (struct np_histogram_figures){0},
			});
	}
	if (!s->report || (rest && !np_report_wants_rest(s->report)))
		return;
	row = record_interval(sends ? "transmit" : "receive", s->client, p->run, at, &part, delays);
	np_record_text(row, "direction", s->direction);
	record_tcp(row, &tcp);
	if (!sends)
		np_record_flag(row, "waiting", waiting);
	session_write(s, row);
	np_report_metrics(s->report);
}

/* A node of an overlay may be needed by others for a while. */
static void linger(struct transport *t)
{
	if (!t->face->self || transport_options(t)->wait.no_wait)
		return;
	console_waiting(&t->session->console, TRANSPORT_SETTLE,
			transport_options(t)->task == TASK_TRANSMIT ? "leaving overlay network"
								    : "finish");
	t->linger = true;
}

static void add_run(struct session *s)
{
	if (s->runs++)
		np_drops_add(&s->dropped.all, &s->dropped.run);
	else
		s->dropped.all = s->dropped.run;
}

/* At a rate n messages take n intervals; the last one follows the last message. */
static np_time end_of(const struct sender *s)
{
	const struct sender_run *run = &s->run;
	np_time due = run->pacer.rate_per_s > 0 ? np_pacer_next(&run->pacer) : run->last;

	return sender_messages(s) > 1 && due > run->last ? due : run->last;
}

/* A sender's own figures have neither loss nor order. */
static struct np_flow_counts figures_of(const struct sender *s)
{
	const uint64_t messages = sender_messages(s);
	struct np_flow_counts figures = {
		.flows = 1,
		.sent = messages,
		.sent_known = true,
		.bytes = s->raw_bytes ? s->raw_bytes : messages * s->load->message_bytes,
		.first = s->run.first,
		.last = s->run.last,
		.elapsed = end_of(s) - s->run.first,
	};

	for (unsigned i = 0; i < s->transport.lanes; i++)
		figures.unsent += s->lane[i].lost;
	return figures;
}

void send_interval(struct sender *s, np_time now, bool rest)
{
	struct np_flow_counts life = figures_of(s);

	account_tcp(&s->transport, s->load->crr ? 0 : s->transport.lanes);
	/* A single message has no rate. */
	if (rest && !s->session->progress.intervals && life.sent == 1)
		life.head_bytes = s->load->message_bytes;
	report_rows(s->session, &life, now, true, rest, NULL);
}

/* @life: since the start of the run, which ends at @end. */
static void show_status(const struct session *s, np_time now, np_time end,
			const struct np_flow_counts *life, bool lost_known)
{
	const bool sends = s->options->task == TASK_TRANSMIT;

	np_status_show(s->console.status, now,
		       &(struct np_status_figures){
			       .begun = s->progress.begun,
			       .end = end,
			       .bytes = life->bytes,
			       .rate_in_bytes = s->options->report.unit,
			       .count = sends ? life->sent : life->received,
			       .unit = sends ? "messages sent" : "messages received",
			       .fault = lost_known ? "lost" : NULL,
			       .faults = life->lost,
		       });
}

void send_status(struct sender *s, np_time now)
{
	struct np_flow_counts life;

	if (now < np_status_next(s->session->console.status))
		return;
	life = figures_of(s);
	show_status(s->session, now, s->run.deadline, &life, false);
}

void send_begin(struct sender *s)
{
	struct session_progress *progress = &s->session->progress;
	np_time now;

	write_start(&s->transport, NULL);
	now = np_clock_now();
	sender_start(s, now);
	begin_run(s->session, s->run.number, now);
	account_tcp(&s->transport, s->transport.lanes);
	progress->tcp_begun = progress->tcp_marked = progress->tcp.figures;
	s->look_at = now + TRANSPORT_LOOK;
	send_account_begin(s);
}

int send_conclude(struct sender *s, int status)
{
	const struct load_options *load = s->load;
	const bool last = s->session->interrupts || (load->runs && s->run.number >= load->runs);
	struct console *console = &s->session->console;
	struct record_transmit *result = &s->run.result, *sum = &s->sum, before;
	struct receivers *receivers = &s->receivers;
	const size_t ready = receivers_ready(receivers);
	char text[CONSOLE_RESULT];

	result->figures = figures_of(s);
	result->figures.head_bytes = result->figures.sent == 1 ? load->message_bytes : 0;
	result->behind = s->run.pacer.worst_behind;
	receivers->message_bytes = load->message_bytes;
	for (size_t i = 0; i < receivers->count; i++) {
		struct receivers_receiver *receiver = &receivers->receiver[i];
		struct np_flow_counts *counts = &receiver->report.counts;
		const uint64_t came = counts->received + counts->late;
		const uint64_t most = result->figures.sent > came ? result->figures.sent - came : 0;

		receiver->clock = sender_clock(s, receiver, session_wall(s->session, s->run.last));
		/*
		 * One that was stopped, or missed the END, does not know which did not leave: of
		 * those none was lost.
		 */
		if (!receiver->report.exact && counts->lost > most)
			counts->lost = most;
	}
	send_interval(s, end_of(s), true);
	result->tcp = account_tcp_since(s->session, &s->session->progress.tcp_begun);
	send_account_end(s);
	console_finished(console, s->acks,
			 s->acks && ready && receivers->acks == result->figures.sent * ready);
	if (last)
		linger(&s->transport);
	console_transmitted(console, result, text);
	if (!load->find)
		block_transmit(s);
	files_log(&s->files, "Transmit", text);
	/* The last line is to be the error that ended the run, which is said already. */
	if (!status && !load->find)
		send_warn(s, result);
	before = *sum;
	/* What cannot be added is that of the last run. */
	*sum = *result;
	sum->figures = before.figures;
	np_flow_counts_append(&sum->figures, &result->figures);
	sum->refusals.errors += before.refusals.errors;
	sum->refusals.retried += before.refusals.retried;
	sum->send_errors += before.send_errors;
	sum->transactions.broken += before.transactions.broken;
	if (before.behind > sum->behind)
		sum->behind = before.behind;
	if (s->session->runs) {
		/* Of several rates there is no single one. */
		if (before.rate_bits != sum->rate_bits)
			sum->rate_bits = 0;
		sum->refusals.known &= before.refusals.known;
		account_tcp_add(&sum->tcp, &before.tcp);
	}
	add_run(s->session);
	if (s->session->report && is_one_of_several(s->session) && !load->find)
		write_run(s->session, record_transmit("run", result));
	return status ? status : send_judge(s, result);
}

bool send_trial(struct sender *s)
{
	const struct record_transmit *result = &s->run.result;
	const struct receivers_receiver *receiver = receivers_only(&s->receivers);
	const struct np_usage used = np_usage_since(&s->session->progress.usage);
	struct session *session = s->session;
	struct np_find_trial t = {
		.asked = result->rate_bits / 8,
		.sent = np_units_rate(result->figures.bytes, s->load->duration),
		.behind = result->behind,
		.cpu = np_usage_share(&used, s->load->duration),
	};

	/* One that was started again, or stopped, knows a part. */
	if (!receiver || receiver->report.status >= MESSAGE_TIMED_OUT ||
	    receiver->report.counts.missed_before)
		return false;
	t.result = record_attribute_report(result, receiver);
	t.received = np_units_rate(receiver->report.counts.bytes, receiver->report.counts.elapsed);
	np_find_take(&s->find, &t);
	if (session->console.block)
		np_find_print(session->console.block, &s->find, &t, s->options->report.unit);
	if (session->report)
		session_write(session, np_find_record(&s->find, &t, "messages"));
	return np_find_next(&s->find) != NP_FIND_OVER;
}

int send_summary(struct sender *s)
{
	/* Of --find-rate all is of the last trial. */
	struct record_transmit sum = s->load->find ? s->run.result : s->sum;
	struct session *session = s->session;
	struct np_record *record = NULL, *latency;
	int status = 0;

	if (s->load->find)
		session->usage = session->progress.usage;
	else if (session->drops)
		sum.dropped = &session->dropped.all;
	if (session->report)
		record = record_transmit("summary", &sum);
	if (record && s->load->latency) {
		latency = np_record_object(record, "latency");
		np_record_figures(latency, "idle_rtt_ns", &s->idle);
		np_record_count(latency, "idle_lost_messages", s->idle_lost);
		np_record_figures(latency, "loaded_rtt_ns", &s->loaded);
		np_record_count(latency, "loaded_lost_messages", s->loaded_lost);
		if (s->loaded.count)
			np_record_number(latency, "loaded_round_trips_per_minute",
					 60e9 / (double)s->loaded.mean);
	}
	if (s->load->find) {
		block_transmit(s);
		status = np_find_conclude(&s->find, session->console.block, record, session->log,
					  s->options->report.unit, session->interrupts);
	}
	if (record)
		write_summary(&s->transport, record);
	return status;
}

void receive_open_files(struct receiver *r)
{
	if (files_open(&r->files, r->run.number, r->run.streams)) {
		r->status = 1;
		r->over = true;
	}
}

void receive_begin(struct receiver *r, const struct source *source)
{
	const struct transport_face *face = r->transport.face;
	const struct receiver_run *run = &r->run;
	struct console *console = &r->session->console;

	receive_account_begin(r, false);
	begin_run(r->session, run->number, run->begun);
	/* Messages that are dropped meanwhile are of the run. */
	receive_open_files(r);
	console->counted = 0;
	/* The first run was announced when listening started. */
	if (run->number > 1)
		console_run(console, run->number, NULL);
	if (source->channel)
		console_connected(console, source->address,
				  face->local(&r->transport, source->channel));
	console_receiving(console, run->started ? &run->start : NULL);
	if (face->self)
		console_event(console, "TTCP_EVENT");
	write_start(&r->transport, &run->sender);
}

void receive_warmed_up(struct receiver *r)
{
	struct session_progress *progress = &r->session->progress;

	receive_account_begin(r, true);
	r->session->usage = np_usage_since(&progress->used);
	begin_run(r->session, r->run.number, session_now(r->session));
	account_tcp(&r->transport, r->run.streams);
	progress->tcp_begun = progress->tcp_marked = progress->tcp.figures;
}

/* The intervals start with the first message. */
static void begin_intervals(struct receiver *r)
{
	const struct receiver_run *run = &r->run;
	struct np_interval *interval = &r->session->progress.interval;

	if (run->messages && interval->begin != run->first)
		np_interval_start(interval, run->first, interval->period);
}

/* Reports what came of @life since the last interval. */
static void report_interval(struct receiver *r, const struct np_flow_counts *life, np_time now,
			    bool rest)
{
	struct np_histogram_figures delays;
	const bool known = conversation_cut_delays(r, &delays);

	/* Connections that are over have no figures. */
	account_tcp(&r->transport, r->run.result.transactions.connects ? 0 : r->run.streams);
	report_rows(r->session, life, now, r->run.ended_at, rest, known ? &delays : NULL);
}

void receive_look(struct receiver *r, np_time now)
{
	const struct np_interval *interval = &r->session->progress.interval;
	struct np_flow_counts life;
	bool due;
	np_time last;

	transactions_count(r);
	begin_intervals(r);
	console_count(&r->session->console, r->run.messages);
	/* Shows empty ones in time; but a file ends with the last message. */
	if (r->session->options->task == TASK_MONITOR)
		files_look(&r->files, now);
	due = np_interval_due(interval, now) && !r->run.ended_at && !r->run.warming;
	if (!due && !r->session->report_asked && now < np_status_next(r->session->console.status))
		return;
	life = conversation_figures(r);
	last = life.last - r->session->ahead;
	if (now >= np_status_next(r->session->console.status))
		show_status(r->session, now, NP_TIME_NEVER, &life, !r->run.raw && !r->run.unread);
	/*
	 * A row is reported when a message has come after it, or none for a while: until then its
	 * last message may be that of the run, with which it ends.
	 */
	due = due && (now - interval->due >= ROW_WAITS || last >= interval->due);
	if (!due && !r->session->report_asked)
		return;
	files_flush(&r->files);
	/* With its last message, which may be that of the run, however late this looks. */
	report_interval(r, &life, last > interval->mark ? last : now, false);
}

void receive_add(struct record_receive *sum, const struct record_receive *result, bool beside)
{
	const struct message_report *report = &result->report;
	const struct np_block_tcp before = sum->tcp;

	if (!sum->run) {
		*sum = *result;
		return;
	}
	/* What cannot be added is that of the last run. */
	sum->raw = result->raw;
	sum->stream = NULL;
	sum->grace = result->grace;
	sum->headers = result->headers;
	sum->report.delays = report->delays;
	np_drops_total_add(&sum->sender.dropped, &result->sender.dropped);
	np_drops_total_add(&sum->report.account.dropped, &report->account.dropped);
	sum->sender.cpu.known &= result->sender.cpu.known;
	sum->sender.cpu.usage.user += result->sender.cpu.usage.user;
	sum->sender.cpu.usage.system += result->sender.cpu.usage.system;
	sum->tcp = result->tcp;
	account_tcp_add(&sum->tcp, &before);
	np_path_add(&sum->path, &result->path);
	np_loss_add(&sum->where, &result->where);
	sum->report.drops.least += report->drops.least;
	sum->report.drops.upmost += report->drops.upmost;
	if (beside)
		np_flow_counts_add(&sum->report.counts, &report->counts);
	else
		np_flow_counts_append(&sum->report.counts, &report->counts);
}

void receive_finish(struct receiver *r, enum message_status status, np_time silence)
{
	const struct options *o = r->session->options;
	const struct np_log *log = r->session->log;
	struct receiver_run *run = &r->run;
	struct record_receive *result = &run->result;
	const struct np_flow_counts *f = &result->report.counts;
	struct console *console = &r->session->console;
	bool failed = true;
	char text[CONSOLE_RESULT];

	np_status_erase(console->status);
	begin_intervals(r);
	/* The rows of a run sum to its result; the last one ends with the last message. */
	report_interval(r, f, f->last - r->session->ahead, true);
	result->tcp = account_tcp_since(r->session, &r->session->progress.tcp_begun);
	console_count(console, run->messages);
	linger(&r->transport);
	console_received(console, result, text);
	block_receive(r);
	files_log(&r->files, "Receive", text);
	add_run(r->session);
	receive_add(&r->sum, result, false);
	if (r->session->report && (run->start.runs != 1 || is_one_of_several(r->session)))
		write_run(r->session, record_receive("run", result));
	receive_warn(r);
	if (np_loss_exceeds(np_loss_percent(f->lost, f->sent), o->max_loss_percent, r->name, log))
		r->status = 1;
	if (status == MESSAGE_TIMED_OUT)
		np_log_error(log, r->name, "nothing came for %.0f s, and no END",
			     np_clock_seconds(silence));
	else if (status == MESSAGE_INTERRUPTED && !run->messages)
		np_log_error(log, r->name, "the run was interrupted before any message came");
	else if (status == MESSAGE_COMPLETE && !result->raw && !f->sent_known)
		/* More came than its END says that it sent: one of the two is not its own. */
		np_log_error(log, r->name,
			     "its END reports fewer messages than arrived; how many it sent and "
			     "how many were lost is unknown");
	else
		failed = false;
	if (failed)
		r->status = 1;
	r->status |= files_close_run(&r->files, false);
}

void receive_summary(struct receiver *r)
{
	struct session *s = r->session;
	struct record_receive sum = r->sum;
	struct np_record *record;

	if (s->runs) {
		sum.run = r->run.number;
		sum.report.clock = r->run.result.report.clock;
		sum.dropped = s->drops ? &s->dropped.all : NULL;
	}
	if (s->report && r->clients && r->sent.sum.run) {
		s->summary = record_transmit("summary", &r->sent.sum);
		np_record_text(s->summary, "direction", "reverse");
	}
	if (s->report && (s->runs || (r->clients && r->served))) {
		record = record_receive("summary", &sum);
		if (r->allowed)
			np_record_count(record, "not_allowed", r->not_allowed);
		write_summary(&r->transport, record);
	} else if (!s->of) {
		/* Nobody sent, but somebody was sent to. */
		session_write(s, s->summary);
		s->summary = NULL;
	}
}
