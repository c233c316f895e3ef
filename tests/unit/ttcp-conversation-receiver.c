// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * What a receiver does message by message, to the millisecond: what begins a run, what it answers
 * and how often, how long it waits for what, and what it only counts.
 */
#include "support/ttcp_network.h"

#include <errno.h>
#include <string.h>

#define MS NP_MILLISECOND
#define ID 77

/* A receiver, whose answers and events are looked at one by one. */
struct desk {
	struct receiver *receiver;
	np_time now;
	struct np_address sender, other;
	unsigned answers;     /* so far */
	struct message last;  /* of them */
	struct np_address to; /* and to whom */
	unsigned told[RECEIVER_NO_MEMORY + 1];
	enum message_status status;
	uint64_t recorded, recorded_bytes;
	uint32_t proof; /* that the sender was told */
};

static void answer(void *context, const struct receiver_source *to, const void *message,
		   size_t bytes)
{
	struct desk *d = context;

	d->answers++;
	d->to = *to->address;
	assert_int_equal(message_decode(message, bytes, &d->last), 0);
}

static np_time read_clock(void *context)
{
	return ((const struct desk *)context)->now;
}

static void account(void *context, struct message_report *report)
{
	(void)context;
	report->drop_unit = MESSAGE_DROPS_PACKETS;
	report->host_drops_most = 3;
}

static void tell(void *context, const struct receiver_event *event)
{
	struct desk *d = context;

	d->told[event->kind]++;
	if (event->kind == RECEIVER_FINISHED)
		d->status = event->status;
}

static void record(void *context, const struct receiver_data *data)
{
	struct desk *d = context;

	d->recorded += data->count;
	d->recorded_bytes += data->bytes;
}

static struct desk *desk_of(const struct receiver_plan *plan)
{
	struct desk *d = calloc(1, sizeof(*d));
	const struct receiver_port port = {d, answer, read_clock, account};
	const struct receiver_listener listener = {d, tell, record};

	assert_non_null(d);
	d->now = EPOCH;
	d->sender = address_of("10.0.0.1:4000");
	d->other = address_of("10.0.0.2:4000");
	assert_int_equal(receiver_create(&d->receiver, plan, &port, &listener, d->now), 0);
	return d;
}

static struct desk *desk(bool datagrams)
{
	struct receiver_plan plan = receiving_plan();

	plan.with.datagrams = datagrams;
	plan.senders = 0;
	return desk_of(&plan);
}

static void desk_free(struct desk *d)
{
	receiver_free(d->receiver);
	free(d);
}

static const struct receiver_run *run_of(const struct desk *d)
{
	return receiver_run(d->receiver);
}

static struct np_flow_counts figures_of(const struct desk *d)
{
	return conversation_figures(receiver_conversation(d->receiver));
}

static struct message message_of(enum message_type type, uint64_t number)
{
	return (struct message){
		.type = (uint8_t)type,
		.session = ID,
		.run = 1,
		.number = number,
		.time = EPOCH,
		.size = NETWORK_BYTES,
	};
}

static void take_from(struct desk *d, const struct np_address *from, const struct message *m)
{
	const struct receiver_source source = {.address = from, .bytes = 200};

	receiver_take(d->receiver, &source, m, d->now);
}

static void take(struct desk *d, const struct message *m)
{
	take_from(d, &d->sender, m);
}

static void take_data(struct desk *d, uint64_t number)
{
	const struct message m = message_of(MESSAGE_DATA, number);

	take(d, &m);
}

static void take_end(struct desk *d, uint64_t messages)
{
	struct message m = message_of(MESSAGE_END, messages);

	m.end.proof = d->proof;
	take(d, &m);
}

static struct message start_of(const struct desk *d, uint64_t messages)
{
	struct message m = message_of(MESSAGE_START, messages);

	m.start = (struct message_start){
		.message_bytes = NETWORK_BYTES,
		.messages = messages,
		.timeout_ms = MESSAGE_SILENCE_MS,
		.streams = 1,
		.runs = 1,
		.proof = d->proof,
		.session = "DESK",
	};
	return m;
}

/* START until the run has begun. */
static void start(struct desk *d, uint64_t messages)
{
	struct message m = start_of(d, messages);

	take(d, &m);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	d->proof = d->last.start_ok.challenge;
	m.start.proof = d->proof;
	take(d, &m);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
}

/* Time passes, in the service's steps. */
static void pass(struct desk *d, np_time time)
{
	for (np_time end = d->now + time; d->now < end;) {
		d->now += MS;
		receiver_tick(d->receiver, d->now);
	}
}

