// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * transaction: --rr: on each connection of a run, at either end, a thread of its own sends a
 * request and waits for the response, or answers, with one call each. Such a connection is
 * ->taken: nobody else touches it. What is counted is passed on by the thread of the run.
 *
 * --crr: a sender's threads each make one connection after the other; a receiver answers and closes
 * them among its others, so that the port is soon free where it is needed: TIME_WAIT is there.
 */
#include "conversation.h"
#include "sender.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/random.h>

#define CHUNK	   TRANSPORT_FILL   /* bytes of a call: slow ones are seen to move */
#define ANSWER	   (10 * NP_SECOND) /* to TRANSACT */
#define QUIET	   NP_SECOND	    /* after which the kernel is asked whether bytes pass */
#define STOP_LIMIT (2 * NP_SECOND)  /* for the last response, if the user stops it */
#define UNLIMITED  (24 * 3600 * 365 * NP_SECOND) /* of a receive call, which shutdown ends */

/* One connection, whose thread shares what is marked so by LOAD and STORE. */
struct transaction_flow {
	struct transactions *all;
	struct channel *channel;
	struct message message; /* its TRANSACT */
	pthread_t thread;
	bool running;
	bool over;	      /* shared: the rest is the owner's again */
	uint64_t begun, done; /* shared */
	np_time first, moved; /* shared: when the first began, or came; the last sign of life */
	uint64_t counted;     /* of those done, what was passed on */
	uint64_t passed; /* bytes of TCP in both directions, at @passed_at for the first time */
	np_time passed_at;
	int error;
	np_time sum;		       /* of the times */
	struct np_histogram *times;    /* a sender's */
	struct np_histogram *connects; /* --crr: how long it took */
	pthread_mutex_t lock;	       /* of ->fd, and to set ->stopped */
	int fd;			       /* of the connection; below 0: there is none now */
	bool stopped;		       /* shared: the owner ends the thread */
	uint8_t *memory;	       /* TRANSPORT_BEFORE bytes of room, and CHUNK */
	size_t rest;		       /* bytes of a message that came in place of what was due */
};

struct transactions {
	struct sender *sender; /* NULL: a receiver's */
	uint64_t secret;       /* --crr; at a receiver 0: there is none */
	bool stop;	       /* shared: no more begin */
	int error;	       /* -errno of what broke first */
	struct timespec limit; /* by when what is stopped has sent its response; 0: nothing is */
	struct transaction_flow flow[MESSAGE_STREAMS_MAX];
	uint8_t fill[CHUNK];
};

#define LOAD(member)	     __atomic_load_n(&(member), __ATOMIC_ACQUIRE)
#define STORE(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)

static void cut(struct transaction_flow *f, int how)
{
	pthread_mutex_lock(&f->lock);
	STORE(f->stopped, true);
	if (!LOAD(f->over) && f->fd >= 0)
		(void)shutdown(f->fd, how);
	pthread_mutex_unlock(&f->lock);
}

/*
 * Ends the thread. A receiver's, which waits for a request, leaves its connection to the report;
 * else that goes with it, unless it was over.
 */
static void stop(struct transaction_flow *f)
{
	struct timespec *limit;

	if (!f->running)
		return;
	limit = &f->all->limit;
	if (!limit->tv_sec) {
		clock_gettime(CLOCK_REALTIME, limit);
		limit->tv_sec++;
	}
	cut(f, f->all->sender ? SHUT_RDWR : SHUT_RD);
	if (f->all->sender || pthread_timedjoin_np(f->thread, NULL, limit)) {
		cut(f, SHUT_RDWR);
		pthread_join(f->thread, NULL);
	}
	f->running = false;
}

void transactions_reset(struct transactions *all)
{
	for (unsigned i = 0; all && i < MESSAGE_STREAMS_MAX; i++) {
		struct transaction_flow *f = &all->flow[i];

		stop(f);
		np_histogram_free(f->times);
		np_histogram_free(f->connects);
		free(f->memory);
		*f = (struct transaction_flow){.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};
	}
	if (all) {
		all->secret = 0;
		all->limit.tv_sec = 0;
	}
}

void transactions_free(struct transactions *all)
{
	transactions_reset(all);
	free(all);
}

