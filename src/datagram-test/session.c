// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* session: opens all sockets, and runs the threads until the last one has ended. */
#include "session.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

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
		status = endpoint_open(&s->endpoint[i], s, &s->addresses.locals.item[i]);
	if (!status && run->full)
		block_describe(run->full, o);
	return status;
}

int session_close(struct np_run *run, int status)
{
	struct session *s = run->state;
	int rc = 0;

	for (size_t i = 0; i < s->endpoint_count; i++) {
		int log_rc = endpoint_close(&s->endpoint[i], status == 2);

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

int session_start(struct worker *worker, void *(*run)(void *), void *owner)
{
	const int rc = pthread_create(&worker->thread, NULL, run, owner);

	worker->running = !rc;
	return -rc;
}

static unsigned join(struct worker *worker)
{
	if (worker->running && !pthread_tryjoin_np(worker->thread, NULL))
		worker->running = false;
	return worker->running;
}

unsigned session_join(struct endpoint *endpoint)
{
	return join(&endpoint->listener.worker) + join(&endpoint->publisher.worker);
}

static void raise_phase(struct worker *worker, enum phase to)
{
	if (atomic_load(&worker->phase) < (int)to)
		atomic_store(&worker->phase, (int)to);
	worker_wake(worker->wake);
}

void session_set_phase(struct session *s, enum phase publishing, enum phase listening)
{
	for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		raise_phase(&e->publisher.worker, publishing);
		raise_phase(&e->listener.worker, listening);
	}
}

static void ask_for_report(struct worker *worker)
{
	atomic_fetch_add(&worker->reports, 1);
	worker_wake(worker->wake);
}

static void take_signals(struct session *s)
{
	const bool mesh = s->options->mesh.mesh;
	unsigned came = np_signals_take(s->run->signals);

	if (came & NP_SIGNALS_REPORT && !mesh) {
		for (size_t i = 0; i < s->endpoint_count; i++) {
			ask_for_report(&s->endpoint[i].publisher.worker);
			ask_for_report(&s->endpoint[i].listener.worker);
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
		worker_woken(s->finished);
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
			listener_gone |= !s->endpoint[i].listener.worker.running;
			publishing |= s->endpoint[i].publisher.worker.running;
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
static void print_banners(struct endpoint *e)
{
	const struct np_address *at = &e->listener.local;
	const struct publisher *p = &e->publisher;
	FILE *text = report_text_begin(e->reporter);
	const char *log = e->options->listen.log;
	char room[LOG_FILE_NAME_BYTES];

	if (!text)
		return;
	if (log)
		log = log_file_name(log, np_address_port(at), e->session->endpoint_count > 1, room);
	console_listener_banner(text, e->options, at, log);
	if (p->socket)
		console_publisher_banner(text, e->options, &p->at, &e->session->addresses.peers,
					 p->rate_bytes_per_s);
	report_text_end(e->reporter);
}

struct np_record *session_start_record(const struct session *s)
{
	struct np_record *start;

	if (!s->reporter.records)
		return NULL;
	start = np_record_start(&datagram_test_options, s->options);
	for (size_t i = 0; i < s->endpoint_count; i++)
		record_start(start, &s->endpoint[i]);
	return start;
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
		print_banners(&s->endpoint[i]);
	if (s->reporter.records)
		report_record(&s->reporter, start);
	s->usage = np_usage_now();
	for (size_t i = 0; !rc && i < s->endpoint_count; i++) {
		struct endpoint *e = &s->endpoint[i];

		rc = session_start(&e->listener.worker, listener_run, &e->listener);
		if (!rc && e->publisher.socket)
			rc = session_start(&e->publisher.worker, publisher_run, &e->publisher);
	}
	if (rc) {
		np_log_error(s->log, "threads", "%s", strerror(-rc));
		session_set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
	}
	oversee(s);
	return rc ? 1 : conclude(s);
}
