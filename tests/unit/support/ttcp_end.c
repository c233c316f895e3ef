// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_end: options and session from a test's plan, the transport, and what a test does by hand. */
#include "ttcp_end.h"

#include <errno.h>
#include <string.h>

static struct end *open_ends;

static struct end *end_of_session(const struct session *s)
{
	return (struct end *)((uintptr_t)s - offsetof(struct end, session));
}

static np_time read_clock(const struct session *s)
{
	return *end_of_session(s)->clock;
}

static ssize_t send_control(struct transport *t, struct channel *channel,
			    const struct np_address *to, const void *message, size_t bytes,
			    bool more)
{
	struct end *e = end_of_session(t->session);
	const unsigned lane = channel ? (unsigned)(channel - e->channel) : 0;

	(void)more;
	assert_int_equal(message_decode(message, bytes, &e->last), 0);
	e->sent[e->last.type]++;
	e->sent_on[lane]++;
	e->answers++;
	e->alone += to != NULL;
	e->bytes = bytes;
	if (to)
		e->to = *to;
	e->last_at = *e->clock;
	if (e->refusal)
		return e->refusal;
	if (e->carry)
		e->carry(e, lane, to, message, bytes);
	return (ssize_t)bytes;
}

static ssize_t push(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	struct end *e = end_of_session(t->session);

	if (e->full) {
		e->full--;
		return -EAGAIN;
	}
	if (e->idle && channel == e->channel)
		return 0;
	for (size_t at = first; at < first + bytes; at += DATA_BYTES) {
		const uint8_t *data = channel->batch + at;

		assert_int_equal(message_decode(data, DATA_BYTES, &e->data), 0);
		e->pushed++;
		if (e->carry)
			e->carry(e, (unsigned)(channel - e->channel), NULL, data, DATA_BYTES);
	}
	return (ssize_t)bytes;
}

static void release(struct transport *t, int lane)
{
	(void)t;
	(void)lane;
}

static int connect_lane(struct transport *t, unsigned lane)
{
	t->lane[lane]->gone = false;
	end_of_session(t->session)->connects += !lane;
	return 0;
}

static void finish_lane(struct transport *t, unsigned lane)
{
	end_of_session(t->session)->finished += lane + 1;
}

static uint64_t unacknowledged(struct transport *t)
{
	return end_of_session(t->session)->left;
}

static void count(const struct transport *t, struct transport_counts *counts)
{
	struct end *e = end_of_session(t->session);

	counts->send_errors = e->errors;
	counts->refusal = e->refused;
	counts->drop_unit = e->drops ? "packet" : NULL;
	counts->dropped_known = e->drops;
	counts->dropped = e->dropped += e->drops;
}

static char *name(const struct np_address *address, char out[NP_ADDRESS_TEXT])
{
	(void)address;
	return strcpy(out, "somebody");
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	(void)channel;
	return &end_of_session(t->session)->two;
}

static void describe(const struct transport *t, const struct np_address *peer,
		     struct np_record *start, struct np_block_full *full)
{
	(void)t;
	(void)peer;
	(void)start;
	(void)full;
}

static const struct transport_face *face_of(bool datagrams)
{
#define FACE                                                                                       \
	.send = send_control, .push = push, .release = release, .connect = connect_lane,           \
	.finish = finish_lane, .unacknowledged = unacknowledged, .counts = count, .name = name,    \
	.local = local, .describe = describe
	static const struct transport_face face[] = {{FACE}, {.datagrams = true, FACE}};

	return &face[datagrams];
}

static void open_session(struct end *e, const np_time *clock, np_time ahead)
{
	static bool once;

	if (!once)
		assert_int_equal(atexit(ends_close), 0);
	once = true;
	e->next = open_ends;
	open_ends = e;
	e->now = EPOCH;
	e->clock = clock ? clock : &e->now;
	e->one = address_of("10.0.0.1:5001");
	e->two = address_of("10.0.0.2:5001");
	e->stream = open_memstream(&e->text, &e->bytes_said);
	assert_non_null(e->stream);
	e->log = (struct np_log){.program = "ttcp", .stream = e->stream};
	e->options.load.message_bytes = DATA_BYTES;
	e->options.load.session = "TEST";
	e->options.report.layout = NP_REPORT_ORIGINAL;
	e->options.report.quiet = true;
	e->options.max_loss_percent = 100;
	e->options.files.window = 500 * MS;
	e->session = (struct session){
		.options = &e->options,
		.log = &e->log,
		.clock = read_clock,
		.ahead = ahead,
		.partner_warns = true,
		.drops_watch = NP_DROPS_ALL,
	};
	console_init(&e->session.console, e->stream, &e->options);
	e->session.console.events = false;
}

