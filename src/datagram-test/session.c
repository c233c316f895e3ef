// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * session: opens the endpoints, one for each local address, and runs their threads until the last
 * one has ended, by itself or as a rank of a mesh; what the threads of an endpoint and the session
 * share.
 */
#include "session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#define LOOK 1000 /* ms */

int session_open(struct np_run *run)
{
	struct session *s = run->state;
	const struct options *o = run->options;
	const struct np_address_list *locals;
	FILE *text;
	int status;

	s->run = run;
	s->options = o;
	s->log = run->log;
	s->finished = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	text = np_report_text(run->report);
	s->newest = o->report.layout == NP_REPORT_ORIGINAL;
	s->text = s->newest || o->report.layout == NP_REPORT_DEFAULT ? text : NULL;
	s->block = s->newest ? NULL : text;
	s->records = np_report_wants_records(run->report);
	s->ticks = s->text && !o->report.quiet ? o->tick_packets : 0;
	s->status = s->ticks && isatty(STDOUT_FILENO) ? NULL : s->log->status;
	pthread_mutex_init(&s->lock, NULL);
	if (s->finished < 0)
		return np_log_refuse(s->log, NULL, "%s", strerror(errno));
	status = addresses_resolve(s);
	if (!status && np_drops_begin(&run->drops, (enum np_drops_mode)o->drops, s->log) < 0)
		status = 2;
	if (status)
		return status;
	locals = &s->addresses.locals;
	s->endpoint = calloc(locals->count * o->listen.sockets, sizeof(*s->endpoint));
	if (!s->endpoint)
		return np_log_refuse(s->log, NULL, "%s", strerror(ENOMEM));
	s->endpoint_count = locals->count * o->listen.sockets;
	for (size_t i = 0; !status && i < s->endpoint_count; i++) {
		struct endpoint *e = &s->endpoint[i];

		e->session = s;
		e->options = o;
		e->at = locals->item[i % locals->count];
		e->listener.endpoint = e->publisher.endpoint = e;
		e->publisher.worker.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		e->listener.worker.wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (e->publisher.worker.wake < 0 || e->listener.worker.wake < 0 ||
		    getrandom(&e->run, sizeof(e->run), 0) < 0)
			return endpoint_refuse(e, -errno);
		/* Random, never 0, and none of another publisher here. */
		e->run += !e->run;
		for (const struct endpoint *other = s->endpoint; other < e; other++)
			e->run += e->run == other->run;
		if (endpoint_set_peers(e, &s->addresses.peers))
			return endpoint_refuse(e, -ENOMEM);
		status = listener_open(&e->listener);
		if (!status && e->peer_count)
			status = publisher_open(&e->publisher);
	}
	/* With --report=full: what was asked for, before the run's own facts. */
	np_block_full_say(run->full, NP_BLOCK_CONFIGURATION, "packet", "%" PRIu64 " bytes",
			  o->packet.packet_bytes);
	if (o->publish.rate_bytes_per_s > 0)
		np_block_full_say(run->full, NP_BLOCK_CONFIGURATION, "rate", "%s",
				  np_rate_format(o->publish.rate_bytes_per_s, o->report.unit).text);
	np_block_full_say(run->full, NP_BLOCK_CONFIGURATION, "receive buffer",
			  "%" PRIu64 " packets", o->listen.buffer_packets);
	np_block_full_say(run->full, NP_BLOCK_CONFIGURATION, "send buffer", "%" PRIu64 " packets",
			  o->publish.buffer_packets);
	return status;
}

