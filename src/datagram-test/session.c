// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* session: opens all sockets, drops privileges, runs the threads, sums up. */
#include "session.h"

#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/pacer.h>
#include <netperf/units.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

/* Draws a run id: random, never 0, and none of another publisher here. */
static int draw_run(const struct session *s, struct endpoint *endpoint)
{
	if (getrandom(&endpoint->run, sizeof(endpoint->run), 0) < 0)
		return -errno;
	endpoint->run += !endpoint->run;
	for (const struct endpoint *other = s->endpoint; other < endpoint; other++)
		endpoint->run += endpoint->run == other->run;
	return 0;
}

/* Opens the sockets of local address @index. Returns 0 or, after a message, the exit status 2. */
static int open_endpoint(struct session *s, size_t index)
{
	const struct addresses *a = &s->addresses;
	struct endpoint *endpoint = &s->endpoint[index];
	int rc;

	*endpoint = (struct endpoint){
		.options = s->options,
		.reporter = &s->reporter,
		.drops = s->run->drops,
		.allowed = a->allowed,
		.local = &a->locals.item[index],
		.group = a->has_group ? &a->group : NULL,
		.several = a->locals.count > 1,
		.rate_bytes_per_s = s->options->publish.rate_bytes_per_s / (double)a->locals.count,
		.finished = s->finished,
	};
	rc = draw_run(s, endpoint);
	if (!rc)
		rc = endpoint_open(endpoint, &a->peers);
	if (rc) {
		report_blame(endpoint->reporter, endpoint->local, rc);
		return 2;
	}
	rc = listener_open(endpoint);
	return rc || !a->peers.count ? rc : publisher_open(endpoint);
}

int session_open(struct np_run *run)
{
	struct session *s = run->state;
	const struct options *o = run->options;
	int status;

	s->run = run;
	s->options = o;
	s->log = run->log;
	s->finished = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	report_open(&s->reporter, run);
	if (s->finished < 0)
		return np_log_refuse(s->log, NULL, "%s", strerror(errno));
	status = addresses_resolve(&s->addresses, o, s->log);
	if (!status && np_drops_begin(&run->drops, (enum np_drops_mode)o->drops, s->log) < 0)
		status = 2;
	if (status)
		return status;
	s->endpoint = calloc(s->addresses.locals.count, sizeof(*s->endpoint));
	if (!s->endpoint)
		return np_log_refuse(s->log, NULL, "%s", strerror(ENOMEM));
	s->endpoint_count = s->addresses.locals.count;
	for (size_t i = 0; !status && i < s->endpoint_count; i++)
		status = open_endpoint(s, i);
	if (!status && run->full)
		result_block_describe(run->full, o);
	return status;
}

int session_close(struct np_run *run, int status)
{
	struct session *s = run->state;
	int rc = 0;

	for (size_t i = 0; i < s->endpoint_count; i++) {
		struct endpoint *e = &s->endpoint[i];
		int log_rc = listener_free(e->listener, status == 2);

		publisher_free(e->publisher);
		endpoint_close(e);
		rc = rc ? rc : log_rc;
	}
	if (rc)
		np_log_error(s->log, s->options->listen.log, "%s", strerror(-rc));
	free(s->endpoint);
	if (s->finished > 0)
		close(s->finished);
	addresses_free(&s->addresses);
	pthread_mutex_destroy(&s->reporter.lock);
	return rc && !status ? 1 : status;
}

int session_start(struct endpoint_thread *thread, void *(*run)(void *), void *owner)
{
	const int rc = owner ? pthread_create(&thread->thread, NULL, run, owner) : 0;

	thread->running = owner && !rc;
	return -rc;
}

static unsigned join(struct endpoint_thread *thread)
{
	if (thread->running && !pthread_tryjoin_np(thread->thread, NULL))
		thread->running = false;
	return thread->running;
}

