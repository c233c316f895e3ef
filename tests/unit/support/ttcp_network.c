// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * ttcp_network: carries messages between a sender and its receivers step by step, keeps the books
 * of what came, and compares what both ends say with them.
 */
#include "ttcp_network.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

uint64_t network_draw(struct network *n, uint64_t below)
{
	n->random = n->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (n->random >> 33) % below;
}

static bool network_chance(struct network *n, double part)
{
	return (double)network_draw(n, 1 << 30) < part * (double)(1 << 30);
}

static void network_queue(struct network *n, const struct packet *packet, np_time at)
{
	struct packet **place = &n->first, *copy = malloc(sizeof(*copy));

	assert_non_null(copy);
	*copy = *packet;
	copy->at = at;
	/* Those of one moment in the order in which they went. */
	while (*place && (*place)->at <= at)
		place = &(*place)->next;
	copy->next = *place;
	*place = copy;
}

/* When what goes now has come, behind all that waits. */
static np_time network_arrival(struct network *n, const struct packet *packet)
{
	if (packet->to == -1 || !n->each)
		return n->now + n->delay;
	n->free = (n->free > n->now ? n->free : n->now) + n->each;
	return n->free + n->delay;
}

static void network_carry(struct network *n, struct packet *packet)
{
	if (n->cut || (n->cut_back && packet->to == -1))
		return;
	if (n->streams) {
		network_queue(n, packet, network_arrival(n, packet));
		return;
	}
	for (unsigned copies = 1 + network_chance(n, n->twice); copies; copies--) {
		struct packet copy = *packet;
		np_time at = network_arrival(n, &copy);

		if (network_chance(n, n->loss))
			continue;
		if (network_chance(n, n->late))
			at += (np_time)network_draw(n, (uint64_t)n->latest);
		if (network_chance(n, n->damage))
			copy.data[network_draw(n, copy.bytes)] ^=
				(uint8_t)(1 << network_draw(n, 8));
		network_queue(n, &copy, at);
	}
}

void network_forge(struct network *n, int from, int to, const void *data, size_t bytes)
{
	struct packet packet = {.from = from, .to = to, .bytes = bytes};

	assert_in_range(bytes, 0, sizeof(packet.data));
	memcpy(packet.data, data, bytes);
	network_queue(n, &packet, n->now);
}

/* From the sender: to one, or to all. */
static void network_send(struct network *n, unsigned lane, const struct np_address *to,
			 const void *message, size_t bytes)
{
	struct packet packet = {.from = -1, .lane = lane, .bytes = bytes, .by_group = !to};

	assert_in_range(bytes, 1, sizeof(packet.data));
	memcpy(packet.data, message, bytes);
	packet.by_group &= n->sender.plan.group;
	for (unsigned i = 0; i < n->receivers; i++) {
		packet.to = (int)i;
		if (!to || np_address_equal(to, &n->receiver[i].address))
			network_carry(n, &packet);
	}
}

static int sending_send(void *context, unsigned lane, const struct np_address *to,
			const void *message, size_t bytes)
{
	network_send(context, lane, to, message, bytes);
	return 0;
}

static ssize_t sending_push(void *context, struct sender_lane *lane, np_time *now)
{
	struct network *n = context;
	const size_t left = lane->filled - lane->gone;

	*now = n->now;
	if (n->sender.full) {
		n->sender.full--;
		return -EAGAIN;
	}
	for (size_t at = lane->gone; at < lane->filled; at += NETWORK_BYTES)
		network_send(n, lane->index, NULL, lane->batch + at, NETWORK_BYTES);
	return (ssize_t)left;
}

static np_time network_clock(void *context)
{
	const struct network *n = context;

	return n->now;
}

static int sending_reconnect(void *context, uint64_t lanes)
{
	(void)context;
	(void)lanes;
	return 0;
}

static void sending_lane(void *context, unsigned lane)
{
	(void)context;
	(void)lane;
}

static uint64_t sending_unacknowledged(void *context)
{
	(void)context;
	return 0;
}

static bool sending_refused(void *context)
{
	(void)context;
	return false;
}

