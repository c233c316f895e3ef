// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* session: opens everything, drops privileges, sends or receives, sums up. */
#include "session/session_state.h"

#include "mesh/mesh.h"
#include "service/receive_session.h"
#include "service/send_session.h"

#include <netperf/output.h>
#include <netperf/privilege.h>
#include <string.h>
#include <unistd.h>

/* Returns 0 or the exit status 2 after a message. */
static int open_outputs(struct session *s)
{
	const bool data = s->options->load.to_stdout;
	FILE *text;
	int rc = data ? np_output_judge(STDOUT_FILENO) : 0;

	if (rc)
		return np_log_refuse(s->log, "--stdout", "%s", np_output_reason(rc));
	rc = np_report_begin(&s->report, &s->options->report, s->log);
	if (rc)
		return rc;
	text = np_report_text(s->report);
	/* Then stdout carries data. */
	if (text && data)
		text = stderr;
	console_init(&s->console, text, s->options);
	if (text && s->options->layout == NP_REPORT_FULL && np_block_full_create(&s->full))
		return np_log_refuse(s->log, NULL, "out of memory");
	s->records = np_report_wants_records(s->report);
	rc = np_signals_open(&s->signals);
	if (rc)
		np_log_error(s->log, "signals", "%s", strerror(-rc));
	return rc ? 2 : 0;
}

/*
 * Counts drops where this host's are those of the run, and of no other: classic datagrams have no
 * mark. Returns 0 or the exit status 2.
 */
static int count_drops(struct session *s)
{
	const struct options *o = s->options;
	const bool tcp = o->place.transport == TRANSPORT_TCP;
	int status;

	if (o->load.classic || (tcp && o->mesh.mesh) || o->place.transport == TRANSPORT_OVERLAY)
		return 0;
	status = np_drops_begin(&s->drops_opened, (enum np_drops_mode)o->drops, s->log);
	s->drops = s->drops_opened;
	return status < 0 ? 2 : 0;
}

/* Drops privileges, last before the first byte from outside. */
static int drop_privileges(struct session *s)
{
	int rc = np_privilege_drop();

	if (rc)
		return np_log_refuse(s->log, "privileges", "%s", strerror(-rc));
	rc = np_signals_start(s->signals);
	return rc ? np_log_refuse(s->log, "signals", "%s", strerror(-rc)) : 0;
}

static int transmit(struct session *s)
{
	struct send_session *send = NULL;
	int status = send_open(&send, s);

	if (!status)
		status = drop_privileges(s);
	if (!status)
		status = send_run(send);
	return send_close(send, status);
}

static int receive(struct session *s)
{
	struct receive_session *receive = NULL;
	int status = receive_open(&receive, s);

	if (!status)
		status = drop_privileges(s);
	if (!status)
		status = receive_run(receive);
	return receive_close(receive, status);
}

/* Its sockets need no privilege: their ports are the kernel's choice. */
static int run_mesh(struct session *s)
{
	int status = drop_privileges(s);

	if (!status)
		status = np_mesh_probe_plot(&s->options->mesh, s->options->mesh_rank, s->log);
	return status ? status : mesh_run(s);
}

int session_run(const struct options *options, const struct np_log *log)
{
	struct np_clock_pair pair = np_clock_pair_read();
	struct session s = {
		.options = options,
		.log = log,
		.begun = pair.monotonic,
		.ahead = pair.realtime - pair.monotonic,
		.usage = np_usage_now(),
		.drops_watch = NP_DROPS_ALL,
	};
	int status = open_outputs(&s);

	if (!status)
		status = count_drops(&s);
	if (!status && options->mesh.mesh) {
		status = run_mesh(&s);
	} else if (!status) {
		console_begin(&s.console, options);
		status = options->task == TASK_TRANSMIT ? transmit(&s) : receive(&s);
	}
	np_drops_free(s.drops_opened);
	np_signals_free(s.signals);
	np_block_full_free(s.full);
	return np_report_end(s.report, status, log);
}
