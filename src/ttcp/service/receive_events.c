// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receive_events: passes events of the receiver's machine to the user, the files and the kernel. */
#include "receive_session.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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
		source->way ? r->transport.face->local(&r->transport, source->way) : NULL;

	receive_drops_begin(r);
	receive_progress_begin(r);
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
	receive_say_start(r);
}

/* More came than its END says that it sent: one of the two is not its own. */
static bool contradicted(const struct receive_session *r, const struct receiver_event *event)
{
	const struct receiver_run *run = receiver_run(r->receiver);
	const struct np_flow_counts figures =
		conversation_figures(receiver_conversation(r->receiver));

	return event->status == MESSAGE_COMPLETE && !run->raw && !run->unread &&
	       !figures.sent_known;
}

static void blame(struct receive_session *r, const struct receiver_event *event, bool empty)
{
	const struct np_log *log = r->session->log;

	if (event->status == MESSAGE_TIMED_OUT)
		np_log_error(log, "sender", "nothing came for %.0f s, and no END",
			     np_clock_seconds(event->limit));
	else if (event->status == MESSAGE_INTERRUPTED && empty)
		np_log_error(log, "sender", "the run was interrupted before any message came");
	else
		return;
	r->status = 1;
}

static void finish(struct receive_session *r, const struct receiver_event *event)
{
	const bool empty = !receiver_run(r->receiver)->messages, odd = contradicted(r, event);

	receive_conclude(r);
	if (odd) {
		np_log_error(r->session->log, "sender",
			     "its END reports fewer messages than arrived; how many it sent and "
			     "how many were lost is unknown");
		r->status = 1;
	}
	blame(r, event, empty);
	close_files(r);
}

static void make_way(struct receive_session *r)
{
	np_log_warning(r->session->log, "sender",
		       "was displaced, with %" PRIu64
		       " messages, by a sender that proved its address",
		       receiver_run(r->receiver)->messages);
	close_files(r);
}

/* Of a raw stream. */
static void desert(struct receive_session *r)
{
	np_log_warning(r->session->log, "sender",
		       "was silent for %.0f s after %" PRIu64
		       " reads, and made way for another sender",
		       np_clock_seconds(RECEIVER_RAW_SILENCE), receiver_run(r->receiver)->messages);
	r->transport.face->release(&r->transport, -1);
	close_files(r);
}

static void listen_again(struct receive_session *r)
{
	if (r->transport.face->release)
		r->transport.face->release(&r->transport, -1);
	if (!receiver_over(r->receiver))
		console_listening(&r->session->console);
}

static void leave(struct receive_session *r)
{
	np_log_error(r->session->log, "sender", "did not return for run %u",
		     receiver_run(r->receiver)->number + 1);
	r->status = 1;
}

static void stay_alone(struct receive_session *r)
{
	np_log_error(r->session->log, NULL, "no sender came within %g s",
		     np_clock_seconds(receive_options(r)->wait.wait));
	r->status = 2;
}

static void tell(void *context, const struct receiver_event *event)
{
	struct receive_session *r = context;
	const struct np_log *log = r->session->log;

	switch (event->kind) {
	case RECEIVER_LISTENING: listen_again(r); break;
	case RECEIVER_BEGUN: begin(r, event->source); break;
	case RECEIVER_STREAMS: open_files(r); break;
	case RECEIVER_ENDED: receive_drops_ended(r); break;
	case RECEIVER_FINISHED: finish(r, event); break;
	case RECEIVER_MADE_WAY: make_way(r); break;
	case RECEIVER_DESERTED: desert(r); break;
	case RECEIVER_UNWILLING:
		np_log_warning(log, "sender",
			       "wants acknowledgements, which -monitor does not send");
		break;
	case RECEIVER_FOREIGN:
		np_log_warning(log, "sender", "speaks another version of ttcp's messages");
		break;
	case RECEIVER_LEFT: leave(r); break;
	case RECEIVER_ALONE: stay_alone(r); break;
	case RECEIVER_NO_MEMORY:
		np_log_error(log, NULL, "%s", strerror(ENOMEM));
		r->status = 1;
		break;
	}
}

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

struct receiver_listener receive_listener(struct receive_session *r)
{
	return (struct receiver_listener){
		.context = r,
		.tell = tell,
		.data = r->windows || receive_options(r)->files.sequence ? record : NULL,
	};
}