static void raw(struct desk *d, uint64_t messages, uint64_t bytes)
{
	const struct receiver_source source = {.address = &d->sender, .bytes = bytes};

	receiver_take_raw(d->receiver, &source, messages, bytes, d->now);
}

/* 20 s, over whatever the messages come; a message of the run puts it off. */
static void silence(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct desk *d = desk(!i);

		start(d, 100);
		take_data(d, 0);
		pass(d, 19 * NP_SECOND);
		take_data(d, 1);
		pass(d, 19999 * MS);
		assert_int_equal(d->told[RECEIVER_FINISHED], 0);
		pass(d, MS);
		assert_int_equal(d->told[RECEIVER_FINISHED], 1);
		assert_int_equal(d->status, MESSAGE_TIMED_OUT);
		assert_int_equal(figures_of(d).received, 2);
		assert_int_equal(d->last.type, MESSAGE_REPORT);
		assert_int_equal(d->last.report.host_drops_most, 3);
		desk_free(d);
	}
}

/* A sender may ask for less patience, but not for more than its rate explains. */
static void patience(void **state)
{
	static const struct {
		uint32_t told_ms, rate_kbps, real_ms;
	} cases[] = {{500, 0, 500}, {UINT32_MAX, 0, 20000}, {UINT32_MAX, 1, 20000 + 2 * 512}};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct desk *d = desk(false);
		struct message m = start_of(d, 10);

		m.start.timeout_ms = cases[i].told_ms;
		m.start.rate_kbps = cases[i].rate_kbps;
		take(d, &m);
		pass(d, (cases[i].real_ms - 2) * MS);
		assert_int_equal(d->told[RECEIVER_FINISHED], 0);
		pass(d, 4 * MS);
		assert_int_equal(d->told[RECEIVER_FINISHED], 1);
		desk_free(d);
	}
}