int session_close(struct np_run *run, int status)
{
	struct session *s = run->state;
	int rc = 0;

	for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		struct listener *l = &e->listener;
		int log_rc = log_file_close(&l->log, status == 2);

		rc = rc ? rc : log_rc;
		flows_free(&l->flows);
		np_datagram_free(l->socket);
		free(l->packets);
		free(l->flow);
		np_datagram_free(e->publisher.socket);
		if (l->worker.wake > 0)
			close(l->worker.wake);
		if (e->publisher.worker.wake > 0)
			close(e->publisher.worker.wake);
		free(e->peer);
	}
	if (rc)
		np_log_error(s->log, s->options->listen.log, "%s", strerror(-rc));
	free(s->endpoint);
	if (s->finished > 0)
		close(s->finished);
	np_address_networks_free(s->addresses.allowed);
	np_address_list_clear(&s->addresses.locals);
	np_address_list_clear(&s->addresses.peers);
	np_address_list_clear(&s->addresses.group);
	pthread_mutex_destroy(&s->lock);
	return rc && !status ? 1 : status;
}

int endpoint_set_peers(struct endpoint *endpoint, const struct np_address_list *peers)
{
	struct peer *peer = calloc(peers->count + 1, sizeof(*peer));

	if (!peer)
		return -ENOMEM;
	for (size_t i = 0; i < peers->count; i++) {
		peer[i].address = peers->item[i];
		memcpy(peer[i].name, np_address_format(&peer[i].address).text, NP_ADDRESS_TEXT);
	}
	free(endpoint->peer);
	endpoint->peer = peer;
	endpoint->peer_count = peers->count;
	return 0;
}

int endpoint_refuse(const struct endpoint *endpoint, int rc)
{
	const char *device = endpoint->options->socket.asked.ip.device;

	if (rc == -ENODEV && device)
		return np_log_refuse(endpoint->session->log, "--device", "%s: %s", device,
				     strerror(-rc));
	return np_log_refuse(endpoint->session->log, np_address_format(&endpoint->at).text, "%s",
			     strerror(-rc));
}

struct np_datagram_options endpoint_socket(const struct endpoint *endpoint)
{
	const struct options *o = endpoint->options;

	return (struct np_datagram_options){
		.variant = np_datagram_variants[o->socket.batch],
		.local = &endpoint->at,
		.packet_bytes = o->packet.packet_bytes,
		.batch = (unsigned)o->socket.batch_packets,
		.ip = o->socket.asked.ip,
	};
}

int endpoint_watch_drops(const struct endpoint *endpoint, enum np_drops_direction direction,
			 const struct np_datagram *socket, int fd)
{
	struct np_drops_packets packets = {
		.direction = direction,
		.local = &np_datagram_info(socket)->local,
		.socket = fd,
	};
	uint8_t mark[4];

	/* Packets of either program, not control datagrams. */
	np_field_put32(mark, WIRE_MAGIC);
	np_drops_mark(&packets, mark, sizeof(mark));
	return np_drops_watch(endpoint->session->run->drops, &packets);
}

/* Fails only when the counter is full, which wakes the thread as well. */
void worker_wake(int fd)
{
	(void)!eventfd_write(fd, 1);
}

void worker_woken(int fd)
{
	eventfd_t count;

	(void)!eventfd_read(fd, &count);
}

int64_t peer_ack(struct peer *peer, np_time *arrival)
{
	uint32_t before = atomic_load_explicit(&peer->heard, memory_order_acquire), after;
	int64_t send_time;

	/* A value that is being written now goes with the next packet. */
	if (before == peer->acked || (before & 1))
		return WIRE_NO_ACK;
	send_time = atomic_load_explicit(&peer->send_time, memory_order_relaxed);
	*arrival = atomic_load_explicit(&peer->arrival, memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	after = atomic_load_explicit(&peer->heard, memory_order_relaxed);
	if (after != before)
		return WIRE_NO_ACK;
	peer->acked = before;
	return send_time;
}

struct peer *endpoint_peer(const struct endpoint *endpoint, const struct np_address *source,
			   bool others)
{
	struct peer *found = NULL;

	for (struct peer *p = endpoint->peer; p < endpoint->peer + endpoint->peer_count; p++) {
		if (np_address_equal(&p->address, source))
			return p;
		/* Hosts that answer for a group or a wildcard answer from their own addresses. */
		if (others && !found &&
		    (np_address_is_multicast(&p->address) || np_address_is_wildcard(&p->address)) &&
		    np_address_port(&p->address) == np_address_port(source))
			found = p;
	}
	return found;
}

/* Starts a thread; join_both collects it. Returns 0 or -errno. */
static int start_thread(struct worker *worker, void *(*run)(void *), void *owner)
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

/* Joins threads that have ended. Returns how many still run. */
static unsigned join_both(struct endpoint *endpoint)
{
	return join(&endpoint->listener.worker) + join(&endpoint->publisher.worker);
}

static void raise_phase(struct worker *worker, enum phase to)
{
	if (atomic_load(&worker->phase) < (int)to)
		atomic_store(&worker->phase, (int)to);
	worker_wake(worker->wake);
}

/* Reports the phase that the run has reached to all threads, and wakes them. */
static void set_phase(struct session *s, enum phase publishing, enum phase listening)
{
	for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		raise_phase(&e->publisher.worker, publishing);
		raise_phase(&e->listener.worker, listening);
	}
}

