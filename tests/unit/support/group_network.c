// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* group_network: delivers messages between members step by step, and records what they report. */
#include "group_network.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct identity host_identity(unsigned number)
{
	return (struct identity){
		.ip = {[10] = 0xff, [11] = 0xff, [12] = 10, [15] = (uint8_t)(number + 1)},
		.port = {0x1e, 0x78}};
}

double network_random(struct network *n)
{
	n->random = n->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(n->random >> 11) / (double)(UINT64_C(1) << 53);
}

static struct packet *queue_take(struct queue *queue)
{
	struct packet *packet = STAILQ_FIRST(queue);

	if (packet)
		STAILQ_REMOVE_HEAD(queue, next);
	return packet;
}

static void queue_clear(struct queue *queue)
{
	struct packet *packet;

	while ((packet = queue_take(queue)))
		free(packet);
}

static void network_put(struct network *n, unsigned from, unsigned to, const void *data,
			size_t bytes)
{
	struct packet *packet = malloc(sizeof(*packet) + bytes);
	unsigned steps = 1;

	assert_non_null(packet);
	if (!n->connected && from != to && network_random(n) < n->late)
		steps += (unsigned)(network_random(n) * 20);
	packet->from = from;
	packet->bytes = bytes;
	memcpy(packet->data, data, bytes);
	STAILQ_INSERT_TAIL(&n->host[to].wheel[(unsigned)(n->now / STEP + steps) % WHEEL], packet,
			   next);
}

bool is_type(const uint8_t *data, enum message_type type)
{
	return data[0] == MESSAGE_MAGIC && data[1] == 0x40 + type;
}

static bool is_lost(struct network *n, unsigned from, unsigned to, const uint8_t *data)
{
	for (struct loss *l = n->lose; l < n->lose + n->losses; l++) {
		if (from == to || !is_type(data, l->type) || (l->from && !(l->from & HOST(from))) ||
		    (l->to && !(l->to & HOST(to))) || (l->second && data[3] != 1) ||
		    (l->phases && !(l->phases & 1u << data[MESSAGE_HEADER_BYTES])) ||
		    (l->after && n->now <= EPOCH + l->after))
			continue;
		l->met++;
		if (!l->noted)
			return true;
	}
	return false;
}

static void network_carry(struct network *n, unsigned from, unsigned to, const void *data,
			  size_t bytes)
{
	const bool between = !n->connected && from != to;
	const uint8_t *head = data;

	if (to >= n->hosts || !n->host[to].there || n->host[to].dead)
		return;
	if (from == to && n->host[to].deaf)
		return;
	if (n->cut[from][to] || (between && network_random(n) < n->loss)) {
		n->lost[from][to] += is_type(head, MESSAGE_DATA);
		return;
	}
	if ((n->drop && n->drop(n, from, to, data)) || is_lost(n, from, to, data)) {
		n->dropped++;
		return;
	}
	network_put(n, from, to, data, bytes);
	if (between && network_random(n) < n->twice)
		network_put(n, from, to, data, bytes);
}

static int host_send(struct transport *transport, const struct identity *who, const void *message,
		     size_t bytes)
{
	struct host *h = transport->state;
	const uint8_t *head = message;

	if (who) {
		h->grants += is_type(head, MESSAGE_GRANT);
		if (h->network->heard)
			h->network->heard(h, who, message, bytes);
		network_carry(h->network, h->number, who->ip[15] - 1u, message, bytes);
		return 0;
	}
	assert_in_range(bytes, 1, member_control_bytes(&h->plan));
	h->tries++;
	if (is_type(head, MESSAGE_STATE))
		memcpy(h->network->seen, head, MESSAGE_HEADER_BYTES);
	if (h->refuses)
		return h->refuses;
	for (unsigned i = 0; i < h->network->hosts; i++)
		network_carry(h->network, h->number, i, message, bytes);
	return 0;
}

