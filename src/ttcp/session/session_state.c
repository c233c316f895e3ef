// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * session_state: reads signals, watches drops, writes records, resolves addresses, warns of what
 * went wrong.
 */
#include "session_state.h"

#include "../wire/message.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netperf/clock.h>
#include <netperf/units.h>
#include <string.h>
#include <unistd.h>

#define WORTH_SAYING 0.05 /* of a rate that is too high */

int session_watch_drops(struct np_drops *drops, struct np_drops_packets packets)
{
	uint8_t mark[MESSAGE_MARK_BYTES];

	message_mark_data(mark);
	np_drops_mark(&packets, mark, sizeof(mark));
	return np_drops_watch(drops, &packets);
}

bool session_look(struct session *s)
{
	unsigned came = np_signals_take(s->signals);

	s->report_asked |= (came & NP_SIGNALS_REPORT) != 0;
	s->interrupts += (came & NP_SIGNALS_STOP) != 0;
	return s->interrupts;
}

bool session_sleep(struct session *s, np_time when)
{
	struct pollfd wait = {.fd = np_signals_fd(s->signals), .events = POLLIN};

	while (np_clock_now() < when) {
		(void)np_wait_ready(&wait, 1, when);
		if (session_look(s))
			return false;
	}
	return !s->interrupts;
}

void session_write(struct session *s, struct np_record *record)
{
	/* np_report_close reports the error. */
	if (record)
		(void)np_report_write(s->report, record);
}

void session_begin_run(struct session *s, uint64_t run, np_time now)
{
	s->progress = (struct session_progress){.run = run, .begun = now, .usage = np_usage_now()};
	np_block_full_clear(s->full);
	np_interval_start(&s->progress.interval, now, s->options->report.interval);
}

void session_count(struct session *s, uint64_t messages)
{
	console_count(&s->console, messages - s->progress.counted);
	s->progress.counted = messages;
}

void session_report(struct session *s, const struct np_flow_counts *life, np_time now, bool over,
		    bool rest, const struct np_histogram_figures *delays)
{
	const bool sends = s->options->task == TASK_TRANSMIT;
	struct session_progress *p = &s->progress;
	const np_time end = rest && now < p->interval.mark ? p->interval.mark : now;
	const np_time at = end - p->begun;
	struct np_flow_counts part = *life;
	struct np_record *row;
	bool empty, waiting;

	np_flow_counts_since(&part, &p->marked);
	empty = np_flow_counts_empty(&part);
	if (rest && p->intervals && empty)
		return;
	/* The sender may pause, or be dead: that is known only later. */
	waiting = !over && empty;
	part.elapsed = np_interval_next(&p->interval, end);
	p->marked = *life;
	p->intervals++;
	if (!rest || s->options->report.interval > 0) {
		console_interval(&s->console, at, &part, waiting);
		np_block_full_interval(
			s->full,
			&(struct np_block_interval){
				.from = at - part.elapsed,
				.to = at,
				.count = sends ? part.sent : part.received,
				.bytes_per_s = part.elapsed > 0
						       ? np_units_rate(part.bytes, part.elapsed) *
								 np_flow_counts_share(&part)
						       : -1,
				.lost = sends ? (struct np_count){.known = NP_UNKNOWN}
					      : NP_COUNT_EXACT(part.lost),
				.delay_known = delays,
				.delay_p50 = delays ? delays->p50 : 0,
				.delay_p99 = delays ? delays->p99 : 0,
			});
	}
	if (!(rest ? s->report && np_report_wants_rest(s->report) : s->records))
		return;
	row = record_interval(sends ? "transmit" : "receive", p->run, at, &part, delays);
	if (!sends)
		np_record_flag(row, "waiting", waiting);
	session_write(s, row);
}

void session_mark_drops(struct session *s, const struct np_address *peer)
{
	(void)np_drops_update(s->drops);
	np_drops_count(s->drops, s->drops_watch, peer, &s->dropped.before);
}

void session_peek_drops(struct session *s, const struct np_address *peer)
{
	(void)np_drops_peek(s->drops);
	np_drops_count(s->drops, s->drops_watch, peer, &s->dropped.run);
	np_drops_since(&s->dropped.run, &s->dropped.before);
}