void end_send(struct end *e, const struct sender_plan *plan, const np_time *clock)
{
	struct load_options *load = &e->options.load;
	struct sender *s;

	e->options.task = TASK_TRANSMIT;
	load->streams = plan->lanes ? plan->lanes : 1;
	load->messages = plan->messages || plan->duration || plan->classic ? plan->messages : 10;
	load->duration = plan->duration;
	load->runs = plan->runs ? plan->runs : 1;
	load->ping_pong = plan->ping_pong;
	load->classic = plan->classic;
	e->options.wait = (struct wait_options){.wait = plan->wait, .no_wait = plan->no_wait};
	e->options.files.delay = plan->acks ? "acks" : NULL;
	open_session(e, clock, SENDER_AHEAD);
	assert_int_equal(sender_create(&s, &e->session, face_of(plan->datagrams)), 0);
	e->sender = s;
	s->id = plan->id ? plan->id : ID;
	s->transport.group = plan->group;
	s->transport.batch = plan->batch ? plan->batch : 1;
	if (plan->to)
		s->transport.to = *plan->to;
	for (unsigned i = 0; i < load->streams; i++) {
		s->transport.lane[i] = &e->channel[i];
		e->channel[i] = (struct channel){.batch = e->batch[i], .user = &s->lane[i]};
		for (unsigned k = 0; k < DATA_BATCH; k++)
			message_fill(e->batch[i] + (size_t)k * DATA_BYTES, DATA_BYTES);
	}
}

void end_receive(struct end *e, const struct receiver_plan *plan, const np_time *clock)
{
	struct receiver *r;

	e->options.task = plan->invisible ? TASK_MONITOR : TASK_RECEIVE;
	e->options.load.runs = plan->senders;
	e->options.wait.wait = plan->wait;
	open_session(e, clock, RECEIVER_AHEAD);
	assert_int_equal(receiver_create(&r, &e->session, face_of(plan->datagrams)), 0);
	e->receiver = r;
	e->run = &r->run;
	assert_int_equal(files_begin(&r->files, &e->session, 1, 1), 0);
	r->senders = plan->senders;
	r->answers = !plan->invisible;
	r->secret = (struct message_secret){{plan->secret, 2}};
}

void ends_close(void)
{
	for (struct end *e; (e = open_ends);) {
		open_ends = e->next;
		if (e->receiver)
			assert_int_equal(files_close(&e->receiver->files, 0), 0);
		receiver_free(e->receiver);
		sender_free(e->sender);
		assert_int_equal(fclose(e->stream), 0);
		free(e->text);
	}
}

unsigned end_said(const struct end *e, const char *text)
{
	unsigned said = 0;

	assert_int_equal(fflush(e->stream), 0);
	for (const char *at = e->text; (at = strstr(at, text)); at++)
		said++;
	return said;
}

static struct end *new_desk(void)
{
	static struct end desk;

	ends_close();
	memset(&desk, 0, sizeof(desk));
	return &desk;
}

struct end *desk_of_sender(const struct sender_plan *plan)
{
	struct end *d = new_desk();

	end_send(d, plan, NULL);
	sender_begin(d->sender, 1, 8000 * DATA_BYTES);
	sender_contact(d->sender, d->now);
	return d;
}

struct end *desk_of_receiver(const struct receiver_plan *plan)
{
	struct end *d = new_desk();

	end_receive(d, plan, NULL);
	d->drops = 3; /* in a run of which the report alone asks */
	return d;
}

void pass(struct end *d, np_time time)
{
	for (np_time end = d->now + time; d->now < end;) {
		d->now += MS;
		if (d->receiver)
			receiver_tick(d->receiver, d->now);
		else if (d->now >= sender_deadline(d->sender))
			sender_tick(d->sender, d->now);
	}
}

unsigned said_after(struct end *d, np_time time, const char *text)
{
	pass(d, time);
	return end_said(d, text);
}

