// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * conversation: finds whether a message begins or belongs to a run, counts messages of none;
 * starts, counts, ends and reports a sender's runs, and answers it.
 */
#include "conversation.h"

#include <errno.h>

/* On the path two ENDs may come closer together than they were sent. */
#define ENDS_APART (MESSAGE_END_SOON / 2)
/* How often a sender of datagrams is told that messages arrive. */
#define PROGRESS_EVERY (500 * NP_MILLISECOND)
/* How late a member of a group may answer. */
#define HOLD_MOST (100 * NP_MILLISECOND)

int conversation_begin_stream(struct receiver *r, unsigned i, uint64_t messages, bool late)
{
	struct receiver_stream *stream = &r->stream[i];
	const struct np_flow_plan plan = {.announced = messages, .late = late, .raw_delays = true};

	if ((!stream->flow && np_flow_create(&stream->flow, NP_FLOW_WINDOW)) ||
	    (!stream->before && np_histogram_create(&stream->before)) ||
	    np_flow_start(stream->flow, &plan))
		return -ENOMEM;
	np_histogram_clear(stream->before);
	np_delay_expect(np_flow_delay(stream->flow), &r->run.result.report.clock);
	return 0;
}

/* An unproven sender gets no more bytes than came from it. */
static void answer(struct receiver *r, const struct source *to, const struct message *m)
{
	struct channel *channel = to->channel ? to->channel : r->first;
	struct served_sender *s = &r->sender;
	const bool known = conversation_with(r, to);
	uint8_t data[MESSAGE_CONTROL_MAX];
	const size_t bytes = message_encode(data, m);

	if (r->transport.face->datagrams && !(known && s->proven) && bytes > to->bytes &&
	    (!known || s->answered + bytes > s->came))
		return;
	if (known)
		s->answered += bytes;
	/*
	 * Only a connection that is being read now is flushed soon: an answer on another one is
	 * sent at once. One that is lost has to be asked for again.
	 */
	(void)r->transport.face->send(&r->transport, channel, to->address, data, bytes,
				      to->channel);
}

void conversation_answer_start(struct receiver *r, const struct source *to,
			       const struct message *start, uint8_t verdict, np_time received)
{
	const struct options *o = r->session->options;
	struct message ok = {
		.type = MESSAGE_START_OK,
		.stream = start->stream,
		.session = start->session,
		.run = start->run,
		.time = start->time,
		.start_ok = {.verdict = verdict,
			     .reads = MESSAGE_READS,
			     .several = o->load.clients || o->place.served,
			     .start_received = session_wall(r->session, received)},
	};

	if (!r->answers)
		return;
	if (r->transport.face->datagrams)
		ok.start_ok.challenge = message_proof(&r->secret, to->address, start->session);
	ok.start_ok.replied = session_wall(r->session, session_now(r->session));
	if (verdict == MESSAGE_UNWILLING && start->session)
		ok.start_ok.limit = (uint8_t)receive_limit(r->session->options, &start->start);
	if (ok.start_ok.limit == MESSAGE_LIMIT_DURATION)
		ok.start_ok.most = (uint64_t)r->session->options->wait.max_duration;
	else if (ok.start_ok.limit == MESSAGE_LIMIT_RATE)
		ok.start_ok.most = (uint64_t)r->session->options->wait.max_rate_bits;
	answer(r, to, &ok);
}

static void answer_report(struct receiver *r, const struct source *to)
{
	const struct message m = {
		.type = MESSAGE_REPORT,
		.session = r->sender.id,
		.run = r->run.number,
		.time = session_wall(r->session, session_now(r->session)),
		.report = r->run.report,
	};

	/* An unanswered END is repeated; a closed stream cannot be answered. */
	if (r->answers)
		answer(r, to, &m);
}

/*
 * Starts a run by its START or, when that was lost, by DATA or END; NULL: by raw bytes. Of DATA and
 * END by the pending START that announced them, if any. Ends a run in progress. Without memory it
 * is the last one, which is logged.
 */
