// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * clients: --clients: a receiver of many senders looks at the first message of each connection, or
 * at STARTs, and gives the connection, or a socket of its own, to the receiver that serves that
 * sender, and no other, in a thread.
 */
#include "side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Who has said that he sends, and then does not, is forgotten. */
#define COMES (5 * NP_SECOND)

struct client {
	struct np_address from;
	struct message request; /* its options point to it */
	char name[NP_ADDRESS_TEXT];
	uint64_t streams; /* a bit for each, of datagrams, that has a socket */
	bool paired;	  /* the other way of its sender was served beside it */
	struct side side; /* it sends to who asks for datagrams */
};

/* Over connections a receiver handles a REVERSE itself. */
static bool is_reverse(const struct receiver *r, const struct message *m)
{
	return r->transport.face->datagrams && m->type == MESSAGE_REVERSE;
}

/* In the one way or the other. */
static struct client *find(const struct receiver *r, const struct np_address *from,
			   uint32_t session, bool reverse)
{
	const struct clients *clients = r->clients;

	for (unsigned i = 0; i < clients->count; i++) {
		struct client *c = clients->client[i];

		if (c->request.session == session && np_address_same_host(&c->from, from) &&
		    !c->side.send == !reverse)
			return c;
	}
	return NULL;
}

/* Whether it is one too many: not in the other way of a sender that is served. */
static bool is_full(const struct receiver *r, const struct np_address *from,
		    const struct message *m)
{
	const struct clients *clients = r->clients;
	uint64_t places = 0, coming = r->served;

	for (unsigned i = 0; i < clients->count; i++) {
		const struct client *c = clients->client[i];
		const bool sends = c->side.receive;

		places += sends || !find(r, &c->from, c->request.session, false);
		coming += sends || !c->paired;
	}
	return r->over || clients->count == 2 * OPTIONS_CLIENTS ||
	       (!find(r, from, m->session, !is_reverse(r, m)) &&
		(places >= r->session->options->load.clients ||
		 (r->senders && coming >= r->senders)));
}

static struct client *begin(struct receiver *r, const struct np_address *from,
			    const struct message *m)
{
	struct clients *clients = r->clients;
	struct client *c = calloc(1, sizeof(*c)), *other;
	struct session *s = r->session;
	struct options *o;
	int rc;

	if (!c)
		return NULL;
	c->from = *from;
	c->request = *m;
	other = find(r, from, m->session, !is_reverse(r, m));
	c->paired = other;
	peer_name(from, c->name);
	c->side.session.client = c->name;
	if (is_reverse(r, m)) {
		rc = reverse_open(r, &c->side, from, &c->request);
	} else {
		o = &c->side.options;
		*o = *s->options;
		o->place.served = true;
		o->load.runs = 1;
		o->wait.wait = COMES;
		rc = side_open(&c->side, s);
	}
	c->side.session.console.rows = s->console.out;
	c->side.session.console.partner = c->name;
	/* What it was given to prove its address stays valid. */
	if (c->side.receive)
		c->side.receive->secret = r->secret;
	if (rc || side_start(&c->side)) {
		np_log_error(s->log, c->name, "cannot be served");
		side_close(&c->side);
		free(c);
		return NULL;
	}
	if (other)
		other->paired = true;
	clients->client[clients->count++] = c;
	return c;
}

/* Who is served by START or REVERSE @m, perhaps from now on. NULL: it was answered, or will be. */
static struct client *find_or_begin(struct receiver *r, const struct receiver_source *source,
				    const struct message *m, np_time at)
{
	struct client *c = find(r, source->address, m->session, is_reverse(r, m));
	const bool full = is_full(r, source->address, m);
	uint8_t verdict = MESSAGE_BUSY;

	/* Whoever has proved that he is there needs not do so for each stream. */
	if (c)
		return side_runs(&c->side) ? c : NULL;
	if (m->type == MESSAGE_REVERSE ? reverse_refuses(r, source, m)
				       : receiver_refuses(r, source, m))
		verdict = MESSAGE_UNWILLING;
	else if (m->flags & MESSAGE_PROBE || (!full && !conversation_proves(r, source, m)))
		verdict = MESSAGE_READY;
	else if (!full && (c = begin(r, source->address, m)))
		return c;
	/* The others of its streams wait until the first has proved it. */
	if (!r->transport.face->datagrams || !m->stream)
		conversation_answer_start(r, source, m, verdict, at);
	return NULL;
}

struct receiver *clients_take(struct receiver *r, const struct receiver_source *source,
			      const struct message *m, np_time at)
{
	struct transport *t = &r->transport;
	const uint64_t stream = UINT64_C(1) << (m ? m->stream : 0);
	struct client *c = NULL;

	if (m && (m->type == MESSAGE_START || m->type == MESSAGE_REVERSE))
		c = find_or_begin(r, source, m, at);
	else if (m && m->type == MESSAGE_TRANSACT && source->channel)
		c = find(r, source->address, m->session, false);
	else
		r->strays += t->face->datagrams;
	/* It answers itself what is repeated. */
	if (t->face->datagrams && c && c->side.receive && !(c->streams & stream) &&
	    !t->face->serve(t, source->address, &c->side.receive->transport))
		c->streams |= stream;
	return c ? c->side.receive : NULL;
}

void clients_step(struct receiver *r)
{
	struct clients *clients = r->clients;
	struct np_record *record;

	for (unsigned i = clients->count; i-- > 0;) {
		struct client *c = clients->client[i];
		const struct session *s = &c->side.session;
		struct record_receive *sum = &r->sum;
		const struct record_transmit *sent;

		side_pass_signals(&c->side, r->session);
		if (side_runs(&c->side))
			continue;
		clients->client[i] = clients->client[--clients->count];
		if (c->side.status)
			r->status = 1;
		if (s->runs && c->side.receive) {
			receive_add(sum, &c->side.receive->sum, true);
			/* They have neither a clock nor a path in common. */
			sum->stream = NULL;
			sum->dropped = NULL;
			sum->grace = 0;
			sum->report.clock.known = false;
			sum->report.delays.count = 0;
			sum->tcp.known = false;
			sum->path = (struct np_path_drops){.softnet_known = false};
		}
		/* Over connections a receiver is asked by each for what it sends. */
		sent = c->side.send ? &c->side.send->sum : &c->side.receive->sent.sum;
		if (c->side.send ? s->runs : c->side.receive->sent.runs) {
			/* They have neither a rate nor a connection in common. */
			r->sent.sum.run++;
			np_flow_counts_add(&r->sent.sum.figures, &sent->figures);
			r->sent.sum.send_errors += sent->send_errors;
		}
		/* The other way of one that sends, too, is no further sender. */
		if (c->side.receive || !(c->request.flags & MESSAGE_BOTH_WAYS))
			r->served += s->runs ? s->runs : 1;
		r->over |= r->senders && r->served >= r->senders;
		record = s->summary;
		np_record_text(record, "type", "client");
		np_record_count(record, "exit_status", (uint64_t)c->side.status);
		session_write(r->session, record);
		side_close(&c->side);
		free(c);
	}
}
