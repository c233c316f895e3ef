// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * exchange: one loop that sends, receives and expires, and sleeps only when there is nothing to do.
 * Plain system calls serve a window best: one or two answers come at a time, and each frees its
 * slot. Each frame is decoded, its request found, its data checked and counted; no content is
 * trusted.
 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>

/* If the moment of sending is not known more precisely, the request has no round-trip time. */
#define HELD_UP (10 * NP_MILLISECOND)

static bool is_paced(const struct exchange *x)
{
	return x->s->options->traffic.rate_packets_per_s > 0;
}

static void take_first(struct exchange *x, const struct np_frame *frame,
		       const struct np_aoe_header *header, const struct window_request *request)
{
	struct result *r = x->result;
	struct np_aoe_ata ata;
	/* An error answers any request; a data answer must be complete. */
	const bool write = x->s->options->operation == OPERATION_WRITE;
	const int rc = target_decode(header, frame, write ? 0 : request->sectors, &ata);

	if (!rc) {
		r->tally.stray++;
		return;
	}
	window_settle(x->window, header->tag);
	if (x->by_kernel && frame->stamp - request->gone > x->s->options->traffic.timeout) {
		r->tally.late++;
		return;
	}
	r->tally.received++;
	x->last = frame->stamp > x->last ? frame->stamp : x->last;
	if (request->gone - request->sent <= HELD_UP)
		np_histogram_add(r->recent, frame->stamp - request->sent);
	if (is_paced(x))
		np_histogram_add(r->paced, frame->stamp - request->intended);
	if (rc < 0) {
		if (!r->tally.errors++)
			r->first_error = (struct answer_error){
				.lba = request->lba,
				.aoe_error = header->flags & NP_AOE_FLAG_ERROR ? header->error : 0,
				.ata_status = ata.command,
				.ata_error = ata.feature,
			};
		return;
	}
	r->tally.bytes += request->sectors * (uint64_t)NP_AOE_SECTOR_BYTES;
	if (!write)
		r->tally.damaged += np_pattern_check(&x->pattern, ata.data, request->lba,
						     request->sectors, &r->damage);
}

static void take(struct exchange *x, const struct np_aoe_header *header,
		 const struct np_frame *frame)
{
	struct tally *tally = &x->result->tally;
	struct window_request request;

	/* Requests go to the host that was examined; only its answers count. */
	if (!(header->flags & NP_AOE_FLAG_RESPONSE) ||
	    other_host_answers(&x->result->other, header->source, x->s->target.mac)) {
		tally->stray++;
		return;
	}
	if (x->s->examination && examination_take(x->s->examination, header, frame))
		return;
	switch (window_classify(x->window, header->tag, &request)) {
	case WINDOW_RECEIVED: take_first(x, frame, header, &request); break;
	case WINDOW_LATE:
		window_settle(x->window, header->tag);
		tally->late++;
		tally->lost--;
		break;
	case WINDOW_DUPLICATE: tally->duplicates++; break;
	case WINDOW_STRAY: tally->stray++; return;
	}
	if (x->s->examination)
		examination_heard(x->s->examination, frame->stamp);
	x->heard = frame->stamp;
	x->lost_when_heard = tally->lost;
}

void exchange_take(struct exchange *all, unsigned count, const struct np_frame *frames,
		   unsigned received)
{
	unsigned at = 0;

	for (const struct np_frame *frame = frames; frame < frames + received; frame++) {
		struct np_aoe_header header;
		unsigned tried = 0;

		if (np_aoe_header_decode(frame->data, frame->length, &header))
			tried = count;
		/* Most come in the order of the targets, or again from the same one. */
		for (; tried < count; tried++) {
			const struct target *target = &all[at].s->target;

			if (header.shelf == target->shelf && header.slot == target->slot)
				break;
			at = at + 1 < count ? at + 1 : 0;
		}
		if (tried < count)
			take(&all[at], &header, frame);
		else if (count == 1)
			all->result->tally.stray++;
	}
}