unsigned session_join(struct endpoint *endpoint)
{
	return join(&endpoint->listener_thread) + join(&endpoint->publisher_thread);
}

static void wake(struct endpoint *endpoint)
{
	endpoint_wake(endpoint->publisher_wake);
	endpoint_wake(endpoint->listener_wake);
}

static void raise_to(_Atomic int *phase, enum phase to)
{
	if (atomic_load(phase) < (int)to)
		atomic_store(phase, (int)to);
}

void session_set_phase(struct session *s, enum phase publishing, enum phase listening)
{
	for (size_t i = 0; i < s->endpoint_count; i++) {
		struct endpoint *endpoint = &s->endpoint[i];

		raise_to(&endpoint->publishing, publishing);
		raise_to(&endpoint->listening, listening);
		wake(endpoint);
	}
}

static void take_signals(struct session *s)
{
	const bool mesh = s->options->mesh.mesh;
	unsigned came = np_signals_take(s->run->signals);

	if (came & NP_SIGNALS_REPORT && !mesh) {
		for (size_t i = 0; i < s->endpoint_count; i++) {
			atomic_fetch_add(&s->endpoint[i].reports, 1);
			wake(&s->endpoint[i]);
		}
	}
	if (!(came & NP_SIGNALS_STOP))
		return;
	/*
	 * The first signal lets publishers do their end handshake, which a mesh does without: its
	 * ranks report what was sent, and a launcher that kills a job gives them a second. The
	 * second one ends them at once.
	 */
	s->interrupts++;
	if (mesh)
		session_set_phase(s, PHASE_LEAVING, PHASE_RUNNING);
	else if (s->interrupts > 1)
		session_set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
	else
		session_set_phase(s, PHASE_CLOSING, PHASE_RUNNING);
}

void session_await(struct session *s, int ms)
{
	struct pollfd wait[2] = {{.fd = np_signals_fd(s->run->signals), .events = POLLIN},
				 {.fd = s->finished, .events = POLLIN}};

	/* A thread signals shortly before it can be joined. */
	if (poll(wait, 2, ms) > 0 && wait[0].revents)
		take_signals(s);
	if (wait[1].revents) {
		endpoint_woken(s->finished);
		usleep(1000);
	}
}

/* Runs until the last thread has ended. */
static void oversee(struct session *s)
{
	for (;;) {
		bool listener_gone = false, publishing = false;
		unsigned running = 0;

		for (size_t i = 0; i < s->endpoint_count; i++) {
			running += session_join(&s->endpoint[i]);
			listener_gone |= !s->endpoint[i].listener_thread.running;
			publishing |= s->endpoint[i].publisher_thread.running;
		}
		if (!running)
			return;
		if (s->addresses.peers.count && listener_gone)
			session_set_phase(s, PHASE_CLOSING, PHASE_RUNNING);
		/*
		 * Publishers elsewhere may be about to end: their ENDs are waited for a moment, and
		 * answered.
		 */
		if (!publishing && (s->interrupts || s->addresses.peers.count))
			session_set_phase(s, PHASE_CLOSING, PHASE_CLOSING);
		session_await(s, SESSION_LOOK);
	}
}

/* The original's lines before the run. */
static void print_banners(const struct endpoint *e, const struct np_address_list *peers)
{
	const struct np_address *at = &e->listener->result.local;
	FILE *text = report_text_begin(e->reporter);
	const char *log = e->options->listen.log;
	char room[LOG_FILE_NAME_BYTES];

	if (!text)
		return;
	if (log)
		log = log_file_name(log, np_address_port(at), e->several, room);
	console_listener_banner(text, e->options, at, log);
	if (e->publisher)
		console_publisher_banner(text, e->options, &e->publisher->result.at, peers,
					 e->rate_bytes_per_s);
	report_text_end(e->reporter);
}

struct np_record *session_start_record(const struct session *s)
{
	struct np_record *start;

