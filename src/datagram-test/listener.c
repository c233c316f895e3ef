// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * listener: the receiving loop of one local address, its timers and reports, and what is kept of
 * flows that are over.
 */
#include "session.h"

#include <errno.h>
#include <linux/filter.h>
#include <stdlib.h>
#include <sys/random.h>

/* The most packets of one receive call. */
#define ROOM	   1024
#define LOOK	   (20 * NP_MILLISECOND)
#define LOOK_FLOWS 64 /* one look deals with so many, in turn, or with all when there is news */
/* If an iteration begins so much later than it was due, the process was held up. */
#define STALL (4 * LOOK)
/* After our publisher has ended: how long other publishers' last packets and ENDs may take. */
#define LINGER NP_SECOND
/*
 * If END was not repeated for this long after our answer, the publisher has it: an answer alone may
 * be lost.
 */
#define END_QUIET  (150 * NP_MILLISECOND)
#define ERRORS_MAX 100

/* With --sockets: the one that was opened first at the same address. */
static struct endpoint *first_of(const struct endpoint *e)
{
	const struct session *s = e->session;

	return &s->endpoint[(size_t)(e - s->endpoint) % s->addresses.locals.count];
}

/*
 * The kernel shall give each of the sockets what comes from some addresses and return ports: so a
 * publisher's answers, which its listener's socket sends, arrive where its packets do. Without them
 * its address is not proved, nor its clock known. The sockets share from the second on.
 */
static int divide_packets(int fd, const struct endpoint *e)
{
	const uint32_t source = e->at.any.sa_family == AF_INET6 ? 20 : 12;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WIRE_CONTROL_MAGIC, 2, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, WIRE_PORT),
		BPF_STMT(BPF_JMP | BPF_JA, 1),
		BPF_STMT(BPF_LD | BPF_H | BPF_ABS, WIRE_CONTROL_PORT),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + source),
		BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		BPF_STMT(BPF_ALU | BPF_MUL | BPF_K, 0x9e3779b1), /* Fibonacci hashing */
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 16),
		BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, (uint32_t)e->options->listen.sockets),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}

static int open_socket(struct listener *l)
{
	struct endpoint *e = l->endpoint;
	const bool shares = e->options->listen.sockets > 1, first = first_of(e) == e;
	const struct addresses *ends = &e->session->addresses;
	const struct np_log *log = e->session->log;
	const unsigned long long packet = e->options->packet.packet_bytes;
	struct np_datagram_options how = endpoint_socket(e);
	int rc;

	/*
	 * The original cuts a longer packet to its own -packetSize and counts that much. Here it is
	 * received whole and counts with its true size: the rate is of the bytes that arrived, and
	 * our trailer is at the end of the packet. Control datagrams are received whole, too.
	 */
	how.longest_bytes = NP_DATAGRAM_BYTES_MAX;
	how.receive_bytes = e->options->listen.buffer_packets * packet;
	how.group = ends->group.item;
	how.reuse = ends->group.count;
	how.headers = true;
	/* The first is shared once it is bound: so it is not bound where another run listens. */
	how.reuse_port = !first;
	rc = np_datagram_open(&l->socket, &how);
	if (!rc && shares && np_datagram_fd(l->socket) >= 0 &&
	    (first ? setsockopt(np_datagram_fd(l->socket), SOL_SOCKET, SO_REUSEPORT, &(int){1},
				sizeof(int))
		   : divide_packets(np_datagram_fd(l->socket), e)))
		rc = -errno;
	if (rc)
		return endpoint_refuse(e, rc);
	l->info = *np_datagram_info(l->socket);
	/* Without a socket nothing was asked for. */
	if (np_datagram_fd(l->socket) >= 0 && l->info.receive_granted < how.receive_bytes) {
		const unsigned long long granted = l->info.receive_granted / packet;

		return np_log_refuse(
			log, "-rxBufferSize",
			"the kernel grants only %zu bytes, or %llu packets of %llu; raise "
			"net.core.rmem_max or ask for -rxBufferSize %llu",
			l->info.receive_granted, granted, packet, granted);
	}
	np_address_set_port(&e->at, np_address_port(&l->info.local));
	memcpy(e->name, np_address_format(&e->at).text, sizeof(e->name));
	(void)np_datagram_kernel_counts(&l->kernel);
	np_path_read(&l->path, how.ip.device, &e->at);
	/* Packets that are dropped before the kernel chose a socket are counted once. */
	if (first)
		l->drops_watch = endpoint_watch_drops(e, NP_DROPS_IN, l->socket,
						      shares ? -1 : np_datagram_fd(l->socket));
	else
		l->drops_watch = first_of(e)->listener.drops_watch;
	np_log_detail(log, "%s: receives by %s, stamps by %s", e->name, l->info.variant,
		      l->info.stamps);
	return 0;
}