/* How often a busy loop handles signals, intervals and a dead target. */
#define HOUSEKEEPING (10 * NP_MILLISECOND)
/* How long to wait before retrying a full transmit queue. */
#define REFUSED_PAUSE (200 * NP_MICROSECOND)

/* How long a rank of a mesh waits for answers after a signal: its launcher may kill it soon. */
#define LEAVE_TIME (300 * NP_MILLISECOND)

/* The longest sleep of one iteration. */
#define SLEEP_MAX NP_SECOND

/* The target is dead if so many packets beyond the window are lost at the end. */
#define LOST_IN_A_ROW 16

static uint64_t link_drops(struct exchange *x, bool *known)
{
	struct np_link_stats stats = {0};

	*known = !np_link_stats(x->s->channel->link, &stats);
	x->result->refused_error = stats.refused_error;
	x->result->refused_calls = stats.send_refused;
	return stats.dropped;
}

static void count_drops(struct exchange *x, struct np_drops_counts *counts)
{
	/* A failure makes the counts unknown. */
	(void)np_drops_update(x->s->run->drops);
	np_drops_count(x->s->run->drops, NP_DROPS_ALL, NULL, counts);
}

static bool is_held(const struct exchange *x)
{
	return x->s->examination && x->s->examination->holds;
}

/* Fills in the figures that must be queried, and ends a row. */
static void observe(struct exchange *x, np_time now, enum moment moment)
{
	struct result *r = x->result;
	const np_time paced = is_paced(x) ? np_pacer_next(&x->requests.pacer) : 0;
	/* The time of the rate; n paced packets take n intervals. */
	np_time end = x->last == x->intervals.begin ? now : x->last;
	np_time length;
	bool known;

	if (x->last != x->intervals.begin && x->asked > end)
		end = x->asked;
	r->elapsed = (paced > end ? paced : end) - x->intervals.begin;
	r->tally.outstanding = window_outstanding(x->window);
	r->passes = x->requests.cursor.passes;
	r->worst_behind = x->requests.pacer.worst_behind;
	r->dropped = link_drops(x, &known) - x->dropped;
	/* Whose answers they were is not known. */
	known &= x->count == 1 || !r->dropped;
	if (x->s->examination)
		r->rechecks = x->s->examination->done;
	result_attribute(r, known);
	/* No row goes beyond the time of the rate, where the last one ends. */
	end = x->intervals.begin + x->result->elapsed;
	if (moment == MOMENT_END || (requests_done(x) && now > end))
		now = end > x->intervals.mark ? end : x->intervals.mark;
	length = np_interval_next(&x->intervals, now);
	if (x->observe)
		x->observe(x, length, moment);
}

/*
 * Called once per iteration. Time during which the pacer waits, or this process does not run, is no
 * silence of the target.
 */
static void note_silence(struct exchange *x, np_time now)
{
	struct silence *s = &x->silence;

	if (x->heard != s->heard) {
		s->heard = x->heard;
		s->sent = x->result->tally.sent;
		s->asked = 0;
	} else if (s->asking) {
		s->asked += now - s->at < SLEEP_MAX ? now - s->at : SLEEP_MAX;
	}
	s->at = now;
	s->asking = !is_held(x) && (window_outstanding(x->window) || x->requests.refused ||
				    requests_next(x) <= now);
}

/* True when no frame of ours was sent since something was heard. */
static bool host_refuses(const struct exchange *x)
{
	return x->requests.refused && x->result->tally.sent == x->silence.sent;
}

/*
 * When to give up if nothing is heard. After the last request the run ends soon by itself, and the
 * loss of one last packet does not mean that the target is dead.
 */
static np_time death(const struct exchange *x)
{
	const struct silence *s = &x->silence;

	if (requests_done(x) || !s->asking)
		return NP_TIME_NEVER;
	if (x->result->tally.lost <= x->lost_when_heard && !host_refuses(x))
		return NP_TIME_NEVER;
	return s->at + x->s->options->traffic.give_up - s->asked;
}