	if (!s->reporter.records)
		return NULL;
	start = np_record_start(&datagram_test_options, s->options);
	for (size_t i = 0; i < s->endpoint_count; i++) {
		record_start_listener(start, &s->endpoint[i].listener->result);
		if (s->endpoint[i].publisher)
			record_start_publisher(start, &s->endpoint[i].publisher->result);
	}
	return start;
}

/* @first: what @sum has so far is nothing. */
static void add_result(struct record_sum *sum, const struct np_result *result, bool first)
{
	if (first)
		sum->result = *result;
	else
		np_schema_add(np_result_columns, &sum->result, result);
}

static void add_peer(struct record_sum *sum, const struct peer *peer)
{
	struct np_flow_counts *counts = &sum->counts;
	struct np_result result;

	attribute_peer(&result, peer);
	add_result(sum, &result, !sum->published);
	sum->published = true;
	counts->unsent += peer->unsent;
	counts->missed_before += peer->counts.flow.missed_before;
	counts->bytes += peer->counts.flow.bytes;
	if (peer->counts.flow.elapsed > counts->elapsed)
		counts->elapsed = peer->counts.flow.elapsed;
}

/* What publishers sent, if the listeners beside them heard none. */
static void add_published(struct record_sum *sum, const struct session *s)
{
	for (size_t i = 0; i < s->endpoint_count; i++) {
		const struct listener_result *heard = &s->endpoint[i].listener->result;

		if (heard->concluded_count || heard->unlisted)
			return;
	}
	for (size_t i = 0; i < s->endpoint_count; i++) {
		const struct endpoint *e = &s->endpoint[i];

		for (size_t p = 0; e->publisher && p < e->peer_count; p++)
			add_peer(sum, &e->peer[p]);
	}
}

static struct record_sum sum_up(const struct session *s)
{
	struct record_sum sum = {.dropped = {.known = true, .exact = true}};

	for (size_t i = 0; i < s->endpoint_count; i++) {
		const struct endpoint *e = &s->endpoint[i];
		const struct listener_result *r = &e->listener->result;
		struct np_result result;

		attribute_listener(&result, r);
		add_result(&sum, &result, !sum.drop_unit);
		np_flow_counts_add(&sum.counts, &r->total);
		sum.errors += r->short_packets + r->corrupt + r->damaged + r->refused +
			      r->displaced_packets;
		sum.drop_unit = r->info.drop_unit;
		np_drops_add(&sum.dropped, &r->dropped);
		if (e->publisher)
			np_drops_add(&sum.dropped, &e->publisher->result.dropped);
	}
	add_published(&sum, s);
	return sum;
}

static void write_summary(struct session *s, const struct record_sum *sum)
{
	struct np_usage usage = np_usage_since(&s->usage);
	struct np_record *summary;

	if (!s->reporter.records)
		return;
	summary = np_record_new("summary");
	for (size_t i = 0; i < s->endpoint_count; i++) {
		record_summary_listener(summary, &s->endpoint[i].listener->result);
		if (s->endpoint[i].publisher)
			record_summary_publisher(summary, &s->endpoint[i]);
	}
	record_summary_sum(summary, sum, &usage, s->interrupts);
	report_record(&s->reporter, summary);
}

/* Whether more than --max-loss of what was sent is lost. */
static bool too_much(const struct session *s, uint64_t lost, uint64_t sent, const char *object)
{
	return np_loss_exceeds(np_loss_percent(lost, sent), s->options->max_loss_percent, object,
			       s->log);
}

/*
 * Judged by the peer's report, which counts no loss from before it started to listen. Without a
 * report the limit cannot be shown to be kept.
 */
