// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* receiver_run: the begin and the end of a run, and what is told of it. */
#include "receiver_state.h"

#include <errno.h>
#include <string.h>

#define GRACE_LEAST (200 * NP_MILLISECOND)
#define GRACE_MOST  (10 * NP_SECOND)

/* What this host's cards and backlog dropped, by their counters as they are. */
static void read_path(const struct receiver *r, struct np_path_drops *path)
{
	*path = (struct np_path_drops){.softnet_known = false};
	if (r->transport->place)
		np_path_read(path, receiver_options(r)->socket.asked.device,
			     r->transport->place(r));
}

/* What a sender wants that tells nothing. */
static struct message_start assume(const struct receiver *r)
{
	const struct options *o = receiver_options(r);

	return (struct message_start){
		.message_bytes = (uint32_t)o->load.message_bytes,
		.timeout_ms = MESSAGE_SILENCE_MS,
		.streams = 1,
		.runs = 1,
	};
}

/* Of a run that begins without a START it is not known where it began. */
static void begin_tally(struct receiver *r, struct tally *tally)
{
	if (r->raw || r->started)
		tally_begin(tally, r->start.messages, r->clock.known ? &r->clock : NULL);
	else
		tally_begin_late(tally);
}

static int begin_tallies(struct receiver *r)
{
	for (unsigned i = 0; i < r->streams; i++) {
		if (!r->tally[i]) {
			int rc = tally_create(&r->tally[i]);

			if (rc)
				return rc;
		}
		begin_tally(r, r->tally[i]);
		r->ended[i] = false;
	}
	return 0;
}

/* The counter is of all programs here. False: not to be had. */
static bool wrong_checksums(uint64_t *count)
{
	struct np_datagram_kernel kernel;

	if (np_datagram_kernel_counts(&kernel))
		return false;
	*count = kernel.checksum_errors;
	return true;
}

static void begin_counts(struct receiver *r, np_time at)
{
	r->messages = r->counted = 0;
	r->ended_at = r->grace = r->reported = 0;
	r->heard = r->begun = at;
	r->marks = 0;
	r->pending.there = false;
	r->proven = !r->transport->datagrams;
	r->came = r->answered = r->beaten = 0;
	r->beat = at;
	if (r->transport->dropped(r, &r->dropped_before))
		r->dropped_before = 0;
	r->dropped_at_end = 0;
	read_path(r, &r->path_before);
	r->ends_missed = 0;
	r->checksums_known = wrong_checksums(&r->checksums_before);
	np_interval_start(&r->interval, at, receiver_options(r)->report.interval);
	r->marked = (struct tally_figures){0};
	r->intervals = 0;
}

void receiver_begin(struct receiver *r, const struct source *source, const struct message *m,
		    np_time at)
{
	int rc;

	r->raw = !m;
	r->bye = r->unread = false;
	r->started = m && m->type == MESSAGE_START;
	r->id = m ? m->session : 0;
	r->run = m ? m->run : 1;
	r->flags = m ? m->flags : 0;
	r->start = r->started ? m->start : assume(r);
	r->clock = r->start.clock;
	r->streams = r->start.streams;
	r->sender = *source->address;
	r->newest = (struct message){.session = r->id, .run = r->run, .time = m ? m->time : 0};
	r->phase = RECEIVER_RECEIVING;
	begin_counts(r, at);
	rc = begin_tallies(r);
	if (rc) {
		np_log_error(r->session->log, NULL, "%s", strerror(-rc));
		r->status = 1;
		r->over = true;
	}
	r->session->console.counted = 0;
	if (files_open(&r->files, r->session, r->run, r->streams)) {
		r->status = 1;
		r->over = true;
	}
	/* The first run was announced when listening began. */
	if (r->run > 1)
		console_run(&r->session->console, receiver_options(r), r->run);
	if (r->transport->local)
		console_connected(&r->session->console, source->address,
				  r->transport->local(source));
	console_receiving(&r->session->console, receiver_options(r), r->started ? &r->start : NULL);
	receiver_say_start(r);
}

/* How many of the dropped may have been of wrong checksum: all, when nobody can tell. */
static uint64_t count_damaged(const struct receiver *r)
{
	uint64_t now;

	if (!r->dropped || !r->checksums_known || !wrong_checksums(&now))
		return r->dropped;
	now -= r->checksums_before;
	return now < r->dropped ? now : r->dropped;
}