/* Ends the run at once or soon. */
static void stop(struct exchange *x, np_time now, enum ending ending)
{
	x->result->ending = ending;
	requests_stop(x, now);
}

/* Shows how far the exchanges have come, when that is due. */
static void show_status(const struct exchange *x, np_time now)
{
	struct np_status *status = x->s->log->status;
	struct tally sum = {0};

	if (now < np_status_next(status))
		return;
	for (const struct exchange *one = x->all; one < x->all + x->count; one++)
		np_schema_add(tally_columns, &sum, &one->result->tally);
	np_status_show(status, now,
		       &(struct np_status_figures){
			       .begun = x->all->intervals.begin,
			       .end = x->stop,
			       .bytes = sum.bytes,
			       .rate_in_bytes = x->s->options->report.unit,
			       .count = sum.received,
			       .unit = "packets received",
			       .fault = "lost",
			       .faults = sum.lost,
		       });
}

/*
 * Done now and then. @signals: NP_SIGNALS_ bits that came since the last time. True when the run
 * must end at once.
 */
static bool do_housekeeping(struct exchange *x, np_time now, unsigned signals)
{
	if (signals & NP_SIGNALS_STOP) {
		if (x->result->ending == ENDING_INTERRUPTED)
			return true;
		/* Answers under way may still arrive; a second signal ends even that wait. */
		stop(x, now, ENDING_INTERRUPTED);
		if (x->s->options->mesh.mesh)
			x->leave = now + LEAVE_TIME;
	}
	if (now >= x->leave)
		return true;
	/* The last row has the rest. */
	if (requests_done(x))
		x->intervals.due = NP_TIME_NEVER;
	if (signals & NP_SIGNALS_REPORT || np_interval_due(&x->intervals, now))
		observe(x, now, signals & NP_SIGNALS_REPORT ? MOMENT_ASKED : MOMENT_INTERVAL);
	if (x->observe)
		show_status(x, now);
	if (now >= death(x)) {
		stop(x, now, host_refuses(x) ? ENDING_HOST_REFUSES : ENDING_TARGET_DEAD);
		return true;
	}
	return false;
}

/* True when everything to be sent was sent and is answered, lost, or no longer waited for. */
static bool is_over(struct exchange *x, np_time now)
{
	if (!requests_done(x) || window_outstanding(x->window))
		return false;
	if (!x->result->tally.lost || x->result->ending == ENDING_INTERRUPTED)
		return true;
	/* Late answers get one more time-out: lost means that none ever came. */
	if (!x->linger)
		x->linger = now + x->s->options->traffic.timeout;
	return now >= x->linger;
}

static np_time next_event(const struct exchange *x, np_time now)
{
	np_time at = window_deadline(x->window), due = requests_next(x);

	if (at < NP_TIME_NEVER)
		at += np_link_info(x->s->channel->link)->block_ns;
	/* The last request expired just now: check at once whether the run is over. */
	if (requests_done(x) && !window_outstanding(x->window) && !x->linger)
		return now;
	if (x->requests.refused)
		due = now + REFUSED_PAUSE;
	at = due < at ? due : at;
	at = x->stop > now && x->stop < at ? x->stop : at;
	at = x->linger && x->linger < at ? x->linger : at;
	at = x->intervals.due < at ? x->intervals.due : at;
	at = x->leave < at ? x->leave : at;
	at = death(x) < at ? death(x) : at;
	if (is_held(x) && x->s->examination->deadline < at)
		at = x->s->examination->deadline;
	return at < now + SLEEP_MAX ? at : now + SLEEP_MAX;
}