void session_take_drops(struct session *s, const struct np_address *peer, bool next)
{
	const struct np_drops_counts before = s->dropped.before;

	session_mark_drops(s, peer);
	s->dropped.run = s->dropped.before;
	np_drops_since(&s->dropped.run, &before);
	if (!next)
		s->dropped.before = before;
}

void session_add_run(struct session *s)
{
	if (s->drops && !s->runs)
		s->dropped.all = (struct np_drops_counts){.known = true, .exact = true};
	if (s->drops)
		np_drops_add(&s->dropped.all, &s->dropped.run);
	s->runs++;
}

void session_warn_rate(const struct session *s, np_time elapsed, uint64_t messages, double too_high)
{
	if (s->partner_warns)
		return;
	if (messages == 1 && elapsed < FIGURES_MEANT)
		np_log_warning(s->log, NULL,
			       "a single message has no rate; send more messages (-n) or give a "
			       "--duration");
	else if (messages && elapsed < FIGURES_MEANT)
		np_log_warning(s->log, NULL,
			       "the run took %.3f ms, too short for its rate to mean much; raise "
			       "-n or give a --duration",
			       (double)elapsed / (double)NP_MILLISECOND);
	else if (too_high > WORTH_SAYING && s->options->layout != NP_REPORT_RESULT)
		np_log_warning(s->log, NULL,
			       "too few messages: the original's rate is %.0f %% too high; that of "
			       "--json is correct",
			       100 * too_high);
}

static const char *wildcard(int family)
{
	int fd;

	if (family != AF_UNSPEC)
		return family == AF_INET6 ? "[::]" : "0.0.0.0";
	/* IPv6 if this host has it. */
	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return "0.0.0.0";
	close(fd);
	return "[::]";
}

int session_resolve(const struct session *s, const char *text, uint64_t port, int family,
		    struct np_address *address)
{
	const int asked = np_socket_family(&s->options->socket.asked);
	const char *object = text ? text : wildcard(family == AF_UNSPEC ? asked : family);
	int rc = np_address_parse_family(address, object, (uint16_t)port, asked);

	if (rc == -ENOENT)
		np_log_error(s->log, object, "no such host; expected a host name or an address");
	else if (rc == -EAFNOSUPPORT)
		np_log_error(s->log, object, "is no %s address",
			     asked == AF_INET ? "IPv4" : "IPv6");
	else if (rc == -EINVAL)
		np_log_error(s->log, object, "not an address; expected a host name or an address");
	else if (rc)
		np_log_error(s->log, object, "%s", strerror(-rc));
	else if (family != AF_UNSPEC && address->any.sa_family != family) {
		np_log_error(s->log, object, "is of another address family than the other end");
		rc = -EAFNOSUPPORT;
	}
	return rc ? 2 : 0;
}

void session_blame_refusal(const struct session *s)
{
	const struct options *o = s->options;
	const bool ipv6 = strchr(o->place.to, ':') && o->place.to[0] != '[';

	np_log_error(s->log, NULL, "no receiver at %s%s%s:%" PRIu64 "; start 'ttcp -r%s' there",
		     ipv6 ? "[" : "", o->place.to, ipv6 ? "]" : "", o->place.port,
		     o->place.transport == TRANSPORT_UDP ? " -u" : "");
}

void session_blame(const struct session *s, const char *place, int error)
{
	const struct socket_options *asked = &s->options->socket;

	if (error == -ECONNREFUSED && place == s->options->place.to) {
		session_blame_refusal(s);
		return;
	}
	if (error == -ENODEV && asked->asked.device)
		np_log_error(s->log, "--device", "%s: %s", asked->asked.device, strerror(-error));
	else if ((error == -ENOENT || error == -EPERM) && asked->congestion)
		np_log_error(s->log, "--congestion",
			     "%s: unknown to this kernel, or not permitted; see "
			     "/proc/sys/net/ipv4/tcp_allowed_congestion_control",
			     asked->congestion);
	else
		np_log_error(s->log, place, "%s", strerror(-error));
}