static uint64_t host_draw(struct transport *transport)
{
	const struct host *h = transport->state;

	return 1 + (uint64_t)(network_random(h->network) * 1e15);
}

static unsigned host_reserve(struct transport *transport, unsigned wanted,
			     struct transport_slots *slots)
{
	struct host *h = transport->state;

	h->reserved = wanted < BATCH ? wanted : BATCH;
	*slots = (struct transport_slots){h->slots, SLOT, h->reserved};
	return h->reserved;
}

static int host_commit(struct transport *transport, unsigned count)
{
	struct host *h = transport->state;
	size_t bytes = member_header_bytes(h->plan.protocol) + h->plan.payload;

	assert_in_range(count, 1, h->reserved);
	h->tries++;
	if (h->refuses || h->full)
		return h->refuses;
	assert_in_range(bytes, 1, SLOT);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned to = 0; to < h->network->hosts; to++)
			network_carry(h->network, h->number, to, h->slots + i * SLOT, bytes);
	}
	h->sent_messages += count;
	return (int)count;
}

/* A machine that is always busy, the more so the higher its number. */
static void host_spent(struct transport *transport, struct result_host *host)
{
	const struct host *h = transport->state;
	const np_time ticks = (h->network->now - EPOCH) / STEP * (h->number + 1);

	host->cpu_user = 2 * ticks;
	host->cpu_system = ticks;
	host->dropped = h->dropped;
}

void host_tell(void *context, const struct member_event *event)
{
	static const char *const names[] = {
		[MEMBER_WAITING] = "waiting",	[MEMBER_JOINED] = "joined",
		[MEMBER_READY] = "ready",	[MEMBER_WARMING] = "warming",
		[MEMBER_SENDING] = "sending",	[MEMBER_SENT] = "sent",
		[MEMBER_RECEIVED] = "received", [MEMBER_PROGRESS] = "progress",
		[MEMBER_SENT_ALL] = "sent-all", [MEMBER_HELD_UP] = "held-up",
		[MEMBER_GIVEN_UP] = "given-up", [MEMBER_REFUSED] = "refused",
		[MEMBER_MET] = "met",		[MEMBER_LOCAL] = "local",
		[MEMBER_REPORTED] = "reported", [MEMBER_RESULT] = "result",
		[MEMBER_UNLIKE] = "unlike",	[MEMBER_UNSENT] = "unsent",
		[MEMBER_CUT] = "cut",
	};
	struct host *h = context;
	size_t used = strlen(h->log);
	char who[IDENTITY_TEXT] = "-";

	if (event->who)
		identity_format(event->who, who);
	snprintf(h->log + used, sizeof(h->log) - used, "%s %s %llu %s\n", names[event->kind], who,
		 (unsigned long long)event->number, event->text ? event->text : "");
	h->results += event->kind == MEMBER_RESULT;
}

struct member_plan group_plan(enum member_protocol protocol)
{
	return (struct member_plan){
		.protocol = protocol,
		.members = 4,
		.senders = 2,
		.messages = 1000,
		.payload = 20,
		.runs = 1,
		.lanes = 1,
		.credit = protocol == PROTOCOL_NATIVE,
		.window_bytes = 200 * 48 * 2,
		.limits = member_limits(60 * NP_SECOND, 0),
	};
}

struct member_plan group_plan_wide(enum member_protocol protocol)
{
	struct member_plan plan = group_plan(protocol);

	plan.members = 32;
	plan.senders = 4;
	plan.window_bytes *= 2;
	return plan;
}

struct member_plan group_plan_long(enum member_protocol protocol)
{
	struct member_plan plan = group_plan(protocol);

	plan.pause = 2 * NP_MILLISECOND;
	plan.messages = 2000;
	return plan;
}

struct host *network_add(struct network *n, const struct member_plan *plan, np_time starts)
{
	struct host *h = &n->host[n->hosts];

