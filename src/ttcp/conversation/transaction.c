// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* transaction: --rr: requests and responses of bare bytes, by a thread for each connection. */
#include "transaction.h"

#include <errno.h>
#include <netperf/clock.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define CHUNK	   ((size_t)256 << 10)		 /* bytes of a call: slow ones are seen to move */
#define STOP_LIMIT (2 * NP_SECOND)		 /* for the last response, if the user stops it */
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
	int error;
	np_time sum;		    /* of the times */
	struct np_histogram *times; /* a sender's */
	uint8_t *memory;	    /* TRANSPORT_BEFORE bytes of room, and CHUNK */
	size_t rest;		    /* bytes that are there of what came in place of a request */
};

struct transactions {
	uint8_t *fill; /* CHUNK */
	const struct load_options *load;
	bool stop; /* shared: no more begin */
	int error; /* -errno of what broke first */
	struct transaction_flow flow[MESSAGE_STREAMS_MAX];
};

#define LOAD(member)	     __atomic_load_n(&(member), __ATOMIC_ACQUIRE)
#define STORE(member, value) __atomic_store_n(&(member), value, __ATOMIC_RELEASE)

static struct transactions *create(void)
{
	struct transactions *all = calloc(1, sizeof(*all));

	if (all)
		all->fill = malloc(CHUNK);
	if (!all || !all->fill) {
		free(all);
		return NULL;
	}
	message_fill(all->fill, CHUNK);
	return all;
}

/* Ends the thread; the connection goes with it, unless that was over. */
static void stop(struct transaction_flow *f)
{
	if (!f->running)
		return;
	if (!LOAD(f->over))
		(void)shutdown(f->channel->fd, SHUT_RDWR);
	pthread_join(f->thread, NULL);
	f->running = false;
}

void transactions_free(struct transactions *all)
{
	for (unsigned i = 0; all && i < MESSAGE_STREAMS_MAX; i++) {
		stop(&all->flow[i]);
		np_histogram_free(all->flow[i].times);
		free(all->flow[i].memory);
	}
	if (all)
		free(all->fill);
	free(all);
}

/* From now on the calls of its socket sleep. Returns 0 or -errno. */
static int start(struct transaction_flow *f, struct transport *t, void *(*run)(void *))
{
	int rc = t->face->receive_timeout(t, f->channel, 0, 0);

	if (!rc)
		rc = t->face->receive_timeout(t, f->channel, UNLIMITED, 0);
	f->memory = malloc(TRANSPORT_BEFORE + CHUNK);
	if (rc || !f->memory)
		return rc ? rc : -ENOMEM;
	f->channel->taken = true;
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
		const ssize_t sent = send(f->channel->fd, data, chunk(bytes), MSG_NOSIGNAL);

		if (sent < 0 && errno != EINTR)
			return -errno;
		bytes -= sent > 0 ? (uint64_t)sent : 0;
		if (bytes)
			STORE(f->moved, np_clock_now());
	}
	return 0;
}

/*
 * Returns 0; -ECONNRESET: the other end sends no more; or -errno. 1: a message came in place of
 * them, of which ->rest bytes are here.
 */
static int receive_bytes(struct transaction_flow *f, uint64_t bytes)
{
	uint8_t *data = f->memory + TRANSPORT_BEFORE;
	uint64_t left = bytes;

	while (left) {
		const ssize_t got = recv(f->channel->fd, data, chunk(left), MSG_WAITALL);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (!got)
			return -ECONNRESET;
		if (got > 0 && left == bytes && message_is_ours(data, (size_t)got)) {
			f->rest = (size_t)got;
			return 1;
		}
		left -= got > 0 ? (uint64_t)got : 0;
		if (left)
			STORE(f->moved, np_clock_now());
	}
	return 0;
}

