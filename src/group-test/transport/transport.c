// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * transport: checks and counts for all variants, and does what a variant need not provide: returns
 * own messages, watches the DATA of the group and divides what was dropped among its senders. Has
 * the variant null: a group of one in memory, to which messages come back in the next turn.
 */
#include "variant.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

static void give_up(struct transport_drops *d, const char *why)
{
	d->plan.library = NULL;
	d->plan.why = why;
}

void transport_drops_watch(struct transport *transport, const struct np_address *own,
			   const struct np_address *group, int socket)
{
	struct transport_drops *d = &transport->drops;
	struct np_drops_packets packets = {
		.direction = NP_DROPS_OUT,
		.local = own,
		.peer = group,
		.socket = -1,
	};

	if (!d->plan.library)
		return;
	np_drops_mark(&packets, d->plan.mark, sizeof(d->plan.mark));
	/* First, since what a queue has segmented looks like something that arrives. */
	d->out = np_drops_watch(d->plan.library, &packets);
	packets.direction = NP_DROPS_IN;
	packets.local = group;
	packets.peer = NULL;
	packets.socket = socket;
	d->in = np_drops_watch(d->plan.library, &packets);
	if (d->out < 0 || d->in < 0)
		give_up(d, "not watched");
}

bool transport_drops_fill(struct transport *transport, const struct result *result,
			  struct result_member *own)
{
	struct transport_drops *d = &transport->drops;
	/* First: what waits no more when the counts are read has been counted. */
	const struct transport_stats *stats = transport_stats(transport);
	const uint64_t again = stats->resent_dropped - d->resent_before;
	struct np_drops_total sent, lost;

	if (!d->plan.library && !d->plan.why)
		return false;
	if (!own && d->plan.library && !d->flow) {
		d->flow = calloc(result->senders, sizeof(*d->flow));
		if (!d->flow)
			give_up(d, "out of memory");
	}
	/* Whatever was dropped before a run belongs to none, or to the one before. */
	if (!own) {
		d->resent_before = stats->resent_dropped;
		d->flows = d->plan.library ? result->senders : 0;
		(void)np_drops_update(d->plan.library);
		for (size_t i = 0; i < d->flows; i++) {
			struct transport_drops_flow *flow = &d->flow[i];

			flow->sender = identity_address(&result->sender[i]);
			flow->local = np_address_is_local(&flow->sender);
			np_drops_count(d->plan.library, d->in, &flow->sender, &flow->before);
		}
		np_drops_count(d->plan.library, d->out, NULL, &d->sent_before);
		return false;
	}
	if (!d->plan.library) {
		d->all = (struct np_drops_counts){.why = d->plan.why};
		own->all_drops = (struct result_drops){np_drops_total(&d->all), &d->all};
		return false;
	}
	/* A failure makes the counts unknown. */
	(void)np_drops_update(d->plan.library);
	np_drops_count(d->plan.library, d->out, NULL, &d->sent);
	np_drops_since(&d->sent, &d->sent_before);
	d->all = d->sent;
	for (size_t i = 0; i < d->flows && i < result->senders; i++) {
		struct transport_drops_flow *flow = &d->flow[i];

		np_drops_count(d->plan.library, d->in, &flow->sender, &flow->run);
		np_drops_since(&flow->run, &flow->before);
		np_drops_add(&d->all, &flow->run);
		own->row[i].drops = (struct result_drops){np_drops_total(&flow->run), &flow->run};
		own->row[i].local = flow->local;
	}
	/* Of what this member sent, what was sent again is not lost. */
	sent = np_drops_total(&d->sent);
	lost = np_drops_unreported(&sent, again, 0);
	lost.exact = lost.exact && !stats->queued && !(again && d->plan.warmup);
	own->sent_drops = (struct result_drops){lost, &d->sent};
	own->all_drops = (struct result_drops){np_drops_total(&d->all), &d->all};
	return stats->queued;
}

#define OVERSIZE_EVERY NP_SECOND
#define NULL_CELLS     64 /* a power of two */

static int null_open(struct transport *t, struct np_fault *fault)
{
	const int rc = transport_own_create(t, NULL_CELLS, NULL, 0);

	return rc ? np_fault_errno(fault, rc, t->plan.variant)
		  : identity_parse("127.0.0.1:1", &t->info.self);
}

static int null_send(struct transport *t, const struct identity *who, const void *message,
		     size_t bytes)
{
	(void)who;
	if (!transport_own_room(t))
		return -EAGAIN;
	memcpy(transport_own_cell(t, t->own.end), message, bytes);
	transport_own_keep(t, bytes, true, 0);
	return 0;
}

static int null_commit(struct transport *t, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		transport_own_keep(t, t->plan.data_bytes, false, 0);
	return (int)count;
}