static void forget_sums(struct listener *l)
{
	l->total = (struct np_flow_counts){0};
	l->total_dropped = (struct np_drops_counts){.known = true, .exact = true};
	l->total_sender = (struct np_drops_total){.known = true, .exact = true};
}

int listener_open(struct listener *l)
{
	const struct endpoint *e = l->endpoint;
	const struct options *o = e->options;
	int status, rc = 0;

	l->shortest = l->longest = o->packet.packet_bytes;
	forget_sums(l);
	l->flow_room = o->mesh.mesh ? FLOWS_MAX : LISTENER_FLOWS_MAX;
	l->packets = calloc(ROOM, sizeof(*l->packets));
	l->flow = aligned_alloc(NP_CACHE_LINE, l->flow_room * sizeof(*l->flow));
	if (!l->packets || !l->flow)
		return np_log_refuse(e->session->log, NULL, "out of memory");
	status = open_socket(l);
	if (status)
		return status;
	l->log.status = e->session->log->status;
	if (o->listen.log)
		rc = log_file_open(&l->log, o->listen.log, np_address_port(&e->at),
				   e->session->addresses.locals.count > 1);
	if (getrandom(&l->flows.key, sizeof(l->flows.key), 0) != sizeof(l->flows.key))
		l->flows.key = (uint64_t)np_clock_now();
	l->flows.opened = np_clock_now();
	return rc ? np_log_refuse(e->session->log, l->log.name, "%s", np_output_reason(rc)) : 0;
}

void listener_ticks(struct listener *l)
{
	report_ticks(l->endpoint->session, 'i', l->ticked, l->count);
	l->ticked = l->count;
}

void listener_prove(struct listener *l)
{
	if (l->proven)
		return;
	l->proven = true;
	l->unproven += l->total.flows;
	l->loss = (struct np_loss){.exact = true};
	forget_sums(l);
}

/* Of all flows so far that are in the sums. */
static struct np_flow_counts sum_of(const struct listener *l)
{
	struct np_flow_counts sum = l->total, life;

	for (const struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (!listener_counts(l, flow))
			continue;
		flow_life(flow, &life);
		np_flow_counts_add(&sum, &life);
	}
	return sum;
}

struct np_loss listener_loss(struct listener *l)
{
	const struct endpoint *e = l->endpoint;
	const struct np_flow_counts sum = sum_of(l);
	/* Packets came that are in no sum: of the socket's drops, some may be of those. */
	bool uncounted = l->unproven || l->flows.refused || l->displaced;
	struct np_datagram_kernel now;
	struct np_loss loss;
	uint64_t dropped, controls = l->past_controls;

	np_datagram_stats(l->socket, &l->stats);
	/* By the socket's full buffer since it was opened, as far as that is known. */
	dropped = l->stats.dropped;
	l->drops = (struct np_loss_drops){
		.upmost = dropped,
		.most = np_loss_most(l->info.drop_unit, l->shortest),
	};
	/* These counters cover all sockets of the host: they are read only when needed. */
	if (dropped && !np_datagram_kernel_counts(&now))
		np_loss_drops_full(&l->drops, dropped,
				   now.receive_buffer_errors - l->kernel.receive_buffer_errors,
				   now.checksum_errors - l->kernel.checksum_errors);
	for (const struct flow *flow = l->flows.first; flow; flow = flow->next) {
		uncounted |= !listener_counts(l, flow);
		controls += flow_controls_missing(flow);
	}
	for (const struct peer *peer = e->peer; peer < e->peer + e->peer_count; peer++)
		controls += wire_copies_missing(&peer->requests) + wire_copies_missing(&peer->acks);
	/*
	 * Those that the socket dropped may not be missing packets: duplicates if there are any,
	 * control datagrams that never arrived, and packets of others if there are any.
	 */
	l->drops.others = controls;
	if (sum.duplicates || l->short_packets || l->corrupt || l->control_errors ||
	    l->not_allowed || uncounted)
		l->drops.others = NP_LOSS_UNKNOWN;
	loss = np_flow_attribute(&sum, &l->drops);
	loss.exact &= !uncounted;
	return loss;
}

struct np_drops_counts listener_dropped(const struct listener *l, const struct flow *flow)
{
	struct np_drops_counts dropped;