static void sending_notify(void *context, const struct sender_event *event)
{
	struct network *n = context;

	n->sender.events[event->kind]++;
	n->sender.acks += event->kind == SENDER_ACK;
	if (event->kind == SENDER_FAILED)
		n->sender.fault = event->fault;
}

static void receiving_answer(void *context, const struct receiver_source *to, const void *message,
			     size_t bytes)
{
	struct receiving_host *h = context;
	struct network *n = h->network;
	struct packet packet = {.from = h->number, .to = -1, .bytes = bytes};
	struct message m;

	assert_int_equal(message_decode(message, bytes, &m), 0);
	h->busy += m.type == MESSAGE_START_OK && m.start_ok.verdict == MESSAGE_BUSY;
	memcpy(packet.data, message, bytes);
	for (unsigned i = 0; i < n->sender.plan.lanes; i++) {
		packet.lane = i;
		if (np_address_equal(to->address, &n->sender.lane[i]))
			network_carry(n, &packet);
	}
}

static np_time receiving_clock(void *context)
{
	const struct receiving_host *h = context;

	return h->network->now;
}

static void receiving_account(void *context, struct message_report *report)
{
	(void)context;
	report->drop_unit = MESSAGE_DROPS_UNKNOWN;
}

static void receiving_notify(void *context, const struct receiver_event *event)
{
	struct receiving_host *h = context;

	h->events[event->kind]++;
	if (event->kind == RECEIVER_BEGUN)
		h->book = (struct book){.finished = false};
	if (event->kind != RECEIVER_FINISHED)
		return;
	h->runs++;
	h->book.finished = true;
	h->book.status = event->status;
	h->book.figures = conversation_figures(&h->machine->with);
	h->book.report = receiver_run(h->machine)->report;
}

static void receiving_data(void *context, const struct receiver_data *data)
{
	struct receiving_host *h = context;

	assert_true(!data->numbered || data->bytes == data->count * NETWORK_BYTES);
	h->book.recorded += data->count;
}

/* As the transports do: what a packet is, and what it means. */
static void receiving_deliver(struct receiving_host *h, const struct packet *packet)
{
	struct network *n = h->network;
	const struct receiver_source source = {
		.address = packet->from == -2 ? &n->outsider : &n->sender.lane[packet->lane],
		.by_group = packet->by_group,
		.bytes = packet->bytes,
		.channel = n->streams ? &n->sender.lane[packet->lane] : NULL,
	};
	struct message *m = &n->message;
	const uint64_t before = receiver_run(h->machine)->messages;
	const unsigned begun = h->events[RECEIVER_BEGUN];
	int rc = message_decode(packet->data, packet->bytes, m);

	if (rc) {
		receiver_take_unknown(h->machine, &source, packet->bytes, rc, n->now);
	} else if (m->type != MESSAGE_DATA) {
		receiver_take(h->machine, &source, m, n->now);
	} else if (!message_fill_good(packet->data, packet->bytes, n->pattern)) {
		receiver_take_damaged(h->machine, &source, m, n->now);
		h->book.damaged++;
	} else {
		const uint16_t stream = m->stream;
		const uint64_t number = m->number;

		receiver_take(h->machine, &source, m, n->now);
		if (receiver_run(h->machine)->messages > before ||
		    begun != h->events[RECEIVER_BEGUN])
			h->book.came[stream][number]++;
	}
}

static void network_deliver(struct network *n, const struct packet *packet)
{
	struct sending_host *s = &n->sender;
	struct receiving_host *h;

	if (packet->to >= 0) {
		h = &n->receiver[packet->to];
		if (h->there && !h->dead && !h->ended)
			receiving_deliver(h, packet);
		return;
	}
	if (s->dead || s->ended)
		return;
	s->heard = true;
	(void)sender_take(s->machine, packet->data, packet->bytes,
			  &n->receiver[packet->from].address, n->now);
}

static void receiving_step(struct receiving_host *h, np_time now)
{
	if (!h->there || h->dead || h->ended)
		return;
	if (now >= h->look_at || now >= receiver_deadline(h->machine)) {
		receiver_tick(h->machine, now);
		h->look_at = now + LOOK;
	}
	if (h->machine->over)
		h->ended = now;
}