/* Bytes of a connection have no time; classic datagrams have. */
static void raw_silence(void **state)
{
	struct desk *d = desk(false);

	(void)state;
	raw(d, 1, 1000);
	pass(d, 120 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	raw(d, 2, 500);
	conversation_finish(receiver_conversation(d->receiver), MESSAGE_COMPLETE);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(figures_of(d).received, 3);
	assert_int_equal(figures_of(d).bytes, 1500);
	assert_int_equal(d->recorded, 3);
	assert_int_equal(d->recorded_bytes, 1500);
	/* Nobody understands an answer. */
	assert_int_equal(d->answers, 0);
	desk_free(d);

	d = desk(true);
	raw(d, 1, 1000);
	pass(d, 15 * NP_SECOND);
	raw(d, 1, 1000);
	pass(d, 19990 * MS);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	pass(d, 20 * MS);
	assert_int_equal(d->status, MESSAGE_TIMED_OUT);
	desk_free(d);
}

/* What is dropped unread counts as it goes, and keeps the run alive. */
static void unread(void **state)
{
	struct desk *d = desk(false);
	struct conversation *with = receiver_conversation(d->receiver);

	(void)state;
	start(d, 100);
	conversation_begin_unread(with, 0);
	for (unsigned i = 0; i < 100; i++) {
		conversation_take_unread(with, 0, 1, NETWORK_BYTES, d->now);
		pass(d, NP_SECOND);
	}
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	assert_int_equal(run_of(d)->messages, 100);
	take_end(d, 100);
	assert_int_equal(d->status, MESSAGE_COMPLETE);
	assert_int_equal(figures_of(d).received, 100);
	assert_int_equal(figures_of(d).bytes, 100 * NETWORK_BYTES);
	assert_int_equal(d->recorded, 100);
	assert_int_equal(d->last.report.received, 100);
	desk_free(d);
}

/* A large message begins when its first bytes come. */
static void parts(void **state)
{
	const struct message first = message_of(MESSAGE_DATA, 0);
	struct message other = first;
	struct desk *d = desk(false);
	struct conversation *with = receiver_conversation(d->receiver);
	np_time began;

	(void)state;
	start(d, 2);
	pass(d, 100 * MS);
	other.session = ID + 1;
	conversation_take_part(with, &other, 10, d->now);
	other = first;
	other.stream = 1;
	conversation_take_part(with, &other, 10, d->now);
	assert_int_equal(figures_of(d).first, 0);
	pass(d, 100 * MS);
	began = d->now;
	conversation_take_part(with, &first, 10, d->now);
	pass(d, 50 * MS);
	take_data(d, 0);
	assert_int_equal(figures_of(d).first, began + 12 * NP_SECOND);
	assert_int_equal(run_of(d)->first, d->now);
	desk_free(d);
}

static uint64_t strays_after(struct desk *d, const struct message *m)
{
	(void)receiver_strays(d->receiver);
	take(d, m);
	return receiver_strays(d->receiver);
}

static void strays(void **state)
{
	struct desk *d = desk(true);
	struct message m = message_of(MESSAGE_DATA, 5);

	(void)state;
	start(d, 10);
	assert_int_equal(strays_after(d, &m), 0);
	/* A stream that START did not announce. */
	m.stream = 1;
	assert_int_equal(strays_after(d, &m), 1);
	m.type = MESSAGE_END;
	assert_int_equal(strays_after(d, &m), 1);
	m = message_of(MESSAGE_DATA, 5);
	m.session++;
	assert_int_equal(strays_after(d, &m), 1);
	m = message_of(MESSAGE_START_OK, 0);
	assert_int_equal(strays_after(d, &m), 1);
	assert_int_equal(figures_of(d).received, 1);
	take_end(d, 10);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	desk_free(d);

	/* Behind the report. */
	d = desk(false);
	start(d, 10);
	take_end(d, 10);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	m = message_of(MESSAGE_DATA, 5);
	assert_int_equal(strays_after(d, &m), 1);
	desk_free(d);
}

/* Datagrams without their START: of so many streams as tell of themselves. */
static void lost_start(void **state)
{
	struct desk *d = desk(true);
	struct message m = message_of(MESSAGE_DATA, 100);

	(void)state;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 1);
	assert_int_equal(run_of(d)->streams, 1);
	assert_false(run_of(d)->started);
	m.stream = 3;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_STREAMS], 1);
	assert_int_equal(run_of(d)->streams, 4);
	m.number++;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_STREAMS], 1);
	assert_int_equal(figures_of(d).received, 3);
	/* What came before is not known to be lost. */
	for (unsigned i = 0; i < 4; i++) {
		struct message end = message_of(MESSAGE_END, 102);

		end.stream = (uint16_t)i;
		take(d, &end);
	}
	assert_int_equal(d->told[RECEIVER_ENDED], 1);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(figures_of(d).lost, 1);
	assert_true(figures_of(d).missed_before >= 200);
	/* Another run of it: none of its streams has ended yet. */
	m = message_of(MESSAGE_DATA, 0);
	m.run = 2;
	take(d, &m);
	m.stream = 3;
	take(d, &m);
	m = message_of(MESSAGE_END, 1);
	m.run = 2;
	take(d, &m);
	m.stream = 3;
	take(d, &m);
	assert_int_equal(run_of(d)->number, 2);
	assert_int_equal(run_of(d)->streams, 4);
	assert_int_equal(d->told[RECEIVER_ENDED], 1);
	desk_free(d);

	/* What another sender announced is not of this one. */
	d = desk(true);
	m = start_of(d, 10);
	take(d, &m);
	m = message_of(MESSAGE_DATA, 0);
	m.session++;
	take(d, &m);
	assert_false(run_of(d)->started);
	desk_free(d);
	d = desk(true);
	m = start_of(d, 10);
	take(d, &m);
	m = message_of(MESSAGE_DATA, 0);
	take_from(d, &d->other, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 1);
	assert_false(run_of(d)->started);
	desk_free(d);
}

/* Damaged DATA are of the run, and keep it alive; of another one they are strays. */
static void damaged(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 200};
	struct message m = message_of(MESSAGE_DATA, 0);

	(void)state;
	start(d, 2);
	pass(d, 15 * NP_SECOND);
	receiver_take_damaged(d->receiver, &source, &m, d->now);
	pass(d, 15 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	assert_int_equal(receiver_strays(d->receiver), 0);
	assert_int_equal(figures_of(d).damaged, 1);
	assert_int_equal(figures_of(d).received, 0);
	m.session++;
	receiver_take_damaged(d->receiver, &source, &m, d->now);
	m.session--;
	m.stream = 1;
	receiver_take_damaged(d->receiver, &source, &m, d->now);
	assert_int_equal(receiver_strays(d->receiver), 2);
	assert_int_equal(figures_of(d).damaged, 1);
	desk_free(d);
}

/*
 * An END of which nothing else came begins a run, all of it lost, only of a sender that is known,
 * or proves where it is.
 */