static bool lost_too_much(const struct session *s, const struct peer *peer)
{
	uint64_t sent = peer->last - peer->unsent, came = peer->counts.flow.received;
	char name[NP_ADDRESS_TEXT];

	np_address_format(&peer->address, name);
	if (atomic_load(&peer->end_acked)) {
		sent -= peer->counts.flow.missed_before < sent ? peer->counts.flow.missed_before
							       : sent;
		return too_much(s, sent > came ? sent - came : 0, sent, name);
	}
	if (!sent || s->options->max_loss_percent >= 100)
		return false;
	np_log_error(s->log, name, "did not report what arrived, so --max-loss %g may be exceeded",
		     s->options->max_loss_percent);
	return true;
}

int session_judge_publisher(struct session *s, const struct publisher_result *r)
{
	char name[NP_ADDRESS_TEXT], asked[NP_RATE_TEXT], sent[NP_RATE_TEXT];

	np_address_format(&r->at, name);
	if (r->bytes &&
	    np_pacer_fell_behind(r->worst_behind,
				 r->rate_bytes_per_s / (double)r->bytes * (double)r->packets))
		np_log_warning(s->log, name, "fell behind the rate of %s by up to %.3f s; sent %s",
			       np_rate_format(r->rate_bytes_per_s, s->options->unit, asked),
			       np_clock_seconds(r->worst_behind),
			       np_rate_format((double)r->bytes / np_clock_seconds(r->elapsed),
					      s->options->unit, sent));
	if (r->stats.send_errors || r->stats.icmp_errors)
		np_log_warning(
			s->log, name,
			"%" PRIu64 " send error%s and %" PRIu64 " ICMP error%s; the last error: %s",
			r->stats.send_errors, np_plural(r->stats.send_errors), r->stats.icmp_errors,
			np_plural(r->stats.icmp_errors), strerror(-r->stats.last_error));
	if (r->unsent && r->packets)
		np_log_warning(s->log, name, "%" PRIu64 " packet%s could not be sent", r->unsent,
			       np_plural(r->unsent));
	else if (r->unsent)
		np_log_error(s->log, name, "none of %" PRIu64 " packet%s could be sent", r->unsent,
			     np_plural(r->unsent));
	return r->unsent && !r->packets;
}

/* Whether a peer that did not report makes the run a failure: one that never could may stay silent.
 */
static bool failed_to_report(const struct session *s, const struct publisher_result *r,
			     struct peer *peer)
{
	const int error = r->stats.last_error;
	char room[NP_ADDRESS_TEXT];
	const char *name = strchr(np_address_format(&peer->address, room), '/') + 1;

	if (atomic_load(&peer->end_acked) || s->interrupts > 1 || !peer->last)
		return false;
	/* The partners of a polite publisher may have ended, and it has waited for others since. */
	if (atomic_load(&peer->confirmed) && !s->options->publish.polite)
		np_log_error(s->log, NULL,
			     "no answer from %s: nothing that was sent is known to have arrived",
			     name);
	else if (peer->refused && !atomic_load(&peer->heard) && !s->options->publish.polite)
		np_log_error(s->log, NULL,
			     "no listener at %s; start 'datagram-test -local %s' there", name,
			     name);
	else if (error == -EHOSTUNREACH || error == -ENETUNREACH)
		np_log_error(s->log, name, "%s: nothing that was sent is known to have arrived",
			     strerror(-error));
	else if (s->options->publish.require_report)
		np_log_error(s->log, NULL, "no report from %s, which --require-report asks for",
			     name);
	else
		return false;
	return true;
}

static int conclude_publisher(struct session *s, struct endpoint *endpoint)
{
	const struct publisher_result *r = &endpoint->publisher->result;
	int status;

	status = session_judge_publisher(s, r);
	for (size_t i = 0; i < endpoint->peer_count; i++) {
		struct peer *peer = &endpoint->peer[i];

		if (failed_to_report(s, r, peer))
			status = 1;
		if (lost_too_much(s, peer))
			status = 1;
	}
	return status;
}