static void report_drops(struct receiver *r)
{
	r->report.drop_unit = MESSAGE_DROPS_UNKNOWN;
	r->dropped = r->damaged = 0;
	if (r->transport->dropped(r, &r->dropped))
		return;
	r->dropped -= r->dropped_before;
	r->damaged = count_damaged(r);
	r->report.host_drops = r->dropped - r->damaged;
	r->report.host_drops_most = r->dropped;
	r->report.drop_unit = strcmp(r->transport->drop_unit(r), "packet") ? MESSAGE_DROPS_BUFFERS
									   : MESSAGE_DROPS_PACKETS;
}

static void make_report(struct receiver *r, enum message_status status)
{
	struct tally_figures figures = receiver_figures(r);
	struct delay delay;

	memset(&r->report, 0, sizeof(r->report));
	if (delay_create(&delay))
		return;
	delay_expect(&delay, &r->clock);
	for (unsigned i = 0; i < r->streams; i++)
		delay_merge(&delay, tally_delay(r->tally[i]));
	tally_report(&figures, &delay, &r->report);
	delay_free(&delay);
	read_path(r, &r->path);
	np_path_since(&r->path, &r->path_before);
	if (status == MESSAGE_COMPLETE && figures.lost)
		status = MESSAGE_SHORT;
	r->report.status = (uint8_t)status;
	r->report.clock = r->clock;
	report_drops(r);
}

/*
 * What is under way behind END may need as long as others did, and again as long; when nothing is
 * missing a copy of it may be.
 */
np_time receiver_grace(const struct receiver *r)
{
	bool complete = true, any = false;
	int64_t least = 0, most = 0, spread;

	for (unsigned i = 0; i < r->streams; i++) {
		const struct delay *d = tally_delay(r->tally[i]);

		complete &= tally_complete(r->tally[i]);
		if (d->count && (!any || d->min < least))
			least = d->min;
		if (d->count && (!any || d->max > most))
			most = d->max;
		any |= d->count > 0;
	}
	if (complete)
		return GRACE_LEAST;
	if (__builtin_sub_overflow(most, least, &spread) || spread > GRACE_MOST / 2)
		return GRACE_MOST;
	return 2 * spread > GRACE_LEAST ? 2 * spread : GRACE_LEAST;
}

/* What a sender says is believed as far as its rate explains it. */
np_time receiver_silence(const struct receiver *r)
{
	uint32_t most = message_silence_ms(&r->start), told = r->start.timeout_ms;

	return (np_time)(told < most ? told : most) * NP_MILLISECOND;
}

void receiver_answer_report(struct receiver *r, const struct source *to)
{
	uint8_t data[MESSAGE_CONTROL_MAX];
	struct message m = {
		.type = MESSAGE_REPORT,
		.session = r->id,
		.run = r->run,
		.time = session_wall(r->session, np_clock_now()),
		.report = r->report,
	};

	/* END that is not answered comes again; a stream that is gone has nobody to tell. */
	if (r->answers)
		receiver_answer(r, to, data, message_encode(data, &m));
}

void receiver_finish(struct receiver *r, enum message_status status)
{
	const struct source to = {.address = &r->sender};

	r->phase = RECEIVER_REPORTED;
	r->reported = np_clock_now();
	if (r->ended_at)
		r->grace = r->reported - r->ended_at;
	make_report(r, status);
	if (!r->raw)
		receiver_answer_report(r, &to);
	if (status == MESSAGE_TIMED_OUT)
		np_log_error(r->session->log, "sender", "nothing came for %.0f s, and no END",
			     np_clock_seconds(receiver_silence(r)));
	if (status == MESSAGE_TIMED_OUT || (status == MESSAGE_INTERRUPTED && !r->messages))
		r->status = 1;
	receiver_conclude(r);
	if (files_close_run(&r->files))
		r->status = 1;
}

struct tally_figures receiver_figures(const struct receiver *r)
{
	struct tally_figures sum, more;

	tally_life(r->tally[0], &sum);
	for (unsigned i = 1; i < r->streams; i++) {
		tally_life(r->tally[i], &more);
		tally_figures_add(&sum, &more);
	}
	return sum;
}

struct tally_figures receiver_figures_so_far(const struct receiver *r)
{
	struct tally_figures sum, more;

	tally_so_far(r->tally[0], &sum);
	for (unsigned i = 1; i < r->streams; i++) {
		tally_so_far(r->tally[i], &more);
		tally_figures_add(&sum, &more);
	}
	return sum;
}
