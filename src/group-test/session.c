// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* session: opens everything, drops privileges, runs, and concludes. */
#include "session.h"

#include "mesh/mesh.h"
#include "session_state.h"
#include "transport/drops.h"

#include <errno.h>
#include <netperf/privilege.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* With a broker that restarts: how often signals are looked at. */
#define REOPEN_LOOK (200 * NP_MILLISECOND)

static int port_send(void *context, const void *message, size_t bytes)
{
	return transport_send(context, message, bytes);
}

static int port_send_to(void *context, const struct identity *who, const void *message,
			size_t bytes)
{
	return transport_send_to(context, who, message, bytes);
}

static unsigned port_reserve(void *context, unsigned wanted, struct transport_slots *slots)
{
	return transport_reserve(context, wanted, slots);
}

static int port_commit(void *context, unsigned count)
{
	return transport_commit(context, count);
}

static void port_drop(void *context, const struct identity *who)
{
	transport_drop(context, who);
}

static void port_trust(void *context, const struct identity *who, unsigned way)
{
	transport_trust(context, who, way);
}

/* Uses the clock if the kernel has no random numbers. */
static uint64_t port_draw(void *context)
{
	uint64_t number;

	(void)context;
	return instance_id_draw(&number) ? (uint64_t)np_clock_now() : number;
}

/* What this process has used so far. */
static void port_host(void *context, struct result_host *host)
{
	const struct np_usage usage = np_usage_now();
	struct transport_stats stats = {};

	(void)transport_stats(context, &stats);
	*host = (struct result_host){
		.cpu_user = usage.user,
		.cpu_system = usage.system,
		.dropped = stats.dropped,
		.malformed = stats.oversize + stats.bad_lengths + stats.bad_handshakes +
			     stats.silent + stats.refused + stats.truncated,
	};
}

static bool port_drops(void *context, enum drops_moment moment, const struct result *result,
		       struct result_member *own)
{
	return transport_drops_fill(context, moment, result, own);
}

int session_refuse(const struct session *s, const struct np_fault *fault)
{
	return np_log_refuse(s->log, *fault->object ? fault->object : NULL, "%s", fault->reason);
}

int session_refuse_errno(const struct session *s, const char *object, int error)
{
	return np_log_refuse(s->log, object, "%s", strerror(-error));
}

/*
 * Reads what the user wrote, before anything is opened. A mesh makes its plan once it knows its
 * members. Returns 0 or the exit status 2.
 */
static int read_all(struct session *s)
{
	struct np_fault fault = {};

	if (configuration_load(&s->configuration, s->options, s->log, &fault))
		return session_refuse(s, &fault);
	if (!s->options->mesh.mesh &&
	    plan_make(&s->plan, s->options, &s->configuration.settings, s->log, &fault))
		return session_refuse(s, &fault);
	return 0;
}

/* A member with less room than the configuration asks for loses messages that others receive. */
static void warn_of_buffer(const struct session *s, const char *key, size_t wanted, size_t granted,
			   const char *limit)
{
	if (granted && granted < wanted)
		np_log_warning(s->log, key, "the kernel grants only %zu bytes of %zu: raise %s",
			       granted, wanted, limit);
}

int session_open_transport(struct session *s)
{
	const struct transport_listener listener = {&s->run, run_deliver, run_event};
	const struct transport_plan *plan = &s->plan.transport;
	const struct transport_info *info;
	struct np_fault fault = {};

	if (transport_open(&s->run.transport, &s->plan.transport, &listener, &fault))
		return session_refuse(s, &fault);
	info = transport_info(s->run.transport);
	warn_of_buffer(s, "recv_buf_size", plan->receive_bytes, info->receive_granted,
		       "net.core.rmem_max");
	warn_of_buffer(s, "send_buf_size", plan->send_bytes, info->send_granted,
		       "net.core.wmem_max");
	if (plan_complete(&s->plan, s->options, &s->configuration.settings, info, &fault))
		return session_refuse(s, &fault);
	return 0;
}

/* Where the transport permits it. Returns 0 or the exit status 2. */
static int count_drops(struct session *s)
{
	const enum np_drops_mode mode = (enum np_drops_mode)s->options->drops;
	struct transport_drops_plan *plan = &s->plan.transport.drops;

	plan_drops(&s->plan, s->options, &s->configuration.settings);
	if (plan->why && mode == NP_DROPS_REQUIRE)
		return np_log_refuse(s->log, "--drops=require", "%s", plan->why);
	if (plan->why) {
		np_log_detail(s->log, "drops: not counted: %s", plan->why);
		return 0;
	}
	if (np_drops_begin(&s->drops, mode, s->log) < 0)
		return 2;
	plan->library = s->drops;
	return 0;
}

/* Opens everything that needs a privilege or creates a file, then drops all privileges. */
static int open_all(struct session *s)
{
	struct member_plan *plan = &s->plan.member;
	int status = events_open(&s->events, s->options, s->log), rc;

	if (!status)
		status = count_drops(s);
	/* The transport of a mesh needs no privilege, and sizes that are not known yet. */
	if (!status && !s->options->mesh.mesh)
		status = session_open_transport(s);
	if (status)
		return status;
	rc = instance_id_draw(&plan->instance);
	if (!rc)
		rc = instance_id_clock(plan->host);
	if (!rc)
		rc = np_signals_open(&s->run.signals);
	if (!rc) {
		s->run.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		rc = s->run.wake < 0 ? -errno : np_privilege_drop();
	}
	if (!rc)
		rc = np_signals_start(s->run.signals);
	return rc ? session_refuse_errno(s, NULL, rc) : 0;
}

