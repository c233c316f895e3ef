// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* listener: the receiving loop of one local address, and its timers. */
#include "session.h"

#include <errno.h>
#include <netperf/clock.h>
#include <netperf/output.h>
#include <stdlib.h>
#include <sys/random.h>

/* The most packets of one receive call. */
#define ROOM 1024
#define LOOK (20 * NP_MILLISECOND)
/* If iterations are this far apart, the process was held up. */
#define STALL (5 * LOOK)
/* After our publisher has ended: how long other publishers' last packets and ENDs may take. */
#define LINGER NP_SECOND
/*
 * If END was not repeated for this long after our answer, the publisher has it: an answer alone may
 * be lost.
 */
#define END_QUIET  (150 * NP_MILLISECOND)
#define ERRORS_MAX 100

static struct np_datagram_options socket_options(const struct endpoint *e)
{
	const struct addresses *ends = &e->session->addresses;
	const struct options *o = e->options;

	return (struct np_datagram_options){
		.variant = np_datagram_variants[o->socket.batch],
		.local = e->local,
		.packet_bytes = o->packet.packet_bytes,
		/*
		 * The original cuts a longer packet to its own -packetSize and counts that much.
		 * Here it is received whole and counts with its true size: the rate is of the bytes
		 * that arrived, and our trailer is at the end of the packet. Control datagrams are
		 * received whole, too.
		 */
		.longest_bytes = NP_DATAGRAM_BYTES_MAX,
		.batch = (unsigned)o->socket.batch_packets,
		.receive_bytes = o->listen.buffer_packets * o->packet.packet_bytes,
		.tos = o->socket.asked.tos,
		.ttl = o->socket.asked.ttl,
		.device = o->socket.asked.device,
		.group = ends->has_group ? &ends->group : NULL,
		.reuse = ends->has_group,
	};
}

/* Returns 0, or the exit status 2 after a message. */
static int open_socket(struct listener *l)
{
	struct endpoint *e = l->endpoint;
	const struct np_datagram_options how = socket_options(e);
	const unsigned long long packet = e->options->packet.packet_bytes;
	unsigned long long granted;
	char text[NP_ADDRESS_TEXT];
	int rc = np_datagram_open(&l->socket, &how);

	if (rc)
		return endpoint_blame(e, rc);
	l->info = *np_datagram_info(l->socket);
	granted = l->info.receive_granted / packet;
	if (l->info.receive_granted < how.receive_bytes)
		return np_log_refuse(
			e->reporter->log, "-rxBufferSize",
			"the kernel grants only %zu bytes, or %llu packets of %llu; raise "
			"net.core.rmem_max or ask for -rxBufferSize %llu",
			l->info.receive_granted, granted, packet, granted);
	l->local = *e->local;
	np_address_set_port(&l->local, np_address_port(&l->info.local));
	(void)np_datagram_kernel_counts(&l->kernel);
	np_path_read(&l->path, how.device, &l->local);
	l->drops_watch = endpoint_watch_drops(e->drops, NP_DROPS_IN, &l->info.local,
					      np_datagram_fd(l->socket));
	l->total_dropped.known = l->total_dropped.exact = true;
	l->total_sender.known = l->total_sender.exact = true;
	e->return_port = np_address_port(&l->local);
	np_log_detail(e->reporter->log, "%s: receives by %s, stamps by %s",
		      np_address_format(&l->local, text), l->info.variant, l->info.stamps);
	return 0;
}

static int open_log(struct listener *l)
{
	const struct endpoint *e = l->endpoint;
	const char *name = e->options->listen.log;
	char room[LOG_FILE_NAME_BYTES];
	int rc;

	if (!name)
		return 0;
	name = log_file_name(name, e->return_port, e->session->addresses.locals.count > 1, room);
	rc = log_file_open(&l->log_file, name);
	return rc ? np_log_refuse(e->reporter->log, name, "%s", np_output_reason(rc)) : 0;
}

int listener_open(struct listener *l)
{
	const struct options *o = l->endpoint->options;
	int status;

	l->shortest = l->longest = o->packet.packet_bytes;
	l->flow_room = o->mesh.mesh ? FLOWS_MAX : LISTENER_FLOWS_MAX;
	l->packets = calloc(ROOM, sizeof(*l->packets));
	l->flow = calloc(l->flow_room, sizeof(*l->flow));
	if (!l->packets || !l->flow)
		return np_log_refuse(l->endpoint->reporter->log, NULL, "out of memory");
	status = open_socket(l);
	if (!status)
		status = open_log(l);
	if (getrandom(&l->flows.key, sizeof(l->flows.key), 0) != sizeof(l->flows.key))
		l->flows.key = (uint64_t)np_clock_now();
	l->flows.opened = np_clock_now();
	return status;
}

/*
 * True when everything that arrived is processed and nothing more came for -rxTimeoutMs. Time in
 * which this process was held up is no silence, since packets may have been dropped in it; and as
 * long as a publisher repeats its END, its flow must stay to answer it.
 */