static void an_end_alone(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 10);
	uint32_t proof;

	(void)state;
	take(d, &m);
	proof = d->last.start_ok.challenge;
	m = message_of(MESSAGE_END, 10);
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 0);
	assert_int_equal(receiver_strays(d->receiver), 1);
	m.end.proof = proof;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 1);
	m.end.proof = 0;
	m.run = 2;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 2);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 2);
	assert_int_equal(figures_of(d).received, 0);
	desk_free(d);
}

/* Twice a second at most, and only while messages come, the sender is told so. */
static void signs_of_life(void **state)
{
	struct desk *d = desk(true);
	unsigned before;

	(void)state;
	start(d, 1000);
	before = d->answers;
	for (unsigned i = 0; i < 400; i++) {
		take_data(d, i);
		pass(d, 5 * MS);
	}
	assert_in_range(d->answers - before, 3, 4);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	assert_int_equal(d->last.session, ID);
	assert_int_equal(d->last.run, 1);
	pass(d, NP_SECOND);
	before = d->answers;
	pass(d, 5 * NP_SECOND);
	assert_int_equal(d->answers, before);
	desk_free(d);
}

/* Who is acknowledged needs no other sign. */
static void acknowledgements(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 1000);
	unsigned before;

	(void)state;
	m.flags = MESSAGE_ACK_WANTED | MESSAGE_PING_PONG;
	take(d, &m);
	assert_false(receiver_in_ping_pong(d->receiver));
	m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_true(receiver_in_ping_pong(d->receiver));
	before = d->answers;
	for (unsigned i = 0; i < 20; i++) {
		m = message_of(MESSAGE_DATA, i);
		m.flags = MESSAGE_ACK_WANTED;
		m.time = EPOCH + i;
		take(d, &m);
		assert_int_equal(d->last.type, MESSAGE_ACK);
		assert_int_equal(d->last.number, i);
		assert_int_equal(d->last.time, EPOCH + i);
		assert_int_equal(d->last.ack.data_size, NETWORK_BYTES);
		assert_int_equal(d->last.ack.received, d->now + 12 * NP_SECOND);
		pass(d, 100 * MS);
	}
	assert_int_equal(d->answers - before, 20);
	desk_free(d);
}

/* ENDs in the time of grace are answered now and then; behind it by the report again. */
static void grace(void **state)
{
	struct desk *d = desk(true);
	unsigned before;

	(void)state;
	start(d, 10);
	take_data(d, 0);
	pass(d, NP_SECOND);
	/* 1 s longer under way, by the stamps: so the others may need that, too. */
	take_data(d, 1);
	take_end(d, 10);
	before = d->answers;
	for (unsigned i = 0; i < 30; i++) {
		pass(d, 50 * MS);
		take_end(d, 10);
	}
	assert_int_equal(d->told[RECEIVER_FINISHED], 0);
	assert_int_equal(run_of(d)->ended, true);
	assert_in_range(d->answers - before, 2, 4);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	take_data(d, 2);
	pass(d, 8 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(d->status, MESSAGE_COMPLETE);
	assert_in_range(run_of(d)->grace, 1500 * MS, 10000 * MS);
	assert_int_equal(d->last.type, MESSAGE_REPORT);
	assert_int_equal(d->last.report.status, MESSAGE_SHORT);
	assert_int_equal(d->last.report.received, 3);
	assert_int_equal(d->last.report.lost, 7);
	desk_free(d);
}

/* One stream that lacks messages is waited for, whatever the others have. */
static void grace_of_streams(void **state)
{
	(void)state;
	for (unsigned lacks = 0; lacks < 3; lacks++) {
		struct desk *d = desk(true);
		struct message m = start_of(d, 2);

		m.start.streams = 2;
		take(d, &m);
		d->proof = m.start.proof = d->last.start_ok.challenge;
		take(d, &m);
		for (unsigned i = 0; i < 4; i++) {
			m = message_of(MESSAGE_DATA, i / 2);
			m.stream = i % 2;
			if (i / 2 == 0 || m.stream != lacks)
				take(d, &m);
			pass(d, NP_SECOND);
		}
		for (unsigned i = 0; i < 2; i++) {
			m = message_of(MESSAGE_END, 2);
			m.stream = (uint16_t)i;
			take(d, &m);
		}
		pass(d, 300 * MS);
		assert_int_equal(d->told[RECEIVER_FINISHED], lacks == 2);
		desk_free(d);
	}
}

/* A report that was lost is asked for by END, on stream 0; then the receiver is free. */
static void repeated_end(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 1);
	unsigned before;

	(void)state;
	m.start.streams = 2;
	take(d, &m);
	d->proof = m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	take_data(d, 0);
	take_end(d, 1);
	pass(d, 250 * MS);
	assert_int_equal(d->told[RECEIVER_ENDED], 0);
	m = message_of(MESSAGE_END, 1);
	m.stream = 1;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_ENDED], 1);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(d->told[RECEIVER_LISTENING], 1);
	desk_free(d);

	d = desk(true);
	m = start_of(d, 1);
	m.start.streams = 2;
	take(d, &m);
	d->proof = m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	take_data(d, 0);
	m = message_of(MESSAGE_DATA, 0);
	m.stream = 1;
	take(d, &m);
	m = message_of(MESSAGE_END, 1);
	m.stream = 1;
	take(d, &m);
	take_end(d, 1);
	pass(d, 199 * MS);
	assert_int_equal(d->told[RECEIVER_FINISHED], 0);
	pass(d, MS);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(run_of(d)->grace, 200 * MS);
	before = d->answers;
	take(d, &m);
	assert_int_equal(d->answers, before);
	take_end(d, 1);
	assert_int_equal(d->answers, before + 1);
	assert_int_equal(d->last.type, MESSAGE_REPORT);
	/* Free 300 ms behind the last END. */
	pass(d, 200 * MS);
	take_end(d, 1);
	assert_int_equal(d->answers, before + 2);
	pass(d, 290 * MS);
	assert_int_equal(d->told[RECEIVER_LISTENING], 0);
	pass(d, 20 * MS);
	assert_int_equal(d->told[RECEIVER_LISTENING], 1);
	assert_int_equal(receiver_served(d->receiver), 1);
	desk_free(d);
}