static struct transactions *create(void)
{
	struct transactions *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	message_fill(all->fill, CHUNK);
	transactions_reset(all);
	return all;
}

/* The last sign of life: in long calls, and between them, that of TCP. */
static np_time last_sign(struct transaction_flow *f, np_time now)
{
	const np_time moved = LOAD(f->moved);
	struct tcp_info info = {.tcpi_bytes_acked = 0};
	socklen_t bytes = sizeof(info);

	if (now - moved < QUIET)
		return moved;
	pthread_mutex_lock(&f->lock);
	if (f->fd >= 0 && !getsockopt(f->fd, IPPROTO_TCP, TCP_INFO, &info, &bytes) &&
	    info.tcpi_bytes_acked + info.tcpi_bytes_received != f->passed) {
		f->passed = info.tcpi_bytes_acked + info.tcpi_bytes_received;
		f->passed_at = now;
	}
	pthread_mutex_unlock(&f->lock);
	return f->passed_at > moved ? f->passed_at : moved;
}

/* Returns 0 or -errno. */
static int start(struct transaction_flow *f, struct transport *t, void *(*run)(void *))
{
	int rc = 0;

	if (f->channel) {
		f->channel->taken = true;
		f->fd = f->channel->fd;
		rc = t->face->receive_timeout(t, f->channel, UNLIMITED, 0);
	}
	f->memory = malloc(TRANSPORT_BEFORE + CHUNK);
	if (rc || !f->memory)
		return rc ? rc : -ENOMEM;
	rc = -pthread_create(&f->thread, NULL, run, f);
	f->running = !rc;
	return rc;
}

static size_t chunk(uint64_t bytes)
{
	return bytes < CHUNK ? (size_t)bytes : CHUNK;
}

/* Returns 0 or -errno. */
static int send_bytes(struct transaction_flow *f, const void *data, uint64_t bytes)
{
	while (bytes) {
		const ssize_t sent = send(f->fd, data, chunk(bytes), MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -errno;
		bytes -= sent > 0 ? (uint64_t)sent : 0;
		if (bytes)
			STORE(f->moved, np_clock_now());
	}
	return 0;
}

/*
 * Receives so many bytes and, if they are the @last, the end of the connection. Returns 0;
 * -ECONNRESET: the other end sends no more; or -errno. 1: a message came in place of them, of which
 * ->rest bytes are here.
 */
static int receive_bytes(struct transaction_flow *f, uint64_t bytes, bool last)
{
	uint8_t *data = f->memory + TRANSPORT_BEFORE;
	uint64_t left = bytes;

	while (left || last) {
		const size_t most = chunk(left + last);
		const ssize_t got = recv(f->fd, data, most, MSG_WAITALL);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0 && !last && left == bytes && message_is_ours(data, (size_t)got)) {
			f->rest = (size_t)got;
			return 1;
		}
		if (got > 0 && (uint64_t)got > left)
			return -EPROTO;
		left -= got > 0 ? (uint64_t)got : 0;
		/* The last receive is short only if nothing follows. */
		if (!got || (last && got > 0 && (size_t)got < most))
			return left ? -ECONNRESET : 0;
		if (left || last)
			STORE(f->moved, np_clock_now());
	}
	return 0;
}

static void set_fd(struct transaction_flow *f, int fd)
{
	pthread_mutex_lock(&f->lock);
	f->fd = fd;
	/* The owner had no connection to end. */
	if (f->stopped && fd >= 0)
		(void)shutdown(fd, SHUT_RDWR);
	pthread_mutex_unlock(&f->lock);
}