/* Sleeps until a thread ends or a signal comes, which is acted on, or @ms have passed. */
static void await(struct session *s, int ms)
{
	struct pollfd wait[2] = {{.fd = np_signals_fd(s->run->signals), .events = POLLIN},
				 {.fd = s->finished, .events = POLLIN}};
	const bool mesh = s->options->mesh.mesh;
	unsigned came;

	(void)poll(wait, 2, ms);
	/* A thread signals shortly before it can be joined. */
	if (wait[1].revents) {
		worker_woken(s->finished);
		usleep(1000);
	}
	came = wait[0].revents ? np_signals_take(s->run->signals) : 0;
	if (came & NP_SIGNALS_REPORT && !mesh) {
		atomic_fetch_add(&s->reports, 1);
		set_phase(s, PHASE_RUNNING, PHASE_RUNNING);
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
		set_phase(s, PHASE_LEAVING, PHASE_RUNNING);
	else if (s->interrupts > 1)
		set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
	else
		set_phase(s, PHASE_CLOSING, PHASE_RUNNING);
}

/* Acts on signals, and ends threads, until the last one has ended; in a mesh, the publisher. */
static void oversee(struct session *s)
{
	for (;;) {
		bool listener_gone = false, publishing = false;
		unsigned running = 0;

		for (size_t i = 0; i < s->endpoint_count; i++) {
			running += join_both(&s->endpoint[i]);
			listener_gone |= !s->endpoint[i].listener.worker.running;
			publishing |= s->endpoint[i].publisher.worker.running;
		}
		if (!running || (!publishing && s->options->mesh.mesh))
			return;
		if (s->addresses.peers.count && listener_gone)
			set_phase(s, PHASE_CLOSING, PHASE_RUNNING);
		/*
		 * Publishers elsewhere may be about to end: their ENDs are waited for a moment, and
		 * answered.
		 */
		if (!publishing && (s->interrupts || s->addresses.peers.count))
			set_phase(s, PHASE_CLOSING, PHASE_CLOSING);
		await(s, LOOK);
	}
}

/* Runs the threads until the last one has ended. Returns 0, or 1 after a message. */
static int run_threads(struct session *s)
{
	int rc = 0;

	s->usage = np_usage_now();
	s->begun = np_clock_now();
	for (size_t i = 0; !rc && i < s->endpoint_count; i++) {
		struct endpoint *e = &s->endpoint[i];

		atomic_store(&e->listener.worker.phase, PHASE_RUNNING);
		atomic_store(&e->publisher.worker.phase, PHASE_RUNNING);
		rc = start_thread(&e->listener.worker, listener_run, &e->listener);
		if (!rc && e->publisher.socket)
			rc = start_thread(&e->publisher.worker, publisher_run, &e->publisher);
	}
	if (rc) {
		np_log_error(s->log, "threads", "%s", strerror(-rc));
		set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
	}
	oversee(s);
	return rc ? 1 : 0;
}

/* Judges a trial by what its peers reported, and shows it. Returns false if one is missing. */
static bool take_trial(struct session *s, struct np_find_trial *t)
{
	const struct np_usage used = np_usage_since(&s->usage);

	for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++) {
		const struct publisher *p = &e->publisher;

		attribute(e);
		t->sent += np_units_rate(p->bytes, s->options->publish.duration);
		if (p->pacer.worst_behind > t->behind)
			t->behind = p->pacer.worst_behind;
		for (struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++) {
			const struct np_flow_counts *c = &peer->counts.flow;

			if (!atomic_load(&peer->end_acked))
				return false;
			np_result_add(&t->result, &peer->result);
			t->received += np_units_rate(c->bytes, c->elapsed);
		}
	}
	t->cpu = np_usage_share(&used, s->options->publish.duration);
	np_find_take(&s->find, t);
	/* Ends the line of ticks. */
	if (s->block && (s->find.trials == 1 || (s->ticks && t->result.sent.n >= s->ticks)))
		fputc('\n', s->block);
	if (s->block)
		np_find_print(s->block, &s->find, t, s->options->report.unit);
	if (s->records)
		(void)np_report_write(s->run->report, np_find_record(&s->find, t, "packets"));
	return true;
}