static const struct transport_variant null_variant = {
	.name = "null",
	.open = null_open,
	.send = null_send,
	.reserve = transport_own_reserve,
	.commit = null_commit,
};

static const struct transport_variant *const variants[] = {
	&transport_udp_variant,	    &transport_tcp_variant, &transport_mqtt_variant,
	&transport_overlay_variant, &null_variant,
};

#define COUNTER(member) .offset = offsetof(struct transport_stats, member)

const struct transport_counter transport_counters[] = {
	{"sent_messages", "sent messages", "num_msgs_sent", COUNTER(sent_messages)},
	{"sent_bytes", "sent bytes", "num_bytes_sent", COUNTER(sent_bytes)},
	{"received_messages", "received messages", "num_msgs_received", COUNTER(received_messages)},
	{"received_bytes", "received bytes", "num_bytes_received", COUNTER(received_bytes)},
	{"send_calls", "send calls", COUNTER(send_calls)},
	{"receive_calls", "receive calls", COUNTER(receive_calls)},
	{"send_refused", "send refused", COUNTER(send_refused)},
	{"send_errors", "send errors", COUNTER(send_errors)},
	{"oversize", "oversize", COUNTER(oversize)},
	{"bad_lengths", "bad lengths", COUNTER(bad_lengths)},
	{"bad_handshakes", "bad hand-shakes", COUNTER(bad_handshakes)},
	{"silent", "silent connections", COUNTER(silent)},
	{"refused", "refused connections", COUNTER(refused)},
	{"truncated", "truncated", COUNTER(truncated)},
	{"not_allowed", "connections not allowed", COUNTER(not_allowed)},
	{"rcvbuf", NULL, COUNTER(dropped), .drops = true},
	{"sndbuf", "refused by the transmit queue", COUNTER(queue_refused), .drops = true},
	{.offset = SIZE_MAX},
};

int transport_open(struct transport **transport, const struct transport_plan *plan,
		   const struct transport_listener *listener, struct np_fault *fault)
{
	const struct transport_variant *variant = NULL;
	struct transport *t;
	int rc = 0;

	*transport = NULL;
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		if (!strcmp(variants[i]->name, plan->variant))
			variant = variants[i];
	}
	if (!variant)
		return np_fault_set(fault, -EPROTONOSUPPORT, plan->variant, "no such transport");
	if (variant->refusal)
		return np_fault_set(fault, -EPROTONOSUPPORT, plan->variant, "%s", variant->refusal);
	t = calloc(1, sizeof(*t));
	if (!t)
		return np_fault_errno(fault, -ENOMEM, plan->variant);
	t->plan = *plan;
	t->listener = *listener;
	t->state = calloc(1, variant->state_bytes);
	t->fd = epoll_create1(EPOLL_CLOEXEC);
	t->deadline = NP_TIME_NEVER;
	t->message_bytes =
		plan->data_bytes > plan->control_bytes ? plan->data_bytes : plan->control_bytes;
	t->info.stamps = "user";
	if (!t->state || t->fd < 0)
		rc = t->state ? -errno : -ENOMEM;
	t->drops = (struct transport_drops){.plan = plan->drops, .in = -1, .out = -1};
	if (plan->drops.library && *np_drops_why(plan->drops.library))
		give_up(&t->drops, np_drops_why(plan->drops.library));
	if (rc) {
		np_fault_errno(fault, rc, plan->variant);
	} else {
		t->variant = variant;
		rc = variant->open(t, fault);
	}
	if (rc) {
		transport_free(t);
		return rc;
	}
	t->info.variant = variant->name;
	*transport = t;
	return 0;
}

int transport_enlist(struct transport *transport, const struct np_address *addresses, size_t count)
{
	return transport->variant->enlist ? transport->variant->enlist(transport, addresses, count)
					  : 0;
}

void transport_free(struct transport *transport)
{
	if (!transport)
		return;
	if (transport->variant && transport->variant->close)
		transport->variant->close(transport);
	if (transport->fd >= 0)
		close(transport->fd);
	free(transport->own.cells);
	free(transport->own.message);
	free(transport->state);
	free(transport->drops.flow);
	free(transport);
}

const struct transport_info *transport_info(const struct transport *transport)
{
	return &transport->info;
}

int transport_fd(const struct transport *transport)
{
	return transport->fd;
}

np_time transport_deadline(const struct transport *transport)
{
	if (transport->own.begin != transport->own.end)
		return 0;
	return transport->paused ? np_clock_sooner(transport->paused, transport->deadline)
				 : transport->deadline;
}

