// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp: throughput and delay of TCP, UDP and multicast. */
#include "conversation/side.h"
#include "files/convert.h"

#include <unistd.h>

struct program {
	struct session session;
	struct sender *send;
	struct receiver *receive;
};

/* A conversion of files is done here: it needs no network. */
static int check(struct np_run *run)
{
	const struct options *o = run->options;
	int status = options_check(run), rc;

	if (status >= 0)
		return status;
	if (options_converts(o))
		return convert_run(o, run->log);
	rc = o->load.to_stdout ? np_output_judge(STDOUT_FILENO) : 0;
	return rc ? np_log_refuse(run->log, "--stdout", "%s", np_output_reason(rc)) : -1;
}

static int open_all(struct np_run *run)
{
	struct program *p = run->state;
	struct session *s = &p->session;
	const struct options *o = run->options;
	const struct np_clock_pair pair = np_clock_pair_read();
	FILE *text = np_report_text(run->report);
	const bool tcp = o->place.transport == TRANSPORT_TCP;

	/*
	 * Counts drops where this host's are those of the run, and of no other: classic datagrams
	 * have no mark, and several clients share one.
	 */
	if (!o->load.classic && !o->load.clients && !(tcp && o->mesh.mesh) &&
	    o->place.transport != TRANSPORT_OVERLAY &&
	    np_drops_begin(&run->drops, (enum np_drops_mode)o->drops, run->log) < 0)
		return 2;
	*s = (struct session){
		.direction = o->place.reverse ? "reverse" : NULL,
		.options = o,
		.log = run->log,
		.report = np_report_wants_records(run->report) ? run->report : NULL,
		.full = run->full,
		.begun = pair.monotonic,
		.ahead = pair.realtime - pair.monotonic,
		.usage = np_usage_now(),
		.drops = run->drops,
		.drops_watch = NP_DROPS_ALL,
	};
	/* With --stdout, stdout carries data. */
	console_init(&s->console, text && o->load.to_stdout ? stderr : text, o);
	if (!o->load.to_stdout && !(s->console.dots && isatty(STDOUT_FILENO)))
		s->console.status = run->log->status;
	/* The sockets of a mesh need no privilege: their ports are the kernel's choice. */
	if (o->mesh.mesh)
		return 0;
	return o->task == TASK_TRANSMIT ? send_open(&p->send, s) : receive_open(&p->receive, s);
}

static int work(struct np_run *run)
{
	struct program *p = run->state;

	p->session.signals = run->signals;
	if (p->session.options->mesh.mesh)
		return mesh_run(run, &p->session);
	if (p->session.options->place.both_ways)
		return reverse_send_both(p->send);
	if (p->session.options->load.latency)
		return latency_send(p->send);
	return p->send ? send_run(p->send) : receive_run(p->receive);
}

static int close_all(struct np_run *run, int status)
{
	struct program *p = run->state;

	return receive_close(p->receive, send_close(p->send, status));
}

NP_TOOL_MAIN(ttcp_options, struct program, check, open_all, work, close_all)
