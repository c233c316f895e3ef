/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copyright (C) 2026 the netperf-exercise authors */
/*
 * ttcp_network: a sender and its receivers on a made-up network and a made-up clock. The network
 * loses, doubles, delays and damages by its own random numbers, and keeps its own books of what
 * came; ends die and stop when a test says so. Time goes on in steps of a millisecond.
 */
#ifndef TTCP_NETWORK_H
#define TTCP_NETWORK_H

#include "../../src/ttcp/conversation/receiver.h"
#include "../../src/ttcp/conversation/sender.h"
#include "address_of.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NETWORK_RECEIVERS 4
#define NETWORK_LANES	  4
#define NETWORK_MESSAGES  1024 /* of a stream, at most */
#define NETWORK_BYTES	  64   /* of DATA */
#define NETWORK_BATCH	  4
#define STEP		  NP_MILLISECOND
#define EPOCH		  (1000 * NP_SECOND)
#define LOOK		  (20 * NP_MILLISECOND)

struct packet {
	struct packet *next;
	np_time at;
	int from, to; /* receivers by number; -1: the sender; -2: a stranger */
	unsigned lane;
	bool by_group;
	size_t bytes;
	uint8_t data[MESSAGE_CONTROL_MAX];
};

/* What the network's own books say of a run at one receiver. */
struct book {
	uint8_t came[NETWORK_LANES][NETWORK_MESSAGES]; /* how often each did, intact */
	uint64_t damaged;			       /* DATA with a right header */
	uint64_t recorded;			       /* by the data callback */
	bool finished;
	enum message_status status;
	struct tally_figures figures; /* the receiver's own */
	struct message_report report;
};

struct network;

struct receiving_host {
	struct network *network;
	int number;
	struct receiver *machine;
	struct np_address address;
	bool there, dead;
	np_time look_at, ended;
	struct book book;
	unsigned runs, told[RECEIVER_NO_MEMORY + 1];
	unsigned busy; /* answers that say so */
};

struct sending_host {
	struct sender *machine;
	struct sender_plan plan;
	struct np_address lane[NETWORK_LANES];
	uint8_t batch[NETWORK_LANES][NETWORK_BATCH * NETWORK_BYTES];
	unsigned stops;
	bool dead, heard;
	np_time ended;
	uint64_t rate_kbps, run, runs;
	unsigned full; /* pushes that find no room */
	unsigned told[SENDER_JOINED_LATE + 1];
	enum sender_fault fault;
	uint64_t acks;
};

struct network {
	np_time now;
	uint64_t random;
	double loss, twice, late, damage; /* parts of 1, of each packet */
	np_time latest;			  /* by how much a late one is */
	bool streams;			  /* as TCP: whole, in order, none lost */
	bool cut_back;			  /* nothing comes back to the sender */
	bool cut;			  /* nothing comes anywhere */
	np_time delay;
	np_time each,
		free; /* of a narrow way: a packet takes so long, and when it has room again */
	unsigned receivers;
	struct sending_host sender;
	struct receiving_host receiver[NETWORK_RECEIVERS];
	struct packet *first; /* under way, by the time of their arrival */
	struct np_address stranger;
	struct message message;
	uint8_t pattern[MESSAGE_CONTROL_MAX];
};

static inline uint64_t network_draw(struct network *n, uint64_t below)
{
	n->random = n->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (n->random >> 33) % below;
}

static inline bool network_chance(struct network *n, double part)
{
	return (double)network_draw(n, 1 << 30) < part * (double)(1 << 30);
}

static inline void network_queue(struct network *n, const struct packet *packet, np_time at)
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
static inline np_time network_arrival(struct network *n, const struct packet *packet)
{
	if (packet->to == -1 || !n->each)
		return n->now + n->delay;
	n->free = (n->free > n->now ? n->free : n->now) + n->each;
	return n->free + n->delay;
}

static inline void network_carry(struct network *n, struct packet *packet)
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

/* A stranger's, or in the sender's name, to receiver @to; or to the sender, from receiver @from. */
static inline void network_forge(struct network *n, int from, int to, const void *data,
				 size_t bytes)
{
	struct packet packet = {.from = from, .to = to, .bytes = bytes};

	assert_in_range(bytes, 0, sizeof(packet.data));
	memcpy(packet.data, data, bytes);
	network_queue(n, &packet, n->now);
}