int transport_turn(struct transport *transport, unsigned most, np_time now)
{
	struct transport_own *own = &transport->own;
	int more = 0;

	if (now >= transport->paused)
		transport->paused = 0;
	/* What the listener sends meanwhile waits for the next turn. */
	for (unsigned end = own->end, n = 0; n < most && own->begin != end; n++, own->begin++) {
		uint8_t *data = transport_own_cell(transport, own->begin) + own->head_bytes;
		const struct transport_own_message sent = own->message[own->begin % own->count];
		const struct transport_message one = {data, sent.bytes, sent.bytes,
						      sent.at ? sent.at : now};

		transport_deliver(transport, &transport->info.self, &one, 1, 0);
		/* The payload of the DATA message that will be here next. */
		if (sent.control)
			memset(data, TRANSPORT_FILL, sent.bytes);
	}
	if (transport->variant->turn)
		more = transport->variant->turn(transport, most, now);
	return more ? more : own->begin != own->end;
}

int transport_send(struct transport *t, const struct identity *who, const void *message,
		   size_t bytes)
{
	int rc;

	if (!bytes || bytes > t->plan.control_bytes)
		return -EMSGSIZE;
	rc = t->variant->send(t, who, message, bytes);
	if (rc == -EAGAIN) {
		t->stats.send_refused++;
	} else if (rc) {
		t->stats.send_errors++;
	} else {
		t->stats.sent_messages++;
		t->stats.sent_bytes += bytes;
	}
	return rc;
}

unsigned transport_reserve(struct transport *transport, unsigned wanted,
			   struct transport_slots *slots)
{
	if (wanted > TRANSPORT_BATCH)
		wanted = TRANSPORT_BATCH;
	*slots = (struct transport_slots){};
	slots->count = transport->variant->reserve(transport, wanted, slots);
	return slots->count;
}

int transport_commit(struct transport *transport, unsigned count)
{
	const int taken = transport->variant->commit(transport, count);

	if (taken < 0) {
		transport->stats.send_errors++;
		return taken;
	}
	transport->stats.sent_messages += (unsigned)taken;
	transport->stats.sent_bytes += (uint64_t)(unsigned)taken * transport->plan.data_bytes;
	return taken;
}

void transport_drop(struct transport *transport, const struct identity *who)
{
	if (transport->variant->drop)
		transport->variant->drop(transport, who);
}

void transport_trust(struct transport *transport, const struct identity *who, unsigned channel)
{
	if (transport->variant->trust)
		transport->variant->trust(transport, who, channel);
}

bool transport_idle(const struct transport *transport)
{
	return transport->own.begin == transport->own.end &&
	       (!transport->variant->idle || transport->variant->idle(transport));
}

const struct transport_stats *transport_stats(struct transport *transport)
{
	if (transport->variant->stats)
		transport->variant->stats(transport);
	return &transport->stats;
}

void transport_describe(struct transport *transport, struct np_record *record, bool summary)
{
	if (transport->variant->describe)
		transport->variant->describe(transport, record, summary);
}

void transport_oversize(struct transport *t, struct identity peer, np_time at)
{
	t->stats.oversize++;
	if (t->oversize_reported && at < t->oversize_reported + OVERSIZE_EVERY)
		return;
	t->oversize_reported = at;
	transport_notify(t, TRANSPORT_OVERSIZE, peer, NULL, 0);
}

int transport_own_create(struct transport *t, unsigned count, const void *head, size_t head_bytes)
{
	struct transport_own *own = &t->own;

	own->count = count;
	own->head_bytes = head_bytes;
	own->cell_bytes = head_bytes + t->message_bytes;
	own->cells = malloc(count * own->cell_bytes);
	own->message = calloc(count, sizeof(*own->message));
	if (!own->cells || !own->message)
		return -ENOMEM;
	memset(own->cells, TRANSPORT_FILL, count * own->cell_bytes);
	for (unsigned i = 0; head_bytes && i < count; i++)
		memcpy(transport_own_cell(t, i), head, head_bytes);
	return 0;
}

unsigned transport_own_reserve(struct transport *t, unsigned wanted, struct transport_slots *slots)
{
	const struct transport_own *own = &t->own;
	const unsigned used = own->end - own->begin, most = own->count - own->count / 4;
	const unsigned straight = own->count - own->end % own->count;
	unsigned room = used < most ? most - used : 0;

	t->stats.send_refused += !room;
	if (room > straight)
		room = straight;
	slots->data = transport_own_cell(t, own->end) + own->head_bytes;
	slots->stride = own->cell_bytes;
	return wanted < room ? wanted : room;
}

void transport_own_keep(struct transport *t, size_t bytes, bool control, np_time at)
{
	t->own.message[t->own.end++ % t->own.count] =
		(struct transport_own_message){bytes, at, control};
}
