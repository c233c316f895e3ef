// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive: connects the receiver's machine to the transport, files and the user, and runs it; finds
 * the messages in datagrams, and handles those that differ only by their numbers at once.
 */
#include "service.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/wait.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

static void open_files(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);

	if (!files_open(&r->files, run->number, run->streams))
		return;
	r->status = 1;
	r->over = true;
}

static void close_files(struct receive_session *r)
{
	if (files_close_run(&r->files))
		r->status = 1;
}

static void begin(struct receive_session *r, const struct receiver_source *source)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	struct console *console = &r->session->console;
	const struct np_address *local =
		source->channel ? r->transport.face->local(&r->transport, source->channel) : NULL;

	receive_result_begin(r);
	console->counted = 0;
	open_files(r);
	/* The first run was announced when listening started. */
	if (run->number > 1)
		console_run(console, receive_options(r), run->number);
	if (local)
		console_connected(console, source->address, local);
	console_receiving(console, receive_options(r), run->started ? &run->start : NULL);
	if (r->transport.face->self)
		console_event(console, "TTCP_EVENT");
	transport_start(&r->transport, &run->sender);
}

static void finish(struct receive_session *r, const struct receiver_event *event)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct np_log *log = r->session->log;
	const bool empty = !run->messages;
	/* More came than its END says that it sent: one of the two is not its own. */
	const bool contradicted = event->status == MESSAGE_COMPLETE && !run->raw && !run->unread &&
				  !conversation_figures(&r->receiver->with).sent_known;
	const bool cut_short = event->status == MESSAGE_INTERRUPTED && empty;

	receive_conclude(r);
	if (contradicted)
		np_log_error(log, "sender",
			     "its END reports fewer messages than arrived; how many it sent and "
			     "how many were lost is unknown");
	if (event->status == MESSAGE_TIMED_OUT)
		np_log_error(log, "sender", "nothing came for %.0f s, and no END",
			     np_clock_seconds(event->limit));
	else if (cut_short)
		np_log_error(log, "sender", "the run was interrupted before any message came");
	if (contradicted || event->status == MESSAGE_TIMED_OUT || cut_short)
		r->status = 1;
	close_files(r);
}

/* Implements receiver_port.notify. */
static void notify(void *context, const struct receiver_event *event)
{
	struct receive_session *r = context;
	const struct transport_face *face = r->transport.face;
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct np_log *log = r->session->log;

	switch (event->kind) {
	case RECEIVER_LISTENING:
		if (face->release)
			face->release(&r->transport, -1);
		if (!r->receiver->over)
			console_listening(&r->session->console);
		break;
	case RECEIVER_BEGUN: begin(r, event->source); break;
	case RECEIVER_STREAMS: open_files(r); break;
	case RECEIVER_ENDED: receive_drops_ended(r); break;
	case RECEIVER_FINISHED: finish(r, event); break;
	case RECEIVER_DISPLACED:
		np_log_warning(log, "sender",
			       "was displaced, with %" PRIu64
			       " messages, by a sender that proved its address",
			       run->messages);
		close_files(r);
		break;
	case RECEIVER_DESERTED:
		np_log_warning(log, "sender",
			       "was silent for %.0f s after %" PRIu64
			       " reads, and made way for another sender",
			       np_clock_seconds(RECEIVER_RAW_SILENCE), run->messages);
		face->release(&r->transport, -1);
		close_files(r);
		break;
	case RECEIVER_UNWILLING:
		np_log_warning(log, "sender",
			       "wants acknowledgements, which -monitor does not send");
		break;
	case RECEIVER_FOREIGN:
		np_log_warning(log, "sender", "speaks another version of ttcp's messages");
		break;
	case RECEIVER_LEFT:
		np_log_error(log, "sender", "did not return for run %u", run->number + 1);
		r->status = 1;
		break;
	case RECEIVER_ALONE:
		np_log_error(log, NULL, "no sender came within %g s",
			     np_clock_seconds(receive_options(r)->wait.wait));
		r->status = 2;
		break;
	case RECEIVER_NO_MEMORY:
		np_log_error(log, NULL, "%s", strerror(ENOMEM));
		r->status = 1;
		break;
	}
}

/* DATA of one buffer with consecutive numbers that do not differ otherwise. */
struct data_series {
	struct message first;
	struct receiver_source source;
	np_time at;
	unsigned count;
};

static bool continues(const struct data_series *run, const struct np_packet *packet,
		      const struct message *m)
{
	const struct message *first = &run->first;

	return run->count && m->number == first->number + run->count && m->time == first->time &&
	       m->session == first->session && m->run == first->run && m->stream == first->stream &&
	       m->size == first->size && m->flags == first->flags &&
	       !(m->flags & MESSAGE_ACK_WANTED) && packet->source == run->source.address &&
	       packet->stamp == run->at;
}

