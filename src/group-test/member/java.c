// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * java: jgroups3: discovery and START among members of perf.Test, counting, and agreeing on the
 * results.
 */
#include "state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#define DISCOVER_EVERY (2 * NP_SECOND)
#define START_EVERY    (2 * NP_SECOND)
#define RESULTS_EVERY  NP_SECOND
#define REPEATS	       3
#define REPEAT_EVERY   (300 * NP_MILLISECOND)
/* For a sign of life over a live connection, after all that a slow member has to read. */
#define LIVING (30 * NP_SECOND)
/* For the results of a live member, and the second message of a sender of unknown pace. */
#define WITHOUT_PACE (60 * NP_SECOND)
/* A sender's pauses may become this many times longer. */
#define PAUSE_FACTOR 4
#define DAY	     (86400 * NP_SECOND)
/* Of other members' times only the difference is used, up to this many ms (31 years). */
#define ELAPSED_MAX_MS INT64_C(1000000000000)

static int java_send(struct member *m, enum jgroups_type type)
{
	struct java *j = &m->java;

	j->out.type = type;
	j->out.sender = type == JGROUPS_DISCOVERY_RSP && m->plan.sender;
	j->out.num_msgs = j->out.sender ? (int64_t)m->plan.messages : 0;
	j->out.has_result = type == JGROUPS_RESULTS;
	return member_send(m, j->wire, jgroups_encode(j->wire, &j->out));
}

/* When *@next is due, which it then is again after @every. True: it is sent. */
static bool send_every(struct member *m, np_time *next, np_time every, enum jgroups_type type)
{
	if (!member_due(m, next, every))
		return false;
	if (!java_send(m, type))
		return true;
	*next = m->now + MEMBER_LOOK;
	return false;
}

static int java_create(struct member *m)
{
	m->java.wire = malloc(member_control_bytes(&m->plan));
	m->java.discover_next = m->now;
	m->java.expected = m->plan.senders * m->plan.messages;
	return m->java.wire ? 0 : -ENOMEM;
}

static void java_write(struct member *m, const struct transport_slots *slots, uint64_t first)
{
	(void)m;
	(void)first;
	for (unsigned i = 0; i < slots->count; i++)
		slots->data[i * slots->stride] = JGROUPS_DATA_LEAD;
}

static unsigned java_warm(struct member *m, unsigned most)
{
	struct java *j = &m->java;
	const size_t bytes = jgroups_warmup_encode(j->wire, m->plan.payload);
	unsigned sent = 0;

	while (sent < most && !member_send(m, j->wire, bytes))
		sent++;
	return sent;
}

static void count_data(struct member *m, struct peer *peer, uint64_t payload, np_time at)
{
	struct java *j = &m->java;

	if (!j->received++)
		j->reported_at = at;
	m->moved = at;
	peer->java.paced = peer->java.data;
	if (peer->java.paced && at - peer->java.data > peer->java.pause)
		peer->java.pause = at - peer->java.data;
	peer->java.data = at;
	np_flow_add_unnumbered(peer->stream.flow, 1, payload, at);
	if (m->plan.log_interval && j->received - j->reported >= m->plan.log_interval) {
		j->reported = j->received;
		member_notify(m, NULL, MEMBER_PROGRESS, .number = j->received,
			      .elapsed = at - j->reported_at);
		j->reported_at = at;
	}
	m->dirty |= j->received == j->expected;
}

/*
 * Messages of @bytes arrived from it, 0: longer ones than there is room for. Reports the differing
 * setting, once.
 */
static void unlike(struct member *m, struct peer *peer, uint64_t bytes)
{
	char text[120], how[40] = "longer messages";

	if (peer->java.unlike)
		return;
	peer->java.unlike = true;
	if (bytes)
		snprintf(how, sizeof(how), "messages of %" PRIu64 " bytes", bytes);
	snprintf(text, sizeof(text), "msg_size is %" PRIu64 " here, and it sends %s",
		 m->plan.payload, how);
	member_notify(m, peer, MEMBER_UNLIKE, .text = text);
}

