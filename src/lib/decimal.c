// SPDX-License-Identifier: GPL-2.0-or-later
/* decimal: the shortest digits that are enough, laid out as Java does or plainly. */
#include <netperf/decimal.h>

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

/* All places from the first digit or the one before the point to the last or the one behind. */
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

/* How numbers that end are laid out. */
struct style {
	bool is_float;
	bool plain;
};

static void print_finite(double value, struct style style, const char *sign, char *out, size_t room)
{
	struct decimal decimal = {.digits = "0", .point = 1};
	char text[NP_DECIMAL_TEXT_MAX];
	int exponent = 0;

	if (value != 0)
		decimal = shortest(fabs(value), style.is_float);
	if (!style.plain && (decimal.point > 7 || decimal.point < -2)) {
		exponent = decimal.point - 1;
		decimal.point = 1;
	}
	lay_out(&decimal, text);
	if (exponent)
		snprintf(out, room, "%s%sE%d", sign, text, exponent);
	else
		snprintf(out, room, "%s%s", sign, text);
}

static char *print(double value, struct style style, char *out, size_t room)
{
	const char *sign = signbit(value) ? "-" : "";

	if (isnan(value))
		snprintf(out, room, "NaN");
	else if (isinf(value))
		snprintf(out, room, "%sInfinity", sign);
	else
		print_finite(value, style, sign, out, room);
	return out;
}

char *np_decimal_float(float value, char *out, size_t room)
{
	return print((double)value, (struct style){.is_float = true}, out, room);
}

char *np_decimal_double(double value, char *out, size_t room)
{
	return print(value, (struct style){0}, out, room);
}

char *np_decimal_plain_float(float value, char *out, size_t room)
{
	return print((double)value, (struct style){.is_float = true, .plain = true}, out, room);
}

char *np_decimal_plain_double(double value, char *out, size_t room)
{
	return print(value, (struct style){.plain = true}, out, room);
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
	whole = (int)strspn(text, "-0123456789"); /* what comes then is the locale's */
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

	/* Exact: a float has 24 bits, the sum at most 32 here or nothing behind the point. */
	const double rounded = floor((double)value + 0.5);

	if (rounded >= INT32_MAX)
		return INT32_MAX;
	return rounded <= INT32_MIN ? INT32_MIN : (int32_t)rounded;
}