static void begin(struct receiver *r, const struct source *source, const struct message *m,
		  np_time at)
{
	struct receiver_run *run = &r->run;
	const struct kept_start *p = &r->pending;
	bool proven;

	if (m && m->type != MESSAGE_START && p->there && p->message.session == m->session &&
	    p->message.run == m->run && np_address_same_host(source->address, &p->from))
		m = &p->message;
	r->pending.there = false;
	proven =
		!r->transport.face->datagrams || (m && m->session == r->sender.id &&
						  r->sender.proven && conversation_with(r, source));
	if (run->phase == RECEIVER_RECEIVING)
		conversation_finish(r, MESSAGE_SHORT);
	*run = (struct receiver_run){
		.phase = RECEIVER_RECEIVING,
		.number = m ? m->run : 1,
		.flags = m ? m->flags : 0,
		.started = m && m->type == MESSAGE_START,
		.raw = !m,
		.sender = *source->address,
		.begun = at,
		.result.run = m ? m->run : 1,
	};
	if (run->started)
		run->start = m->start;
	else /* What its sender is assumed to want. */
		run->start = (struct message_start){
			.message_bytes = (uint32_t)r->session->options->load.message_bytes,
			.timeout_ms = MESSAGE_SILENCE_MS,
			.streams = 1,
			.runs = 1,
		};
	run->result.report.clock = run->start.clock;
	r->sender = (struct served_sender){
		.id = m ? m->session : 0,
		.proven = proven,
		.progress_at = at,
		.newest = m ? m->time : 0,
		.heard = at,
	};
	r->first = NULL;
	transactions_reset(r->transactions);
	for (; run->streams < run->start.streams; run->streams++) {
		if (!conversation_begin_stream(r, run->streams, run->start.messages,
					       !run->raw && !run->started))
			continue;
		np_log_error(r->session->log, NULL, "%s", strerror(ENOMEM));
		r->over = true;
		r->status = 1;
		break;
	}
	receive_begin(r, source);
}

/* Adds a stream that was not announced, since START was lost. */
static bool stream_known(struct receiver *r, const struct message *m)
{
	struct receiver_run *run = &r->run;

	if (m->stream < run->streams)
		return true;
	if (run->started || m->stream >= MESSAGE_STREAMS_MAX)
		return false;
	for (unsigned i = run->streams; i <= m->stream; i++) {
		if (conversation_begin_stream(r, i, 0, true))
			return false;
		run->streams = i + 1;
	}
	receive_open_files(r);
	return true;
}

static void count_came(struct receiver *r, const struct source *source, unsigned count)
{
	if (!r->sender.proven && conversation_with(r, source))
		r->sender.came += count * source->bytes;
}

static struct np_histogram *delays_of(const struct receiver *r, unsigned stream)
{
	return np_flow_delay(r->stream[stream].flow);
}

/* Messages begin to come. */
static void begin_time(struct receiver *r, np_time at)
{
	if (!r->run.first)
		r->run.first = at;
}

/*
 * Counts @count messages, here and in the files: @first and those behind it, or (NULL) some without
 * numbers. Hot.
 */
static void count_messages(struct receiver *r, const struct message *first, uint64_t count,
			   uint64_t bytes, np_time at)
{
	struct recorder *sequence;

	begin_time(r, at);
	r->run.messages += count;
	if (!r->records)
		return;
	sequence = first ? r->files.rows[first->stream] : NULL;
	for (uint64_t i = 0; i < count && sequence; i++)
		recorder_sequence(sequence, first->number + i, first->time,
				  session_wall(r->session, at));
	files_count(&r->files, at, count, bytes);
}

/*
 * Whether @source may change or end the run: over datagrams only the host of its sender may, or, as
 * long as that host has not proved its address, one that has. Others may have overheard the
 * session.
 */
static bool may_change(const struct receiver *r, const struct source *source,
		       const struct message *m)
{
	return !r->transport.face->datagrams || conversation_with(r, source) ||
	       (!r->sender.proven && conversation_proves(r, source, m));
}

/* Whether @m may start a run now. */
static bool may_begin(const struct receiver *r, const struct source *source,
		      const struct message *m)
{
	const struct receiver_run *run = &r->run;

	if (run->phase == RECEIVER_IDLE)
		return !receiver_over(r);
	if (r->session->interrupts)
		return false;
	/* The sender's next run, even when the END of the one before was lost. */
	return !run->raw && m->session == r->sender.id && m->run > run->number &&
	       may_change(r, source, m);
}

