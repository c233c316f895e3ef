// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a sender does message by message, to the millisecond: how often it asks, whom it believes,
 * what it gives up when, and what its messages carry.
 */
#include "support/ttcp_network.h"

#include <errno.h>
#include <string.h>

#define MS    NP_MILLISECOND
#define LANES 2
#define ID    99

/* A sender, whose messages and events are looked at one by one. */
struct desk {
	struct sender *sender;
	struct sender_plan plan;
	np_time now;
	unsigned stops;
	struct np_address one, two; /* receivers */
	unsigned said[MESSAGE_REPORT + 1], said_on[LANES];
	unsigned alone; /* of them those to one receiver */
	struct message last;
	np_time last_at;
	int refusal; /* of tell */
	bool refused;
	unsigned connects, finished;
	uint64_t left; /* unacknowledged */
	bool full;
	uint64_t pushed;
	struct message data; /* the last one pushed */
	uint8_t batch[LANES][NETWORK_BATCH * NETWORK_BYTES];
	unsigned told[SENDER_JOINED_LATE + 1];
	enum sender_fault fault;
	int error;
	np_time acked;
};

static int tell(void *context, unsigned lane, const struct np_address *to, const void *message,
		size_t bytes)
{
	struct desk *d = context;

	assert_int_equal(message_decode(message, bytes, &d->last), 0);
	d->said[d->last.type]++;
	d->said_on[lane]++;
	d->alone += to != NULL;
	d->last_at = d->now;
	return d->refusal;
}

static ssize_t push(void *context, struct sender_lane *lane, np_time *now)
{
	struct desk *d = context;

	*now = d->now;
	if (d->full)
		return -EAGAIN;
	for (size_t at = lane->gone; at < lane->filled; at += NETWORK_BYTES) {
		assert_int_equal(message_decode(lane->batch + at, NETWORK_BYTES, &d->data), 0);
		d->pushed++;
	}
	return (ssize_t)(lane->filled - lane->gone);
}

static np_time read_clock(void *context)
{
	return ((const struct desk *)context)->now;
}

static int connect_again(void *context)
{
	((struct desk *)context)->connects++;
	return 0;
}

static void give_up(void *context, unsigned lane)
{
	(void)lane;
	assert_non_null(context);
}

static void finish(void *context, unsigned lane)
{
	((struct desk *)context)->finished += lane + 1;
}

static uint64_t unacknowledged(void *context)
{
	return ((const struct desk *)context)->left;
}

static bool refused(void *context)
{
	return ((const struct desk *)context)->refused;
}

static char *name(void *context, const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	(void)context;
	(void)address;
	return strcpy(out, "somebody");
}

static void hear(void *context, const struct sender_event *event)
{
	struct desk *d = context;

	d->told[event->kind]++;
	d->fault = event->fault;
	d->error = event->error;
	d->acked = event->acked;
}

static struct sender_plan plan_of(bool datagrams)
{
	struct sender_plan plan = sending_plan();

	plan.repeats = datagrams;
	plan.no_wait = false;
	plan.id = ID;
	plan.messages = 10;
	return plan;
}

static struct desk *desk_of(const struct sender_plan *plan)
{
	struct desk *d = calloc(1, sizeof(*d));
	const struct sender_port port = {
		.context = d,
		.tell = tell,
		.push = push,
		.clock = read_clock,
		.connect = connect_again,
		.give_up = give_up,
		.finish = finish,
		.unacknowledged = unacknowledged,
		.refused = refused,
		.name = name,
	};
	const struct sender_listener listener = {d, hear};

	assert_non_null(d);
	d->plan = *plan;
	d->plan.stops = &d->stops;
	d->now = EPOCH;
	d->one = address_of("10.0.0.1:5001");
	d->two = address_of("10.0.0.2:5001");
	assert_int_equal(sender_create(&d->sender, &d->plan, &port, &listener), 0);
	for (unsigned i = 0; i < plan->lanes; i++) {
		sender_lane(d->sender, i)->batch = d->batch[i];
		message_fill(d->batch[i], sizeof(d->batch[i]));
	}
	sender_begin(d->sender, 1, 8 * NETWORK_BYTES);
	sender_contact(d->sender, d->now);
	return d;
}

static struct desk *desk(bool datagrams)
{
	const struct sender_plan plan = plan_of(datagrams);

	return desk_of(&plan);
}

static void desk_free(struct desk *d)
{
	sender_free(d->sender);
	free(d);
}

static enum sender_phase phase(const struct desk *d)
{
	return sender_run(d->sender)->phase;
}

/* Time passes: what is due then is done then. */
static void pass(struct desk *d, np_time time)
{
	for (np_time end = d->now + time; d->now < end;) {
		d->now += MS;
		if (d->now >= sender_deadline(d->sender))
			sender_tick(d->sender, d->now);
	}
}

