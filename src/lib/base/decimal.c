// SPDX-License-Identifier: GPL-2.0-or-later
// Copyright (C) 2026 the netperf-exercise authors
/* decimal: finds the shortest sufficient digits and lays them out as Java does, or plainly. */
#include <netperf/units.h>

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLOAT_DIGITS  9	 /* enough for any float, */
#define DOUBLE_DIGITS 17 /* for any double */

/* 0.d1d2d3... * 10^point */
struct decimal {
	char digits[DOUBLE_DIGITS + 8];
	int point;
};

/*
 * Whether @count digits read back as @value, which is positive; stores them and their exponent:
 * @digits * 10^@exponent. Just above a power of two the gap below is half as wide: there the
 * nearest digits may miss the value, and the next higher ones do not.
 */
static bool enough(double value, bool is_float, int count, uint64_t *digits, int *exponent)
{
	char text[48];
	const char *at = text;

	snprintf(text, sizeof(text), "%.*e", count - 1, value);
	*digits = 0;
	for (; *at != 'e'; at++) {
		if (isdigit((unsigned char)*at))
			*digits = *digits * 10 + (uint64_t)(*at - '0');
	}
	*exponent = (int)strtol(at + 1, NULL, 10) - count + 1;
	for (int i = 0; i < 2; i++, ++*digits) {
		/* Without a decimal point the locale does not matter. */
		snprintf(text, sizeof(text), "%" PRIu64 "e%d", *digits, *exponent);
		if (is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
			return true;
	}
	return false;
}

/* Java never prints fewer than two digits: 4.9E-324, although 5E-324 would do. */
static struct decimal shortest(double value, bool is_float)
{
	const int most = is_float ? FLOAT_DIGITS : DOUBLE_DIGITS;
	int count = 2, exponent, length;
	struct decimal decimal;
	uint64_t digits;

	while (!enough(value, is_float, count, &digits, &exponent) && count < most)
		count++;
	length = snprintf(decimal.digits, sizeof(decimal.digits), "%" PRIu64, digits);
	decimal.point = length + exponent;
	while (length > 1 && decimal.digits[length - 1] == '0')
		decimal.digits[--length] = '\0';
	return decimal;
}

/*
 * Writes all digits from the first, or the one before the point, to the last, or the one after it.
 */
static void lay_out(const struct decimal *decimal, char *out)
{
	const int length = (int)strlen(decimal->digits), unit = decimal->point - 1;
	const int last = length - 1 > unit ? length - 1 : unit + 1;

	for (int place = unit < 0 ? unit : 0; place <= last; place++) {
		*out++ = place < 0 || place >= length ? '0' : decimal->digits[place];
		if (place == unit)
			*out++ = '.';
	}
	*out = '\0';
}

static void print_finite(double value, unsigned how, char *out, size_t room)
{
	const char *sign = signbit(value) ? "-" : "";
	struct decimal decimal = {.digits = "0", .point = 1};
	char text[NP_DECIMAL_TEXT_MAX];
	int exponent = 0;

	if (value != 0)
		decimal = shortest(fabs(value), how & NP_DECIMAL_FLOAT);
	if (!(how & NP_DECIMAL_PLAIN) && (decimal.point > 7 || decimal.point < -2)) {
		exponent = decimal.point - 1;
		decimal.point = 1;
	}
	lay_out(&decimal, text);
	if (exponent)
		snprintf(out, room, "%s%sE%d", sign, text, exponent);
	else
		snprintf(out, room, "%s%s", sign, text);
}

char *np_decimal(double value, unsigned how, char *out, size_t room)
{
	if (isnan(value))
		snprintf(out, room, "NaN");
	else if (isinf(value))
		snprintf(out, room, "%sInfinity", value < 0 ? "-" : "");
	else
		print_finite(value, how, out, room);
	return out;
}

char *np_decimal_two(double value, char *out, size_t room)
{
	char text[NP_DECIMAL_TEXT_MAX];
	const char *decimals;
	int length, whole, kept = 2;

	if (isnan(value)) {
		snprintf(out, room, "NaN");
		return out;
	}
	if (isinf(value)) {
		snprintf(out, room, "%s\u221E", value < 0 ? "-" : "");
		return out;
	}
	length = snprintf(text, sizeof(text), "%.2f", value);
	whole = (int)strspn(text, "-0123456789"); /* the locale's decimal point follows */
	decimals = text + length - kept;
	while (kept > 0 && decimals[kept - 1] == '0')
		kept--;
	snprintf(out, room, "%.*s%s%.*s", whole, text, kept ? "." : "", kept, decimals);
	return out;
}

int32_t np_decimal_round(float value)
{
	if (isnan(value))
		return 0;

	/* Exact: a float has 24 bits, so the sum has at most 32 here, or no fraction. */
	const double sum = (double)value + 0.5;

	if (sum >= INT32_MAX)
		return INT32_MAX;
	if (sum <= INT32_MIN)
		return INT32_MIN;
	return (int32_t)sum - (sum < (int32_t)sum); /* round down */
}
