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
#include <netperf/units.h>
#include <netperf/wait.h>
#include <string.h>
#include <unistd.h>

#define WORTH_SAYING 0.05 /* of a rate that is too high */

np_time session_clock(void *context)
{
	(void)context;
	return np_clock_now();
}

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

void session_row(const struct session *s, np_time at, const struct np_flow_counts *part,
		 struct np_count lost, const struct np_histogram_figures *delays)
{
	np_block_full_interval(
		s->full,
		&(struct np_block_interval){
			.from = at - part->elapsed,
			.to = at,
			.count = s->options->task == TASK_TRANSMIT ? part->sent : part->received,
			.bytes_per_s = part->elapsed > 0
					       ? np_units_rate(part->bytes, part->elapsed) *
							 np_flow_counts_share(part)
					       : -1,
			.lost = lost,
			.delay_known = delays,
			.delay_p50 = delays ? delays->p50 : 0,
			.delay_p99 = delays ? delays->p99 : 0,
		});
}

struct session_rows session_rest(const struct session *s)
{
	return (struct session_rows){
		.text = s->options->report.interval > 0,
		.records = s->report && np_report_wants_rest(s->report),
	};
}

void session_warn_rate(const struct session *s, np_time elapsed, uint64_t messages, double too_high)
{
	if (s->partner_warns)
		return;
	if (messages == 1 && figures_too_short(elapsed))
		np_log_warning(s->log, NULL,
			       "a single message has no rate; send more messages (-n) or give a "
			       "--duration");
	else if (messages && figures_too_short(elapsed))
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

int session_resolve_host(const struct session *s, struct np_address *host)
{
	const struct place_options *place = &s->options->place;
	int status = session_resolve(s, place->to, place->port, AF_UNSPEC, host);

	if (status || !np_address_is_broadcast(host))
		return status;
	np_log_error(s->log, place->to, "is a broadcast address; name a host, or a group with -m");
	return 2;
}

int session_resolve_group(const struct session *s, struct np_address *group)
{
	const struct place_options *place = &s->options->place;
	int status = session_resolve(s, place->to, place->port, AF_UNSPEC, group);

	if (status || np_address_is_multicast(group))
		return status;
	np_log_error(s->log, place->to,
		     "is not a multicast group; -m takes 224.0.0.0 to 239.255.255.255 or ff00::/8; "
		     "-u sends to one host");
	return 2;
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