/* A sender with more runs is waited for, 30 s; one that says so will not come again. */
static void more_runs(void **state)
{
	(void)state;
	for (unsigned bye = 0; bye < 2; bye++) {
		struct desk *d = desk(true);
		struct message m = start_of(d, 1);

		m.start.runs = 0;
		take(d, &m);
		d->proof = m.start.proof = d->last.start_ok.challenge;
		take(d, &m);
		take_data(d, 0);
		take_end(d, 1);
		pass(d, 210 * MS);
		assert_int_equal(d->told[RECEIVER_FINISHED], 1);
		m = message_of(MESSAGE_END, 1);
		m.end.last = bye;
		take(d, &m);
		pass(d, 310 * MS);
		assert_int_equal(d->told[RECEIVER_LISTENING], bye);
		pass(d, 29600 * MS);
		assert_int_equal(d->told[RECEIVER_LEFT], 0);
		pass(d, 200 * MS);
		assert_int_equal(d->told[RECEIVER_LEFT], !bye);
		assert_int_equal(d->told[RECEIVER_LISTENING], 1);
		desk_free(d);
	}
}

/* The next run begins though the END of the one before was lost, which ends short. */
static void a_run_without_end(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	start(d, 10);
	take_data(d, 0);
	/* It has proved where it is. */
	m = start_of(d, 10);
	m.run = 2;
	m.start.proof = 0;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_FINISHED], 1);
	assert_int_equal(d->status, MESSAGE_SHORT);
	assert_int_equal(d->told[RECEIVER_BEGUN], 2);
	assert_int_equal(run_of(d)->number, 2);
	/* And no run begins twice, or backwards. */
	take(d, &m);
	m.run = 1;
	take(d, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_BUSY);
	assert_int_equal(d->told[RECEIVER_BEGUN], 2);
	desk_free(d);
}

/* A member's answer to what all hear waits up to 100 ms, however often it is asked. */
static void held_answers(void **state)
{
	struct receiver_plan plan = receiving_plan();
	np_time least = NP_SECOND, most = 0;

	(void)state;
	for (unsigned seed = 0; seed < 60; seed++) {
		struct receiver_source source = {.by_group = true, .bytes = 200};
		struct desk *d;
		struct message m;
		np_time asked;

		plan.with.secret.word[0] = seed * 977;
		d = desk_of(&plan);
		source.address = &d->sender;
		m = start_of(d, 10);
		m.time = EPOCH + 5;
		receiver_take(d->receiver, &source, &m, d->now);
		asked = d->now;
		assert_int_equal(d->answers, 0);
		assert_in_range(receiver_deadline(d->receiver), asked, asked + 100 * MS);
		receiver_take(d->receiver, &source, &m, d->now);
		/* One that looks just when it is due. */
		if (seed == 1)
			receiver_tick(d->receiver, receiver_deadline(d->receiver));
		assert_int_equal(d->answers, seed == 1);
		while (!d->answers && d->now < asked + NP_SECOND)
			pass(d, MS);
		assert_in_range(d->now - asked, 0, 101 * MS);
		least = seed != 1 && d->now - asked < least ? d->now - asked : least;
		most = d->now - asked > most ? d->now - asked : most;
		assert_int_equal(d->last.type, MESSAGE_START_OK);
		assert_int_equal(d->last.time, EPOCH + 5);
		assert_int_equal(d->last.session, ID);
		assert_int_equal(d->last.start_ok.start_received, asked + 12 * NP_SECOND);
		pass(d, NP_SECOND);
		assert_int_equal(d->answers, 1);
		assert_true(receiver_deadline(d->receiver) == NP_TIME_NEVER);
		desk_free(d);
	}
	assert_true(least < 30 * MS && most > 70 * MS);
}

