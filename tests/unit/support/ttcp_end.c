// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* ttcp_end: options and session from a test's plan, and the text that is said. */
#include "ttcp_end.h"

#include <string.h>

static np_time read_clock(const struct session *s)
{
	return *((const struct end *)((const char *)s - offsetof(struct end, session)))->now;
}

static void open_session(struct end *e, const np_time *now, np_time ahead)
{
	e->now = now;
	e->stream = open_memstream(&e->text, &e->bytes);
	assert_non_null(e->stream);
	e->log = (struct np_log){.program = "ttcp", .stream = e->stream};
	e->options.load.message_bytes = DATA_BYTES;
	e->options.load.session = "TEST";
	e->options.layout = NP_REPORT_ORIGINAL;
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

struct sender *end_send(struct end *e, const struct sender_plan *plan,
			const struct transport_face *face, const np_time *now)
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
	open_session(e, now, SENDER_AHEAD);
	assert_int_equal(sender_create(&s, &e->session, face), 0);
	s->id = plan->id;
	s->transport.group = plan->group;
	s->transport.batch = plan->batch ? plan->batch : 1;
	if (plan->to)
		s->transport.to = *plan->to;
	for (unsigned i = 0; i < load->streams; i++) {
		s->transport.lane[i] = s->lane[i].channel = &e->channel[i];
		e->channel[i] = (struct channel){.batch = e->batch[i], .user = &s->lane[i]};
		for (unsigned k = 0; k < DATA_BATCH; k++)
			message_fill(e->batch[i] + (size_t)k * DATA_BYTES, DATA_BYTES);
	}
	return s;
}

struct receiver *end_receive(struct end *e, const struct receiver_plan *plan,
			     const struct transport_face *face, const np_time *now)
{
	struct receiver *r;

	e->options.task = plan->invisible ? TASK_MONITOR : TASK_RECEIVE;
	e->options.load.runs = plan->senders;
	e->options.wait.wait = plan->wait;
	open_session(e, now, RECEIVER_AHEAD);
	assert_int_equal(receiver_create(&r, &e->session, face), 0);
	assert_int_equal(files_begin(&r->with.files, &e->session, 1, 1), 0);
	r->senders = plan->senders;
	r->with.answers = !plan->invisible;
	r->with.secret = (struct message_secret){{plan->secret, 2}};
	r->random = plan->secret ^ (uint64_t)*now;
	return r;
}

bool end_no_socket(const struct transport *t, unsigned index, const struct np_address *peer,
		   struct record_socket *socket)
{
	(void)t;
	(void)index;
	(void)peer;
	(void)socket;
	return false;
}

static void close_session(struct end *e)
{
	assert_int_equal(fclose(e->stream), 0);
	free(e->text);
}

void end_close_sender(struct end *e, struct sender *s)
{
	sender_free(s);
	close_session(e);
}

void end_close_receiver(struct end *e, struct receiver *r)
{
	assert_int_equal(files_close(&r->with.files), 0);
	receiver_free(r);
	close_session(e);
}

unsigned end_said(const struct end *e, const char *text)
{
	unsigned count = 0;

	assert_int_equal(fflush(e->stream), 0);
	for (const char *at = e->text; (at = strstr(at, text)); at++)
		count++;
	return count;
}