/* From the sender: to one, or to all. */
static inline void network_send(struct network *n, unsigned lane, const struct np_address *to,
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

static inline int sending_tell(void *context, unsigned lane, const struct np_address *to,
			       const void *message, size_t bytes)
{
	network_send(context, lane, to, message, bytes);
	return 0;
}

static inline ssize_t sending_push(void *context, struct sender_lane *lane, np_time *now)
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

static inline np_time network_clock(void *context)
{
	const struct network *n = context;

	return n->now;
}

static inline int sending_connect(void *context)
{
	(void)context;
	return 0;
}

static inline void sending_lane(void *context, unsigned lane)
{
	(void)context;
	(void)lane;
}

static inline uint64_t sending_unacknowledged(void *context)
{
	(void)context;
	return 0;
}

static inline bool sending_refused(void *context)
{
	(void)context;
	return false;
}

static inline void sending_told(void *context, const struct sender_event *event)
{
	struct network *n = context;

	n->sender.told[event->kind]++;
	n->sender.acks += event->kind == SENDER_ACK;
	if (event->kind == SENDER_FAILED)
		n->sender.fault = event->fault;
}

static inline void receiving_answer(void *context, const struct receiver_source *to,
				    const void *message, size_t bytes)
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

static inline np_time receiving_clock(void *context)
{
	const struct receiving_host *h = context;

	return h->network->now;
}

static inline void receiving_account(void *context, struct message_report *report)
{
	(void)context;
	report->drop_unit = MESSAGE_DROPS_UNKNOWN;
}

static inline void receiving_told(void *context, const struct receiver_event *event)
{
	struct receiving_host *h = context;

	h->told[event->kind]++;
	if (event->kind == RECEIVER_BEGUN)
		h->book = (struct book){.finished = false};
	if (event->kind != RECEIVER_FINISHED)
		return;
	h->runs++;
	h->book.finished = true;
	h->book.status = event->status;
	h->book.figures = receiver_figures(h->machine);
	h->book.report = receiver_run(h->machine)->report;
}

static inline void receiving_data(void *context, const struct receiver_data *data)
{
	struct receiving_host *h = context;

	assert_true(!data->numbered || data->bytes == data->count * NETWORK_BYTES);
	h->book.recorded += data->count;
}

/* As the transports do: what a packet is, and what it means. */
static inline void receiving_deliver(struct receiving_host *h, const struct packet *packet)
{
	struct network *n = h->network;
	const struct receiver_source source = {
		.address = packet->from == -2 ? &n->stranger : &n->sender.lane[packet->lane],
		.by_group = packet->by_group,
		.bytes = packet->bytes,
		.way = n->streams ? &n->sender.lane[packet->lane] : NULL,
	};
	struct message *m = &n->message;
	const uint64_t before = receiver_run(h->machine)->messages;
	const unsigned begun = h->told[RECEIVER_BEGUN];
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
		if (receiver_run(h->machine)->messages > before || begun != h->told[RECEIVER_BEGUN])
			h->book.came[stream][number]++;
	}
}

static inline void network_deliver(struct network *n, const struct packet *packet)
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

static inline void receiving_step(struct receiving_host *h, np_time now)
{
	if (!h->there || h->dead || h->ended)
		return;
	if (now >= h->look_at || now >= receiver_deadline(h->machine)) {
		receiver_tick(h->machine, now);
		h->look_at = now + LOOK;
	}
	if (receiver_over(h->machine))
		h->ended = now;
}

static inline void sending_begin(struct network *n)
{
	struct sending_host *s = &n->sender;

	sender_begin(s->machine, ++s->run, s->rate_kbps);
	sender_contact(s->machine, n->now);
}

static inline void sending_messages(struct network *n)
{
	struct sending_host *s = &n->sender;
	np_time now = n->now;

	if (!sender_run(s->machine)->sending)
		sender_start(s->machine, now);
	for (unsigned pushes = 0; pushes < 8; pushes++)
		if (sender_push(s->machine, &now) != 1)
			break;
	(void)sender_rest(s->machine, now, now + LOOK);
	if (sender_sent(s->machine, now) || sender_stalled(s->machine, now))
		sender_end(s->machine, now);
}

static inline void sending_step(struct network *n)
{
	struct sending_host *s = &n->sender;
	const struct sender_run *run = sender_run(s->machine);

	if (s->dead || s->ended)
		return;
	if (!s->run)
		sending_begin(n);
	if (run->phase == SENDER_SENDING)
		sending_messages(n);
	else if (s->heard || n->now >= sender_deadline(s->machine) || s->stops)
		sender_tick(s->machine, n->now);
	s->heard = false;
	if (run->phase != SENDER_DONE)
		return;
	if (run->sending && s->run < s->runs && !s->stops)
		sending_begin(n);
	else
		s->ended = n->now;
}