/* On a connection of its own, which the other end closes; @head: TRANSACT. */
static int connect_and_ask(struct transaction_flow *f, const uint8_t *head, size_t bytes)
{
	const struct message_transact *plan = &f->message.transact;
	const np_time begin = np_clock_now();
	struct iovec piece[] = {{(void *)head, bytes}, {f->all->fill, chunk(plan->request_bytes)}};
	const struct msghdr both = {.msg_iov = piece, .msg_iovlen = 2};
	struct np_stream *stream;
	struct transport *t = &f->all->sender->transport;
	int rc = t->face->dial(t, 0, -1, &stream);
	ssize_t sent;

	if (rc)
		return rc;
	np_histogram_add(f->connects, np_clock_now() - begin);
	set_fd(f, np_stream_fd(stream));
	/* From now on its calls sleep. */
	if (fcntl(f->fd, F_SETFL, 0) < 0)
		rc = -errno;
	sent = rc ? 0 : sendmsg(f->fd, &both, MSG_NOSIGNAL);
	if (sent < (ssize_t)(bytes + piece[1].iov_len))
		rc = rc ? rc : sent < 0 ? -errno : -EPIPE;
	if (!rc)
		rc = send_bytes(f, f->all->fill, plan->request_bytes - piece[1].iov_len);
	if (!rc)
		rc = receive_bytes(f, plan->response_bytes, true);
	set_fd(f, -1);
	np_stream_free(stream);
	return rc;
}