/* --find-rate: runs its trials. Returns as run_threads. */
static int find_rate(struct session *s)
{
	const struct options *o = s->options;
	struct np_find *find = &s->find;
	struct np_find_trial t;
	int rc = 0;

	find->most = o->publish.rate_bytes_per_s;
	find->loss_percent = o->publish.find_percent;
	find->least = np_find_least(o->publish.burst * s->endpoint_count * s->addresses.peers.count,
				    options_mean_bytes(&o->packet), o->publish.duration);
	do {
		t = (struct np_find_trial){.asked = np_find_next(find)};
		if (t.asked == NP_FIND_OVER)
			break;
		for (struct endpoint *e = s->endpoint; e < s->endpoint + s->endpoint_count; e++)
			publisher_again(&e->publisher, t.asked / (double)s->endpoint_count);
		rc = run_threads(s);
	} while (!rc && !s->interrupts && take_trial(s, &t));
	for (size_t i = 0; i < s->endpoint_count; i++)
		listener_close(&s->endpoint[i].listener);
	return rc;
}

/*
 * A rank of a mesh has one endpoint, which publishes to the other ranks and listens to them, as
 * steps of np_meet.
 */

/* How long the end handshakes with peers that no longer answer may take at most. */
#define HANDSHAKES (3 * NP_SECOND)
/* After a signal: how long to wait for packets on their way, and how often to check. */
#define INTERRUPTED_WAIT (300 * NP_MILLISECOND)
#define INTERRUPTED_LOOK 50 /* ms */

/* Opens the publisher, if there is somebody to publish to, and starts the listener. */
static int connect_all(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	struct endpoint *e = s->endpoint;
	struct np_address_list *peers = &s->addresses.peers;
	int rc = np_meet_find(meet, &meet->sources);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < meet->targets.count; i++)
		rc = np_address_list_parse(peers,
					   np_address_literal(&meet->targets.peer[i].address).text,
					   0, AF_UNSPEC);
	if (!rc)
		rc = endpoint_set_peers(e, peers);
	if (!rc && peers->count && publisher_open(&e->publisher))
		return -ECANCELED;
	if (!rc)
		rc = start_thread(&e->listener.worker, listener_run, &e->listener);
	return rc ? np_meet_fault(meet, rc) : 0;
}

static int publish(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	struct publisher *p = &s->endpoint->publisher;
	const int rc = p->socket ? start_thread(&p->worker, publisher_run, p) : 0;

	meet->deadline =
		meet->begun + s->options->publish.duration + meet->options->limit + HANDSHAKES;
	if (rc)
		return np_meet_fault(meet, rc);
	oversee(s);
	return 0;
}

/*
 * Ends both threads. What is on its way is still waited for, but after a signal only so long that
 * the report is written before a launcher kills this rank.
 */