/* Trap 8: any length counts. Hot. */
static void take_data(struct member *m, struct peer *peer, const struct transport_message *message)
{
	struct java *j = &m->java;
	const uint64_t payload = message->length - 1;

	if (!peer || !peer->stream.flow) {
		m->outcome.malformed++;
		return;
	}
	if (m->phase > PHASE_RUNNING || j->received == j->expected)
		return;
	if (payload != m->plan.payload)
		unlike(m, peer, payload);
	if (!member_delay(m, peer, (struct backlog_message){.bytes = payload}))
		count_data(m, peer, payload, message->at);
}

static void java_process(struct member *m, struct peer *peer, const struct backlog_message *message)
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

static void take_results(struct member *m, struct peer *peer, const struct jgroups_info *info)
{
	if (peer->self)
		return;
	peer->java.info = *info;
	m->result.member[peer->place].total = row_of(info);
	if (!peer->reported)
		m->moved = m->now;
	peer->reported = true;
}

static void join(struct member *m, struct peer *peer, const struct jgroups_message *message)
{
	char why[96];

	peer->role = PEER_HEARD;
	peer->sender = message->sender;
	if (m->phase != PHASE_JOINING) {
		member_refuse(m, peer,
			      "the group already has num_members members, or the run has started");
		return;
	}
	if (peer->sender && (uint64_t)message->num_msgs != m->plan.messages) {
		/* It belongs to another run, and is not waited for. */
		snprintf(why, sizeof(why), "its num_msgs is %" PRId64 ", ours is %" PRIu64,
			 message->num_msgs, m->plan.messages);
		member_refuse(m, peer, why);
		return;
	}
	member_notify(m, peer, MEMBER_JOINED, .number = member_count(m, peer_present));
	if (member_count(m, peer_present) < m->plan.members)
		return;
	/* All that have joined form the group. */
	for_each_peer(each, m) {
		if (peer_present(each))
			each->role = PEER_MEMBER;
	}
	if (!member_self(m)) {
		member_fail(m, "group", "the group is complete without this member");
	} else if (form_has_senders(m)) {
		member_result_form(m);
		member_result_begin(m);
		member_enter(m, PHASE_READY);
	}
}

static void take_control(struct member *m, const struct identity *who,
			 const struct transport_message *message)
{
	struct java *j = &m->java;
	struct jgroups_message *in = &j->in;
	int rc = jgroups_decode(message->data, message->bytes, message->length, in);
	struct peer *peer = member_find(m, who);
	bool formed;

	if (rc == -ENOTSUP && message->bytes > 1 && message->data[1] == JGROUPS_FINAL_RESULTS)
		member_meet(m, who, "the protocol of another JGroups than 3.0");
	else if (rc)
		m->outcome.malformed++;
	if (rc)
		return;
	/* Its START may come before its answer. */
	if (!peer && (in->type == JGROUPS_DISCOVERY_RSP || in->type == JGROUPS_START))
		peer = member_add(m, who);
	/* Trap 2: answers at any time, even to a stranger. */
	j->answer |= in->type == JGROUPS_DISCOVERY_REQ;
	m->dirty |= peer || j->answer;
	if (!peer)
		m->outcome.malformed +=
			in->type != JGROUPS_DISCOVERY_REQ && in->type != JGROUPS_WARMUP;
	if (!peer)
		return;
	formed = m->phase >= PHASE_READY && peer_counts(peer);
	switch (in->type) {
	case JGROUPS_DISCOVERY_RSP:
		if (peer->role == PEER_STRANGER)
			join(m, peer, in);
		break;
	case JGROUPS_START: peer->java.started = true; break;
	case JGROUPS_RESULTS:
		/* Trap 6: the result is of another run, or from before this one. */
		if (in->has_result && formed)
			take_results(m, peer, &in->result);
		break;
	case JGROUPS_FINAL_RESULTS:
		if (!formed)
			break;
		peer->java.final = true;
		/* What another has collected replaces RESULTS that were lost on their way here. */
		for (unsigned i = 0; i < in->count; i++) {
			struct peer *about = member_find(m, &in->row[i].who);

			if (about && peer_counts(about) && !about->reported)
				take_results(m, about, &in->row[i].info);
		}
		/*
		 * A member whose table is complete without some members has given these up; Java
		 * never would.
		 */
		j->short_final |= in->count < m->plan.members;
		break;
	case JGROUPS_FINAL_RESULTS_OK: j->ok_heard |= formed && m->phase == PHASE_LEAVING; break;
	default: break;
	}
}