static void end_series(struct receive_session *r, struct data_series *run)
{
	if (run->count)
		receiver_take_data(r->receiver, &run->source, &run->first, run->count, run->at);
	run->count = 0;
}

/* Takes one packet, or adds it to the series, which is handled before anything else. */
static void take_packet(struct receive_session *r, struct data_series *run,
			const struct np_packet *packet, bool by_group)
{
	const struct receiver_source source = {
		.address = packet->source,
		.by_group = by_group,
		.bytes = packet->length,
	};
	struct message *m = &r->message;
	const int rc = message_decode(packet->data, packet->length, m);
	const bool data = !rc && m->type == MESSAGE_DATA;
	const bool intact = data && message_fill_good(packet->data, packet->length, r->pattern);

	if (intact && continues(run, packet, m)) {
		run->count++;
		return;
	}
	end_series(r, run);
	if (rc)
		receiver_take_unknown(r->receiver, &source, packet->length, rc, packet->stamp);
	else if (!data)
		receiver_take(r->receiver, &source, m, packet->stamp);
	else if (!intact)
		receiver_take_damaged(r->receiver, &source, m, packet->stamp);
	else
		*run = (struct data_series){*m, source, packet->stamp, 1};
}

bool receive_allows(struct receive_session *r, const struct np_address *source)
{
	const bool allowed = np_address_networks_have(r->allowed, source);

	r->not_allowed += !allowed;
	return allowed;
}

static int take_packets(void *context, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct receive_session *r = context;
	struct data_series run = {.count = 0};
	int taken = 0;

	for (unsigned i = 0; i < count; i++) {
		if (r->allowed && !receive_allows(r, packet[i].source)) {
			end_series(r, &run);
			continue;
		}
		take_packet(r, &run, &packet[i], by_group);
		taken++;
	}
	end_series(r, &run);
	return taken;
}

static int open_transport(struct receive_session *r)
{
	const struct place_options *place = &receive_options(r)->place;
	struct transport *t = &r->transport;
	size_t longest;
	int status = 0;

	t->face = transport_face_of(place->transport, false);
	t->session = r->session;
	t->plan.control_bytes = MESSAGE_CONTROL_MAX;
	t->user = (struct transport_user){
		.context = r,
		.packets = take_packets,
		.opened = receive_stream_opened,
		.wants = receive_stream_wants,
		.bytes = receive_stream_bytes,
		.ended = receive_stream_ended,
		.closed = receive_stream_closed,
	};
	if (place->allow && np_address_networks_parse(&r->allowed, place->allow))
		return np_log_refuse(r->session->log, NULL, "out of memory");
	if (t->face->resolve)
		status = t->face->resolve(t);
	if (!status)
		status = t->face->open(t);
	if (status)
		return status;
	longest = t->longest ? t->longest : NP_DATAGRAM_BYTES_MAX;
	r->pattern = malloc(longest);
	if (!r->pattern)
		return np_log_refuse(r->session->log, NULL, "out of memory");
	message_fill(r->pattern, longest);
	return 0;
}

static int take(struct receive_session *r)
{
	struct transport *t = &r->transport;

	/* A single stream may sleep in its receive call, without a poll before. */
	if (t->face->receive_timeout && !t->face->datagrams) {
		receive_stream_choose_timeout(r);
	} else if (t->face->receive_timeout) {
		const bool alone = !t->group && receiver_in_ping_pong(r->receiver);

		if (alone != r->patient &&
		    !t->face->receive_timeout(t, NULL, alone ? TRANSPORT_LOOK : 0, 0))
			r->patient = alone;
	}
	return t->face->receive(t);
}

static void answer(void *context, const struct receiver_source *to, const void *message,
		   size_t bytes)
{
	struct receive_session *r = context;
	struct transport *t = &r->transport;
	struct channel *channel = to->channel ? to->channel : receive_stream_first(r);

	/*
	 * Only a connection that is being read now is flushed soon: an answer on another one is
	 * sent at once.
	 */
	(void)t->face->send(t, channel, to->address, message, bytes, to->channel);
}

/* Implements receiver_port.data. */
static void record(void *context, const struct receiver_data *data)
{
	struct receive_session *r = context;
	struct recorder *sequence = data->numbered ? r->files.rows[data->stream] : NULL;

	for (uint64_t i = 0; i < data->count && sequence; i++)
		recorder_sequence(sequence, data->number + i, data->sent,
				  session_wall(r->session, data->at));
	if (r->windows)
		files_count(&r->files, data->at, data->count, data->bytes);
}