/* A question whether anybody is there begins nothing, and keeps out nobody. */
static void probes(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 10);

	(void)state;
	m.flags = MESSAGE_PROBE;
	take(d, &m);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_int_equal(d->told[RECEIVER_BEGUN], 0);
	start(d, 10);
	m.session++;
	take_from(d, &d->other, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_READY);
	m.flags = 0;
	take_from(d, &d->other, &m);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_BUSY);
	assert_true(np_address_equal(&d->to, &d->other));
	desk_free(d);
}

/* Nobody is sent more bytes than came from where it says it is, until it proves that. */
static void unproven(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source tiny = {.address = &d->sender, .bytes = 20};
	struct message m = start_of(d, 10);

	(void)state;
	receiver_take(d->receiver, &tiny, &m, d->now);
	assert_int_equal(d->answers, 0);
	/* Its DATA begin the run, and earn it answers. */
	m = message_of(MESSAGE_DATA, 0);
	m.flags = MESSAGE_ACK_WANTED;
	for (unsigned i = 0; i < 50; i++) {
		m.number = i;
		receiver_take(d->receiver, &tiny, &m, d->now);
	}
	/* An ACK is longer than 20 bytes. */
	assert_in_range(d->answers, 5, 25);
	/* The START that waited says what run it is. */
	assert_true(run_of(d)->started);
	assert_int_equal(run_of(d)->start.messages, 10);
	desk_free(d);
}

/* What the sender last said of the clocks is reported; START's until END says better. */
static void clocks(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	m = start_of(d, 10);
	take(d, &m);
	m.start.proof = d->proof = d->last.start_ok.challenge;
	m.start.clock = (struct message_clock){.known = true, .offset = 5, .bound = 50};
	take(d, &m);
	assert_int_equal(run_of(d)->clock.offset, 5);
	m.start.clock.offset = 6;
	take(d, &m);
	assert_int_equal(run_of(d)->clock.offset, 6);
	m.start.clock.known = false;
	take(d, &m);
	assert_true(run_of(d)->clock.known);
	take_data(d, 0);
	m = message_of(MESSAGE_END, 1);
	m.end.clock = (struct message_clock){.known = true, .offset = 7, .bound = 9};
	take(d, &m);
	m.end.clock.offset = 8;
	take(d, &m);
	pass(d, NP_SECOND);
	assert_int_equal(d->last.report.clock.offset, 7);
	assert_int_equal(d->last.report.clock.bound, 9);
	assert_int_equal(d->last.report.delays.count, 1);
	desk_free(d);
}

/* Each stream has its own end, and all their delays and losses are reported together. */
static void streams(void **state)
{
	struct desk *d = desk(true);
	struct message m = start_of(d, 4);

	(void)state;
	for (unsigned run = 1; run <= 2; run++) {
		m = start_of(d, 4);
		m.run = run;
		m.start.streams = 3;
		m.start.runs = 2;
		take(d, &m);
		d->proof = m.start.proof = d->last.start_ok.challenge;
		take(d, &m);
		for (unsigned i = 0; i < 3; i++) {
			m = message_of(MESSAGE_DATA, 0);
			m.run = run;
			m.stream = (uint16_t)i;
			take(d, &m);
			assert_int_equal(d->told[RECEIVER_ENDED], run - 1);
		}
		for (unsigned i = 0; i < 3; i++) {
			assert_int_equal(d->told[RECEIVER_ENDED], run - 1);
			m = message_of(MESSAGE_END, 4);
			m.run = run;
			m.stream = (uint16_t)i;
			m.end.unsent = i;
			m.end.proof = d->proof;
			take(d, &m);
		}
		assert_int_equal(d->told[RECEIVER_ENDED], run);
		/* Of each stream some are missing, though the first had come whole. */
		pass(d, 11 * NP_SECOND);
		assert_int_equal(d->told[RECEIVER_FINISHED], run);
		assert_int_equal(d->last.report.received, 3);
		assert_int_equal(d->last.report.lost, 3 + 2 + 1);
		assert_int_equal(d->last.report.delays.count, 3);
	}
	desk_free(d);
}

