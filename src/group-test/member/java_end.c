// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* java_end: jgroups3: counting, and agreeing on the results. */
#include "state.h"

#include <inttypes.h>
#include <stdio.h>

#define RESULTS_EVERY NP_SECOND
#define REPEATS	      3
#define REPEAT_EVERY  (300 * NP_MILLISECOND)
/* For a sign of life over a live connection, after all that a slow member has to read. */
#define LIVING (30 * NP_SECOND)
/*
 * For the results of a live member, and for the second message of a sender whose pace is unknown.
 */
#define WITHOUT_PACE (60 * NP_SECOND)
/* A sender's pauses may become this many times longer. */
#define PAUSE_FACTOR 4
#define DAY	     (86400 * NP_SECOND)
/* Of other members' times only the difference is used, up to this many ms (31 years). */
#define ELAPSED_MAX_MS INT64_C(1000000000000)

int java_send(struct member *m, enum jgroups_type type)
{
	struct java *j = &m->java;

	j->out.type = type;
	j->out.sender = type == JGROUPS_DISCOVERY_RSP && m->plan.sender;
	j->out.num_msgs = j->out.sender ? (int64_t)m->plan.messages : 0;
	j->out.has_result = type == JGROUPS_RESULTS;
	return member_send(m, j->wire, jgroups_encode(j->wire, &j->out));
}

void java_send_every(struct member *m, np_time *next, enum jgroups_type type, np_time every)
{
	if (m->now >= *next)
		*next = member_next_try(m, java_send(m, type), every);
	member_arm(m, *next);
}

static void count_data(struct member *m, struct peer *peer, uint64_t payload, np_time at)
{
	struct java *j = &m->java;

	if (!j->received++)
		j->first = j->reported_at = at;
	j->last = m->moved = at;
	j->bytes += payload;
	peer->java.paced = peer->java.data;
	if (peer->java.paced && at - peer->java.data > peer->java.pause)
		peer->java.pause = at - peer->java.data;
	peer->java.data = at;
	tally_count(peer->flow.tally, 0, 0, at, payload);
	if (m->plan.log_interval && j->received - j->reported >= m->plan.log_interval) {
		j->reported = j->received;
		member_notify(m,
			      (struct member_event){.kind = MEMBER_PROGRESS,
						    .number = j->received,
						    .elapsed = at - j->reported_at},
			      NULL);
		j->reported_at = at;
	}
	if (j->received == j->expected)
		m->dirty = true;
}

void java_unlike(struct member *m, struct peer *peer, uint64_t bytes)
{
	char text[120], how[40] = "longer messages";

	if (peer->java.unlike)
		return;
	peer->java.unlike = true;
	if (bytes)
		snprintf(how, sizeof(how), "messages of %" PRIu64 " bytes", bytes);
	snprintf(text, sizeof(text), "msg_size is %" PRIu64 " here, and it sends %s",
		 m->plan.payload, how);
	member_notify_text(m, MEMBER_UNLIKE, text, peer);
}

/* Trap 8: any length counts. Hot. */
void java_data(struct member *m, struct peer *peer, const struct transport_message *message)
{
	struct java *j = &m->java;
	const uint64_t payload = message->length - 1;

	if (!peer || !peer->flow.tally) {
		m->malformed++;
		return;
	}
	if (m->phase > PHASE_RUNNING || j->received == j->expected)
		return;
	if (payload != m->plan.payload)
		java_unlike(m, peer, payload);
	if (!member_delay(m, peer, (struct backlog_message){.bytes = payload}))
		count_data(m, peer, payload, message->at);
}

void java_process(struct member *m, struct peer *peer, const struct backlog_message *message)
{
	const struct java *j = &m->java;

	if (peer_counts(peer) && m->phase <= PHASE_RUNNING && j->received != j->expected)
		count_data(m, peer, message->bytes, m->now);
}

static struct result_row row_of(const struct jgroups_info *info)
{
	int64_t elapsed = info->stop_ms - info->start_ms;

	/* Trap 10: a stop of 0 means that there is none. */
	if (elapsed < 0 || !info->stop_ms)
		elapsed = 0;
	if (elapsed > ELAPSED_MAX_MS)
		elapsed = ELAPSED_MAX_MS;
	return (struct result_row){
		.counts = {.flows = 1,
			   .sent = (uint64_t)info->expected,
			   .received = (uint64_t)info->received,
			   .lost = info->expected > info->received
					   ? (uint64_t)(info->expected - info->received)
					   : 0,
			   .bytes = (uint64_t)info->bytes,
			   .first = 1,
			   .last = 1 + elapsed * NP_MILLISECOND},
		.ended = info->done,
	};
}