/*
 * Whether @m belongs to the run, or starts it. Datagrams of a run identify it when START was lost;
 * but an END before which nothing came does so only for a sender with a proved address: otherwise
 * a single datagram from a forged address could end the service.
 */
static bool belongs(struct receiver *r, const struct source *source, const struct message *m,
		    np_time at)
{
	if (conversation_has(r, m))
		return may_change(r, source, m);
	if (!r->transport.face->datagrams || !may_begin(r, source, m))
		return false;
	if (r->refused && m->session == r->refused)
		return false;
	if (m->type != MESSAGE_DATA && r->answers && m->session != r->sender.id &&
	    !conversation_proves(r, source, m))
		return false;
	begin(r, source, m, at);
	return conversation_has(r, m);
}

void receiver_take_data(struct receiver *r, const struct source *source,
			const struct message *first, unsigned count, bool damaged, np_time at)
{
	struct np_flow *flow;

	/* Of no run, of an unknown stream, or after the end. */
	if (!belongs(r, source, first, at) || !stream_known(r, first) ||
	    r->run.phase != RECEIVER_RECEIVING) {
		r->strays += count;
		return;
	}
	flow = r->stream[first->stream].flow;
	r->sender.heard = at;
	count_came(r, source, count);
	r->run.warming = first->flags & MESSAGE_WARM_UP;
	if (r->run.warming)
		return;
	if (damaged) {
		np_flow_damaged(flow, count);
		return;
	}
	r->sender.newest = first->time;
	if (source->packet)
		np_headers_count(&r->run.result.headers, source->packet, count);
	(void)np_flow_add(flow, first->number, count, first->size, first->time,
			  session_wall(r->session, at));
	if (first->flags & MESSAGE_ACK_WANTED && r->session->options->task != TASK_MONITOR) {
		const struct message ack = {
			.type = MESSAGE_ACK,
			.stream = first->stream,
			.session = first->session,
			.run = first->run,
			.number = first->number,
			.time = first->time,
			.ack = {.received = session_wall(r->session, at), .data_size = first->size},
		};

		answer(r, source, &ack);
	}
	count_messages(r, first, count, (uint64_t)count * first->size, at);
}

static bool all_ended(const struct receiver_run *run)
{
	return run->streams && run->ended == UINT64_MAX >> (MESSAGE_STREAMS_MAX - run->streams);
}

/* How many ENDs of a stream may have been sent in @time; to members of a group each twice. */
static uint64_t ends_in(const struct receiver_run *run, np_time time)
{
	return (MESSAGE_END_FIRST_ONES + (uint64_t)(time / MESSAGE_END_EVERY) + 1) *
	       (run->flags & MESSAGE_MULTICAST ? 2 : 1);
}

/* An END of the run. False: it is of an unknown stream. */
static bool take_end(struct receiver *r, const struct source *source, const struct message *m,
		     np_time at)
{
	struct receiver_run *run = &r->run;
	struct served_sender *s = &r->sender;
	uint64_t stream;
	np_time since; /* the newest DATA, by the sender's own clock */
	np_time waited;

	if (!stream_known(r, m))
		return false;
	stream = UINT64_C(1) << m->stream;
	s->heard = s->end_heard = at;
	s->proven |= conversation_with(r, source) && conversation_proves(r, source, m);
	count_came(r, source, 1);
	s->bye |= m->end.last;
	if (run->phase != RECEIVER_RECEIVING) {
		/* The END of each stream; but no member answers one that went to the group. */
		if (r->transport.face->datagrams && (m->stream == 0 || !run->started))
			answer_report(r, source);
		return true;
	}
	run->sender = *source->address;
	/* The first one's bound is the smallest. */
	if (m->end.clock.known && !run->ended_at)
		run->result.report.clock = m->end.clock;
	if (!run->unread)
		(void)np_flow_end(r->stream[m->stream].flow, m->number, m->end.unsent);
	if (!(run->ended & stream) && m->flags & MESSAGE_AGAIN)
		run->ends_missed += __builtin_sub_overflow(m->time, s->newest, &since) || since < 0
					    ? UINT32_MAX
					    : ends_in(run, since);
	if (m->version >= MESSAGE_VERSION_LAST)
		run->result.sender = m->end.account;
	run->result.sender.dropped = m->end.account.dropped;
	run->result.headers.sent = m->end.marks;
	run->ended |= stream;
	if (all_ended(run) && !r->transport.face->datagrams) {
		conversation_finish(r, MESSAGE_COMPLETE);
	} else if (all_ended(run) && !run->ended_at) {
		/* From now on drops of the host may be something else than DATA. */
		run->ended_at = at;
		run->dropped_by_end = transport_count(&r->transport).dropped;
		/* While END waited to be read, further ones may have been dropped. */
		waited = session_now(r->session) - at;
		if (waited >= ENDS_APART)
			run->ends_behind = ends_in(run, waited) * run->streams;
	} else if (all_ended(run) && at - s->progress_at >= PROGRESS_EVERY) {
		/* Messages are still waited for. */
		s->progress_at = at;
		conversation_answer_start(r, source, m, MESSAGE_READY, at);
	}
	return true;
}