/* True when another disk may get, or got, data meant for the one that was examined. */
static bool is_unsafe(struct exchange *x, np_time now)
{
	const struct examination *e = x->s->examination;
	bool unsent, silent;

	if (!e || (!e->error && !x->result->other.answers))
		return false;
	/*
	 * This host refused if it took none of the questions; or not the write before them, while
	 * the target refuses to answer at length: an MTU that has become smaller.
	 */
	unsent = e->error == -ETIMEDOUT && x->s->channel->sent == e->sent;
	silent = e->error == -ETIMEDOUT && !e->answered;
	if (x->result->other.answers)
		x->result->ending = ENDING_OTHER_HOST;
	else if (unsent || (e->error == -EIO && x->requests.refused))
		x->result->ending = ENDING_HOST_REFUSES;
	else
		x->result->ending = silent ? ENDING_TARGET_DEAD : ENDING_CHANGED;
	requests_stop(x, now);
	return true;
}

/*
 * Expires and sends, when what has arrived was taken: @received frames. Returns how many were sent,
 * or -errno.
 */
static int step(struct exchange *x, int received, np_time now)
{
	const struct np_link_info *link = np_link_info(x->s->channel->link);
	struct examination *e = x->s->examination;
	struct window_request lost;
	int rc = 0;

	x->over = is_unsafe(x, now);
	if (x->over)
		return 0;
	/*
	 * Requests expire once all frames that had arrived are processed. A link that delivers
	 * whole blocks may have more in the next one after a short batch, and a frame that it still
	 * holds may have come in time.
	 */
	while ((link->block_ns ? !received : received < CHANNEL_BATCH) &&
	       window_expire(x->window, now - link->block_ns, &lost)) {
		x->result->tally.lost++;
		x->result->tally.given_up += !requests_again(x, &lost);
	}
	if (now >= x->stop)
		requests_stop(x, now);
	/* A silent target is examined again before the next write. */
	if (e && requests_done(x))
		examination_stop(e, now);
	else if (e)
		rc = examination_step(e, now, window_room(x->window));
	return rc < 0 ? rc : requests_send(x, now);
}

/*
 * One iteration takes a batch, then expires and sends a batch for each target, and sleeps if all
 * were empty. It reads the clock once, before taking. A request expires by that moment, and only
 * when the socket holds nothing more: a frame that came while this process did not run is not late.
 */
static int loop(struct exchange *all, unsigned count)
{
	struct channel *channel = all->s->channel;
	const struct np_link_info *link = np_link_info(channel->link);
	struct np_frame frame[CHANNEL_BATCH];
	np_time now = all->intervals.begin, next, housekeeping = now;
	int sent, received, rc;
	unsigned running, signals;

	for (;;) {
		running = 0;
		for (struct exchange *x = all; x < all + count; x++) {
			x->over = x->over || is_over(x, now);
			running += !x->over;
		}
		if (!running)
			return 0;
		received = channel_receive(channel, frame, CHANNEL_BATCH);
		if (received < 0)
			return received;
		for (struct exchange *x = all; x < all + count; x++)
			x->by_kernel = !strcmp(link->stamps, "kernel");
		exchange_take(all, count, frame, (unsigned)received);
		sent = 0;
		for (struct exchange *x = all; x < all + count; x++) {
			rc = x->over ? 0 : step(x, received, now);
			if (rc < 0)
				return rc;
			sent += rc;
		}
		now = np_clock_now();
		signals = 0;
		if (now >= housekeeping) {
			(void)channel_stopped(channel);
			signals = channel->pending;
			channel->pending = 0;
		}
		for (struct exchange *x = all; x < all + count; x++) {
			if (!x->over)
				note_silence(x, now);
			if (!x->over && now >= housekeeping)
				x->over = do_housekeeping(x, now, signals);
		}
		if (now >= housekeeping)
			housekeeping = now + HOUSEKEEPING;
		if (sent || received)
			continue;
		/* If all are over, too, this goes on at once. */
		next = NP_TIME_NEVER;
		for (struct exchange *x = all; x < all + count; x++) {
			if (!x->over && next_event(x, now) < next)
				next = next_event(x, now);
		}
		if (now >= next || next == NP_TIME_NEVER)
			continue;
		received = channel_wait(channel, next);
		if (received < 0)
			return received;
		if (channel->pending)
			housekeeping = now;
		now = np_clock_now();
	}
}

