// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * A receiver and a sender of ttcp that hear anything: neither falls, both end. The input is a row
 * of steps: whom it goes to and from where, how much time has passed, a message by its fields or
 * bytes.
 */
#include "../../src/ttcp/conversation/conversation.h"
#include "../../src/ttcp/conversation/sender.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BEGIN	(100 * NP_SECOND)
#define SESSION 0x1234
#define BYTES	64
#define STEPS	512

struct place {
	struct options options[2]; /* of the receiver, of the sender */
	struct session session[2];
	struct channel channel[2];
	np_time now;
	struct receiver *receiver;
	struct sender *sender;
	struct np_address from[4];
};

static void must(bool holds)
{
	if (!holds)
		abort();
}

static struct place *here;

static np_time read_clock(const struct session *s)
{
	(void)s;
	return here->now;
}

static ssize_t tell(struct transport *t, struct channel *channel, const struct np_address *to,
		    const void *message, size_t bytes, bool more)
{
	struct message m;

	(void)more;
	must((channel || (to && t->owner == here->receiver)) &&
	     !message_decode(message, bytes, &m));
	return (ssize_t)bytes;
}

static ssize_t push(struct transport *t, struct channel *channel, size_t first, size_t bytes)
{
	(void)t;
	(void)channel;
	(void)first;
	return (ssize_t)bytes;
}

static const struct np_address *local(const struct transport *t, const struct channel *channel)
{
	(void)t;
	(void)channel;
	return NULL;
}

static void describe(const struct transport *t, const struct np_address *peer,
		     struct np_record *start, struct np_block_full *full)
{
	(void)t;
	(void)peer;
	(void)start;
	(void)full;
}

static uint8_t take(const uint8_t **data, size_t *size)
{
	if (!*size)
		return 0;
	--*size;
	return *(*data)++;
}

/* By its fields, so that its check value is right. */
static size_t compose(const uint8_t **data, size_t *size, uint8_t message[MESSAGE_CONTROL_MAX])
{
	struct message m = {
		.type = take(data, size) % (MESSAGE_REPORT + 1),
		.flags = take(data, size),
		.stream = take(data, size) % MESSAGE_STREAMS_MAX,
		.session = SESSION + take(data, size) % 2,
		.run = 1u + take(data, size) % 3,
		.number = (uint64_t)take(data, size) << take(data, size) % 56,
		.time = (np_time)take(data, size) << take(data, size) % 56,
	};
	const uint8_t more = take(data, size);

	if (m.type == MESSAGE_DATA) {
		message_fill(message, BYTES);
		message_encode_data(message, &m, BYTES);
		return BYTES;
	}
	if (m.type == MESSAGE_START)
		m.start = (struct message_start){
			.message_bytes = BYTES,
			.messages = m.number,
			.timeout_ms = more * 100u,
			.streams = (uint16_t)(m.stream + 1),
			.runs = more % 4,
			.clock = {.known = more & 1, .offset = m.time, .bound = more},
			.session = "FUZZ",
		};
	if (m.type == MESSAGE_END)
		m.end = (struct message_end){
			.clock = {.known = more & 1, .offset = m.time, .bound = more},
			.unsent = more,
			.last = more & 2};
	if (m.type == MESSAGE_ACK)
		m.ack = (struct message_ack){.received = m.time, .data_size = more};
	if (m.type == MESSAGE_START_OK)
		m.start_ok = (struct message_start_ok){
			.verdict = more % 4, .start_received = m.time, .replied = m.time + more};
	return message_encode(message, &m);
}

static size_t copy(const uint8_t **data, size_t *size, uint8_t message[MESSAGE_CONTROL_MAX])
{
	size_t bytes = take(data, size);

	if (bytes > *size)
		bytes = *size;
	memcpy(message, *data, bytes);
	*data += bytes;
	*size -= bytes;
	return bytes;
}

static void hear(struct place *p, uint8_t how, const uint8_t *data, size_t bytes)
{
	const struct source source = {
		.address = &p->from[how >> 2 & 3],
		.by_group = how & 16,
		.bytes = bytes,
	};
	struct message m;
	int rc = message_decode(data, bytes, &m);

	if (how & 1)
		(void)sender_take(p->sender, data, bytes, source.address, p->now);
	else if (rc)
		receiver_take_unknown(p->receiver, &source, rc, p->now);
	else if (m.type == MESSAGE_DATA && how & 32)
		receiver_take_data(p->receiver, &source, &m, 1, true, p->now);
	else
		receiver_take(p->receiver, &source, &m, p->now);
}

