// SPDX-License-Identifier: GPL-2.0-or-later
/* java_float: the shortest digits that are enough, laid out as Java does. */
#include "java_float.h"

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

/* Whether @digits * 10^@exponent reads back as @value. */
static bool reads_back(uint64_t digits, int exponent, double value, bool is_float)
{
	char text[48];

	/* No decimal point: no locale. */
	snprintf(text, sizeof(text), "%" PRIu64 "e%d", digits, exponent);
	return is_float ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value;
}

/* The @count digits nearest to @value, which is positive; returns the exponent behind them. */
static int nearest(double value, int count, uint64_t *digits)
{
	char text[48];
	const char *at = text;

	snprintf(text, sizeof(text), "%.*e", count - 1, value);
	*digits = 0;
	for (; *at != 'e'; at++) {
		if (isdigit((unsigned char)*at))
			*digits = *digits * 10 + (uint64_t)(*at - '0');
	}
	return (int)strtol(at + 1, NULL, 10) - count + 1;
}

/* Java never takes fewer than two digits: 4.9E-324, though 5E-324 were enough. */
static struct decimal shortest(double value, bool is_float)
{
	const int most = is_float ? FLOAT_DIGITS : DOUBLE_DIGITS;
	struct decimal decimal;
	uint64_t digits;
	int exponent, length;

	for (int count = 2;; count++) {
		exponent = nearest(value, count, &digits);
		if (count == most || reads_back(digits, exponent, value, is_float))
			break;
		/* Below a power of two lie twice as many numbers: the nearest may miss it. */
		if (reads_back(digits + 1, exponent, value, is_float)) {
			digits++;
			break;
		}
	}
	length = snprintf(decimal.digits, sizeof(decimal.digits), "%" PRIu64, digits);
	decimal.point = length + exponent;
	while (length > 1 && decimal.digits[length - 1] == '0')
		decimal.digits[--length] = '\0';
	return decimal;
}

static void lay_out(const struct decimal *decimal, const char *sign, char *out, size_t room)
{
	const char *digits = decimal->digits;
	const int length = (int)strlen(digits), point = decimal->point;

	if (point > 7 || point < -2)
		snprintf(out, room, "%s%c.%sE%d", sign, digits[0], length > 1 ? digits + 1 : "0",
			 point - 1);
	else if (point <= 0)
		snprintf(out, room, "%s0.%.*s%s", sign, -point, "00", digits);
	else if (length > point)
		snprintf(out, room, "%s%.*s.%s", sign, point, digits, digits + point);
	else
		snprintf(out, room, "%s%s%.*s.0", sign, digits, point - length, "000000");
}

static char *print(double value, bool is_float, char *out, size_t room)
{
	const char *sign = signbit(value) && !isnan(value) ? "-" : "";

	if (isnan(value)) {
		snprintf(out, room, "NaN");
	} else if (isinf(value)) {
		snprintf(out, room, "%sInfinity", sign);
	} else if (value == 0) {
		snprintf(out, room, "%s0.0", sign);
	} else {
		const struct decimal decimal = shortest(fabs(value), is_float);

		lay_out(&decimal, sign, out, room);
	}
	return out;
}

char *java_float(float value, char *out, size_t room)
{
	return print((double)value, true, out, room);
}

char *java_double(double value, char *out, size_t room)
{
	return print(value, false, out, room);
}

int32_t java_round(float value)
{
	if (isnan(value))
		return 0;

	/* Exact: a float has 24 bits, the sum at most 32 here or nothing behind the point. */
	const double rounded = floor((double)value + 0.5);

	if (rounded >= INT32_MAX)
		return INT32_MAX;
	return rounded <= INT32_MIN ? INT32_MIN : (int32_t)rounded;
}