static inline void network_step(struct network *n)
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

static inline void network_run(struct network *n, np_time time)
{
	for (np_time end = n->now + time; n->now < end;)
		network_step(n);
}

static inline bool network_ended(const struct network *n)
{
	for (unsigned i = 0; i < n->receivers; i++)
		if (n->receiver[i].there && !n->receiver[i].dead && !n->receiver[i].ended)
			return false;
	return n->sender.dead || n->sender.ended;
}

/* To the end of all, which is to come within @limit. */
static inline void network_finish(struct network *n, np_time limit)
{
	const np_time latest = n->now + limit;

	while (!network_ended(n) && n->now < latest)
		network_step(n);
	assert_true(network_ended(n));
}

static inline void receiving_start(struct network *n, unsigned index,
				   const struct receiver_plan *plan)
{
	struct receiving_host *h = &n->receiver[index];
	const struct receiver_port port = {h, receiving_answer, receiving_clock, receiving_account};
	const struct receiver_listener listener = {h, receiving_told, receiving_data};
	char text[32];

	snprintf(text, sizeof(text), "10.0.1.%u:5001", index + 1);
	h->network = n;
	h->number = (int)index;
	h->address = address_of(text);
	assert_int_equal(receiver_create(&h->machine, plan, &port, &listener, n->now), 0);
	h->there = true;
}

static inline void sending_start(struct network *n, const struct sender_plan *plan)
{
	const struct sender_port port = {
		.context = n,
		.tell = sending_tell,
		.push = sending_push,
		.clock = network_clock,
		.connect = sending_connect,
		.give_up = sending_lane,
		.finish = sending_lane,
		.unacknowledged = sending_unacknowledged,
		.refused = sending_refused,
	};
	const struct sender_listener listener = {n, sending_told};
	struct sending_host *s = &n->sender;
	char text[32];

	s->plan = *plan;
	s->plan.stops = &s->stops;
	s->runs = plan->runs;
	assert_int_equal(sender_create(&s->machine, &s->plan, &port, &listener), 0);
	for (unsigned i = 0; i < plan->lanes; i++) {
		snprintf(text, sizeof(text), "10.0.0.1:%u", 4000 + i);
		s->lane[i] = address_of(text);
		sender_lane(s->machine, i)->batch = s->batch[i];
		for (unsigned k = 0; k < NETWORK_BATCH; k++)
			message_fill(s->batch[i] + (size_t)k * NETWORK_BYTES, NETWORK_BYTES);
	}
}

/* What most tests begin with: 200 datagrams, one a millisecond. */
static inline struct sender_plan sending_plan(void)
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

static inline struct receiver_plan receiving_plan(void)
{
	return (struct receiver_plan){
		.datagrams = true,
		.answers = true,
		.acknowledges = true,
		.message_bytes = NETWORK_BYTES,
		.senders = 1,
		.ahead = 12 * NP_SECOND,
		.secret = {{1, 2}},
	};
}

static inline struct network *network_of(const struct sender_plan *sender,
					 const struct receiver_plan *receiver, unsigned receivers,
					 uint64_t seed)
{
	struct network *n = calloc(1, sizeof(*n));
	struct receiver_plan plan = *receiver;

	assert_non_null(n);
	n->now = EPOCH;
	n->random = seed * UINT64_C(2654435761) + 1;
	n->delay = STEP;
	n->latest = LOOK;
	n->streams = !sender->repeats;
	n->receivers = receivers;
	n->stranger = address_of("10.0.9.9:999");
	message_fill(n->pattern, sizeof(n->pattern));
	sending_start(n, sender);
	n->sender.rate_kbps = 8 * NETWORK_BYTES; /* a message a millisecond */
	for (unsigned i = 0; i < receivers; i++) {
		plan.secret.word[0] = seed * 8 + i;
		receiving_start(n, i, &plan);
	}
	return n;
}

static inline void network_free(struct network *n)
{
	for (struct packet *packet; (packet = n->first);) {
		n->first = packet->next;
		free(packet);
	}
	for (unsigned i = 0; i < n->receivers; i++)
		receiver_free(n->receiver[i].machine);
	sender_free(n->sender.machine);
	free(n);
}

#endif