static int open_member(struct session *s)
{
	const struct member_port port = {s->run.transport, port_send, port_send_to, port_reserve,
					 port_commit,	   port_drop, port_trust,   port_draw,
					 port_host,	   port_drops};
	const struct member_listener listener = {
		s->mesh ? (void *)s->mesh : (void *)&s->events,
		s->mesh ? mesh_member_event : events_member,
	};
	struct np_fault fault = {};
	struct member *member;

	if (s->events.transport)
		events_reopened(&s->events, s->run.transport);
	else
		events_begin(&s->events, &s->configuration, s->run.transport);
	if (member_create(&member, &s->plan.member, &port, &listener, np_clock_now(), &fault))
		return session_refuse(s, &fault);
	s->run.member = s->events.member = member;
	return 0;
}

static int open_lanes(struct session *s)
{
	const struct sender_threads_plan plan = {
		.member = s->run.member,
		.ticket_lock = &s->run.ticket_lock,
		.count = s->plan.member.lanes,
		.busy_sleep = s->options->pace.busy_sleep,
		.wake = s->run.wake,
	};

	if (!s->plan.member.sender || plan.count == 1)
		return 0;
	return sender_threads_start(&s->run.lanes, &plan);
}

static int conclude(struct session *s, int rc)
{
	const struct np_usage usage = np_usage_since(&s->usage);
	struct np_fault fault = {};
	char at[IDENTITY_TEXT];
	int status = member_status(s->run.member, &fault);

	if (s->mesh)
		return mesh_conclude(s->mesh, rc);
	if (rc)
		np_log_error(s->log, s->plan.transport.mqtt.broker, "%s",
			     rc == -ENOTCONN ? "the broker closed the connection" : strerror(-rc));
	if (status == 2)
		events_name_absent(&s->events);
	if (status && *fault.reason)
		session_refuse(s, &fault);
	if (!status && (rc || s->events.lost_members))
		status = 1;
	if (!status && np_loss_exceeds(s->events.worst_loss, s->options->max_loss_percent,
				       identity_format(&s->events.lossiest, at), s->log))
		status = 1;
	events_end(&s->events, &usage);
	return status;
}

/* Tries to join again, as another member, until @deadline or a signal. True: it did. */
static bool reopen(struct session *s, np_time deadline)
{
	const struct transport_listener listener = {&s->run, run_deliver, run_event};
	struct transport_plan *plan = &s->plan.transport;
	struct member_plan *m = &s->plan.member;
	struct transport *transport = NULL;
	struct np_fault fault = {};
	np_time now = np_clock_now();

	np_log_warning(
		s->log, plan->mqtt.broker,
		"the broker closed the connection before the group had formed; waiting for it");
	while (!transport && now < deadline &&
	       !(np_signals_take(s->run.signals) & NP_SIGNALS_STOP)) {
		plan->mqtt.wait = deadline - now < REOPEN_LOOK ? deadline - now : REOPEN_LOOK;
		if (transport_open(&transport, plan, &listener, &fault))
			(void)np_clock_sleep_until(now + REOPEN_LOOK);
		now = np_clock_now();
	}
	if (!transport || instance_id_draw(&m->instance) ||
	    plan_complete(&s->plan, s->options, &s->configuration.settings,
			  transport_info(transport), &fault)) {
		transport_free(transport);
		return false;
	}
	transport_free(s->run.transport);
	member_free(s->run.member);
	s->run.transport = transport;
	s->run.member = s->events.member = NULL;
	if (deadline != NP_TIME_NEVER)
		m->limits.join = deadline > now ? deadline - now : 1;
	return true;
}

/* Only a broker can be gone: no other transport depends on one connection. */
static bool lost_early(const struct session *s, int rc)
{
	return rc == -ENOTCONN && !s->mesh && !s->run.interrupts &&
	       !member_result(s->run.member)->formed;
}

static int run(struct session *s)
{
	const np_time join = s->options->group.join_timeout;
	const np_time deadline = join ? np_clock_now() + join : NP_TIME_NEVER;
	int status, rc;

	s->usage = np_usage_now();
	do {
		status = open_member(s);
		if (status)
			return status;
		rc = ticket_lock_open(&s->run.ticket_lock);
		if (rc)
			return session_refuse_errno(s, "threads", rc);
		rc = open_lanes(s);
		if (rc) {
			ticket_lock_close(&s->run.ticket_lock);
			return session_refuse_errno(s, "threads", rc);
		}
		rc = run_until_finished(&s->run);
		ticket_lock_close(&s->run.ticket_lock);
	} while (lost_early(s, rc) && reopen(s, deadline));
	return conclude(s, rc);
}

static int close_all(struct session *s, int status)
{
	mesh_close(s->mesh);
	member_free(s->run.member);
	transport_free(s->run.transport);
	np_drops_free(s->drops);
	np_signals_free(s->run.signals);
	if (s->run.wake >= 0)
		close(s->run.wake);
	plan_free(&s->plan);
	status = events_close(&s->events, status);
	configuration_free(&s->configuration);
	return status;
}

int session_run(const struct options *options, const struct np_log *log)
{
	struct session s = {.options = options, .log = log};
	int status;

	s.run = (struct run){.options = options, .log = log, .events = &s.events, .wake = -1};
	status = read_all(&s);
	if (!status)
		status = open_all(&s);
	if (!status)
		status = np_mesh_probe_plot(&options->mesh, options->mesh_rank, log);
	if (!status && options->mesh.mesh)
		status = mesh_meet(&s.mesh, &s);
	if (!status)
		status = run(&s);
	return close_all(&s, status);
}