/* @rc: of the loop. */
static void finish(struct exchange *x, int rc, const struct np_usage *before)
{
	struct examination *e = x->s->examination;
	struct result *result = x->result;
	uint64_t lost;

	if (e)
		examination_stop(e, np_clock_now());
	if (result->ending == ENDING_DONE && !result->tally.sent && result->tally.refused)
		result->ending = ENDING_HOST_REFUSES;
	/* One window may be lost while the target lives; before a write it is asked then. */
	lost = result->tally.lost - np_least(result->tally.lost, x->lost_when_heard);
	if (result->ending <= ENDING_INTERRUPTED &&
	    (lost > result->window + LOST_IN_A_ROW || (lost && e && e->round > 1 && !e->answered)))
		result->silence = np_clock_now() - x->heard;
	if (result->ending == ENDING_DONE &&
	    (result->silence || result_is_unanswered(&result->tally)))
		result->ending = ENDING_TARGET_DEAD;
	count_drops(x, &result->host);
	np_drops_since(&result->host, &x->host);
	np_path_read(&result->path, x->s->options->target.interface, NULL);
	np_path_since(&result->path, &x->path);
	/* The wait for late answers is not part of the last row. */
	observe(x, np_clock_now(), MOMENT_END);
	result_settle(result);
	result->usage = np_usage_since(before);
	if (rc && result->tally.sent) {
		result->ending = ENDING_LINK_LOST;
		result->link_error = rc;
	}
}

int exchange_run(struct exchange *all, unsigned count)
{
	const struct np_usage before = np_usage_now();
	bool sent = false;
	int rc = 0;

	for (struct exchange *x = all; x < all + count && !rc; x++) {
		const struct options *o = x->s->options;

		x->pattern = (struct np_pattern){
			.fill = o->data.fill ? NP_PATTERN_LBA : NP_PATTERN_ZERO,
			.full = o->data.check,
		};
		x->result->window = x->s->window;
		rc = requests_create(x);
	}
	if (rc)
		goto no_run;
	for (struct exchange *x = all; x < all + count; x++) {
		const struct options *o = x->s->options;
		const np_time duration = x->warm_up ? o->traffic.warm_up : o->traffic.duration;
		np_time now;
		bool known;

		x->all = all;
		x->count = count;
		/* Examines the target again if time has passed since the last one. */
		if (x->s->examination && !rc)
			rc = examination_before(x->s->examination);
		if (rc == -EINTR)
			x->result->ending = ENDING_INTERRUPTED;
		else if (rc == -ETIMEDOUT || rc == -EIO || rc == -ESTALE)
			(void)is_unsafe(x, np_clock_now());
		x->over = x->result->ending;
		rc = x->over ? 0 : rc;
		now = np_clock_now();
		x->last = x->heard = now;
		x->silence = (struct silence){.at = now, .heard = now};
		x->stop = duration ? now + duration : NP_TIME_NEVER;
		x->leave = NP_TIME_NEVER;
		x->dropped = link_drops(x, &known);
		count_drops(x, &x->host);
		np_path_read(&x->path, o->target.interface, NULL);
		np_interval_start(&x->intervals, now, x->observe ? o->report.interval : 0);
		np_pacer_start(&x->requests.pacer, x->requests.pacer.rate_per_s, now);
	}
	if (!rc)
		rc = loop(all, count);
	for (unsigned i = 0; i < count; i++) {
		finish(&all[i], rc, &before);
		sent |= all[i].result->tally.sent > 0;
	}
	rc = sent ? 0 : rc;
no_run:
	for (unsigned i = 0; i < count; i++)
		requests_free(&all[i]);
	return rc;
}