static void stop(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	const np_time leave = np_clock_now() + INTERRUPTED_WAIT;

	set_phase(s, PHASE_CLOSING, PHASE_CLOSING);
	while (join_both(s->endpoint)) {
		const bool hurry = s->interrupts > 0;

		if (!meet->begun || (hurry && np_clock_now() >= leave))
			set_phase(s, PHASE_LEAVING, PHASE_LEAVING);
		await(s, hurry ? INTERRUPTED_LOOK : LOOK);
	}
}

/* Judges both threads first, and adds what this host dropped of what was received and sent. */
static int measure(struct np_meet *meet)
{
	struct session *s = meet->run->state;
	const struct listener *l = &s->endpoint->listener;
	const struct publisher *publisher = &s->endpoint->publisher;
	struct np_drops_counts dropped = l->dropped;
	int rc = 0;

	meet->failed = conclude_listener(l);
	if (publisher->socket)
		meet->failed |= conclude_publisher(publisher);
	meet->interrupts = s->interrupts;
	for (size_t i = 0; !rc && i < meet->sources.count; i++) {
		const struct np_meet_peer *source = &meet->sources.peer[i];
		const struct flow *flow = NULL;
		struct np_mesh_pair pair = {
			.from = source->rank,
			.to = meet->rank,
			.parts = NP_MESH_TO,
		};

		/* Of its flow with the most packets, if there is any. */
		for (const struct flow *one = l->flow; one < l->flow + l->flow_count; one++) {
			if (np_address_equal(&one->printed, &source->address) &&
			    (!flow || one->counts.flow.received > flow->counts.flow.received))
				flow = one;
		}
		if (flow) {
			const struct wire_counts *c = &flow->counts;

			np_mesh_take_flow(&pair, &c->flow, meet->begun);
			pair.dropped_to = c->host;
			pair.delay = c->delay;
			pair.delay_bound = c->delay.count ? c->delay_bound : 0;
		}
		rc = np_mesh_add(meet->mesh, &pair);
	}
	for (size_t i = 0; !rc && i < meet->targets.count; i++) {
		const struct peer *peer = &s->endpoint->peer[i];

		rc = np_mesh_add(meet->mesh, &(struct np_mesh_pair){
						     .from = meet->rank,
						     .to = meet->targets.peer[i].rank,
						     .parts = NP_MESH_FROM,
						     .sent = peer->last - peer->unsent,
						     .unsent = peer->unsent,
						     .dropped_from = peer->dropped,
					     });
	}
	if (publisher->socket)
		np_drops_add(&dropped, &publisher->dropped);
	if (!rc && s->options->drops != NP_DROPS_OFF)
		rc = np_mesh_add_dropped(meet->mesh, meet->rank, &dropped);
	return rc;
}

static struct np_record *start(struct np_meet *meet)
{
	return record_start(meet->run->state);
}

int session_work(struct np_run *run)
{
	static const struct np_meet_steps steps = {
		.peers_max = FLOWS_MAX,
		.connect = connect_all,
		.send = publish,
		.stop = stop,
		.measure = measure,
		.start = start,
	};
	struct session *s = run->state;
	const struct options *o = s->options;
	struct np_meet meet = {
		.run = run,
		.options = &o->mesh,
		.steps = &steps,
		.local = s->endpoint->at,
		.allow = s->addresses.allowed,
		.words = {.transport = "UDP",
			  .bytes = o->packet.shortest_bytes == o->packet.packet_bytes
					   ? o->packet.packet_bytes
					   : 0,
			  .rates_in_bytes = o->report.unit,
			  .unit = "packets",
			  .delay = "delay"},
		.text = s->text,
		.max_loss_percent = o->max_loss_percent,
	};
	int status;

	if (o->mesh.mesh) {
		/* The threads write no text. */
		s->text = NULL;
		s->ticks = 0;
		return np_meet_run(&meet);
	}
	for (size_t i = 0; i < s->endpoint_count; i++)
		report_banners(&s->endpoint[i]);
	if (s->records)
		(void)np_report_write(run->report, record_start(s));
	status = o->publish.find ? find_rate(s) : run_threads(s);
	return status ? status : conclude(s);
}