/* The last run was of another kind, or of somebody else: nothing of it is believed of this one. */
static void nothing_stays(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	start(d, 1);
	take_data(d, 0);
	take_end(d, 1);
	pass(d, NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_IDLE);
	/* Late DATA of it: its START is none of theirs. */
	take_data(d, 5);
	assert_int_equal(d->told[RECEIVER_BEGUN], 2);
	assert_false(run_of(d)->started);
	take_end(d, 10);
	pass(d, 11 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_IDLE);
	/* Another session's DATA, from the same host: it has proved nothing yet. */
	m = message_of(MESSAGE_DATA, 0);
	m.session++;
	take(d, &m);
	assert_false(conversation_proven(receiver_conversation(d->receiver)));
	assert_int_equal(conversation_session(receiver_conversation(d->receiver)), ID + 1);
	desk_free(d);

	/* The next run of one that has proved it is believed at once, elsewhere not. */
	for (unsigned i = 0; i < 2; i++) {
		d = desk(true);
		m = start_of(d, 1);
		m.start.runs = 3;
		take(d, &m);
		m.start.proof = d->last.start_ok.challenge;
		take(d, &m);
		assert_true(conversation_proven(receiver_conversation(d->receiver)));
		m = message_of(MESSAGE_DATA, 0);
		m.run = 2;
		take_from(d, i ? &d->other : &d->sender, &m);
		assert_int_equal(run_of(d)->number, 2);
		assert_int_equal(conversation_proven(receiver_conversation(d->receiver)), !i);
		desk_free(d);
	}
}

/* One more of the same version's words; another version is told so, once. */
static void other_versions(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 200};

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		receiver_take_unknown(d->receiver, &source, 200, -EPROTONOSUPPORT, d->now);
	assert_int_equal(d->told[RECEIVER_FOREIGN], 1);
	assert_int_equal(d->answers, 3);
	assert_int_equal(d->last.start_ok.verdict, MESSAGE_UNWILLING);
	assert_int_equal(receiver_strays(d->receiver), 3);
	/* Damaged: of the run, if there is one, and a sign of life. */
	receiver_take_unknown(d->receiver, &source, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 1);
	start(d, 10);
	pass(d, 15 * NP_SECOND);
	receiver_take_unknown(d->receiver, &source, 200, -EBADMSG, d->now);
	assert_int_equal(receiver_strays(d->receiver), 0);
	assert_int_equal(figures_of(d).damaged, 1);
	pass(d, 15 * NP_SECOND);
	assert_int_equal(run_of(d)->phase, RECEIVER_RECEIVING);
	desk_free(d);
}

/* A short datagram begins and ends a classic run; more of them begin nothing. */
static void classic(void **state)
{
	struct desk *d = desk(true);
	const struct receiver_source source = {.address = &d->sender, .bytes = 4};
	static const size_t length[] = {800, 4, 800, 800, 4, 4, 4, 800};

	(void)state;
	for (unsigned i = 0; i < sizeof(length) / sizeof(*length); i++) {
		receiver_take_unknown(d->receiver, &source, length[i], -EPROTO, d->now);
		pass(d, 10 * MS);
		assert_int_equal(d->told[RECEIVER_BEGUN], i >= 1);
		assert_int_equal(d->told[RECEIVER_FINISHED], i >= 4);
	}
	assert_int_equal(figures_of(d).received, 2);
	assert_int_equal(figures_of(d).bytes, 1600);
	/* The one before the run and the one behind it. */
	assert_int_equal(receiver_strays(d->receiver), 2);
	pass(d, 310 * MS);
	assert_int_equal(d->told[RECEIVER_LISTENING], 1);
	/* In a run of messages they are strays. */
	start(d, 10);
	receiver_take_unknown(d->receiver, &source, 800, -EPROTO, d->now);
	assert_int_equal(receiver_strays(d->receiver), 1);
	assert_int_equal(run_of(d)->messages, 0);
	desk_free(d);
}