static void sending_begin(struct network *n)
{
	struct sending_host *s = &n->sender;

	sender_begin(s->machine, ++s->run, s->rate_bits);
	sender_contact(s->machine, n->now);
}

static void sending_messages(struct network *n)
{
	struct sending_host *s = &n->sender;
	np_time now = n->now;

	if (!s->machine->run.sending)
		sender_start(s->machine, now);
	for (unsigned pushes = 0; pushes < 8; pushes++)
		if (sender_push(s->machine, &now) != 1)
			break;
	(void)sender_rest(s->machine, now, now + LOOK);
	if (sender_sent(s->machine, now) || sender_stalled(s->machine, now))
		sender_end(s->machine, now);
}

static void sending_step(struct network *n)
{
	struct sending_host *s = &n->sender;
	const struct sender_run *run = &s->machine->run;

	if (s->dead || s->ended)
		return;
	if (!s->run)
		sending_begin(n);
	if (run->phase == SENDER_SENDING)
		sending_messages(n);
	else if (s->heard || n->now >= sender_deadline(s->machine) || s->interrupts)
		sender_tick(s->machine, n->now);
	s->heard = false;
	if (run->phase != SENDER_DONE)
		return;
	if (run->sending && s->run < s->runs && !s->interrupts)
		sending_begin(n);
	else
		s->ended = n->now;
}

void network_step(struct network *n)
{
	struct packet *packet;

	while ((packet = n->first) && packet->at <= n->now) {
		n->first = packet->next;
		network_deliver(n, packet);
		free(packet);
	}
	for (unsigned i = 0; i < n->receivers; i++)
		receiving_step(&n->receiver[i], n->now);
	sending_step(n);
	n->now += STEP;
}

void network_run(struct network *n, np_time time)
{
	for (np_time end = n->now + time; n->now < end;)
		network_step(n);
}

bool network_ended(const struct network *n)
{
	for (unsigned i = 0; i < n->receivers; i++)
		if (n->receiver[i].there && !n->receiver[i].dead && !n->receiver[i].ended)
			return false;
	return n->sender.dead || n->sender.ended;
}

void network_finish(struct network *n, np_time limit)
{
	const np_time latest = n->now + limit;

	while (!network_ended(n) && n->now < latest)
		network_step(n);
	assert_true(network_ended(n));
}

void receiving_start(struct network *n, unsigned index, const struct receiver_plan *plan)
{
	struct receiving_host *h = &n->receiver[index];
	const struct receiver_port port = {h,
					   receiving_answer,
					   receiving_clock,
					   receiving_account,
					   receiving_notify,
					   receiving_data};
	char text[32];

	snprintf(text, sizeof(text), "10.0.1.%u:5001", index + 1);
	h->network = n;
	h->number = (int)index;
	h->address = address_of(text);
	assert_int_equal(receiver_create(&h->machine, plan, &port, n->now), 0);
	h->there = true;
}

void sending_start(struct network *n, const struct sender_plan *plan)
{
	const struct sender_port port = {
		.context = n,
		.send = sending_send,
		.push = sending_push,
		.clock = network_clock,
		.reconnect = sending_reconnect,
		.finish = sending_lane,
		.unacknowledged = sending_unacknowledged,
		.refused = sending_refused,
		.notify = sending_notify,
	};
	struct sending_host *s = &n->sender;
	char text[32];

	s->plan = *plan;
	s->plan.interrupts = &s->interrupts;
	s->runs = plan->runs;
	assert_int_equal(sender_create(&s->machine, &s->plan, &port), 0);
	for (unsigned i = 0; i < plan->lanes; i++) {
		snprintf(text, sizeof(text), "10.0.0.1:%u", 4000 + i);
		s->lane[i] = address_of(text);
		s->machine->lane[i].batch = s->batch[i];
		for (unsigned k = 0; k < NETWORK_BATCH; k++)
			message_fill(s->batch[i] + (size_t)k * NETWORK_BYTES, NETWORK_BYTES);
	}
}