int session_judge_listener(struct session *s, const struct listener_result *r)
{
	char name[NP_ADDRESS_TEXT];

	np_address_format(&r->local, name);
	if (r->refused)
		np_log_warning(s->log, name,
			       "not counted: %" PRIu64 " packet%s of more publishers than the %u "
			       "that can be counted at a time",
			       r->refused, np_plural(r->refused), FLOWS_MAX);
	if (r->not_allowed)
		np_log_warning(s->log, "--allow", "ignored %" PRIu64 " datagram%s of other hosts",
			       r->not_allowed, np_plural(r->not_allowed));
	if (r->stray)
		np_log_warning(s->log, name,
			       "%" PRIu64 " packet%s arrived so long after the end of the run "
			       "as to count as lost there",
			       r->stray, np_plural(r->stray));
	if (r->displaced)
		np_log_warning(s->log, name,
			       "not counted: %" PRIu64 " packet%s of %" PRIu64
			       " publisher%s with an "
			       "unproven address, which others displaced",
			       r->displaced_packets, np_plural(r->displaced_packets), r->displaced,
			       np_plural(r->displaced));
	if (r->loss.unattributed && strcmp(r->info.drop_unit, "packet") && !r->dropped.exact)
		np_log_warning(s->log, name,
			       "%" PRIu64 " lost packet%s may have been dropped by this host; "
			       "--batch=mmsg tells",
			       r->loss.unattributed, np_plural(r->loss.unattributed));
	if (r->nobody_came)
		np_log_error(s->log, name, "no packet came within %g s",
			     np_clock_seconds(s->options->listen.wait));
	if (r->error)
		np_log_error(s->log, name, "%s", strerror(-r->error));
	return r->nobody_came ? 2 : r->error ? 1 : 0;
}

static void print_blocks(struct session *s)
{
	struct result_block_process process = {
		.usage = np_usage_since(&s->usage),
		.several = s->endpoint_count > 1,
		.interrupted = s->interrupts,
	};

	for (size_t i = 0; s->reporter.block && i < s->endpoint_count; i++) {
		const struct endpoint *e = &s->endpoint[i];

		process.several |= e->publisher && e->listener->result.concluded_count;
		result_block_listener(e, &process);
		if (e->publisher)
			result_block_publisher(e, &process);
	}
}

static int conclude(struct session *s)
{
	struct record_sum sum = sum_up(s);
	int status = 0;

	/* The original ends its output with an empty line. */
	if (report_text_begin(&s->reporter)) {
		fputc('\n', s->reporter.text);
		report_text_end(&s->reporter);
	}
	for (size_t i = 0; i < s->endpoint_count; i++) {
		int found = session_judge_listener(s, &s->endpoint[i].listener->result);

		status = found > status ? found : status;
		found = s->endpoint[i].publisher ? conclude_publisher(s, &s->endpoint[i]) : 0;
		status = found > status ? found : status;
	}
	print_blocks(s);
	write_summary(s, &sum);
	if (too_much(s, sum.counts.lost, sum.counts.sent, NULL) && !status)
		status = 1;
	return status;
}

int session_work(struct np_run *run)
{
	struct session *s = run->state;
	struct np_record *start;
	int rc = 0;

	if (s->options->mesh.mesh)
		return mesh_run(s);
	start = session_start_record(s);
	for (size_t i = 0; i < s->endpoint_count; i++)
		print_banners(&s->endpoint[i], &s->addresses.peers);
	if (s->reporter.records)
		report_record(&s->reporter, start);
	s->usage = np_usage_now();
	for (size_t i = 0; !rc && i < s->endpoint_count; i++) {
		struct endpoint *e = &s->endpoint[i];

		rc = session_start(&e->listener_thread, listener_run, e->listener);
		if (!rc)
			rc = session_start(&e->publisher_thread, publisher_run, e->publisher);
	}
	if (rc) {
		np_log_error(s->log, "threads", "%s", strerror(-rc));
		session_set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
	}
	oversee(s);
	return rc ? 1 : conclude(s);
}
