// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* session: opens everything, runs, in one loop, and concludes. */
#include "session.h"
#include "wire/message.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>

/* The most messages per iteration, so that sending, time-outs and signals get their share. */
#define TURN_MESSAGES 1024
#define PUMP_MESSAGES 256
#define LANE_MESSAGES 64 /* of several lanes, of each */

/* How long the last messages may take to be sent. */
#define DRAIN_LIMIT NP_SECOND

/*
 * With --mesh, after a signal: how long the others are waited for. A launcher that ends a job gives
 * its ranks a second, and what was counted must reach rank 0.
 */
#define WIND_UP_LIMIT (300 * NP_MILLISECOND)

/* How often signals are checked and lines flushed while there is no time to sleep. */
#define LOOK_INTERVAL (10 * NP_MILLISECOND)

static void run_deliver(void *context, const struct transport_delivery *delivery)
{
	struct session *s = context;

	/* Among ranks of a launcher nobody else is heard. */
	if (s->member && (!s->mesh || mesh_hears(s->mesh, delivery->source,
						 delivery->messages[delivery->count - 1].at)))
		member_deliver(s->member, delivery);
}

static void run_event(void *context, const struct transport_event *event)
{
	struct session *s = context;

	events_transport(&s->events, event);
	if (s->member && (!s->mesh || mesh_hears(s->mesh, &event->peer, 0)))
		member_transport_event(s->member, event, np_clock_now());
}

/*
 * Draws a random number, never 0, by the clock if the kernel has none: an instance distinguishes
 * this process from all other members.
 */
static uint64_t draw(struct transport *transport)
{
	uint64_t instance;

	(void)transport;
	if (getrandom(&instance, sizeof(instance), 0) != sizeof(instance))
		instance = (uint64_t)np_clock_now();
	return instance ? instance : 1;
}

/*
 * The same for all processes that share one CLOCK_MONOTONIC: made of the kernel's boot id, 36
 * characters, and the time namespace; random where the kernel does not tell.
 */
static void identify_clock(uint8_t id[16])
{
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
	char text[64] = "";
	struct stat time_namespace = {};

	if (file) {
		(void)!fgets(text, sizeof(text), file);
		fclose(file);
	}
	memcpy(id, (const uint64_t[]){draw(NULL), draw(NULL)}, 16);
	if (!*text)
		return;
	/* A container may have a shifted clock; kernels before 5.6 have no such namespace. */
	(void)stat("/proc/self/ns/time", &time_namespace);
	memcpy(id, (const uint64_t[]){0, time_namespace.st_ino}, 16);
	for (size_t i = 0; text[i]; i++)
		id[i % 16] = (uint8_t)(id[i % 16] * 31 + text[i]);
}

/* What this process has used so far. */
static void use_of_host(struct transport *transport, struct result_host *host)
{
	const struct transport_stats *stats = transport_stats(transport);
	const struct np_usage usage = np_usage_now();

	*host = (struct result_host){
		.cpu_user = usage.user,
		.cpu_system = usage.system,
		.dropped = stats->dropped,
		.malformed = stats->oversize + stats->bad_lengths + stats->bad_handshakes +
			     stats->silent + stats->refused + stats->truncated,
	};
}

int session_refuse(const struct session *s, const struct np_fault *fault)
{
	return np_log_refuse(s->log, *fault->object ? fault->object : NULL, "%s", fault->reason);
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
	const struct transport_listener listener = {s, run_deliver, run_event};
	const struct transport_plan *plan = &s->settings.transport;
	struct member_plan *member = &s->settings.member;
	const struct transport_info *info;
	struct np_fault fault = {};

	member->instance = draw(NULL);
	identify_clock(member->host);
	s->settings.transport.drops.library = s->run->drops;
	if (transport_open(&s->transport, &s->settings.transport, &listener, &fault))
		return session_refuse(s, &fault);
	info = transport_info(s->transport);
	warn_of_buffer(s, "recv_buf_size", plan->receive_bytes, info->receive_granted,
		       "net.core.rmem_max");
	warn_of_buffer(s, "send_buf_size", plan->send_bytes, info->send_granted,
		       "net.core.wmem_max");
	if (plan_complete(&s->settings, s->options, info, &fault))
		return session_refuse(s, &fault);
	return 0;
}

