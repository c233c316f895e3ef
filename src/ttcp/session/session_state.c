// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * session_state: reads signals, watches drops, writes records, resolves addresses, warns of what
 * went wrong.
 */
#include "session_state.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

int session_watch_drops(struct np_drops *drops, struct np_drops_packets packets)
{
	uint8_t data[MESSAGE_HEADER_BYTES];

	message_encode_data(data, &(struct message){.run = 1}, sizeof(data));
	np_drops_mark(&packets, data, MESSAGE_MARK_BYTES);
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
	/* np_report_end reports the error. */
	if (record)
		(void)np_report_write(s->report, record);
}

void session_count_drops(struct session *s, const struct np_address *peer)
{
	(void)np_drops_update(s->drops);
	np_drops_count(s->drops, s->drops_watch, peer, &s->dropped.now);
	s->dropped.run = s->dropped.now;
	np_drops_since(&s->dropped.run, &s->dropped.before);
}

int session_resolve(const struct session *s, const char *text, uint64_t port, int family,
		    struct np_address *address)
{
	const int asked = np_socket_family(&s->options->socket.asked);
	const char *object = text, *why = NULL;
	int rc, wanted = family == AF_UNSPEC ? asked : family;

	/* IPv6 if this host has it. */
	if (!text && wanted == AF_UNSPEC) {
		const int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

		wanted = fd < 0 ? AF_INET : AF_INET6;
		if (fd >= 0)
			close(fd);
	}
	if (!text)
		object = wanted == AF_INET6 ? "[::]" : "0.0.0.0";
	rc = np_address_parse(address, object, (uint16_t)port, asked);
	if (rc == -ENOENT)
		why = "no such host; expected a host name or an address";
	else if (rc == -EAFNOSUPPORT)
		why = asked == AF_INET ? "is no IPv4 address" : "is no IPv6 address";
	else if (rc)
		why = rc == -EINVAL ? "not an address; expected a host name or an address"
				    : strerror(-rc);
	else if (family != AF_UNSPEC && address->any.sa_family != family)
		why = "is of another address family than the other end";
	if (why)
		np_log_error(s->log, object, "%s", why);
	return why ? 2 : 0;
}

void session_blame_refusal(const struct session *s)
{
	const struct options *o = s->options;
	const char *to = o->place.to, *colon = strchr(to, ':');
	const bool ipv6 = colon && to[0] != '[' && strchr(colon + 1, ':');
	const size_t host = to[0] == '[' ? strcspn(to, "]") + 1 : strcspn(to, ipv6 ? "" : ":");
	char port[16] = "";

	if (to[host] || np_options_given(o->given, "port"))
		snprintf(port, sizeof(port), " -p %" PRIu64, o->place.port);
	np_log_error(s->log, NULL, "no receiver at %s%.*s%s:%" PRIu64 "; start 'ttcp -r%s%s' there",
		     ipv6 ? "[" : "", (int)host, to, ipv6 ? "]" : "", o->place.port,
		     o->place.transport == TRANSPORT_UDP ? " -u" : "", port);
}

/* A link-local address is none without its interface. */
static bool lacks_interface(const char *place)
{
	return !strncasecmp(place + strspn(place, "/["), "fe80:", 5) && !strchr(place, '%');
}

void session_blame(const struct session *s, const char *place, int error)
{
	const struct socket_options *asked = &s->options->socket;
	const char *bind = s->options->place.bind;

	/* It is not about @place, where to send to. */
	if (bind && (error == -EADDRNOTAVAIL || (error == -EINVAL && lacks_interface(bind))))
		place = bind;
	if (error == -ECONNREFUSED && place == s->options->place.to)
		session_blame_refusal(s);
	else if (s->options->place.shared && error == -EACCES)
		np_log_error(s->log, "--reverse",
			     "cannot send from port %" PRIu64 ", which needs a privilege: listen "
			     "at a port above 1023, or use TCP",
			     s->options->place.source_port);
	else if (s->options->place.source_port &&
		 (error == -EADDRINUSE || error == -EACCES || (error == -EADDRNOTAVAIL && !bind)))
		np_log_error(s->log, "--source-port",
			     "%" PRIu64 ": %s; it, or with -P one after it, may be in use, rest "
			     "after a connection to the same receiver, or be below 1024",
			     s->options->place.source_port, strerror(-error));
	else if (error == -EADDRINUSE && place != s->options->place.to)
		np_log_error(s->log, "--port", "%" PRIu64 ": %s; is a ttcp -r running already?",
			     s->options->place.port, strerror(-error));
	else if (error == -ENODEV && asked->asked.ip.device)
		np_log_error(s->log, "--device", "%s: %s", asked->asked.ip.device,
			     strerror(-error));
	else if ((error == -EPROTONOSUPPORT || error == -ENOPROTOOPT) && asked->mptcp)
		np_log_error(s->log, "--mptcp",
			     "this kernel has no MPTCP, or net.mptcp.enabled is 0: %s",
			     strerror(-error));
	else if ((error == -ENOENT || error == -EPERM) && asked->congestion)
		np_log_error(s->log, "--congestion",
			     "%s: unknown to this kernel, or not permitted; see "
			     "/proc/sys/net/ipv4/tcp_allowed_congestion_control",
			     asked->congestion);
	else if (error == -EINVAL && lacks_interface(place))
		np_log_error(s->log, place,
			     "a link-local address needs its interface, as fe80::1%%eth0");
	else
		np_log_error(s->log, place, "%s", strerror(-error));
}
