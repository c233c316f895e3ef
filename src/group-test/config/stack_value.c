// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/*
 * stack_value: converts properties, sizes and lists of hosts from the notation of JGroups' stacks.
 */
#include "stack_value.h"

#include <ctype.h>
#include <netperf/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Replaces "${name:default}" by the default, in place. False: it has none. */
static bool expand(char *value)
{
	char *to = value;

	for (const char *from = value; *from;) {
		const char *end = strchr(from, '}'), *colon = strchr(from, ':');

		if (strncmp(from, "${", 2)) {
			*to++ = *from++;
			continue;
		}
		if (!end || !colon || colon > end)
			return false;
		memmove(to, colon + 1, (size_t)(end - colon - 1));
		to += end - colon - 1;
		from = end + 1;
	}
	*to = '\0';
	return true;
}

/* JGroups' sizes are decimal: "64000", "640k", "5M", "20MB". */
static bool to_bytes(const char *value, char *out, size_t room)
{
	static const struct {
		const char *unit;
		double factor;
	} units[] = {{"", 1},	  {"k", 1e3}, {"kb", 1e3}, {"m", 1e6},
		     {"mb", 1e6}, {"g", 1e9}, {"gb", 1e9}};
	size_t digits = strspn(value, "0123456789."), i = 0, count = sizeof(units) / sizeof(*units);
	double number;

	while (i < count && strcasecmp(value + digits, units[i].unit))
		i++;
	if (i == count || digits >= room)
		return false;
	memcpy(out, value, digits);
	out[digits] = '\0';
	if (np_units_parse_number(out, 0, 1e9, &number))
		return false;
	snprintf(out, room, "%.0f", number * units[i].factor);
	return true;
}

/* Turns "a[7800],b[7801]" into "a:7800,b:7801", in place, without blanks. */
static bool to_hosts(char *value)
{
	char *to = value;

	for (const char *from = value; *from; from++) {
		size_t digits = strspn(from + 1, "0123456789");

		if (*from == '[' && (!digits || from[1 + digits] != ']'))
			return false;
		if (*from == '[')
			*to++ = ':';
		else if (*from != ']' && !isspace((unsigned char)*from))
			*to++ = *from;
	}
	*to = '\0';
	return to > value;
}

/* JGroups also takes these words for an address, meaning "choose one". */
static bool is_choice(const char *value)
{
	return !strcasecmp(value, "GLOBAL") || !strcasecmp(value, "SITE_LOCAL") ||
	       !strcasecmp(value, "LINK_LOCAL") || !strcasecmp(value, "NON_LOOPBACK") ||
	       !strncasecmp(value, "match-", 6);
}

bool stack_value(enum stack_meaning meaning, char *value, char *out, size_t room)
{
	if (!expand(value) || !*value || is_choice(value))
		return false;
	if (meaning == STACK_BYTES)
		return to_bytes(value, out, room);
	if (meaning == STACK_HOSTS && !to_hosts(value))
		return false;
	return snprintf(out, room, "%s", value) < (int)room;
}

int stack_port_range(const char *text)
{
	char value[100];
	uint64_t range = 1;

	if (text && snprintf(value, sizeof(value), "%s", text) >= (int)sizeof(value))
		return -1;
	if (text && (!expand(value) || np_units_parse_count(value, 0, 255, &range)))
		return -1;
	return (int)range;
}

/* A host and the ports of it that belong to members. */
struct host {
	const char *at;
	size_t bytes; /* of the name; of all if there is no port */
	unsigned port, range;
};

/* Reads the next of the hosts in @rest; returns its end. */
static const char *next_host(const char *rest, unsigned range, struct host *host)
{
	const char *end = rest + strcspn(rest, ","),
		   *colon = memchr(rest, ':', (size_t)(end - rest));
	uint64_t port = 0;
	char digits[8];

	*host = (struct host){rest, (size_t)(end - rest), 0, 0};
	if (colon && end - colon <= (ptrdiff_t)sizeof(digits)) {
		memcpy(digits, colon + 1, (size_t)(end - colon - 1));
		digits[end - colon - 1] = '\0';
		if (!np_units_parse_count(digits, 1, UINT16_MAX, &port)) {
			host->bytes = (size_t)(colon - rest);
			host->port = (unsigned)port;
			host->range =
				range < UINT16_MAX - port ? range : UINT16_MAX - (unsigned)port;
		}
	}
	return *end ? end + 1 : end;
}

/* True when an earlier entry of @host already covers @port. */
static bool stands_before(const char *hosts, unsigned range, const struct host *host, unsigned port)
{
	struct host other;

	while (hosts < host->at) {
		hosts = next_host(hosts, range, &other);
		if (other.at != host->at && other.port && other.bytes == host->bytes &&
		    !memcmp(other.at, host->at, host->bytes) && port >= other.port &&
		    port <= other.port + other.range)
			return true;
	}
	return false;
}

static void put_host(FILE *out, const char *hosts, unsigned range, const struct host *host)
{
	if (!host->port)
		fprintf(out, "%s%.*s", ftell(out) ? "," : "", (int)host->bytes, host->at);
	for (unsigned port = host->port; host->port && port <= host->port + host->range; port++) {
		if (!stands_before(hosts, range, host, port))
			fprintf(out, "%s%.*s:%u", ftell(out) ? "," : "", (int)host->bytes, host->at,
				port);
	}
}

char *stack_hosts(const char *hosts, const char *range)
{
	int more = stack_port_range(range);
	size_t bytes, count = 1;
	struct host host;
	char *made = NULL;
	FILE *out;

	for (const char *at = hosts; *at; at++)
		count += *at == ',';
	if (more < 0 || count * ((size_t)more + 1) > STACK_HOSTS_MAX)
		return strdup(hosts);
	out = open_memstream(&made, &bytes);
	if (!out)
		return NULL;
	for (const char *rest = hosts; *rest;) {
		rest = next_host(rest, (unsigned)more, &host);
		put_host(out, hosts, (unsigned)more, &host);
	}
	if (!fclose(out) && *made)
		return made;
	free(made);
	return strdup(hosts);
}