struct sender_plan sending_plan(void)
{
	return (struct sender_plan){
		.repeats = true,
		.no_wait = true,
		.id = 0x12345678,
		.lanes = 1,
		.message_bytes = NETWORK_BYTES,
		.batch = 1,
		.messages = 200,
		.runs = 1,
		.session = "TEST",
		.ahead = 7 * NP_SECOND,
	};
}

struct receiver_plan receiving_plan(void)
{
	return (struct receiver_plan){
		.with = {.datagrams = true,
			 .answers = true,
			 .acknowledges = true,
			 .message_bytes = NETWORK_BYTES,
			 .ahead = 12 * NP_SECOND,
			 .secret = {{1, 2}}},
		.senders = 1,
	};
}

static struct network *made;

static void network_free(void)
{
	struct network *n = made;

	if (!n)
		return;
	for (struct packet *packet; (packet = n->first);) {
		n->first = packet->next;
		free(packet);
	}
	for (unsigned i = 0; i < n->receivers; i++)
		receiver_free(n->receiver[i].machine);
	sender_free(n->sender.machine);
	free(n);
	made = NULL;
}

struct network *network_of(const struct sender_plan *sender, const struct receiver_plan *receiver,
			   unsigned receivers, uint64_t seed)
{
	struct network *n = calloc(1, sizeof(*n));
	struct receiver_plan plan = receiver ? *receiver : receiving_plan();

	assert_non_null(n);
	if (!made)
		assert_int_equal(atexit(network_free), 0);
	network_free();
	made = n;
	n->now = EPOCH;
	n->random = seed * UINT64_C(2654435761) + 1;
	n->delay = STEP;
	n->latest = LOOK;
	n->streams = !sender->repeats;
	n->receivers = receivers;
	n->outsider = address_of("10.0.9.9:999");
	message_fill(n->pattern, sizeof(n->pattern));
	sending_start(n, sender);
	n->sender.rate_bits = 8000 * NETWORK_BYTES; /* a message a millisecond */
	for (unsigned i = 0; i < receivers; i++) {
		plan.with.secret.word[0] = seed * 8 + i;
		receiving_start(n, i, &plan);
	}
	return n;
}

uint64_t book_different(const struct book *book)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < NETWORK_LANES; i++)
		for (unsigned k = 0; k < NETWORK_MESSAGES; k++)
			count += book->came[i][k] > 0;
	return count;
}

uint64_t book_copies(const struct book *book)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < NETWORK_LANES; i++)
		for (unsigned k = 0; k < NETWORK_MESSAGES; k++)
			count += book->came[i][k] ? book->came[i][k] - 1u : 0;
	return count;
}

void network_counts(const struct network *n, unsigned receiver, uint64_t sent)
{
	const struct book *book = &n->receiver[receiver].book;
	const struct np_flow_counts *f = &book->figures;

	assert_true(book->finished);
	assert_int_equal(f->received, book_different(book));
	assert_int_equal(f->duplicates, book_copies(book));
	assert_int_equal(f->received + f->lost + f->missed_before, sent);
	assert_int_equal(f->bytes, f->received * NETWORK_BYTES);
	assert_int_equal(book->recorded, f->received + f->duplicates);
	assert_int_equal(book->report.counts.received, f->received);
	assert_int_equal(book->report.counts.lost, f->lost);
}

const struct receivers_receiver *network_knows(const struct network *n, unsigned receiver)
{
	const struct receivers *known = &n->sender.machine->receivers;

	for (size_t i = 0; i < known->count; i++)
		if (np_address_equal(&known->receiver[i].address, &n->receiver[receiver].address))
			return &known->receiver[i];
	return NULL;
}

void network_reports(const struct network *n, unsigned receiver)
{
	const struct receivers_receiver *known = network_knows(n, receiver);
	const struct np_flow_counts *f = &n->receiver[receiver].book.figures;

	assert_non_null(known);
	assert_true(known->reported);
	assert_int_equal(known->report.counts.received, f->received);
	assert_int_equal(known->report.counts.lost, f->lost);
	assert_int_equal(known->report.counts.duplicates, f->duplicates);
	assert_int_equal(known->report.counts.bytes, f->bytes);
}
