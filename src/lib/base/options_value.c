// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* options_value: converts an option's text to its typed value and back, by its table row. */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#define DSCPS	   64
#define DSCP_SHIFT 2 /* the two bits below are for ECN */

static const struct {
	const char *name;
	unsigned int dscp;
} singles[] = {{"LE", 1}, {"VA", 44}, {"EF", 46}};

/* CSn is 8n, AFxy is 8x + 2y. */
struct np_text np_units_format_dscp(unsigned dscp)
{
	const unsigned class = dscp / 8, low = dscp % 8;

	for (size_t i = 0; i < sizeof(singles) / sizeof(*singles); i++) {
		if (dscp == singles[i].dscp)
			return np_text_of("%s", singles[i].name);
	}
	if (!low)
		return np_text_of("CS%u", class);
	if (class >= 1 && class <= 4 && low % 2 == 0)
		return np_text_of("AF%u%u", class, low / 2);
	return np_text_of("%u", dscp);
}

/* What a valid value of a kind is; where there is a range, before it. */
static const char *const kinds[] = {
	[NP_OPTION_COUNT] = "a whole number",
	[NP_OPTION_SIZE] = "bytes, with k, M, G or T",
	[NP_OPTION_TIME] = "seconds, or with ns, us, ms, s or m",
	[NP_OPTION_NUMBER] = "a number, not negative",
	[NP_OPTION_TOS] = "0 to 255 or a DSCP: EF, VA, LE, CS0 to CS7, AF11 to AF43",
	[NP_OPTION_LIST] = NULL,
};

int np_option_convert(const struct np_option *row, const char *text, void *values)
{
	void *value = (char *)values + row->offset;
	uint64_t *last = row->last ? (uint64_t *)((char *)values + row->last) : value;
	const char *dots = row->last ? strstr(text, "..") : NULL;
	const struct np_rate *rate = value;
	/* A row without an upper limit accepts everything that its type can hold. */
	const uint64_t all = row->kind == NP_OPTION_TIME ? (uint64_t)INT64_MAX : UINT64_MAX;
	const uint64_t max = row->max ? row->max : all;
	uint64_t ignored;
	char first[24];
	int rc;

	switch (row->kind) {
	case NP_OPTION_FLAG: *(bool *)value = true; return 0;
	case NP_OPTION_COUNT:
		/* "unlimited", or as many below 0 as may be above it, is 0. */
		if (row->negative && !strcmp(text, "unlimited"))
			text = "0";
		if (row->negative && *text == '-')
			return np_units_parse_count(text + 1, 0, max, &ignored);
		if (dots && dots - text >= (ptrdiff_t)sizeof(first))
			return -EINVAL;
		if (dots)
			snprintf(first, sizeof(first), "%.*s", (int)(dots - text), text);
		rc = np_units_parse_count(dots ? first : text, row->min, max, value);
		if (!rc && dots)
			rc = np_units_parse_count(dots + 2, *(uint64_t *)value, max, last);
		else
			*last = *(uint64_t *)value;
		return rc;
	case NP_OPTION_SIZE: return np_units_parse_size(text, row->min, max, value);
	case NP_OPTION_TIME:
		return np_units_parse_time(text, (np_time)row->min, (np_time)max, value);
	case NP_OPTION_NUMBER:
		return np_units_parse_number(text, (double)row->min, (double)max, value);
	case NP_OPTION_UNIT_RATE:
		rc = np_units_parse_rate(text, row->choices, (double)row->min, (double)max, value);
		return !rc && rate->per_s <= 0 && !row->initial ? -ERANGE : rc;
	case NP_OPTION_TOS:
		/* 0 to 255, or the name of a DSCP, which is shifted left by two. */
		for (unsigned dscp = 0; isalpha((unsigned char)*text) && dscp < DSCPS; dscp++) {
			if (!strcasecmp(text, np_units_format_dscp(dscp).text)) {
				*(uint64_t *)value = (uint64_t)dscp << DSCP_SHIFT;
				return 0;
			}
		}
		return np_units_parse_count(text, 0, 255, value);
	case NP_OPTION_CHOICE:
		for (unsigned i = 0; row->choices[i]; i++) {
			if (!strcmp(row->choices[i], text)) {
				*(unsigned *)value = i;
				return 0;
			}
		}
		return -EINVAL;
	case NP_OPTION_TEXT:
		if (!*text)
			return -EINVAL;
		*(const char **)value = text;
		return 0;
	case NP_OPTION_WORDS:
	case NP_OPTION_LIST: break;
	}
	return -EINVAL;
}

/* A limit as the user would type it: a size in the largest binary unit that divides it evenly. */
static struct np_text format_bound(const struct np_option *row, uint64_t bound)
{
	static const char suffixes[] = "\0kMGT";
	size_t i = 0;

	if (row->kind == NP_OPTION_TIME)
		return np_units_format_time((np_time)bound);
	while (row->kind == NP_OPTION_SIZE && bound && bound % 1024 == 0 && suffixes[i + 1]) {
		bound /= 1024;
		i++;
	}
	return np_text_of("%llu%.1s", (unsigned long long)bound, &suffixes[i]);
}

char *np_option_expected(const struct np_option *row, char *out, size_t room)
{
	const bool bare = row->kind == NP_OPTION_UNIT_RATE && row->choices[0][0];
	const char *expected = kinds[row->kind];
	const bool ranged = expected && row->kind != NP_OPTION_TOS;

	switch (row->kind) {
	case NP_OPTION_CHOICE:
		out[0] = '\0';
		for (size_t i = 0; row->choices[i]; i++)
			np_text_append(out, room, "%s%s", i ? ", " : "", row->choices[i]);
		return out;
	case NP_OPTION_UNIT_RATE:
		/* "20M (20Mbit) or 20MB"; where the first unit is "", all need theirs. */
		snprintf(out, room, "more than 0, with k, M, G or T (1000): ");
		if (bare)
			np_text_append(out, room, "20M (20M%s)", row->choices[0]);
		for (size_t i = 1; row->choices[i]; i++)
			np_text_append(out, room, "%s20M%s", bare || i > 1 ? " or " : "",
				       row->choices[i]);
		return out;
	case NP_OPTION_WORDS:
		snprintf(out, room, "%llu to %llu words", (unsigned long long)row->min,
			 (unsigned long long)row->max);
		return out;
	default: break;
	}
	/* A buffer's size may also be given in packets. */
	if (row->kind == NP_OPTION_SIZE && row->argument && !strcmp(row->argument, "PACKETS"))
		expected = "packets, or bytes with k, M, G or T";
	if (!expected)
		expected = row->argument ? row->argument : row->name;
	snprintf(out, room, "%s", expected);
	if (ranged && row->max)
		np_text_append(out, room, ", %s to %s", format_bound(row, row->min).text,
			       format_bound(row, row->max).text);
	else if (ranged && row->min)
		np_text_append(out, room, ", at least %s", format_bound(row, row->min).text);
	if (row->last)
		np_text_append(out, room, ", or a range, as 1..8");
	return out;
}