static void java_deliver(struct member *m, const struct transport_delivery *delivery)
{
	struct peer *peer = member_find(m, delivery->source);
	struct message_head head;

	for_each(message, delivery->messages, delivery->count) {
		member_advance(m, message->at);
		switch (message_head_decode(message->data, message->bytes, &head)) {
		case MESSAGE_JGROUPS:
			if (*message->data == JGROUPS_DATA_LEAD) {
				take_data(m, peer, message);
				break;
			}
			take_control(m, delivery->source, message);
			peer = member_find(m, delivery->source);
			break;
		case MESSAGE_NATIVE:
		case MESSAGE_OTHER:
			member_meet(m, delivery->source,
				    "group-test's own protocol (--protocol=native)");
			break;
		default: m->outcome.malformed++;
		}
	}
	if (peer)
		peer->heard = m->now;
}

static void java_event(struct member *m, const struct transport_event *event, struct peer *peer)
{
	const bool gone = event->kind == TRANSPORT_LOST || event->kind == TRANSPORT_ENDED;

	if (!peer)
		return;
	if (event->kind == TRANSPORT_MOVED)
		peer->heard = m->moved = m->now;
	if (event->kind == TRANSPORT_OVERSIZE || (gone && event->error == -EMSGSIZE))
		unlike(m, peer, 0);
	if (gone)
		member_lost(m, peer, event->error);
}

/* Java members close their connections when they are done. */
static bool java_parts(struct member *m, struct peer *peer)
{
	(void)m;
	peer->java.final |= peer_counts(peer) && peer->reported;
	return peer_counts(peer) && peer->reported;
}

static bool is_complete(const struct member *m, const struct peer *peer)
{
	return !peer->stream.flow || np_flow_received(peer->stream.flow) >= m->plan.messages;
}

/* Own counts, by sender and in sum, and the message with them. */
static void java_count(struct member *m)
{
	struct java *j = &m->java;
	struct peer *self = member_self(m);
	struct jgroups_info *info = &self->java.info;
	struct np_flow_counts counts;
	int64_t ms;

	for_each_peer(peer, m) {
		if (!peer->stream.flow || peer->gone)
			continue;
		peer->stream.ended = true;
		peer->stream.sent = m->plan.messages;
	}
	member_result_count(m);
	member_result_drops(m);
	counts = result_combined(&m->result.member[self->place]).counts;
	if (!counts.received)
		counts.first = counts.last = m->now;
	ms = (counts.last - counts.first + NP_MILLISECOND / 2) / NP_MILLISECOND;
	info->start_ms = (counts.first + m->plan.realtime) / NP_MILLISECOND;
	/* Trap 10: Java divides by the difference, so less than a ms counts as one. */
	info->stop_ms = info->start_ms + (ms ? ms : 1);
	info->expected = (int64_t)j->expected;
	info->received = (int64_t)counts.received;
	info->done = true;
	info->bytes = (int64_t)counts.bytes;
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
	const np_time latest = peer->heard > m->moved ? peer->heard : m->moved;

	return !peer->self && m->now - latest >= silence_limit(m);
}

/*
 * Java would wait forever for a lost message. If one member has received everything, all was sent,
 * and messages on their way arrive soon; otherwise a long silence means that no more will come.
 */