void java_results(struct member *m, struct peer *peer, const struct jgroups_info *info)
{
	if (peer->self)
		return;
	peer->java.info = *info;
	m->result.member[peer->place].total = row_of(info);
	if (!peer->reported)
		m->moved = m->now;
	peer->reported = true;
}

/* What another member has collected replaces RESULTS that were lost on their way here. */
void java_final(struct member *m, struct peer *peer, const struct jgroups_message *message)
{
	peer->java.final = true;
	for (unsigned i = 0; i < message->count; i++) {
		struct peer *about = member_find(m, &message->row[i].who);

		if (about && peer_counts(about) && !about->reported)
			java_results(m, about, &message->row[i].info);
	}
	/*
	 * A member whose table is complete without some members has given these up; Java never
	 * would.
	 */
	m->java.short_final |= message->count < m->plan.members;
}

static bool is_complete(const struct peer *peer)
{
	return !peer->flow.tally || tally_complete(peer->flow.tally);
}

/* Own counts, by sender and in sum, and the message with them. */
void java_count(struct member *m)
{
	struct java *j = &m->java;
	struct peer *self = member_self(m);
	struct jgroups_info *info = &self->java.info;
	const np_time first = j->received ? j->first : m->now,
		      last = j->received ? j->last : m->now;
	const int64_t ms = (last - first + NP_MILLISECOND / 2) / NP_MILLISECOND;

	for_each_peer(peer, m) {
		if (peer->flow.tally && !peer->gone)
			tally_end(peer->flow.tally, m->plan.messages);
	}
	member_result_count(m, self, DROPS_END);
	info->start_ms = (first + m->plan.realtime) / NP_MILLISECOND;
	/* Trap 10: Java divides by the difference, so less than a ms counts as one. */
	info->stop_ms = info->start_ms + (ms ? ms : 1);
	info->expected = (int64_t)j->expected;
	info->received = (int64_t)j->received;
	info->done = true;
	info->bytes = (int64_t)j->bytes;
	j->out.result = *info;
	m->result.member[self->place].total = row_of(info);
	j->results_next = m->now;
}

/*
 * With a processing_delay in its configuration, a member sends nothing until it has processed
 * everything.
 */
static np_time slowness(const struct member *m)
{
	const double time = (double)m->plan.processing_delay * (double)m->java.expected;

	return time < (double)DAY ? (np_time)time : DAY;
}

/*
 * While all connections live, everything sent will arrive, and pausing members answer meanwhile.
 * Otherwise, or when a member was lost for which others may wait, silence has a limit.
 */
static bool all_connected(const struct member *m)
{
	return m->plan.connected && !m->outcome.lost && !m->java.short_final;
}

/* How long a member may give no sign of life. */
static np_time silence_limit(const struct member *m)
{
	return (all_connected(m) ? LIVING : m->plan.limits.report) + slowness(m);
}

/* Questions are asked when nothing moves: a member's silence counts from then on. */
static bool is_mute(const struct member *m, const struct peer *peer)
{
	const np_time moved = m->moved;

	return !peer->self &&
	       m->now - (peer->heard > moved ? peer->heard : moved) >= silence_limit(m);
}

/* How long after its latest message another of this sender may come, by its own pace. */
static np_time pause_limit(const struct member *m, const struct peer *peer)
{
	const np_time least = m->plan.limits.report + slowness(m);
	const np_time own = peer->java.paced ? PAUSE_FACTOR * peer->java.pause : WITHOUT_PACE;

	return own > least && !is_mute(m, peer) ? own : least;
}

/*
 * Java would wait forever for a lost message. If one member has received everything, all was sent,
 * and messages on their way arrive soon; otherwise a long silence means that no more will come.
 */
static bool is_over(const struct member *m)
{
	const struct member_limits *limits = &m->plan.limits;
	const np_time idle = m->now - m->moved;
	const bool connected = all_connected(m);
	bool all = true, had = false, wait = false, dead = false;

	for_each_peer(peer, m) {
		all &= peer->gone || is_complete(peer);
		if (!peer_counts(peer))
			continue;
		had |= peer->reported;
		dead |= connected && is_mute(m, peer);
		if (!is_complete(peer))
			wait |= connected || idle < pause_limit(m, peer);
	}
	if (all || m->java.received == m->java.expected)
		return true;
	if (m->sending.on || m->backlog.count)
		return false;
	return had ? idle >= limits->linger : idle >= limits->report && (dead || !wait);
}