	*h = (struct host){.plan = *plan,
			   .network = n,
			   .number = n->hosts,
			   .starts = EPOCH + starts,
			   .drain = 1000,
			   .room = SIZE_MAX};
	STAILQ_INIT(&h->buffer);
	for (unsigned i = 0; i < WHEEL; i++)
		STAILQ_INIT(&h->wheel[i]);
	h->plan.self = host_identity(n->hosts++);
	h->plan.instance = 1000 + n->hosts;
	return h;
}

static void network_free(struct network *n)
{
	for (unsigned i = 0; n && i < n->hosts; i++) {
		member_free(n->host[i].member);
		queue_clear(&n->host[i].buffer);
		for (unsigned j = 0; j < WHEEL; j++)
			queue_clear(&n->host[i].wheel[j]);
	}
	free(n);
}

struct network *network_of(const struct member_plan *plan, bool connected)
{
	static struct network *latest;
	struct network *n = calloc(1, sizeof(*n));
	struct member_plan each = *plan;

	assert_non_null(n);
	network_free(latest);
	latest = n;
	n->now = EPOCH;
	n->random = 1;
	n->connected = connected;
	for (unsigned i = 0; i < plan->members; i++) {
		each.sender = i < plan->senders;
		network_add(n, &each, i * 10 * NP_MILLISECOND);
	}
	return n;
}

static bool host_drops(struct transport *transport, const struct result *result,
		       struct result_member *own)
{
	struct host *h = transport->state;

	(void)result;
	if (!h->network->drops || !own)
		return false;
	h->looks++;
	return h->network->drops(h, own);
}

static void host_part(struct transport *transport, const struct identity *who)
{
	struct host *h = transport->state;

	(void)who;
	h->parted++;
}

static const struct transport_variant simulated = {
	.send = host_send,
	.reserve = host_reserve,
	.commit = host_commit,
	.drop = host_part,
};

static void host_start(struct host *h)
{
	const struct member_port port = {.transport = &h->transport,
					 .draw = host_draw,
					 .host = host_spent,
					 .drops = host_drops,
					 .notify = host_tell,
					 .context = h};
	struct np_fault fault;

	h->transport = (struct transport){
		.variant = &simulated, .plan.control_bytes = SIZE_MAX, .state = h};
	h->plan.realtime = -h->skew;
	assert_int_equal(
		member_create(&h->member, &h->plan, &port, h->network->now + h->skew, &fault), 0);
	h->there = true;
}

void host_restart(struct host *h, np_time starts)
{
	member_free(h->member);
	h->member = NULL;
	h->plan.instance++;
	h->there = false;
	h->ended = 0;
	h->starts = EPOCH + starts;
}

void host_forge(struct host *h, unsigned from, const void *data, size_t bytes)
{
	const struct identity source = host_identity(from);
	const struct transport_message message = {data, bytes, bytes, h->network->now + h->skew};

	member_deliver(h->member, &(struct transport_delivery){&source, &message, 1, 0});
}

struct message_head network_head(const struct network *n, unsigned from)
{
	struct message_head head;

	assert_int_equal(message_head_decode(n->seen, MESSAGE_HEADER_BYTES, &head), MESSAGE_NATIVE);
	head.number = n->host[from].plan.instance;
	return head;
}

void host_says(struct host *h, unsigned from, struct message_head head, enum message_type type,
	       const void *body)
{
	static uint8_t wire[MESSAGE_CONTROL_MAX];

	host_forge(h, from, wire, message_encode(wire, &head, type, body));
}

const struct message_hello hello_of_ours = {.begun = 1, .setting = {1000, 20, 4, 2, 0, 1, 0, 1}};

void say_hello(struct host *h, unsigned from, uint64_t instance, const struct message_hello *hello)
{
	host_says(h, from, (struct message_head){.number = instance}, MESSAGE_HELLO, hello);
}

void say_refuse(struct host *h, unsigned from, uint64_t instance, enum message_refusal why)
{
	const struct message_refuse body = {
		.to = h->plan.self, .why = why, .value = h->plan.instance};

	host_says(h, from, (struct message_head){.number = instance}, MESSAGE_REFUSE, &body);
}

