// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* socket_tos: parses the type-of-service byte as a number or as the name of a DSCP. */
#include <errno.h>
#include <netperf/socket.h>
#include <netperf/units.h>
#include <string.h>
#include <strings.h>

#define DSCP_SHIFT 2 /* the two bits below are for ECN */

static const struct {
	const char *name;
	unsigned int dscp;
} singles[] = {{"LE", 1}, {"VA", 44}, {"EF", 46}};

static int digit_of(char c, int least, int most)
{
	return c >= '0' + least && c <= '0' + most ? c - '0' : -1;
}

/* The DSCP of that name, or -1. CSn is 8n, AFxy is 8x + 2y. */
static int dscp_of(const char *name)
{
	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++) {
		if (!strcasecmp(name, singles[i].name))
			return (int)singles[i].dscp;
	}
	if (!strncasecmp(name, "CS", 2) && strlen(name) == 3 && digit_of(name[2], 0, 7) >= 0)
		return 8 * digit_of(name[2], 0, 7);
	if (!strncasecmp(name, "AF", 2) && strlen(name) == 4 && digit_of(name[2], 1, 4) >= 0 &&
	    digit_of(name[3], 1, 3) >= 0)
		return 8 * digit_of(name[2], 1, 4) + 2 * digit_of(name[3], 1, 3);
	return -1;
}

int np_socket_parse_tos(const char *text, uint64_t *tos)
{
	const int dscp = dscp_of(text);

	if (dscp < 0)
		return np_units_parse_count(text, 0, 255, tos);
	*tos = (uint64_t)dscp << DSCP_SHIFT;
	return 0;
}