/* Says what is to come, and waits for the same; answers to STARTs may come before. */
static int agree(struct transaction_flow *f)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(data, &f->message);
	struct message m = {.type = 0};
	int rc = send_bytes(f, data, bytes);

	while (!rc && m.type != MESSAGE_TRANSACT) {
		int64_t size = MESSAGE_HEADER_BYTES, have = 0;

		while (have < size) {
			const ssize_t got = recv(f->channel->fd, data + have, (size_t)(size - have),
						 MSG_WAITALL);

			if (got <= 0)
				return got < 0 ? -errno : -ECONNRESET;
			have += got;
			size = message_size(data, (size_t)have);
			if (size > MESSAGE_CONTROL_MAX || (!size && have >= MESSAGE_HEADER_BYTES))
				size = -EBADMSG;
			else if (!size)
				size = MESSAGE_HEADER_BYTES;
		}
		rc = size < 0 ? (int)size : message_decode(data, (size_t)size, &m);
		if (!rc && m.type == MESSAGE_START_OK && m.start_ok.verdict == MESSAGE_UNWILLING)
			rc = -EPERM;
	}
	return rc;
}

/* A sender's connection: a transaction begins when the one before is over. */
static void *ask(void *context)
{
	struct transaction_flow *f = context;
	const struct load_options *load = f->all->load;
	const struct message_transact *plan = &f->message.transact;
	uint64_t count = 0;
	int rc = agree(f);
	np_time now = np_clock_now();
	const np_time end = load->duration ? now + load->duration : NP_TIME_NEVER;

	STORE(f->first, now);
	STORE(f->moved, now);
	while (!rc && now < end && (!load->messages || count < load->messages) &&
	       !LOAD(f->all->stop)) {
		const np_time begin = now;

		STORE(f->begun, count + 1);
		rc = send_bytes(f, f->all->fill, plan->request_bytes);
		if (!rc)
			rc = receive_bytes(f, plan->response_bytes);
		if (rc)
			break;
		now = np_clock_now();
		np_histogram_add(f->times, now - begin);
		f->sum += now - begin;
		STORE(f->moved, now);
		STORE(f->done, ++count);
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
	uint64_t count = 0;
	int rc = 0;

	while (!rc) {
		rc = receive_bytes(f, plan->request_bytes);
		if (rc)
			break;
		STORE(f->moved, np_clock_now());
		if (!count)
			STORE(f->first, f->moved);
		STORE(f->done, ++count);
		rc = send_bytes(f, f->all->fill, plan->response_bytes);
	}
	STORE(f->over, true);
	return NULL;
}

int transactions_begin(struct sender *s)
{
	struct transport *t = &s->transport;
	int rc = 0;

	s->transactions = create();
	if (!s->transactions)
		return -ENOMEM;
	s->transactions->load = s->load;
	for (unsigned i = 0; i < t->lanes && !rc; i++) {
		struct transaction_flow *f = &s->transactions->flow[i];

		f->all = s->transactions;
		f->channel = t->lane[i];
		f->first = f->moved = s->run.first;
		f->message = (struct message){
			.type = MESSAGE_TRANSACT,
			.stream = (uint16_t)i,
			.session = s->id,
			.run = (uint32_t)s->run.number,
			.transact = {(uint32_t)s->load->request_bytes,
				     (uint32_t)s->load->response_bytes},
		};
		rc = np_histogram_create(&f->times);
		if (!rc)
			rc = start(f, t, ask);
	}
	return rc;
}

bool transactions_look(struct sender *s, np_time now)
{
	struct transactions *all = s->transactions;
	const np_time limit = s->session->interrupts ? STOP_LIMIT : SENDER_STALL;
	bool running = false;

	for (unsigned i = 0; i < s->transport.lanes; i++) {
		struct transaction_flow *f = &all->flow[i];
		const bool over = LOAD(f->over);
		const np_time moved = LOAD(f->moved);

		s->lane[i].number = LOAD(f->begun);
		if (moved > s->run.last)
			s->run.last = moved;
		running |= !over;
		if (!all->error)
			all->error = over ? f->error : now - moved >= limit ? -ETIMEDOUT : 0;
	}
	if (s->session->interrupts)
		STORE(all->stop, true);
	return running && !all->error && s->session->interrupts < 2;
}

int transactions_end(struct sender *s)
{
	struct transactions *all = s->transactions;
	struct record_transactions *result = &s->run.result.transactions;
	np_time first = NP_TIME_NEVER;
	uint64_t begun = 0, done = 0;
	const int rc = all ? all->error : -ENOMEM;

	for (unsigned i = 0; all && i < s->transport.lanes; i++) {
		struct transaction_flow *f = &all->flow[i];

		stop(f);
		s->lane[i].number = f->begun;
		s->transport.lane[i]->taken = false;
		(void)s->transport.face->receive_timeout(&s->transport, s->transport.lane[i], 0, 0);
		if (f->begun && f->first < first)
			first = f->first;
		begun += f->begun;
		done += f->done;
		s->receivers.rtt_sum += f->sum;
		if (f->times)
			np_histogram_merge(s->receivers.rtt, f->times);
	}
	if (begun)
		s->run.first = first;
	*result = (struct record_transactions){
		.request_bytes = s->load->request_bytes,
		.response_bytes = s->load->response_bytes,
		.broken = begun - done,
	};
	s->receivers.acks = s->receivers.receiver[0].acks = done;
	transactions_free(all);
	s->transactions = NULL;
	return s->session->interrupts > 1 ? -ECANCELED : rc;
}

bool transactions_take(struct receiver *r, const struct receiver_source *source,
		       const struct message *m)
{
	struct conversation *c = &r->with;
	struct transport *t = &r->transport;
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct transaction_flow *f;

	if (!source->channel->kept || c->run.phase != RECEIVER_RECEIVING || !c->run.started)
		return false;
	if (r->session->options->files.sequence) {
		np_log_warning(r->session->log, "-s",
			       "refused a run of transactions, which carry no numbers");
		conversation_answer_start(c, source, m, MESSAGE_UNWILLING, session_now(r->session));
		return true;
	}
	if (!c->transactions)
		c->transactions = create();
	f = c->transactions ? &c->transactions->flow[m->stream] : NULL;
	if (!f || f->all)
		return false;
	f->all = c->transactions;
	f->channel = source->channel;
	f->channel->taken = true;
	f->message = *m;
	c->run.result.transactions = (struct record_transactions){
		.request_bytes = m->transact.request_bytes,
		.response_bytes = m->transact.response_bytes,
	};
	(void)t->face->send(t, source->channel, source->address, data, message_encode(data, m),
			    true);
	return true;
}

static void count(struct conversation *c, struct transaction_flow *f)
{
	const uint64_t done = LOAD(f->done);
	const uint32_t bytes = f->message.transact.request_bytes;
	const uint16_t stream = f->message.stream;

	if (done && !f->counted) {
		conversation_take_transactions(c, stream, 1, bytes, LOAD(f->first));
		f->counted = 1;
	}
	if (done > f->counted)
		conversation_take_transactions(c, stream, done - f->counted, bytes, LOAD(f->moved));
	f->counted = done;
}

void transactions_finish(struct conversation *c, const struct channel *channel)
{
	for (unsigned i = 0; c->transactions && i < MESSAGE_STREAMS_MAX; i++) {
		struct transaction_flow *f = &c->transactions->flow[i];

		if (!f->channel || (channel && f->channel != channel))
			continue;
		stop(f);
		count(c, f);
		f->channel->taken = false;
		f->channel = NULL;
	}
}

void transactions_step(struct receiver *r)
{
	struct conversation *c = &r->with;
	struct transport *t = &r->transport;

	for (unsigned i = 0; i < MESSAGE_STREAMS_MAX; i++) {
		struct transaction_flow *f = &c->transactions->flow[i];
		struct channel *channel = f->channel;
		const bool begins = channel && !f->running;

		if (!channel)
			continue;
		if (begins && start(f, t, answer)) {
			np_log_error(r->session->log, NULL, "%s", strerror(ENOMEM));
			channel->gone = true;
		}
		if (!begins)
			count(c, f);
		if (!channel->gone && !LOAD(f->over))
			continue;
		transactions_finish(c, channel);
		(void)t->face->receive_timeout(t, channel, 0, 0);
		if (f->rest)
			(void)t->user->bytes(t, channel, f->memory + TRANSPORT_BEFORE, f->rest,
					     np_clock_now());
	}
}