/* Counts what is dropped, where the transport permits it. Returns 0 or the exit status 2. */
static int count_drops(struct session *s)
{
	const enum np_drops_mode mode = (enum np_drops_mode)s->options->drops;
	struct transport_drops_plan *plan = &s->settings.transport.drops;
	const char *variant = s->settings.transport.variant;
	struct message_head head = {.type = MESSAGE_DATA};
	uint8_t data[MESSAGE_HEADER_BYTES];

	plan->warmup = s->options->member.warmup;
	/* DATA is known by its magic number and type. */
	message_head_encode(data, &head);
	memcpy(plan->mark, data, sizeof(plan->mark));
	if (mode == NP_DROPS_OFF)
		plan->why = "--drops=off";
	else if (s->options->member.protocol != PROTOCOL_NATIVE)
		plan->why = "not possible with --protocol=jgroups3";
	else if (!strcmp(variant, "tcp"))
		plan->why = "not possible over tcp, which sends again what is dropped";
	else if (strcmp(variant, "udp"))
		plan->why = "not possible over this transport, only over udp";
	else
		return np_drops_begin(&s->run->drops, mode, s->log) < 0 ? 2 : 0;
	if (mode == NP_DROPS_REQUIRE)
		return np_log_refuse(s->log, "--drops=require", "%s", plan->why);
	np_log_detail(s->log, "drops: not counted: %s", plan->why);
	return 0;
}

int session_open(struct np_run *run)
{
	struct session *s = run->state;
	struct options *o = run->options;
	struct np_fault fault = {};
	int status;

	*s = (struct session){.run = run, .options = o, .log = run->log};
	if (np_socket_allowed(&o->socket.allowed, o->socket.allow, s->log))
		return 2;
	/* A mesh makes its plan once it knows its members. */
	if (settings_load(&s->settings, o, s->log, &fault) ||
	    (!o->mesh.mesh && plan_make(&s->settings, o, s->log, &fault)))
		return session_refuse(s, &fault);
	status = events_open(&s->events, run, &s->settings);
	if (!status)
		status = count_drops(s);
	/* The transport of a mesh needs no privilege, and sizes that are not known yet. */
	if (!status && !o->mesh.mesh)
		status = session_open_transport(s);
	return status;
}

int session_open_member(struct session *s)
{
	const struct member_port port = {
		.transport = s->transport,
		.draw = draw,
		.host = use_of_host,
		.drops = transport_drops_fill,
		.notify = s->mesh ? mesh_member_event : events_member,
		.context = s->mesh ? (void *)s->mesh : (void *)&s->events,
	};
	struct np_fault fault = {};
	struct member *member;

	events_begin(&s->events, s->transport);
	if (member_create(&member, &s->settings.member, &port, np_clock_now(), &fault))
		return session_refuse(s, &fault);
	s->member = s->events.member = member;
	return 0;
}

/*
 * Among ranks the run ends for all at once after a first signal, so that what is on its way can
 * still be counted.
 */
static void take_signals(struct session *s, np_time now)
{
	const unsigned came = np_signals_take(s->run->signals);

	if (came & NP_SIGNALS_REPORT)
		events_report_now(&s->events, now);
	if (came & NP_SIGNALS_STOP) {
		s->interrupts++;
		if (!s->options->mesh.mesh || s->interrupts > 1) {
			member_stop(s->member, now);
		} else {
			s->wind_up = true;
			s->leave = now + WIND_UP_LIMIT;
		}
	}
	if (s->wind_up)
		member_wind_up(s->member, now);
	s->wind_up = false;
	if (!s->leave || now < s->leave)
		return;
	s->leave = 0;
	member_stop(s->member, now);
}

static unsigned most_a_turn(const struct session *s)
{
	unsigned room = member_room(s->member);

	if (!room && transport_info(s->transport)->relays)
		room = 1;
	return room < TURN_MESSAGES ? room : TURN_MESSAGES;
}

/* When there is something to do next; now or earlier: at once. */
struct outlook {
	np_time next;
	np_time send; /* the next message of a lane; NP_TIME_NEVER: that does not depend on time */
};

/*
 * One iteration: counts what has arrived, does what is due, sends what may be sent, for each lane
 * (--threads) in turn, beginning after the one that was the last to send. Messages carry the time
 * at which their lane had its turn; the kernel's stamps show when they arrived.
 */