static void take_from(struct desk *d, const struct np_address *from, const struct message *m)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(data, m);

	assert_int_equal(sender_take(d->sender, data, bytes, from, d->now), 0);
}

static struct message answer_of(enum message_type type)
{
	return (struct message){.type = (uint8_t)type, .session = ID, .run = 1};
}

/* START_OK on @lane, by a clock 5 s ahead. */
static void take_ok(struct desk *d, const struct np_address *from, unsigned lane)
{
	struct message m = answer_of(MESSAGE_START_OK);

	m.stream = (uint16_t)lane;
	m.time = d->last_at + 7 * NP_SECOND;
	m.start_ok.challenge = 4711;
	m.start_ok.start_received = m.start_ok.replied = d->now + 12 * NP_SECOND;
	take_from(d, from, &m);
}

static void take_verdict(struct desk *d, enum message_verdict verdict)
{
	struct message m = answer_of(MESSAGE_START_OK);

	m.start_ok.verdict = (uint8_t)verdict;
	take_from(d, &d->one, &m);
}

static void take_report(struct desk *d, const struct np_address *from)
{
	const struct message m = answer_of(MESSAGE_REPORT);

	take_from(d, from, &m);
}

/* To where DATA may go: all lanes are answered, the pause is over. */
static void contact(struct desk *d)
{
	for (unsigned i = 0; i < d->plan.lanes; i++)
		take_ok(d, &d->one, i);
	pass(d, 3 * NP_SECOND);
	assert_int_equal(phase(d), SENDER_SENDING);
	sender_start(d->sender, d->now);
}

/* And behind them. */
static void send_all(struct desk *d)
{
	np_time now = d->now;

	while (!sender_sent(d->sender, now)) {
		d->now += MS;
		now = d->now;
		assert_in_range(sender_push(d->sender, &now), 0, 1);
	}
}

static void unanswered(void **state)
{
	struct sender_plan plan = plan_of(true);

	(void)state;
	for (unsigned wait = 0; wait <= 10; wait += 5) {
		struct desk *d;

		plan.wait = wait * NP_SECOND;
		d = desk_of(&plan);
		assert_int_equal(d->said[MESSAGE_START], 1);
		pass(d, 95 * MS);
		assert_int_equal(d->said[MESSAGE_START], 1);
		pass(d, 10 * MS);
		assert_int_equal(d->said[MESSAGE_START], 2);
		pass(d, (wait > 3 ? wait : 3) * NP_SECOND - 110 * MS);
		assert_int_equal(phase(d), SENDER_CONTACT);
		pass(d, 10 * MS);
		assert_int_equal(phase(d), SENDER_DONE);
		assert_int_equal(d->fault, SENDER_UNANSWERED);
		assert_int_equal(d->told[SENDER_FAILED], 1);
		assert_true(sender_run(d->sender)->failed);
		assert_in_range(d->said[MESSAGE_START], 28, wait > 3 ? wait * 10 + 1 : 31);
		desk_free(d);
	}
}