/* Whether the sender of the START @m is or may be served: its run has started, or it waits. */
static bool take_place(struct receiver *r, const struct source *source, const struct message *m,
		       np_time at)
{
	struct receiver_run *run = &r->run;
	const struct message_start *start = &m->start;
	const bool displaces = receiver_displace(r, source, m);

	if (may_begin(r, source, m) || (displaces && run->phase != RECEIVER_IDLE)) {
		/* In a group -monitor answers nobody, so that nobody can prove an address. */
		if (r->answers && !conversation_proves(r, source, m) &&
		    !(m->session == r->sender.id && r->sender.proven)) {
			r->pending = (struct kept_start){true, *m, *source->address, 0, 0};
			return true;
		}
		begin(r, source, m, at);
	}
	if (!conversation_has(r, m) || !may_change(r, source, m))
		return false;
	r->sender.proven |= conversation_proves(r, source, m);
	r->sender.heard = at;
	count_came(r, source, 1);
	if (run->warming && !run->messages) {
		run->warming = false;
		receive_warmed_up(r);
	}
	if (start->clock.known) {
		run->result.report.clock = start->clock;
		/* Before the first DATA it also gives the expected size of the raw delays. */
		for (unsigned i = 0; i < run->streams && run->started && !run->messages; i++)
			(void)conversation_begin_stream(r, i, run->start.messages, false);
	}
	/* The first one is of version 1 and rounds the rate. */
	if (m->version >= MESSAGE_VERSION_LAST) {
		run->start.rate_bits = start->rate_bits;
		run->start.timeout_ms = start->timeout_ms;
	}
	return true;
}

static void take_start(struct receiver *r, const struct source *source, const struct message *m,
		       np_time at)
{
	enum message_verdict verdict = MESSAGE_READY;

	if (!(m->flags & MESSAGE_PROBE) && reverse_excludes(r, source, m)) {
		verdict = MESSAGE_BUSY;
	} else if (!(m->flags & MESSAGE_PROBE) && !conversation_has(r, m) &&
		   receiver_refuses(r, source, m)) {
		verdict = MESSAGE_UNWILLING;
	} else if (!(m->flags & MESSAGE_PROBE)) {
		if (r->answers && r->session->options->task == TASK_MONITOR &&
		    m->flags & MESSAGE_ACK_WANTED) {
			np_log_warning(r->session->log, r->name,
				       "wants acknowledgements, which -monitor does not send");
			verdict = MESSAGE_UNWILLING;
		} else if (!take_place(r, source, m, at)) {
			verdict = MESSAGE_BUSY;
		} else if (source->by_group) {
			/* The members answer each at a random moment. */
			const uint32_t random =
				message_proof(&r->secret, source->address, (uint32_t)at);
			const np_time due = r->held.there ? r->held.due : at + random % HOLD_MOST;

			r->held = (struct kept_start){true, *m, *source->address, at, due};
			return;
		}
	}
	conversation_answer_start(r, source, m, (uint8_t)verdict, at);
}