	np_drops_count(l->endpoint->session->run->drops, l->drops_watch, &flow->source, &dropped);
	for (const struct flow *other = l->flows.first; other; other = other->next) {
		const bool later = other->begun > flow->begun;

		if (other == flow || !np_address_equal(&other->source, &flow->source))
			continue;
		/* What is dropped since is the later one's. */
		if (later && other->follows)
			return flow->dropped;
		/* Then it is not known whose they were. */
		if (dropped.known && (later || !flow->follows))
			return (struct np_drops_counts){.why = "two runs from one port"};
	}
	np_drops_since(&dropped, &flow->dropped_before);
	return dropped;
}

/* Of the flows that there are. */
static void write_block(struct listener *l, bool now)
{
	struct session *s = l->endpoint->session;
	FILE *text;

	if (!flows_count(&l->flows))
		return;
	listener_ticks(l);
	text = report_text_begin(s);
	if (!text)
		return;
	console_rx_report(text, l->endpoint, &l->flows, true);
	if (now)
		console_rx_report(text, l->endpoint, &l->flows, false);
	report_text_end(s);
}

/* Writes a report of all flows; @mark: the next "Now" span starts. */
static void report(struct listener *l, np_time now, bool mark)
{
	write_block(l, true);
	for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (flow->past)
			continue;
		if (l->endpoint->session->records)
			record_interval(l, flow, false);
		if (mark)
			np_flow_mark(flow->account, now);
	}
	np_report_metrics(l->endpoint->session->run->report);
}

void listener_due(struct listener *l, np_time now)
{
	const struct options *o = l->endpoint->options;
	const uint64_t reports = o->report_packets, rows = l->log.file ? o->listen.log_packets : 0;

	if (l->count < l->due)
		return;
	if (rows && l->count % rows == 0) {
		for (struct flow *flow = l->flows.first; flow; flow = flow->next) {
			if (!flow->past)
				log_file_row(&l->log, flow, false);
		}
	}
	if (reports && l->count % reports == 0)
		report(l, now, true);
	l->due = reports ? (l->count / reports + 1) * reports : UINT64_MAX;
	if (rows && (l->count / rows + 1) * rows < l->due)
		l->due = (l->count / rows + 1) * rows;
}

/* Writes a closing Lifetime block, unless no packet came since the last one. */
static void report_lifetime(struct listener *l)
{
	if (l->unreported)
		write_block(l, false);
	l->unreported = false;
}

/* Reports the end of a flow once; and writes its last row, when its own wait is @over. */
static void report_end(struct listener *l, struct flow *flow, bool over)
{
	if (!flow->reported && l->log.file)
		log_file_row(&l->log, flow, true);
	if (!flow->reported)
		flow->grace = flow_grace(flow);
	flow->reported = true;
	if (over && np_report_wants_rest(l->endpoint->session->run->report))
		record_interval(l, flow, true);
}

/*
 * The entry for a flow in the result. If all are taken, the smallest unproven one is dropped; NULL:
 * none.
 */
static struct flow *place_for(struct listener *l, const struct flow *flow)
{
	struct flow *least = NULL;

	if (l->flow_count < l->flow_room)
		return &l->flow[l->flow_count++];
	l->unlisted++;
	for (struct flow *past = l->flow; past < l->flow + l->flow_count; past++) {
		if (!past->proven &&
		    (!least || past->counts.flow.received < least->counts.flow.received))
			least = past;
	}
	if (!least || (!flow->proven && flow->counts.flow.received <= least->counts.flow.received))
		return NULL;
	return least;
}

/* The flow is over: adds it to the sums, and to the result if there is a place for it. */
static void conclude_flow(struct listener *l, struct flow *flow)
{
	struct flow *place;

	report_end(l, flow, true);
	flow_report(flow, &flow->counts);
	if (listener_counts(l, flow)) {
		np_flow_counts_add(&l->total, &flow->counts.flow);
		np_drops_add(&l->total_dropped, &flow->dropped);
		np_drops_total_add(&l->total_sender, &flow->sender);
		/* Its host was not watched when the run began. */
		l->total_sender.known &= !flow->late_start;
	} else {
		l->unproven++;
	}
	l->past_controls += flow_controls_missing(flow);
	np_histogram_figures(flow->rtt, &flow->rtt_figures);
	place = place_for(l, flow);
	if (place)
		*place = *flow;
}