void java_run_tick(struct member *m)
{
	const np_time limit = silence_limit(m);
	const bool connected = all_connected(m);

	if (!is_over(m))
		return;
	/*
	 * A silent sender is dead, not just unlucky; over connections that applies to every member.
	 */
	for_each_peer(peer, m) {
		if (!peer_counts(peer) || peer->self || (is_complete(peer) && !connected) ||
		    m->now - peer->heard < limit)
			continue;
		member_give_up(m, peer, FATE_SILENT, "silent for %g s", np_clock_seconds(limit));
		if (connected)
			m->moved = m->now;
	}
	if (!is_over(m))
		return;
	java_count(m);
	member_enter(m, PHASE_COUNTED);
	if (m->plan.sender)
		member_notify_number(m, MEMBER_SENT_ALL, member_count(m, peer_counts), NULL);
	else
		member_result_notify(m, MEMBER_LOCAL);
}

static void begin_repeat(struct member *m, struct java_repeat *repeat)
{
	if (!repeat->begun)
		*repeat = (struct java_repeat){.left = REPEATS, .next = m->now, .begun = true};
}

static void repeat_tick(struct member *m, struct java_repeat *repeat, enum jgroups_type type)
{
	if (!repeat->left)
		return;
	/*
	 * Attempts are counted, so that a message which this host refuses does not prevent the end.
	 */
	if (m->now >= repeat->next) {
		(void)java_send(m, type);
		repeat->left--;
		repeat->next = m->now + REPEAT_EVERY;
	}
	member_arm(m, repeat->next);
}

/*
 * A member that was waited for in vain will not answer now, either: the Java members are released.
 */
static void begin_table(struct member *m)
{
	struct java *j = &m->java;

	/* FINAL_RESULTS contains what was heard of each member. */
	j->out.count = 0;
	for_each_peer(peer, m) {
		if (peer->role == PEER_MEMBER && peer->reported)
			j->out.row[j->out.count++] =
				(struct jgroups_row){*member_who(m, peer), peer->java.info};
	}
	member_enter(m, PHASE_LEAVING);
	j->table = m->now;
	begin_repeat(m, &j->final);
	if (m->outcome.lost)
		begin_repeat(m, &j->ok);
	member_result_notify(m, MEMBER_REPORTED);
	member_result_notify(m, MEMBER_RESULT);
}

/* How long live members may take to report; slow ones, as long as the run. */
static np_time results_limit(const struct member *m)
{
	const struct java *j = &m->java;
	np_time limit = m->plan.limits.report;

	if (all_connected(m)) {
		limit = PAUSE_FACTOR * (j->last - j->first);
		limit = limit < WITHOUT_PACE ? WITHOUT_PACE : limit;
	}
	return limit + slowness(m);
}

void java_counted_tick(struct member *m)
{
	const bool connected = all_connected(m);
	const np_time limit = results_limit(m),
		      silence = connected ? silence_limit(m) : m->plan.limits.silent;
	const bool late = m->now - m->moved >= limit;
	bool all = true;

	java_send_every(m, &m->java.results_next, JGROUPS_RESULTS, RESULTS_EVERY);
	for_each_peer(peer, m) {
		if (!peer_counts(peer) || peer->reported)
			continue;
		if (!late && !(connected && is_mute(m, peer))) {
			all = false;
			continue;
		}
		/* Is it dead, or does it wait for lost messages? */
		if (m->now - peer->heard >= silence)
			member_give_up(m, peer, FATE_SILENT, "silent for %g s",
				       np_clock_seconds(silence));
		else
			member_give_up(m, peer, FATE_NEVER,
				       "it is alive, but sent no results for %g s",
				       np_clock_seconds(limit));
		if (connected)
			m->moved = m->now;
	}
	if (all)
		begin_table(m);
}

/* Trap 7: only after all own messages were sent, and others had time for theirs. */
void java_table_tick(struct member *m)
{
	const struct member_limits *limits = &m->plan.limits;
	struct java *j = &m->java;
	bool all = true;

	/* This member's own FINAL_RESULTS needs no message. */
	for_each_peer(peer, m)
		all &= !peer_counts(peer) || peer->self || peer->java.final;
	if (!j->ok_heard)
		java_send_every(m, &j->results_next, JGROUPS_RESULTS, RESULTS_EVERY);
	if (all || m->now - j->table >= limits->silent)
		begin_repeat(m, &j->ok);
	repeat_tick(m, &j->final, JGROUPS_FINAL_RESULTS);
	repeat_tick(m, &j->ok, JGROUPS_FINAL_RESULTS_OK);
	if (!j->ok.begun || j->ok.left || j->final.left || m->now - j->table < limits->linger)
		return;
	m->outcome.lost |= m->refused.since != 0;
	m->outcome.finished = true;
}

/* An incomplete result may let others end. */
void java_leave(struct member *m)
{
	java_send(m, JGROUPS_RESULTS);
	m->outcome.finished = true;
}