void receiver_take(struct receiver *r, const struct source *source, const struct message *message,
		   np_time at)
{
	/* Who asks for data takes those of nobody else. */
	const bool other = r->id && message->session != r->id;

	if (message->type == MESSAGE_DATA && !other)
		receiver_take_data(r, source, message, 1, false, at);
	else if (message->type == MESSAGE_REVERSE && !other)
		(void)reverse_take(r, source, message, at);
	else if (message->type == MESSAGE_START && !other)
		take_start(r, source, message, at);
	else if (other || message->type != MESSAGE_END || !belongs(r, source, message, at) ||
		 !take_end(r, source, message, at))
		r->strays++;
}

void receiver_take_raw(struct receiver *r, const struct source *source, uint64_t messages,
		       uint64_t bytes, np_time at)
{
	if (r->run.phase == RECEIVER_IDLE && !receiver_over(r))
		begin(r, source, NULL, at);
	conversation_take_raw(r, 0, messages, bytes, at);
}

void conversation_take_raw(struct receiver *r, uint16_t stream, uint64_t messages, uint64_t bytes,
			   np_time at)
{
	r->sender.heard = at;
	if (!messages && !bytes)
		return;
	np_flow_add_unnumbered(r->stream[stream].flow, messages, bytes,
			       session_wall(r->session, at));
	count_messages(r, NULL, messages, bytes, at);
}

void conversation_take_transactions(struct receiver *r, uint16_t stream, uint64_t count,
				    uint64_t bytes, np_time at)
{
	struct np_flow *flow = r->stream[stream].flow;
	const np_time when = session_wall(r->session, at);

	r->sender.heard = at;
	(void)np_flow_add(flow, np_flow_received(flow), count, bytes, when, when);
	/* They say nothing of when they were sent. */
	np_histogram_clear(delays_of(r, stream));
	count_messages(r, NULL, count, count * bytes, at);
}

void conversation_take_part(struct receiver *r, const struct message *message, size_t bytes,
			    np_time at)
{
	if (r->run.phase != RECEIVER_RECEIVING || !conversation_has(r, message) ||
	    message->stream >= r->run.streams || (message->flags & MESSAGE_WARM_UP))
		return;
	begin_time(r, at);
	np_flow_open(r->stream[message->stream].flow, bytes, session_wall(r->session, at));
}

/*
 * How long this run may be silent: the sender's own limit is used as far as its rate explains it.
 */
static np_time silence(const struct receiver *r)
{
	const uint32_t most = message_silence_ms(&r->run.start);
	const uint32_t asked = r->run.start.timeout_ms;

	return (np_time)(asked < most ? asked : most) * NP_MILLISECOND;
}

/* Sums the delays of streams @from to @end since the last cut, or of the whole @run. */
static struct np_histogram_figures sum_delays(const struct receiver *r, unsigned from, unsigned end,
					      bool run)
{
	struct np_histogram_figures raw = {.count = 0};
	struct np_histogram *sum;

	if (np_histogram_create(&sum))
		return raw;
	np_delay_expect(sum, &r->run.result.report.clock);
	for (unsigned i = from; i < end; i++) {
		if (run)
			np_histogram_merge(sum, r->stream[i].before);
		np_histogram_merge(sum, delays_of(r, i));
	}
	np_histogram_figures(sum, &raw);
	np_histogram_free(sum);
	return raw;
}

bool conversation_cut_delays(struct receiver *r, struct np_histogram_figures *delays)
{
	const struct np_offset *clock = &r->run.result.report.clock;
	const struct np_histogram_figures raw = sum_delays(r, 0, r->run.streams, false);

	for (unsigned i = 0; i < r->run.streams; i++) {
		np_histogram_merge(r->stream[i].before, delays_of(r, i));
		np_histogram_clear(delays_of(r, i));
		np_delay_expect(delays_of(r, i), clock);
	}
	return np_delay_correct(&raw, clock, delays);
}