/* A sender's connection: a transaction begins when the one before is over. */
static void *ask(void *context)
{
	struct transaction_flow *f = context;
	const struct load_options *load = f->all->sender->load;
	const struct message_transact *plan = &f->message.transact;
	uint8_t head[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(head, &f->message);
	int rc = 0;
	np_time now = np_clock_now();
	const np_time end = load->duration ? now + load->duration : NP_TIME_NEVER;

	STORE(f->first, now);
	STORE(f->moved, now);
	while (!rc && now < end && (!load->messages || f->done < load->messages) &&
	       !LOAD(f->all->stop) && !LOAD(f->stopped)) {
		const np_time begin = now;

		STORE(f->begun, f->done + 1);
		rc = load->crr ? connect_and_ask(f, head, bytes)
			       : send_bytes(f, f->all->fill, plan->request_bytes);
		if (!rc && !load->crr)
			rc = receive_bytes(f, plan->response_bytes, false);
		/* After a whole response our shutdown looks like the other end's close. */
		if (!rc && LOAD(f->stopped))
			rc = -ECANCELED;
		if (rc)
			break;
		now = np_clock_now();
		np_histogram_add(f->times, now - begin);
		f->sum += now - begin;
		STORE(f->moved, now);
		STORE(f->done, f->done + 1);
	}
	f->error = rc > 0 ? -EPROTO : rc;
	STORE(f->over, true);
	return NULL;
}

/* A receiver's. A request counts before its response goes, so that it does before any END. */
static void *answer(void *context)
{
	struct transaction_flow *f = context;
	const struct message_transact *plan = &f->message.transact;
	int rc = 0;

	while (!rc && !receive_bytes(f, plan->request_bytes, false)) {
		STORE(f->moved, np_clock_now());
		if (!f->done)
			STORE(f->first, f->moved);
		STORE(f->done, f->done + 1);
		rc = send_bytes(f, f->all->fill, plan->response_bytes);
	}
	STORE(f->over, true);
	return NULL;
}

/* Agrees on them, and starts their threads. Returns 0 or -errno. */
static int begin(struct sender *s, struct transactions *all)
{
	const bool crr = s->load->crr;
	struct transport *t = &s->transport;
	uint8_t data[MESSAGE_CONTROL_MAX];
	bool waits = true;
	np_time limit;
	int rc = 0;

	all->sender = s;
	if (crr && getrandom(&all->secret, sizeof(all->secret), 0) < 0)
		return -errno;
	for (unsigned i = 0; i < s->load->streams && !rc; i++) {
		struct transaction_flow *f = &all->flow[i];

		f->all = all;
		f->channel = crr ? NULL : s->transport.lane[i];
		f->first = f->moved = s->run.first;
		f->message = (struct message){
			.type = MESSAGE_TRANSACT,
			.flags = crr ? MESSAGE_AGAIN : 0,
			.stream = (uint16_t)(crr ? 0 : i),
			.number = all->secret,
			.session = s->id,
			.run = (uint32_t)s->run.number,
			.transact = {(uint32_t)s->load->request_bytes,
				     (uint32_t)s->load->response_bytes},
		};
		rc = np_histogram_create(&f->times);
		if (!rc && crr)
			rc = np_histogram_create(&f->connects);
	}
	/* Says on each connection what is to come, and waits for the same. */
	for (unsigned i = 0; i < t->lanes && !rc; i++) {
		const size_t bytes = message_encode(data, &all->flow[i].message);
		const ssize_t sent = t->face->send(t, t->lane[i], NULL, data, bytes, false);

		s->lane[i].outstanding = true;
		if (sent != (ssize_t)bytes)
			rc = sent < 0 ? (int)sent : -ETIME;
	}
	limit = np_clock_now() + ANSWER;
	while (waits && rc >= 0) {
		if (s->asking.verdict == MESSAGE_UNWILLING)
			return -EPERM;
		if (np_clock_now() >= limit || s->session->interrupts > 1)
			return -ETIME;
		rc = send_wait(s, limit, 0);
		waits = false;
		for (unsigned i = 0; i < t->lanes; i++) {
			waits |= s->lane[i].outstanding;
			rc = rc >= 0 && t->lane[i]->gone ? -ECONNRESET : rc;
		}
	}
	rc = rc < 0 ? rc : 0;
	all->stop = s->session->interrupts;
	for (unsigned i = 0; i < s->load->streams && !rc; i++) {
		rc = start(&all->flow[i], &s->transport, ask);
		if (rc)
			np_log_error(s->session->log, s->name, "no thread for stream %u: %s", i,
				     strerror(-rc));
	}
	return rc;
}

/* Counts what was done so far. Returns whether it goes on. */
static bool look(struct sender *s, struct transactions *all, np_time now)
{
	const np_time limit = s->session->interrupts ? STOP_LIMIT : SENDER_STALL;
	bool running = false;

	for (unsigned i = 0; i < s->transport.lanes; i++)
		s->lane[i].number = 0;
	for (unsigned i = 0; i < s->load->streams; i++) {
		struct transaction_flow *f = &all->flow[i];
		const bool over = LOAD(f->over);
		const np_time moved = LOAD(f->moved);

		s->lane[f->message.stream].number += LOAD(f->begun);
		if (moved > s->run.last)
			s->run.last = moved;
		running |= !over;
		if (!all->error)
			all->error = over				? f->error
				     : now - last_sign(f, now) >= limit ? -ETIME
									: 0;
	}
	if (s->session->interrupts)
		STORE(all->stop, true);
	return running && !all->error && !s->run.over && s->session->interrupts < 2;
}

int transactions_run(struct sender *s)
{
	struct transactions *all = create();
	struct record_transactions *result = &s->run.result.transactions;
	np_time now = np_clock_now(), first = NP_TIME_NEVER;
	uint64_t done = 0;
	int rc = all ? begin(s, all) : -ENOMEM;

	/* The threads of the connections do it. */
	while (rc >= 0 && look(s, all, now)) {
		rc = send_wait(s, now + TRANSPORT_LOOK, 0);
		now = np_clock_now();
		send_look(s, now);
	}
	*result = (struct record_transactions){
		.request_bytes = s->load->request_bytes,
		.response_bytes = s->load->response_bytes,
		.connects = s->load->crr,
	};
	if (!all)
		return rc;
	if (rc >= 0)
		rc = s->session->interrupts > 1 ? -ECANCELED : all->error;
	for (unsigned i = 0; i < s->load->streams; i++) {
		struct transaction_flow *f = &all->flow[i];

		stop(f);
		if (f->channel) {
			f->channel->taken = false;
			(void)s->transport.face->receive_timeout(&s->transport, f->channel, 0, 0);
			/* In place of a response: the report of a receiver that is stopped. */
			if (f->rest)
				(void)s->transport.user->bytes(&s->transport, f->channel,
							       f->memory + TRANSPORT_BEFORE,
							       f->rest, now);
		}
		if (i && f->connects)
			np_histogram_merge(all->flow[0].connects, f->connects);
		if (f->begun && f->first < first)
			s->run.first = first = f->first;
		result->broken += f->begun - f->done;
		done += f->done;
		s->receivers.rtt_sum += f->sum;
		if (f->times)
			np_histogram_merge(s->receivers.rtt, f->times);
	}
	(void)look(s, all, now);
	np_histogram_figures(all->flow[0].connects, &result->connect);
	s->receivers.acks = s->receivers.receiver[0].acks = done;
	transactions_free(all);
	return send_broke(s, rc);
}

bool transactions_take(struct receiver *r, const struct source *source, const struct message *m)
{
	struct transport *t = &r->transport;
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct transaction_flow *f;

	if (r->run.phase != RECEIVER_RECEIVING || !r->run.started || !conversation_has(r, m) ||
	    m->stream >= r->run.streams)
		return false;
	/* Nobody else knows the secret. */
	if (!source->channel->kept) {
		source->channel->kept = r->transactions && r->transactions->secret &&
					r->transactions->secret == m->number;
		source->channel->fill = source->channel->kept ? r->transactions->fill : NULL;
		return source->channel->kept;
	}
	if (r->session->options->files.sequence) {
		np_log_warning(r->session->log, "-s",
			       "refused a run of transactions, which carry no numbers");
		conversation_answer_start(r, source, m, MESSAGE_UNWILLING, session_now(r->session));
		return true;
	}
	if (!r->transactions)
		r->transactions = create();
	f = r->transactions ? &r->transactions->flow[m->stream] : NULL;
	if (!f || f->all)
		return false;
	f->all = r->transactions;
	f->message = *m;
	if (m->flags & MESSAGE_AGAIN) {
		r->transactions->secret = m->number;
	} else {
		f->channel = source->channel;
		f->channel->taken = true;
	}
	r->run.result.transactions = (struct record_transactions){
		.request_bytes = m->transact.request_bytes,
		.response_bytes = m->transact.response_bytes,
		.connects = m->flags & MESSAGE_AGAIN,
	};
	(void)t->face->send(t, source->channel, source->address, data, message_encode(data, m),
			    true);
	return true;
}

void transactions_count(struct receiver *r)
{
	for (unsigned i = 0; r->transactions && i < MESSAGE_STREAMS_MAX; i++) {
		struct transaction_flow *f = &r->transactions->flow[i];
		const uint64_t done = LOAD(f->done);
		const uint32_t bytes = f->message.transact.request_bytes;
		const uint16_t stream = f->message.stream;

		if (done && !f->counted) {
			conversation_take_transactions(r, stream, 1, bytes, LOAD(f->first));
			f->counted = 1;
		}
		if (done > f->counted)
			conversation_take_transactions(r, stream, done - f->counted, bytes,
						       LOAD(f->moved));
		f->counted = done;
	}
}

void transactions_finish(struct receiver *r, const struct channel *channel)
{
	for (unsigned i = 0; r->transactions && i < MESSAGE_STREAMS_MAX; i++) {
		struct transaction_flow *f = &r->transactions->flow[i];

		if (!f->channel || (channel && f->channel != channel))
			continue;
		stop(f);
		f->channel->taken = false;
		f->channel = NULL;
		transactions_count(r);
	}
}

void transactions_answer(struct receiver *r, struct channel *channel, np_time at)
{
	struct transaction_flow *f = r->transactions ? &r->transactions->flow[0] : NULL;

	/* The run may be over. */
	if (!f || !f->all || !r->transactions->secret) {
		channel->gone = true;
		return;
	}
	f->first = f->done ? f->first : at;
	f->moved = at;
	f->done++;
	channel->fill_left = f->message.transact.response_bytes;
}

void transactions_step(struct receiver *r)
{
	struct transport *t = &r->transport;
	const np_time now = np_clock_now();

	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++) {
		struct transaction_flow *f = &r->transactions->flow[i];
		struct channel *channel = f->channel;
		const bool begins = channel && !f->running;

		if (!channel)
			continue;
		if (begins && start(f, t, answer)) {
			np_log_error(r->session->log, NULL, "%s", strerror(ENOMEM));
			channel->gone = true;
		}
		if (!channel->gone && !LOAD(f->over)) {
			const np_time heard = last_sign(f, now);

			r->sender.heard = heard > r->sender.heard ? heard : r->sender.heard;
			continue;
		}
		transactions_finish(r, channel);
		(void)t->face->receive_timeout(t, channel, 0, 0);
		if (f->rest)
			(void)t->user->bytes(t, channel, f->memory + TRANSPORT_BEFORE, f->rest,
					     np_clock_now());
	}
}