static bool silent(const struct listener *l, np_time now)
{
	np_time timeout = (np_time)l->endpoint->options->listen.timeout_ms * NP_MILLISECOND;
	np_time since = l->last_packet > l->resumed ? l->last_packet : l->resumed;

	if (!l->heard || !l->drained || !timeout || now - since < timeout ||
	    now - l->last_end < END_QUIET)
		return false;
	/* A run of ours ends with its END, or with its publisher's death. */
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (flow_alive(flow, now))
			return false;
	}
	return true;
}

/* Does what is due by time, some fifty times a second while packets arrive. */
static void look(struct listener *l, np_time now)
{
	struct np_address to;

	l->news = false;
	if (np_interval_due(&l->interval, now)) {
		np_interval_next(&l->interval, now);
		reporting_report(l, now, true);
	}
	if (worker_is_asked(&l->worker))
		reporting_report(l, now, false);
	while (np_datagram_refused(l->socket, &to))
		control_refused(l, &to, now);
	control_ask(l, now);
	reporting_ends(l, now);
	if (silent(l, now))
		reporting_silence(l, now);
}

/* True when all known publishers have ended, or none will be waited for. */
static bool all_ended(const struct listener *l)
{
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (flow->ours && !flow->reported)
			return false;
	}
	return true;
}

/* END arrived, and packets on their way are still waited for. */
static bool any_waited_for(const struct listener *l, np_time now)
{
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (flow->end_at && !flow->reported && !flow_accounted(flow, now))
			return true;
	}
	return false;
}

/* Of a test packet; flows that have ended are removed. */
static bool no_packet_came(const struct listener *l)
{
	return !l->flows.first && !l->total.flows;
}

static bool finished(struct listener *l, np_time now, np_time *closing)
{
	const struct options *o = l->endpoint->options;
	int phase = atomic_load_explicit(&l->worker.phase, memory_order_relaxed);

	if (o->listen.wait && no_packet_came(l) && now - l->opened >= o->listen.wait)
		l->nobody_came = true;
	if (phase == PHASE_LEAVING || l->nobody_came || l->error)
		return true;
	/* A process that publishes ends when its publishing does, whether or not it receives. */
	if (o->listen.once && !l->gone && phase != PHASE_CLOSING)
		return false;
	if (phase == PHASE_CLOSING && *closing == NP_TIME_NEVER)
		*closing = now + LINGER;
	if (now - l->last_end < END_QUIET || any_waited_for(l, now))
		return false;
	if (now >= *closing)
		return true;
	if (phase == PHASE_CLOSING)
		return all_ended(l);
	return o->listen.once && !l->endpoint->peer_count;
}

static np_time next_look(const struct listener *l, np_time now)
{
	const struct options *o = l->endpoint->options;
	np_time next = NP_TIME_NEVER;

	if (l->heard || l->endpoint->peer_count || now - l->last_end < END_QUIET ||
	    atomic_load(&l->worker.phase) != PHASE_RUNNING)
		return now + LOOK;
	if (o->listen.wait && no_packet_came(l))
		next = l->opened + o->listen.wait;
	return l->interval.due < next ? l->interval.due : next;
}

/*
 * One iteration processes what has arrived, at most ROOM packets, and writes their ticks. It reads
 * the clock once, after the receive; packets have their own stamps.
 */
static void listen_on(struct listener *l)
{
	np_time due = 0, closing = NP_TIME_NEVER, turned = l->opened, now;
	struct np_busy_poll busy = {.since = l->opened};
	unsigned errors = 0;

	for (;;) {
		int count = np_datagram_receive(l->socket, l->packets, ROOM);

		now = np_clock_now();
		if (l->heard && now - turned >= STALL)
			l->resumed = now;
		turned = now;
		l->drained = !count;
		receive_packets(l, l->packets, count > 0 ? (size_t)count : 0);
		reporting_ticks(l);
		/* A single error most likely reports a peer's refusal of what we sent. */
		if (count < 0 && count != -EINTR && ++errors >= ERRORS_MAX)
			l->error = count;
		else if (count > 0)
			errors = 0;
		if (count > 0) {
			np_busy_poll_received(&busy, (unsigned)count);
		} else if (!count && np_busy_poll_pays(&busy, now)) {
			np_busy_poll_spin(now);
			continue;
		}
		if (now >= due || (!count && l->news)) {
			look(l, now);
			if (finished(l, now, &closing))
				return;
			due = next_look(l, now);
		}
		if (count <= 0 && np_datagram_wait(l->socket, l->worker.wake, due) <= 0) {
			worker_woken(l->worker.wake);
			due = 0;
		}
	}
}

void *listener_run(void *listener)
{
	struct listener *l = listener;

	l->opened = np_clock_now();
	/* Without -polite nobody waits. */
	atomic_store(&l->endpoint->go, !l->endpoint->options->publish.polite);
	np_interval_start(&l->interval, l->opened, l->endpoint->options->report.interval);
	reporting_set_due(l);
	listen_on(l);
	reporting_close(l);
	worker_wake(l->endpoint->session->finished);
	return NULL;
}