void conversation_finish(struct receiver *r, enum message_status status)
{
	const struct source to = {.address = &r->run.sender};
	struct receiver_run *run = &r->run;
	struct record_receive *result = &run->result;
	struct message_report *report = &result->report;

	if (run->phase != RECEIVER_RECEIVING)
		return;
	transactions_finish(r, NULL);
	transactions_count(r);
	run->phase = RECEIVER_REPORTED;
	r->sender.end_heard = session_now(r->session);
	if (run->ended_at)
		result->grace = r->sender.end_heard - run->ended_at;
	result->raw = run->raw || run->unread;
	report->counts = conversation_figures(r);
	report->status = (uint8_t)(status == MESSAGE_COMPLETE && report->counts.lost ? MESSAGE_SHORT
										     : status);
	report->exact = np_flow_counts_exact(&report->counts);
	report->delays = sum_delays(r, 0, run->streams, true);
	receive_account(r);
	if (r->session->options->per_stream && !result->raw && run->streams > 1)
		result->stream = r->each;
	for (unsigned i = 0; result->stream && i < run->streams; i++) {
		np_flow_life(r->stream[i].flow, &r->each[i].counts);
		r->each[i].delays = sum_delays(r, i, i + 1, true);
	}
	result->streams = result->stream ? run->streams : 0;
	run->report = *report;
	run->report.counts.damaged += report->counts.stray;
	if (!run->raw)
		answer_report(r, &to);
	receive_finish(r, status, silence(r));
}

void conversation_break_off(struct receiver *r, const char *why)
{
	if (why)
		np_log_error(r->session->log, r->name, "%s", why);
	/* It will not return. */
	r->cut_off = r->sender.bye = true;
	r->status = 1;
	conversation_finish(r, MESSAGE_INTERRUPTED);
}

void conversation_tick(struct receiver *r, np_time now)
{
	const struct wait_options *wait = &r->session->options->wait;
	const np_time begun = (r->run.messages ? r->run.first : r->run.begun) + RECEIVER_LENIENT;
	struct served_sender *s = &r->sender;
	const struct source to = {.address = &r->run.sender};
	const struct message newest = {.session = s->id, .run = r->run.number, .time = s->newest};
	struct np_flow_spread spread = {0};
	bool complete = true;
	np_time grace;

	if (r->run.phase != RECEIVER_RECEIVING)
		return;
	/* Tells the sender now and then that messages arrive. */
	if (r->transport.face->datagrams && !r->run.raw && !(r->run.flags & MESSAGE_ACK_WANTED) &&
	    r->run.messages != s->progress_messages && now - s->progress_at >= PROGRESS_EVERY) {
		s->progress_at = now;
		s->progress_messages = r->run.messages;
		conversation_answer_start(r, &to, &newest, MESSAGE_READY, s->heard);
	}
	if (wait->max_duration && !r->run.ended_at && now - begun >= wait->max_duration) {
		conversation_break_off(r, "sent for longer than --max-duration");
		return;
	}
	if (wait->max_rate_bits > 0 &&
	    8 * (double)conversation_figures(r).bytes >
		    wait->max_rate_bits * np_clock_seconds(now - r->run.begun + RECEIVER_LENIENT)) {
		conversation_break_off(r, "sent faster than --max-rate");
		return;
	}
	/*
	 * Messages after END may take twice the spread of the delays; when nothing is missing a
	 * duplicate may still come.
	 */
	for (unsigned i = 0; r->run.ended_at && i < r->run.streams; i++) {
		complete &= np_flow_complete(r->stream[i].flow);
		np_flow_spread(r->stream[i].flow, &spread);
	}
	grace = complete ? NP_FLOW_GRACE_LEAST : np_flow_grace(&spread);
	/* The partner of a raw stream may be silent as long as it is alive. */
	if (r->run.ended_at && now >= r->run.ended_at + grace)
		conversation_finish(r, MESSAGE_COMPLETE);
	else if ((!r->run.raw || r->transport.face->datagrams) && now - s->heard >= silence(r))
		conversation_finish(r, all_ended(&r->run) ? MESSAGE_COMPLETE : MESSAGE_TIMED_OUT);
}

struct np_flow_counts conversation_figures(const struct receiver *r)
{
	struct np_flow_counts sum = {.flows = 0}, more;

	for (unsigned i = 0; i == 0 || i < r->run.streams; i++) {
		np_flow_life(r->stream[i].flow, &more);
		np_flow_counts_add(&sum, &more);
	}
	return sum;
}