/* The first sender's time: told when it is over, and only if nobody came at all. */
static void waiting(void **state)
{
	struct receiver_plan plan = receiving_plan();
	struct desk *d;

	(void)state;
	plan.wait = NP_SECOND;
	plan.senders = 2;
	d = desk_of(&plan);
	assert_int_equal(receiver_deadline(d->receiver), EPOCH + NP_SECOND);
	pass(d, 999 * MS);
	assert_int_equal(d->told[RECEIVER_ALONE], 0);
	pass(d, MS);
	assert_int_equal(d->told[RECEIVER_ALONE], 1);
	assert_true(receiver_over(d->receiver));
	desk_free(d);

	d = desk_of(&plan);
	for (unsigned sender = 1; sender <= 2; sender++) {
		start(d, 1);
		take_data(d, 0);
		take_end(d, 1);
		pass(d, 2 * NP_SECOND);
		assert_int_equal(receiver_served(d->receiver), sender);
		assert_int_equal(receiver_over(d->receiver), sender == 2);
		assert_true(receiver_deadline(d->receiver) == NP_TIME_NEVER);
	}
	assert_int_equal(d->told[RECEIVER_ALONE], 0);
	desk_free(d);
}

/* Which run it is that is served, from its beginning until the next sender may come. */
static void serving(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	assert_false(receiver_serves(d->receiver, 0, 0));
	assert_false(receiver_serves(d->receiver, ID, 1));
	start(d, 1);
	assert_true(receiver_serves(d->receiver, ID, 1));
	assert_false(receiver_serves(d->receiver, ID + 1, 1));
	assert_false(receiver_serves(d->receiver, ID, 2));
	assert_false(receiver_in_ping_pong(d->receiver));
	take_end(d, 1);
	pass(d, 11 * NP_SECOND);
	assert_false(receiver_serves(d->receiver, ID, 1));
	desk_free(d);

	/* Of two streams something may come before the other's answer. */
	d = desk(true);
	m = start_of(d, 1);
	m.flags = MESSAGE_PING_PONG | MESSAGE_ACK_WANTED;
	m.start.streams = 2;
	take(d, &m);
	m.start.proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_false(receiver_in_ping_pong(d->receiver));
	desk_free(d);

	d = desk(true);
	m.start.streams = 1;
	m.start.proof = 0;
	take(d, &m);
	m.start.proof = d->proof = d->last.start_ok.challenge;
	take(d, &m);
	assert_true(receiver_in_ping_pong(d->receiver));
	take_data(d, 0);
	take_end(d, 1);
	pass(d, 250 * MS);
	assert_int_equal(run_of(d)->phase, RECEIVER_REPORTED);
	assert_true(receiver_serves(d->receiver, ID, 1));
	assert_false(receiver_in_ping_pong(d->receiver));
	desk_free(d);
}

/* Whom the user ends serves nobody more. */
static void stopped(void **state)
{
	struct desk *d = desk(true);
	struct message m;

	(void)state;
	start(d, 10);
	take_data(d, 0);
	receiver_stop(d->receiver);
	assert_true(receiver_over(d->receiver));
	assert_int_equal(d->status, MESSAGE_INTERRUPTED);
	assert_int_equal(d->last.report.status, MESSAGE_INTERRUPTED);
	desk_free(d);

	d = desk(true);
	receiver_stop(d->receiver);
	m = message_of(MESSAGE_DATA, 0);
	take(d, &m);
	raw(d, 1, 100);
	assert_int_equal(d->told[RECEIVER_BEGUN] + d->told[RECEIVER_FINISHED], 0);
	desk_free(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silence),
		cmocka_unit_test(patience),
		cmocka_unit_test(raw_silence),
		cmocka_unit_test(unread),
		cmocka_unit_test(parts),
		cmocka_unit_test(strays),
		cmocka_unit_test(lost_start),
		cmocka_unit_test(damaged),
		cmocka_unit_test(an_end_alone),
		cmocka_unit_test(signs_of_life),
		cmocka_unit_test(acknowledgements),
		cmocka_unit_test(grace),
		cmocka_unit_test(grace_of_streams),
		cmocka_unit_test(repeated_end),
		cmocka_unit_test(more_runs),
		cmocka_unit_test(a_run_without_end),
		cmocka_unit_test(held_answers),
		cmocka_unit_test(probes),
		cmocka_unit_test(unproven),
		cmocka_unit_test(clocks),
		cmocka_unit_test(streams),
		cmocka_unit_test(nothing_stays),
		cmocka_unit_test(other_versions),
		cmocka_unit_test(classic),
		cmocka_unit_test(waiting),
		cmocka_unit_test(serving),
		cmocka_unit_test(stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