static bool is_over(const struct member *m)
{
	const struct member_limits *limits = &m->plan.limits;
	const np_time idle = m->now - m->moved;
	const np_time least = limits->report + slowness(m);
	const bool connected = all_connected(m);
	bool all = true, had = false, wait = false, dead = false;
	np_time own;

	for_each_peer(peer, m) {
		all &= peer->gone || is_complete(m, peer);
		if (!peer_counts(peer))
			continue;
		had |= peer->reported;
		dead |= connected && is_mute(m, peer);
		if (is_complete(m, peer))
			continue;
		/* How long after its latest message another may come, by its own pace. */
		own = peer->java.paced ? PAUSE_FACTOR * peer->java.pause : WITHOUT_PACE;
		wait |= connected || idle < (own > least && !is_mute(m, peer) ? own : least);
	}
	if (all || m->java.received == m->java.expected)
		return true;
	if (m->sending.on || m->backlog.count)
		return false;
	return had ? idle >= limits->linger : idle >= limits->report && (dead || !wait);
}

/* The first that was refused. */
static void java_remark(const struct member *m, char *out, size_t room)
{
	*out = '\0';
	for_each_peer(peer, m) {
		if (peer->role != PEER_REFUSED)
			continue;
		snprintf(out, room, " (one is refused: %s)", peer->why);
		return;
	}
}

static bool is_silent(const struct peer *peer)
{
	return peer_counts(peer) && !peer->java.started;
}

static void starting_tick(struct member *m)
{
	const double seconds = np_clock_seconds(m->plan.limits.ready);
	bool all = true, lost = false;
	char list[200];

	for_each_peer(peer, m) {
		all &= !is_silent(peer);
		lost |= peer->gone;
	}
	if (lost) {
		member_fail(m, "group", "a member was lost before all had started");
	} else if (all) {
		member_enter(m, PHASE_RUNNING);
		member_notify(m, NULL, MEMBER_READY, .number = member_count(m, peer_counts));
		if (m->plan.sender)
			sending_begin(m);
	} else if (m->now - m->moved >= m->plan.limits.ready) {
		member_list(m, is_silent, list, sizeof(list));
		member_fail(m, "group", "no START after %g s from %s", seconds, list);
	}
}

