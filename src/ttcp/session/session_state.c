// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* session_state: reads signals, writes records, resolves addresses, warns of what went wrong. */
#include "session_state.h"

#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netperf/wait.h>
#include <string.h>
#include <unistd.h>

#define WORTH_SAYING 0.05 /* of a rate that is too high */

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
		np_log_warning(
			s->log, NULL,
			"the run took %.3f ms: too short for its rate to mean much; send more "
			"messages (-n) or give a --duration",
			(double)elapsed / (double)NP_MILLISECOND);
	else if (too_high > WORTH_SAYING)
		np_log_warning(s->log, NULL,
			       "too few messages: the original's rate, over the time from the "
			       "first to the "
			       "last, is %.0f %% too high; that of --json is correct",
			       100 * too_high);
}

static bool has_ipv6(void)
{
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static const char *wildcard(int family)
{
	if (family == AF_UNSPEC)
		family = has_ipv6() ? AF_INET6 : AF_INET;
	return family == AF_INET6 ? "[::]" : "0.0.0.0";
}

int session_resolve(const struct session *s, const char *text, uint64_t port, int family,
		    struct np_address *address)
{
	const char *object = text ? text : wildcard(family);
	int rc = np_address_parse(address, object, (uint16_t)port);

	if (rc == -ENOENT)
		np_log_error(s->log, object, "no such host; expected a host name or an address");
	else if (rc)
		np_log_error(s->log, object, "not an address: %s", strerror(-rc));
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
		     "is not a multicast group; -m takes one of 224.0.0.0 to 239.255.255.255 or "
		     "ff00::/8, "
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
			     "%s: this kernel does not have it, or does not permit it; "
			     "see /proc/sys/net/ipv4/tcp_allowed_congestion_control",
			     asked->congestion);
	else
		np_log_error(s->log, place, "%s", strerror(-error));
}
