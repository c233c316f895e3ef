// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* sender: the series of runs, from the sockets to the exit status. */
#include "sender_state.h"

#include <errno.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* As many as one UDP_SEGMENT call takes of 1468 bytes; the batch stays in the cache. */
#define GREEDY_BYTES 65000
#define GREEDY_MAX   64

static unsigned choose_batch(const struct options *o)
{
	uint64_t batch = o->socket.batch_messages;

	if (o->load.ping_pong)
		return 1;
	if (batch)
		return (unsigned)batch;
	/* One write is one message; datagrams stay what they are, however they are handed over. */
	if (o->place.transport == TRANSPORT_TCP || o->load.rate_kbps[0] || o->files.delay)
		return 1;
	batch = GREEDY_BYTES / o->load.message_bytes;
	return batch > GREEDY_MAX ? GREEDY_MAX : batch ? (unsigned)batch : 1;
}

static int set_up(struct sender *s, struct session *session)
{
	const struct options *o = session->options;

	s->session = session;
	s->transport = o->place.transport == TRANSPORT_TCP ? &sender_tcp : &sender_udp;
	s->name = o->place.to;
	s->group = o->place.transport == TRANSPORT_MULTICAST;
	s->classic = o->load.classic || o->load.from_stdin;
	s->acks = o->files.delay || o->load.ping_pong;
	s->lanes = (unsigned)o->load.streams;
	s->message_bytes = o->load.message_bytes;
	s->batch_messages = choose_batch(o);
	s->flags =
		(uint8_t)((s->acks ? MESSAGE_ACK_WANTED : 0) | (s->group ? MESSAGE_MULTICAST : 0) |
			  (o->load.ping_pong ? MESSAGE_PING_PONG : 0) |
			  (o->load.no_copy ? MESSAGE_NO_COPY : 0));
	s->run = 1;
	s->lane = calloc(s->lanes, sizeof(*s->lane));
	if (!s->lane || receivers_create(&s->receivers))
		return -ENOMEM;
	for (unsigned i = 0; i < s->lanes; i++)
		s->lane[i].index = i;
	return getrandom(&s->id, sizeof(s->id), 0) < 0 ? -errno : 0;
}

/* Each message of the batch is its own fill; only headers change from then on. */
static void fill_batch(const struct sender *s, const struct lane *lane)
{
	for (unsigned i = 0; i < s->batch_messages; i++)
		message_fill(lane->batch + i * s->message_bytes, s->message_bytes);
}

int sender_open(struct sender **sender, struct session *session)
{
	const struct options *o = session->options;
	struct sender *s = calloc(1, sizeof(*s));
	int rc = s ? set_up(s, session) : -ENOMEM, status;

	*sender = s;
	if (rc) {
		np_log_error(session->log, NULL, "%s", strerror(-rc));
		return 2;
	}
	status = o->place.transport == TRANSPORT_MULTICAST ? session_resolve_group(session, &s->to)
							   : session_resolve_host(session, &s->to);
	if (!status)
		status = s->transport->open(s);
	if (!status)
		status = files_open(&s->files, session, 1, s->lanes);
	for (unsigned i = 0; !status && i < s->lanes; i++)
		fill_batch(s, &s->lane[i]);
	return status;
}

int sender_close(struct sender *sender, int status)
{
	int files;

	if (!sender)
		return status;
	if (sender->lane)
		sender->transport->disconnect(sender);
	for (unsigned i = 0; sender->lane && i < sender->lanes; i++)
		np_datagram_free(sender->lane[i].datagram);
	if (status == 2)
		files_forget(&sender->files);
	files = files_close(&sender->files);
	free(sender->memory);
	free(sender->lane);
	receivers_free(&sender->receivers);
	free(sender);
	return status ? status : files;
}