enum sender_phase phase_after(struct end *d, np_time time)
{
	pass(d, time);
	return phase(d);
}

void take_from(struct end *d, const struct np_address *from, const struct message *m)
{
	const struct source source = {.address = from, .bytes = 200};
	uint8_t data[MESSAGE_CONTROL_MAX];

	if (d->receiver)
		receiver_take(d->receiver, &source, m, d->now);
	else
		assert_int_equal(
			sender_take(d->sender, data, message_encode(data, m), from, d->now), 0);
}

void take(struct end *d, const struct message *m)
{
	take_from(d, &d->one, m);
}

enum sender_phase phase(const struct end *d)
{
	return d->sender->run.phase;
}

struct message answer_of(enum message_type type)
{
	return (struct message){.type = (uint8_t)type, .session = ID, .run = 1};
}

void take_ok(struct end *d, const struct np_address *from, unsigned lane)
{
	struct message m = answer_of(MESSAGE_START_OK);

	m.stream = (uint16_t)lane;
	m.time = d->last_at + SENDER_AHEAD;
	m.start_ok.challenge = 4711;
	m.start_ok.start_received = m.start_ok.replied = d->now + RECEIVER_AHEAD;
	take_from(d, from, &m);
}

void take_report(struct end *d, const struct np_address *from)
{
	const struct message m = answer_of(MESSAGE_REPORT);

	take_from(d, from, &m);
}

void contact(struct end *d)
{
	for (unsigned i = 0; i < d->sender->transport.lanes; i++)
		take_ok(d, &d->one, i);
	pass(d, 3 * NP_SECOND);
	assert_int_equal(phase(d), SENDER_SENDING);
	sender_start(d->sender, d->now);
}

void send_all(struct end *d)
{
	np_time now = d->now;

	while (!sender_sent(d->sender, now)) {
		d->now += MS;
		now = d->now;
		assert_in_range(sender_push(d->sender, &now), 0, 1);
	}
}

void finish(struct end *d)
{
	if (!d->sender->run.sending)
		sender_start(d->sender, d->now);
	send_all(d);
	sender_end(d->sender, d->now);
}

void run_to_end(struct end *d)
{
	contact(d);
	finish(d);
}

int push_at(struct end *d, np_time now)
{
	return sender_push(d->sender, &now);
}

int push_now(struct end *d)
{
	return push_at(d, d->now);
}

struct message message_of(enum message_type type, uint64_t number)
{
	struct message m = answer_of(type);

	m.number = number;
	m.time = EPOCH;
	m.size = DATA_BYTES;
	return m;
}

struct message start_of(const struct end *d, uint64_t messages)
{
	struct message m = message_of(MESSAGE_START, messages);

	m.start = (struct message_start){
		.message_bytes = DATA_BYTES,
		.messages = messages,
		.timeout_ms = MESSAGE_SILENCE_MS,
		.streams = 1,
		.runs = 1,
		.proof = d->proof,
		.session = "DESK",
	};
	return m;
}

void take_of_stream(struct end *d, enum message_type type, unsigned stream, uint64_t number)
{
	struct message m = message_of(type, number);

	m.stream = (uint16_t)stream;
	take(d, &m);
}

void take_data(struct end *d, uint64_t number)
{
	take_of_stream(d, MESSAGE_DATA, 0, number);
}

void take_end(struct end *d, uint64_t messages)
{
	struct message m = message_of(MESSAGE_END, messages);

	m.end.proof = d->proof;
	take(d, &m);
}

void prove(struct end *d, struct message *m)
{
	take(d, m);
	assert_int_equal(d->last.type, MESSAGE_START_OK);
	d->proof = m->start.proof = d->last.start_ok.challenge;
	take(d, m);
}

void start(struct end *d, uint64_t messages)
{
	struct message m = start_of(d, messages);

	prove(d, &m);
	assert_int_equal(d->run->phase, RECEIVER_RECEIVING);
}

struct np_flow_counts figures_of(const struct end *d)
{
	return conversation_figures(d->receiver);
}

uint64_t strays(struct end *d)
{
	const uint64_t found = d->receiver->strays;

	d->receiver->strays = 0;
	return found;
}

uint64_t strays_after(struct end *d, const struct message *m)
{
	(void)strays(d);
	take(d, m);
	return strays(d);
}
