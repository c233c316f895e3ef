// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* stack_value: properties, sizes and lists of hosts as JGroups' stacks write them. */
#include "stack_value.h"

#include <ctype.h>
#include <netperf/units.h>
#include <stdio.h>
#include <string.h>

/* "${name:default}" becomes default, in place. False: there is none. */
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

/* "a[7800],b[7801]" becomes "a:7800,b:7801", in place; blanks go. */
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

/* Where an address is wanted JGroups also takes these words for "choose one". */
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