static void begin_run(struct sender *s)
{
	const struct load_options *load = &sender_options(s)->load;
	uint64_t rate = options_rate_kbps(load, s->run);

	for (unsigned i = 0; i < s->lanes; i++) {
		struct lane *lane = &s->lane[i];

		lane->filled = lane->gone = lane->answered = 0;
		lane->number = lane->lost = 0;
		lane->outstanding = lane->ready = lane->closed = false;
	}
	receivers_begin(&s->receivers);
	s->sending = s->silent = s->end_told = false;
	s->answers = 0;
	s->verdict = 0;
	s->start = (struct message_start){
		.message_bytes = (uint32_t)s->message_bytes,
		.messages = load->messages,
		.rate_kbps = rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX,
		.streams = (uint16_t)s->lanes,
		.runs = (uint32_t)load->runs,
		.duration = load->duration,
	};
	s->start.timeout_ms = message_silence_ms(&s->start);
	strncpy(s->start.session, load->session, sizeof(s->start.session) - 1);
}

/* Returns 0 or the exit status. */
static int connect_run(struct sender *s)
{
	int rc = s->transport->connect(s);

	if (rc == -ECANCELED)
		np_log_error(s->session->log, s->name, "interrupted before a receiver was there");
	else if (rc)
		session_blame(s->session, s->name, rc);
	if (rc == -ECONNREFUSED && s->run == 1)
		sender_probe(s);
	return !rc ? 0 : s->run > 1 ? 1 : 2;
}

/* Those that hear no START are only waited for as long as a user needs to start them. */
static int contact_run(struct sender *s)
{
	np_time pause = sender_options(s)->wait.no_wait ? 0 : SENDER_WAIT;

	if (!s->classic)
		return sender_contact(s);
	if (sender_options(s)->load.from_stdin)
		return 0;
	if (!session_sleep(s->session, np_clock_now() + pause))
		return 1;
	if (!s->transport->repeats)
		return 0;
	return sender_classic_mark(s, 1) ? 2 : 0;
}

/* Stopped by the user while a receiver is ready already: it need not wait in vain. */
static void abandon(struct sender *s)
{
	for (unsigned i = 0; i < s->lanes && s->session->interrupts && !s->classic; i++)
		if (s->lane[i].ready)
			(void)sender_tell(s, &s->lane[i], MESSAGE_END, NULL);
}

static int run_once(struct sender *s)
{
	const struct options *o = sender_options(s);
	struct console *console = &s->session->console;
	int status = files_open(&s->files, s->session, s->run, s->lanes);

	begin_run(s);
	console_run(console, o, s->run);
	if (!status)
		status = connect_run(s);
	if (status)
		return status;
	if (s->lane[0].stream)
		console_connected(console, &s->to, &np_stream_info(s->lane[0].stream)->local);
	console_sending(console, s->name,
			o->wait.no_wait || o->load.from_stdin ? 0 : SENDER_WAIT_TEXT);
	status = contact_run(s);
	if (status) {
		abandon(s);
		return status;
	}
	sender_say_start(s);
	status = o->load.from_stdin ? sender_stdin(s) : sender_blast(s);
	if (!status)
		status = sender_end(s);
	return sender_conclude(s, status);
}

static bool another(struct sender *s)
{
	const struct options *o = sender_options(s);
	bool more = !s->session->interrupts && (!o->load.runs || s->run < o->load.runs);

	if (more && !o->wait.no_wait) {
		console_pause(&s->session->console, SENDER_PAUSE_TEXT);
		more = session_sleep(s->session, np_clock_now() + SENDER_PAUSE);
		/* They wait for the next run. */
		if (!more)
			sender_bye(s);
	}
	s->run += more;
	return more;
}

int sender_run(struct sender *sender)
{
	int status = 0, run_status;

	/* Sleeps end when they are meant to. */
	np_wait_end_on_time();
	do {
		run_status = run_once(sender);
		sender->transport->disconnect(sender);
		if (run_status == 2)
			files_forget(&sender->files);
		if (files_close_run(&sender->files) && !run_status)
			run_status = 1;
		status = run_status > status ? run_status : status;
		/* A run that never began will not begin later either. */
	} while (sender->sending && another(sender));
	if (sender->sum.runs)
		sender_summary(sender);
	return status;
}