/* Delivers what has arrived to the member, in batches of one source. */
static void host_receive(struct host *h)
{
	struct packet *batch[BATCH];
	struct transport_message messages[BATCH];
	struct identity source;
	unsigned count, taken = 0;

	while (STAILQ_FIRST(&h->buffer) && taken < h->drain) {
		for (count = 0; count < BATCH && STAILQ_FIRST(&h->buffer) &&
				(!count || STAILQ_FIRST(&h->buffer)->from == batch[0]->from);
		     count++) {
			struct packet *p = batch[count] = queue_take(&h->buffer);

			h->waiting -= p->bytes;
			messages[count] = (struct transport_message){p->data, p->bytes, p->bytes,
								     h->network->now + h->skew};
		}
		taken += count;
		source = host_identity(batch[0]->from);
		member_deliver(h->member,
			       &(struct transport_delivery){&source, messages, count, 0});
		while (count)
			free(batch[--count]);
	}
}

static void host_arrive(struct host *h)
{
	struct queue *queue = &h->wheel[(unsigned)(h->network->now / STEP) % WHEEL];
	struct packet *packet;

	while ((packet = queue_take(queue))) {
		if (h->waiting + packet->bytes > h->room) {
			h->overflowed++;
			free(packet);
			continue;
		}
		h->waiting += packet->bytes;
		STAILQ_INSERT_TAIL(&h->buffer, packet, next);
	}
}

static void host_turn(struct host *h)
{
	const np_time now = h->network->now + h->skew;

	if (!h->there && h->network->now >= h->starts)
		host_start(h);
	if (!h->there || h->dead)
		return;
	host_arrive(h);
	if (h->stopped || h->ended)
		return;
	host_receive(h);
	member_tick(h->member, now);
	for (unsigned lane = 0; lane < h->plan.lanes; lane++) {
		if (member_pump_due(h->member, lane) <= now)
			member_pump(h->member, lane, BATCH, now);
	}
	/*
	 * Each change of phase may ask for another tick at once; a member that keeps asking spins.
	 */
	for (unsigned i = 0; i < 10 && member_deadline(h->member) <= now; i++)
		member_tick(h->member, now);
	if (member_deadline(h->member) <= now)
		fail_msg("host %u spins:\n%s", h->number, h->log);
	if (member_outcome(h->member)->finished)
		h->ended = h->network->now - EPOCH;
}

void network_step(struct network *n)
{
	for (unsigned i = 0; i < n->hosts; i++)
		host_turn(&n->host[i]);
	n->now += STEP;
}

void network_run(struct network *n, np_time until)
{
	while (n->now < EPOCH + until)
		network_step(n);
}

void network_pass(struct network *n, np_time time)
{
	network_run(n, n->now - EPOCH + time);
}

static bool has_told(const struct host *h, const char *what)
{
	return strstr(h->log, what) != NULL;
}

void network_until(struct network *n, unsigned number, const char *what)
{
	const np_time limit = n->now + 30 * NP_SECOND;

	while (!has_told(&n->host[number], what) && n->now < limit)
		network_step(n);
	host_told(&n->host[number], what);
}

void network_until_sending(struct network *n)
{
	while (!n->host[0].sent_messages && n->now < EPOCH + 5 * NP_SECOND)
		network_step(n);
	assert_true(n->host[0].sent_messages > 0);
}

bool network_ended(const struct network *n)
{
	for (unsigned i = 0; i < n->hosts; i++) {
		if (!n->host[i].dead && !n->host[i].ended)
			return false;
	}
	return true;
}

void network_finish(struct network *n, np_time limit)
{
	while (!network_ended(n) && n->now < EPOCH + limit)
		network_step(n);
	for (unsigned i = 0; i < n->hosts; i++) {
		if (!n->host[i].dead && !n->host[i].ended)
			fail_msg("host %u has not ended:\n%s", i, n->host[i].log);
	}
}