static int one_turn(struct session *s, np_time now, struct outlook *outlook)
{
	const unsigned most = most_a_turn(s), lanes = (unsigned)s->settings.member.lanes;
	const unsigned burst = lanes > 1 ? LANE_MESSAGES : PUMP_MESSAGES;
	int more = most ? transport_turn(s->transport, most, now) : 0;
	unsigned sent = 0, after = s->first_lane;

	if (more < 0)
		return more;
	member_tick(s->member, now);
	outlook->send = NP_TIME_NEVER;
	for (unsigned tried = 0; tried < lanes && sent < PUMP_MESSAGES; tried++) {
		const unsigned lane = (s->first_lane + tried) % lanes;
		const unsigned pumped = member_pump(s->member, lane, burst, now);
		const np_time due = member_pump_due(s->member, lane);

		/*
		 * A message that is due but was not sent waits for room; the descriptor shows when
		 * there is some.
		 */
		if (due > now)
			outlook->send = np_clock_sooner(outlook->send, due);
		else
			more |= pumped != 0;
		sent += pumped;
		if (!pumped || lanes == 1)
			continue;
		now = np_clock_now();
		after = (lane + 1) % lanes;
	}
	s->first_lane = after;
	outlook->next = events_due(&s->events, now);
	outlook->next = np_clock_sooner(outlook->next, member_deadline(s->member));
	if (most)
		outlook->next = np_clock_sooner(outlook->next, transport_deadline(s->transport));
	if (more)
		outlook->next = now;
	return 0;
}

int run_until_finished(struct session *s)
{
	np_time now = np_clock_now(), looked = 0, until, limit;
	struct outlook outlook = {.next = now};
	struct pollfd fds[] = {
		{.events = POLLIN}, /* the transport's */
		{.fd = np_signals_fd(s->run->signals), .events = POLLIN},
	};
	int rc = 0;

	np_wait_end_on_time();
	for (;;) {
		now = np_clock_now();
		if (now - looked >= LOOK_INTERVAL || outlook.next > now) {
			take_signals(s, now);
			looked = now;
		}
		rc = one_turn(s, now, &outlook);
		if (rc < 0 || member_outcome(s->member)->finished)
			break;
		if (looked == now || outlook.next > now)
			events_flush(&s->events);
		if (outlook.next <= now)
			continue;
		/* Without room for more messages, do not wake for them. */
		fds[0].fd = most_a_turn(s) ? transport_fd(s->transport) : -1;
		until = np_clock_sooner(outlook.next, outlook.send);
		if (!s->options->pace.busy_sleep || outlook.send == NP_TIME_NEVER)
			(void)np_wait_ready(fds, 2, until);
		else
			while (!np_wait_ready(fds, 2, 0) && np_clock_now() < until)
				;
	}
	if (rc < 0)
		member_cut_off(s->member,
			       rc == -ENOTCONN ? "the broker closed the connection" : strerror(-rc),
			       now);
	/* Sends what is still queued, if possible. */
	fds[0].fd = transport_fd(s->transport);
	limit = np_clock_now() + DRAIN_LIMIT;
	while (!rc && (now = np_clock_now()) < limit && !transport_idle(s->transport)) {
		if (transport_turn(s->transport, TURN_MESSAGES, now) < 0)
			break;
		(void)np_wait_ready(fds, 1, np_clock_sooner(now + NP_MILLISECOND, limit));
	}
	return rc;
}

int session_work(struct np_run *run)
{
	struct session *s = run->state;
	const struct np_usage before = np_usage_now();
	const struct np_fault *fault;
	int status, rc;

	if (s->options->mesh.mesh)
		return mesh_run(s);
	status = session_open_member(s);
	if (status)
		return status;
	rc = run_until_finished(s);
	/* Only a broker can be gone: no other transport depends on one connection. */
	if (rc)
		np_log_error(s->log, s->settings.transport.mqtt.broker, "%s",
			     rc == -ENOTCONN ? "the broker closed the connection" : strerror(-rc));
	status = member_status(s->member);
	if (status == 2)
		events_name_absent(&s->events);
	fault = &member_outcome(s->member)->fault;
	if (*fault->reason)
		session_refuse(s, fault);
	if (!status && (rc || s->events.lost_members ||
			np_loss_exceeds(s->events.worst_loss, s->options->max_loss_percent,
					identity_text(&s->events.lossiest), s->log)))
		status = 1;
	events_end(&s->events, status, &before);
	return status;
}

int session_close(struct np_run *run, int status)
{
	struct session *s = run->state;
	struct options *o = run->options;

	member_free(s->member);
	transport_free(s->transport);
	status = events_close(&s->events, status);
	settings_free(&s->settings);
	np_address_networks_free(o->socket.allowed);
	return status;
}