void listener_displace(struct listener *l)
{
	struct flow *victim = flows_victim(&l->flows);

	if (!victim)
		return;
	if (victim->reported) {
		victim->dropped = listener_dropped(l, victim);
		conclude_flow(l, victim);
	} else {
		l->displaced++;
		l->displaced_packets += victim->packets;
		l->displaced_damaged += victim->damaged;
	}
	flows_remove(&l->flows, victim);
}

/* Of flows whose END was lost, too: what this host dropped of them is known to be lost. */
static void take_drops(struct listener *l)
{
	(void)np_drops_update(l->endpoint->session->run->drops);
	for (struct flow *flow = l->flows.first; flow; flow = flow->next)
		flow->dropped = listener_dropped(l, flow);
}

/* END arrived; still to come: packets, a proof of the address, its turn, or END once more. */
static bool is_ending(const struct flow *flow, np_time now)
{
	return flow->reported ? now - flow->acked < END_QUIET : flow->end_at > 0;
}

/*
 * True when everything that arrived is processed and nothing more came for -rxTimeoutMs. Time in
 * which this process was held up is no silence, since packets may have been dropped in it; and as
 * long as a publisher repeats its END, its flow must stay to answer it.
 */
static bool is_silent(const struct listener *l, np_time now)
{
	const np_time timeout = l->endpoint->options->listen.give_up;
	const np_time since = l->last_packet > l->resumed ? l->last_packet : l->resumed;

	if (!l->heard || !l->drained || !timeout || now - since < timeout)
		return false;
	/* A run of ours ends with its END, or with its publisher's death. */
	for (const struct flow *flow = l->flows.first; flow; flow = flow->next) {
		if (flow_alive(flow, now) || is_ending(flow, now))
			return false;
	}
	return true;
}

/* All publishers fell silent. Flows that have ended go as soon as nothing more can arrive. */
static void end_all(struct listener *l, np_time now)
{
	struct session *s = l->endpoint->session;

	l->heard = false;
	take_drops(l);
	if (flows_count(&l->flows)) {
		l->gone = true;
		if (s->newest) {
			listener_ticks(l);
			report_print(s, "\nClients have stopped.\n");
		}
		report_lifetime(l);
	}
	for (struct flow *flow = l->flows.first, *next; flow; flow = next) {
		next = flow->next;
		if (flow->ours && !flow->ended)
			continue;
		report_end(l, flow, true);
		if (!flow_over(flow, now))
			continue;
		conclude_flow(l, flow);
		flows_remove(&l->flows, flow);
	}
	l->count = l->ticked = l->due = 0;
	if (l->endpoint->options->publish.polite)
		atomic_store(&l->endpoint->go, false);
}

/* Asks a flow's publisher, if that is due; ends a flow that need not be waited for any longer. */
static void look_at(struct listener *l, struct flow *flow, np_time now)
{
	control_ask(l, flow, now);
	if (!flow->ended || flow->reported || !flow_accounted(flow, now))
		return;
	l->gone |= listener_counts(l, flow);
	report_end(l, flow, false);
	/* This listener may end before the publisher asks again. */
	if (flow->end_at)
		control_acknowledge(l, flow);
	/* The text is of all flows: not one for each run that may be forged. */
	if (flow->proven)
		report_lifetime(l);
}

/* Does what is due by time: while packets arrive, each LOOK. */
static void look(struct listener *l, np_time now)
{
	size_t turns = l->news ? l->flows.count : np_least(LOOK_FLOWS, l->flows.count);
	struct np_address to;
	struct flow *flow;

	l->news = false;
	if (np_interval_due(&l->interval, now)) {
		np_interval_next(&l->interval, now);
		report(l, now, true);
	}
	if (session_asks(l->endpoint->session, &l->worker))
		report(l, now, false);
	if (!l->endpoint->peer_count && report_status_due(l->endpoint, now)) {
		const struct np_flow_counts sum = sum_of(l);

		report_status(l->endpoint, now, NP_TIME_NEVER, &sum);
	}
	/* A host reported that nobody listens there. */
	while (np_datagram_refused(l->socket, &to)) {
		for (flow = l->flows.first; flow; flow = flow->next)
			if (np_address_equal(&flow->printed, &to))
				flow->clock.refused = now;
	}
	for (; turns; turns--)
		look_at(l, flows_turn(&l->flows), now);
	if (is_silent(l, now))
		end_all(l, now);
}

/* Of a test packet; flows that have ended are removed. */
static bool no_packet_came(const struct listener *l)
{
	return !l->flows.first && !l->total.flows;
}

