// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * receive: runs the receiver, from the sockets to the exit status; finds the messages in datagrams,
 * and handles those that differ only by their numbers at once.
 */
#include "conversation.h"

#include <errno.h>
#include <inttypes.h>
#include <netperf/clock.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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

static void end_series(struct receiver *r, struct data_series *run)
{
	if (run->count)
		receiver_take_data(r, &run->source, &run->first, run->count, false, run->at);
	run->count = 0;
}

/* Takes one packet, or adds it to the series, which is handled before anything else. */
static void take_packet(struct receiver *r, struct data_series *run, const struct np_packet *packet,
			bool by_group)
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
		receiver_take_unknown(r, &source, rc, packet->stamp);
	else if (!data)
		receiver_take(r, &source, m, packet->stamp);
	else if (!intact)
		receiver_take_data(r, &source, m, 1, true, packet->stamp);
	else
		*run = (struct data_series){*m, source, packet->stamp, 1};
}

bool receive_allows(struct receiver *r, const struct np_address *source)
{
	const bool allowed = np_address_networks_have(r->allowed, source);

	r->not_allowed += !allowed;
	return allowed;
}

static int take_packets(struct transport *t, const struct np_packet *packet, unsigned count,
			bool by_group)
{
	struct receiver *r = t->owner;
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

int receiver_create(struct receiver **receiver, struct session *session,
		    const struct transport_face *face)
{
	static const struct transport_user user = {
		.packets = take_packets,
		.opened = receive_stream_opened,
		.wants = receive_stream_wants,
		.bytes = receive_stream_bytes,
		.ended = receive_stream_ended,
		.closed = receive_stream_closed,
	};
	const struct options *o = session->options;
	struct receiver *r = calloc(1, sizeof(*r));

	*receiver = r;
	if (!r)
		return -ENOMEM;
	r->session = session;
	r->transport =
		(struct transport){.face = face, .user = &user, .owner = r, .session = session};
	r->senders = o->wait.once ? 1 : o->task == TASK_MONITOR ? 0 : o->load.runs;
	r->opened = session_now(session);
	return conversation_open(&r->with, session, &r->transport);
}

void receiver_free(struct receiver *receiver)
{
	if (!receiver)
		return;
	conversation_close(&receiver->with);
	free(receiver->pattern);
	np_address_networks_free(receiver->allowed);
	free(receiver);
}

/* Returns 0 or the exit status. */
static int open_transport(struct receiver *r)
{
	const char *allow = r->session->options->place.allow;
	struct transport *t = &r->transport;
	size_t longest;
	int status = 0;

	if (t->face->resolve)
		status = t->face->resolve(t);
	if (!status)
		status = t->face->open(t);
	if (status)
		return status;
	longest = t->longest ? t->longest : NP_DATAGRAM_BYTES_MAX;
	r->pattern = malloc(longest);
	if (!r->pattern || (allow && np_address_networks_parse(&r->allowed, allow)))
		return np_log_refuse(r->session->log, NULL, "out of memory");
	message_fill(r->pattern, longest);
	return 0;
}

int receive_open(struct receiver **receiver, struct session *session)
{
	const struct options *o = session->options;
	struct receiver *r;
	int rc = receiver_create(&r, session, transport_faces[o->place.transport]);
	int status;

	*receiver = r;
	if (rc)
		return np_log_refuse(session->log, NULL, "out of memory");
	status = open_transport(r);
	if (status)
		return status;
	/* In a group the members answer, and the monitor stays invisible. */
	r->with.answers = o->task != TASK_MONITOR || !r->transport.group;
	if (getrandom(&r->with.secret, sizeof(r->with.secret), 0) < 0)
		return np_log_refuse(session->log, "random numbers", "%s", strerror(errno));
	/* Resolving and opening may have taken a while. */
	r->opened = session_now(session);
	r->random = r->with.secret.word[0] ^ (uint64_t)r->opened;
	return files_begin(&r->with.files, session, 1, 1);
}

int receive_close(struct receiver *receiver, int status)
{
	int files;

	if (!receiver)
		return status;
	receiver->transport.face->close(&receiver->transport);
	if (status == 2)
		files_forget(&receiver->with.files);
	files = files_close(&receiver->with.files);
	receiver_free(receiver);
	return status ? status : files;
}

static int take(struct receiver *r)
{
	struct transport *t = &r->transport;

	/* A single stream may sleep in its receive call, without a poll before. */
	if (t->face->receive_timeout && !t->face->datagrams) {
		receive_stream_choose_timeout(r);
	} else if (t->face->receive_timeout) {
		const bool alone = !t->group && receiver_in_ping_pong(r);

		if (alone != r->patient &&
		    !t->face->receive_timeout(t, NULL, alone ? TRANSPORT_LOOK : 0, 0))
			r->patient = alone;
	}
	return t->face->receive(t);
}

/* Does what is due by time, some fifty times a second during a run. */
static void look(struct receiver *r, np_time now)
{
	if (session_look(r->session))
		receiver_stop(r);
	if (r->with.run.phase == RECEIVER_RECEIVING)
		receive_look(&r->with, now);
	r->session->report_asked = false;
	receiver_tick(r, now);
	r->look_at = now + TRANSPORT_LOOK;
}

/*
 * One iteration takes what has arrived. It reads the clock once; messages that the kernel stamps
 * have their own stamps.
 */
static int loop(struct receiver *r)
{
	struct transport *t = &r->transport;
	np_time now = np_clock_now();
	struct np_busy_poll busy = {.since = now};
	int came = 0;

	r->look_at = now;
	while (!receiver_over(r) && came >= 0) {
		came = take(r);
		now = np_clock_now();
		if (came > 0)
			np_busy_poll_received(&busy, (unsigned)came);
		if (now >= r->look_at)
			look(r, now);
		t->rested = !came && np_busy_poll_pays(&busy, now);
		if (t->rested) {
			np_busy_poll_spin(now);
		} else if (!came && !receiver_over(r)) {
			const bool idle = r->with.run.phase == RECEIVER_IDLE;

			came = t->face->wait(t, idle ? receiver_deadline(r) : r->look_at, 0);
			/* A signal, or something is due. */
			if (!came)
				r->look_at = now;
		}
	}
	return came < 0 ? came : 0;
}

int receive_run(struct receiver *r)
{
	const struct transport_face *face = r->transport.face;
	const struct np_log *log = r->session->log;
	struct console *console = &r->session->console;
	char self[NP_ADDRESS_TEXT];
	int rc = files_open(&r->with.files, 1, 1);

	if (rc)
		return rc;
	np_wait_end_on_time();
	console_run(console, r->session->options, 1);
	if (face->self)
		console_place(console, face->self(&r->transport, self), NULL, 0);
	console_listening(console);
	rc = loop(r);
	if (rc) {
		np_log_error(log, NULL, "%s", strerror(-rc));
		r->with.status = 1;
	}
	if (r->not_allowed)
		np_log_warning(log, "--allow",
			       "ignored %" PRIu64 " datagram%s or connections of other hosts",
			       r->not_allowed, np_plural(r->not_allowed));
	receive_summary(r);
	return r->with.failed && !r->with.status ? 1 : r->with.status;
}