static void turn(struct place *p)
{
	const enum sender_phase phase = p->sender->run.phase;

	receiver_tick(p->receiver, p->now);
	if (phase == SENDER_CONTACT || phase == SENDER_ENDING) {
		sender_tick(p->sender, p->now);
	} else if (phase == SENDER_SENDING) {
		np_time now = p->now;

		if (!p->sender->run.sending)
			sender_start(p->sender, now);
		must(sender_push(p->sender, &now) >= 0);
		(void)sender_rest(p->sender, now, now);
		if (sender_sent(p->sender, now))
			sender_end(p->sender, now);
	}
}

static void make(struct place *p, uint8_t *batch, uint8_t how)
{
#define FACE .send = tell, .push = push, .local = local, .describe = describe
	static const struct transport_face datagrams = {.datagrams = true, FACE}, streams = {FACE};
	static struct np_log log = {.program = "ttcp"};
	struct load_options *load = &p->options[1].load;

	here = p;
	if (!log.stream)
		log.stream = fopen("/dev/null", "w");
	must(log.stream);
	for (unsigned i = 0; i < 2; i++) {
		p->options[i].load.message_bytes = BYTES;
		p->options[i].max_loss_percent = 100;
		p->options[i].files.window = NP_SECOND;
		p->session[i] = (struct session){
			.options = &p->options[i],
			.log = &log,
			.console.options = &p->options[i],
			.clock = read_clock,
			.partner_warns = true,
		};
	}
	for (int i = 0; i < 2; i++)
		console_init(&p->session[i].console, NULL, &p->options[i]);
	p->options[0].task = how & 4 ? TASK_MONITOR : TASK_RECEIVE;
	load->streams = 1 + (how >> 6 & 1);
	load->ping_pong = how & 16;
	load->messages = 50;
	load->runs = 1;
	load->session = "FUZZ";
	p->options[1].wait.no_wait = how & 32;
	must(!receiver_create(&p->receiver, &p->session[0], how & 1 ? &streams : &datagrams));
	must(!files_begin(&p->receiver->files, &p->session[0], 1, 1));
	p->receiver->answers = !(how & 2);
	p->receiver->secret = (struct message_secret){{1, 2}};
	must(!sender_create(&p->sender, &p->session[1], &datagrams));
	p->sender->id = SESSION;
	p->sender->transport.group = how & 8;
	for (unsigned i = 0; i < 2; i++) {
		p->channel[i] = (struct channel){.batch = batch};
		p->sender->transport.lane[i] = &p->channel[i];
	}
	sender_begin(p->sender, 1, 0);
	sender_contact(p->sender, p->now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct place p = {.now = BEGIN};
	uint8_t batch[BYTES], message[MESSAGE_CONTROL_MAX];

	for (unsigned i = 0; i < 4; i++) {
		const struct sockaddr_in in = {
			.sin_family = AF_INET, .sin_port = (in_port_t)i, .sin_addr.s_addr = i / 2};

		memcpy(&p.from[i].storage, &in, sizeof(in));
		p.from[i].length = sizeof(in);
	}
	make(&p, batch, take(&data, &size));
	for (unsigned step = 0; size && step < STEPS; step++) {
		const uint8_t how = take(&data, &size);

		p.now += (np_time)take(&data, &size) << take(&data, &size) % 28;
		hear(&p, how, message,
		     how & 2 ? copy(&data, &size, message) : compose(&data, &size, message));
		turn(&p);
	}
	/* Whatever was said, both come to an end. */
	for (unsigned i = 0; i < 1000; i++) {
		p.now += 100 * NP_SECOND;
		turn(&p);
	}
	must(p.sender->run.phase == SENDER_DONE);
	receiver_stop(p.receiver);
	must(p.receiver->over);
	must(!files_close(&p.receiver->files, 0));
	receiver_free(p.receiver);
	sender_free(p.sender);
	return 0;
}