void network_kill(struct network *n, unsigned victim)
{
	n->host[victim].dead = true;
	for (unsigned i = 0; n->connected && i < n->hosts; i++) {
		if (n->host[i].there && !n->host[i].dead)
			HOST_EVENT(&n->host[i], victim, TRANSPORT_ENDED);
	}
}

void network_cut(struct network *n, unsigned side, bool cut)
{
	for (unsigned a = 0; a < side; a++) {
		for (unsigned b = side; b < n->hosts; b++)
			n->cut[a][b] = n->cut[b][a] = cut;
	}
}

void host_must(const struct host *h, bool holds, const char *what)
{
	const struct np_fault *fault = &member_outcome(h->member)->fault;

	if (!holds)
		fail_msg("host %u: %s\nfault: %s: %s\n%s", h->number, what, fault->object,
			 fault->reason, h->log);
}

void host_status(const struct host *h, int expected)
{
	char what[64];
	int status = member_status(h->member);

	snprintf(what, sizeof(what), "status %d instead of %d", status, expected);
	host_must(h, status == expected, what);
}

void host_told(const struct host *h, const char *what)
{
	host_must(h, has_told(h, what), what);
}

unsigned host_times_told(const struct host *h, const char *begin)
{
	unsigned times = 0;

	for (const char *at = h->log; (at = strstr(at, begin)); at++)
		times += at == h->log || at[-1] == '\n';
	return times;
}

void host_failed(const struct host *h, const char *object, const char *reason)
{
	const struct np_fault *fault = &member_outcome(h->member)->fault;

	host_status(h, 2);
	host_must(h, !*object || !strcmp(fault->object, object), object);
	host_must(h, strstr(fault->reason, reason), reason);
}

const struct result_member *host_member(const struct host *h, unsigned number)
{
	const struct result *r = member_result(h->member);
	const struct identity who = host_identity(number);

	for (size_t i = 0; i < r->members; i++) {
		if (identity_equal(&r->member[i].who, &who))
			return &r->member[i];
	}
	fail_msg("host %u does not know %u", h->number, number);
	return NULL;
}

const struct result_row *host_row(const struct host *h, unsigned receiver, unsigned sender)
{
	const struct result_member *member = host_member(h, receiver);
	const struct identity who = host_identity(sender);

	for (size_t i = 0; i < member->rows; i++) {
		if (identity_equal(&member->row[i].sender, &who))
			return &member->row[i];
	}
	fail_msg("host %u: no row of %u from %u", h->number, receiver, sender);
	return NULL;
}

void host_row_complete(const struct host *h, unsigned receiver, uint64_t messages)
{
	for (unsigned s = 0; s < h->plan.senders; s++) {
		host_must(h, host_row(h, receiver, s)->counts.received == messages, "received");
		host_must(h, host_row(h, receiver, s)->exact, "exact");
	}
}

void network_status(const struct network *n, unsigned count, int expected)
{
	for (unsigned i = 0; i < count; i++)
		host_status(&n->host[i], expected);
}

void network_ends(struct network *n, np_time limit, unsigned count, int expected)
{
	network_finish(n, limit);
	network_status(n, count, expected);
}

void network_counts(const struct network *n, uint64_t messages)
{
	network_status(n, n->hosts, 0);
	for (unsigned i = 0; i < n->hosts; i++) {
		const struct host *h = &n->host[i];

		for (unsigned r = 0; r < n->hosts; r++) {
			for (unsigned s = 0; s < h->plan.senders; s++) {
				const struct result_row *row = host_row(h, r, s);

				host_must(h, row->exact, "exact");
				host_must(h, row->counts.sent == messages, "expected");
				host_must(h, row->counts.lost == n->lost[s][r], "lost");
				host_must(h, row->counts.received + row->counts.lost == messages,
					  "sum");
			}
		}
	}
}

void network_succeeds(struct network *n, np_time limit, uint64_t messages)
{
	network_finish(n, limit);
	network_counts(n, messages);
}