static void run_tick(struct member *m)
{
	const np_time limit = silence_limit(m);
	const bool connected = all_connected(m);

	if (!is_over(m))
		return;
	/*
	 * A silent sender is dead, not just unlucky; over connections that applies to every member.
	 */
	for_each_peer(peer, m) {
		if (!peer_counts(peer) || peer->self || (is_complete(m, peer) && !connected) ||
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
		member_notify(m, NULL, MEMBER_SENT_ALL, .number = member_count(m, peer_counts));
	else
		member_result_notify(m, MEMBER_LOCAL);
}

/* Attempts are counted, so that a message which this host refuses does not prevent the end. */
static void repeat_tick(struct member *m, np_time *next, unsigned *sent, enum jgroups_type type)
{
	if (*sent == REPEATS || !member_due(m, next, REPEAT_EVERY))
		return;
	(void)java_send(m, type);
	++*sent;
}

static void counted_tick(struct member *m)
{
	const bool connected = all_connected(m);
	const struct np_flow_counts *own = &m->result.member[member_self(m)->place].total.counts;
	const np_time run = PAUSE_FACTOR * (own->last - own->first),
		      silence = connected ? silence_limit(m) : m->plan.limits.silent;
	/* How long live members may take to report; slow ones, as long as the run. */
	const np_time limit = slowness(m) + (!connected		  ? m->plan.limits.report
					     : run < WITHOUT_PACE ? WITHOUT_PACE
								  : run);
	const bool late = m->now - m->moved >= limit;
	struct java *j = &m->java;
	bool all = true;

	send_every(m, &j->results_next, RESULTS_EVERY, JGROUPS_RESULTS);
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
	if (!all)
		return;
	/* FINAL_RESULTS contains what was heard of each member. */
	j->out.count = 0;
	for_each_peer(peer, m) {
		if (peer->role == PEER_MEMBER && peer->reported)
			j->out.row[j->out.count++] =
				(struct jgroups_row){*member_who(m, peer), peer->java.info};
	}
	member_enter(m, PHASE_LEAVING);
	j->table = j->final_next = m->now;
	/* One that did not report will not answer now, either: the Java members are released. */
	j->ok_next = m->outcome.lost ? m->now : NP_TIME_NEVER;
	member_result_notify(m, MEMBER_REPORTED);
	member_result_notify(m, MEMBER_RESULT);
}

/* Trap 7: only after all own messages were sent, and others had time for theirs. */
static void table_tick(struct member *m)
{
	const struct member_limits *limits = &m->plan.limits;
	struct java *j = &m->java;
	bool all = true;

	/* This member's own FINAL_RESULTS needs no message. */
	for_each_peer(peer, m)
		all &= !peer_counts(peer) || peer->self || peer->java.final;
	if (!j->ok_heard)
		send_every(m, &j->results_next, RESULTS_EVERY, JGROUPS_RESULTS);
	if (j->ok_next == NP_TIME_NEVER && (all || m->now - j->table >= limits->silent))
		j->ok_next = m->now;
	repeat_tick(m, &j->final_next, &j->finals, JGROUPS_FINAL_RESULTS);
	repeat_tick(m, &j->ok_next, &j->oks, JGROUPS_FINAL_RESULTS_OK);
	if (j->oks < REPEATS || j->finals < REPEATS || m->now - j->table < limits->linger)
		return;
	m->outcome.lost |= m->refused.since != 0;
	m->outcome.finished = true;
}

/* An incomplete result may let others end. */
static void java_leave(struct member *m)
{
	(void)java_send(m, JGROUPS_RESULTS);
	m->outcome.finished = true;
}

static void java_tick(struct member *m)
{
	struct java *j = &m->java;

	if (j->answer && !java_send(m, JGROUPS_DISCOVERY_RSP))
		j->answer = false;
	switch (m->phase) {
	case PHASE_JOINING:
		form_forget_silent(m);
		/* Trap 3: the answer goes with the question, both every two seconds. */
		if (send_every(m, &j->discover_next, DISCOVER_EVERY, JGROUPS_DISCOVERY_REQ) &&
		    java_send(m, JGROUPS_DISCOVERY_RSP))
			j->discover_next = m->now + MEMBER_LOOK;
		form_limit(m);
		break;
	case PHASE_READY: starting_tick(m); break;
	case PHASE_RUNNING:
	case PHASE_SENT: run_tick(m); break;
	case PHASE_COUNTED: counted_tick(m); break;
	case PHASE_LEAVING: table_tick(m); break;
	}
	/*
	 * Java stops sending START when it stops waiting; if one was lost on the way to a slow
	 * member, that member is stuck. This member repeats it until it has counted.
	 */
	if (m->phase == PHASE_READY || m->phase == PHASE_RUNNING)
		send_every(m, &j->start_next, START_EVERY, JGROUPS_START);
	/* Waiting Java members send nothing. Asked who is there, the live ones answer. */
	if ((m->phase == PHASE_RUNNING || m->phase == PHASE_COUNTED) &&
	    m->now - m->moved >= DISCOVER_EVERY)
		send_every(m, &j->discover_next, DISCOVER_EVERY, JGROUPS_DISCOVERY_REQ);
	/* The protocol has no message for leaving. */
	m->outcome.finished |= m->outcome.failed;
}

const struct member_protocol_table member_jgroups = {
	.header_bytes = 1,
	.parts_late = true, /* a Java member that lacks messages waits for FINAL_RESULTS_OK */
	.create = java_create,
	.deliver = java_deliver,
	.event = java_event,
	.parts = java_parts,
	.process = java_process,
	.tick = java_tick,
	.count = java_count,
	.leave = java_leave,
	.remark = java_remark,
	.write = java_write,
	.warm = java_warm,
};