/* Asked again and again, for the clocks' sake, for three seconds. */
static void answered(void **state)
{
	struct desk *d = desk(true);

	(void)state;
	assert_false(d->last.start.clock.known);
	assert_int_equal(d->last.start.proof, 0);
	assert_int_equal(d->last.start.messages, 10);
	assert_int_equal(d->last.start.message_bytes, NETWORK_BYTES);
	assert_int_equal(d->last.start.rate_kbps, 8 * NETWORK_BYTES);
	assert_int_equal(d->last.time, EPOCH + 7 * NP_SECOND);
	take_ok(d, &d->one, 0);
	pass(d, 105 * MS);
	assert_true(d->last.start.clock.known);
	assert_int_equal(d->last.start.clock.offset, 5 * NP_SECOND);
	assert_int_equal(d->last.start.proof, 4711);
	pass(d, 2890 * MS);
	assert_int_equal(phase(d), SENDER_CONTACT);
	assert_in_range(d->said[MESSAGE_START], 29, 31);
	pass(d, 10 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	assert_int_equal(sender_receivers(d->sender)->count, 1);
	assert_string_equal(sender_receivers(d->sender)->receiver[0].name, "somebody");
	assert_false(sender_receivers(d->sender)->receiver[0].joined_late);
	assert_true(sender_receivers(d->sender)->receiver[0].clock.known);
	assert_int_equal(sender_receivers(d->sender)->receiver[0].clock.offset, 5 * NP_SECOND);
	desk_free(d);
}

/* Without the pause: a few quick exchanges, or half a second. */
static void quick(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;

	(void)state;
	plan.no_wait = true;
	d = desk_of(&plan);
	for (unsigned i = 0; i < 8; i++) {
		assert_int_equal(phase(d), SENDER_CONTACT);
		pass(d, MS);
		take_ok(d, &d->one, 0);
		assert_true(sender_deadline(d->sender) <= d->now);
	}
	pass(d, MS);
	take_ok(d, &d->one, 0);
	pass(d, 2 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	desk_free(d);

	d = desk_of(&plan);
	take_ok(d, &d->one, 0);
	pass(d, 490 * MS);
	assert_int_equal(phase(d), SENDER_CONTACT);
	pass(d, 110 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	desk_free(d);
}

/* A group is asked at 0, 1 and 2 s; members that are known alone, each 100 ms. */
static void groups(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;

	(void)state;
	plan.group = true;
	d = desk_of(&plan);
	pass(d, 2950 * MS);
	assert_in_range(d->said[MESSAGE_START], 12, 15);
	assert_int_equal(d->alone, 0);
	pass(d, 100 * MS);
	assert_int_equal(d->fault, SENDER_UNANSWERED);
	desk_free(d);

	/* Also by a host that is a little late each time. */
	d = desk_of(&plan);
	while (d->now < EPOCH + 1950 * MS) {
		d->now += 30 * MS;
		sender_tick(d->sender, d->now);
	}
	assert_in_range(d->said[MESSAGE_START], 2, 4);
	desk_free(d);

	d = desk_of(&plan);
	pass(d, 50 * MS);
	take_ok(d, &d->one, 0);
	take_ok(d, &d->two, 0);
	pass(d, 2960 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	assert_in_range(d->alone, 2 * 15, 2 * 30);
	assert_int_equal(receivers_ready(sender_receivers(d->sender)), 2);
	desk_free(d);

	plan.no_wait = true;
	d = desk_of(&plan);
	take_ok(d, &d->one, 0);
	pass(d, 240 * MS);
	assert_int_equal(phase(d), SENDER_CONTACT);
	pass(d, 900 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	/* So that it can prove where it is. */
	assert_true(d->alone >= 1);
	desk_free(d);
}

static void verdicts(void **state)
{
	static const struct {
		enum message_verdict verdict;
		enum sender_fault fault;
	} cases[] = {{MESSAGE_BUSY, SENDER_BUSY}, {MESSAGE_UNWILLING, SENDER_UNWILLING}};

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct desk *d = desk(i & 1);

		take_verdict(d, cases[i / 2].verdict);
		sender_tick(d->sender, d->now);
		assert_int_equal(phase(d), SENDER_DONE);
		assert_int_equal(d->fault, cases[i / 2].fault);
		desk_free(d);
	}
}

/* Another version: a stream's partner will not answer better, anybody's datagram is no answer. */
static void foreign(void **state)
{
	(void)state;
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct desk *d = desk(datagrams);
		const struct message m = answer_of(MESSAGE_START_OK);
		uint8_t data[MESSAGE_CONTROL_MAX];
		const size_t bytes = message_encode(data, &m);

		data[3]++;
		assert_int_equal(sender_take(d->sender, data, bytes, &d->one, d->now),
				 -EPROTONOSUPPORT);
		sender_tick(d->sender, d->now);
		assert_int_equal(phase(d), datagrams ? SENDER_CONTACT : SENDER_DONE);
		pass(d, 3100 * MS);
		assert_int_equal(d->fault, SENDER_FOREIGN);
		desk_free(d);
	}
}

/* Nobody is there, says its host; with --wait somebody may come. */
static void refusals(void **state)
{
	struct sender_plan plan = plan_of(true);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct desk *d;

		plan.wait = i == 1 ? 5 * NP_SECOND : 0;
		plan.group = i == 2;
		d = desk_of(&plan);
		d->refused = true;
		sender_broke(d->sender, -ECONNREFUSED);
		pass(d, 110 * MS);
		assert_int_equal(phase(d), i ? SENDER_CONTACT : SENDER_DONE);
		desk_free(d);
	}
}

static void stopped_before_an_answer(void **state)
{
	struct desk *d = desk(true);

	(void)state;
	d->stops = 1;
	pass(d, 110 * MS);
	assert_int_equal(d->fault, SENDER_INTERRUPTED);
	desk_free(d);
}

/* A stream's START is told once on each lane; who never answers is taken for a classic one. */
static void silent_streams(void **state)
{
	struct sender_plan plan = plan_of(false);
	struct desk *d;

	(void)state;
	plan.lanes = LANES;
	d = desk_of(&plan);
	pass(d, 2990 * MS);
	assert_int_equal(d->said_on[0], 1);
	assert_int_equal(d->said_on[1], 1);
	assert_int_equal(phase(d), SENDER_CONTACT);
	pass(d, 20 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	assert_int_equal(d->told[SENDER_SILENT], 1);
	assert_true(sender_run(d->sender)->silent);
	/* It was only late. */
	take_ok(d, &d->one, 0);
	assert_false(sender_run(d->sender)->silent);
	desk_free(d);

	/* One lane answers, the other will, too, for 20 s. */
	d = desk_of(&plan);
	take_ok(d, &d->one, 1);
	pass(d, 19900 * MS);
	assert_int_equal(phase(d), SENDER_CONTACT);
	pass(d, 200 * MS);
	assert_int_equal(d->fault, SENDER_PARTLY);
	desk_free(d);
}

/* What is closed before it is answered is connected again, as long as the contact lasts. */
static void closed_streams(void **state)
{
	struct desk *d = desk(false);
	unsigned starts;

	(void)state;
	sender_lane(d->sender, 0)->closed = true;
	sender_broke(d->sender, -ECONNRESET);
	sender_tick(d->sender, d->now);
	assert_int_equal(phase(d), SENDER_CONTACT);
	assert_int_equal(d->connects, 1);
	assert_int_equal(d->told[SENDER_AGAIN], 1);
	starts = d->said[MESSAGE_START];
	assert_int_equal(starts, 2);
	/* Not at once a second time. */
	sender_lane(d->sender, 0)->closed = true;
	sender_tick(d->sender, d->now);
	assert_int_equal(d->connects, 1);
	pass(d, 110 * MS);
	assert_int_equal(d->connects, 2);
	assert_int_equal(d->told[SENDER_AGAIN], 1);
	/* And behind the limit no more. */
	while (phase(d) == SENDER_CONTACT && d->now < EPOCH + 10 * NP_SECOND) {
		sender_lane(d->sender, 0)->closed = true;
		pass(d, 50 * MS);
	}
	assert_in_range(d->now - EPOCH, 2900 * MS, 3200 * MS);
	assert_int_equal(d->fault, SENDER_BROKEN);
	assert_int_equal(d->error, -ECONNRESET);
	desk_free(d);

	/* Once it is answered a closed one ends the contact, and what is sent will fail. */
	d = desk(false);
	take_ok(d, &d->one, 0);
	sender_lane(d->sender, 0)->closed = true;
	pass(d, 110 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	assert_int_equal(d->connects, 0);
	desk_free(d);
}

static void broken_contact(void **state)
{
	static const struct {
		int error;
		enum sender_fault fault;
	} cases[] = {{-EPROTO, SENDER_NO_TTCP}, {-ENETUNREACH, SENDER_BROKEN}};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct desk *d = desk(false);

		sender_broke(d->sender, cases[i].error);
		assert_int_equal(phase(d), SENDER_DONE);
		assert_int_equal(d->fault, cases[i].fault);
		desk_free(d);
	}
}

/* Their numbers, their stamps, their rate, and how many. */
static void data(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;
	np_time now;

	(void)state;
	plan.lanes = LANES;
	plan.batch = NETWORK_BATCH;
	d = desk_of(&plan);
	contact(d);
	now = d->now;
	assert_int_equal(sender_push(d->sender, &now), 1);
	assert_int_equal(d->pushed, 1);
	assert_int_equal(d->data.number, 0);
	assert_int_equal(d->data.stream, 0);
	assert_int_equal(d->data.session, ID);
	assert_int_equal(d->data.time, d->now + 7 * NP_SECOND);
	/* One a millisecond, of both lanes; those that are late come together. */
	d->now += 3 * MS;
	now = d->now;
	assert_int_equal(sender_push(d->sender, &now), 1);
	assert_int_equal(sender_messages(d->sender), 4);
	assert_int_equal(sender_rest(d->sender, now, now + NP_SECOND), now + MS);
	assert_int_equal(sender_push(d->sender, &now), 0);
	send_all(d);
	assert_int_equal(d->pushed, 20);
	assert_int_equal(sender_messages(d->sender), 20);
	assert_int_equal(sender_lane(d->sender, 0)->number, 10);
	assert_int_equal(sender_lane(d->sender, 1)->number, 10);
	assert_int_equal(sender_run(d->sender)->last, d->now);
	desk_free(d);
}

/* Nothing goes at or behind the end of the duration; how long a sender may sleep until then. */
static void durations(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;
	np_time now, begun;

	(void)state;
	plan.messages = 0;
	plan.duration = 256 * MS;
	for (unsigned kbps = 0; kbps <= 4; kbps += 4) {
		d = desk_of(&plan);
		sender_begin(d->sender, 1, kbps);
		sender_contact(d->sender, d->now);
		contact(d);
		now = begun = d->now;
		/* Greedy ones need not sleep at all; at 4 kbps 64 bytes take 128 ms. */
		assert_int_equal(sender_rest(d->sender, now, now + 20 * MS),
				 kbps ? now : now + 20 * MS);
		assert_int_equal(sender_push(d->sender, &now), 1);
		d->now = now = begun + 250 * MS;
		assert_int_equal(sender_push(d->sender, &now), 1);
		assert_int_equal(sender_rest(d->sender, now, now + 20 * MS), begun + 256 * MS);
		d->now = now = begun + 256 * MS;
		assert_int_equal(sender_push(d->sender, &now), 0);
		assert_true(sender_sent(d->sender, now));
		/* The next one was due with the end, and so not before it. */
		d->now = begun + 900 * MS;
		sender_end(d->sender, d->now);
		assert_int_equal(sender_run(d->sender)->pacer.worst_behind, kbps ? 122 * MS : 0);
		desk_free(d);
	}
	/* All that were wanted went: the end of the duration means nothing. */
	plan.messages = 3;
	d = desk_of(&plan);
	contact(d);
	send_all(d);
	assert_int_equal(d->pushed, 3);
	d->now += NP_SECOND;
	sender_end(d->sender, d->now);
	assert_true(sender_run(d->sender)->pacer.worst_behind <= MS);
	desk_free(d);
}

/* A lane without room keeps what it has; 20 s without any, 2 s once the user wants to stop. */
static void no_room(void **state)
{
	(void)state;
	for (unsigned stops = 0; stops < 2; stops++) {
		struct desk *d = desk(false);
		const np_time limit = stops ? 2 * NP_SECOND : 20 * NP_SECOND;
		np_time now;

		contact(d);
		d->full = true;
		now = d->now;
		assert_int_equal(sender_push(d->sender, &now), 0);
		assert_int_equal(sender_messages(d->sender), 0);
		d->stops = stops;
		assert_false(sender_sent(d->sender, now));
		assert_false(sender_stalled(d->sender, d->now + limit - MS));
		/* The other kernel takes what it has. */
		d->left = 1000;
		assert_true(sender_moves(d->sender, d->now + limit - MS, limit));
		d->left = 500;
		assert_false(sender_stalled(d->sender, d->now + limit + MS));
		assert_false(sender_stalled(d->sender, d->now + 2 * limit));
		assert_true(sender_stalled(d->sender, d->now + 2 * limit + 2 * MS));
		d->full = false;
		now = d->now;
		assert_int_equal(sender_push(d->sender, &now), 1);
		assert_int_equal(sender_messages(d->sender), 1);
		assert_false(sender_stalled(d->sender, d->now + 2 * limit));
		desk_free(d);
	}
}

static void take_ack(struct desk *d, uint64_t number, np_time sent)
{
	struct message m = answer_of(MESSAGE_ACK);

	m.number = number;
	m.time = sent + 7 * NP_SECOND;
	m.ack.received = sent + 12 * NP_SECOND;
	m.ack.data_size = NETWORK_BYTES;
	take_from(d, &d->one, &m);
}

/* One at a time; an ACK that does not come within a second holds datagrams up no longer. */
static void ping_pong(void **state)
{
	(void)state;
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct sender_plan plan = plan_of(datagrams);
		struct desk *d;
		np_time now, sent;

		plan.ping_pong = plan.acks = true;
		d = desk_of(&plan);
		contact(d);
		sent = now = d->now;
		assert_int_equal(sender_push(d->sender, &now), 1);
		pass(d, 5 * MS);
		now = d->now;
		assert_int_equal(sender_push(d->sender, &now), 0);
		take_ack(d, 0, sent);
		assert_int_equal(d->told[SENDER_ACK], 1);
		assert_int_equal(d->acked, d->now + 7 * NP_SECOND);
		assert_true(sender_receivers(d->sender)->rtt_sum == 5 * MS);
		/* Again, one that was never sent, and one of another stream: they do not count. */
		take_ack(d, 0, sent);
		take_ack(d, 1, sent);
		assert_int_equal(d->told[SENDER_ACK], 1);
		sent = now = d->now;
		assert_int_equal(sender_push(d->sender, &now), 1);
		(void)sender_rest(d->sender, sent + 999 * MS, NP_TIME_NEVER);
		now = sent + 999 * MS;
		assert_int_equal(sender_push(d->sender, &now), 0);
		(void)sender_rest(d->sender, sent + 1000 * MS, NP_TIME_NEVER);
		now = sent + 1000 * MS;
		assert_int_equal(sender_push(d->sender, &now), datagrams);
		assert_int_equal(sender_stalled(d->sender, sent + 20 * NP_SECOND), !datagrams);
		desk_free(d);
	}
}

/* END five times each 10 ms, then each 50, until the report. */
static void ends(void **state)
{
	struct desk *d = desk(true);

	(void)state;
	contact(d);
	send_all(d);
	sender_lane(d->sender, 0)->lost = 2;
	sender_end(d->sender, d->now);
	assert_int_equal(d->said[MESSAGE_END], 1);
	assert_int_equal(d->last.number, 10);
	assert_int_equal(d->last.end.unsent, 2);
	assert_int_equal(d->last.end.proof, 4711);
	assert_true(d->last.end.clock.known);
	assert_true(d->last.end.clock.bound < 2 * MS);
	assert_false(d->last.end.last);
	assert_int_equal(d->last.flags & MESSAGE_AGAIN, 0);
	pass(d, 41 * MS);
	assert_int_equal(d->said[MESSAGE_END], 5);
	assert_int_equal(d->last.flags & MESSAGE_AGAIN, MESSAGE_AGAIN);
	pass(d, 500 * MS);
	assert_in_range(d->said[MESSAGE_END], 13, 15);
	assert_int_equal(phase(d), SENDER_ENDING);
	take_report(d, &d->one);
	pass(d, 60 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	assert_false(sender_run(d->sender)->failed);
	assert_int_equal(d->told[SENDER_NO_REPORT], 0);
	desk_free(d);
}

/* Two seconds without a word; signs of life put it off, three times as long as they are apart. */
static void no_report(void **state)
{
	struct desk *d = desk(true);
	struct message m = answer_of(MESSAGE_START_OK);

	(void)state;
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	pass(d, 1999 * MS);
	assert_int_equal(phase(d), SENDER_ENDING);
	d->now += MS;
	sender_tick(d->sender, d->now);
	assert_int_equal(phase(d), SENDER_DONE);
	assert_int_equal(d->told[SENDER_NO_REPORT], 1);
	assert_true(sender_run(d->sender)->failed);
	desk_free(d);

	d = desk(true);
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	for (unsigned i = 0; i < 4; i++) {
		pass(d, 1500 * MS);
		m.time = d->last_at;
		take_from(d, &d->one, &m);
		/* Two of one moment are one. */
		take_from(d, &d->one, &m);
	}
	/* They acknowledge nothing. */
	assert_int_equal(d->told[SENDER_ACK], 0);
	pass(d, 4400 * MS);
	assert_int_equal(phase(d), SENDER_ENDING);
	pass(d, 200 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	desk_free(d);

	/* However close they are, it is two seconds. */
	d = desk(true);
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	for (unsigned i = 0; i < 18; i++) {
		pass(d, 100 * MS);
		m.time = d->last_at;
		take_from(d, &d->one, &m);
	}
	pass(d, 1900 * MS);
	assert_int_equal(phase(d), SENDER_ENDING);
	pass(d, 200 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	desk_free(d);

	/* The user insists. */
	d = desk(true);
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	d->stops = 1;
	pass(d, 60 * MS);
	assert_int_equal(phase(d), SENDER_ENDING);
	assert_true(d->last.end.last);
	d->stops = 2;
	pass(d, 60 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	desk_free(d);
}

/* Members are told alone, of their own clocks; who reports is told no more. */
static void ends_of_a_group(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;
	unsigned before;

	(void)state;
	plan.group = true;
	d = desk_of(&plan);
	take_ok(d, &d->one, 0);
	take_ok(d, &d->two, 0);
	pass(d, 3010 * MS);
	sender_start(d->sender, d->now);
	send_all(d);
	before = d->alone;
	sender_end(d->sender, d->now);
	assert_int_equal(d->said[MESSAGE_END], 3);
	assert_int_equal(d->alone - before, 2);
	assert_int_equal(d->last.flags & MESSAGE_AGAIN, MESSAGE_AGAIN);
	take_report(d, &d->one);
	pass(d, 11 * MS);
	assert_int_equal(d->said[MESSAGE_END], 5);
	assert_int_equal(d->alone - before, 3);
	pass(d, 3 * NP_SECOND);
	assert_int_equal(d->told[SENDER_NO_REPORT], 1);
	desk_free(d);
}

/* Over streams once, and the lanes are finished; the report, or the end of all, ends it. */
static void ends_of_streams(void **state)
{
	struct sender_plan plan = plan_of(false);

	(void)state;
	plan.lanes = LANES;
	for (unsigned i = 0; i < 3; i++) {
		struct desk *d = desk_of(&plan);

		contact(d);
		send_all(d);
		sender_end(d->sender, d->now);
		assert_int_equal(d->said[MESSAGE_END], LANES);
		assert_int_equal(d->finished, 1 + 2);
		assert_true(sender_deadline(d->sender) > d->now);
		pass(d, 5 * NP_SECOND);
		assert_int_equal(d->said[MESSAGE_END], LANES);
		assert_int_equal(phase(d), SENDER_ENDING);
		if (i == 0)
			take_report(d, &d->one);
		sender_lane(d->sender, 0)->closed = i >= 1;
		pass(d, 300 * MS);
		assert_int_equal(phase(d), i ? SENDER_ENDING : SENDER_DONE);
		if (i == 1)
			sender_lane(d->sender, 1)->closed = true;
		if (i == 1)
			pass(d, 300 * MS);
		else
			pass(d, 20 * NP_SECOND);
		assert_int_equal(phase(d), SENDER_DONE);
		assert_int_equal(d->told[SENDER_NO_REPORT], i > 0);
		desk_free(d);
	}
}

/* The user insists. */
static void stopped_ends_of_streams(void **state)
{
	struct desk *d = desk(false);

	(void)state;
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	d->stops = 1;
	pass(d, NP_SECOND);
	assert_int_equal(phase(d), SENDER_ENDING);
	d->stops = 2;
	pass(d, 300 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	desk_free(d);
}

/* The last ACKs are waited for behind the report. */
static void last_acks(void **state)
{
	struct sender_plan plan = plan_of(false);
	struct desk *d;

	(void)state;
	plan.acks = true;
	plan.messages = 2;
	d = desk_of(&plan);
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	take_report(d, &d->one);
	take_ack(d, 0, d->now);
	pass(d, 250 * MS);
	assert_int_equal(phase(d), SENDER_ENDING);
	take_ack(d, 1, d->now);
	pass(d, 250 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	desk_free(d);
}

/* A connection that breaks behind the report has nothing more to say. */
static void broken_ends(void **state)
{
	(void)state;
	for (unsigned reported = 0; reported < 2; reported++) {
		struct desk *d = desk(false);

		contact(d);
		send_all(d);
		sender_end(d->sender, d->now);
		if (reported)
			take_report(d, &d->one);
		sender_broke(d->sender, -ECONNRESET);
		assert_int_equal(phase(d), SENDER_DONE);
		assert_int_equal(d->told[SENDER_LOST], !reported);
		assert_int_equal(sender_run(d->sender)->failed, !reported);
		desk_free(d);
	}
}

/* A receiver of datagrams that answers only once they go has come late. */
static void late_receivers(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;

	(void)state;
	plan.group = true;
	d = desk_of(&plan);
	take_ok(d, &d->one, 0);
	pass(d, 3010 * MS);
	sender_start(d->sender, d->now);
	take_ok(d, &d->two, 0);
	assert_false(sender_receivers(d->sender)->receiver[0].joined_late);
	assert_true(sender_receivers(d->sender)->receiver[1].joined_late);
	send_all(d);
	sender_end(d->sender, d->now);
	take_report(d, &d->one);
	take_report(d, &d->two);
	pass(d, 60 * MS);
	assert_int_equal(d->told[SENDER_JOINED_LATE], 1);
	desk_free(d);
}

/* Receivers that wait for the next run are told that there is none: as often as they may miss it.
 */
static void byes(void **state)
{
	(void)state;
	for (unsigned datagrams = 0; datagrams < 2; datagrams++) {
		struct desk *d = desk(datagrams);

		contact(d);
		send_all(d);
		d->stops = 1;
		sender_bye(d->sender);
		assert_int_equal(d->said[MESSAGE_END], datagrams ? 5 : 1);
		assert_true(d->last.end.last);
		desk_free(d);

		/* Before DATA: only who is ready, and only when the user stopped it. */
		d = desk(datagrams);
		sender_abandon(d->sender);
		take_ok(d, &d->one, 0);
		sender_abandon(d->sender);
		assert_int_equal(d->said[MESSAGE_END], 0);
		d->stops = 1;
		sender_abandon(d->sender);
		assert_int_equal(d->said[MESSAGE_END], 1);
		desk_free(d);
	}
}

/* What is of another session or run, or no answer, is nothing. */
static void strangers(void **state)
{
	struct desk *d = desk(true);
	struct message m = answer_of(MESSAGE_START_OK);

	(void)state;
	m.session = ID + 1;
	take_from(d, &d->one, &m);
	m = answer_of(MESSAGE_START_OK);
	m.run = 2;
	take_from(d, &d->one, &m);
	m = answer_of(MESSAGE_END);
	take_from(d, &d->one, &m);
	assert_int_equal(sender_receivers(d->sender)->count, 0);
	desk_free(d);
}

/* More than there is room for: who is there stays, the others only count. */
static void too_many(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;

	(void)state;
	plan.group = true;
	d = desk_of(&plan);
	for (unsigned i = 0; i <= RECEIVERS_MAX; i++) {
		struct np_address from = d->one;

		np_address_set_port(&from, (uint16_t)(1000 + i));
		take_ok(d, &from, 0);
	}
	assert_int_equal(sender_receivers(d->sender)->count, RECEIVERS_MAX);
	assert_int_equal(sender_receivers(d->sender)->refused, 1);
	desk_free(d);
}

/* A new run forgets what the last one sent and heard, but not who was there. */
static void next_run(void **state)
{
	struct desk *d = desk(true);

	(void)state;
	contact(d);
	send_all(d);
	sender_end(d->sender, d->now);
	take_report(d, &d->one);
	pass(d, 60 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	sender_begin(d->sender, 2, 0);
	assert_int_equal(phase(d), SENDER_CONTACT);
	assert_int_equal(sender_messages(d->sender), 0);
	assert_false(sender_lane(d->sender, 0)->ready);
	assert_false(sender_run(d->sender)->sending);
	assert_int_equal(sender_receivers(d->sender)->count, 1);
	assert_false(sender_receivers(d->sender)->receiver[0].reported);
	sender_contact(d->sender, d->now);
	assert_int_equal(d->last.run, 2);
	assert_int_equal(d->last.start.rate_kbps, 0);
	assert_true(d->last.start.clock.known);
	desk_free(d);
}

/* Each run compares the clocks anew. */
static void next_quick_run(void **state)
{
	struct sender_plan plan = plan_of(true);
	struct desk *d;

	(void)state;
	plan.no_wait = true;
	d = desk_of(&plan);
	for (unsigned run = 1; run <= 2; run++) {
		struct message m = answer_of(MESSAGE_START_OK);

		if (run == 2)
			sender_begin(d->sender, 2, 0);
		if (run == 2)
			sender_contact(d->sender, d->now);
		m.run = run;
		for (unsigned i = 0; i < 9; i++) {
			assert_int_equal(phase(d), SENDER_CONTACT);
			take_from(d, &d->one, &m);
			sender_tick(d->sender, d->now);
		}
		assert_int_equal(phase(d), SENDER_SENDING);
	}
	desk_free(d);
}

/* Who was late in one run need not be in the next, and the other way round. */
static void next_run_of_a_group(void **state)
{
	struct sender_plan plan = plan_of(true);
	const struct receivers *known;
	struct message m;
	struct desk *d;

	(void)state;
	plan.group = true;
	d = desk_of(&plan);
	known = sender_receivers(d->sender);
	take_ok(d, &d->one, 0);
	pass(d, 3010 * MS);
	sender_start(d->sender, d->now);
	take_ok(d, &d->two, 0);
	send_all(d);
	sender_end(d->sender, d->now);
	take_report(d, &d->one);
	take_report(d, &d->two);
	pass(d, 60 * MS);
	assert_true(known->receiver[1].joined_late);
	sender_begin(d->sender, 2, 8 * NETWORK_BYTES);
	for (unsigned i = 0; i < 2; i++) {
		assert_false(known->receiver[i].ready);
		assert_false(known->receiver[i].reported);
		assert_false(known->receiver[i].joined_late);
	}
	sender_contact(d->sender, d->now);
	m = answer_of(MESSAGE_START_OK);
	m.run = 2;
	take_from(d, &d->two, &m);
	pass(d, 3010 * MS);
	assert_int_equal(phase(d), SENDER_SENDING);
	sender_start(d->sender, d->now);
	take_from(d, &d->one, &m);
	assert_true(known->receiver[0].joined_late);
	assert_false(known->receiver[1].joined_late);
	send_all(d);
	sender_end(d->sender, d->now);
	m = answer_of(MESSAGE_REPORT);
	m.run = 2;
	take_from(d, &d->one, &m);
	take_from(d, &d->two, &m);
	pass(d, 60 * MS);
	assert_int_equal(phase(d), SENDER_DONE);
	assert_int_equal(d->told[SENDER_JOINED_LATE], 2);
	desk_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unanswered),
		cmocka_unit_test(answered),
		cmocka_unit_test(quick),
		cmocka_unit_test(groups),
		cmocka_unit_test(verdicts),
		cmocka_unit_test(foreign),
		cmocka_unit_test(refusals),
		cmocka_unit_test(stopped_before_an_answer),
		cmocka_unit_test(silent_streams),
		cmocka_unit_test(closed_streams),
		cmocka_unit_test(broken_contact),
		cmocka_unit_test(data),
		cmocka_unit_test(durations),
		cmocka_unit_test(no_room),
		cmocka_unit_test(ping_pong),
		cmocka_unit_test(ends),
		cmocka_unit_test(no_report),
		cmocka_unit_test(ends_of_a_group),
		cmocka_unit_test(ends_of_streams),
		cmocka_unit_test(stopped_ends_of_streams),
		cmocka_unit_test(last_acks),
		cmocka_unit_test(broken_ends),
		cmocka_unit_test(late_receivers),
		cmocka_unit_test(byes),
		cmocka_unit_test(strangers),
		cmocka_unit_test(too_many),
		cmocka_unit_test(next_run),
		cmocka_unit_test(next_quick_run),
		cmocka_unit_test(next_run_of_a_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
