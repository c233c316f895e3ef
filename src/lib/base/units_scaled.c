// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* units_scaled: parses decimal numbers with a suffix for thousands and a unit. */
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <netperf/units.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define NUMBER_MAX 64 /* characters */

static const char letters[] = "kmgt";

static bool is_unit(const char *text, const char *const *units)
{
	for (; *units; units++) {
		if (!strcasecmp(text, *units))
			return true;
	}
	return !*text;
}

/* The factor of the suffix; 0 when it is none. */
static double factor_of(const char *suffix, const struct np_units_scale *scale)
{
	const char *letter = *suffix ? strchr(letters, tolower((unsigned char)*suffix)) : NULL;
	double factor = 1;

	if (!*suffix)
		return scale->bare;
	for (const char *l = letters; letter && l <= letter; l++)
		factor *= scale->thousand;
	return is_unit(suffix + (letter != NULL), scale->units) ? factor : 0;
}

int np_units_parse_scaled(const char *text, const struct np_units_scale *scale, double min,
			  double max, double *value)
{
	const size_t length = strspn(text, "0123456789.eE+-");
	const double factor = factor_of(text + length, scale);
	char number[NUMBER_MAX];
	double parsed;
	int rc;

	if (length >= sizeof(number) || factor <= 0)
		return -EINVAL;
	memcpy(number, text, length);
	number[length] = '\0';
	rc = np_units_parse_number(number, -DBL_MAX, DBL_MAX, &parsed);
	if (rc)
		return rc;
	parsed *= factor;
	if (parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed;
	return 0;
}