static bool finished(struct listener *l, np_time now, np_time *closing)
{
	const struct options *o = l->endpoint->options;
	const int phase = atomic_load_explicit(&l->worker.phase, memory_order_relaxed);
	bool all_ended = true;

	if (o->listen.wait && no_packet_came(l) && now - l->opened >= o->listen.wait)
		l->nobody_came = true;
	if (phase == PHASE_LEAVING || l->nobody_came || l->error)
		return true;
	/* A process that publishes ends when its publishing does, whether or not it receives. */
	if (phase != PHASE_CLOSING && (!o->listen.once || !l->gone))
		return false;
	if (phase == PHASE_CLOSING && *closing == NP_TIME_NEVER)
		*closing = now + LINGER;
	for (const struct flow *flow = l->flows.first; flow; flow = flow->next) {
		/* Beside proven ones, the ends of others hold nobody up. */
		if (listener_counts(l, flow) && is_ending(flow, now))
			return false;
		all_ended &= !flow->ours || flow->reported;
	}
	if (now >= *closing)
		return true;
	if (phase == PHASE_CLOSING)
		return all_ended;
	return o->listen.once && !l->endpoint->peer_count;
}

static np_time next_look(const struct listener *l, np_time now)
{
	const struct options *o = l->endpoint->options;
	np_time next = NP_TIME_NEVER;

	if (l->heard || l->endpoint->peer_count || atomic_load(&l->worker.phase) != PHASE_RUNNING)
		return now + LOOK;
	if (o->listen.wait && no_packet_came(l))
		next = l->opened + o->listen.wait;
	if (np_status_next(l->endpoint->session->status) < next)
		next = np_status_next(l->endpoint->session->status);
	return l->interval.due < next ? l->interval.due : next;
}

void listener_close(struct listener *l)
{
	const struct np_path_drops opened = l->path;

	take_drops(l);
	l->loss = listener_loss(l);
	/* What this host dropped before its UDP layer since the opening. */
	np_path_read(&l->path, l->endpoint->options->socket.asked.ip.device, &l->endpoint->at);
	np_path_since(&l->path, &opened);
	report_lifetime(l);
	l->dropped.known = l->dropped.exact = true;
	if (first_of(l->endpoint) == l->endpoint)
		np_drops_count(l->endpoint->session->run->drops, l->drops_watch, NULL, &l->dropped);
	for (struct flow *flow = l->flows.first; flow; flow = flow->next)
		conclude_flow(l, flow);
}

/*
 * One iteration processes what has arrived, at most ROOM packets, and writes their ticks. It reads
 * the clock once, after the receive; packets have their own stamps.
 */
void *listener_run(void *listener)
{
	struct listener *l = listener;
	const struct options *o = l->endpoint->options;
	const bool several = o->listen.sockets > 1;
	np_time due = 0, closing = NP_TIME_NEVER, turned, now;
	struct np_busy_poll busy = {0};
	unsigned errors = 0;

	/*
	 * Now that all are open: publishers that began before may have sent to another socket than
	 * what follows.
	 */
	while (several && np_datagram_receive(l->socket, l->packets, ROOM) > 0)
		;
	l->opened = busy.since = turned = np_clock_now();
	if (several)
		l->flows.opened = l->opened;
	/* Without -polite nobody waits. */
	atomic_store(&l->endpoint->go, !o->publish.polite);
	np_interval_start(&l->interval, l->opened, o->report.interval);
	for (;;) {
		int count = np_datagram_receive(l->socket, l->packets, ROOM);

		now = np_clock_now();
		if (l->heard && now - turned >= STALL)
			l->resumed = now;
		turned = now;
		l->drained = !count;
		receive_packets(l, l->packets, count > 0 ? (size_t)count : 0);
		listener_ticks(l);
		/* A single error most likely reports a peer's refusal of what we sent. */
		if (count < 0 && count != -EINTR && ++errors >= ERRORS_MAX)
			l->error = count;
		else if (count > 0)
			errors = 0;
		if (count > 0)
			busy.messages += (unsigned)count;
		else if (!count && np_busy_poll_spin(&busy, now))
			continue;
		if (now >= due || (!count && l->news)) {
			look(l, now);
			if (finished(l, now, &closing))
				break;
			due = next_look(l, now);
		}
		if (count <= 0 && np_datagram_wait(l->socket, l->worker.wake, due) <= 0) {
			worker_woken(l->worker.wake);
			due = 0;
		}
	}
	if (!o->publish.find)
		listener_close(l);
	worker_wake(l->endpoint->session->finished);
	return NULL;
}