/* Returns 0 or the exit status. */
static int create_machine(struct receive_session *r)
{
	const struct options *o = receive_options(r);
	const bool monitor = o->task == TASK_MONITOR;
	const struct receiver_port port = {
		.context = r,
		.answer = answer,
		.clock = session_clock,
		.account = receive_drops_account,
		.notify = notify,
		.data = r->windows || o->files.sequence ? record : NULL,
	};
	struct receiver_plan plan = {
		.with =
			{
				.datagrams = r->transport.face->datagrams,
				/*
				 * In a group the members answer, and the monitor stays invisible.
				 */
				.answers = !monitor || !r->transport.group,
				.acknowledges = !monitor,
				.message_bytes = (uint32_t)o->load.message_bytes,
				.ahead = r->session->ahead,
			},
		.senders = o->wait.once ? 1
			   : monitor	? 0
					: o->load.runs,
		.wait = o->wait.wait,
		.patient = o->load.to_stdout,
	};

	if (getrandom(&plan.with.secret, sizeof(plan.with.secret), 0) < 0)
		return np_log_refuse(r->session->log, "random numbers", "%s", strerror(errno));
	if (receiver_create(&r->receiver, &plan, &port, np_clock_now()))
		return np_log_refuse(r->session->log, NULL, "out of memory");
	return 0;
}

int receive_open(struct receive_session **receive, struct session *session)
{
	const struct options *o = session->options;
	struct receive_session *r = calloc(1, sizeof(*r));
	int status;

	*receive = r;
	if (!r)
		return np_log_refuse(session->log, NULL, "out of memory");
	r->session = session;
	r->windows = o->files.bandwidth || o->task == TASK_MONITOR;
	status = open_transport(r);
	if (!status)
		status = create_machine(r);
	return status ? status : files_begin(&r->files, session, 1, 1);
}

int receive_close(struct receive_session *receive, int status)
{
	int files;

	if (!receive)
		return status;
	if (receive->transport.face)
		receive->transport.face->close(&receive->transport);
	free(receive->pattern);
	np_address_networks_free(receive->allowed);
	if (status == 2)
		files_forget(&receive->files);
	files = files_close(&receive->files);
	receiver_free(receive->receiver);
	free(receive);
	return status ? status : files;
}

/* Does what is due by time, some fifty times a second during a run. */
static void look(struct receive_session *r, np_time now)
{
	if (session_look(r->session))
		receiver_stop(r->receiver);
	if (receiver_run(r->receiver)->phase == RECEIVER_RECEIVING)
		receive_progress_look(r, now);
	r->session->report_asked = false;
	receiver_tick(r->receiver, now);
	r->look_at = now + TRANSPORT_LOOK;
}

static bool over(const struct receive_session *r)
{
	return r->over || r->receiver->over;
}

/*
 * One iteration takes what has arrived. It reads the clock once; messages that the kernel stamps
 * have their own stamps.
 */
static int loop(struct receive_session *r)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	np_time now = np_clock_now();
	struct np_busy_poll busy = {.since = now};
	int came = 0;

	r->look_at = now;
	while (!over(r) && came >= 0) {
		came = take(r);
		now = np_clock_now();
		if (came > 0)
			np_busy_poll_received(&busy, (unsigned)came);
		if (now >= r->look_at)
			look(r, now);
		r->transport.rested = !came && np_busy_poll_pays(&busy, now);
		if (r->transport.rested) {
			np_busy_poll_spin(now);
		} else if (!came && !over(r)) {
			came = r->transport.face->wait(&r->transport,
						       run->phase == RECEIVER_IDLE
							       ? receiver_deadline(r->receiver)
							       : r->look_at,
						       0);
			/* A signal, or something is due. */
			if (!came)
				r->look_at = now;
		}
	}
	return came < 0 ? came : 0;
}

int receive_run(struct receive_session *receive)
{
	struct receive_session *r = receive;
	const struct transport_face *face = r->transport.face;
	struct console *console = &r->session->console;
	char self[NP_ADDRESS_TEXT];
	int rc = files_open(&r->files, 1, 1);

	if (rc)
		return rc;
	np_wait_end_on_time();
	console_run(console, receive_options(r), 1);
	if (face->self)
		console_place(console, face->self(&r->transport, self), NULL, 0);
	console_listening(console);
	rc = loop(r);
	if (rc) {
		np_log_error(r->session->log, NULL, "%s", strerror(-rc));
		r->status = 1;
	}
	if (r->not_allowed)
		np_log_warning(r->session->log, "--allow",
			       "ignored %" PRIu64 " datagram%s or connections of other hosts",
			       r->not_allowed, np_plural(r->not_allowed));
	receive_summary(r);
	return r->failed && !r->status ? 1 : r->status;
}
