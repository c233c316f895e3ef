// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * ttcp_network: carries messages between a sender and its receivers step by step, keeps the books
 * of what came, and compares what both ends say with them.
 */
#include "ttcp_network.h"

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
	if (n->cut)
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
			at += (np_time)network_draw(n, (uint64_t)LOOK);
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

static struct network made;

static void carry_to_receivers(struct end *e, unsigned lane, const struct np_address *to,
			       const void *message, size_t bytes)
{
	struct packet packet = {.from = -1, .lane = lane, .bytes = bytes, .by_group = !to};

	(void)e;
	assert_in_range(bytes, 1, sizeof(packet.data));
	memcpy(packet.data, message, bytes);
	packet.by_group &= made.sender.plan.group;
	for (unsigned i = 0; i < made.receivers; i++) {
		packet.to = (int)i;
		if (!to || np_address_equal(to, &made.receiver[i].address))
			network_carry(&made, &packet);
	}
}

static void carry_to_sender(struct end *e, unsigned lane, const struct np_address *to,
			    const void *message, size_t bytes)
{
	struct packet packet = {.to = -1, .bytes = bytes};

	(void)lane;
	while (&made.receiver[packet.from].end != e)
		packet.from++;
	memcpy(packet.data, message, bytes);
	for (unsigned i = 0; i < made.sender.machine->transport.lanes; i++) {
		packet.lane = i;
		if (np_address_equal(to, &made.sender.lane[i]))
			network_carry(&made, &packet);
	}
}

/* Begins the book of a run that has begun; closes that of one that is over. */
static void receiving_book(struct receiving_host *h)
{
	const struct receiver_run *run = &h->machine->run;

	if (run->begun != h->begun)
		h->book = (struct book){.finished = false};
	h->begun = run->begun;
	if (run->phase != RECEIVER_REPORTED || h->book.finished)
		return;
	h->book.finished = true;
	h->book.figures = conversation_figures(h->machine);
	h->book.report = run->result.report;
}

/* As the transports do. */
static void receiving_deliver(struct receiving_host *h, const struct packet *packet)
{
	struct network *n = &made;
	struct np_packet came = {
		.data = (uint8_t *)(uintptr_t)packet->data,
		.length = packet->bytes,
		.source = packet->from == -2 ? &n->outsider : &n->sender.lane[packet->lane],
		.stamp = n->now,
	};
	const uint64_t before = h->machine->strays;
	struct transport *t = &h->machine->transport;
	struct message m;
	const bool counts = !message_decode(packet->data, packet->bytes, &m) &&
			    m.type == MESSAGE_DATA &&
			    message_fill_good(packet->data, packet->bytes, h->machine->pattern);

	(void)t->user->packets(t, &came, 1, packet->by_group);
	receiving_book(h);
	if (counts && h->machine->strays <= before)
		h->book.came[m.stream][m.number]++;
}

static void network_deliver(struct network *n, const struct packet *packet)
{
	struct sending_host *s = &n->sender;
	struct receiving_host *h;

	if (packet->to >= 0) {
		h = &n->receiver[packet->to];
		if (h->there && !h->ended)
			receiving_deliver(h, packet);
		return;
	}
	if (s->ended)
		return;
	s->heard = true;
	(void)sender_take(s->machine, packet->data, packet->bytes,
			  &n->receiver[packet->from].address, n->now);
}

static void receiving_step(struct receiving_host *h, np_time now)
{
	if (!h->there || h->ended)
		return;
	if (now >= h->look_at || now >= receiver_deadline(h->machine)) {
		receiver_tick(h->machine, now);
		receiving_book(h);
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

	if (s->ended)
		return;
	if (!s->run)
		sending_begin(n);
	if (run->phase == SENDER_SENDING)
		sending_messages(n);
	else if (s->heard || n->now >= sender_deadline(s->machine) ||
		 s->machine->session->interrupts)
		sender_tick(s->machine, n->now);
	s->heard = false;
	if (run->phase != SENDER_DONE)
		return;
	if (run->sending && s->run < s->end.options.load.runs && !s->machine->session->interrupts)
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

static bool network_ended(const struct network *n)
{
	for (unsigned i = 0; i < n->receivers; i++)
		if (n->receiver[i].there && !n->receiver[i].ended)
			return false;
	return n->sender.ended;
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
	char text[32];

	snprintf(text, sizeof(text), "10.0.1.%u:5001", index + 1);
	h->address = address_of(text);
	end_receive(&h->end, plan, &n->now);
	h->end.carry = carry_to_sender;
	h->machine = h->end.receiver;
	h->machine->pattern = malloc(MESSAGE_CONTROL_MAX);
	assert_non_null(h->machine->pattern);
	message_fill(h->machine->pattern, MESSAGE_CONTROL_MAX);
	h->there = true;
}

static void sending_start(struct network *n, const struct sender_plan *plan)
{
	struct sending_host *s = &n->sender;
	char text[32];

	s->plan = *plan;
	if (!plan->messages && !plan->duration)
		s->plan.messages = 200;
	end_send(&s->end, &s->plan, &n->now);
	s->end.carry = carry_to_receivers;
	s->machine = s->end.sender;
	for (unsigned i = 0; i < s->machine->transport.lanes; i++) {
		snprintf(text, sizeof(text), "10.0.0.1:%u", 4000 + i);
		s->lane[i] = address_of(text);
	}
}

struct network *network_of(const struct sender_plan *sender, unsigned receivers, uint64_t seed)
{
	struct network *n = &made;
	struct receiver_plan plan = {.datagrams = sender->datagrams, .senders = 1};

	ends_close();
	for (struct packet *packet; (packet = n->first);) {
		n->first = packet->next;
		free(packet);
	}
	memset(n, 0, sizeof(*n));
	n->now = EPOCH;
	n->random = seed * UINT64_C(2654435761) + 1;
	n->delay = STEP;
	n->streams = !sender->datagrams;
	n->receivers = receivers;
	n->outsider = address_of("10.0.9.9:999");
	sending_start(n, sender);
	n->sender.rate_bits = 8000 * DATA_BYTES; /* a message a millisecond */
	for (unsigned i = 0; i < receivers; i++) {
		plan.secret = seed * 8 + i;
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
	assert_int_equal(f->bytes, f->received * DATA_BYTES);
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
